/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: the calls of one request, as a tree in order of time, with what to look at first above it.
 *
 * Siblings that call the same function are one row with a count, since a hundred equal rows say
 * less than "×100"; its bars show where each of them is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

/* Of a call, in `folded`. */
enum { FOLDED_CALL = 1, FOLDED_GROUP = 2 };
/* Of a node, in `kept`: it passes the filter itself; it or something below it does. */
enum { KEPT_PASSES = 1, KEPT = 2 };

static void reset(struct cps_spans_state *spans)
{
    cps_tree_free(&spans->tree);
    cps_outline_free(&spans->outline);
    free(spans->folded);
    free(spans->kept);
    free(spans->rows);
    *spans = (struct cps_spans_state){0};
}

static const struct cps_call *call_at(const struct cps_held *held, uint32_t node)
{
    return &held->trace->calls[node];
}

static bool is_folded(const struct cps_spans_state *spans, const struct cps_outline_node *node)
{
    return spans->folded[node->call] & (node->members ? FOLDED_GROUP : FOLDED_CALL);
}

static void set_folded(struct cps_spans_state *spans, const struct cps_outline_node *node,
                       bool folded)
{
    uint8_t flag = node->members ? FOLDED_GROUP : FOLDED_CALL;

    if (folded && node->first_child != CPS_OUTLINE_NONE)
        spans->folded[node->call] |= flag;
    else
        spans->folded[node->call] &= (uint8_t)~flag;
}

static bool passes(const struct cps_app *app, const struct cps_held *held,
                   const struct cps_outline_node *node)
{
    struct cps_filter_row row = {
        .text = held->trace->names[call_at(held, node->call)->name].data,
        .duration = node->total,
        .calls = node->calls,
        .share = cps_format_percent(node->total, held->duration),
    };

    return cps_filter_matches_row(app->finder.compiled, &row);
}

/* Marks what passes the filter, and everything above it. */
static void keep_matching(struct cps_app *app, const struct cps_held *held)
{
    struct cps_spans_state *spans = &app->spans;
    const struct cps_outline_node *nodes = spans->outline.nodes;

    memset(spans->kept, 0, spans->outline.count * sizeof(*spans->kept));
    for (uint32_t i = 0; i < spans->outline.count; i++) {
        if (!passes(app, held, &nodes[i]))
            continue;
        spans->kept[i] |= KEPT_PASSES;
        for (uint32_t up = i; up != CPS_OUTLINE_NONE && !(spans->kept[up] & KEPT);
             up = nodes[up].parent)
            spans->kept[up] |= KEPT;
    }
}

/* Whether what is below a node is listed. With a filter everything is that it keeps, folded or not;
 * but a folded group that passes stands for its members. */
static bool is_open(const struct cps_spans_state *spans, uint32_t index, bool filtered)
{
    const struct cps_outline_node *node = &spans->outline.nodes[index];

    if (node->first_child == CPS_OUTLINE_NONE || (filtered && !(spans->kept[index] & KEPT)))
        return false;
    if (!filtered)
        return !is_folded(spans, node);
    return !node->members || !is_folded(spans, node) || !(spans->kept[index] & KEPT_PASSES);
}

/* The node after this one, with what is below it left out unless `open`. */
static uint32_t next_node(const struct cps_outline *outline, uint32_t index, bool open)
{
    if (open)
        return outline->nodes[index].first_child;
    while (outline->nodes[index].next_sibling == CPS_OUTLINE_NONE &&
           outline->nodes[index].parent != CPS_OUTLINE_NONE)
        index = outline->nodes[index].parent;
    return outline->nodes[index].next_sibling;
}

