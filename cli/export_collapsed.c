/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stacks: "outermost;...;innermost NANOSECONDS", a line for every stack that has time of
 * its own. A semicolon parts frames and a line ends a stack, so neither is left in a name; nor does
 * a name end in a number of its own, which flamegraph.pl takes for the first of two figures.
 *
 * Every line has the whole path, so a recursion 60,000 deep would be gigabytes. A stack ends at the
 * bounds below: what it called is one more frame, which says how many calls it stands for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "export.h"
#include "flame.h"
#include "format.h"
#include "text.h"

#define FRAMES_MAX 500
#define STACK_MAX_BYTES 16384

/* "job 12" to "job_12". */
static void join_number(char *name, size_t length)
{
    size_t at = length;

    while (at > 0 && ((name[at - 1] >= '0' && name[at - 1] <= '9') || name[at - 1] == '.'))
        at--;
    if (at > 0 && at < length && name[at - 1] == ' ')
        name[at - 1] = '_';
}

static void append_frame(struct cps_buf *out, const char *bytes, size_t length)
{
    size_t before = out->length;

    cps_text_append_safe(out, bytes, length, false);
    if (length == 0)
        cps_buf_append(out, "_", 1);
    if (out->failed)
        return;
    for (size_t i = before; i < out->length; i++)
        if (out->data[i] == ';')
            out->data[i] = ':';
    join_number(out->data + before, out->length - before);
}

static void append_request(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf label = {0};

    cps_export_append_label(&label, trace);
    append_frame(out, label.data, label.length);
    out->failed |= label.failed;
}

/* While the nodes are walked, `stack` holds the frames down to the present one; nodes are numbered
 * in order of first call, which is not depth first, so it is walked by links. */
struct walk {
    const struct cps_trace *trace;
    const struct cps_flame_node *nodes;
    struct cps_buf stack;
    size_t lengths[FRAMES_MAX]; /* of the stack's text, by depth */
    struct cps_buf *out;
};

/* The node after `at` and all that is below it, where nodes below `top` are walked depth first. */
static uint32_t skip(const struct cps_flame_node *nodes, uint32_t at, uint32_t top)
{
    while (at != top && nodes[at].next_sibling == CPS_FLAME_NONE)
        at = nodes[at].parent;
    return at == top ? CPS_FLAME_NONE : nodes[at].next_sibling;
}

static uint64_t calls_below(const struct cps_flame_node *nodes, uint32_t top)
{
    uint64_t calls = 0;
    uint32_t at = nodes[top].first_child;

    while (at != CPS_FLAME_NONE) {
        calls += nodes[at].calls;
        at = nodes[at].first_child != CPS_FLAME_NONE ? nodes[at].first_child : skip(nodes, at, top);
    }
    return calls;
}

static void append_line(struct walk *walk, uint64_t deeper, uint64_t time)
{
    if (time == 0)
        return;
    cps_buf_append(walk->out, walk->stack.data, walk->stack.length);
    if (deeper > 0)
        cps_buf_append_format(walk->out, ";(%" PRIu64 " deeper call%s)", deeper,
                              cps_format_plural(deeper));
    cps_buf_append_format(walk->out, " %" PRIu64 "\n", time);
}

/* Whether the nodes below have lines of their own. */
static bool visit(struct walk *walk, uint32_t index)
{
    const struct cps_flame_node *node = &walk->nodes[index];

    if (node->depth > 0) {
        const struct cps_string *name = &walk->trace->names[node->name];

        walk->stack.length = walk->lengths[node->depth - 1];
        cps_buf_append(&walk->stack, ";", 1);
        append_frame(&walk->stack, name->data, name->length);
    }
    walk->lengths[node->depth] = walk->stack.length;
    append_line(walk, 0, node->self);
    if (node->depth + 1 < FRAMES_MAX && walk->stack.length < STACK_MAX_BYTES)
        return true;
    append_line(walk, calls_below(walk->nodes, index), node->total - node->self);
    return false;
}

static void append_flame(struct cps_buf *out, const struct cps_trace *trace,
                         const struct cps_flame *flame)
{
    struct walk walk = {.trace = trace, .nodes = flame->nodes, .out = out};
    uint32_t at = 0;

    append_request(&walk.stack, trace);
    while (at != CPS_FLAME_NONE && !walk.stack.failed) {
        bool below = visit(&walk, at) && flame->nodes[at].first_child != CPS_FLAME_NONE;

        at = below ? flame->nodes[at].first_child : skip(flame->nodes, at, 0);
    }
    out->failed |= walk.stack.failed;
    cps_buf_free(&walk.stack);
}

static int append_trace(struct cps_buf *out, const struct cps_trace *trace)
{
    struct cps_tree tree = {0};
    struct cps_flame flame = {0};
    int r = cps_tree_build(trace, &tree);

    if (r == 0)
        r = cps_flame_build(trace, &tree, &flame);
    if (r == 0)
        append_flame(out, trace, &flame);
    cps_flame_free(&flame);
    cps_tree_free(&tree);
    return r;
}

int cps_export_collapsed(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < count; i++)
        r = append_trace(out, traces[i]);
    return cps_buf_failed(out) ? -ENOMEM : r;
}
