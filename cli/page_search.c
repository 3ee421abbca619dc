/* SPDX-License-Identifier: Apache-2.0 */
/* Search: requests as they arrive, each with its suspect. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

static const char *const order_names[CPS_ORDER_COUNT] = {"newest first", "slowest first",
                                                         "most calls first", "most memory first"};

/* Columns, dropped from the last priority up where the terminal is narrow: the suspect stays longer
 * than the number of calls. */
struct columns {
    int duration, bar, calls, peak, hottest, request;
};

static uint64_t order_value(const struct cps_held *held, enum cps_search_order order)
{
    switch (order) {
    case CPS_ORDER_DURATION:
        return held->duration;
    case CPS_ORDER_CALLS:
        return held->calls;
    case CPS_ORDER_MEMORY:
        return held->trace->max_memory;
    default:
        return held->serial;
    }
}

static int compare(const void *left, const void *right, void *context)
{
    const struct cps_app *app = context;
    const struct cps_held *a = *(const struct cps_held *const *)left;
    const struct cps_held *b = *(const struct cps_held *const *)right;
    uint64_t x = order_value(a, app->search.order), y = order_value(b, app->search.order);
    int sign = app->search.reversed ? -1 : 1;

    if (x != y)
        return x < y ? sign : -sign;
    return a->serial < b->serial ? sign : -sign;
}

/* What a filter says about a trace is kept until there is another filter: a term may have to look
 * at every name of every trace. */
bool cps_page_search_passes(const struct cps_app *app, struct cps_held *held)
{
    if (held->filtered != app->filter.generation) {
        held->passes = cps_filter_matches(app->filter.compiled, held);
        held->filtered = app->filter.generation;
    }
    return held->passes || !app->filter.compiled;
}

/* Those that are shown, in their order; how many. The model has them in order of time. */
static size_t pick(const struct cps_app *app, const struct cps_held **out)
{
    const struct cps_search_state *search = &app->search;
    size_t count = 0;

    for (size_t i = 0; i < app->model.count; i++) {
        size_t at = search->reversed ? i : app->model.count - 1 - i;
        struct cps_held *held = app->model.held[at];

        if ((!search->paused || held->serial <= search->paused_at) &&
            cps_page_search_passes(app, held))
            out[count++] = held;
    }
    if (search->order != CPS_ORDER_TIME)
        qsort_r(out, count, sizeof(const struct cps_held *), compare, (void *)app);
    return count;
}

/* Lists the rows, and puts the cursor back on the trace that was selected. The longest duration
 * among them. */
static uint64_t refresh(struct cps_app *app)
{
    struct cps_search_state *search = &app->search;
    uint64_t *rows = realloc(search->rows, (app->model.count + 1) * sizeof(*rows));
    const struct cps_held **shown = calloc(app->model.count + 1, sizeof(const struct cps_held *));
    uint64_t most = 0;

    if (rows)
        search->rows = rows;
    search->row_count = rows && shown ? pick(app, shown) : 0;
    if (!search->selected)
        search->list.cursor = 0;
    for (size_t i = 0; i < search->row_count; i++) {
        rows[i] = shown[i]->serial;
        if (rows[i] == search->selected)
            search->list.cursor = i;
        if (shown[i]->duration > most)
            most = shown[i]->duration;
    }
    free(shown);
    return most;
}

static struct columns fit(int width)
{
    struct columns at = {
        .duration = 30, .bar = 40, .calls = 51, .peak = 58, .hottest = 67, .request = 103};

    if (width < 120) {
        at.hottest = 58;
        at.peak = 0;
        at.request = width >= 100 ? 88 : 0;
    }
    if (width < 100) {
        at.bar = 0;
        at.calls = 41;
        at.hottest = 49;
        at.request = 71;
    }
    if (width < 88) {
        at.calls = 0;
        at.hottest = 41;
        at.request = 63;
    }
    if (width < 72) {
        at.calls = 41;
        at.hottest = 0;
        at.request = 49;
    }
    if (width < 60) {
        at.calls = 0;
        at.request = 41;
    }
    return at;
}

static void draw_status(struct cps_canvas *canvas, int row, const struct cps_trace *trace)
{
    bool failed = trace->status >= 500,
         ended = trace->outcome != CPS_OUTCOME_ABORTED && trace->outcome != CPS_OUTCOME_EXPIRED;

    if (trace->status)
        cps_canvas_format(canvas, row, 24, 3, failed ? CPS_STYLE_ERROR : CPS_STYLE_NORMAL, "%u",
                          trace->status);
    else
        cps_canvas_text(canvas, row, 24, 3, CPS_STYLE_DIM, "-");
    if (failed)
        cps_canvas_text(canvas, row, 28, 1, CPS_STYLE_ERROR, canvas->ascii ? "x" : "✗");
    else if (!ended)
        cps_canvas_text(canvas, row, 28, 1, CPS_STYLE_WARN, canvas->ascii ? "!" : "⚠");
    else if (trace->calls_dropped)
        cps_canvas_text(canvas, row, 28, 1, CPS_STYLE_DIM, "+");
}

