/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* The open calls while the calls are walked in order of start: the path from the top to the last
 * one. */
struct path {
    uint32_t *nodes;
    size_t depth;
};

static uint64_t end_of(const struct cps_call *call)
{
    return call->start + call->elapsed;
}

static bool holds(const struct cps_call *parent, const struct cps_call *call)
{
    if (parent->depth != CPS_DEPTH_UNKNOWN && call->depth != CPS_DEPTH_UNKNOWN)
        return parent->depth < call->depth && call->start <= end_of(parent);
    return end_of(call) <= end_of(parent);
}

static void close_until(const struct cps_trace *trace, struct cps_tree *tree, struct path *path,
                        const struct cps_call *call, uint32_t index)
{
    while (path->depth && (!call || !holds(&trace->calls[path->nodes[path->depth - 1]], call)))
        tree->nodes[path->nodes[--path->depth]].next = index;
}

static void add(const struct cps_trace *trace, struct cps_tree *tree, struct path *path,
                uint32_t index)
{
    struct cps_tree_node *node = &tree->nodes[index];
    const struct cps_call *call = &trace->calls[index];

    close_until(trace, tree, path, call, index);
    *node = (struct cps_tree_node){
        .parent = path->depth ? path->nodes[path->depth - 1] : CPS_TREE_NONE,
        .depth = (uint32_t)path->depth,
        .self = call->elapsed,
    };
    if (node->parent != CPS_TREE_NONE) {
        struct cps_tree_node *parent = &tree->nodes[node->parent];

        parent->children++;
        parent->self -= call->elapsed < parent->self ? call->elapsed : parent->self;
    }
    path->nodes[path->depth++] = index;
}

int cps_tree_build(const struct cps_trace *trace, struct cps_tree *out)
{
    struct cps_tree tree = {.count = trace->call_count};
    struct path path = {0};

    if (tree.count >= CPS_TREE_NONE)
        return -ENOMEM;
    tree.nodes = calloc(tree.count + 1, sizeof(*tree.nodes));
    path.nodes = calloc(tree.count + 1, sizeof(*path.nodes));
    if (!tree.nodes || !path.nodes) {
        free(tree.nodes);
        free(path.nodes);
        return -ENOMEM;
    }
    for (size_t i = 0; i < tree.count; i++)
        add(trace, &tree, &path, (uint32_t)i);
    close_until(trace, &tree, &path, NULL, (uint32_t)tree.count);
    free(path.nodes);
    *out = tree;
    return 0;
}

void cps_tree_free(struct cps_tree *tree)
{
    free(tree->nodes);
    *tree = (struct cps_tree){0};
}
