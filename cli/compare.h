/* SPDX-License-Identifier: Apache-2.0 */
/* Two traces, function by function. */
#ifndef CPS_CLI_COMPARE_H
#define CPS_CLI_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

enum cps_compare_by {
    CPS_COMPARE_SELF,
    CPS_COMPARE_INCLUSIVE,
    CPS_COMPARE_CALLS,
    CPS_COMPARE_COUNT
};

struct cps_change {
    const struct cps_string *name;         /* one of the traces' */
    const struct cps_function *before;     /* NULL: only in the other one */
    const struct cps_function *after;      /* NULL: only in the other one */
    int64_t difference[CPS_COMPARE_COUNT]; /* after less before: ns, ns, calls */
};

struct cps_changes {
    struct cps_change *items; /* the largest difference first */
    size_t count;
    uint64_t largest; /* difference, without its sign */
};

/* Into *out, to be freed with cps_compare_free; it refers to both traces. 0 or -ENOMEM. */
int cps_compare(const struct cps_held *before, const struct cps_held *after, enum cps_compare_by by,
                struct cps_changes *out);
/* The figure of a function that is compared; 0 of NULL. */
uint64_t cps_compare_figure(const struct cps_function *function, enum cps_compare_by by);
void cps_compare_free(struct cps_changes *changes); /* and it is {0} again */

#endif
