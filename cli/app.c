/* SPDX-License-Identifier: Apache-2.0 */
#include "app.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "format.h"
#include "screen.h"
#include "stop.h"

/* While nothing happens the footer still counts down to the next attempt. */
#define TICK_MS 500
/* No more frames than this, however fast traces come. */
#define FRAME_MS 33
#define WHEEL_ROWS 3

static const struct cps_view *const views[CPS_PAGE_COUNT] = {&cps_page_search, &cps_page_spans,
                                                             &cps_page_totals, &cps_page_logs};

struct cps_held *cps_app_open(const struct cps_app *app)
{
    return cps_model_find(&app->model, app->spans.serial);
}

void cps_app_show(struct cps_app *app, enum cps_page page, uint64_t serial)
{
    app->over.view = NULL;
    app->model.pinned = serial;
    app->spans.serial = serial;
    app->page = page;
}

void cps_app_over(struct cps_app *app, const struct cps_view *view)
{
    app->over.view = view;
    app->over.list = (struct cps_list){0};
    app->over.row_count = 0;
}

void cps_app_tell(struct cps_app *app, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(app->message, sizeof(app->message), format, arguments);
    va_end(arguments);
}

static const struct cps_view *shown(const struct cps_app *app)
{
    return app->over.view ? app->over.view : views[app->page];
}

/* The filter that / edits here. */
static struct cps_filter_state *filter_here(struct cps_app *app)
{
    return app->page == CPS_PAGE_SEARCH ? &app->filter : &app->finder;
}

static void on_trace(void *context, struct cps_trace *trace, const char *line, size_t length)
{
    struct cps_app *app = context;

    (void)line;
    (void)length;
    cps_model_add(&app->model, trace);
    app->dirty = true;
}

static void on_log(void *context, enum cps_level level, const char *message)
{
    struct cps_app *app = context;

    cps_model_log(&app->model, level, message);
    app->dirty = true;
}

static void on_dropped(void *context, uint64_t count)
{
    struct cps_app *app = context;
    char text[96];

    app->model.dropped += count;
    (void)snprintf(text, sizeof(text),
                   "%" PRIu64 " traces were lost: they were not read fast enough", count);
    on_log(app, CPS_LEVEL_WARN, text);
}

/* Where the pages' names begin in the header. */
#define TABS_COLUMN 10

static void draw_header(const struct cps_app *app, struct cps_canvas *canvas)
{
    int column = TABS_COLUMN;

    cps_canvas_text(canvas, 0, 1, TABS_COLUMN - 1, CPS_STYLE_BOLD, "Compass");
    for (int i = 0; i < CPS_PAGE_COUNT; i++) {
        uint8_t style = i == (int)app->page ? CPS_STYLE_BOLD | CPS_STYLE_SELECTED : CPS_STYLE_DIM;

        column += cps_canvas_format(canvas, 0, column, canvas->columns - column, style, " %d %s ",
                                    i + 1, views[i]->title);
    }
}

static const char *describe_failure(const struct cps_feed_status *status, char *out, size_t size)
{
    const char *what = status->state == CPS_FEED_REFUSED ? "refused" : "reconnecting";
    unsigned seconds = (status->retry_ms + 999) / 1000;

    if (seconds)
        (void)snprintf(out, size, "%s, trying again in %u s: %s", what, seconds, status->reason);
    else
        (void)snprintf(out, size, "%s, trying again now: %s", what, status->reason);
    return out;
}

static const char *describe(const struct cps_feed_status *status, char *out, size_t size)
{
    switch (status->state) {
    case CPS_FEED_CONNECTING:
        return "connecting";
    case CPS_FEED_WAITING:
        return "connected, waiting for the first request";
    case CPS_FEED_LIVE:
        return "live";
    case CPS_FEED_ENDED:
        return *status->reason ? status->reason : "read to its end";
    default:
        return describe_failure(status, out, size);
    }
}

