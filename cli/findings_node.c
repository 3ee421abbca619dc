/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules about the event loop of Node.js: waits that follow one another, and a loop that another
 * request kept busy.
 *
 * An async function lasts until it settles and its self time is what it computed, so the rest of
 * its time, and of what it called, is waiting.
 */
#include <stdio.h>
#include <stdlib.h>

#include "findings_search.h"

#define MS UINT64_C(1000000)

#define SERIAL_WAITS 3
#define SERIAL_SHORTEST_NS (5 * MS)
#define SERIAL_SAVED_NS (20 * MS)
#define SERIAL_SAVED_SHARE 0.25

#define BLOCKED_NS (20 * MS)
#define BLOCKED_SHARE 0.25
/* More than anything of its own: the request itself is blameless. */
#define BLOCKED_WEIGHT 1.5

struct waits {
    uint64_t count, sum, longest;
    uint64_t end;  /* of the last one */
    uint32_t name; /* of the first */
    bool same;     /* all are calls of one function */
    bool one_at_a_time;
};

static bool waits(const struct cps_finding_search *search, const struct cps_call *call)
{
    const struct cps_function *function = search->graph.nodes[call->name].function;

    return function && call->elapsed >= SERIAL_SHORTEST_NS &&
           function->self <= function->elapsed / 2;
}

static void add_wait(struct waits *all, const struct cps_call *call)
{
    uint64_t end = call->start + call->elapsed;

    if (!all->count)
        all->name = call->name;
    if (all->count && call->start < all->end)
        all->one_at_a_time = false;
    all->same = all->same && call->name == all->name;
    all->count++;
    all->sum += call->elapsed;
    all->longest = call->elapsed > all->longest ? call->elapsed : all->longest;
    all->end = end > all->end ? end : all->end;
}

static struct waits waits_below(const struct cps_finding_search *search, uint32_t node)
{
    const struct cps_tree_node *nodes = search->tree.nodes;
    struct waits all = {.same = true, .one_at_a_time = true};

    for (uint32_t child = node + 1; child < nodes[node].next; child = nodes[child].next) {
        if (waits(search, &search->trace->calls[child]))
            add_wait(&all, &search->trace->calls[child]);
    }
    return all;
}

void cps_finding_serial(struct cps_finding_search *search)
{
    for (uint32_t i = 0; i < search->tree.count; i++) {
        struct waits all = waits_below(search, i);
        uint64_t saved = all.sum - all.longest;
        struct cps_finding finding = {
            .rule = CPS_FINDING_SERIAL,
            .name = search->trace->calls[i].name,
            .from = CPS_FINDING_NONE,
            .calls = all.count,
            .time = all.sum,
            .figure = all.longest,
            .weight = cps_finding_weight(search, all.sum, CPS_FINDING_PRECISE),
        };

        if (all.count >= SERIAL_WAITS && all.one_at_a_time && saved >= SERIAL_SAVED_NS &&
            (double)saved >= SERIAL_SAVED_SHARE * search->duration &&
            !(all.same && all.count >= cps_kind_bounds(CPS_KIND_CODE)->loop_calls))
            cps_finding_add(search, &finding);
    }
}

/* Which of another request's functions kept the event loop for how long, while this one was under
 * way. */
struct culprit {
    const struct cps_trace *trace;
    const struct cps_function *function;
    uint64_t from, to; /* since the Unix epoch: when */
    uint64_t time;
};

/* Of each name the longest call that was kept, by index of the name; to be freed. NULL without
 * memory. */
static const struct cps_call **longest_calls(const struct cps_trace *trace)
{
    const struct cps_call **longest =
        calloc(trace->name_count + 1, sizeof(const struct cps_call *));

    for (size_t i = 0; longest && i < trace->call_count; i++) {
        const struct cps_call **best = &longest[trace->calls[i].name];

        if (!*best || trace->calls[i].elapsed > (*best)->elapsed)
            *best = &trace->calls[i];
    }
    return longest;
}

/* `call`: the longest of the function; NULL where none was kept. */
static void look_at_call(const struct cps_trace *victim, const struct cps_trace *other,
                         const struct cps_function *function, const struct cps_call *call,
                         struct culprit *worst)
{
    uint64_t from, to, time;

    if (!call || function->self <= worst->time || function->self < function->longest / 2)
        return;
    from = call->start > victim->start ? call->start : victim->start;
    to = call->start + call->elapsed < victim->end ? call->start + call->elapsed : victim->end;
    time = to > from ? to - from : 0;
    if (time > function->self)
        time = function->self;
    if (time > worst->time)
        *worst = (struct culprit){other, function, from, to, time};
}

static void look_at(const struct cps_trace *victim, const struct cps_trace *other,
                    struct culprit *worst)
{
    const struct cps_call **longest = longest_calls(other);

    for (size_t i = 0; longest && i < other->function_count; i++)
        look_at_call(victim, other, &other->functions[i], longest[other->functions[i].name], worst);
    free(longest);
}

static bool shares_loop(const struct cps_trace *victim, const struct cps_trace *other)
{
    return other != victim && other->runtime == CPS_RUNTIME_NODE && other->pid == victim->pid &&
           other->start < victim->end && other->end > victim->start;
}

/* What waited longest while the loop was busy. */
static uint32_t victim_of(const struct cps_finding_search *search, const struct culprit *worst)
{
    const struct cps_trace *trace = search->trace;
    uint32_t best = CPS_FINDING_NONE;
    uint64_t longest = 0;

    for (uint32_t i = 0; i < search->tree.count; i++) {
        const struct cps_call *call = &trace->calls[i];

        if (call->start < worst->to && call->start + call->elapsed > worst->from &&
            search->tree.nodes[i].self >= longest) {
            longest = search->tree.nodes[i].self;
            best = call->name;
        }
    }
    return best;
}

void cps_finding_blocked(struct cps_finding_search *search)
{
    const struct cps_trace *trace = search->trace;
    struct culprit worst = {.time = BLOCKED_NS - 1};
    struct cps_finding finding = {.rule = CPS_FINDING_BLOCKED, .from = CPS_FINDING_NONE};

    for (size_t i = 0; i < search->neighbour_count && trace->pid; i++) {
        const struct cps_trace *other = search->neighbours[i];

        if (shares_loop(trace, other))
            look_at(trace, other, &worst);
    }
    if (!worst.trace || (double)worst.time < BLOCKED_SHARE * search->duration)
        return;
    finding.name = victim_of(search, &worst);
    if (finding.name == CPS_FINDING_NONE)
        return;
    finding.time = worst.time;
    finding.weight = cps_finding_weight(search, worst.time, BLOCKED_WEIGHT);
    (void)snprintf(finding.other, sizeof(finding.other), "%s of %s%s%s",
                   worst.trace->names[worst.function->name].data, worst.trace->method.data,
                   worst.trace->method.length ? " " : "", worst.trace->uri.data);
    cps_finding_add(search, &finding);
}
