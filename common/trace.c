/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Without memory an element is not added, instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define CHUNK 16384

/* Strings live in chunks that never move, so that a cps_string stays valid as the trace grows. */
struct chunk {
    struct chunk *next;
    size_t used;
    size_t size;
    char bytes[];
};

struct name_entry {
    struct cps_string name;
    uint32_t index;
    UT_hash_handle hh;
};

struct cps_trace_storage {
    struct chunk *chunks;
    size_t bytes; /* of all chunks */
    struct name_entry *names;
    size_t name_capacity, call_capacity, function_capacity, caller_capacity, event_capacity;
};

static const struct cps_string empty = {.data = "", .length = 0};

struct cps_trace *cps_trace_new(void)
{
    struct cps_trace *trace = calloc(1, sizeof(*trace));

    if (!trace)
        return NULL;
    trace->storage = calloc(1, sizeof(*trace->storage));
    if (!trace->storage) {
        free(trace);
        return NULL;
    }
    trace->id = trace->method = trace->uri = empty;
    return trace;
}

static void storage_free(struct cps_trace_storage *storage)
{
    struct name_entry *entry, *next_entry;

    HASH_ITER (hh, storage->names, entry, next_entry) {
        HASH_DEL(storage->names, entry);
        free(entry);
    }
    for (struct chunk *chunk = storage->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(storage);
}

void cps_trace_free(struct cps_trace *trace)
{
    if (!trace)
        return;
    storage_free(trace->storage);
    free(trace->names);
    free(trace->calls);
    free(trace->functions);
    free(trace->callers);
    free(trace->cache_events);
    free(trace);
}

static char *storage_take(struct cps_trace_storage *storage, size_t size)
{
    struct chunk *chunk = storage->chunks;
    char *bytes;

    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;

        if (room > SIZE_MAX - sizeof(*chunk))
            return NULL;
        chunk = malloc(sizeof(*chunk) + room);
        if (!chunk)
            return NULL;
        *chunk = (struct chunk){.next = storage->chunks, .size = room};
        storage->chunks = chunk;
        storage->bytes += sizeof(*chunk) + room;
    }
    bytes = chunk->bytes + chunk->used;
    chunk->used += size;
    return bytes;
}

int cps_trace_copy_string(struct cps_trace *trace, const char *bytes, size_t length,
                          struct cps_string *out)
{
    char *copy;

    if (!length) {
        *out = empty;
        return 0;
    }
    if (length == SIZE_MAX)
        return -ENOMEM;
    copy = storage_take(trace->storage, length + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    *out = (struct cps_string){.data = copy, .length = length};
    return 0;
}

/* Makes room for one more element of an array. */
static int make_room(void **array, size_t count, size_t *capacity, size_t size)
{
    size_t more = *capacity ? *capacity * 2 : 16;
    void *moved;

    if (count < *capacity)
        return 0;
    if (more > SIZE_MAX / size)
        return -ENOMEM;
    moved = realloc(*array, more * size);
    if (!moved)
        return -ENOMEM;
    *array = moved;
    *capacity = more;
    return 0;
}

#define APPEND(trace, array, count, capacity, element)                                             \
    ({                                                                                             \
        int result_ = make_room((void **)&(trace)->array, (trace)->count,                          \
                                &(trace)->storage->capacity, sizeof(*(trace)->array));             \
        if (!result_)                                                                              \
            (trace)->array[(trace)->count++] = (element);                                          \
        result_;                                                                                   \
    })

int cps_trace_intern(struct cps_trace *trace, const char *bytes, size_t length, uint32_t *out)
{
    struct name_entry *entry;
    int result;

    HASH_FIND(hh, trace->storage->names, bytes, length, entry);
    if (entry) {
        *out = entry->index;
        return 0;
    }
    if (trace->name_count == UINT32_MAX)
        return -ENOMEM;
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return -ENOMEM;
    result = cps_trace_copy_string(trace, bytes, length, &entry->name);
    if (!result)
        result = APPEND(trace, names, name_count, name_capacity, entry->name);
    if (result) {
        free(entry);
        return result;
    }
    entry->index = (uint32_t)(trace->name_count - 1);
    HASH_ADD_KEYPTR(hh, trace->storage->names, entry->name.data, entry->name.length, entry);
    if (!entry->hh.tbl) {
        trace->name_count--;
        free(entry);
        return -ENOMEM;
    }
    *out = entry->index;
    return 0;
}

int cps_trace_add_call(struct cps_trace *trace, const struct cps_call *call)
{
    return APPEND(trace, calls, call_count, call_capacity, *call);
}

int cps_trace_add_function(struct cps_trace *trace, const struct cps_function *function)
{
    return APPEND(trace, functions, function_count, function_capacity, *function);
}

int cps_trace_add_caller(struct cps_trace *trace, const struct cps_caller *caller)
{
    return APPEND(trace, callers, caller_count, caller_capacity, *caller);
}

int cps_trace_add_cache_event(struct cps_trace *trace, const struct cps_cache_event *event)
{
    return APPEND(trace, cache_events, cache_event_count, event_capacity, *event);
}

static int compare_calls(const void *left, const void *right)
{
    const struct cps_call *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->elapsed != b->elapsed)
        return a->elapsed > b->elapsed ? -1 : 1;
    return 0;
}

void cps_trace_sort_calls(struct cps_trace *trace)
{
    if (trace->call_count > 1)
        qsort(trace->calls, trace->call_count, sizeof(*trace->calls), compare_calls);
}

size_t cps_trace_size(const struct cps_trace *trace)
{
    const struct cps_trace_storage *storage = trace->storage;

    return sizeof(*trace) + sizeof(*storage) + storage->bytes +
           storage->name_capacity * sizeof(*trace->names) +
           trace->name_count * sizeof(struct name_entry) +
           storage->call_capacity * sizeof(*trace->calls) +
           storage->function_capacity * sizeof(*trace->functions) +
           storage->caller_capacity * sizeof(*trace->callers) +
           storage->event_capacity * sizeof(*trace->cache_events);
}
