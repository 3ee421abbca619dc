/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

/* Under this, the error of two readings would show in the rate. */
#define SHORTEST_BASELINE_NS 200000u
#define LARGEST_ERROR_NS 1000000
#define CORRECTION_NS 100000000

bool cps_clock_has_counter;

/* One moment on both clocks. */
struct moment {
    uint64_t ticks;
    uint64_t ns;
};

static struct moment origin;

/* The nearest of a few readings: one may have been interrupted in the middle. */
static struct moment take_moment(void)
{
    struct moment best = {0};
    uint64_t shortest = UINT64_MAX;

    for (int i = 0; i < 3; i++) {
        uint64_t before = cps_counter_read();
        uint64_t ns = cps_clock_read(CLOCK_MONOTONIC);
        uint64_t width = cps_counter_read() - before;

        if (width < shortest) {
            shortest = width;
            best = (struct moment){before + width / 2, ns};
        }
    }
    return best;
}

/* Only a request in the first moments of the process has to wait for a baseline. */
static uint64_t measure_rate(struct moment now)
{
    while (now.ns - origin.ns < SHORTEST_BASELINE_NS)
        now = take_moment();
    uint64_t ticks = now.ticks - origin.ticks;

    if (ticks == 0)
        return 0;
    return (uint64_t)(((unsigned __int128)(now.ns - origin.ns) << 32) / ticks);
}

void cps_clock_start(void)
{
    cps_clock_has_counter = cps_counter_is_trusted();
    origin = take_moment();
}

void cps_clock_set(struct cps_clock *clock)
{
    if (!cps_clock_has_counter)
        return;
    clock->rate = measure_rate(take_moment());
    struct moment now = take_moment();

    clock->ticks = now.ticks;
    clock->ns = now.ns;
}

void cps_clock_anchor(struct cps_clock *clock)
{
    if (!cps_clock_has_counter)
        return;
    struct moment now = take_moment();
    uint64_t shown = cps_clock_at(clock, now.ticks);
    int64_t behind = (int64_t)(now.ns - shown);

    clock->rate = measure_rate(now);
    clock->ticks = now.ticks;
    clock->ns = shown;
    if (behind > LARGEST_ERROR_NS) {
        clock->ns = now.ns; /* the counter stood still: the machine was suspended */
    } else {
        behind = behind < -LARGEST_ERROR_NS ? -LARGEST_ERROR_NS : behind;
        clock->rate += (uint64_t)((int64_t)clock->rate * behind / CORRECTION_NS);
    }
}