static void list_rows(struct cps_app *app, const struct cps_held *held)
{
    struct cps_spans_state *spans = &app->spans;
    bool filtered = app->finder.compiled;
    uint32_t index = spans->outline.count ? 0 : CPS_OUTLINE_NONE;

    if (filtered)
        keep_matching(app, held);
    spans->listed = app->finder.generation;
    spans->row_count = spans->shown_calls = 0;
    while (index != CPS_OUTLINE_NONE) {
        const struct cps_outline_node *node = &spans->outline.nodes[index];
        bool open = is_open(spans, index, filtered);

        if (!filtered || spans->kept[index] & KEPT) {
            spans->rows[spans->row_count++] = index;
            spans->shown_calls += node->members && open ? 0 : node->calls;
        }
        index = next_node(&spans->outline, index, open);
    }
}

/* Everything is folded that takes less than a hundredth of the request, and every group, so that
 * the first look is short. */
static void fold_small(struct cps_spans_state *spans, const struct cps_held *held)
{
    for (size_t i = 0; i < spans->tree.count; i++) {
        bool small = call_at(held, (uint32_t)i)->elapsed < held->duration / 100;

        spans->folded[i] =
            FOLDED_GROUP | (small && spans->tree.nodes[i].children ? FOLDED_CALL : 0);
    }
}

static void find_findings(struct cps_app *app, const struct cps_held *held)
{
    const struct cps_trace **neighbours =
        calloc(app->model.count + 1, sizeof(const struct cps_trace *));

    for (size_t i = 0; neighbours && i < app->model.count; i++)
        neighbours[i] = app->model.held[i]->trace;
    cps_findings_find(held->trace, &held->totals, neighbours, neighbours ? app->model.count : 0,
                      &app->spans.findings);
    free(neighbours);
}

/* An outline has at most twice as many nodes as there are calls. */
static int build(struct cps_spans_state *spans, const struct cps_trace *trace)
{
    size_t calls = trace->call_count;
    int result;

    spans->rows = calloc(2 * calls + 1, sizeof(*spans->rows));
    spans->folded = calloc(calls + 1, sizeof(*spans->folded));
    spans->kept = calloc(2 * calls + 1, sizeof(*spans->kept));
    if (!spans->rows || !spans->folded || !spans->kept)
        return -ENOMEM;
    result = cps_tree_build(trace, &spans->tree);
    return result ? result : cps_outline_build(trace, &spans->tree, false, &spans->outline);
}

static struct cps_held *load(struct cps_app *app, uint64_t serial)
{
    struct cps_spans_state *spans = &app->spans;
    struct cps_held *held = cps_model_find(&app->model, serial);

    if (!held) {
        reset(spans);
        return NULL;
    }
    if (spans->built == serial) {
        if (spans->listed != app->finder.generation)
            list_rows(app, held);
        return held;
    }
    reset(spans);
    spans->serial = serial;
    if (build(spans, held->trace)) {
        reset(spans);
        return NULL;
    }
    spans->built = serial;
    fold_small(spans, held);
    list_rows(app, held);
    find_findings(app, held);
    return held;
}

static void draw_metadata(struct cps_canvas *canvas, int row, const struct cps_held *held)
{
    const struct cps_trace *trace = held->trace;
    char took[CPS_FORMAT_SIZE], calls[CPS_FORMAT_SIZE], memory[CPS_FORMAT_SIZE];
    char clock[CPS_FORMAT_SIZE], status[16] = "";
    static const char *const outcomes[] = {"", "", "   aborted", "   expired"};

    if (trace->status)
        (void)snprintf(status, sizeof(status), "   %u", trace->status);
    cps_canvas_format(canvas, row, 1, canvas->columns - 1, CPS_STYLE_BOLD,
                      "%s%s%s%s   %s   %s call%s   %s   %s   %s%s%s%s", trace->method.data,
                      trace->method.length ? " " : "", trace->uri.data, status,
                      cps_format_duration(took, held->duration),
                      cps_format_grouped(calls, held->calls), cps_format_plural(held->calls),
                      cps_format_bytes(memory, trace->max_memory),
                      trace->runtime == CPS_RUNTIME_NODE ? "node" : "php",
                      cps_format_clock(clock, trace->start, 1), trace->id.length ? "   id " : "",
                      trace->id.data, outcomes[trace->outcome]);
}

