/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal. The only place that talks to curses. One at a time; one thread. */
#ifndef CPS_CLI_SCREEN_H
#define CPS_CLI_SCREEN_H

#include "canvas.h"

/* Keys: a character as its code point, or one of these. */
enum cps_key {
    CPS_KEY_NONE = -1,
    CPS_KEY_INTERRUPT = 3, /* ^C */
    CPS_KEY_SUSPEND = 26,  /* ^Z */
    CPS_KEY_ENTER = '\r',
    CPS_KEY_ESCAPE = 0x1b,
    CPS_KEY_BACKSPACE = 0x7f,
    CPS_KEY_UP = 0x110000,
    CPS_KEY_DOWN,
    CPS_KEY_LEFT,
    CPS_KEY_RIGHT,
    CPS_KEY_PAGE_UP,
    CPS_KEY_PAGE_DOWN,
    CPS_KEY_HOME,
    CPS_KEY_END,
    CPS_KEY_RESIZE,
    CPS_KEY_CLICK, /* cps_screen_pointer tells where */
    CPS_KEY_WHEEL_UP,
    CPS_KEY_WHEEL_DOWN,
    CPS_KEY_OTHER,
};

/* Takes the terminal over; it is given back by cps_screen_close, and where a fatal signal ends the
 * process. -ENOTTY where it cannot do what is needed, -ENOENT where TERM is not known, with a
 * sentence. */
int cps_screen_open(struct cps_error *error);
void cps_screen_close(void);

void cps_screen_size(int *rows, int *columns);
/* Whether glyphs beyond ASCII can be shown. */
bool cps_screen_unicode(void);
void cps_screen_show(const struct cps_canvas *canvas);
/* The next key that has been typed, CPS_KEY_NONE where there is none. Does not wait. */
int cps_screen_key(void);
/* The row and column of the last click. */
void cps_screen_pointer(int *row, int *column);
/* Gives the terminal back, stops the process as ^Z does, and takes it over again when it goes on.
 */
void cps_screen_suspend(void);

#endif
