/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define CHUNK_BYTES 4096
#define SMALLEST_ARRAY 16
#define SMALLEST_TABLE 64

/* Strings are never given back one by one, so they are cut from chunks. */
struct chunk {
    struct chunk *next;
    size_t used;
    size_t size;
    char bytes[];
};

/* Names are found by an open-addressed table of their indexes: linear probing, at most half full,
 * nothing ever removed. */
struct slot {
    uint32_t hash;
    uint32_t index; /* of the name plus 1; 0 is a free slot */
};

struct cps_trace_storage {
    struct chunk *chunks; /* the first one is cut from */
    size_t chunk_bytes;
    struct slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    uint64_t seed; /* names come from other processes, which could choose some that share a slot */
    size_t name_capacity;
    size_t call_capacity;
    size_t function_capacity;
    size_t caller_capacity;
    size_t cache_event_capacity;
};

static const struct cps_string empty_string = {"", 0};

struct cps_trace *cps_trace_new(void)
{
    struct cps_trace *trace = calloc(1, sizeof(*trace));
    struct cps_trace_storage *storage = calloc(1, sizeof(*storage));

    if (!trace || !storage) {
        free(trace);
        free(storage);
        return NULL;
    }
    storage->seed = cps_random_of_process(CPS_RANDOM_NAMES);
    trace->storage = storage;
    trace->id = trace->method = trace->uri = empty_string;
    return trace;
}

void cps_trace_free(struct cps_trace *trace)
{
    struct chunk *chunk;

    if (!trace)
        return;
    while ((chunk = trace->storage->chunks)) {
        trace->storage->chunks = chunk->next;
        free(chunk);
    }
    free(trace->storage->slots);
    free(trace->storage);
    free(trace->names);
    free(trace->calls);
    free(trace->functions);
    free(trace->callers);
    free(trace->cache_events);
    free(trace);
}

/* Long strings get a chunk of their own behind the first, whose rest stays in use. */
static struct chunk *add_chunk(struct cps_trace_storage *storage, size_t length)
{
    bool alone = length > CHUNK_BYTES / 4 && storage->chunks;
    size_t size = length > CHUNK_BYTES / 4 ? length : CHUNK_BYTES - sizeof(struct chunk);
    struct chunk *chunk;

    if (size > SIZE_MAX - sizeof(*chunk))
        return NULL;
    chunk = malloc(sizeof(*chunk) + size);
    if (!chunk)
        return NULL;
    chunk->used = 0;
    chunk->size = size;
    struct chunk **link = alone ? &storage->chunks->next : &storage->chunks;
    chunk->next = *link;
    *link = chunk;
    storage->chunk_bytes += sizeof(*chunk) + size;
    return chunk;
}

int cps_trace_copy_string(struct cps_trace *trace, const char *bytes, size_t length,
                          struct cps_string *out)
{
    struct chunk *chunk = trace->storage->chunks;
    char *copy;

    if (length == 0) {
        *out = empty_string;
        return 0;
    }
    if (length == SIZE_MAX)
        return -ENOMEM;
    if (!chunk || chunk->size - chunk->used < length + 1)
        chunk = add_chunk(trace->storage, length + 1);
    if (!chunk)
        return -ENOMEM;
    copy = chunk->bytes + chunk->used;
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    chunk->used += length + 1;
    *out = (struct cps_string){copy, length};
    return 0;
}

/* Room for one more element of an array, or -ENOMEM with nothing changed. */
static int make_room(void **array, size_t count, size_t *capacity, size_t element)
{
    size_t wanted = *capacity ? *capacity : SMALLEST_ARRAY / 2;
    void *grown;

    if (count < *capacity)
        return 0;
    if (wanted > SIZE_MAX / 2 / element)
        return -ENOMEM;
    wanted *= 2;
    grown = realloc(*array, wanted * element);
    if (!grown)
        return -ENOMEM;
    *array = grown;
    *capacity = wanted;
    return 0;
}

static uint32_t hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    hash ^= length;
    while (length > 0) {
        size_t step = length < sizeof(uint64_t) ? length : sizeof(uint64_t);
        uint64_t word = 0;

        memcpy(&word, bytes, step);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
        bytes += step;
        length -= step;
    }
    return (uint32_t)(hash ^ hash >> 15);
}

static int grow_table(struct cps_trace_storage *storage)
{
    size_t count = storage->slot_count ? storage->slot_count * 2 : SMALLEST_TABLE;
    struct slot *slots = calloc(count, sizeof(*slots));

    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i < storage->slot_count; i++) {
        size_t at = storage->slots[i].hash & (count - 1);

        if (!storage->slots[i].index)
            continue;
        while (slots[at].index)
            at = (at + 1) & (count - 1);
        slots[at] = storage->slots[i];
    }
    free(storage->slots);
    storage->slots = slots;
    storage->slot_count = count;
    return 0;
}

/* The slot that holds the name, or the free one where it belongs. */
static struct slot *find_slot(const struct cps_trace *trace, uint32_t hash, const char *bytes,
                              size_t length)
{
    size_t mask = trace->storage->slot_count - 1;

    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct slot *slot = &trace->storage->slots[at];
        const struct cps_string *name;

        if (!slot->index)
            return slot;
        name = &trace->names[slot->index - 1];
        if (slot->hash == hash && name->length == length &&
            (length == 0 || memcmp(name->data, bytes, length) == 0))
            return slot;
    }
}