static void draw_connection(const struct cps_app *app, struct cps_canvas *canvas, int row)
{
    static const uint8_t styles[] = {CPS_STYLE_DIM,  CPS_STYLE_ACCENT, CPS_STYLE_ACCENT,
                                     CPS_STYLE_WARN, CPS_STYLE_ERROR,  CPS_STYLE_DIM};
    struct cps_feed_status status;
    char text[1024];
    int column = 1, width;

    app->feed->ops->status(app->feed, &status);
    column +=
        cps_canvas_text(canvas, row, column, 2, styles[status.state], canvas->ascii ? "* " : "● ");
    width = canvas->columns - column - 1;
    column += cps_canvas_text(canvas, row, column, width, styles[status.state],
                              describe(&status, text, sizeof(text)));
    width = canvas->columns - column - 3;
    if (width > 0)
        column +=
            2 + cps_canvas_text(canvas, row, column + 2, width, CPS_STYLE_DIM, app->options->uri);
    if (app->model.dropped)
        cps_canvas_format(canvas, row, column + 2, canvas->columns - column - 3, CPS_STYLE_WARN,
                          "%" PRIu64 " lost", app->model.dropped);
}

/* How much of the hint has room beside what follows it: whole words about a key. */
static int fitting(const char *hint, int room)
{
    int length = (int)strlen(hint);

    while (length > room) {
        do
            length--;
        while (length > 0 && strncmp(hint + length, "   ", 3) != 0);
    }
    return length > 0 ? length : 0;
}

static const char *const everywhere[] = {
    "<- ->, 1-4",  "pages",
    "arrows, j k", "move; page up and down, home, end, G",
    "mouse",       "the wheel moves, a click selects, another one opens",
    "?",           "this help",
    "ctrl-z",      "suspend",
    "q",           "leave",
    NULL};

static size_t count_keys(const char *const *keys)
{
    size_t count = 0;

    while (keys[2 * count])
        count++;
    return count;
}

/* With its titles, and the empty lines below and between them. */
static size_t help_lines(const struct cps_app *app)
{
    return count_keys(shown(app)->help) + count_keys(everywhere) + 5;
}

static const char *help_hint(const struct cps_app *app)
{
    return app->help_list.height < help_lines(app) ? "arrows show more   esc back" : "esc back";
}

static void draw_hint(const struct cps_app *app, struct cps_canvas *canvas, int row)
{
    static const char always[] = "   ? help   q quit";
    const char *hint = app->help ? help_hint(app) : shown(app)->hint;
    int length = fitting(hint, canvas->columns - 2 - (int)strlen(always));

    cps_canvas_format(canvas, row, 1, canvas->columns - 1, CPS_STYLE_DIM, "%.*s%s", length, hint,
                      length ? always : always + 3);
}

static const char *trouble_of(const struct cps_filter_state *filter)
{
    if (!filter->error.text[0] && cps_filter_gave_up(filter->compiled))
        return "gave up: this regular expression takes too long";
    return filter->error.text;
}

static void draw_footer(struct cps_app *app, struct cps_canvas *canvas)
{
    const struct cps_filter_state *filter = filter_here(app);
    int row = canvas->rows - 2;

    if (app->message[0]) {
        cps_canvas_text(canvas, row, 1, canvas->columns - 1, CPS_STYLE_BOLD, app->message);
    } else if (filter->typing || filter->text[0]) {
        cps_canvas_format(canvas, row, 1, canvas->columns - 1,
                          filter->typing ? CPS_STYLE_BOLD : CPS_STYLE_ACCENT, "/%s%s   %s",
                          filter->text, filter->typing ? "_" : "", trouble_of(filter));
    } else {
        draw_hint(app, canvas, row);
    }
    draw_connection(app, canvas, canvas->rows - 1);
}

