/* SPDX-License-Identifier: Apache-2.0 */
/* Two traces, function by function. */
#ifndef CPS_CLI_COMPARE_H
#define CPS_CLI_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct cps_change {
    const struct cps_string *name;     /* one of the traces' */
    const struct cps_function *before; /* NULL: only in the other one */
    const struct cps_function *after;  /* NULL: only in the other one */
    int64_t self, elapsed, calls;      /* after less before */
};

struct cps_changes {
    struct cps_change *items; /* the largest difference in self time first */
    size_t count;
    uint64_t largest; /* ns, without its sign */
};

/* Into *out, to be freed with cps_compare_free; it refers to both traces. 0 or -ENOMEM. */
int cps_compare(const struct cps_held *before, const struct cps_held *after,
                struct cps_changes *out);
void cps_compare_free(struct cps_changes *changes); /* and it is {0} again */

#endif
