<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

/** From a request to an answer: opens the catalogue, finds the page, turns faults into error pages. */
final class Kernel
{
    public function __construct(private string $dataFolder)
    {
    }

    public function handle(): void
    {
        $path = parse_url($_SERVER['REQUEST_URI'] ?? '/', PHP_URL_PATH) ?: '/';
        try {
            $body = $this->dispatch($path);
        } catch (NotFound $fault) {
            http_response_code(404);
            $body = (new View())->page('error', ['title' => 'Not found', 'message' => $fault->getMessage()]);
        } catch (\Throwable $fault) {
            http_response_code(500);
            $body = (new View())->page('error', ['title' => 'Out of order', 'message' => $fault->getMessage()]);
        }
        echo $body;
    }

    private function dispatch(string $path): string
    {
        if ($path === '/health') {
            return "ok\n";
        }
        $catalogue = new Catalogue(Database::open($this->dataFolder));
        $pages = new Pages($catalogue, new View());
        return match (true) {
            $path === '/' => $pages->front(),
            $path === '/shelves' => $pages->shelves(),
            $path === '/search' => $pages->search((string) ($_GET['q'] ?? 'sea')),
            $path === '/report' => $pages->report(),
            $path === '/checkout' => $pages->checkout(),
            $path === '/courier' => $pages->courier(),
            preg_match('~^/book/(\d+)$~', $path, $found) === 1 => $pages->book((int) $found[1]),
            default => throw new NotFound("There is no page $path."),
        };
    }
}
