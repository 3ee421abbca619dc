/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "frame.h"
#include "restore.h"

/* Last: curses defines words as short as `lines`. */
#include <curses.h>

/* The plain build of curses would compile too, and draw question marks. */
#if !NCURSES_WIDECHAR
#error "compass: the wide build of curses (ncursesw) is needed"
#endif

static SCREEN *terminal;
static attr_t attributes[CPS_STYLE_COUNT];
static short pairs[CPS_STYLE_COUNT];
static int pointer_row, pointer_column;
/* Set by signals, read by cps_screen_key. */
static volatile sig_atomic_t stop_asked, continued;

static void on_job_control(int number)
{
    if (number == SIGTSTP)
        stop_asked = 1;
    else
        continued = 1;
}

static void handle_job_control(void)
{
    struct sigaction action = {.sa_handler = on_job_control};

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTSTP, &action, NULL);
    (void)sigaction(SIGCONT, &action, NULL);
}

/*
 * Where a terminal has more than the sixteen colours that its owner may have changed, those are
 * taken that can be read on black and on white alike (a contrast of 3.3 to 6.3), so that nothing
 * needs to know which it is. Of the eight, the ones for a light background are taken where
 * COLORFGBG, which many terminals set, tells of one.
 */
struct look {
    attr_t attribute;
    int rgb;
    int of_256;
    int on_dark, on_light;
};

static const struct look looks[CPS_STYLE_COUNT] = {
    [CPS_STYLE_DIM] = {.attribute = A_DIM},
    [CPS_STYLE_BOLD] = {.attribute = A_BOLD},
    [CPS_STYLE_ACCENT] = {A_NORMAL, 0x0087af, 31, COLOR_CYAN, COLOR_BLUE},
    [CPS_STYLE_WARN] = {A_BOLD, 0xaf8700, 136, COLOR_YELLOW, COLOR_MAGENTA},
    [CPS_STYLE_ERROR] = {A_BOLD, 0xd70000, 160, COLOR_RED, COLOR_RED},
};

static bool light_background(void)
{
    const char *colours = getenv("COLORFGBG");
    const char *back = colours ? strrchr(colours, ';') : NULL;

    return back && (!strcmp(back, ";7") || !strcmp(back, ";15"));
}

static int colour_of(const struct look *look, bool light)
{
    if (COLORS > 256)
        return look->rgb;
    if (COLORS == 256)
        return look->of_256;
    return light ? look->on_light : look->on_dark;
}

/* Without colour the attributes alone tell styles apart; with it they do so as well. */
static void set_styles(void)
{
    const char *no_color = getenv("NO_COLOR");
    bool colour = has_colors() && !(no_color && *no_color);
    bool light = light_background();

    if (colour) {
        (void)start_color();
        (void)use_default_colors();
    }
    for (int i = 0; i < CPS_STYLE_COUNT; i++) {
        attributes[i] = looks[i].attribute;
        pairs[i] = 0;
        if (colour && looks[i].rgb && init_extended_pair(i, colour_of(&looks[i], light), -1) == OK)
            pairs[i] = (short)i;
    }
}

static int open_terminal(struct cps_error *error)
{
    const char *name = getenv("TERM");

    terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return cps_error_set(error, -ENOENT,
                             "TERM: \"%s\" was found, the name of a known terminal was expected; "
                             "TERM=xterm-256color suits most",
                             name ? name : "");
    if (tigetstr("cup"))
        return 0;
    cps_screen_close();
    return cps_error_set(error, -ENOTTY,
                         "TERM: \"%s\" is a terminal whose cursor cannot be moved; "
                         "--output summary prints traces line by line",
                         name ? name : "");
}

int cps_screen_open(struct cps_error *error)
{
    int result;

    cps_restore_note();
    result = open_terminal(error);
    if (result)
        return result;
    cps_frame_open();
    cps_restore_arm();
    handle_job_control();
    (void)raw();
    (void)noecho();
    (void)nonl();
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)set_escdelay(25);
    (void)curs_set(0);
    (void)mouseinterval(0);
    (void)mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    set_styles();
    return 0;
}

void cps_screen_close(void)
{
    if (!terminal)
        return;
    (void)endwin();
    cps_restore_disarm();
    cps_frame_close();
    delscreen(terminal);
    terminal = NULL;
}

void cps_screen_size(int *rows, int *columns)
{
    *rows = LINES;
    *columns = COLS;
}

