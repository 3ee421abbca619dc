/* SPDX-License-Identifier: Apache-2.0 */
#include "flame.h"

#include <errno.h>
#include <stdlib.h>

#include "pairs.h"

struct merger {
    struct cps_flame_node *nodes;
    size_t count;
    uint32_t *last_child;   /* of every node */
    uint32_t *node_of;      /* of every call */
    struct cps_pairs pairs; /* (parent node, name) to the node's index less 1 */
};

static int prepare(struct merger *merger, size_t calls)
{
    merger->nodes = calloc(calls + 1, sizeof(*merger->nodes));
    merger->last_child = calloc(calls + 1, sizeof(*merger->last_child));
    merger->node_of = calloc(calls + 1, sizeof(*merger->node_of));
    if (!merger->nodes || !merger->last_child || !merger->node_of)
        return -ENOMEM;
    merger->nodes[0] = (struct cps_flame_node){.name = CPS_FLAME_NONE,
                                               .parent = CPS_FLAME_NONE,
                                               .first_child = CPS_FLAME_NONE,
                                               .next_sibling = CPS_FLAME_NONE,
                                               .calls = 1};
    merger->last_child[0] = CPS_FLAME_NONE;
    merger->count = 1;
    return cps_pairs_init(&merger->pairs, calls);
}

static void add_node(struct merger *merger, uint32_t parent, uint32_t name)
{
    uint32_t index = (uint32_t)merger->count++;

    merger->nodes[index] = (struct cps_flame_node){
        .name = name,
        .parent = parent,
        .first_child = CPS_FLAME_NONE,
        .next_sibling = CPS_FLAME_NONE,
        .depth = merger->nodes[parent].depth + 1,
    };
    if (merger->last_child[parent] == CPS_FLAME_NONE)
        merger->nodes[parent].first_child = index;
    else
        merger->nodes[merger->last_child[parent]].next_sibling = index;
    merger->last_child[parent] = index;
    merger->last_child[index] = CPS_FLAME_NONE;
}

static void merge_call(struct merger *merger, const struct cps_trace *trace,
                       const struct cps_tree *tree, uint32_t call)
{
    uint32_t up = tree->nodes[call].parent;
    uint32_t parent = up == CPS_TREE_NONE ? 0 : merger->node_of[up];
    uint32_t name = trace->calls[call].name;
    uint32_t index = cps_pairs_find(&merger->pairs, parent, name) + 1;

    if (index == merger->count)
        add_node(merger, parent, name);
    merger->node_of[call] = index;
    merger->nodes[index].calls++;
    merger->nodes[index].self += tree->nodes[call].self;
}

/* Parents come before their children, so walking back gives each its total before it is used. */
static void add_totals(struct merger *merger, const struct cps_trace *trace)
{
    uint64_t duration = trace->end > trace->start ? trace->end - trace->start : 0;
    uint64_t below = 0;

    for (size_t i = merger->count; i-- > 1;) {
        struct cps_flame_node *node = &merger->nodes[i];

        node->total += node->self;
        merger->nodes[node->parent].total += node->total;
    }
    below = merger->nodes[0].total;
    merger->nodes[0].self = duration > below ? duration - below : 0;
    merger->nodes[0].total += merger->nodes[0].self;
}

int cps_flame_build(const struct cps_trace *trace, const struct cps_tree *tree,
                    struct cps_flame *out)
{
    struct merger merger = {0};
    int r = prepare(&merger, tree->count);

    for (uint32_t i = 0; r == 0 && i < tree->count; i++)
        merge_call(&merger, trace, tree, i);
    if (r == 0) {
        add_totals(&merger, trace);
        *out = (struct cps_flame){merger.nodes, merger.count};
    } else {
        free(merger.nodes);
    }
    free(merger.last_child);
    free(merger.node_of);
    cps_pairs_free(&merger.pairs);
    return r;
}

void cps_flame_free(struct cps_flame *flame)
{
    free(flame->nodes);
    *flame = (struct cps_flame){0};
}
