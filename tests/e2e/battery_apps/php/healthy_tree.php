<?php
// SPDX-License-Identifier: Apache-2.0
// A menu: recursion as it is meant, over a tree of a hundred entries.
require __DIR__ . '/shop.php';

function entry(int $id): string
{
    for ($i = 0, $sum = 0; $i < 2_000; $i++) {
        $sum += $i * 91 % 7;
    }
    return "<li>$id</li>";
}

function menu(int $level): string
{
    $html = '';
    for ($i = 0; $i < ($level === 3 ? 0 : 5); $i++) {
        $html .= entry($i) . menu($level + 1);
    }
    return $html;
}

function head(): string
{
    for ($i = 0, $sum = 0; $i < 400_000; $i++) {
        $sum += $i * 97 % 7;
    }
    return 'head';
}

function foot(): string
{
    for ($i = 0, $sum = 0; $i < 400_000; $i++) {
        $sum += $i * 97 % 7;
    }
    return 'foot';
}

function news(): string
{
    for ($i = 0, $sum = 0; $i < 400_000; $i++) {
        $sum += $i * 103 % 7;
    }
    return 'news';
}

echo strlen(head() . menu(0) . news() . foot()), "\n";
