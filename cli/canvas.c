/* SPDX-License-Identifier: Apache-2.0 */
#include "canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int cps_canvas_init(struct cps_canvas *out, int rows, int columns, bool ascii)
{
    struct cps_canvas canvas = {.rows = rows, .columns = columns, .ascii = ascii, .selected = -1};

    canvas.cells = calloc((size_t)rows * (size_t)columns + 1, sizeof(*canvas.cells));
    if (!canvas.cells)
        return -ENOMEM;
    cps_canvas_clear(&canvas);
    *out = canvas;
    return 0;
}

void cps_canvas_free(struct cps_canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct cps_canvas){0};
}

void cps_canvas_clear(struct cps_canvas *canvas)
{
    size_t count = (size_t)canvas->rows * (size_t)canvas->columns;

    memset(canvas->cells, 0, count * sizeof(*canvas->cells));
    for (size_t i = 0; i < count; i++)
        canvas->cells[i].text[0] = L' ';
}

static struct cps_cell *cell(struct cps_canvas *canvas, int row, int column)
{
    if (row < 0 || column < 0 || row >= canvas->rows || column >= canvas->columns)
        return NULL;
    return &canvas->cells[row * canvas->columns + column];
}

/* No more bytes of a text than these are looked at, far more than the widest row shows: a
 * stranger's name may have megabytes, and what has no width, as combining marks, would be read to
 * its end in each frame. */
#define LOOKED_AT 16384

/* What stands for a code point here: itself, or a replacement of one column. */
static wchar_t shown(bool ascii, uint32_t code, int *width)
{
    wchar_t character =
        code == CPS_TEXT_INVALID || !cps_text_printable(code) ? 0xfffd : (wchar_t)code;

    *width = wcwidth(character);
    if ((ascii && character > 0x7e) || *width < 0) {
        *width = 1;
        return L'?';
    }
    return character;
}

static void combine(struct cps_canvas *canvas, int row, int column, wchar_t mark)
{
    struct cps_cell *base = cell(canvas, row, column - 1);

    if (base && !base->text[0])
        base = cell(canvas, row, column - 2);
    for (int i = 1; base && i <= CPS_CELL_COMBINING; i++) {
        if (!base->text[i]) {
            base->text[i] = mark;
            return;
        }
    }
}

static void set(struct cps_canvas *canvas, int row, int column, wchar_t character, uint8_t style)
{
    struct cps_cell *at = cell(canvas, row, column);

    if (at)
        *at = (struct cps_cell){.text = {character}, .style = style};
}

/* Something was cut off after `used` columns, of which the last one tells so. */
static int cut(struct cps_canvas *canvas, int row, int column, int used, uint8_t style)
{
    struct cps_cell *last = used ? cell(canvas, row, column + used - 1) : NULL;

    if (used < 4)
        return used;
    if (last && !last->text[0])
        set(canvas, row, column + used - 2, L' ', style);
    set(canvas, row, column + used - 1, canvas->ascii ? L'~' : 0x2026, style);
    return used;
}

int cps_canvas_put(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                   const char *bytes, size_t length)
{
    int used = 0;

    if (width > canvas->columns - column)
        width = canvas->columns - column;
    if (length > LOOKED_AT)
        length = LOOKED_AT;
    for (size_t i = 0; i < length;) {
        uint32_t code;
        int columns;
        wchar_t character;

        i += cps_text_next(bytes + i, length - i, &code);
        character = shown(canvas->ascii, code, &columns);
        if (columns == 0) {
            if (used)
                combine(canvas, row, column + used, character);
            continue;
        }
        if (used + columns > width)
            return cut(canvas, row, column, used, style);
        set(canvas, row, column + used, character, style);
        if (columns == 2)
            set(canvas, row, column + used + 1, 0, style);
        used += columns;
    }
    return used;
}

int cps_canvas_text(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                    const char *text)
{
    return cps_canvas_put(canvas, row, column, width, style, text, strlen(text));
}

/* The last of a text's bytes that are looked at, from the start of a character on; how many. */
static size_t last_bytes(const char **bytes, size_t length)
{
    size_t from = length > LOOKED_AT ? length - LOOKED_AT : 0;

    while (from && from < length && ((unsigned char)(*bytes)[from] & 0xc0) == 0x80)
        from++;
    *bytes += from;
    return length - from;
}

int cps_canvas_tail(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                    const char *bytes, size_t length)
{
    int over;
    size_t skip = 0;

    if (width > canvas->columns - column)
        width = canvas->columns - column;
    length = last_bytes(&bytes, length);
    over = cps_canvas_width(bytes, length) - width;
    if (over <= 0 || width < 4)
        return cps_canvas_put(canvas, row, column, width, style, bytes, length);
    for (over++; over > 0 && skip < length;) {
        uint32_t code;
        int columns;

        skip += cps_text_next(bytes + skip, length - skip, &code);
        (void)shown(canvas->ascii, code, &columns);
        over -= columns;
    }
    set(canvas, row, column, canvas->ascii ? L'~' : 0x2026, style);
    return 1 +
           cps_canvas_put(canvas, row, column + 1, width - 1, style, bytes + skip, length - skip);
}

void cps_canvas_right(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                      const char *text)
{
    int wanted = cps_canvas_width(text, strlen(text));
    int gap = wanted < width ? width - wanted : 0;

    cps_canvas_text(canvas, row, column + gap, width - gap, style, text);
}

int cps_canvas_format(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                      const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return length < 0 ? 0 : cps_canvas_text(canvas, row, column, width, style, text);
}

void cps_canvas_bar(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                    uint64_t part, uint64_t whole)
{
    double share = whole ? (double)part / (double)whole : 0;
    int eighths = (int)((share > 1 ? 1 : share) * width * 8 + 0.5);

    for (int i = 0; i < width && eighths > 0; i++, eighths -= 8) {
        wchar_t glyph = eighths >= 8 ? 0x2588 : (wchar_t)(0x2590 - eighths);

        if (canvas->ascii)
            glyph = eighths >= 4 ? L'#' : L'.';
        set(canvas, row, column + i, glyph, style);
    }
}

void cps_canvas_span(struct cps_canvas *canvas, int row, int column, int width, uint8_t style,
                     uint64_t from, uint64_t to, uint64_t whole)
{
    int first, last;

    if (!whole || width <= 0)
        return;
    first = (int)(from < whole ? (double)from / (double)whole * width : width);
    last = (int)(to < whole ? (double)to / (double)whole * width : width);
    if (first >= width)
        first = width - 1;
    if (last >= width)
        last = width - 1;
    for (int i = first; i <= last; i++)
        set(canvas, row, column + i, canvas->ascii ? L'=' : 0x2584, style);
}

void cps_canvas_rule(struct cps_canvas *canvas, int row)
{
    for (int i = 0; i < canvas->columns; i++)
        set(canvas, row, i, canvas->ascii ? L'-' : 0x2500, CPS_STYLE_DIM);
}

void cps_canvas_select(struct cps_canvas *canvas, int row)
{
    canvas->selected = row;
    for (int i = 0; i < canvas->columns; i++) {
        struct cps_cell *at = cell(canvas, row, i);

        if (at)
            at->style |= CPS_STYLE_SELECTED;
    }
}

int cps_canvas_width(const char *bytes, size_t length)
{
    int width = 0;

    for (size_t i = 0; i < length;) {
        uint32_t code;
        int columns;

        i += cps_text_next(bytes + i, length - i, &code);
        (void)shown(false, code, &columns);
        width += columns;
    }
    return width;
}
