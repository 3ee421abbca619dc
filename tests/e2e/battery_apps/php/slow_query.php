<?php
// SPDX-License-Identifier: Apache-2.0
// One query that looks at every pair of books.
require __DIR__ . '/shop.php';

function similarBooks(PDO $db): int
{
    $statement = $db->prepare("SELECT count(*) FROM book a JOIN book b ON a.title || b.title LIKE '%9Book 9%'");
    $statement->execute();
    return (int) $statement->fetchColumn();
}

$db = shop(900);
work(400_000);
echo similarBooks($db), "\n";
work(400_000);
