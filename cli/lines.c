/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <string.h>

static void keep(struct cps_lines *lines, const char *bytes, size_t length)
{
    bool fits = length <= lines->maximum - lines->rest.length;

    if (lines->skipping)
        return;
    if (fits)
        cps_buf_append(&lines->rest, bytes, length);
    if (!fits || cps_buf_failed(&lines->rest)) {
        lines->skipping = true;
        lines->too_long++;
        cps_buf_free(&lines->rest);
    }
}

static bool end(struct cps_lines *lines, const char *bytes, size_t length,
                bool (*line)(void *context, const char *bytes, size_t length), void *context)
{
    bool more = true;

    if (!lines->skipping && lines->rest.length == 0 && length <= lines->maximum) {
        if (length && bytes[length - 1] == '\r')
            length--;
        return length == 0 || line(context, bytes, length);
    }
    keep(lines, bytes, length);
    if (!lines->skipping) {
        size_t whole = lines->rest.length;

        if (whole && lines->rest.data[whole - 1] == '\r')
            whole--;
        if (whole)
            more = line(context, lines->rest.data, whole);
    }
    cps_lines_reset(lines);
    return more;
}

void cps_lines_feed(struct cps_lines *lines, const char *bytes, size_t length,
                    bool (*line)(void *context, const char *bytes, size_t length), void *context)
{
    while (length) {
        const char *newline = memchr(bytes, '\n', length);

        if (!newline) {
            keep(lines, bytes, length);
            return;
        }
        if (!end(lines, bytes, (size_t)(newline - bytes), line, context))
            return;
        length -= (size_t)(newline - bytes) + 1;
        bytes = newline + 1;
    }
}

void cps_lines_finish(struct cps_lines *lines,
                      bool (*line)(void *context, const char *bytes, size_t length), void *context)
{
    end(lines, "", 0, line, context);
}

void cps_lines_reset(struct cps_lines *lines)
{
    lines->skipping = false;
    cps_buf_clear(&lines->rest);
}

void cps_lines_free(struct cps_lines *lines)
{
    cps_buf_free(&lines->rest);
}
