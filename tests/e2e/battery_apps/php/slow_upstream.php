<?php
// SPDX-License-Identifier: Apache-2.0
// Another server answers late.
require __DIR__ . '/shop.php';

function tide(string $url): string
{
    $handle = curl_init($url);
    curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
    return (string) curl_exec($handle);
}

work(400_000);
echo tide($argv[1]), "\n";
work(400_000);
