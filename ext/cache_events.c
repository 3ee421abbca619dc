/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_events.h"

#include <stdlib.h>

#define TEXTS 4

static void list_texts(const struct cps_batch_cacheability *event,
                       struct cps_batch_text texts[TEXTS])
{
    texts[0] = event->caller;
    texts[1] = event->object_type;
    texts[2] = event->tags;
    texts[3] = event->contexts;
}

/* FNV-1a over everything that makes two events the same. */
static uint64_t hash_event(const struct cps_batch_cacheability *event)
{
    struct cps_batch_text texts[TEXTS];
    uint64_t hash =
        0xcbf29ce484222325u ^ (uint64_t)event->max_age ^ ((uint64_t)event->origin << 60);

    list_texts(event, texts);
    for (int i = 0; i < TEXTS; i++) {
        for (size_t j = 0; j < texts[i].length; j++)
            hash = (hash ^ (unsigned char)texts[i].data[j]) * 0x100000001b3u;
        hash = (hash ^ texts[i].length) * 0x100000001b3u;
    }
    return hash;
}

static bool are_equal(const struct cps_batch_cacheability *a,
                      const struct cps_batch_cacheability *b)
{
    struct cps_batch_text left[TEXTS];
    struct cps_batch_text right[TEXTS];

    if (a->origin != b->origin || a->max_age != b->max_age)
        return false;
    list_texts(a, left);
    list_texts(b, right);
    for (int i = 0; i < TEXTS; i++) {
        if (left[i].length != right[i].length ||
            (left[i].length > 0 && memcmp(left[i].data, right[i].data, left[i].length) != 0))
            return false;
    }
    return true;
}

static struct cps_batch_text place(char **at, struct cps_batch_text text)
{
    struct cps_batch_text copy = {*at, text.length};

    if (text.length > 0)
        memcpy(*at, text.data, text.length);
    *at += text.length;
    return copy;
}

/* NULL without memory. */
static struct cps_batch_cacheability *copy_event(const struct cps_batch_cacheability *event,
                                                 size_t length)
{
    struct cps_batch_cacheability *copy = malloc(sizeof(*copy) + length);

    if (!copy)
        return NULL;
    char *at = (char *)(copy + 1);

    *copy = (struct cps_batch_cacheability){.origin = event->origin,
                                            .caller = place(&at, event->caller),
                                            .object_type = place(&at, event->object_type),
                                            .tags = place(&at, event->tags),
                                            .contexts = place(&at, event->contexts),
                                            .max_age = event->max_age,
                                            .calls = 1};
    return copy;
}

static bool allocate(struct cps_cache_events *events)
{
    if (!events->entries) /* NOLINTNEXTLINE(bugprone-sizeof-expression): a table of pointers */
        events->entries = malloc(CPS_CACHE_EVENTS_MAX * sizeof(*events->entries));
    if (!events->hashes)
        events->hashes = malloc(CPS_CACHE_EVENTS_MAX * sizeof(*events->hashes));
    return events->entries && events->hashes;
}

static bool append(struct cps_cache_events *events, const struct cps_batch_cacheability *event,
                   uint64_t hash)
{
    size_t length = event->caller.length + event->object_type.length + event->tags.length +
                    event->contexts.length;

    if (events->count == CPS_CACHE_EVENTS_MAX ||
        events->bytes + length > CPS_CACHE_EVENTS_MAX_BYTES || !allocate(events))
        return false;
    events->entries[events->count] = copy_event(event, length);
    if (!events->entries[events->count])
        return false;
    events->hashes[events->count++] = hash;
    events->bytes += length;
    return true;
}

void cps_cache_events_add(struct cps_cache_events *events,
                          const struct cps_batch_cacheability *event)
{
    uint64_t hash = hash_event(event);

    for (uint32_t i = 0; i < events->count; i++) {
        if (events->hashes[i] == hash && are_equal(events->entries[i], event)) {
            events->entries[i]->calls++;
            return;
        }
    }
    if (!append(events, event, hash))
        events->dropped++;
}

const struct cps_batch_cacheability *cps_cache_events_get(const struct cps_cache_events *events,
                                                          uint32_t number)
{
    return number < events->count ? events->entries[number] : NULL;
}

void cps_cache_events_free(struct cps_cache_events *events)
{
    for (uint32_t i = 0; i < events->count; i++)
        free(events->entries[i]);
    free(events->entries);
    free(events->hashes);
    *events = (struct cps_cache_events){0};
}