static int draw_findings(const struct cps_app *app, struct cps_canvas *canvas, int row,
                         const struct cps_held *held)
{
    char text[1024];

    for (size_t i = 0; i < app->spans.findings.count; i++) {
        cps_findings_describe(held->trace, &app->spans.findings.items[i], text, sizeof(text));
        cps_canvas_text(canvas, row, 1, 1, CPS_STYLE_ACCENT, canvas->ascii ? ">" : "▸");
        cps_canvas_text(canvas, row++, 3, canvas->columns - 3, CPS_STYLE_NORMAL, text);
    }
    return row;
}

/* Where the columns of a row stand. Where the terminal is narrow the memory goes first, then the
 * time axis, then the self times: a width of 0 is a column that is not there. */
struct layout {
    int name_width, axis, axis_width, numbers, self, memory;
};

static struct layout fit(int width)
{
    struct layout at = {.self = width >= 60 ? 10 : 0, .memory = width >= 100 ? 9 : 0};

    at.numbers = width - 17 - at.self - at.memory;
    at.name_width = at.numbers - 1;
    if (width >= 76) {
        at.axis_width = width / 3;
        at.name_width = at.numbers - at.axis_width - 4;
        at.axis = at.name_width + 2;
    }
    return at;
}

static enum cps_style style_of(const struct cps_held *held, uint64_t self)
{
    if (held->duration && self >= held->duration / 4)
        return CPS_STYLE_ERROR;
    return held->duration && self >= held->duration / 10 ? CPS_STYLE_WARN : CPS_STYLE_ACCENT;
}

/* What follows the name: how often a group calls it, how deep a recursion goes. */
static const char *describe_count(const struct cps_outline_node *node, bool ascii, char *out,
                                  size_t size)
{
    char count[CPS_FORMAT_SIZE];

    out[0] = '\0';
    if (node->members)
        (void)snprintf(out, size, ascii ? " x%s" : " ×%s",
                       cps_format_grouped(count, node->members));
    else if (node->deep > 1)
        (void)snprintf(out, size, ascii ? " (%s deep)" : " ↻ %s deep",
                       cps_format_grouped(count, node->deep));
    return out;
}

static void draw_fold(struct cps_canvas *canvas, int row, int column, bool folded)
{
    if (canvas->ascii)
        cps_canvas_text(canvas, row, column, 1, CPS_STYLE_DIM, folded ? "+" : "-");
    else
        cps_canvas_text(canvas, row, column, 1, CPS_STYLE_DIM, folded ? "▸" : "▾");
}

static void draw_name(const struct cps_app *app, struct cps_canvas *canvas, int row,
                      const struct cps_held *held, const struct cps_outline_node *node, int width)
{
    const struct cps_string *name = &held->trace->names[call_at(held, node->call)->name];
    int column = 3 + (int)(node->depth < 40 ? node->depth : 40) * 2, suffix;
    char count[CPS_FORMAT_SIZE + 16], longest[CPS_FORMAT_SIZE + 16], text[CPS_FORMAT_SIZE];

    if (column > width / 2)
        column = width / 2;
    if (node->first_child != CPS_OUTLINE_NONE)
        draw_fold(canvas, row, column - 2, is_folded(&app->spans, node));
    describe_count(node, canvas->ascii, count, sizeof(count));
    suffix = cps_canvas_width(count, strlen(count));
    column += cps_canvas_tail(canvas, row, column, width - column - suffix, CPS_STYLE_NORMAL,
                              name->data, name->length);
    column += cps_canvas_text(canvas, row, column, width - column, CPS_STYLE_BOLD, count);
    (void)snprintf(longest, sizeof(longest), "  longest %s",
                   cps_format_duration(text, node->longest));
    if (node->members && cps_canvas_width(longest, strlen(longest)) <= width - column)
        cps_canvas_text(canvas, row, column, width - column, CPS_STYLE_DIM, longest);
}

