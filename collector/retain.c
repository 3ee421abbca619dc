/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls gather until there are twice as many as may stay; then the longest half is selected and the
 * rest dropped. A selection costs time in proportion to the calls it looks at, and half of these
 * are new, so each call pays for a constant share. From the first selection on, the shortest call
 * that stayed is a floor: what is shorter is dropped at once, which for most requests is nearly
 * all.
 *
 * What stays is a tree. A call is at least as long as those it made, so a selection by length takes
 * parents before children, but for clock ticks: where both are equally long, the shallower one goes
 * first, then the earlier one. As this order does not depend on when calls come, selecting in
 * several steps leaves the same calls as selecting once.
 */
#include "retain.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether `a` is to stay rather than `b`. */
static bool before(const struct cps_call *a, const struct cps_call *b)
{
    if (a->elapsed != b->elapsed)
        return a->elapsed > b->elapsed;
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->start < b->start;
}

static void swap(struct cps_call *a, struct cps_call *b)
{
    struct cps_call other = *a;

    *a = *b;
    *b = other;
}

/* For pivots: no order of calls is slow every time. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct cps_call median_of_three(const struct cps_call *calls, ptrdiff_t count,
                                       uint64_t *random)
{
    struct cps_call a = calls[next_random(random) % (uint64_t)count];
    struct cps_call b = calls[next_random(random) % (uint64_t)count];
    struct cps_call c = calls[next_random(random) % (uint64_t)count];

    if (before(&b, &a))
        swap(&a, &b);
    if (before(&c, &b))
        swap(&b, &c);
    return before(&b, &a) ? a : b;
}

/* Moves the `keep` first of `count` calls in the order of `before` to the front (quickselect with
 * the median of three random calls as the pivot). */
static void select_first(struct cps_call *calls, size_t count, size_t keep)
{
    uint64_t random = (uintptr_t)calls | 1;
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, boundary = (ptrdiff_t)keep;

    while (low < high) {
        struct cps_call pivot = median_of_three(calls + low, high - low + 1, &random);
        ptrdiff_t left = low, right = high;

        while (left <= right) {
            while (before(&calls[left], &pivot))
                left++;
            while (before(&pivot, &calls[right]))
                right--;
            if (left <= right)
                swap(&calls[left++], &calls[right--]);
        }
        if (boundary <= right)
            high = right;
        else if (boundary >= left)
            low = left;
        else
            return;
    }
}

static void cut(struct cps_retain *retain, struct cps_trace *trace)
{
    uint64_t shortest = UINT64_MAX;

    select_first(trace->calls, trace->call_count, retain->keep);
    trace->calls_dropped += trace->call_count - retain->keep;
    trace->call_count = retain->keep;
    for (size_t i = 0; i < trace->call_count; i++)
        if (trace->calls[i].elapsed < shortest)
            shortest = trace->calls[i].elapsed;
    retain->floor = shortest;
}

int cps_retain_add(struct cps_retain *retain, struct cps_trace *trace, const struct cps_call *call)
{
    int result;

    if (call->elapsed < retain->floor) {
        trace->calls_dropped++;
        return 0;
    }
    result = cps_trace_add_call(trace, call);
    if (!result && trace->call_count >= 2 * (size_t)retain->keep)
        cut(retain, trace);
    return result;
}

void cps_retain_finish(struct cps_retain *retain, struct cps_trace *trace)
{
    if (trace->call_count > retain->keep)
        cut(retain, trace);
    cps_trace_sort_calls(trace);
}
