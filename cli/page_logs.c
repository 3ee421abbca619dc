/* SPDX-License-Identifier: Apache-2.0 */
/* Logs: what happened to the connection, and what the sidecar reports. Newest last. */
#include <inttypes.h>
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

/* Indexes of the messages that pass the filter, oldest first; how many there are. */
static size_t list_messages(const struct cps_app *app, uint16_t *rows)
{
    const struct cps_model *model = &app->model;
    size_t count = model->log_count < CPS_MODEL_LOGS ? model->log_count : CPS_MODEL_LOGS;
    size_t used = 0;

    for (uint64_t i = model->log_count - count; i < model->log_count; i++) {
        struct cps_filter_row row = {.text = model->logs[i % CPS_MODEL_LOGS].text};

        if (cps_filter_matches_row(app->finder.compiled, &row))
            rows[used++] = (uint16_t)(i % CPS_MODEL_LOGS);
    }
    return used;
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    struct cps_list *list = &app->logs;
    uint16_t rows[CPS_MODEL_LOGS];
    size_t count = list_messages(app, rows), end;

    if (app->model.logs_lost)
        cps_canvas_format(canvas, top++, 3, canvas->columns - 3, CPS_STYLE_WARN,
                          "%" PRIu64 " messages were lost for want of memory",
                          app->model.logs_lost);
    if (app->finder.compiled)
        cps_canvas_format(canvas, top++, 3, canvas->columns - 3, CPS_STYLE_DIM,
                          "%zu messages shown, the others are hidden by the filter", count);
    /* The newest is followed while the cursor is on it. */
    if (list->cursor + 1 >= app->log_rows)
        list->cursor = count ? count - 1 : 0;
    app->log_rows = count;
    end = cps_list_fit(list, count, top, bottom);
    for (size_t i = list->top; i < end; i++)
        draw_message(canvas, top + (int)(i - list->top), &app->model.logs[rows[i]]);
    cps_list_select(list, count, canvas, top);
}

static bool key(struct cps_app *app, int pressed)
{
    return cps_list_key(&app->logs, app->log_rows, pressed);
}

static const char *const help[] = {"/", "filter the messages", NULL};

const struct cps_view cps_page_logs = {
    .title = "Logs", .draw = draw, .key = key, .hint = "/ filter   esc back", .help = help};
