<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Drupal\Core\Cache;

/** The two constructors that Compass reports, and the properties that it reads from what they return. */
class CacheableMetadata
{
    protected $cacheContexts = [];
    protected $cacheTags = [];
    protected $cacheMaxAge = -1;

    public static function createFromRenderArray(array $build): static
    {
        $meta = new static();
        $meta->cacheContexts = $build['#cache']['contexts'] ?? [];
        $meta->cacheTags = $build['#cache']['tags'] ?? [];
        $meta->cacheMaxAge = $build['#cache']['max-age'] ?? -1;
        return $meta;
    }

    public static function createFromObject(object $object): static
    {
        $meta = new static();
        $meta->cacheContexts = $object->getCacheContexts();
        $meta->cacheTags = $object->getCacheTags();
        $meta->cacheMaxAge = $object->getCacheMaxAge();
        return $meta;
    }
}
