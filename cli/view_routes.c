/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: the requests of Search grouped by method and path, most time in all first. */
#include <string.h>

#include "app.h"
#include "format.h"
#include "routes.h"
#include "screen.h"

static bool passes(const void *context, const struct cps_held *held)
{
    return cps_filter_matches(context, held);
}

static int build(const struct cps_app *app, struct cps_routes *out)
{
    return cps_routes_build(app->model.held, app->model.count, passes, app->filter.compiled, out);
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

    if (!width || held->hottest == CPS_MODEL_NONE)
        return;
    name = &held->trace->names[held->totals.functions[held->hottest].name];
    cps_canvas_tail(canvas, row, canvas->columns - width, width - 1, CPS_STYLE_ACCENT, name->data,
                    name->length);
}

static void draw_row(struct cps_canvas *canvas, int row, const struct layout *at,
                     const struct cps_route *route, uint64_t total)
{
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
    draw_hottest(canvas, row, at->hottest, route->slowest);
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    struct cps_list *list = &app->over.list;
    struct layout at = fit(canvas->columns);
    struct cps_routes routes;

    if (build(app, &routes))
        return;
    cps_canvas_format(canvas, top, 1, canvas->columns - 1, CPS_STYLE_DIM,
                      "Routes   %zu of %zu requests   most time in all first",
                      app->search.row_count, app->model.count);
    draw_head(canvas, top + 1, &at);
    cps_list_fit(list, routes.count, (size_t)(bottom - top > 2 ? bottom - top - 2 : 0));
    app->over.row_count = routes.count;
    for (size_t i = 0; i < list->height && list->top + i < routes.count; i++) {
        int row = top + 2 + (int)i;

        draw_row(canvas, row, &at, &routes.items[list->top + i], routes.total);
        if (list->top + i == list->cursor)
            cps_canvas_select(canvas, row);
    }
    cps_routes_free(&routes);
}

static void open_slowest(struct cps_app *app)
{
    struct cps_routes routes;
    uint64_t serial = 0;

    if (build(app, &routes))
        return;
    if (app->over.list.cursor < routes.count)
        serial = routes.items[app->over.list.cursor].slowest->serial;
    cps_routes_free(&routes);
    if (serial)
        cps_app_show(app, CPS_PAGE_SPANS, serial);
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
