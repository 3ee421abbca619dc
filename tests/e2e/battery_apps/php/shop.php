<?php
// SPDX-License-Identifier: Apache-2.0
// A small shop in memory, for the samples that ask a database.
declare(strict_types=1);

function shop(int $books = 400): PDO
{
    $db = new PDO('sqlite::memory:');
    $db->exec('CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author INTEGER)');
    $db->exec('CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)');
    $count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $books) ";
    $db->exec("INSERT INTO book $count SELECT i, 'Book ' || i, i FROM n");
    $db->exec("INSERT INTO author $count SELECT i, 'Author ' || i FROM n");
    return $db;
}

// Computes for a while, as templates and rules do.
function work(int $rounds): int
{
    for ($i = 0, $sum = 0; $i < $rounds; $i++) {
        $sum += $i * 31 % 7;
    }
    return $sum;
}
