/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_gettime costs more than the rest of an enter or leave. The time stamp counter costs a third
 * of it, and is as good where it is invariant and the kernel's own clock is derived from it. The
 * rate is not known from the processor, and loading must not wait to measure it; so the first
 * reading that comes RATE_NS after loading computes it, and until then the system's clock is read.
 */
#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

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

#if defined(__x86_64__)
static uint64_t ticks(void)
{
    return __rdtsc();
}

/* The counter is invariant, and the kernel's clock is made of it, directly or by the host. */
static bool trusted(void)
{
    static const char *const sources[] = {"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n",
                                          "xen\n"};
    unsigned int a, b, c, d;
    char name[64];
    ssize_t length;
    int fd;

    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8)))
        return false;
    fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
              O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    length = read(fd, name, sizeof(name) - 1);
    close(fd);
    if (length <= 0)
        return false;
    name[length] = '\0';
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (!strcmp(name, sources[i]))
            return true;
    }
    return false;
}
#elif defined(__aarch64__)
static uint64_t ticks(void)
{
    uint64_t value;

    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

/* The architecture promises a constant rate, the same on every core. */
static bool trusted(void)
{
    return true;
}
#else
static uint64_t ticks(void)
{
    return 0;
}

static bool trusted(void)
{
    return false;
}
#endif

/* Reads both clocks at as nearly one moment as can be had: of a few attempts the fastest, since a
 * thread may be suspended between the reads. */
static void read_pair(uint64_t *out_ticks, uint64_t *out_ns)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t before = ticks();
        uint64_t ns = cps_clock_monotonic();
        uint64_t after = ticks();

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
    clock->counter = trusted();
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
        int64_t since = (int64_t)(ticks() - clock->anchor_ticks);
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
