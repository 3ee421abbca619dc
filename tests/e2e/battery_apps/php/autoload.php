<?php
// SPDX-License-Identifier: Apache-2.0
// Hundreds of classes for one page, each found and compiled now.
class ClassLoader
{
    public function __construct(private string $folder)
    {
    }

    public function loadClass(string $class): void
    {
        $file = "$this->folder/$class.php";
        if (is_file($file)) {
            require $file;
        }
    }
}

spl_autoload_register([new ClassLoader($argv[1]), 'loadClass']);

function plugins(int $count): int
{
    $sum = 0;
    for ($i = 0; $i < $count; $i++) {
        $sum += (new ("Plugin$i"))->weight();
    }
    return $sum;
}

echo plugins((int) $argv[2]), "\n";
