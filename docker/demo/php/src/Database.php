<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

use PDO;

/** The SQLite file, made and filled by the first request that finds none. */
final class Database
{
    private const AUTHORS = 40;
    private const BOOKS = 240;
    private const REVIEWS = 30000;

    private const SCHEMA = '
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE shelf (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT);
        CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER, shelf INTEGER, title TEXT, price INTEGER, stock INTEGER);
        CREATE TABLE review (id INTEGER PRIMARY KEY, book INTEGER, stars INTEGER, body TEXT);';

    public static function open(string $folder): PDO
    {
        $file = "$folder/books.sqlite";
        if (!file_exists($file)) {
            self::seed($folder, $file);
        }
        return self::connect($file);
    }

    private static function connect(string $file): PDO
    {
        return new PDO("sqlite:$file", null, null, [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        ]);
    }

    /** Written beside its place and renamed, so that no request reads half a catalogue. */
    private static function seed(string $folder, string $file): void
    {
        @mkdir($folder, 0777, true);
        $lock = fopen("$folder/seed.lock", 'c');
        flock($lock, LOCK_EX);
        clearstatcache();
        if (file_exists($file)) {
            return;
        }
        @unlink("$file.new");
        $database = self::connect("$file.new");
        $database->beginTransaction();
        $database->exec(self::SCHEMA);
        mt_srand(28624);
        self::fillAuthors($database);
        self::fillShelves($database);
        self::fillBooks($database);
        self::fillReviews($database);
        $database->commit();
        rename("$file.new", $file);
    }

    private static function fillAuthors(PDO $database): void
    {
        $first = ['Ada', 'Bram', 'Clara', 'Dov', 'Edda', 'Finn', 'Greta', 'Hugo'];
        $last = ['Ashdown', 'Brine', 'Calloway', 'Dune', 'Estuary'];
        $insert = $database->prepare('INSERT INTO author (name) VALUES (?)');
        for ($i = 0; $i < self::AUTHORS; $i++) {
            $insert->execute([$first[$i % 8] . ' ' . $last[intdiv($i, 8)]]);
        }
    }

    /** A tree, three below each shelf, four deep. */
    private static function fillShelves(PDO $database): void
    {
        $insert = $database->prepare('INSERT INTO shelf (id, parent, name) VALUES (?, ?, ?)');
        for ($id = 1; $id <= 120; $id++) {
            $insert->execute([$id, $id <= 3 ? null : intdiv($id - 1, 3), "Shelf $id"]);
        }
    }

    private static function fillBooks(PDO $database): void
    {
        $words = ['Tide', 'Sea', 'Lantern', 'Anchor', 'Gull', 'Rope', 'Storm', 'Pilot', 'Mast', 'Chart', 'Keel', 'Wharf'];
        $insert = $database->prepare('INSERT INTO book (author, shelf, title, price, stock) VALUES (?, ?, ?, ?, ?)');
        for ($i = 1; $i <= self::BOOKS; $i++) {
            $title = 'The ' . $words[mt_rand(0, 11)] . ' and the ' . $words[mt_rand(0, 11)];
            $insert->execute([mt_rand(1, self::AUTHORS), mt_rand(1, 120), $title, mt_rand(500, 4000), $i % 7]);
        }
    }

    private static function fillReviews(PDO $database): void
    {
        $insert = $database->prepare('INSERT INTO review (book, stars, body) VALUES (?, ?, ?)');
        for ($i = 0; $i < self::REVIEWS; $i++) {
            $insert->execute([mt_rand(1, self::BOOKS), mt_rand(1, 5), 'A fine read for a long crossing, number ' . $i . '.']);
        }
    }
}
