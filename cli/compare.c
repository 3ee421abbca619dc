/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

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

/* Where two are as large, the times decide, and then the names. */
static int by_size(const void *left, const void *right, void *context)
{
    const struct cps_change *a = left, *b = right;
    enum cps_compare_by order[] = {*(const enum cps_compare_by *)context, CPS_COMPARE_SELF,
                                   CPS_COMPARE_INCLUSIVE};

    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        uint64_t x = cps_format_magnitude(a->difference[order[i]]),
                 y = cps_format_magnitude(b->difference[order[i]]);

        if (x != y)
            return x < y ? 1 : -1;
    }
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

uint64_t cps_compare_figure(const struct cps_function *function, enum cps_compare_by by)
{
    if (!function)
        return 0;
    if (by == CPS_COMPARE_CALLS)
        return function->calls;
    return by == CPS_COMPARE_SELF ? function->self : function->elapsed;
}

static void subtract(struct cps_change *change)
{
    for (int by = 0; by < CPS_COMPARE_COUNT; by++)
        change->difference[by] =
            (int64_t)(cps_compare_figure(change->after, (enum cps_compare_by)by) -
                      cps_compare_figure(change->before, (enum cps_compare_by)by));
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

int cps_compare(const struct cps_held *before, const struct cps_held *after, enum cps_compare_by by,
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
        if (cps_format_magnitude(changes.items[i].difference[by]) > changes.largest)
            changes.largest = cps_format_magnitude(changes.items[i].difference[by]);
    }
    qsort_r(changes.items, changes.count, sizeof(*changes.items), by_size, &by);
    *out = changes;
    return 0;
}

void cps_compare_free(struct cps_changes *changes)
{
    free(changes->items);
    *changes = (struct cps_changes){0};
}
