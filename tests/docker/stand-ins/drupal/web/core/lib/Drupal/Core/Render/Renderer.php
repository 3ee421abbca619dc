<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Drupal\Core\Render;

use Drupal\Core\Cache\CacheableMetadata;
use Drupal\Core\Entity\Node;

final class Renderer
{
    /** @param list<Node> $nodes */
    public function renderRoot(array $nodes): string
    {
        $body = implode("\n", array_map($this->render(...), $nodes));
        return "<!doctype html><title>Umami</title>\n<main>\n$body\n</main>\n";
    }

    public function render(Node $node): string
    {
        CacheableMetadata::createFromObject($node);
        CacheableMetadata::createFromRenderArray(['#cache' => ['tags' => $node->getCacheTags(), 'contexts' => ['url.path']]]);
        usleep(500);
        return '<article><h2>' . htmlspecialchars($node->title) . '</h2><p>' . htmlspecialchars($node->body) . '</p></article>';
    }
}
