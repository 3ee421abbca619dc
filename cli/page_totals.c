/* SPDX-License-Identifier: Apache-2.0 */
/* Totals: every function of the open request, with every call counted, those under the threshold
 * too. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

static const char *const order_names[CPS_BY_COUNT] = {"self time", "inclusive time", "calls",
                                                      "longest call", "name"};

struct sort {
    const struct cps_held *held;
    enum cps_totals_order order;
    int sign;
};

static uint64_t value_of(const struct cps_function *function, enum cps_totals_order order)
{
    switch (order) {
    case CPS_BY_INCLUSIVE:
        return function->elapsed;
    case CPS_BY_CALLS:
        return function->calls;
    case CPS_BY_LONGEST:
        return function->longest;
    default:
        return function->self;
    }
}

static int compare(const void *left, const void *right, void *context)
{
    const struct sort *sort = context;
    const struct cps_function *a = &sort->held->totals.functions[*(const uint32_t *)left];
    const struct cps_function *b = &sort->held->totals.functions[*(const uint32_t *)right];
    uint64_t x = value_of(a, sort->order), y = value_of(b, sort->order);

    if (sort->order == CPS_BY_NAME) {
        int order =
            strcmp(sort->held->trace->names[a->name].data, sort->held->trace->names[b->name].data);

        return sort->sign * order;
    }
    if (x != y)
        return x < y ? sort->sign : -sort->sign;
    return a->name < b->name ? -1 : a->name > b->name;
}

static void sort_rows(struct cps_app *app, const struct cps_held *held)
{
    struct cps_totals_state *totals = &app->totals;
    struct sort sort = {.held = held, .order = totals->order, .sign = totals->reversed ? -1 : 1};

    totals->listed = app->finder.generation;
    totals->row_count = 0;
    for (size_t i = 0; i < held->totals.function_count; i++) {
        const struct cps_function *function = &held->totals.functions[i];
        struct cps_filter_row row = {
            .text = held->trace->names[function->name].data,
            .duration = function->elapsed,
            .calls = function->calls,
            .share = cps_format_percent(function->self, held->duration),
        };

        if (cps_filter_matches_row(app->finder.compiled, &row))
            totals->rows[totals->row_count++] = (uint32_t)i;
    }
    qsort_r(totals->rows, totals->row_count, sizeof(*totals->rows), compare, &sort);
}

static struct cps_held *load(struct cps_app *app)
{
    struct cps_totals_state *totals = &app->totals;
    struct cps_held *held = cps_app_open(app);

    if (held && totals->rows && totals->serial == held->serial) {
        if (totals->listed != app->finder.generation)
            sort_rows(app, held);
        return held;
    }
    free(totals->rows);
    totals->rows = NULL;
    totals->row_count = 0;
    if (!held)
        return NULL;
    totals->rows = calloc(held->totals.function_count + 1, sizeof(*totals->rows));
    if (!totals->rows)
        return NULL;
    totals->serial = held->serial;
    totals->list = (struct cps_list){0};
    sort_rows(app, held);
    return held;
}

/* Columns from the right; narrow terminals lose the bar, then the longest call. */
struct layout {
    int name_width, calls, self, bar, inclusive, longest, share;
};

static struct layout fit(int width)
{
    struct layout at = {
        .share = width - 7, .longest = width - 17, .inclusive = width - 27, .bar = width - 38};

    if (width < 100)
        at.bar = 0;
    if (width < 70) {
        at.longest = 0;
        at.inclusive = width - 17;
    }
    at.self = (at.bar ? at.bar : at.inclusive) - 10;
    at.calls = at.self - 9;
    at.name_width = at.calls - 4;
    return at;
}

static void draw_head(const struct cps_app *app, struct cps_canvas *canvas, int row,
                      const struct layout *at)
{
    static const char *const titles[] = {"SELF", "INCLUSIVE", "CALLS", "LONGEST", "FUNCTION"};
    const int columns[] = {at->self, at->inclusive, at->calls, at->longest, 3};
    const int widths[] = {9, 9, 8, 9, 8};

    for (int i = 0; i < CPS_BY_COUNT; i++) {
        enum cps_style style = i == (int)app->totals.order ? CPS_STYLE_ACCENT : CPS_STYLE_DIM;

        if (columns[i])
            cps_canvas_right(canvas, row, columns[i], widths[i], (uint8_t)style, titles[i]);
    }
    cps_canvas_right(canvas, row, at->share, 6, CPS_STYLE_DIM, "SHARE");
}

