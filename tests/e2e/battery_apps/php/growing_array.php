<?php
// SPDX-License-Identifier: Apache-2.0
// Each page is merged into all pages before it, which are copied each time.
require __DIR__ . '/shop.php';

function page(int $number): array
{
    return range($number * 20, $number * 20 + 19);
}

function allPages(int $count): array
{
    $all = [];
    for ($i = 0; $i < $count; $i++) {
        $all = array_merge($all, page($i));
    }
    return $all;
}

work(200_000);
echo count(allPages(2000)), "\n";
