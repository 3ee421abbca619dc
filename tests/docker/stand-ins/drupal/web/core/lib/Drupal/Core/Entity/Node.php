<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Drupal\Core\Entity;

final class Node
{
    public function __construct(public int $id, public string $title, public string $body)
    {
    }

    /** @return list<string> */
    public function getCacheTags(): array
    {
        return ["node:$this->id"];
    }

    /** @return list<string> */
    public function getCacheContexts(): array
    {
        return ['user.permissions'];
    }

    public function getCacheMaxAge(): int
    {
        return -1;
    }
}
