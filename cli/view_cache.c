/* SPDX-License-Identifier: Apache-2.0 */
/* Cache: what Drupal code said about how long its output may be kept. What made the page
 * uncacheable comes first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

/* Not at all, then for so many seconds, then for ever. */
static int compare(const void *left, const void *right)
{
    const struct cps_cache_event *a = *(const struct cps_cache_event *const *)left;
    const struct cps_cache_event *b = *(const struct cps_cache_event *const *)right;
    uint64_t x = (uint64_t)a->max_age, y = (uint64_t)b->max_age; /* -1, permanent, is the most */

    if (x != y)
        return x < y ? -1 : 1;
    return a < b ? -1 : a > b;
}

static const struct cps_cache_event **sorted(const struct cps_trace *trace)
{
    const struct cps_cache_event **events =
        calloc(trace->cache_event_count + 1, sizeof(const struct cps_cache_event *));

    for (size_t i = 0; events && i < trace->cache_event_count; i++)
        events[i] = &trace->cache_events[i];
    if (events)
        qsort(events, trace->cache_event_count, sizeof(const struct cps_cache_event *), compare);
    return events;
}

static void draw_age(struct cps_canvas *canvas, int row, int64_t age)
{
    char text[CPS_FORMAT_SIZE];

    if (age == 0)
        cps_canvas_right(canvas, row, 1, 10, CPS_STYLE_ERROR, "never");
    else if (age < 0)
        cps_canvas_right(canvas, row, 1, 10, CPS_STYLE_DIM, "permanent");
    else if (age < INT64_C(9000000000))
        cps_canvas_right(canvas, row, 1, 10, CPS_STYLE_WARN,
                         cps_format_duration(text, (uint64_t)age * 1000000000));
    else
        cps_canvas_right(canvas, row, 1, 10, CPS_STYLE_DIM, "centuries");
}

static void draw_row(struct cps_canvas *canvas, int row, const struct cps_cache_event *event)
{
    int width = canvas->columns, caller = (width - 20) * 2 / 5, rest = 20 + caller + 1;
    int half = (width - rest) / 2;
    char text[CPS_FORMAT_SIZE];

    draw_age(canvas, row, event->max_age);
    cps_canvas_right(canvas, row, 12, 6, CPS_STYLE_NORMAL, cps_format_count(text, event->calls));
    cps_canvas_tail(canvas, row, 20, caller, CPS_STYLE_NORMAL, event->caller.data,
                    event->caller.length);
    cps_canvas_put(canvas, row, rest, half - 1, CPS_STYLE_NORMAL, event->tags.data,
                   event->tags.length);
    cps_canvas_put(canvas, row, rest + half, half, CPS_STYLE_NORMAL, event->contexts.data,
                   event->contexts.length);
}

static void draw_head(struct cps_canvas *canvas, int row)
{
    int width = canvas->columns, rest = 20 + (width - 20) * 2 / 5 + 1, half = (width - rest) / 2;

    cps_canvas_right(canvas, row, 1, 10, CPS_STYLE_DIM, "MAX AGE");
    cps_canvas_right(canvas, row, 12, 6, CPS_STYLE_DIM, "COUNT");
    cps_canvas_text(canvas, row, 20, 10, CPS_STYLE_DIM, "CALLER");
    cps_canvas_text(canvas, row, rest, half, CPS_STYLE_DIM, "TAGS");
    cps_canvas_text(canvas, row, rest + half, half, CPS_STYLE_DIM, "CONTEXTS");
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    const struct cps_held *held = cps_app_open(app);
    struct cps_list *list = &app->over.list;
    const struct cps_cache_event **events = held ? sorted(held->trace) : NULL;
    size_t end;

    if (!events)
        return;
    app->over.row_count = held->trace->cache_event_count;
    cps_canvas_format(canvas, top, 1, canvas->columns - 1, CPS_STYLE_DIM,
                      "Drupal cacheability   %zu caller%s   shortest first   %" PRIu64 " not kept",
                      held->trace->cache_event_count,
                      cps_format_plural(held->trace->cache_event_count),
                      held->trace->cache_events_dropped);
    draw_head(canvas, top + 1);
    top += 2;
    end = cps_list_fit(list, app->over.row_count, top, bottom);
    for (size_t i = list->top; i < end; i++)
        draw_row(canvas, top + (int)(i - list->top), events[i]);
    cps_list_select(list, app->over.row_count, canvas, top);
    free(events);
}

static bool key(struct cps_app *app, int pressed)
{
    return cps_list_key(&app->over.list, app->over.row_count, pressed);
}

static const char *const help[] = {"esc", "back to Spans", NULL};

const struct cps_view cps_view_cache = {
    .title = "Cache", .draw = draw, .key = key, .hint = "esc back", .help = help};
