/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that were saved as lines of the stream. */
#ifndef CPS_CLI_SAVED_H
#define CPS_CLI_SAVED_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "trace.h"

/* {0} is an empty one. */
struct cps_saved {
    struct cps_trace **traces; /* owned, in the order of the files */
    size_t count;
    size_t capacity;
    uint64_t refused;     /* lines that are no traces; the next line is read all the same */
    struct cps_error why; /* the first of them: file, number among its lines, reason */
};

/* Adds the traces of a file; "-" is the standard input. Empty lines and events of the stream are
 * passed over. 0, or -errno with a sentence where the file cannot be read; -ENOMEM. What was read
 * until then stays. */
int cps_saved_read(struct cps_saved *saved, const char *path, struct cps_error *error);
void cps_saved_free(struct cps_saved *saved); /* and it is {0} again */

#endif
