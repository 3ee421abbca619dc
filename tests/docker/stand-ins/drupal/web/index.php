<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

require __DIR__ . '/core/autoload.php';

(new Drupal\Core\DrupalKernel(__DIR__ . '/sites/default/files/.sqlite'))->handle();