static void draw_hottest(struct cps_canvas *canvas, int row, int column, int width,
                         const struct cps_held *held)
{
    char share[CPS_FORMAT_SIZE];
    const struct cps_function *hottest;
    const struct cps_string *name;

    if (held->hottest == CPS_MODEL_NONE)
        return;
    hottest = &held->totals.functions[held->hottest];
    name = &held->trace->names[hottest->name];
    cps_canvas_tail(canvas, row, column, width - 6, CPS_STYLE_ACCENT, name->data, name->length);
    cps_canvas_right(canvas, row, column + width - 5, 4, CPS_STYLE_NORMAL,
                     cps_format_share(share, hottest->self, held->duration));
}

static void draw_row(struct cps_canvas *canvas, int row, const struct columns *at,
                     const struct cps_held *held, uint64_t most)
{
    const struct cps_trace *trace = held->trace;
    const struct cps_string *method = &trace->method;
    char text[CPS_FORMAT_SIZE];

    cps_canvas_text(canvas, row, 3, 8, CPS_STYLE_DIM, cps_format_clock(text, trace->start, 0));
    cps_canvas_text(canvas, row, 12, 4, CPS_STYLE_NORMAL,
                    trace->runtime == CPS_RUNTIME_NODE ? "node" : "php");
    if (trace->source == CPS_SOURCE_CLI)
        cps_canvas_text(canvas, row, 17, 6, CPS_STYLE_DIM, "cli");
    else
        cps_canvas_put(canvas, row, 17, 6, CPS_STYLE_NORMAL, method->data, method->length);
    draw_status(canvas, row, trace);
    cps_canvas_right(canvas, row, at->duration, 9, CPS_STYLE_BOLD,
                     cps_format_duration(text, held->duration));
    if (at->bar)
        cps_canvas_bar(canvas, row, at->bar, 10, CPS_STYLE_ACCENT, held->duration, most);
    if (at->calls)
        cps_canvas_right(canvas, row, at->calls, 6, CPS_STYLE_NORMAL,
                         cps_format_count(text, held->calls));
    if (at->peak)
        cps_canvas_right(canvas, row, at->peak, 7, CPS_STYLE_NORMAL,
                         cps_format_bytes(text, trace->max_memory));
    if (at->hottest)
        draw_hottest(canvas, row, at->hottest,
                     (at->request ? at->request : canvas->columns) - at->hottest, held);
    if (at->request)
        cps_canvas_put(canvas, row, at->request, canvas->columns - at->request, CPS_STYLE_NORMAL,
                       trace->uri.data, trace->uri.length);
}

static void draw_head(struct cps_canvas *canvas, int row, const struct columns *at)
{
    cps_canvas_text(canvas, row, 3, 60, CPS_STYLE_DIM, "TIME     FROM METHOD ST");
    cps_canvas_right(canvas, row, at->duration, 9, CPS_STYLE_DIM, "DURATION");
    if (at->calls)
        cps_canvas_right(canvas, row, at->calls, 6, CPS_STYLE_DIM, "CALLS");
    if (at->peak)
        cps_canvas_right(canvas, row, at->peak, 7, CPS_STYLE_DIM, "PEAK");
    if (at->hottest)
        cps_canvas_text(canvas, row, at->hottest, 30, CPS_STYLE_DIM, "HOTTEST BY SELF TIME");
    if (at->request)
        cps_canvas_text(canvas, row, at->request, 30, CPS_STYLE_DIM, "REQUEST");
}

