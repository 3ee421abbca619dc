/* SPDX-License-Identifier: Apache-2.0 */
/* Compare: two requests function by function, the largest difference in self time, inclusive time
 * or calls first. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "compare.h"
#include "format.h"
#include "screen.h"

static const struct {
    const char *title, *less, *more;
} measures[CPS_COMPARE_COUNT] = {
    [CPS_COMPARE_SELF] = {"SELF", "faster", "slower"},
    [CPS_COMPARE_INCLUSIVE] = {"INCLUSIVE", "faster", "slower"},
    [CPS_COMPARE_CALLS] = {"CALLS", "fewer", "more"},
};

struct layout {
    int calls, before, after, difference, bar, bar_width, name_width;
};

/* Narrow terminals lose the bar, then the calls. */
static struct layout fit(int width)
{
    struct layout at = {.bar_width = width >= 100 ? 21 : 0};

    at.bar = width - 1 - at.bar_width;
    at.difference = at.bar - 10;
    at.after = at.difference - 9;
    at.before = at.after - 9;
    at.calls = width >= 70 ? at.before - 16 : 0;
    at.name_width = (at.calls ? at.calls : at.before) - 4;
    return at;
}

static void draw_head(struct cps_canvas *canvas, int row, const struct layout *at,
                      enum cps_compare_by by)
{
    cps_canvas_text(canvas, row, 3, at->name_width, CPS_STYLE_DIM, "FUNCTION");
    if (at->calls)
        cps_canvas_right(canvas, row, at->calls, 15, CPS_STYLE_DIM, "CALLS");
    cps_canvas_right(canvas, row, at->before, 8, CPS_STYLE_DIM, "BEFORE");
    cps_canvas_right(canvas, row, at->after, 8, CPS_STYLE_DIM, "AFTER");
    cps_canvas_right(canvas, row, at->difference, 9, CPS_STYLE_ACCENT, measures[by].title);
    if (at->bar_width)
        cps_canvas_format(canvas, row, at->bar + 2, at->bar_width, CPS_STYLE_DIM, "%-10s %s",
                          measures[by].less, measures[by].more);
}

/* Left of the middle is faster, right of it slower. */
static void draw_bar(struct cps_canvas *canvas, int row, const struct layout *at,
                     int64_t difference, uint64_t largest)
{
    int half = (at->bar_width - 3) / 2, middle = at->bar + 1 + half;
    double size = (double)cps_format_magnitude(difference);
    int length = largest ? (int)(size / (double)largest * half + 0.5) : 0;

    cps_canvas_text(canvas, row, middle, 1, CPS_STYLE_DIM, canvas->ascii ? "|" : "│");
    for (int i = 1; i <= length; i++)
        cps_canvas_text(canvas, row, difference < 0 ? middle - i : middle + i, 1,
                        difference < 0 ? CPS_STYLE_ACCENT : CPS_STYLE_ERROR,
                        canvas->ascii ? "#" : "█");
}

static const char *figure(char *out, const struct cps_function *function, enum cps_compare_by by)
{
    uint64_t value = cps_compare_figure(function, by);

    if (!function)
        return "-";
    return by == CPS_COMPARE_CALLS ? cps_format_count(out, value) : cps_format_duration(out, value);
}

static const char *signed_figure(char *out, int64_t difference, enum cps_compare_by by)
{
    return by == CPS_COMPARE_CALLS ? cps_format_count_difference(out, difference)
                                   : cps_format_difference(out, difference);
}

static void draw_calls(struct cps_canvas *canvas, int row, const struct layout *at,
                       const struct cps_change *change)
{
    char before[CPS_FORMAT_SIZE], after[CPS_FORMAT_SIZE], calls[2 * CPS_FORMAT_SIZE + 8];

    (void)snprintf(calls, sizeof(calls), "%s %s %s",
                   cps_format_count(before, cps_compare_figure(change->before, CPS_COMPARE_CALLS)),
                   canvas->ascii ? ">" : "→",
                   cps_format_count(after, cps_compare_figure(change->after, CPS_COMPARE_CALLS)));
    cps_canvas_right(canvas, row, at->calls, 15, CPS_STYLE_NORMAL, calls);
}

static void draw_row(struct cps_canvas *canvas, int row, const struct layout *at,
                     const struct cps_change *change, enum cps_compare_by by, uint64_t largest)
{
    char text[CPS_FORMAT_SIZE];

    cps_canvas_tail(canvas, row, 3, at->name_width, CPS_STYLE_NORMAL, change->name->data,
                    change->name->length);
    if (at->calls)
        draw_calls(canvas, row, at, change);
    cps_canvas_right(canvas, row, at->before, 8, CPS_STYLE_NORMAL,
                     figure(text, change->before, by));
    cps_canvas_right(canvas, row, at->after, 8, CPS_STYLE_NORMAL, figure(text, change->after, by));
    cps_canvas_right(canvas, row, at->difference, 9, CPS_STYLE_BOLD,
                     signed_figure(text, change->difference[by], by));
    if (at->bar_width)
        draw_bar(canvas, row, at, change->difference[by], largest);
}

static void draw_side(struct cps_canvas *canvas, int row, const char *label,
                      const struct cps_held *held)
{
    char took[CPS_FORMAT_SIZE], clock[CPS_FORMAT_SIZE];

    cps_canvas_format(canvas, row, 1, canvas->columns - 1, CPS_STYLE_NORMAL,
                      "%-7s %8s   %s   %s%s%s", label, cps_format_duration(took, held->duration),
                      cps_format_clock(clock, held->trace->start, 0), held->trace->method.data,
                      held->trace->method.length ? " " : "", held->trace->uri.data);
}

static void draw_rows(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom,
                      const struct cps_changes *changes)
{
    struct cps_list *list = &app->over.list;
    struct layout at = fit(canvas->columns);
    size_t end;

    draw_head(canvas, top++, &at, app->over.compare_by);
    end = cps_list_fit(list, changes->count, top, bottom);
    app->over.row_count = changes->count;
    for (size_t i = list->top; i < end; i++)
        draw_row(canvas, top + (int)(i - list->top), &at, &changes->items[i], app->over.compare_by,
                 changes->largest);
    cps_list_select(list, changes->count, canvas, top);
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    const struct cps_held *before = cps_model_find(&app->model, app->over.before);
    const struct cps_held *after = cps_model_find(&app->model, app->over.after);
    struct cps_changes changes;

    if (!before || !after) {
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "One of the two requests has been discarded to make room.");
        return;
    }
    if (cps_compare(before, after, app->over.compare_by, &changes))
        return;
    draw_side(canvas, top, "before", before);
    draw_side(canvas, top + 1, "after", after);
    cps_canvas_rule(canvas, top + 2);
    draw_rows(app, canvas, top + 3, bottom, &changes);
    cps_compare_free(&changes);
}

static bool key(struct cps_app *app, int pressed)
{
    uint64_t before = app->over.before;

    if (cps_list_key(&app->over.list, app->over.row_count, pressed))
        return true;
    if (pressed == 's') {
        app->over.compare_by = (app->over.compare_by + 1) % CPS_COMPARE_COUNT;
        return true;
    }
    if (pressed != 'x')
        return false;
    app->over.before = app->over.after;
    app->over.after = before;
    return true;
}

static const char *const help[] = {
    "s",   "compare the next figure: self time, inclusive time, calls",
    "x",   "exchange before and after",
    "esc", "back to Search",
    NULL};

const struct cps_view cps_view_compare = {
    .title = "Compare",
    .draw = draw,
    .key = key,
    .hint = "s self, inclusive, calls   x exchange   esc back",
    .help = help,
};