bool cps_screen_unicode(void)
{
    const char *name = getenv("TERM");

    return !strcmp(nl_langinfo(CODESET), "UTF-8") && !(name && !strcmp(name, "linux"));
}

static void show_cell(int row, int column, const struct cps_cell *cell)
{
    uint8_t style = cell->style & (uint8_t)~CPS_STYLE_SELECTED;
    attr_t attribute = attributes[style];
    short pair = pairs[style];
    cchar_t character;

    if (!cell->text[0])
        return;
    /* The cursor is one bar of one colour, whatever lies under it. */
    if (cell->style & CPS_STYLE_SELECTED) {
        attribute = (attribute & ~A_DIM) | A_REVERSE;
        pair = 0;
    }
    if (setcchar(&character, cell->text, attribute, pair, NULL) == OK)
        (void)mvadd_wch(row, column, &character);
}

void cps_screen_show(const struct cps_canvas *canvas)
{
    (void)erase();
    for (int row = 0; row < canvas->rows && row < LINES; row++) {
        for (int column = 0; column < canvas->columns && column < COLS; column++)
            show_cell(row, column, &canvas->cells[row * canvas->columns + column]);
    }
    cps_frame_begin();
    (void)refresh();
    cps_frame_end();
}

/* The loop waits for the keyboard itself, so curses never sees SIGWINCH in time. */
static bool resized(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
        return false;
    if (size.ws_row == LINES && size.ws_col == COLS)
        return false;
    return resizeterm(size.ws_row, size.ws_col) == OK;
}

static int special(wint_t key)
{
    switch (key) {
    case KEY_UP:
        return CPS_KEY_UP;
    case KEY_DOWN:
        return CPS_KEY_DOWN;
    case KEY_LEFT:
        return CPS_KEY_LEFT;
    case KEY_RIGHT:
        return CPS_KEY_RIGHT;
    case KEY_PPAGE:
        return CPS_KEY_PAGE_UP;
    case KEY_NPAGE:
        return CPS_KEY_PAGE_DOWN;
    case KEY_HOME:
        return CPS_KEY_HOME;
    case KEY_END:
        return CPS_KEY_END;
    case KEY_ENTER:
        return CPS_KEY_ENTER;
    case KEY_BACKSPACE:
        return CPS_KEY_BACKSPACE;
    case KEY_RESIZE:
        return CPS_KEY_RESIZE;
    default:
        return CPS_KEY_OTHER;
    }
}

/* A button as a key; where it was pressed is kept for cps_screen_pointer. */
static int button(void)
{
    MEVENT event;

    if (getmouse(&event) != OK)
        return CPS_KEY_OTHER;
    pointer_row = event.y;
    pointer_column = event.x;
    if (event.bstate & BUTTON4_PRESSED)
        return CPS_KEY_WHEEL_UP;
    return event.bstate & BUTTON5_PRESSED ? CPS_KEY_WHEEL_DOWN : CPS_KEY_CLICK;
}

/* After the process was stopped, by whomever, the terminal is as the shell has left it. */
static int go_on(void)
{
    continued = 0;
    (void)reset_prog_mode();
    (void)clearok(curscr, TRUE);
    (void)resized();
    return CPS_KEY_RESIZE;
}

int cps_screen_key(void)
{
    wint_t key;
    int kind;

    if (stop_asked)
        return CPS_KEY_SUSPEND;
    if (continued)
        return go_on();
    if (resized())
        return CPS_KEY_RESIZE;
    kind = get_wch(&key);
    if (kind == ERR)
        return CPS_KEY_NONE;
    if (kind == KEY_CODE_YES)
        return key == KEY_MOUSE ? button() : special(key);
    if (key == '\n')
        return CPS_KEY_ENTER;
    return key == '\b' ? CPS_KEY_BACKSPACE : (int)key;
}

void cps_screen_pointer(int *row, int *column)
{
    *row = pointer_row;
    *column = pointer_column;
}

/* The whole job is stopped, as the terminal would, or the shell waits for the rest of it: `make`,
 * a script. Where no shell is left to go on with it the kernel ignores the signal. */
void cps_screen_suspend(void)
{
    (void)endwin();
    (void)signal(SIGTSTP, SIG_DFL);
    (void)kill(0, SIGTSTP);
    stop_asked = 0;
    handle_job_control();
    (void)refresh();
}
