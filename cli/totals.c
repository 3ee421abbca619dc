/* SPDX-License-Identifier: Apache-2.0 */
#include "totals.h"

#include <errno.h>
#include <stdlib.h>

#include "pairs.h"
#include "tree.h"

/* While the calls are walked in order of start. */
struct adder {
    const struct cps_trace *trace;
    struct cps_tree tree;
    struct cps_function *functions; /* one a name, those never called included */
    uint32_t *open;                 /* a name: how many calls of it are open now */
    struct cps_pairs pairs;         /* (callee, caller) to the index in `callers` */
    struct cps_caller *callers;
    uint32_t *callees; /* of each caller */
};

static int prepare(struct adder *adder)
{
    const struct cps_trace *trace = adder->trace;

    adder->functions = calloc(trace->name_count + 1, sizeof(*adder->functions));
    adder->open = calloc(trace->name_count + 1, sizeof(*adder->open));
    adder->callers = calloc(trace->call_count + 1, sizeof(*adder->callers));
    adder->callees = calloc(trace->call_count + 1, sizeof(*adder->callees));
    if (!adder->functions || !adder->open || !adder->callers || !adder->callees)
        return -ENOMEM;
    for (size_t i = 0; i < trace->name_count; i++)
        adder->functions[i].name = (uint32_t)i;
    if (cps_pairs_init(&adder->pairs, trace->call_count))
        return -ENOMEM;
    return cps_tree_build(trace, &adder->tree);
}

static void add_caller(struct adder *adder, const struct cps_call *call, uint32_t parent)
{
    uint32_t caller = adder->trace->calls[parent].name;
    uint32_t index = cps_pairs_find(&adder->pairs, call->name, caller);

    adder->callees[index] = call->name;
    adder->callers[index].name = caller;
    adder->callers[index].calls++;
    adder->callers[index].elapsed += call->elapsed;
}

static void add_call(struct adder *adder, uint32_t index)
{
    const struct cps_call *call = &adder->trace->calls[index];
    const struct cps_tree_node *node = &adder->tree.nodes[index];
    struct cps_function *function = &adder->functions[call->name];

    function->calls++;
    function->self += node->self;
    if (call->elapsed > function->longest)
        function->longest = call->elapsed;
    if (adder->open[call->name]++ == 0)
        function->elapsed += call->elapsed;
    if (node->parent != CPS_TREE_NONE)
        add_caller(adder, call, node->parent);
}

/* The calls that do not hold `index` are closed; `last` is the one before it. */
static void close_calls(struct adder *adder, uint32_t last, uint32_t index)
{
    while (last != CPS_TREE_NONE && adder->tree.nodes[last].next <= index) {
        adder->open[adder->trace->calls[last].name]--;
        last = adder->tree.nodes[last].parent;
    }
}

static void add_calls(struct adder *adder)
{
    for (uint32_t i = 0; i < adder->tree.count; i++) {
        close_calls(adder, i ? i - 1 : CPS_TREE_NONE, i);
        add_call(adder, i);
    }
}

/* The callers of a function become neighbours: a counting sort by callee. */
static struct cps_caller *group_callers(struct adder *adder)
{
    size_t count = adder->pairs.count;
    struct cps_caller *grouped = calloc(count + 1, sizeof(*grouped));
    uint32_t first = 0;

    if (!grouped)
        return NULL;
    for (size_t i = 0; i < count; i++)
        adder->functions[adder->callees[i]].caller_count++;
    for (size_t i = 0; i < adder->trace->name_count; i++) {
        adder->functions[i].first_caller = first;
        first += adder->functions[i].caller_count;
        adder->functions[i].caller_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct cps_function *callee = &adder->functions[adder->callees[i]];

        grouped[callee->first_caller + callee->caller_count++] = adder->callers[i];
    }
    return grouped;
}

/* Names that are no called function (callers only, say) leave the list. */
static size_t drop_uncalled(struct cps_function *functions, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (functions[i].calls > 0)
            functions[kept++] = functions[i];
    return kept;
}

static int add_up(struct adder *adder, struct cps_totals *out)
{
    struct cps_caller *callers;

    if (prepare(adder))
        return -ENOMEM;
    add_calls(adder);
    callers = group_callers(adder);
    if (!callers)
        return -ENOMEM;
    *out = (struct cps_totals){
        .functions = adder->functions,
        .function_count = drop_uncalled(adder->functions, adder->trace->name_count),
        .callers = callers,
        .caller_count = adder->pairs.count,
    };
    adder->functions = NULL;
    return 0;
}

int cps_totals_build(const struct cps_trace *trace, struct cps_totals *out)
{
    struct adder adder = {.trace = trace};
    int r;

    if (trace->has_functions) {
        *out = (struct cps_totals){.functions = trace->functions,
                                   .function_count = trace->function_count,
                                   .callers = trace->callers,
                                   .caller_count = trace->caller_count,
                                   .exact = true};
        return 0;
    }
    r = add_up(&adder, out);
    free(adder.functions);
    free(adder.open);
    free(adder.callers);
    free(adder.callees);
    cps_pairs_free(&adder.pairs);
    cps_tree_free(&adder.tree);
    return r;
}

void cps_totals_free(struct cps_totals *totals)
{
    if (!totals->exact) {
        free((void *)totals->functions);
        free((void *)totals->callers);
    }
    *totals = (struct cps_totals){0};
}

uint64_t cps_totals_calls(const struct cps_trace *trace)
{
    uint64_t calls = trace->functions_dropped;

    if (!trace->has_functions)
        return trace->call_count + trace->calls_dropped;
    for (size_t i = 0; i < trace->function_count; i++)
        calls += trace->functions[i].calls;
    return calls;
}
