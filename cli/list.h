/* SPDX-License-Identifier: Apache-2.0 */
/* A cursor in a list of rows of which a window is shown. */
#ifndef CPS_CLI_LIST_H
#define CPS_CLI_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

struct cps_list {
    size_t cursor;
    size_t top;    /* the first row shown */
    size_t height; /* rows shown; set when it is drawn */
};

/* Moves the cursor by the usual keys (arrows, j k, page up and down, home and end, G). Whether it
 * was one of them. */
bool cps_list_key(struct cps_list *list, size_t count, int key);

/* Makes cursor and window fit `count` rows and the rows of the screen from `top` up to `bottom`.
 * Before drawing: what is drawn then are the rows from list->top up to the answer. */
size_t cps_list_fit(struct cps_list *list, size_t count, int top, int bottom);

/* Marks the row of the cursor. After drawing. */
void cps_list_select(const struct cps_list *list, size_t count, struct cps_canvas *canvas, int top);

#endif
