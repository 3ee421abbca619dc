<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

/** One method a page; each answers the HTML. */
final class Pages
{
    private const COURIER_TIME_US = 120000;

    public function __construct(private Catalogue $catalogue, private View $view)
    {
    }

    public function front(): string
    {
        return $this->view->page('list', ['title' => 'New arrivals', 'books' => $this->catalogue->newest(24)]);
    }

    public function search(string $words): string
    {
        return $this->view->page('list', ['title' => "Books with “{$words}”", 'books' => $this->catalogue->search($words)]);
    }

    public function book(int $id): string
    {
        $book = $this->catalogue->book($id);
        return $this->view->page('book', [
            'title' => $book['title'],
            'book' => $book,
            'reviews' => $this->catalogue->reviews($id),
        ]);
    }

    public function shelves(): string
    {
        return $this->view->page('shelves', ['title' => 'Shelves', 'shelves' => $this->catalogue->shelves()]);
    }

    /** Reads every review into memory and counts its words: work for the processor. */
    public function report(): string
    {
        $words = [];
        foreach ($this->catalogue->allReviews() as $review) {
            foreach (Words::of($review['body']) as $word) {
                $words[$word] = ($words[$word] ?? 0) + (int) $review['stars'];
            }
        }
        arsort($words);
        return $this->view->page('report', ['title' => 'Words that sell', 'words' => array_slice($words, 0, 20, true)]);
    }

    /** Asks the courier, another server, before it looks whether the book is there at all. */
    public function checkout(): string
    {
        $id = (int) ($_GET['book'] ?? 1);
        $book = $this->catalogue->book($id);
        $offer = (new Courier())->offer($book['title']);
        if ((int) $book['stock'] === 0) {
            throw new OutOfStock("{$book['title']} is out of stock.");
        }
        return $this->view->page('checkout', ['title' => 'Checkout', 'book' => $book, 'offer' => $offer]);
    }

    /** The courier's side of the conversation, which takes its time. */
    public function courier(): string
    {
        usleep(self::COURIER_TIME_US);
        return json_encode(['days' => 1 + strlen((string) ($_GET['parcel'] ?? '')) % 4], JSON_THROW_ON_ERROR);
    }
}
