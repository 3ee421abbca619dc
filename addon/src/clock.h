/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock that calls are timed with: nanoseconds of CLOCK_MONOTONIC, read from the processor's
 * counter where the kernel itself trusts it. A clock belongs to one thread.
 */
#ifndef CPS_ADDON_CLOCK_H
#define CPS_ADDON_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct cps_clock {
    bool counter;         /* the processor's counter may be used */
    double ns_per_tick;   /* 0 until the first anchor that is far enough from the start */
    uint64_t start_ticks; /* of the moment of cps_clock_init */
    uint64_t start_ns;
    uint64_t anchor_ticks; /* of the last anchor */
    uint64_t anchor_ns;
    uint64_t last_ns; /* what was returned last: the clock never goes back */
};

void cps_clock_init(struct cps_clock *clock);

/* Ties the counter to the monotonic clock again. Called at the boundaries of blocks, and by
 * cps_clock_now once a second, so that an error of the rate does not grow over a long request. */
void cps_clock_anchor(struct cps_clock *clock);

/* ns, CLOCK_MONOTONIC; never less than it returned before. */
uint64_t cps_clock_now(struct cps_clock *clock);

/* ns, of CLOCK_MONOTONIC and since the Unix epoch. */
uint64_t cps_clock_monotonic(void);
uint64_t cps_clock_realtime(void);

#endif
