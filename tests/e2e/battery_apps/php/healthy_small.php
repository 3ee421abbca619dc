<?php
// SPDX-License-Identifier: Apache-2.0
// So little that nothing in it is worth a word.
require __DIR__ . '/shop.php';

$db = shop(20);
foreach ($db->query('SELECT title FROM book') as $book) {
    echo strtoupper($book['title']), "\n";
}
