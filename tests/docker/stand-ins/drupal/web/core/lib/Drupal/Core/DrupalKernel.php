<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Drupal\Core;

use Drupal\Core\Entity\NodeStorage;
use Drupal\Core\Render\Renderer;

/** From a request to an answer. */
final class DrupalKernel
{
    public function __construct(private string $file)
    {
    }

    public function handle(): void
    {
        if (!is_file($this->file)) {
            http_response_code(503);
            echo "The site is not installed.\n";
            return;
        }
        $path = parse_url($_SERVER['REQUEST_URI'] ?? '/', PHP_URL_PATH) ?: '/';
        $storage = new NodeStorage($this->file);
        $nodes = preg_match('~^/node/(\d+)$~', $path, $found) === 1
            ? [$storage->load((int) $found[1])]
            : $storage->loadMultiple(range(1, 12));
        if (in_array(null, $nodes, true)) {
            http_response_code(404);
            $nodes = [];
        }
        echo (new Renderer())->renderRoot($nodes);
    }
}
