<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

use PDO;

/**
 * What the pages ask the database. Two faults are here on purpose: a list asks for the author and the
 * rating of each book in a query of its own, and `review` has no index on `book`, so that each rating
 * reads the whole table.
 */
final class Catalogue
{
    public function __construct(private PDO $database)
    {
    }

    /** @return list<array<string, mixed>> */
    public function newest(int $count): array
    {
        return $this->withDetails($this->all('SELECT * FROM book ORDER BY id DESC LIMIT ?', [$count]));
    }

    /** @return list<array<string, mixed>> */
    public function search(string $words): array
    {
        return $this->withDetails($this->all('SELECT * FROM book WHERE title LIKE ? LIMIT 12', ["%$words%"]));
    }

    /** @return array<string, mixed> */
    public function book(int $id): array
    {
        $books = $this->all('SELECT * FROM book WHERE id = ?', [$id]);
        if ($books === []) {
            throw new NotFound("There is no book $id.");
        }
        return $this->withDetails($books)[0];
    }

    /** @return list<array<string, mixed>> */
    public function reviews(int $book): array
    {
        return $this->all('SELECT * FROM review WHERE book = ? ORDER BY stars DESC LIMIT 10', [$book]);
    }

    /** @return list<array<string, mixed>> */
    public function allReviews(): array
    {
        return $this->all('SELECT stars, body FROM review', []);
    }

    /** The shelves below one, each with those below it. @return list<array<string, mixed>> */
    public function shelves(?int $parent = null): array
    {
        $shelves = $this->all('SELECT id, name FROM shelf WHERE parent IS ?', [$parent]);
        foreach ($shelves as &$shelf) {
            $shelf['children'] = $this->shelves((int) $shelf['id']);
        }
        return $shelves;
    }

    private function withDetails(array $books): array
    {
        foreach ($books as &$book) {
            $book['author'] = $this->author((int) $book['author']);
            $book['rating'] = $this->rating((int) $book['id']);
        }
        return $books;
    }

    private function author(int $id): string
    {
        return $this->all('SELECT name FROM author WHERE id = ?', [$id])[0]['name'];
    }

    private function rating(int $book): float
    {
        return (float) $this->all('SELECT avg(stars) AS stars FROM review WHERE book = ?', [$book])[0]['stars'];
    }

    private function all(string $query, array $values): array
    {
        $statement = $this->database->prepare($query);
        $statement->execute($values);
        return $statement->fetchAll();
    }
}
