/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Last: curses defines words as short as `lines`. */
#include <curses.h>

/* The plain build of curses would compile too, and draw question marks. */
#if !NCURSES_WIDECHAR
#error "compass: the wide build of curses (ncursesw) is needed"
#endif

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

static SCREEN *terminal;
static attr_t attributes[CPS_STYLE_COUNT];
static short pairs[CPS_STYLE_COUNT];

/* endwin is not on the list of what a handler may call; a terminal that is left raw is worse. */
static void on_fatal(int number)
{
    (void)signal(number, SIG_DFL);
    (void)endwin(); /* NOLINT(bugprone-signal-handler): as above */
    (void)raise(number);
}

/* Without colour the attributes alone tell styles apart; with it they do so as well. */
static void set_styles(void)
{
    static const struct {
        attr_t attribute;
        short colour;
    } styles[CPS_STYLE_COUNT] = {
        [CPS_STYLE_DIM] = {A_DIM, -1},
        [CPS_STYLE_BOLD] = {A_BOLD, -1},
        [CPS_STYLE_ACCENT] = {A_NORMAL, COLOR_CYAN},
        [CPS_STYLE_WARN] = {A_BOLD, COLOR_YELLOW},
        [CPS_STYLE_ERROR] = {A_BOLD, COLOR_RED},
    };
    const char *no_color = getenv("NO_COLOR");
    bool colour = has_colors() && !(no_color && *no_color);

    if (colour) {
        (void)start_color();
        (void)use_default_colors();
    }
    for (int i = 0; i < CPS_STYLE_COUNT; i++) {
        attributes[i] = styles[i].attribute;
        pairs[i] = 0;
        if (colour && styles[i].attribute != A_DIM && styles[i].colour > 0 &&
            init_pair((short)i, styles[i].colour, -1) == OK)
            pairs[i] = (short)i;
    }
}

int cps_screen_open(struct cps_error *error)
{
    const char *name = getenv("TERM");

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return cps_error_set(error, -ENOTTY,
                             "the UI needs a terminal; --output json or --output summary prints "
                             "traces without one");
    terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return cps_error_set(error, -ENOENT,
                             "TERM: \"%s\" was found, the name of a known terminal was expected",
                             name ? name : "");
    if (!tigetstr("cup")) {
        cps_screen_close();
        return cps_error_set(error, -ENOTTY,
                             "TERM: \"%s\" is a terminal whose cursor cannot be moved; "
                             "--output summary prints traces line by line",
                             name ? name : "");
    }
    for (size_t i = 0; i < sizeof(fatal_signals) / sizeof(*fatal_signals); i++)
        (void)signal(fatal_signals[i], on_fatal);
    (void)raw();
    (void)noecho();
    (void)nonl();
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)set_escdelay(25);
    (void)curs_set(0);
    set_styles();
    return 0;
}

void cps_screen_close(void)
{
    if (!terminal)
        return;
    (void)endwin();
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
    attr_t attribute = attributes[style] | (cell->style & CPS_STYLE_SELECTED ? A_REVERSE : 0);
    cchar_t character;

    if (!cell->text[0])
        return;
    if (setcchar(&character, cell->text, attribute, pairs[style], NULL) == OK)
        (void)mvadd_wch(row, column, &character);
}

void cps_screen_show(const struct cps_canvas *canvas)
{
    (void)erase();
    for (int row = 0; row < canvas->rows && row < LINES; row++) {
        for (int column = 0; column < canvas->columns && column < COLS; column++)
            show_cell(row, column, &canvas->cells[row * canvas->columns + column]);
    }
    (void)refresh();
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

int cps_screen_key(void)
{
    wint_t key;
    int kind;

    if (resized())
        return CPS_KEY_RESIZE;
    kind = get_wch(&key);
    if (kind == ERR)
        return CPS_KEY_NONE;
    if (kind == KEY_CODE_YES)
        return special(key);
    if (key == '\n')
        return CPS_KEY_ENTER;
    return key == '\b' ? CPS_KEY_BACKSPACE : (int)key;
}

void cps_screen_suspend(void)
{
    (void)endwin();
    (void)raise(SIGSTOP);
    (void)refresh();
}
