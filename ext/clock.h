/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest trustworthy clock: nanoseconds of CLOCK_MONOTONIC, made from the time stamp counter
 * where that is trusted (counter.h). Elsewhere each reading asks the kernel.
 *
 * Between two anchors the clock is a straight line. An anchor compares it with CLOCK_MONOTONIC,
 * measures the counter's rate anew, over all the time since the process started, and bends the line
 * so that what it is off is made good within the next 100 ms. It never jumps back and practically
 * never forward: times taken before and after an anchor can be subtracted, so that a call never
 * seems to begin before its caller. One clock a thread, anchored at the start of every request and
 * at every block, so it stays right over requests of hours.
 */
#ifndef CPS_EXT_CLOCK_H
#define CPS_EXT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "counter.h"

struct cps_clock {
    uint64_t ticks; /* the counter at the anchor */
    uint64_t ns;    /* the clock at the anchor */
    uint64_t rate;  /* ns a tick, 32.32 fixed point */
};

extern bool cps_clock_has_counter __attribute__((visibility("hidden")));

/* Chooses the source and takes the first measure. Once in a process, before any thread asks. */
void cps_clock_start(void);

/* Sets the clock to CLOCK_MONOTONIC. */
void cps_clock_set(struct cps_clock *clock);

/* Brings it back to CLOCK_MONOTONIC without a step. */
void cps_clock_anchor(struct cps_clock *clock);

static inline uint64_t cps_clock_read(clockid_t id)
{
    struct timespec time;

    (void)clock_gettime(id, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Where the clock's line is at a reading of the counter. */
static inline uint64_t cps_clock_at(const struct cps_clock *clock, uint64_t ticks)
{
    return clock->ns + (uint64_t)(((unsigned __int128)(ticks - clock->ticks) * clock->rate) >> 32);
}

static inline uint64_t cps_clock_now(const struct cps_clock *clock)
{
    if (__builtin_expect(cps_clock_has_counter, 1))
        return cps_clock_at(clock, cps_counter_read());
    return cps_clock_read(CLOCK_MONOTONIC);
}

#endif