/* Draws a line of the help where it is on the screen; `*line` counts them all. */
static void draw_help_line(const struct cps_app *app, struct cps_canvas *canvas, size_t *line,
                           uint8_t style, const char *key, const char *text)
{
    size_t first = app->help_list.top, at = (*line)++;
    int row;

    if (at < first || at >= first + app->help_list.height)
        return;
    row = 2 + (int)(at - first);
    cps_canvas_text(canvas, row, key ? 3 : 1, key ? 12 : canvas->columns - 1, style,
                    key ? key : text);
    if (key)
        cps_canvas_text(canvas, row, 16, canvas->columns - 16, CPS_STYLE_NORMAL, text);
}

static void draw_keys(const struct cps_app *app, struct cps_canvas *canvas, size_t *line,
                      const char *const *keys)
{
    for (; keys[0]; keys += 2)
        draw_help_line(app, canvas, line, CPS_STYLE_ACCENT, keys[0], keys[1]);
}

static void draw_help(struct cps_app *app, struct cps_canvas *canvas)
{
    size_t line = 0;
    char title[64];

    (void)cps_list_fit(&app->help_list, help_lines(app), 2, canvas->rows - 2);
    (void)snprintf(title, sizeof(title), "Keys on %s", shown(app)->title);
    draw_help_line(app, canvas, &line, CPS_STYLE_BOLD, NULL, title);
    line++;
    draw_keys(app, canvas, &line, shown(app)->help);
    line++;
    draw_help_line(app, canvas, &line, CPS_STYLE_BOLD, NULL, "Everywhere");
    line++;
    draw_keys(app, canvas, &line, everywhere);
}

/* The help moves line by line, as far as there is more of it. Another key leaves it. */
static void press_in_help(struct cps_app *app, int key)
{
    struct cps_list *list = &app->help_list;
    size_t lines = help_lines(app);
    bool fits = lines <= list->height;

    list->cursor = key == CPS_KEY_DOWN || key == 'j' || key == CPS_KEY_WHEEL_DOWN ||
                           key == CPS_KEY_PAGE_DOWN || key == ' '
                       ? list->top + list->height - 1
                       : list->top;
    if (key == CPS_KEY_WHEEL_DOWN || key == CPS_KEY_WHEEL_UP)
        key = key == CPS_KEY_WHEEL_UP ? CPS_KEY_UP : CPS_KEY_DOWN;
    if (fits || !cps_list_key(list, lines, key))
        app->help = false;
}

static int draw(struct cps_app *app)
{
    struct cps_canvas canvas;
    int rows, columns;

    cps_screen_size(&rows, &columns);
    if (cps_canvas_init(&canvas, rows, columns, app->ascii))
        return -ENOMEM;
    draw_header(app, &canvas);
    cps_canvas_rule(&canvas, 1);
    if (app->help)
        draw_help(app, &canvas);
    else if (rows > 6)
        shown(app)->draw(app, &canvas, 2, rows - 2);
    draw_footer(app, &canvas);
    cps_screen_show(&canvas);
    app->cursor_row = canvas.selected;
    cps_canvas_free(&canvas);
    app->dirty = false;
    return 0;
}

static void compile_filter(struct cps_filter_state *filter)
{
    struct cps_filter *compiled = NULL;

    filter->error.text[0] = '\0';
    if (filter->text[0] && cps_filter_compile(filter->text, &compiled, &filter->error))
        return;
    cps_filter_free(filter->compiled);
    filter->compiled = compiled;
    filter->generation++;
}

/* The text is UTF-8; what is taken back is a whole character of it. */
static void erase_last(char *text)
{
    size_t length = strlen(text);

    while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
        length--;
    text[length ? length - 1 : 0] = '\0';
}

static void append_key(char *text, int key)
{
    char bytes[MB_LEN_MAX + 1] = "";
    int length = wctomb(bytes, (wchar_t)key);

    if (length > 0 && strlen(text) + (size_t)length < CPS_FILTER_SIZE)
        strncat(text, bytes, (size_t)length);
}

