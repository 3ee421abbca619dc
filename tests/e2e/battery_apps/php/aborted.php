<?php
// SPDX-License-Identifier: Apache-2.0
// The system ends the process in the middle, as where its container's memory has run out. What it did in the
// last 100 ms need not have been handed over.
require __DIR__ . '/shop.php';

function readBooks(): int
{
    for ($i = 0, $sum = 0; $i < 6_000_000; $i++) {
        $sum += $i * 31 % 7;
    }
    return $sum;
}

function readAuthors(): int
{
    for ($i = 0, $sum = 0; $i < 6_000_000; $i++) {
        $sum += $i * 37 % 7;
    }
    return $sum;
}

function readPrices(): int
{
    for ($i = 0, $sum = 0; $i < 6_000_000; $i++) {
        $sum += $i * 41 % 7;
    }
    return $sum;
}

function readStock(): int
{
    for ($i = 0, $sum = 0; $i < 6_000_000; $i++) {
        $sum += $i * 43 % 7;
    }
    return $sum;
}

function buildIndex(): int
{
    for ($i = 0, $sum = 0; $i < 6_000_000; $i++) {
        $sum += $i * 47 % 7;
    }
    return $sum;
}

function writeIndex(int $entries): void
{
    buildIndex();
    posix_kill(posix_getpid(), SIGKILL);
}

writeIndex(readBooks() + readAuthors() + readPrices() + readStock());
