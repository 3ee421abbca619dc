/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Under this, the error of two readings would show in the rate. */
#define SHORTEST_BASELINE_NS 200000u
#define LARGEST_ERROR_NS 1000000
#define CORRECTION_NS 100000000

bool cps_clock_has_counter;

#if defined(__x86_64__)
/* Constant rate, and it runs on in every sleep state. */
static bool is_invariant(void)
{
    unsigned eax;
    unsigned ebx;
    unsigned ecx;
    unsigned edx;

    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & (1u << 8));
}

static bool is_kernel_clock(void)
{
    static const char *const based_on_it[] = {"tsc\n", "kvm-clock\n",
                                              "hyperv_clocksource_tsc_page\n", "xen\n"};
    char name[64];
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    ssize_t length = read(fd, name, sizeof(name) - 1);

    (void)close(fd);
    if (length <= 0)
        return false;
    name[length] = '\0';
    for (size_t i = 0; i < sizeof(based_on_it) / sizeof(based_on_it[0]); i++) {
        if (strcmp(name, based_on_it[i]) == 0)
            return true;
    }
    return false;
}

static bool is_trustworthy(void)
{
    return is_kernel_clock() && is_invariant();
}
#elif defined(__aarch64__)
/* The architected counter: constant and always on by definition. */
static bool is_trustworthy(void)
{
    return true;
}
#else
static bool is_trustworthy(void)
{
    return false;
}
#endif

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
        uint64_t before = cps_clock_counter();
        uint64_t ns = cps_clock_read(CLOCK_MONOTONIC);
        uint64_t width = cps_clock_counter() - before;

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
    cps_clock_has_counter = is_trustworthy();
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