static void type_filter(struct cps_filter_state *filter, int key)
{
    if (key == CPS_KEY_ESCAPE)
        filter->text[0] = '\0';
    else if (key == CPS_KEY_BACKSPACE)
        erase_last(filter->text);
    else if (key >= ' ' && key < CPS_KEY_UP)
        append_key(filter->text, key);
    if (key == CPS_KEY_ESCAPE || key == CPS_KEY_ENTER)
        filter->typing = false;
    compile_filter(filter);
}

static void go_back(struct cps_app *app)
{
    struct cps_filter_state *filter = filter_here(app);

    if (app->help)
        app->help = false;
    else if (filter->text[0])
        type_filter(filter, CPS_KEY_ESCAPE);
    else if (app->over.view)
        app->over.view = NULL;
    else
        app->page = CPS_PAGE_SEARCH;
}

static void go_to(struct cps_app *app, int page)
{
    app->over.view = NULL;
    app->page = (enum cps_page)((page + CPS_PAGE_COUNT) % CPS_PAGE_COUNT);
}

static void open_help(struct cps_app *app)
{
    app->help = true;
    app->help_list = (struct cps_list){0};
}

/* The keys that mean the same everywhere. */
static void press_anywhere(struct cps_app *app, int key)
{
    if (key == CPS_KEY_ESCAPE)
        go_back(app);
    else if (key == 'q')
        app->quit = true;
    else if (key == '?')
        open_help(app);
    else if (key >= '1' && key < '1' + CPS_PAGE_COUNT)
        go_to(app, key - '1');
    else if (key == CPS_KEY_RIGHT)
        go_to(app, (int)app->page + 1);
    else if (key == CPS_KEY_LEFT)
        go_to(app, (int)app->page - 1);
    else if (key == '/')
        filter_here(app)->typing = true;
}

/* Moves what is shown by so many rows. */
static void move(struct cps_app *app, int rows)
{
    int key = rows < 0 ? CPS_KEY_UP : CPS_KEY_DOWN;

    for (int i = abs(rows); i > 0; i--)
        (void)shown(app)->key(app, key);
}

/* The page whose name in the header is at the column, -1 where none is. */
static int tab_at(int column)
{
    int from = TABS_COLUMN;

    for (int i = 0; i < CPS_PAGE_COUNT; i++) {
        int to = from + (int)strlen(views[i]->title) + 4;

        if (column >= from && column < to)
            return i;
        from = to;
    }
    return -1;
}

/* A row is selected by a click, and opened by another one. Whether it changed anything. */
static bool click(struct cps_app *app)
{
    int row, column, rows, columns, page;

    cps_screen_pointer(&row, &column);
    cps_screen_size(&rows, &columns);
    page = row == 0 ? tab_at(column) : -1;
    if (page >= 0)
        go_to(app, page);
    else if (app->cursor_row < 0 || row < 2 || row >= rows - 2)
        return false;
    else if (row == app->cursor_row)
        (void)shown(app)->key(app, CPS_KEY_ENTER);
    else
        move(app, row - app->cursor_row);
    return true;
}

