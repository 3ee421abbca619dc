<?php
// SPDX-License-Identifier: Apache-2.0
// A script that works through many rows, each with as much reading, checking and writing as the next.
require __DIR__ . '/shop.php';

function parse(int $i): array
{
    for ($i = 0, $sum = 0; $i < 1_500; $i++) {
        $sum += $i * 61 % 7;
    }
    return ['id' => $i];
}

function check(array $row): array
{
    for ($i = 0, $sum = 0; $i < 1_500; $i++) {
        $sum += $i * 67 % 7;
    }
    return $row;
}

function convert(array $row): array
{
    for ($i = 0, $sum = 0; $i < 1_500; $i++) {
        $sum += $i * 73 % 7;
    }
    return $row;
}

function write(array $row): int
{
    for ($i = 0, $sum = 0; $i < 1_500; $i++) {
        $sum += $i * 79 % 7;
    }
    return $row['id'];
}

function import(int $i): int
{
    $id = write(convert(check(parse($i))));
    for ($i = 0, $sum = 0; $i < 1_500; $i++) {
        $sum += $i * 85 % 7;
    }
    return $id;
}

for ($i = 0, $sum = 0; $i < 300; $i++) {
    $sum += import($i);
}
echo $sum, "\n";