static void draw_span(struct cps_canvas *canvas, int row, const struct layout *at,
                      const struct cps_held *held, const struct cps_outline_node *node)
{
    const struct cps_call *call = call_at(held, node->call);
    uint64_t first = call->start > held->trace->start ? call->start - held->trace->start : 0;

    cps_canvas_span(canvas, row, at->axis, at->axis_width, style_of(held, node->self), first,
                    first + node->total, held->duration);
}

static void draw_spans(const struct cps_outline *outline, struct cps_canvas *canvas, int row,
                       const struct layout *at, const struct cps_held *held,
                       const struct cps_outline_node *node)
{
    uint32_t member = node->first_child;

    if (!node->members) {
        draw_span(canvas, row, at, held, node);
        return;
    }
    for (; member != CPS_OUTLINE_NONE; member = outline->nodes[member].next_sibling)
        draw_span(canvas, row, at, held, &outline->nodes[member]);
}

static void draw_row(const struct cps_app *app, struct cps_canvas *canvas, int row,
                     const struct layout *at, const struct cps_held *held,
                     const struct cps_outline_node *node)
{
    char text[CPS_FORMAT_SIZE];

    draw_name(app, canvas, row, held, node, at->name_width);
    if (at->axis)
        draw_spans(&app->spans.outline, canvas, row, at, held, node);
    cps_canvas_right(canvas, row, at->numbers, 10, CPS_STYLE_NORMAL,
                     cps_format_duration(text, node->total));
    cps_canvas_right(canvas, row, at->numbers + 10, at->self, CPS_STYLE_NORMAL,
                     cps_format_duration(text, node->self));
    cps_canvas_right(canvas, row, at->numbers + at->self + 10, at->memory, CPS_STYLE_NORMAL,
                     cps_format_bytes(text, call_at(held, node->last)->memory));
    cps_canvas_right(canvas, row, at->numbers + at->self + at->memory + 10, 6, CPS_STYLE_BOLD,
                     cps_format_share(text, node->total, held->duration));
}

static void draw_head(const struct cps_app *app, struct cps_canvas *canvas, int row,
                      const struct layout *at, const struct cps_held *held)
{
    char text[CPS_FORMAT_SIZE];

    if (app->finder.compiled)
        cps_canvas_format(canvas, row, 3, at->name_width, CPS_STYLE_ACCENT,
                          "FUNCTION   %zu of %zu calls shown", app->spans.shown_calls,
                          app->spans.tree.count);
    else
        cps_canvas_text(canvas, row, 3, at->name_width, CPS_STYLE_DIM, "FUNCTION");
    if (at->axis) {
        cps_canvas_text(canvas, row, at->axis, at->axis_width, CPS_STYLE_DIM, "0");
        cps_canvas_right(canvas, row, at->axis, at->axis_width, CPS_STYLE_DIM,
                         cps_format_duration(text, held->duration));
    }
    cps_canvas_right(canvas, row, at->numbers, 10, CPS_STYLE_DIM, "TOTAL");
    cps_canvas_right(canvas, row, at->numbers + 10, at->self, CPS_STYLE_DIM, "SELF");
    cps_canvas_right(canvas, row, at->numbers + at->self + 10, at->memory, CPS_STYLE_DIM, "MEMORY");
    cps_canvas_right(canvas, row, at->numbers + at->self + at->memory + 10, 6, CPS_STYLE_DIM,
                     "SHARE");
}

