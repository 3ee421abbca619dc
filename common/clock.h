/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks, in ns where nothing else is said. Any thread. */
#ifndef CPS_COMMON_CLOCK_H
#define CPS_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CPS_CLOCK_SECOND UINT64_C(1000000000)

static inline uint64_t cps_clock_read(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * CPS_CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

/* Since some moment in the past; never goes back. What deadlines and the times of probes are in. */
static inline uint64_t cps_clock_monotonic(void)
{
    return cps_clock_read(CLOCK_MONOTONIC);
}

/* The same in ms, signed, for sums and differences. */
static inline int64_t cps_clock_ms(void)
{
    return (int64_t)(cps_clock_monotonic() / 1000000u);
}

/* Since the Unix epoch. */
static inline uint64_t cps_clock_realtime(void)
{
    return cps_clock_read(CLOCK_REALTIME);
}

#endif
