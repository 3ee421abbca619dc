/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as they come, cut into lines. A line over the bound is dropped whole and counted; the next
 * one works. {.maximum = N} is an empty one. */
#ifndef CPS_CLI_LINES_H
#define CPS_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct cps_lines {
    struct cps_buf rest; /* the line that has begun */
    size_t maximum;
    uint64_t too_long;
    bool skipping;
};

/* Calls back for every line that is complete now, without its newline; empty ones are left out.
 * What the callback gets lives until it returns. Stops where it returns false. */
void cps_lines_feed(struct cps_lines *lines, const char *bytes, size_t length,
                    bool (*line)(void *context, const char *bytes, size_t length), void *context);
/* The last line, which had no newline. */
void cps_lines_finish(struct cps_lines *lines,
                      bool (*line)(void *context, const char *bytes, size_t length), void *context);
void cps_lines_reset(struct cps_lines *lines); /* forgets what has begun */
void cps_lines_free(struct cps_lines *lines);

#endif
