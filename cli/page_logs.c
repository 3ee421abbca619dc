/* SPDX-License-Identifier: Apache-2.0 */
/* Logs: what happened to the connection, and what the sidecar reports. Newest last. */
#include <string.h>

#include "app.h"
#include "format.h"

static void draw_message(struct cps_canvas *canvas, int row, const struct cps_message *message)
{
    static const struct {
        const char *name;
        enum cps_style style;
    } levels[] = {{"debug", CPS_STYLE_DIM},
                  {"info", CPS_STYLE_NORMAL},
                  {"warn", CPS_STYLE_WARN},
                  {"error", CPS_STYLE_ERROR}};
    char clock[CPS_FORMAT_SIZE];

    cps_canvas_text(canvas, row, 3, 8, CPS_STYLE_DIM, cps_format_clock(clock, message->time, 0));
    cps_canvas_text(canvas, row, 12, 5, levels[message->level].style, levels[message->level].name);
    cps_canvas_text(canvas, row, 18, canvas->columns - 18, CPS_STYLE_NORMAL, message->text);
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    const struct cps_model *model = &app->model;
    size_t count = model->log_count < CPS_MODEL_LOGS ? model->log_count : CPS_MODEL_LOGS;
    uint64_t oldest = model->log_count - count;
    struct cps_list *list = &app->logs;

    /* The newest is followed while the cursor is on it. */
    if (list->cursor + 1 >= app->log_rows)
        list->cursor = count ? count - 1 : 0;
    app->log_rows = count;
    cps_list_fit(list, count, (size_t)(bottom > top ? bottom - top : 0));
    for (size_t i = 0; i < list->height && list->top + i < count; i++) {
        draw_message(canvas, top + (int)i, &model->logs[(oldest + list->top + i) % CPS_MODEL_LOGS]);
        if (list->top + i == list->cursor)
            cps_canvas_select(canvas, top + (int)i);
    }
}

static bool key(struct cps_app *app, int pressed)
{
    return cps_list_key(&app->logs, app->log_rows, pressed);
}

static const char *const help[] = {NULL};

const struct cps_view cps_page_logs = {
    .title = "Logs", .draw = draw, .key = key, .hint = "↑ ↓ move", .help = help};