static void draw_rows(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom,
                      const struct cps_held *held)
{
    struct cps_list *list = &app->spans.list;
    struct layout at = fit(canvas->columns);
    size_t end;

    draw_head(app, canvas, top++, &at, held);
    end = cps_list_fit(list, app->spans.row_count, top, bottom);
    for (size_t i = list->top; i < end; i++)
        draw_row(app, canvas, top + (int)(i - list->top), &at, held,
                 &app->spans.outline.nodes[app->spans.rows[i]]);
    cps_list_select(list, app->spans.row_count, canvas, top);
    if (!app->spans.row_count)
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "No call took longer than the threshold. Totals (3) counts them all.");
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    struct cps_held *held = load(app, app->spans.serial);
    int row = top;

    if (!held) {
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "No request is open: enter on Search opens one.");
        return;
    }
    draw_metadata(canvas, row++, held);
    row = draw_findings(app, canvas, row, held);
    cps_canvas_rule(canvas, row++);
    draw_rows(app, canvas, row, bottom, held);
}

/* Whether the node is in a row, which then has the cursor. */
static bool select_node(struct cps_spans_state *spans, uint32_t index)
{
    for (size_t i = 0; i < spans->row_count; i++) {
        if (spans->rows[i] == index) {
            spans->list.cursor = i;
            return true;
        }
    }
    return false;
}

/* Unfolds what is above a node and puts the cursor on its row. A member of a folded group is shown
 * by that. */
static void walk_to(struct cps_app *app, const struct cps_held *held, uint32_t index)
{
    struct cps_spans_state *spans = &app->spans;
    const struct cps_outline_node *nodes = spans->outline.nodes;
    uint32_t up = nodes[index].parent;

    if (up != CPS_OUTLINE_NONE && nodes[up].members && is_folded(spans, &nodes[up]))
        index = up;
    for (up = nodes[index].parent; up != CPS_OUTLINE_NONE; up = nodes[up].parent)
        set_folded(spans, &nodes[up], false);
    list_rows(app, held);
    if (!select_node(spans, index))
        cps_app_tell(app, "the filter hides it: esc takes the filter away");
}

/* The longest of the siblings that begin with this node. */
static uint32_t longest_of(const struct cps_outline *outline, uint32_t first)
{
    uint32_t best = first;

    for (uint32_t i = first; i != CPS_OUTLINE_NONE; i = outline->nodes[i].next_sibling) {
        if (outline->nodes[i].total > outline->nodes[best].total)
            best = i;
    }
    return best;
}

/* From the top into the longest row, until none is below. A group of which no member makes the half
 * is what is hot itself. */
static void walk_hottest(struct cps_app *app, const struct cps_held *held)
{
    const struct cps_outline *outline = &app->spans.outline;
    uint32_t at = CPS_OUTLINE_NONE, next = outline->count ? 0 : CPS_OUTLINE_NONE;

    while (next != CPS_OUTLINE_NONE) {
        const struct cps_outline_node *node;

        at = longest_of(outline, next);
        node = &outline->nodes[at];
        next =
            node->members && node->longest < node->total / 2 ? CPS_OUTLINE_NONE : node->first_child;
    }
    if (at != CPS_OUTLINE_NONE)
        walk_to(app, held, at);
}

/* The longest call of a function, CPS_TREE_NONE where none was kept. */
static uint32_t longest_call(const struct cps_held *held, uint32_t name)
{
    uint32_t best = CPS_TREE_NONE;

    for (uint32_t i = 0; i < held->trace->call_count; i++) {
        if (call_at(held, i)->name == name &&
            (best == CPS_TREE_NONE || call_at(held, i)->elapsed > call_at(held, best)->elapsed))
            best = i;
    }
    return best;
}

/* Of the calls of one function, the first in the outermost group that a call of it is in: right
 * below the row that tells how often. The call itself where there is no group. */
static uint32_t first_in_loop(const struct cps_app *app, const struct cps_held *held, uint32_t call)
{
    const struct cps_outline *outline = &app->spans.outline;
    uint32_t first = call;

    for (uint32_t up = outline->node_of[call]; up != CPS_OUTLINE_NONE;
         up = outline->nodes[up].parent) {
        if (outline->nodes[up].members)
            first = outline->nodes[up].call;
    }
    while (first < call && call_at(held, first)->name != call_at(held, call)->name)
        first++;
    return first;
}

