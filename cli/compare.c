/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_strings(const struct cps_string *a, const struct cps_string *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->data, b->data, shorter);

    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_name(const void *left, const void *right)
{
    const struct cps_change *a = left, *b = right;
    int order = compare_strings(a->name, b->name);

    /* The same function: the one before goes first, so that merging finds it there. */
    return order ? order : (a->before == NULL) - (b->before == NULL);
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static int by_size(const void *left, const void *right)
{
    const struct cps_change *a = left, *b = right;

    if (size_of(a->self) != size_of(b->self))
        return size_of(a->self) < size_of(b->self) ? 1 : -1;
    if (size_of(a->elapsed) != size_of(b->elapsed))
        return size_of(a->elapsed) < size_of(b->elapsed) ? 1 : -1;
    return compare_strings(a->name, b->name);
}

static void list(struct cps_changes *changes, const struct cps_held *held, bool before)
{
    for (size_t i = 0; i < held->totals.function_count; i++) {
        const struct cps_function *function = &held->totals.functions[i];

        changes->items[changes->count++] = (struct cps_change){
            .name = &held->trace->names[function->name],
            .before = before ? function : NULL,
            .after = before ? NULL : function,
        };
    }
}

static void subtract(struct cps_change *change)
{
    static const struct cps_function none;
    const struct cps_function *before = change->before ? change->before : &none;
    const struct cps_function *after = change->after ? change->after : &none;

    change->self = (int64_t)(after->self - before->self);
    change->elapsed = (int64_t)(after->elapsed - before->elapsed);
    change->calls = (int64_t)(after->calls - before->calls);
}

static void merge(struct cps_changes *changes)
{
    size_t kept = 0;

    for (size_t i = 0; i < changes->count; i++) {
        struct cps_change *last = kept ? &changes->items[kept - 1] : NULL;

        if (last && last->before && !last->after && changes->items[i].after &&
            compare_strings(last->name, changes->items[i].name) == 0)
            last->after = changes->items[i].after;
        else
            changes->items[kept++] = changes->items[i];
    }
    changes->count = kept;
}

int cps_compare(const struct cps_held *before, const struct cps_held *after,
                struct cps_changes *out)
{
    size_t most = before->totals.function_count + after->totals.function_count;
    struct cps_changes changes = {.items = calloc(most + 1, sizeof(*changes.items))};

    if (!changes.items)
        return -ENOMEM;
    list(&changes, before, true);
    list(&changes, after, false);
    qsort(changes.items, changes.count, sizeof(*changes.items), by_name);
    merge(&changes);
    for (size_t i = 0; i < changes.count; i++) {
        subtract(&changes.items[i]);
        if (size_of(changes.items[i].self) > changes.largest)
            changes.largest = size_of(changes.items[i].self);
    }
    qsort(changes.items, changes.count, sizeof(*changes.items), by_size);
    *out = changes;
    return 0;
}

void cps_compare_free(struct cps_changes *changes)
{
    free(changes->items);
    *changes = (struct cps_changes){0};
}
