/* SPDX-License-Identifier: Apache-2.0 */
/* A growing run of bytes. {0} is an empty one. Failures to allocate stick: once one has happened,
 * appends do nothing and cps_buf_failed says so, so that a writer checks once, at the end. */
#ifndef CPS_COMMON_BUF_H
#define CPS_COMMON_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct cps_buf {
    char *data; /* owned; not terminated */
    size_t length;
    size_t capacity;
    bool failed;
};

void cps_buf_append(struct cps_buf *buf, const void *bytes, size_t length);
void cps_buf_append_string(struct cps_buf *buf, const char *string);
__attribute__((format(printf, 2, 3))) void cps_buf_append_format(struct cps_buf *buf,
                                                                 const char *format, ...);
/* Room for `length` bytes at the end, to be written and then counted in `length`; NULL on failure.
 */
char *cps_buf_reserve(struct cps_buf *buf, size_t length);
bool cps_buf_failed(const struct cps_buf *buf);
void cps_buf_clear(struct cps_buf *buf); /* keeps the memory */
void cps_buf_free(struct cps_buf *buf);  /* and it is {0} again */

#define cps_auto_buf __attribute__((cleanup(cps_buf_free)))

#endif
