<?php
// SPDX-License-Identifier: Apache-2.0
// Harbour Books, the sample application: a small shop with the faults that real ones have.

declare(strict_types=1);

namespace Harbour;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/../src/' . basename(str_replace('\\', '/', $class)) . '.php';
});

(new Kernel(getenv('HARBOUR_DATA') ?: sys_get_temp_dir() . '/harbour-books'))->handle();
