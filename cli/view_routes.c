/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: the requests of Search grouped by method and path, most time in all first. */
#include <string.h>

#include "app.h"
#include "clock.h"
#include "format.h"
#include "routes.h"
#include "screen.h"

/* For the routes of many requests: no more than a tenth of the time is spent on them. */
#define PAUSE_FACTOR 10

static bool passes(const void *context, struct cps_held *held)
{
    return cps_page_search_passes(context, held);
}

/* The cursor stays on its route, wherever that is now; on the first row it stays there. */
static void follow(struct cps_list *list, const struct cps_routes *old,
                   const struct cps_routes *routes)
{
    const char *name =
        list->cursor && list->cursor < old->count ? old->items[list->cursor].name : NULL;

    for (size_t i = 0; name && i < routes->count; i++) {
        if (strcmp(routes->items[i].name, name) == 0)
            list->cursor = i;
    }
}

/* Builds the routes where there is something new, at once for a filter, for arrivals when it is
 * time. Where memory is short the old ones stay. */
static void refresh(struct cps_app *app)
{
    struct cps_over_state *over = &app->over;
    uint64_t seen = app->model.next_serial + app->model.discarded;
    int64_t now = cps_clock_ms();
    struct cps_routes routes;

    if (over->routes.items && over->routes_filter == app->filter.generation &&
        (over->routes_seen == seen || now < over->routes_due))
        return;
    if (cps_routes_build(app->model.held, app->model.count, passes, app, &routes))
        return;
    follow(&over->list, &over->routes, &routes);
    cps_routes_free(&over->routes);
    over->routes = routes;
    over->routes_seen = seen;
    over->routes_filter = app->filter.generation;
    over->routes_due = cps_clock_ms() + PAUSE_FACTOR * (cps_clock_ms() - now);
}

/* From the right; narrow terminals lose the hottest function, then the share's bar. */
struct layout {
    int count, p50, p95, longest, share, bar, hottest, name_width;
};

static struct layout fit(int width)
{
    struct layout at = {.bar = width >= 90 ? 10 : 0, .hottest = width >= 110 ? 32 : 0};
    int right = width - 1 - at.hottest - at.bar;

    at.share = right - 6;
    at.longest = at.share - 9;
    at.p95 = at.longest - 9;
    at.p50 = at.p95 - 9;
    at.count = at.p50 - 7;
    at.name_width = at.count - 4;
    return at;
}

static void draw_head(struct cps_canvas *canvas, int row, const struct layout *at)
{
    cps_canvas_text(canvas, row, 3, at->name_width, CPS_STYLE_DIM, "ROUTE");
    cps_canvas_right(canvas, row, at->count, 6, CPS_STYLE_DIM, "COUNT");
    cps_canvas_right(canvas, row, at->p50, 8, CPS_STYLE_DIM, "P50");
    cps_canvas_right(canvas, row, at->p95, 8, CPS_STYLE_DIM, "P95");
    cps_canvas_right(canvas, row, at->longest, 8, CPS_STYLE_DIM, "LONGEST");
    cps_canvas_right(canvas, row, at->share, 5, CPS_STYLE_DIM, "TIME");
    if (at->hottest)
        cps_canvas_text(canvas, row, canvas->columns - at->hottest, at->hottest, CPS_STYLE_DIM,
                        "HOTTEST IN THE LONGEST");
}

static void draw_hottest(struct cps_canvas *canvas, int row, int width, const struct cps_held *held)
{
    const struct cps_string *name;

    if (!width || !held || held->hottest == CPS_MODEL_NONE)
        return;
    name = &held->trace->names[held->totals.functions[held->hottest].name];
    cps_canvas_tail(canvas, row, canvas->columns - width, width - 1, CPS_STYLE_ACCENT, name->data,
                    name->length);
}

static void draw_row(const struct cps_app *app, struct cps_canvas *canvas, int row,
                     const struct layout *at, const struct cps_route *route)
{
    uint64_t total = app->over.routes.total;
    char text[CPS_FORMAT_SIZE];

    cps_canvas_text(canvas, row, 3, at->name_width, CPS_STYLE_NORMAL, route->name);
    cps_canvas_right(canvas, row, at->count, 6, CPS_STYLE_NORMAL,
                     cps_format_count(text, route->count));
    cps_canvas_right(canvas, row, at->p50, 8, CPS_STYLE_NORMAL,
                     cps_format_duration(text, route->p50));
    cps_canvas_right(canvas, row, at->p95, 8, CPS_STYLE_BOLD,
                     cps_format_duration(text, route->p95));
    cps_canvas_right(canvas, row, at->longest, 8, CPS_STYLE_NORMAL,
                     cps_format_duration(text, route->longest));
    cps_canvas_right(canvas, row, at->share, 5, CPS_STYLE_NORMAL,
                     cps_format_share(text, route->total, total));
    if (at->bar)
        cps_canvas_bar(canvas, row, at->share + 6, at->bar - 1, CPS_STYLE_ACCENT, route->total,
                       total);
    draw_hottest(canvas, row, at->hottest, cps_model_find(&app->model, route->slowest));
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    const struct cps_routes *routes = &app->over.routes;
    struct cps_list *list = &app->over.list;
    struct layout at = fit(canvas->columns);
    size_t end;

    refresh(app);
    cps_canvas_format(canvas, top, 1, canvas->columns - 1, CPS_STYLE_DIM,
                      "Routes   %zu of %zu requests   most time in all first", routes->requests,
                      app->model.count);
    draw_head(canvas, top + 1, &at);
    top += 2;
    end = cps_list_fit(list, routes->count, top, bottom);
    app->over.row_count = routes->count;
    for (size_t i = list->top; i < end; i++)
        draw_row(app, canvas, top + (int)(i - list->top), &at, &routes->items[i]);
    cps_list_select(list, routes->count, canvas, top);
}

static void open_slowest(struct cps_app *app)
{
    const struct cps_routes *routes = &app->over.routes;

    if (app->over.list.cursor >= routes->count)
        return;
    if (cps_model_find(&app->model, routes->items[app->over.list.cursor].slowest))
        cps_app_show(app, CPS_PAGE_SPANS, routes->items[app->over.list.cursor].slowest);
    else
        cps_app_tell(app, "its longest request has been discarded to make room");
}

static bool key(struct cps_app *app, int pressed)
{
    if (cps_list_key(&app->over.list, app->over.row_count, pressed))
        return true;
    if (pressed != CPS_KEY_ENTER)
        return false;
    open_slowest(app);
    return true;
}

static const char *const help[] = {"enter", "open the longest request of the route", "esc",
                                   "back to Search", NULL};

const struct cps_view cps_view_routes = {
    .title = "Routes",
    .draw = draw,
    .key = key,
    .hint = "enter open the longest   esc back",
    .help = help,
};
