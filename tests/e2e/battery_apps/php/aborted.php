<?php
// SPDX-License-Identifier: Apache-2.0
// The system ends the process in the middle, as where its container's memory has run out. What it did in the
// last 100 ms need not have been handed over.
const ROUNDS = 6_000_000;
require __DIR__ . '/reading.php';

function writeIndex(int $entries): void
{
    buildIndex();
    posix_kill(posix_getpid(), SIGKILL);
}

writeIndex(readBooks() + readAuthors() + readPrices() + readStock());
