<?php
// SPDX-License-Identifier: Apache-2.0
// The ranking is sorted again for every book that joins it.
require __DIR__ . '/shop.php';

function ranking(int $count): array
{
    $books = [];
    for ($i = 0; $i < $count; $i++) {
        $books[] = ['id' => $i, 'sold' => $i * 7919 % 1000];
        usort($books, fn (array $a, array $b): int => $b['sold'] <=> $a['sold']);
    }
    return $books;
}

work(200_000);
echo count(ranking(250)), "\n";
