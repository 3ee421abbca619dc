<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

final class NotFound extends \RuntimeException
{
}
