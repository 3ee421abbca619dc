<?php
// SPDX-License-Identifier: Apache-2.0
// The script ends itself deep in its calls, once all is done.
require __DIR__ . '/shop.php';

function readBooks(): int
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 31 % 7;
    }
    return $sum;
}

function readAuthors(): int
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 37 % 7;
    }
    return $sum;
}

function readPrices(): int
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 41 % 7;
    }
    return $sum;
}

function readStock(): int
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 43 % 7;
    }
    return $sum;
}

function buildIndex(): int
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 47 % 7;
    }
    return $sum;
}

function writeIndex(int $entries): void
{
    buildIndex();
    exit(0);
}

writeIndex(readBooks() + readAuthors() + readPrices() + readStock());
