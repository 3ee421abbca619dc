/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stacks: "outermost;...;innermost NANOSECONDS", a line for every stack that has time of
 * its own. A semicolon parts frames and a line ends a stack, so neither is left in a name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export.h"
#include "flame.h"
#include "text.h"

static void append_frame(struct cps_buf *out, const char *bytes, size_t length)
{
    size_t before = out->length;

    cps_text_append_safe(out, bytes, length, false);
    for (size_t i = before; !out->failed && i < out->length; i++)
        if (out->data[i] == ';')
            out->data[i] = ':';
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
    const struct cps_flame *flame;
    struct cps_buf stack;
    size_t *lengths; /* of the stack's text, by depth */
    struct cps_buf *out;
};

static void visit(struct walk *walk, uint32_t index)
{
    const struct cps_flame_node *node = &walk->flame->nodes[index];

    if (node->depth > 0) {
        const struct cps_string *name = &walk->trace->names[node->name];

        walk->stack.length = walk->lengths[node->depth - 1];
        cps_buf_append(&walk->stack, ";", 1);
        append_frame(&walk->stack, name->data, name->length);
    }
    walk->lengths[node->depth] = walk->stack.length;
    if (node->self > 0) {
        cps_buf_append(walk->out, walk->stack.data, walk->stack.length);
        cps_buf_append_format(walk->out, " %" PRIu64 "\n", node->self);
    }
}

static void visit_all(struct walk *walk)
{
    const struct cps_flame_node *nodes = walk->flame->nodes;
    uint32_t at = 0;

    while (at != CPS_FLAME_NONE) {
        visit(walk, at);
        if (nodes[at].first_child != CPS_FLAME_NONE) {
            at = nodes[at].first_child;
            continue;
        }
        while (at != CPS_FLAME_NONE && nodes[at].next_sibling == CPS_FLAME_NONE)
            at = nodes[at].parent;
        if (at != CPS_FLAME_NONE)
            at = nodes[at].next_sibling;
    }
}

static int append_flame(struct cps_buf *out, const struct cps_trace *trace,
                        const struct cps_flame *flame)
{
    struct walk walk = {.trace = trace, .flame = flame, .out = out};

    walk.lengths = malloc(flame->count * sizeof(*walk.lengths));
    if (!walk.lengths)
        return -ENOMEM;
    append_request(&walk.stack, trace);
    visit_all(&walk);
    out->failed |= walk.stack.failed;
    cps_buf_free(&walk.stack);
    free(walk.lengths);
    return 0;
}

static int append_trace(struct cps_buf *out, const struct cps_trace *trace)
{
    struct cps_tree tree = {0};
    struct cps_flame flame = {0};
    int r = cps_tree_build(trace, &tree);

    if (r == 0)
        r = cps_flame_build(trace, &tree, &flame);
    if (r == 0)
        r = append_flame(out, trace, &flame);
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
