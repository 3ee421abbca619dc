/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 256

static bool grow(struct cps_buf *buf, size_t wanted)
{
    size_t capacity = buf->capacity ? buf->capacity : SMALLEST;
    char *data;

    while (capacity < wanted) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    data = realloc(buf->data, capacity);
    if (!data)
        return false;
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

char *cps_buf_reserve(struct cps_buf *buf, size_t length)
{
    if (buf->failed)
        return NULL;
    if (length > SIZE_MAX - buf->length || ((!buf->data || buf->length + length > buf->capacity) &&
                                            !grow(buf, buf->length + length))) {
        buf->failed = true;
        return NULL;
    }
    return buf->data + buf->length;
}

void cps_buf_append(struct cps_buf *buf, const void *bytes, size_t length)
{
    char *end;

    if (!length)
        return;
    end = cps_buf_reserve(buf, length);
    if (!end)
        return;
    memcpy(end, bytes, length);
    buf->length += length;
}

void cps_buf_append_string(struct cps_buf *buf, const char *string)
{
    cps_buf_append(buf, string, strlen(string));
}

void cps_buf_append_format(struct cps_buf *buf, const char *format, ...)
{
    va_list arguments, again;
    int length;
    char *end;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    end = length < 0 ? NULL : cps_buf_reserve(buf, (size_t)length + 1);
    if (end) {
        (void)vsnprintf(end, (size_t)length + 1, format, again);
        buf->length += (size_t)length;
    } else {
        buf->failed = true;
    }
    va_end(again);
}

bool cps_buf_failed(const struct cps_buf *buf)
{
    return buf->failed;
}

void cps_buf_clear(struct cps_buf *buf)
{
    buf->length = 0;
    buf->failed = false;
}

void cps_buf_free(struct cps_buf *buf)
{
    free(buf->data);
    *buf = (struct cps_buf){0};
}
