<?php
// SPDX-License-Identifier: Apache-2.0
// Somebody else holds the lock for a while.
require __DIR__ . '/shop.php';

function countVisitor(string $path): int
{
    $file = fopen($path, 'c+');
    flock($file, LOCK_EX);
    $count = (int) fgets($file) + 1;
    flock($file, LOCK_UN);
    return $count;
}

work(400_000);
echo countVisitor($argv[1]), "\n";
work(400_000);