/* To its call in the tree; where its calls were too short to be kept, to its row of Totals. */
static void walk_to_finding(struct cps_app *app, const struct cps_held *held,
                            const struct cps_finding *finding)
{
    uint32_t call =
        finding->name == CPS_FINDING_NONE ? CPS_TREE_NONE : longest_call(held, finding->name);

    if (call != CPS_TREE_NONE && finding->rule == CPS_FINDING_LOOP)
        call = first_in_loop(app, held, call);
    if (finding->name == CPS_FINDING_NONE) {
        cps_app_over(app, &cps_view_cache);
    } else if (call != CPS_TREE_NONE) {
        walk_to(app, held, app->spans.outline.node_of[call]);
    } else {
        cps_app_show(app, CPS_PAGE_TOTALS, app->spans.serial);
        cps_page_totals_find(app, finding->name);
        cps_app_tell(app, "its calls were too short to be listed one by one: here is their total");
    }
}

static void walk_finding(struct cps_app *app, const struct cps_held *held)
{
    struct cps_spans_state *spans = &app->spans;

    if (!spans->findings.count)
        cps_app_tell(app, "nothing stands out in this request");
    else
        walk_to_finding(app, held,
                        &spans->findings.items[spans->finding++ % spans->findings.count]);
}

bool cps_page_spans_find(struct cps_app *app, uint32_t name)
{
    struct cps_held *held = load(app, app->spans.serial);
    uint32_t call = held ? longest_call(held, name) : CPS_TREE_NONE;

    if (call == CPS_TREE_NONE)
        return false;
    walk_to(app, held, app->spans.outline.node_of[call]);
    return true;
}

/* The node in the row of the cursor, NULL where there is no row. */
static const struct cps_outline_node *node_here(const struct cps_spans_state *spans)
{
    if (spans->list.cursor >= spans->row_count)
        return NULL;
    return &spans->outline.nodes[spans->rows[spans->list.cursor]];
}

static void fold(struct cps_app *app, const struct cps_held *held, bool folded)
{
    struct cps_spans_state *spans = &app->spans;
    const struct cps_outline_node *node = node_here(spans);

    if (!node)
        return;
    if (folded && (is_folded(spans, node) || node->first_child == CPS_OUTLINE_NONE) &&
        node->parent != CPS_OUTLINE_NONE) {
        walk_to(app, held, node->parent);
        return;
    }
    set_folded(spans, node, folded);
    list_rows(app, held);
}

/* Groups stay folded: all their members together are what they spare the reader. */
static void fold_all(struct cps_app *app, const struct cps_held *held, bool folded)
{
    for (size_t i = 0; i < app->spans.tree.count; i++)
        app->spans.folded[i] = FOLDED_GROUP | (folded ? FOLDED_CALL : 0);
    list_rows(app, held);
}

/* The node that shows a call where some are folded: its own, its group, or the outermost folded one
 * above. */
static uint32_t shown_node(const struct cps_spans_state *spans, uint32_t call, bool group)
{
    const struct cps_outline_node *nodes = spans->outline.nodes;
    uint32_t shown = spans->outline.node_of[call], up = nodes[shown].parent;

    if (group && up != CPS_OUTLINE_NONE && nodes[up].members)
        shown = up;
    for (up = nodes[shown].parent; up != CPS_OUTLINE_NONE; up = nodes[up].parent) {
        if (is_folded(spans, &nodes[up]))
            shown = up;
    }
    return shown;
}