static void draw_state(const struct cps_app *app, struct cps_canvas *canvas, int row)
{
    const struct cps_search_state *search = &app->search;
    char text[160], pending[32] = "", gone[CPS_FORMAT_SIZE + 16] = "", count[CPS_FORMAT_SIZE];

    if (search->paused)
        (void)snprintf(pending, sizeof(pending), "%zu more since",
                       (size_t)(app->model.next_serial - 1 - search->paused_at));
    if (app->model.discarded)
        (void)snprintf(gone, sizeof(gone), ", %s discarded",
                       cps_format_grouped(count, app->model.discarded));
    (void)snprintf(text, sizeof(text), "%zu of %zu shown%s   %s%s   %s %s", search->row_count,
                   app->model.count, gone, search->reversed ? "reversed, " : "",
                   order_names[search->order],
                   search->paused     ? "paused,"
                   : search->selected ? "holding the selection"
                                      : "following",
                   pending);
    cps_canvas_right(canvas, row, 0, canvas->columns - 1, CPS_STYLE_DIM, text);
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    struct cps_search_state *search = &app->search;
    struct cps_list *list = &search->list;
    struct columns at = fit(canvas->columns);
    uint64_t most = refresh(app);
    size_t end;

    draw_state(app, canvas, top);
    draw_head(canvas, top + 1, &at);
    top += 2;
    end = cps_list_fit(list, search->row_count, top, bottom);
    for (size_t i = list->top; i < end; i++) {
        const struct cps_held *held = cps_model_find(&app->model, search->rows[i]);
        int row = top + (int)(i - list->top);

        if (held)
            draw_row(canvas, row, &at, held, most);
        if (held && held->serial == app->marked)
            cps_canvas_text(canvas, row, 2, 1, CPS_STYLE_WARN, canvas->ascii ? "*" : "◆");
        if (i == list->cursor)
            cps_canvas_text(canvas, row, 1, 1, CPS_STYLE_ACCENT, canvas->ascii ? ">" : "▌");
    }
    cps_list_select(list, search->row_count, canvas, top);
    if (!app->model.count)
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "No request yet. They appear here as the application serves them.");
}

/* The request in the row of the cursor; NULL where that is empty, or gone since it was drawn. */
static struct cps_held *selected(const struct cps_app *app)
{
    const struct cps_search_state *search = &app->search;

    if (search->list.cursor >= search->row_count)
        return NULL;
    return cps_model_find(&app->model, search->rows[search->list.cursor]);
}

static void mark(struct cps_app *app)
{
    const struct cps_held *held = selected(app);

    if (!held)
        return;
    app->marked = held->serial == app->marked ? 0 : held->serial;
    cps_app_tell(app, app->marked ? "marked; = on another request compares the two" : "not marked");
}

static void compare_marked(struct cps_app *app)
{
    const struct cps_held *held = selected(app), *marked = cps_model_find(&app->model, app->marked);

    if (!held || !marked || held == marked) {
        cps_app_tell(app, "m marks a request; then = on another one compares the two");
        return;
    }
    app->over.before = marked->serial;
    app->over.after = held->serial;
    cps_app_over(app, &cps_view_compare);
}

/* Keys that do something with the request under the cursor. */
static bool key_of_request(struct cps_app *app, int pressed)
{
    struct cps_held *held = selected(app);

    switch (pressed) {
    case CPS_KEY_ENTER:
        if (held)
            cps_app_show(app, CPS_PAGE_SPANS, held->serial);
        return true;
    case 'm':
        mark(app);
        return true;
    case '=':
        compare_marked(app);
        return true;
    case 'e':
        if (held)
            cps_view_save_open(app, held);
        return true;
    default:
        return false;
    }
}

static bool key(struct cps_app *app, int pressed)
{
    struct cps_search_state *search = &app->search;

    if (cps_list_key(&search->list, search->row_count, pressed)) {
        bool newest = !search->list.cursor && search->order == CPS_ORDER_TIME && !search->reversed;

        search->selected = newest || !search->row_count ? 0 : search->rows[search->list.cursor];
        return true;
    }
    switch (pressed) {
    case 's':
        search->order = (search->order + 1) % CPS_ORDER_COUNT;
        return true;
    case 'r':
        search->reversed = !search->reversed;
        return true;
    case 'p':
        search->paused = !search->paused;
        search->paused_at = app->model.next_serial - 1;
        return true;
    case 'g':
        cps_app_over(app, &cps_view_routes);
        return true;
    default:
        return key_of_request(app, pressed);
    }
}

static const char *const help[] = {
    "enter", "open the request",
    "s",     "sort by the next column",
    "r",     "reverse the order",
    "p",     "pause the list; arrivals are counted",
    "g",     "routes: requests grouped by method and path",
    "m",     "mark the request to compare with",
    "=",     "compare the marked request with this one",
    "e",     "save the request in one of six formats",
    "/",     "filter: text, >250ms, status:5xx, method:POST, runtime:node,",
    "",      "source:cli, calls:>1000, share:>5%, path:/x, /regex/, !term",
    NULL};

const struct cps_view cps_page_search = {
    .title = "Search",
    .draw = draw,
    .key = key,
    .hint = "enter open   / filter   s sort   p pause   g routes   m mark   = compare   e save",
    .help = help,
};
