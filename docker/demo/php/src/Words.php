<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

final class Words
{
    /** @return list<string> */
    public static function of(string $text): array
    {
        return array_filter(explode(' ', strtolower($text)), static fn (string $word): bool => strlen($word) > 3);
    }
}
