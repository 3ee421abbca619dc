/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_gettime costs more than the rest of an enter or leave; the processor's counter costs a
 * third of it, and is as good where it is trusted (counter.h). Its rate is not known from the
 * processor, and loading must not wait to measure it; so the first reading that comes RATE_NS after
 * loading computes it, and until then the system's clock is read.
 */
#include "clock.h"

#include <string.h>
#include <time.h>

#include "counter.h"

#define RATE_NS 20000000ull
#define ANCHOR_NS 1000000000ull
#define ATTEMPTS 3

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

uint64_t cps_clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t cps_clock_realtime(void)
{
    return read_clock(CLOCK_REALTIME);
}

/* Reads both clocks at as nearly one moment as can be had: of a few attempts the fastest, since a
 * thread may be suspended between the reads. */
static void read_pair(uint64_t *out_ticks, uint64_t *out_ns)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t before = cps_counter_read();
        uint64_t ns = cps_clock_monotonic();
        uint64_t after = cps_counter_read();

        if (after - before >= best)
            continue;
        best = after - before;
        *out_ticks = before + best / 2;
        *out_ns = ns;
    }
}

void cps_clock_init(struct cps_clock *clock)
{
    memset(clock, 0, sizeof(*clock));
    clock->counter = cps_counter_is_trusted();
    if (clock->counter)
        read_pair(&clock->start_ticks, &clock->start_ns);
}

void cps_clock_anchor(struct cps_clock *clock)
{
    uint64_t now_ticks = 0, now_ns = 0;

    if (!clock->counter)
        return;
    read_pair(&now_ticks, &now_ns);
    if (now_ns - clock->start_ns < RATE_NS || now_ticks <= clock->start_ticks)
        return;
    clock->ns_per_tick =
        (double)(now_ns - clock->start_ns) / (double)(now_ticks - clock->start_ticks);
    clock->anchor_ticks = now_ticks;
    clock->anchor_ns = now_ns;
}

uint64_t cps_clock_now(struct cps_clock *clock)
{
    uint64_t now;

    if (clock->ns_per_tick > 0) {
        int64_t since = (int64_t)(cps_counter_read() - clock->anchor_ticks);
        uint64_t ns = since > 0 ? (uint64_t)((double)since * clock->ns_per_tick) : 0;

        now = clock->anchor_ns + ns;
        if (ns > ANCHOR_NS)
            cps_clock_anchor(clock);
    } else {
        now = cps_clock_monotonic();
        if (clock->counter && now - clock->start_ns >= RATE_NS)
            cps_clock_anchor(clock);
    }
    if (now < clock->last_ns)
        return clock->last_ns;
    clock->last_ns = now;
    return now;
}
