<?php
// SPDX-License-Identifier: Apache-2.0
// Another server answers late, and is asked with PHP's own streams.
require __DIR__ . '/shop.php';

function exchangeRates(string $url): string
{
    return (string) file_get_contents($url);
}

work(400_000);
echo exchangeRates($argv[1]), "\n";
work(400_000);
