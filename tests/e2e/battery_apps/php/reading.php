<?php
// SPDX-License-Identifier: Apache-2.0
// What a command reads to build an index: ROUNDS of work in each function, which the sample defines.

function readBooks(): int
{
    for ($i = 0, $sum = 0; $i < ROUNDS; $i++) {
        $sum += $i * 31 % 7;
    }
    return $sum;
}

function readAuthors(): int
{
    for ($i = 0, $sum = 0; $i < ROUNDS; $i++) {
        $sum += $i * 37 % 7;
    }
    return $sum;
}

function readPrices(): int
{
    for ($i = 0, $sum = 0; $i < ROUNDS; $i++) {
        $sum += $i * 41 % 7;
    }
    return $sum;
}

function readStock(): int
{
    for ($i = 0, $sum = 0; $i < ROUNDS; $i++) {
        $sum += $i * 43 % 7;
    }
    return $sum;
}

function buildIndex(): int
{
    for ($i = 0, $sum = 0; $i < ROUNDS; $i++) {
        $sum += $i * 47 % 7;
    }
    return $sum;
}
