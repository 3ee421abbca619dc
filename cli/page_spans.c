/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: the calls of one request, as a tree in order of time, with what to look at first above it.
 *
 * Siblings next to each other that call the same function and have no calls below them are one row
 * with a count, since a hundred equal rows say less than "×100".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

static void reset(struct cps_spans_state *spans)
{
    cps_tree_free(&spans->tree);
    free(spans->folded);
    free(spans->kept);
    free(spans->rows);
    *spans = (struct cps_spans_state){0};
}

static const struct cps_call *call_at(const struct cps_held *held, uint32_t node)
{
    return &held->trace->calls[node];
}

/* How many siblings from this one on are the same leaf. */
static uint32_t repeated(const struct cps_held *held, const struct cps_tree *tree, uint32_t node)
{
    uint32_t count = 1, next = tree->nodes[node].next;

    if (tree->nodes[node].children)
        return 1;
    while (next < tree->count && tree->nodes[next].parent == tree->nodes[node].parent &&
           !tree->nodes[next].children && call_at(held, next)->name == call_at(held, node)->name) {
        next = tree->nodes[next].next;
        count++;
    }
    return count;
}

struct row_figures {
    uint32_t count;
    uint64_t elapsed, self, first, last;
    uint64_t memory; /* in use when the last one ended */
};

static struct row_figures figures_of(const struct cps_app *app, const struct cps_held *held,
                                     uint32_t node)
{
    struct row_figures figures = {.count = repeated(held, &app->spans.tree, node)};

    for (uint32_t i = 0; i < figures.count; i++) {
        const struct cps_call *call = call_at(held, node + i);

        figures.elapsed += call->elapsed;
        figures.self += app->spans.tree.nodes[node + i].self;
        figures.last = call->start + call->elapsed - held->trace->start;
        figures.memory = call->memory;
    }
    figures.first = call_at(held, node)->start - held->trace->start;
    return figures;
}

/* Marks what passes the filter, and everything above it. */
static void keep_matching(struct cps_app *app, const struct cps_held *held)
{
    struct cps_spans_state *spans = &app->spans;

    memset(spans->kept, 0, spans->tree.count * sizeof(*spans->kept));
    for (uint32_t node = 0; node < spans->tree.count;) {
        struct row_figures figures = figures_of(app, held, node);
        struct cps_filter_row row = {
            .text = held->trace->names[call_at(held, node)->name].data,
            .duration = figures.elapsed,
            .calls = figures.count,
            .share = held->duration ? 100.0 * (double)figures.elapsed / (double)held->duration : 0,
        };

        if (cps_filter_matches_row(app->finder.compiled, &row)) {
            for (uint32_t up = node; up != CPS_TREE_NONE && !spans->kept[up];
                 up = spans->tree.nodes[up].parent)
                spans->kept[up] = true;
        }
        node += figures.count;
    }
}

/* With a filter everything that it keeps is shown, folded or not. */
static void list_rows(struct cps_app *app, const struct cps_held *held)
{
    struct cps_spans_state *spans = &app->spans;
    bool filtered = app->finder.compiled;
    uint32_t node = 0;

    if (filtered)
        keep_matching(app, held);
    spans->listed = app->finder.generation;
    spans->row_count = 0;
    while (node < spans->tree.count) {
        uint32_t count = repeated(held, &spans->tree, node);

        if (!filtered || spans->kept[node])
            spans->rows[spans->row_count++] = node;
        if (count > 1)
            node += count;
        else
            node = spans->folded[node] && !filtered ? spans->tree.nodes[node].next : node + 1;
    }
}

/* Everything is folded that takes less than a hundredth of the request, so that the first look is
 * short. */
