<?php
// SPDX-License-Identifier: Apache-2.0
// A shelf that counts what is below it asks each time anew, so that every level doubles the work.
require __DIR__ . '/shop.php';

function booksBelow(int $level): int
{
    return $level === 0 ? 1 : booksBelow($level - 1) + booksBelow($level - 1);
}

work(200_000);
echo booksBelow(17), "\n";