static void draw_row(struct cps_canvas *canvas, int row, const struct layout *at,
                     const struct cps_held *held, const struct cps_function *function)
{
    const struct cps_string *name = &held->trace->names[function->name];
    char text[CPS_FORMAT_SIZE];

    cps_canvas_tail(canvas, row, 3, at->name_width, CPS_STYLE_NORMAL, name->data, name->length);
    cps_canvas_right(canvas, row, at->calls, 8, CPS_STYLE_NORMAL,
                     cps_format_grouped(text, function->calls));
    cps_canvas_right(canvas, row, at->self, 9, CPS_STYLE_BOLD,
                     cps_format_duration(text, function->self));
    if (at->bar)
        cps_canvas_bar(canvas, row, at->bar + 1, 9, CPS_STYLE_ACCENT, function->self,
                       held->duration);
    cps_canvas_right(canvas, row, at->inclusive, 9, CPS_STYLE_NORMAL,
                     cps_format_duration(text, function->elapsed));
    if (at->longest)
        cps_canvas_right(canvas, row, at->longest, 9, CPS_STYLE_NORMAL,
                         cps_format_duration(text, function->longest));
    cps_canvas_right(canvas, row, at->share, 6, CPS_STYLE_NORMAL,
                     cps_format_share(text, function->self, held->duration));
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    struct cps_held *held = load(app);
    struct cps_list *list = &app->totals.list;
    struct layout at = fit(canvas->columns);
    size_t end;

    if (!held) {
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "No request is open: enter on Search opens one.");
        return;
    }
    cps_canvas_format(canvas, top, 1, canvas->columns - 1, CPS_STYLE_DIM,
                      "%s%s%s   %zu of %zu functions by %s%s%s", held->trace->method.data,
                      held->trace->method.length ? " " : "", held->trace->uri.data,
                      app->totals.row_count, held->totals.function_count,
                      order_names[app->totals.order], app->totals.reversed ? ", reversed" : "",
                      held->totals.exact ? "" : "   only calls over the threshold are known");
    draw_head(app, canvas, top + 1, &at);
    top += 2;
    end = cps_list_fit(list, app->totals.row_count, top, bottom);
    for (size_t i = list->top; i < end; i++)
        draw_row(canvas, top + (int)(i - list->top), &at, held,
                 &held->totals.functions[app->totals.rows[i]]);
    cps_list_select(list, app->totals.row_count, canvas, top);
}

void cps_page_totals_find(struct cps_app *app, uint32_t name)
{
    const struct cps_held *held = load(app);

    for (size_t i = 0; held && i < app->totals.row_count; i++) {
        if (held->totals.functions[app->totals.rows[i]].name == name)
            app->totals.list.cursor = i;
    }
}

/* Keys that do something with the function under the cursor. */
static bool key_of_function(struct cps_app *app, const struct cps_held *held, int pressed)
{
    const struct cps_totals_state *totals = &app->totals;
    uint32_t name;

    if (totals->list.cursor >= totals->row_count)
        return false;
    name = held->totals.functions[totals->rows[totals->list.cursor]].name;
    switch (pressed) {
    case CPS_KEY_ENTER:
    case 'c':
        cps_view_callers_open(app, name);
        return true;
    case 't':
        if (cps_page_spans_find(app, name))
            cps_app_show(app, CPS_PAGE_SPANS, held->serial);
        else
            cps_app_tell(app, "none of its calls took longer than the threshold");
        return true;
    default:
        return false;
    }
}

static bool key(struct cps_app *app, int pressed)
{
    struct cps_totals_state *totals = &app->totals;
    struct cps_held *held = load(app);

    if (!held)
        return false;
    if (cps_list_key(&totals->list, totals->row_count, pressed) ||
        key_of_function(app, held, pressed))
        return true;
    if (pressed == 's')
        totals->order = (totals->order + 1) % CPS_BY_COUNT;
    else if (pressed == 'r')
        totals->reversed = !totals->reversed;
    else if (pressed == 'e')
        cps_view_save_open(app, held);
    else
        return false;
    sort_rows(app, held);
    return true;
}

static const char *const help[] = {
    "enter", "callers above, callees below",
    "t",     "the longest call of this function in Spans",
    "s",     "sort by the next column",
    "r",     "reverse the order",
    "e",     "save the request in one of six formats",
    "/",     "filter: name, >10ms, share:>5%, calls:>1000, /regex/, !term",
    "esc",   "back to Search",
    NULL};

const struct cps_view cps_page_totals = {
    .title = "Totals",
    .draw = draw,
    .key = key,
    .hint = "enter callers   t in spans   s sort   r reverse   / filter   esc back",
    .help = help,
};
