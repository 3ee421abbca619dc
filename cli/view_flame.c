/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flame: the calls of the open request merged by stack, the widest is where the time went. The
 * selected box can be made to fill the width.
 *
 * Boxes get their places in one pass, since a node's parent always comes before it: each parent
 * keeps how much of its width its children have taken so far.
 */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

struct box {
    double left, width; /* in columns; a width of 0 is not shown */
    double taken;       /* by children, so far */
};

static const struct cps_string *name_of(const struct cps_held *held,
                                        const struct cps_flame_node *node)
{
    return node->name == CPS_FLAME_NONE ? &held->trace->uri : &held->trace->names[node->name];
}

void cps_view_flame_open(struct cps_app *app)
{
    struct cps_held *held = cps_app_open(app);

    cps_flame_free(&app->over.flame);
    app->over.flame_zoom = app->over.flame_node = 0;
    if (held && cps_flame_build(held->trace, &app->spans.tree, &app->over.flame) == 0)
        cps_app_over(app, &cps_view_flame);
}

static struct box *place(const struct cps_flame *flame, uint32_t zoom, int columns)
{
    struct box *boxes = calloc(flame->count, sizeof(*boxes));
    double scale = flame->nodes[zoom].total ? columns / (double)flame->nodes[zoom].total : 0;

    if (!boxes)
        return NULL;
    boxes[zoom].width = columns;
    for (uint32_t i = zoom + 1; i < flame->count; i++) {
        const struct cps_flame_node *node = &flame->nodes[i];
        struct box *parent = &boxes[node->parent];

        if (node->parent < zoom || parent->width <= 0)
            continue;
        boxes[i].left = parent->left + parent->taken;
        boxes[i].width = (double)node->total * scale;
        parent->taken += boxes[i].width;
    }
    return boxes;
}

/* What / edits on Spans and on what lies over it. */
static bool matches(const struct cps_app *app, uint32_t index, const struct cps_string *name)
{
    const struct cps_flame_node *node = &app->over.flame.nodes[index];
    uint64_t whole = app->over.flame.nodes[0].total;
    struct cps_filter_row row = {.text = name->data,
                                 .duration = node->total,
                                 .calls = node->calls,
                                 .share = cps_format_percent(node->total, whole)};

    return app->finder.compiled && cps_filter_matches_row(app->finder.compiled, &row);
}

static uint8_t style_of(const struct cps_app *app, uint32_t index, const struct cps_string *name)
{
    const struct cps_flame_node *node = &app->over.flame.nodes[index];
    uint64_t whole = app->over.flame.nodes[0].total;

    if (matches(app, index, name))
        return CPS_STYLE_BOLD;
    if (whole && node->self >= whole / 4)
        return CPS_STYLE_ERROR;
    return whole && node->self >= whole / 10 ? CPS_STYLE_WARN : CPS_STYLE_ACCENT;
}

/* A box is its name between bars; a narrow one is a bar alone. What is selected or lit up by the
 * filter is marked by a character too. */
static void draw_box(const struct cps_app *app, struct cps_canvas *canvas, int row,
                     const struct cps_held *held, uint32_t index, const struct box *box)
{
    const struct cps_string *name = name_of(held, &app->over.flame.nodes[index]);
    uint8_t style;
    int from = (int)box->left, to = (int)(box->left + box->width);
    bool selected = index == app->over.flame_node;

    if (to <= from)
        return;
    style = style_of(app, index, name);
    if (selected)
        style |= CPS_STYLE_SELECTED;
    for (int i = from; i < to; i++)
        cps_canvas_text(canvas, row, i, 1, style, " ");
    cps_canvas_text(canvas, row, from, 1, style,
                    selected                    ? ">"
                    : matches(app, index, name) ? "*"
                    : canvas->ascii             ? "|"
                                                : "▏");
    cps_canvas_put(canvas, row, from + 1, to - from - 1, style, name->data, name->length);
}

