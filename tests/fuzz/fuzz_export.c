/* SPDX-License-Identifier: Apache-2.0 */
/* Any trace that can be read goes through everything that looks at traces: lanes are nested, the
 * flame graph adds up, and no format has a control character in it. */
#include "fuzz.h"

#include <stdbool.h>

#include "check.h"
#include "export.h"
#include "flame.h"
#include "timeline.h"
#include "totals.h"

struct walk {
    uint32_t *stack;
    size_t depth, opened;
    uint64_t last;
};

static void on_open(void *context, uint32_t call, uint64_t at)
{
    struct walk *walk = context;

    MUST(at >= walk->last);
    walk->last = at;
    walk->stack[walk->depth++] = call;
    walk->opened++;
}

static void on_close(void *context, uint32_t call, uint64_t at)
{
    struct walk *walk = context;

    MUST(at >= walk->last && walk->depth > 0);
    walk->last = at;
    MUST(walk->stack[--walk->depth] == call);
}

static void check_timeline(const struct cps_trace *trace, const struct cps_tree *tree)
{
    struct cps_timeline timeline;
    struct walk walk = {.stack = malloc((trace->call_count + 1) * sizeof(uint32_t))};
    struct cps_timeline_visitor visitor = {on_open, on_close, &walk};

    MUST(walk.stack && cps_timeline_build(trace, tree, &timeline) == 0);
    for (uint32_t lane = 0; lane < timeline.lanes; lane++) {
        walk.last = 0;
        MUST(cps_timeline_walk(&timeline, lane, &visitor) == 0);
        MUST(walk.depth == 0 && walk.last <= timeline.duration);
    }
    MUST(walk.opened == trace->call_count);
    free(walk.stack);
    cps_timeline_free(&timeline);
}

static void check_flame(const struct cps_trace *trace, const struct cps_tree *tree)
{
    struct cps_flame flame;
    uint64_t self = 0;
    uint64_t calls = 0;

    MUST(cps_flame_build(trace, tree, &flame) == 0);
    for (size_t i = 0; i < flame.count; i++) {
        self += flame.nodes[i].self;
        calls += i ? flame.nodes[i].calls : 0;
        MUST(i == 0 || flame.nodes[i].parent < i);
    }
    MUST(self == flame.nodes[0].total && calls == trace->call_count);
    cps_flame_free(&flame);
}

static void check_totals(const struct cps_trace *trace)
{
    struct cps_totals totals;
    uint64_t calls = 0;

    MUST(cps_totals_build(trace, &totals) == 0);
    for (size_t i = 0; i < totals.function_count; i++) {
        const struct cps_function *function = &totals.functions[i];

        calls += function->calls;
        MUST((size_t)function->first_caller + function->caller_count <= totals.caller_count);
    }
    MUST(totals.exact || calls == trace->call_count);
    cps_totals_free(&totals);
}

static void check_formats(const struct cps_trace *trace)
{
    const struct cps_trace *traces[] = {trace, trace};

    for (const struct cps_export_format *format = cps_export_formats; format->name; format++) {
        cps_auto_buf struct cps_buf out = {0};

        MUST(format->export(traces, 2, &out) == 0);
        for (size_t i = 0; i < out.length; i++)
            MUST((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n');
    }
}

static void check_rule(const struct cps_trace *trace)
{
    struct cps_check_rule *rule = NULL;
    struct cps_check_result result;
    cps_auto_buf struct cps_buf out = {0};

    MUST(cps_check_parse("self(*, a) < 0", &rule, NULL) == 0);
    MUST(cps_check_run(rule, &trace, 1, &result) == 0 && result.matched == 1 && !result.holds);
    cps_check_append(&out, rule, &result);
    for (size_t i = 0; i + 1 < out.length; i++)
        MUST((unsigned char)out.data[i] >= 0x20);
    cps_check_free(rule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cps_auto_trace struct cps_trace *trace = NULL;
    struct cps_tree tree;

    if (cps_trace_decode((const char *)data, size, &trace, NULL) < 0)
        return 0;
    MUST(cps_tree_build(trace, &tree) == 0);
    check_timeline(trace, &tree);
    check_flame(trace, &tree);
    cps_tree_free(&tree);
    check_totals(trace);
    check_formats(trace);
    check_rule(trace);
    return 0;
}
