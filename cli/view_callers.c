/* SPDX-License-Identifier: Apache-2.0 */
/* Callers: one function in the middle, who called it above, whom it called below. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "format.h"
#include "screen.h"

struct neighbour {
    uint32_t name;
    uint64_t calls, elapsed;
};

struct around {
    const struct cps_held *held;
    const struct cps_function *function;
    struct neighbour *items; /* callers, then callees; each by time */
    size_t callers, count;
};

static int by_time(const void *left, const void *right)
{
    const struct neighbour *a = left, *b = right;

    if (a->elapsed != b->elapsed)
        return a->elapsed < b->elapsed ? 1 : -1;
    return a->name < b->name ? -1 : a->name > b->name;
}

static void add(struct around *around, uint32_t name, const struct cps_caller *edge)
{
    around->items[around->count++] = (struct neighbour){name, edge->calls, edge->elapsed};
}

static void list(struct around *around, const struct cps_totals *totals)
{
    const struct cps_function *function = around->function;

    for (uint32_t i = 0; i < function->caller_count; i++) {
        const struct cps_caller *edge = &totals->callers[function->first_caller + i];

        add(around, edge->name, edge);
    }
    around->callers = around->count;
    for (size_t i = 0; i < totals->function_count; i++) {
        const struct cps_function *callee = &totals->functions[i];

        for (uint32_t j = 0; j < callee->caller_count; j++) {
            const struct cps_caller *edge = &totals->callers[callee->first_caller + j];

            if (edge->name == function->name)
                add(around, callee->name, edge);
        }
    }
    qsort(around->items, around->callers, sizeof(*around->items), by_time);
    qsort(around->items + around->callers, around->count - around->callers, sizeof(*around->items),
          by_time);
}

/* False where the function is not known or memory is short; the items are to be freed. */
static bool find(const struct cps_app *app, struct around *out)
{
    const struct cps_held *held = cps_app_open(app);
    struct around around = {.held = held};

    for (size_t i = 0; held && i < held->totals.function_count; i++) {
        if (held->totals.functions[i].name == app->over.name)
            around.function = &held->totals.functions[i];
    }
    if (!around.function)
        return false;
    around.items = calloc(held->totals.caller_count + around.function->caller_count + 1,
                          sizeof(*around.items));
    if (!around.items)
        return false;
    list(&around, &held->totals);
    *out = around;
    return true;
}

static void draw_line(struct cps_canvas *canvas, int row, const struct around *around, int indent,
                      uint8_t style, const struct neighbour *at)
{
    const struct cps_string *name = &around->held->trace->names[at->name];
    char text[CPS_FORMAT_SIZE];
    int numbers = canvas->columns - 29;

    cps_canvas_tail(canvas, row, indent, numbers - indent - 1, style, name->data, name->length);
    cps_canvas_right(canvas, row, numbers, 9, style, cps_format_grouped(text, at->calls));
    cps_canvas_right(canvas, row, numbers + 10, 10, style, cps_format_duration(text, at->elapsed));
    cps_canvas_right(canvas, row, numbers + 21, 6, style,
                     cps_format_share(text, at->elapsed, around->held->duration));
}

/* Rows: the callers, the function, the callees. */
static void draw_row(struct cps_canvas *canvas, int row, const struct around *around, size_t index)
{
    struct neighbour itself = {around->function->name, around->function->calls,
                               around->function->elapsed};

    if (index < around->callers)
        draw_line(canvas, row, around, 3, CPS_STYLE_NORMAL, &around->items[index]);
    else if (index == around->callers)
        draw_line(canvas, row, around, 5, CPS_STYLE_BOLD, &itself);
    else
        draw_line(canvas, row, around, 7, CPS_STYLE_NORMAL, &around->items[index - 1]);
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    struct cps_list *list = &app->over.list;
    struct around around;
    char self[CPS_FORMAT_SIZE];
    size_t end;

    if (!find(app, &around)) {
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "Nothing is known about this function any more.");
        return;
    }
    cps_canvas_format(canvas, top, 1, canvas->columns - 1, CPS_STYLE_DIM,
                      "%zu caller%s above, %zu callee%s below   %s in its own code", around.callers,
                      cps_format_plural(around.callers), around.count - around.callers,
                      cps_format_plural(around.count - around.callers),
                      cps_format_duration(self, around.function->self));
    cps_canvas_text(canvas, top + 1, 3, 10, CPS_STYLE_DIM, "FUNCTION");
    cps_canvas_right(canvas, top + 1, canvas->columns - 29, 9, CPS_STYLE_DIM, "CALLS");
    cps_canvas_right(canvas, top + 1, canvas->columns - 19, 10, CPS_STYLE_DIM, "TIME");
    cps_canvas_right(canvas, top + 1, canvas->columns - 8, 6, CPS_STYLE_DIM, "SHARE");
    app->over.row_count = around.count + 1;
    top += 2;
    end = cps_list_fit(list, app->over.row_count, top, bottom);
    for (size_t i = list->top; i < end; i++)
        draw_row(canvas, top + (int)(i - list->top), &around, i);
    cps_list_select(list, app->over.row_count, canvas, top);
    free(around.items);
}

void cps_view_callers_open(struct cps_app *app, uint32_t name)
{
    struct around around;

    cps_app_over(app, &cps_view_callers);
    app->over.name = name;
    if (find(app, &around)) {
        app->over.list.cursor = around.callers;
        free(around.items);
    }
}

/* The function in the row of the cursor becomes the one in the middle. */
static void walk(struct cps_app *app)
{
    struct around around;
    size_t cursor = app->over.list.cursor;
    uint32_t name = app->over.name;

    if (!find(app, &around))
        return;
    if (cursor < around.callers)
        name = around.items[cursor].name;
    else if (cursor > around.callers && cursor <= around.count)
        name = around.items[cursor - 1].name;
    free(around.items);
    cps_view_callers_open(app, name);
}

static bool key(struct cps_app *app, int pressed)
{
    if (cps_list_key(&app->over.list, app->over.row_count, pressed))
        return true;
    if (pressed != CPS_KEY_ENTER)
        return false;
    walk(app);
    return true;
}

static const char *const help[] = {"enter", "put the function of this row in the middle", "esc",
                                   "back", NULL};

const struct cps_view cps_view_callers = {
    .title = "Callers",
    .draw = draw,
    .key = key,
    .hint = "enter walk there   esc back",
    .help = help,
};