static void draw_selected(const struct cps_app *app, struct cps_canvas *canvas, int row,
                          const struct cps_held *held)
{
    const struct cps_flame_node *node = &app->over.flame.nodes[app->over.flame_node];
    char total[CPS_FORMAT_SIZE], self[CPS_FORMAT_SIZE], calls[CPS_FORMAT_SIZE];
    char share[CPS_FORMAT_SIZE];

    cps_canvas_format(canvas, row, 1, canvas->columns - 1, CPS_STYLE_BOLD,
                      "%s   %s (%s)   self %s   %s call%s", name_of(held, node)->data,
                      cps_format_duration(total, node->total),
                      cps_format_share(share, node->total, app->over.flame.nodes[0].total),
                      cps_format_duration(self, node->self), cps_format_grouped(calls, node->calls),
                      cps_format_plural(node->calls));
}

/* The first row shown, so that the selected box is among them. */
static uint32_t first_depth(const struct cps_app *app, uint32_t rows)
{
    const struct cps_flame *flame = &app->over.flame;
    uint32_t first = flame->nodes[app->over.flame_zoom].depth;
    uint32_t selected = flame->nodes[app->over.flame_node].depth;

    return rows && selected >= first + rows ? selected - rows + 1 : first;
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    const struct cps_held *held = cps_app_open(app);
    const struct cps_flame *flame = &app->over.flame;
    struct box *boxes =
        held && flame->count ? place(flame, app->over.flame_zoom, canvas->columns) : NULL;
    uint32_t rows = bottom > top + 2 ? (uint32_t)(bottom - top - 2) : 0, first;

    if (!boxes)
        return;
    draw_selected(app, canvas, top, held);
    cps_canvas_rule(canvas, top + 1);
    first = first_depth(app, rows);
    for (uint32_t i = app->over.flame_zoom; i < flame->count; i++) {
        uint32_t depth = flame->nodes[i].depth;

        if (boxes[i].width > 0 && depth >= first && depth < first + rows)
            draw_box(app, canvas, top + 2 + (int)(depth - first), held, i, &boxes[i]);
    }
    free(boxes);
}

static uint32_t widest_child(const struct cps_flame *flame, uint32_t index)
{
    uint32_t best = flame->nodes[index].first_child;

    for (uint32_t i = best; i != CPS_FLAME_NONE; i = flame->nodes[i].next_sibling) {
        if (flame->nodes[i].total > flame->nodes[best].total)
            best = i;
    }
    return best;
}

static uint32_t neighbour(const struct cps_flame *flame, uint32_t index, bool next)
{
    uint32_t parent = flame->nodes[index].parent, before = index;

    if (next || parent == CPS_FLAME_NONE)
        return next ? flame->nodes[index].next_sibling : CPS_FLAME_NONE;
    for (uint32_t i = flame->nodes[parent].first_child; i != index;
         i = flame->nodes[i].next_sibling)
        before = i;
    return before;
}

static void select_node(struct cps_app *app, uint32_t index)
{
    if (index != CPS_FLAME_NONE && index >= app->over.flame_zoom)
        app->over.flame_node = index;
}

static bool zoom_out(struct cps_app *app)
{
    if (app->over.flame_zoom == 0)
        return false;
    app->over.flame_node = app->over.flame_zoom;
    app->over.flame_zoom = app->over.flame.nodes[app->over.flame_zoom].parent;
    return true;
}

static bool key(struct cps_app *app, int pressed)
{
    const struct cps_flame *flame = &app->over.flame;
    uint32_t at = app->over.flame_node;

    if (!flame->count)
        return false;
    switch (pressed) {
    case CPS_KEY_UP:
    case 'k':
        select_node(app, flame->nodes[at].parent);
        return true;
    case CPS_KEY_DOWN:
    case 'j':
        select_node(app, widest_child(flame, at));
        return true;
    case CPS_KEY_LEFT:
    case CPS_KEY_RIGHT:
        if (at != app->over.flame_zoom)
            select_node(app, neighbour(flame, at, pressed == CPS_KEY_RIGHT));
        return true;
    case CPS_KEY_ENTER:
        app->over.flame_zoom = at;
        return true;
    case CPS_KEY_ESCAPE:
        return zoom_out(app);
    default:
        return false;
    }
}

static const char *const help[] = {"arrows", "walk: the caller, the widest call, its neighbours",
                                   "enter",  "let the box fill the width",
                                   "esc",    "zoom out, then back to Spans",
                                   "/",      "light up functions by name",
                                   NULL};

const struct cps_view cps_view_flame = {
    .title = "Flame",
    .draw = draw,
    .key = key,
    .hint = "arrows walk   enter zoom   / light up   esc zoom out, back",
    .help = help,
};