int cps_trace_intern(struct cps_trace *trace, const char *bytes, size_t length, uint32_t *out)
{
    struct cps_trace_storage *storage = trace->storage;
    uint32_t hash = hash_bytes(storage->seed, bytes, length);
    struct slot *slot;

    if (trace->name_count >= UINT32_MAX / 2)
        return -ENOMEM;
    if (trace->name_count + 1 > storage->slot_count / 2 && grow_table(storage))
        return -ENOMEM;
    slot = find_slot(trace, hash, bytes, length);
    if (!slot->index) {
        if (make_room((void **)&trace->names, trace->name_count, &storage->name_capacity,
                      sizeof(*trace->names)) ||
            cps_trace_copy_string(trace, bytes, length, &trace->names[trace->name_count]))
            return -ENOMEM;
        trace->name_count++;
        *slot = (struct slot){hash, (uint32_t)trace->name_count};
    }
    *out = slot->index - 1;
    return 0;
}

size_t cps_trace_next_call_size(const struct cps_trace *trace)
{
    size_t capacity = trace->storage->call_capacity;

    if (trace->call_count < capacity)
        return 0;
    return (capacity ? capacity : SMALLEST_ARRAY) * sizeof(*trace->calls);
}

int cps_trace_add_call(struct cps_trace *trace, const struct cps_call *call)
{
    if (make_room((void **)&trace->calls, trace->call_count, &trace->storage->call_capacity,
                  sizeof(*call)))
        return -ENOMEM;
    trace->calls[trace->call_count++] = *call;
    return 0;
}

int cps_trace_add_function(struct cps_trace *trace, const struct cps_function *function)
{
    if (make_room((void **)&trace->functions, trace->function_count,
                  &trace->storage->function_capacity, sizeof(*function)))
        return -ENOMEM;
    trace->functions[trace->function_count++] = *function;
    return 0;
}

int cps_trace_add_caller(struct cps_trace *trace, const struct cps_caller *caller)
{
    if (make_room((void **)&trace->callers, trace->caller_count, &trace->storage->caller_capacity,
                  sizeof(*caller)))
        return -ENOMEM;
    trace->callers[trace->caller_count++] = *caller;
    return 0;
}

int cps_trace_add_cache_event(struct cps_trace *trace, const struct cps_cache_event *event)
{
    if (make_room((void **)&trace->cache_events, trace->cache_event_count,
                  &trace->storage->cache_event_capacity, sizeof(*event)))
        return -ENOMEM;
    trace->cache_events[trace->cache_event_count++] = *event;
    return 0;
}

static int compare_calls(const struct cps_call *a, const struct cps_call *b)
{
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    /* Calls of no measured length can be nested too; an unknown depth comes last. */
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->elapsed != b->elapsed)
        return a->elapsed > b->elapsed ? -1 : 1;
    return 0;
}

/* Merges two sorted neighbours into `to`; the left one first where they are equal. */
static void merge(const struct cps_call *from, size_t left, size_t middle, size_t right,
                  struct cps_call *to)
{
    size_t a = left;
    size_t b = middle;

    for (size_t i = left; i < right; i++) {
        if (a < middle && (b >= right || compare_calls(&from[a], &from[b]) <= 0))
            to[i] = from[a++];
        else
            to[i] = from[b++];
    }
}

/* Stable, and needs no memory: what is left where merging could not have any. Calls come nearly in
 * order, and there are few of them then. */
static void insertion_sort(struct cps_call *calls, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct cps_call call = calls[i];
        size_t at = i;

        for (; at > 0 && compare_calls(&calls[at - 1], &call) > 0; at--)
            calls[at] = calls[at - 1];
        calls[at] = call;
    }
}

static bool is_sorted(const struct cps_call *calls, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_calls(&calls[i - 1], &calls[i]) > 0)
            return false;
    return true;
}

/* qsort would not promise to keep equal calls in the order in which they came. */
void cps_trace_sort_calls(struct cps_trace *trace)
{
    size_t count = trace->call_count;
    struct cps_call *from = trace->calls;
    struct cps_call *to;

    if (is_sorted(from, count))
        return;
    to = malloc(trace->storage->call_capacity * sizeof(*to));
    if (!to) {
        insertion_sort(from, count);
        return;
    }
    for (size_t width = 1; width < count; width *= 2) {
        struct cps_call *swap = from;

        for (size_t left = 0; left < count; left += 2 * width)
            merge(from, left, left + width < count ? left + width : count,
                  left + 2 * width < count ? left + 2 * width : count, to);
        from = to;
        to = swap;
    }
    trace->calls = from;
    free(to);
}

const char *cps_trace_runtime_name(enum cps_runtime runtime)
{
    static const char *const names[] = {[CPS_RUNTIME_PHP] = "php", [CPS_RUNTIME_NODE] = "node"};

    return names[runtime];
}

size_t cps_trace_size(const struct cps_trace *trace)
{
    const struct cps_trace_storage *storage = trace->storage;

    return sizeof(*trace) + sizeof(*storage) + storage->chunk_bytes +
           storage->slot_count * sizeof(*storage->slots) +
           storage->name_capacity * sizeof(*trace->names) +
           storage->call_capacity * sizeof(*trace->calls) +
           storage->function_capacity * sizeof(*trace->functions) +
           storage->caller_capacity * sizeof(*trace->callers) +
           storage->cache_event_capacity * sizeof(*trace->cache_events);
}
