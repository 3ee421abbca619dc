/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* From this length on a run of hexadecimal digits is an identifier and not a word. */
#define HEX_ID_LENGTH 16

struct entry {
    char *name;
    const struct cps_held *held;
};

static bool is_identifier(const char *segment, size_t length)
{
    size_t digits = 0, hex = 0, dashes = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)segment[i];

        digits += isdigit(byte) != 0;
        hex += isxdigit(byte) != 0;
        dashes += byte == '-';
    }
    if (length && digits == length)
        return true;
    return digits && hex + dashes == length && hex >= HEX_ID_LENGTH && (dashes == 0 || dashes == 4);
}

static void append_path(struct cps_buf *out, const char *path, size_t length)
{
    size_t i = 0;

    while (i < length) {
        const char *slash = memchr(path + i, '/', length - i);
        size_t segment = slash ? (size_t)(slash - path) - i : length - i;

        if (is_identifier(path + i, segment))
            cps_buf_append_string(out, ":id");
        else
            cps_buf_append(out, path + i, segment);
        i += segment;
        if (slash)
            cps_buf_append(out, path + i++, 1);
    }
}

void cps_routes_append_name(struct cps_buf *out, const struct cps_trace *trace)
{
    const char *uri = trace->uri.data;

    if (trace->source == CPS_SOURCE_CLI) {
        cps_buf_append(out, uri, strcspn(uri, " "));
        return;
    }
    if (trace->method.length) {
        cps_buf_append_string(out, trace->method.data);
        cps_buf_append_string(out, " ");
    }
    append_path(out, uri, strcspn(uri, "?#"));
}

static char *name_of(const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf name = {0};

    cps_routes_append_name(&name, trace);
    cps_buf_append(&name, "", 1);
    return cps_buf_failed(&name) ? NULL : strdup(name.data);
}

static int by_name(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    if (order)
        return order;
    if (a->held->duration != b->held->duration)
        return a->held->duration < b->held->duration ? -1 : 1;
    return a->held->serial < b->held->serial ? -1 : a->held->serial > b->held->serial;
}

static int by_total(const void *left, const void *right)
{
    const struct cps_route *a = left, *b = right;

    if (a->total != b->total)
        return a->total < b->total ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* The smallest duration that `percent` of the requests do not exceed. */
static uint64_t percentile(const struct entry *entries, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;

    return entries[rank ? rank - 1 : 0].held->duration;
}

/* `entries` are those of one route, fastest first. */
static void add_route(struct cps_routes *routes, struct entry *entries, size_t count)
{
    struct cps_route route = {
        .name = entries[0].name,
        .count = count,
        .p50 = percentile(entries, count, 50),
        .p95 = percentile(entries, count, 95),
        .longest = entries[count - 1].held->duration,
        .slowest = entries[count - 1].held->serial,
    };

    entries[0].name = NULL;
    for (size_t i = 0; i < count; i++)
        route.total += entries[i].held->duration;
    routes->total += route.total;
    routes->items[routes->count++] = route;
}

static void group(struct cps_routes *routes, struct entry *entries, size_t count)
{
    size_t first = 0;

    qsort(entries, count, sizeof(*entries), by_name);
    for (size_t i = 1; i <= count; i++) {
        if (i < count && strcmp(entries[i].name, entries[first].name) == 0)
            continue;
        add_route(routes, entries + first, i - first);
        first = i;
    }
    qsort(routes->items, routes->count, sizeof(*routes->items), by_total);
}

int cps_routes_build(struct cps_held *const *held, size_t count,
                     bool (*passes)(const void *context, struct cps_held *held),
                     const void *context, struct cps_routes *out)
{
    struct entry *entries = calloc(count + 1, sizeof(*entries));
    struct cps_routes routes = {.items = calloc(count + 1, sizeof(*routes.items))};
    size_t used = 0;
    int result = entries && routes.items ? 0 : -ENOMEM;

    for (size_t i = 0; i < count && !result; i++) {
        if (!passes(context, held[i]))
            continue;
        entries[used] = (struct entry){name_of(held[i]->trace), held[i]};
        if (!entries[used].name)
            result = -ENOMEM;
        else
            used++;
    }
    routes.requests = used;
    if (!result && used)
        group(&routes, entries, used);
    for (size_t i = 0; i < used; i++)
        free(entries[i].name);
    free(entries);
    if (result) {
        cps_routes_free(&routes);
        return result;
    }
    *out = routes;
    return 0;
}

void cps_routes_free(struct cps_routes *routes)
{
    for (size_t i = 0; i < routes->count; i++)
        free(routes->items[i].name);
    free(routes->items);
    *routes = (struct cps_routes){0};
}