static void toggle_recursion(struct cps_app *app, const struct cps_held *held)
{
    struct cps_spans_state *spans = &app->spans;
    const struct cps_outline_node *node = node_here(spans);
    bool fold_it = !spans->fold_recursion, group = node && node->members;
    uint32_t call = node ? node->call : CPS_TREE_NONE;
    struct cps_outline outline;

    if (cps_outline_build(held->trace, &spans->tree, fold_it, &outline))
        return;
    if (fold_it && !outline.recursive) {
        cps_outline_free(&outline);
        cps_app_tell(app, "no function calls itself here, over at most two others");
        return;
    }
    cps_outline_free(&spans->outline);
    spans->outline = outline;
    spans->fold_recursion = fold_it;
    list_rows(app, held);
    if (call != CPS_TREE_NONE)
        (void)select_node(spans, shown_node(spans, call, group));
    cps_app_tell(app, fold_it ? "each recursion is one row: r unfolds them again"
                              : "recursions are shown call by call");
}

/* The function in the row of the cursor; false where there is no row. */
static bool name_here(const struct cps_app *app, const struct cps_held *held, uint32_t *name)
{
    const struct cps_outline_node *node = node_here(&app->spans);

    if (!node)
        return false;
    *name = call_at(held, node->call)->name;
    return true;
}

/* Keys that lead elsewhere. */
static bool key_to_view(struct cps_app *app, struct cps_held *held, int pressed)
{
    uint32_t name;

    switch (pressed) {
    case 'f':
        cps_view_flame_open(app);
        return true;
    case 't':
        cps_app_show(app, CPS_PAGE_TOTALS, app->spans.serial);
        if (name_here(app, held, &name))
            cps_page_totals_find(app, name);
        return true;
    case 'c':
        if (name_here(app, held, &name))
            cps_view_callers_open(app, name);
        return true;
    case 'd':
        if (held->trace->cache_event_count)
            cps_app_over(app, &cps_view_cache);
        else
            cps_app_tell(app, "this request has no Drupal cache events");
        return true;
    case 'e':
        cps_view_save_open(app, held);
        return true;
    default:
        return false;
    }
}

static bool key_to_fold(struct cps_app *app, const struct cps_held *held, int pressed)
{
    const struct cps_outline_node *node = node_here(&app->spans);

    switch (pressed) {
    case CPS_KEY_ENTER:
        if (node)
            fold(app, held, !is_folded(&app->spans, node));
        return true;
    case '+':
    case 'o':
        fold(app, held, false);
        return true;
    case '-':
        fold(app, held, true);
        return true;
    case 'O':
    case 'C':
        fold_all(app, held, pressed == 'C');
        return true;
    case 'r':
        toggle_recursion(app, held);
        return true;
    case 'h':
        walk_hottest(app, held);
        return true;
    case 'n':
        walk_finding(app, held);
        return true;
    default:
        return false;
    }
}

static bool key(struct cps_app *app, int pressed)
{
    struct cps_held *held = load(app, app->spans.serial);

    if (!held)
        return false;
    return cps_list_key(&app->spans.list, app->spans.row_count, pressed) ||
           key_to_fold(app, held, pressed) || key_to_view(app, held, pressed);
}

static const char *const help[] = {
    "enter", "fold or unfold",
    "+ -",   "unfold, fold (again: to the parent)",
    "O C",   "unfold everything but groups, fold everything",
    "r",     "fold recursion: one row for a function that calls itself",
    "h",     "walk the hottest path",
    "n",     "walk to the next finding",
    "f",     "flame graph",
    "t",     "this function in Totals",
    "c",     "callers and callees of this function",
    "d",     "Drupal cache events",
    "e",     "save the request in one of six formats",
    "/",     "filter: name, >10ms, share:>5%, calls:>10, /regex/, !term",
    "esc",   "back to Search",
    NULL};

const struct cps_view cps_page_spans = {
    .title = "Spans",
    .draw = draw,
    .key = key,
    .hint = "enter fold   n finding   h hottest path   f flame   t totals   c callers   r "
            "recursion   esc back",
    .help = help,
};
