/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups go by the function alone, not by the shape of what is below: in a loop some rounds have
 * calls that were too short to be recorded, so that equal rounds look different. They need not
 * follow each other either: where a loop calls two functions in turn, each is a group, and its
 * place is that of its first member.
 *
 * A recursion is found by its links. A call that has its own function among the three calls above
 * it is linked with that one, and so is everything in between; what hangs together by links is one
 * node, named after its outermost call. All that is left below a node then hangs from it, in the
 * order in which the calls began: links never change which call stands before which.
 */
#include "outline.h"

#include <errno.h>
#include <stdlib.h>

#include "callgraph.h"
#include "pairs.h"

/* Fewer are worth a row each, and more so where each has calls below it. */
#define GROUP_LEAVES 3
#define GROUP_TREES 4

struct siblings {
    uint32_t count;
    uint32_t group; /* their node; CPS_OUTLINE_NONE until there is one */
    bool trees;     /* one of them has calls below it */
};

struct builder {
    const struct cps_trace *trace;
    const struct cps_tree *tree;
    struct cps_outline outline;
    bool *linked;         /* a flag a call: it belongs to its parent's node */
    uint32_t *top;        /* of every call: the outermost one of its node */
    uint32_t *level;      /* of every call: how many of its node's function are open */
    uint32_t *family;     /* of every call that is not linked: index in `siblings` */
    uint32_t *last_child; /* of every node */
    uint32_t last_top;
    struct siblings *siblings; /* by parent and function */
    struct cps_pairs pairs;
};

static uint32_t name_of(const struct builder *builder, uint32_t call)
{
    return builder->trace->calls[call].name;
}

static int prepare(struct builder *builder)
{
    size_t calls = builder->tree->count;

    builder->outline.nodes = calloc(2 * calls + 1, sizeof(*builder->outline.nodes));
    builder->outline.node_of = calloc(calls + 1, sizeof(*builder->outline.node_of));
    builder->linked = calloc(calls + 1, sizeof(*builder->linked));
    builder->top = calloc(calls + 1, sizeof(*builder->top));
    builder->level = calloc(calls + 1, sizeof(*builder->level));
    builder->family = calloc(calls + 1, sizeof(*builder->family));
    builder->last_child = calloc(2 * calls + 1, sizeof(*builder->last_child));
    builder->siblings = calloc(calls + 1, sizeof(*builder->siblings));
    if (!builder->outline.nodes || !builder->outline.node_of || !builder->linked || !builder->top ||
        !builder->level || !builder->family || !builder->last_child || !builder->siblings)
        return -ENOMEM;
    return cps_pairs_init(&builder->pairs, calls);
}

static void link_recursion(struct builder *builder, uint32_t call)
{
    const struct cps_tree_node *nodes = builder->tree->nodes;
    uint32_t up = nodes[call].parent;

    for (int step = 1; step < CPS_CALLGRAPH_CYCLE_MAX && up != CPS_TREE_NONE &&
                       name_of(builder, up) != name_of(builder, call);
         step++)
        up = nodes[up].parent;
    if (up == CPS_TREE_NONE || name_of(builder, up) != name_of(builder, call))
        return;
    for (; call != up; call = nodes[call].parent)
        builder->linked[call] = true;
    builder->outline.recursive = true;
}

/* The call that stands for the one above, in whose node it is or below which it hangs. */
static uint32_t top_above(const struct builder *builder, uint32_t call)
{
    uint32_t parent = builder->tree->nodes[call].parent;

    return parent == CPS_TREE_NONE ? CPS_TREE_NONE : builder->top[parent];
}

/* Puts a call into its node, or among its siblings. */
static void place(struct builder *builder, uint32_t call)
{
    uint32_t above = top_above(builder, call);
    struct siblings *siblings;

    if (builder->linked[call]) {
        builder->top[call] = above;
        builder->level[call] = builder->level[builder->tree->nodes[call].parent] +
                               (name_of(builder, call) == name_of(builder, above));
        return;
    }
    builder->top[call] = call;
    builder->level[call] = 1;
    builder->family[call] = cps_pairs_find(&builder->pairs, above, name_of(builder, call));
    siblings = &builder->siblings[builder->family[call]];
    if (!siblings->count++)
        siblings->group = CPS_OUTLINE_NONE;
    if (above != CPS_TREE_NONE)
        builder->siblings[builder->family[above]].trees = true;
}

