/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A grid of characters that views draw on, and that the screen puts on the terminal. Nothing that
 * is drawn can be a control sequence: text goes in as code points that may be shown, each with its
 * width.
 *
 * Coordinates are rows and columns from 0; what does not fit is cut at the right, without splitting
 * a wide character. One thread.
 */
#ifndef CPS_CLI_CANVAS_H
#define CPS_CLI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "trace.h"

enum cps_style {
    CPS_STYLE_NORMAL,
    CPS_STYLE_DIM,
    CPS_STYLE_BOLD,
    CPS_STYLE_ACCENT,
    CPS_STYLE_WARN,
    CPS_STYLE_ERROR,
    CPS_STYLE_COUNT,
    CPS_STYLE_SELECTED = 0x80, /* or'ed to another one: the row of the cursor */
};

#define CPS_CELL_COMBINING 2

struct cps_cell {
    wchar_t text[CPS_CELL_COMBINING +
                 2]; /* a character and what combines with it; [0] is 0 right of a wide one */
    uint8_t style;
};

struct cps_canvas {
    struct cps_cell *cells; /* rows * columns */
    int rows, columns;
    bool ascii;   /* no glyph beyond ASCII */
    int selected; /* the row that cps_canvas_select was called for last; -1: none */
};

/* An empty canvas into *out. 0 or -ENOMEM; to be freed with cps_canvas_free. */
int cps_canvas_init(struct cps_canvas *out, int rows, int columns, bool ascii);
void cps_canvas_free(struct cps_canvas *canvas);
void cps_canvas_clear(struct cps_canvas *canvas);

/* Puts up to `width` columns of text at (row, column); where it is cut it ends in an ellipsis.
 * Returns how many columns it took. */
int cps_canvas_put(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                   const char *bytes, size_t length);
int cps_canvas_text(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                    const char *text);
/* The same, but the beginning is what is cut: of a name with namespaces, the end tells more. */
int cps_canvas_tail(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                    const char *bytes, size_t length);
/* The same, at the right end of `width` columns. */
void cps_canvas_right(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                      const char *text);
__attribute__((format(printf, 6, 7))) int cps_canvas_format(struct cps_canvas *canvas, int row,
                                                            int column, int width, uint8_t style,
                                                            const char *format, ...);

/* A horizontal bar of `part` of `whole` in `width` columns, in eighths of a column. */
void cps_canvas_bar(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                    uint64_t part, uint64_t whole);

/* A bar from `from` to `to` on an axis of `whole`: at least one column, so that nothing vanishes.
 */
void cps_canvas_span(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                     uint64_t from, uint64_t to, uint64_t whole);

/* A rule over the whole row. */
void cps_canvas_rule(struct cps_canvas *canvas, int row);
/* Gives every cell of the row the style's background. */
void cps_canvas_select(struct cps_canvas *canvas, int row);

/* How many columns the text takes. */
int cps_canvas_width(const char *bytes, size_t length);

#endif
