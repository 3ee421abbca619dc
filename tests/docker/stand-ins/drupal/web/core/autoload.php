<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/lib/' . str_replace('\\', '/', $class) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