static void point(struct cps_app *app, int key)
{
    if (app->help)
        press_in_help(app, key);
    else if (key != CPS_KEY_CLICK)
        move(app, key == CPS_KEY_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
    else if (click(app))
        (void)draw(app); /* the next click may be there already, and asks for the cursor's row */
}

static void press(struct cps_app *app, int key)
{
    app->dirty = true;
    if (key != CPS_KEY_RESIZE)
        app->message[0] = '\0';
    if (key == CPS_KEY_INTERRUPT)
        app->quit = true;
    else if (key == CPS_KEY_SUSPEND)
        cps_screen_suspend();
    else if (key == CPS_KEY_CLICK || key == CPS_KEY_WHEEL_UP || key == CPS_KEY_WHEEL_DOWN)
        point(app, key);
    else if (key == CPS_KEY_RESIZE)
        return;
    else if (filter_here(app)->typing)
        type_filter(filter_here(app), key);
    else if (app->help)
        press_in_help(app, key);
    else if (!shown(app)->key(app, key))
        press_anywhere(app, key);
}

/* A descriptor that is readable where the keyboard or a signal is. */
struct wake {
    int epoll;
    int stop;
};

/* How long until another frame is due, ms. */
static int until_frame(const struct cps_app *app, int64_t drawn)
{
    int64_t left = drawn + (app->dirty ? FRAME_MS : TICK_MS) - cps_clock_ms();

    return left > 0 ? (int)left : 0;
}

/* Whether a signal wants the end, or the terminal has gone. */
static bool stopped(const struct wake *wake)
{
    struct pollfd fds[] = {{.fd = wake->stop, .events = POLLIN}, {.fd = STDIN_FILENO}};

    return poll(fds, 2, 0) > 0 && (fds[0].revents || (fds[1].revents & (POLLHUP | POLLERR)));
}

/* Whether there were any. */
static bool take_keys(struct cps_app *app)
{
    bool any = false;
    int key;

    while (!app->quit && (key = cps_screen_key()) != CPS_KEY_NONE) {
        press(app, key);
        any = true;
    }
    return any;
}

/* What the reader did is shown at once, what came from elsewhere with the next frame. */
static int run(struct cps_app *app, const struct wake *wake)
{
    int result = draw(app);
    int64_t drawn = cps_clock_ms();

    while (!result && !app->quit) {
        bool pressed;

        result = app->feed->ops->wait(app->feed, wake->epoll, until_frame(app, drawn));
        pressed = take_keys(app);
        if (stopped(wake))
            app->quit = true;
        if (result || app->quit || !(pressed || until_frame(app, drawn) == 0))
            continue;
        result = draw(app);
        drawn = cps_clock_ms();
    }
    return result;
}

static void free_state(struct cps_app *app)
{
    cps_model_free(&app->model);
    cps_filter_free(app->filter.compiled);
    cps_filter_free(app->finder.compiled);
    cps_flame_free(&app->over.flame);
    cps_routes_free(&app->over.routes);
    free(app->spans.kept);
    cps_tree_free(&app->spans.tree);
    cps_outline_free(&app->spans.outline);
    free(app->spans.rows);
    free(app->spans.folded);
    free(app->search.rows);
    free(app->totals.rows);
}

/* Before anything is opened or waited for: a file as the standard input cannot be. */
static int need_terminal(struct cps_error *error)
{
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return 0;
    return cps_error_set(error, -ENOTTY,
                         "the UI needs a terminal; --output json or --output summary prints "
                         "traces without one");
}

static int run_on_screen(struct cps_app *app, struct cps_error *error)
{
    cps_auto_close int stop = cps_stop_open();
    cps_auto_close int epoll = stop < 0 ? -1 : cps_stop_with(stop, STDIN_FILENO);
    struct wake wake = {.epoll = epoll, .stop = stop};
    int result;

    if (epoll < 0)
        return cps_error_set(error, -EIO, "the terminal cannot be waited for");
    result = cps_screen_open(error);
    if (result)
        return result;
    app->ascii = !cps_screen_unicode();
    result = run(app, &wake);
    cps_screen_close();
    return result ? cps_error_set(error, result, "%s: %s", app->options->uri, strerror(-result))
                  : 0;
}

int cps_app_run(const struct cps_options *options, struct cps_error *error)
{
    int result = need_terminal(error);
    struct cps_app *app = result ? NULL : calloc(1, sizeof(*app));
    struct cps_feed_sink sink = {
        .trace = on_trace, .log = on_log, .dropped = on_dropped, .context = app};

    if (result)
        return result;
    if (!app || cps_model_init(&app->model, options->max_traces, options->max_bytes)) {
        free(app);
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    app->options = options;
    result = cps_feed_open(options, &sink, &app->feed, error);
    if (!result) {
        result = run_on_screen(app, error);
        app->feed->ops->close(app->feed);
    }
    free_state(app);
    free(app);
    return result;
}
