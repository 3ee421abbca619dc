/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector alone, for tests: attaches to the files given and prints every trace as a line of
 * the stream.
 *
 *     collect [-n TRACES] [-t SECONDS] [-m MAX_CALLS] [-r RING_BYTES] FILE...
 *
 * Prints "attached" to stderr once it is, and the counters at the end; ends after so many traces,
 * so many seconds, or SIGINT or SIGTERM. Exits 1 with the sentence where a file is refused.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "collector.h"
#include "discover.h"

#define POLL_MS 100

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static void print_trace(void *context, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf line = {0};
    long *left = context;

    if (cps_trace_encode(trace, &line) == 0) {
        (void)fwrite(line.data, 1, line.length, stdout);
        (void)fflush(stdout);
    }
    if (--*left == 0)
        stopped = 1;
}

static void print_stats(const struct cps_collector *collector)
{
    struct cps_collector_stats stats;

    cps_collector_stats(collector, &stats);
#define PRINT(field) fprintf(stderr, #field " %llu\n", (unsigned long long)stats.field)
    PRINT(events_received);
    PRINT(blocks_received);
    PRINT(calls_received);
    PRINT(ring_lost);
    PRINT(events_malformed);
    PRINT(read_failed);
    PRINT(events_orphaned);
    PRINT(blocks_lost);
    PRINT(calls_dropped);
    PRINT(requests_refused);
    PRINT(memory_failed);
    PRINT(traces_completed);
    PRINT(traces_aborted);
    PRINT(traces_expired);
    PRINT(in_flight);
    PRINT(in_flight_bytes);
#undef PRINT
}

static int attach(struct cps_collector *collector, const char *path, struct cps_error *error)
{
    struct cps_target target;
    int result = cps_target_from_path(path, CPS_RUNTIME_UNKNOWN, &target, error);

    if (result)
        return result;
    result = cps_collector_attach(collector, &target, error);
    free(target.path);
    return result;
}

static int run(struct cps_collector *collector, char *const *paths, long seconds,
               struct cps_error *error)
{
    time_t end = time(NULL) + seconds;
    int result = 0;

    for (; *paths && !result; paths++)
        result = attach(collector, *paths, error);
    if (!result)
        (void)fputs("attached\n", stderr);
    while (!result && !stopped && (!seconds || time(NULL) < end))
        result = cps_collector_poll(collector, POLL_MS);
    return result;
}

int main(int argc, char **argv)
{
    long traces = -1, seconds = 0;
    struct cps_collector_options options = {.on_trace = print_trace, .context = &traces};
    struct cps_collector *collector;
    struct cps_error error = {0};
    int option, result;

    while ((option = getopt(argc, argv, "n:t:m:r:")) != -1) {
        long value = option == '?' ? 0 : strtol(optarg, NULL, 10);

        if (option == 'n')
            traces = value;
        else if (option == 't')
            seconds = value;
        else if (option == 'm')
            options.max_function_calls = (uint32_t)value;
        else if (option == 'r')
            options.ring_bytes = (size_t)value;
        else
            return 2;
    }
    (void)signal(SIGINT, stop);
    (void)signal(SIGTERM, stop);
    result = cps_collector_open(&options, &collector, &error);
    if (!result) {
        result = run(collector, argv + optind, seconds, &error);
        print_stats(collector);
        cps_collector_close(collector);
    }
    if (result)
        (void)fprintf(stderr, "%s\n", error.text);
    return result ? 1 : 0;
}
