<?php
// SPDX-License-Identifier: Apache-2.0
// The script ends itself deep in its calls, once all is done.
const ROUNDS = 300_000;
require __DIR__ . '/reading.php';

function writeIndex(int $entries): void
{
    buildIndex();
    exit(0);
}

writeIndex(readBooks() + readAuthors() + readPrices() + readStock());
