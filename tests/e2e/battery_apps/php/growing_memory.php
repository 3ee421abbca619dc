<?php
// SPDX-License-Identifier: Apache-2.0
// Everything is read before the first line is written.
require __DIR__ . '/shop.php';

function everything(): array
{
    $rows = [];
    for ($i = 0; $i < 400000; $i++) {
        $rows[] = ['id' => $i, 'line' => "row $i"];
    }
    return $rows;
}

echo count(everything()), "\n";
work(200_000);
