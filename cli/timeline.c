/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* More lanes than this nobody can read, and every call tries all of them; calls beyond are cut to
 * fit in the last. */
#define LANES_MAX 64

/* While calls are placed in order of start: the innermost call that is open in each lane, and the
 * one around each call in its lane. */
struct placer {
    const struct cps_tree *tree;
    struct cps_timeline *timeline;
    uint32_t *around; /* of every call; CPS_TREE_NONE outermost in its lane */
    uint32_t open[LANES_MAX];
};

static uint64_t end_of(const struct cps_call *call)
{
    return call->elapsed > UINT64_MAX - call->start ? UINT64_MAX : call->start + call->elapsed;
}

static void find_span(const struct cps_trace *trace, struct cps_timeline *timeline)
{
    uint64_t begin = trace->start;
    uint64_t end = trace->end > trace->start ? trace->end : trace->start;

    if (trace->call_count > 0 && trace->calls[0].start < begin)
        begin = trace->calls[0].start;
    for (size_t i = 0; i < trace->call_count; i++)
        if (end_of(&trace->calls[i]) > end)
            end = end_of(&trace->calls[i]);
    timeline->begin = begin;
    timeline->duration = end - begin;
}

static bool is_below(const struct cps_tree *tree, uint32_t call, uint32_t ancestor)
{
    return call > ancestor && call < tree->nodes[ancestor].next;
}

/* Closes what has ended in the lane; what is open then is the innermost that may hold the call. */
static uint32_t innermost(struct placer *placer, uint32_t lane, uint64_t start)
{
    uint32_t open = placer->open[lane];

    while (open != CPS_TREE_NONE && placer->timeline->items[open].end <= start)
        open = placer->around[open];
    placer->open[lane] = open;
    return open;
}

/* Only a caller, however far up, may hold a call: what else is open in the lane merely overlaps. */
static bool fits(struct placer *placer, uint32_t call, uint32_t lane)
{
    const struct cps_timeline_item *item = &placer->timeline->items[call];
    uint32_t open = innermost(placer, lane, item->start);

    return open == CPS_TREE_NONE ||
           (is_below(placer->tree, call, open) && placer->timeline->items[open].end >= item->end);
}

/* The caller's lane where possible, else the first that fits, else a new one. */
static uint32_t find_lane(struct placer *placer, uint32_t call)
{
    uint32_t parent = placer->tree->nodes[call].parent;
    uint32_t wish = parent == CPS_TREE_NONE ? 0 : placer->timeline->items[parent].lane;

    if (fits(placer, call, wish))
        return wish;
    for (uint32_t lane = 0; lane < placer->timeline->lanes; lane++)
        if (fits(placer, call, lane))
            return lane;
    if (placer->timeline->lanes == LANES_MAX)
        return LANES_MAX - 1;
    placer->open[placer->timeline->lanes] = CPS_TREE_NONE;
    return placer->timeline->lanes++;
}

static void place(struct placer *placer, uint32_t call)
{
    struct cps_timeline_item *item = &placer->timeline->items[call];
    uint32_t open;

    item->lane = find_lane(placer, call);
    open = placer->open[item->lane];
    if (open != CPS_TREE_NONE && placer->timeline->items[open].end < item->end)
        item->end = placer->timeline->items[open].end;
    placer->around[call] = open;
    placer->open[item->lane] = call;
}

int cps_timeline_build(const struct cps_trace *trace, const struct cps_tree *tree,
                       struct cps_timeline *out)
{
    struct cps_timeline timeline = {.count = trace->call_count, .lanes = 1};
    struct placer placer = {.tree = tree, .timeline = &timeline, .open = {CPS_TREE_NONE}};

    timeline.items = calloc(timeline.count + 1, sizeof(*timeline.items));
    placer.around = calloc(timeline.count + 1, sizeof(*placer.around));
    if (!timeline.items || !placer.around) {
        free(timeline.items);
        free(placer.around);
        return -ENOMEM;
    }
    find_span(trace, &timeline);
    for (uint32_t i = 0; i < timeline.count; i++) {
        timeline.items[i].start = trace->calls[i].start - timeline.begin;
        timeline.items[i].end = end_of(&trace->calls[i]) - timeline.begin;
        place(&placer, i);
    }
    free(placer.around);
    *out = timeline;
    return 0;
}

void cps_timeline_free(struct cps_timeline *timeline)
{
    free(timeline->items);
    *timeline = (struct cps_timeline){0};
}

int cps_timeline_walk(const struct cps_timeline *timeline, uint32_t lane,
                      const struct cps_timeline_visitor *visitor)
{
    const struct cps_timeline_item *items = timeline->items;
    uint32_t *open = malloc((timeline->count + 1) * sizeof(*open));
    size_t depth = 0;

    if (!open)
        return -ENOMEM;
    for (uint32_t i = 0; i < timeline->count; i++) {
        if (items[i].lane != lane)
            continue;
        for (; depth > 0 && items[open[depth - 1]].end <= items[i].start; depth--)
            visitor->close(visitor->context, open[depth - 1], items[open[depth - 1]].end);
        visitor->open(visitor->context, i, items[i].start);
        open[depth++] = i;
    }
    for (; depth > 0; depth--)
        visitor->close(visitor->context, open[depth - 1], items[open[depth - 1]].end);
    free(open);
    return 0;
}
