<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Drupal\Core\Entity;

use PDO;

/** Nodes in SQLite, loaded one by one. */
final class NodeStorage
{
    private PDO $database;

    public function __construct(string $file)
    {
        $this->database = self::connect($file);
    }

    public static function create(string $file): void
    {
        $database = self::connect($file);
        $database->exec('CREATE TABLE node (nid INTEGER PRIMARY KEY, title TEXT, body TEXT)');
        $insert = $database->prepare('INSERT INTO node (title, body) VALUES (?, ?)');
        foreach (['Soup', 'Bread', 'Curry', 'Salad', 'Tart', 'Pie', 'Stew', 'Rice', 'Fish', 'Beans', 'Cake', 'Tea'] as $dish) {
            $insert->execute(["$dish of the day", str_repeat("$dish, and how to make it. ", 40)]);
        }
    }

    public function load(int $id): ?Node
    {
        $select = $this->database->prepare('SELECT * FROM node WHERE nid = ?');
        $select->execute([$id]);
        $row = $select->fetch(PDO::FETCH_ASSOC);
        return $row ? new Node((int) $row['nid'], $row['title'], $row['body']) : null;
    }

    /** @return list<?Node> */
    public function loadMultiple(array $ids): array
    {
        return array_map($this->load(...), $ids);
    }

    private static function connect(string $file): PDO
    {
        return new PDO("sqlite:$file", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
    }
}
