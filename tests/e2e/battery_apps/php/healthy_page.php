<?php
// SPDX-License-Identifier: Apache-2.0
// A page as it should be: a few queries, a template for each row, nothing much of anything.
require __DIR__ . '/shop.php';

function header_(): string
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 37 % 7;
    }
    return '<header>';
}

function row(array $book): string
{
    for ($i = 0, $sum = 0; $i < 8_000; $i++) {
        $sum += $i * 43 % 7;
    }
    return '<li>' . htmlspecialchars($book['title']) . '</li>';
}

function sidebar(PDO $db): string
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 49 % 7;
    }
    return (string) $db->query('SELECT count(*) FROM author')->fetchColumn();
}

function footer(): string
{
    for ($i = 0, $sum = 0; $i < 300_000; $i++) {
        $sum += $i * 55 % 7;
    }
    return '<footer>';
}

$db = shop();
$books = $db->query('SELECT * FROM book LIMIT 20')->fetchAll();
echo strlen(header_() . implode('', array_map('row', $books)) . sidebar($db) . footer()), "\n";
