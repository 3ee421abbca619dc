/* SPDX-License-Identifier: Apache-2.0 */
/* Save: the formats that a request can be saved in, each with its key. The cursor begins on the one
 * that was chosen last. */
#include <string.h>

#include "app.h"
#include "export.h"
#include "save.h"
#include "screen.h"

static size_t count_choices(void)
{
    size_t count = 0;

    while (cps_export_formats[count].key)
        count++;
    return count;
}

void cps_view_save_open(struct cps_app *app, const struct cps_held *held)
{
    cps_app_over(app, &cps_view_save);
    app->over.saved = held->serial;
    app->over.list.cursor = app->save_choice;
}

static void draw(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom)
{
    const struct cps_held *held = cps_model_find(&app->model, app->over.saved);
    struct cps_list *list = &app->over.list;
    size_t choices = count_choices(), end;

    if (!held) {
        cps_canvas_text(canvas, top + 1, 3, canvas->columns - 3, CPS_STYLE_DIM,
                        "The request has been discarded to make room.");
        return;
    }
    cps_canvas_format(canvas, top, 1, canvas->columns - 1, CPS_STYLE_BOLD, "Save %s%s%s as",
                      held->trace->method.data, held->trace->method.length ? " " : "",
                      held->trace->uri.data);
    top += 2;
    end = cps_list_fit(list, choices, top, bottom);
    for (size_t i = list->top; i < end; i++) {
        const struct cps_export_format *format = &cps_export_formats[i];
        int row = top + (int)(i - list->top);

        cps_canvas_format(canvas, row, 3, 2, CPS_STYLE_ACCENT, "%c", format->key);
        cps_canvas_text(canvas, row, 6, 17, CPS_STYLE_NORMAL, format->title);
        cps_canvas_text(canvas, row, 24, canvas->columns - 24, CPS_STYLE_DIM, format->description);
    }
    cps_list_select(list, choices, canvas, top);
}

static void save(struct cps_app *app, size_t choice)
{
    const struct cps_held *held = cps_model_find(&app->model, app->over.saved);
    char name[CPS_SAVE_NAME_SIZE];
    int result;

    app->over.view = NULL;
    app->save_choice = choice;
    if (!held) {
        cps_app_tell(app, "not saved: the request has been discarded to make room");
        return;
    }
    result = cps_save(held->trace, &cps_export_formats[choice], name);
    if (result)
        cps_app_tell(app, "not saved in the current folder: %s", strerror(-result));
    else
        cps_app_tell(app, "saved as %s", name);
}

static bool key(struct cps_app *app, int pressed)
{
    size_t choices = count_choices();

    for (size_t i = 0; i < choices; i++) {
        if (pressed == cps_export_formats[i].key) {
            save(app, i);
            return true;
        }
    }
    if (pressed == CPS_KEY_ENTER && app->over.list.cursor < choices) {
        save(app, app->over.list.cursor);
        return true;
    }
    if (pressed == CPS_KEY_ESCAPE) { /* whatever the page below is filtered by */
        app->over.view = NULL;
        return true;
    }
    return cps_list_key(&app->over.list, choices, pressed);
}

static const char *const help[] = {"n",     "NDJSON: compass --uri file:// opens it again",
                                   "s",     "for speedscope.app",
                                   "c",     "Chrome trace: for Perfetto",
                                   "f",     "collapsed stacks, for flame graph tools",
                                   "g",     "callgrind, for KCachegrind",
                                   "h",     "HTML, for a browser",
                                   "enter", "the selected one; at first that is the last chosen",
                                   "esc",   "do not save",
                                   NULL};

const struct cps_view cps_view_save = {
    .title = "Save",
    .draw = draw,
    .key = key,
    .hint = "n s c f g h choose   enter save   esc cancel",
    .help = help,
};