static uint32_t add_node(struct builder *builder, uint32_t parent, uint32_t call)
{
    uint32_t index = (uint32_t)builder->outline.count++;
    struct cps_outline_node *nodes = builder->outline.nodes;
    uint32_t *last = parent == CPS_OUTLINE_NONE ? &builder->last_top : &builder->last_child[parent];

    nodes[index] = (struct cps_outline_node){
        .call = call,
        .last = call,
        .parent = parent,
        .first_child = CPS_OUTLINE_NONE,
        .next_sibling = CPS_OUTLINE_NONE,
        .depth = parent == CPS_OUTLINE_NONE ? 0 : nodes[parent].depth + 1,
        .deep = 1,
    };
    if (*last != CPS_OUTLINE_NONE)
        nodes[*last].next_sibling = index;
    else if (parent != CPS_OUTLINE_NONE)
        nodes[parent].first_child = index;
    *last = index;
    builder->last_child[index] = CPS_OUTLINE_NONE;
    return index;
}

/* The node that a call hangs from: a group, which its first member makes, or that of the call
 * above.
 */
static uint32_t parent_of(struct builder *builder, uint32_t call)
{
    struct siblings *siblings = &builder->siblings[builder->family[call]];
    uint32_t above = top_above(builder, call);
    uint32_t parent = above == CPS_TREE_NONE ? CPS_OUTLINE_NONE : builder->outline.node_of[above];

    if (siblings->count < (siblings->trees ? GROUP_TREES : GROUP_LEAVES))
        return parent;
    if (siblings->group == CPS_OUTLINE_NONE)
        siblings->group = add_node(builder, parent, call);
    builder->outline.nodes[siblings->group].members++;
    builder->outline.nodes[siblings->group].last = call;
    return siblings->group;
}

static void add_call(struct builder *builder, uint32_t call)
{
    uint32_t index = add_node(builder, parent_of(builder, call), call);

    builder->outline.nodes[index].total = builder->trace->calls[call].elapsed;
    builder->outline.nodes[index].longest = builder->trace->calls[call].elapsed;
    builder->outline.node_of[call] = index;
}

/* What a call adds to its node. */
static void count(struct builder *builder, uint32_t call)
{
    uint32_t index = builder->outline.node_of[builder->top[call]];
    struct cps_outline_node *node = &builder->outline.nodes[index];

    builder->outline.node_of[call] = index;
    node->calls++;
    node->self += builder->tree->nodes[call].self;
    if (builder->level[call] > node->deep)
        node->deep = builder->level[call];
}

static void sum_groups(struct cps_outline *outline)
{
    for (size_t i = 0; i < outline->count; i++) {
        const struct cps_outline_node *node = &outline->nodes[i];
        struct cps_outline_node *group =
            node->parent == CPS_OUTLINE_NONE ? NULL : &outline->nodes[node->parent];

        if (!group || !group->members)
            continue;
        group->calls += node->calls;
        group->total += node->total;
        group->self += node->self;
        if (node->longest > group->longest)
            group->longest = node->longest;
    }
}

static void build(struct builder *builder, bool fold_recursion)
{
    uint32_t calls = (uint32_t)builder->tree->count;

    builder->last_top = CPS_OUTLINE_NONE;
    for (uint32_t call = 0; fold_recursion && call < calls; call++)
        link_recursion(builder, call);
    for (uint32_t call = 0; call < calls; call++)
        place(builder, call);
    for (uint32_t call = 0; call < calls; call++) {
        if (!builder->linked[call])
            add_call(builder, call);
        count(builder, call);
    }
    sum_groups(&builder->outline);
}

int cps_outline_build(const struct cps_trace *trace, const struct cps_tree *tree,
                      bool fold_recursion, struct cps_outline *out)
{
    struct builder builder = {.trace = trace, .tree = tree};
    int result = prepare(&builder);

    if (result) {
        cps_outline_free(&builder.outline);
    } else {
        build(&builder, fold_recursion);
        *out = builder.outline;
    }
    free(builder.linked);
    free(builder.top);
    free(builder.level);
    free(builder.family);
    free(builder.last_child);
    free(builder.siblings);
    cps_pairs_free(&builder.pairs);
    return result;
}

void cps_outline_free(struct cps_outline *outline)
{
    free(outline->nodes);
    free(outline->node_of);
    *outline = (struct cps_outline){0};
}