static void fold_small(struct cps_spans_state *spans, const struct cps_held *held)
{
    for (size_t i = 0; i < spans->tree.count; i++)
        spans->folded[i] = spans->tree.nodes[i].children &&
                           call_at(held, (uint32_t)i)->elapsed < held->duration / 100;
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
    spans->rows = calloc(held->trace->call_count + 1, sizeof(*spans->rows));
    spans->folded = calloc(held->trace->call_count + 1, sizeof(*spans->folded));
    spans->kept = calloc(held->trace->call_count + 1, sizeof(*spans->kept));
    if (!spans->rows || !spans->folded || !spans->kept ||
        cps_tree_build(held->trace, &spans->tree)) {
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

static void draw_name(const struct cps_app *app, struct cps_canvas *canvas, int row,
                      const struct cps_held *held, uint32_t node, int width, uint32_t count)
{
    const struct cps_tree_node *at = &app->spans.tree.nodes[node];
    const struct cps_string *name = &held->trace->names[call_at(held, node)->name];
    int indent = 3 + (int)(at->depth < 40 ? at->depth : 40) * 2;
    char repeat[32];

    if (indent > width / 2)
        indent = width / 2;
    if (at->children && canvas->ascii)
        cps_canvas_text(canvas, row, indent - 2, 1, CPS_STYLE_DIM,
                        app->spans.folded[node] ? "+" : "-");
    else if (at->children)
        cps_canvas_text(canvas, row, indent - 2, 1, CPS_STYLE_DIM,
                        app->spans.folded[node] ? "▸" : "▾");
    indent += cps_canvas_tail(canvas, row, indent, width - indent - (count > 1 ? 8 : 0),
                              CPS_STYLE_NORMAL, name->data, name->length);
    if (count > 1) {
        (void)snprintf(repeat, sizeof(repeat), canvas->ascii ? " x%u" : " ×%u", count);
        cps_canvas_text(canvas, row, indent, width - indent, CPS_STYLE_BOLD, repeat);
    }
}

static void draw_row(const struct cps_app *app, struct cps_canvas *canvas, int row,
                     const struct layout *at, const struct cps_held *held, uint32_t node)
{
    struct row_figures figures = figures_of(app, held, node);
    char text[CPS_FORMAT_SIZE];

    draw_name(app, canvas, row, held, node, at->name_width, figures.count);
    if (at->axis)
        cps_canvas_span(canvas, row, at->axis, at->axis_width, style_of(held, figures.self),
                        figures.first, figures.last, held->duration);
    cps_canvas_right(canvas, row, at->numbers, 10, CPS_STYLE_NORMAL,
                     cps_format_duration(text, figures.elapsed));
    cps_canvas_right(canvas, row, at->numbers + 10, at->self, CPS_STYLE_NORMAL,
                     cps_format_duration(text, figures.self));
    cps_canvas_right(canvas, row, at->numbers + at->self + 10, at->memory, CPS_STYLE_NORMAL,
                     cps_format_bytes(text, figures.memory));
    cps_canvas_right(canvas, row, at->numbers + at->self + at->memory + 10, 6, CPS_STYLE_BOLD,
                     cps_format_share(text, figures.elapsed, held->duration));
}

static size_t shown_calls(const struct cps_app *app, const struct cps_held *held)
{
    size_t count = 0;

    for (size_t i = 0; i < app->spans.row_count; i++)
        count += repeated(held, &app->spans.tree, app->spans.rows[i]);
    return count;
}

static void draw_head(const struct cps_app *app, struct cps_canvas *canvas, int row,
                      const struct layout *at, const struct cps_held *held)
{
    char text[CPS_FORMAT_SIZE];

    if (app->finder.compiled)
        cps_canvas_format(canvas, row, 3, at->name_width, CPS_STYLE_ACCENT,
                          "FUNCTION   %zu of %zu calls shown", shown_calls(app, held),
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

    draw_head(app, canvas, top++, &at, held);
    cps_list_fit(list, app->spans.row_count, (size_t)(bottom > top ? bottom - top : 0));
    for (size_t i = 0; i < list->height && list->top + i < app->spans.row_count; i++) {
        int row = top + (int)i;

        draw_row(app, canvas, row, &at, held, app->spans.rows[list->top + i]);
        if (list->top + i == list->cursor)
            cps_canvas_select(canvas, row);
    }
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

/* Unfolds what is above a node and puts the cursor on its row. */
static void walk_to(struct cps_app *app, const struct cps_held *held, uint32_t node)
{
    struct cps_spans_state *spans = &app->spans;

    for (uint32_t up = spans->tree.nodes[node].parent; up != CPS_TREE_NONE;
         up = spans->tree.nodes[up].parent)
        spans->folded[up] = false;
    list_rows(app, held);
    for (size_t i = 0; i < spans->row_count && spans->rows[i] <= node; i++)
        spans->list.cursor = i;
}

/* From the top into the longest child, until none is below. */
static void walk_hottest(struct cps_app *app, const struct cps_held *held)
{
    const struct cps_tree *tree = &app->spans.tree;
    uint32_t at = CPS_TREE_NONE, from = 0, end = (uint32_t)tree->count;

    while (from < end) {
        uint32_t best = from;

        for (uint32_t i = from; i < end; i = tree->nodes[i].next) {
            if (call_at(held, i)->elapsed > call_at(held, best)->elapsed)
                best = i;
        }
        at = best;
        from = best + 1;
        end = tree->nodes[best].next;
    }
    if (at != CPS_TREE_NONE)
        walk_to(app, held, at);
}

/* Puts the cursor on the longest call of a function, where one was kept. */
static bool walk_to_function(struct cps_app *app, const struct cps_held *held, uint32_t name)
{
    struct cps_spans_state *spans = &app->spans;
    uint32_t best = CPS_TREE_NONE;

    for (uint32_t i = 0; i < spans->tree.count; i++) {
        if (call_at(held, i)->name == name &&
            (best == CPS_TREE_NONE || call_at(held, i)->elapsed > call_at(held, best)->elapsed))
            best = i;
    }
    if (best != CPS_TREE_NONE)
        walk_to(app, held, best);
    return best != CPS_TREE_NONE;
}

/* To its call in the tree; where its calls were too short to be kept, to its row of Totals. */
static void walk_to_finding(struct cps_app *app, const struct cps_held *held,
                            const struct cps_finding *finding)
{
    if (finding->name == CPS_FINDING_NONE) {
        cps_app_over(app, &cps_view_cache);
    } else if (!walk_to_function(app, held, finding->name)) {
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

    return held && walk_to_function(app, held, name);
}

static void fold(struct cps_app *app, const struct cps_held *held, bool folded)
{
    struct cps_spans_state *spans = &app->spans;
    uint32_t node;

    if (!spans->row_count)
        return;
    node = spans->rows[spans->list.cursor];
    if (folded && (spans->folded[node] || !spans->tree.nodes[node].children) &&
        spans->tree.nodes[node].parent != CPS_TREE_NONE) {
        walk_to(app, held, spans->tree.nodes[node].parent);
        return;
    }
    spans->folded[node] = folded && spans->tree.nodes[node].children;
    list_rows(app, held);
}

static void fold_all(struct cps_app *app, const struct cps_held *held, bool folded)
{
    for (size_t i = 0; i < app->spans.tree.count; i++)
        app->spans.folded[i] = folded && app->spans.tree.nodes[i].children;
    list_rows(app, held);
}

/* The function in the row of the cursor; false where there is no row. */
static bool name_here(const struct cps_app *app, const struct cps_held *held, uint32_t *name)
{
    const struct cps_spans_state *spans = &app->spans;

    if (spans->list.cursor >= spans->row_count)
        return false;
    *name = call_at(held, spans->rows[spans->list.cursor])->name;
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
        cps_app_save(app, held);
        return true;
    default:
        return false;
    }
}

static bool key_to_fold(struct cps_app *app, const struct cps_held *held, int pressed)
{
    switch (pressed) {
    case CPS_KEY_ENTER:
        if (app->spans.list.cursor < app->spans.row_count)
            fold(app, held, !app->spans.folded[app->spans.rows[app->spans.list.cursor]]);
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
    "O C",   "unfold, fold everything",
    "h",     "walk the hottest path",
    "n",     "walk to the next finding",
    "f",     "flame graph",
    "t",     "this function in Totals",
    "c",     "callers and callees of this function",
    "d",     "Drupal cache events",
    "e",     "save the request to a file",
    "/",     "filter: name, >10ms, share:>5%, calls:>10, /regex/, !term",
    "esc",   "back to Search",
    NULL};

const struct cps_view cps_page_spans = {
    .title = "Spans",
    .draw = draw,
    .key = key,
    .hint = "enter fold   n finding   h hottest path   f flame   t totals   c callers   esc back",
    .help = help,
};
