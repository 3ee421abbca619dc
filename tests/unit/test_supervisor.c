/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor with a collector and a discovery of our own behind it: what is attached when. */
#include "supervisor.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "discover.h"
#include "log.h"

#define MS UINT64_C(1000000)
#define PATIENCE 2000 /* steps of 5 ms */

/* The fake world. One lock guards it; tests change it, the supervisor's thread looks at it. */
static struct {
    pthread_mutex_t lock;
    ino_t present[4]; /* inodes that a PHP process has mapped; 0: none */
    ino_t attached[4];
    ino_t refused; /* cannot be attached */
    int open_errors;
    int poll_errors;
    int opens;
    int closes;
    int attempts;
    int traces; /* to be delivered at the next poll */
    struct cps_collector_options options;
    char nothing[512];
} world = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct cps_collector {
    int unused;
};
static struct cps_collector the_collector;

static void lock(void)
{
    (void)pthread_mutex_lock(&world.lock);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&world.lock);
}

int cps_collector_open(const struct cps_collector_options *options, struct cps_collector **out,
                       struct cps_error *error)
{
    int status = 0;

    lock();
    if (world.open_errors > 0) {
        world.open_errors--;
        status = cps_error_set(error, -EPERM, "CAP_BPF is missing");
    } else {
        world.opens++;
        world.options = *options;
        *out = &the_collector;
    }
    unlock();
    return status;
}

void cps_collector_close(struct cps_collector *collector)
{
    assert_ptr_equal(collector, &the_collector);
    lock();
    world.closes++;
    memset(world.attached, 0, sizeof(world.attached));
    unlock();
}

int cps_collector_attach(struct cps_collector *collector, const struct cps_target *target,
                         struct cps_error *error)
{
    int status = 0;

    (void)collector;
    lock();
    world.attempts++;
    if (target->inode == world.refused) {
        status = cps_error_set(error, -EPROTO, "%s: no probe batch", target->path);
    } else {
        size_t i = 0;
        while (world.attached[i])
            i++;
        world.attached[i] = target->inode;
    }
    unlock();
    return status;
}

void cps_collector_detach(struct cps_collector *collector, dev_t device, ino_t inode)
{
    (void)collector;
    (void)device;
    lock();
    for (size_t i = 0; i < 4; i++) {
        if (world.attached[i] == inode)
            world.attached[i] = 0;
    }
    unlock();
}

size_t cps_collector_attached(const struct cps_collector *collector)
{
    size_t count = 0;

    (void)collector;
    lock();
    for (size_t i = 0; i < 4; i++)
        count += world.attached[i] != 0;
    unlock();
    return count;
}

static void deliver(void)
{
    struct cps_trace *trace = cps_trace_new();

    world.options.on_started(world.options.context, trace);
    world.options.on_trace(world.options.context, trace);
    cps_trace_free(trace);
}

int cps_collector_poll(struct cps_collector *collector, int timeout_ms)
{
    const struct timespec step = {.tv_nsec = 2000000};
    int traces;
    int status = 0;

    (void)collector;
    (void)timeout_ms;
    (void)nanosleep(&step, NULL);
    lock();
    traces = world.traces;
    world.traces = 0;
    if (world.poll_errors > 0) {
        world.poll_errors--;
        status = -EIO;
    }
    unlock();
    for (; traces > 0; traces--)
        deliver();
    return status;
}

void cps_collector_stats(const struct cps_collector *collector, struct cps_collector_stats *out)
{
    (void)collector;
    *out = (struct cps_collector_stats){.traces_completed = 1, .in_flight = 1};
}

int cps_discover(const struct cps_discover_query *query, struct cps_target **out, size_t *count,
                 struct cps_error *error)
{
    struct cps_target *targets = calloc(4, sizeof(*targets));
    size_t found = 0;

    lock();
    for (size_t i = 0; i < 4 && query->runtime == CPS_RUNTIME_PHP; i++) {
        if (world.present[i])
            targets[found++] = (struct cps_target){
                .runtime = CPS_RUNTIME_PHP, .path = "compass.so", .inode = world.present[i]};
    }
    unlock();
    if (found == 0)
        (void)cps_error_set(error, 0, "no process like %s", query->process_name);
    *out = targets;
    *count = found;
    return 0;
}

void cps_targets_free(struct cps_target *targets, size_t count)
{
    (void)count;
    free(targets);
}

/* The tests. */

struct fixture {
    struct cps_broadcast *broadcast;
    struct cps_supervisor *supervisor;
};

static void on_change(void *context)
{
    struct fixture *fixture = context;

    if (fixture->supervisor)
        cps_supervisor_poke(fixture->supervisor);
}

static void on_nothing_found(void *context, const char *sentence)
{
    (void)context;
    lock();
    (void)snprintf(world.nothing, sizeof(world.nothing), "%s", sentence);
    unlock();
}

static void start(struct fixture *fixture, uint64_t discovery_timeout)
{
    struct cps_broadcast_options bounds = {.max_subscribers = 4,
                                           .max_lines = 64,
                                           .max_bytes = 1u << 20,
                                           .on_change = on_change,
                                           .context = fixture};
    fixture->supervisor = NULL;
    fixture->broadcast = cps_broadcast_new(&bounds);
    struct cps_supervisor_options options = {.php_process_name = "php-fpm",
                                             .node_process_name = "node",
                                             .discovery_timeout = discovery_timeout,
                                             .grace = 20 * MS,
                                             .rescan = 5 * MS,
                                             .absence = 40 * MS,
                                             .backoff = 5 * MS,
                                             .backoff_most = 20 * MS,
                                             .broadcast = fixture->broadcast,
                                             .on_nothing_found = on_nothing_found};
    assert_int_equal(cps_supervisor_start(&options, &fixture->supervisor), 0);
}

static void stop(struct fixture *fixture)
{
    cps_supervisor_stop(fixture->supervisor);
    assert_int_equal(world.opens, world.closes);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(world.attached[i], 0);
    cps_broadcast_free(fixture->broadcast);
}

static int reset(void **state)
{
    (void)state;
    lock();
    memset(world.present, 0, sizeof(world.present));
    world.refused = 0;
    world.open_errors = 0;
    world.poll_errors = 0;
    world.opens = 0;
    world.closes = 0;
    world.attempts = 0;
    world.traces = 0;
    world.nothing[0] = '\0';
    unlock();
    return 0;
}

static struct cps_subscriber *subscribe(struct fixture *fixture, bool events)
{
    struct cps_subscriber_options options = {.events = events};

    return cps_broadcast_subscribe(fixture->broadcast, &options);
}

static bool is_attached(ino_t inode)
{
    bool found = false;

    lock();
    for (size_t i = 0; i < 4; i++)
        found = found || world.attached[i] == inode;
    unlock();
    return found;
}

static void nap(void)
{
    const struct timespec step = {.tv_nsec = 5000000};

    (void)nanosleep(&step, NULL);
}

static void await_attached(ino_t inode, bool wanted)
{
    for (int i = 0; i < PATIENCE && is_attached(inode) != wanted; i++)
        nap();
    assert_int_equal(is_attached(inode), wanted);
}

static void set(ino_t *field, ino_t value)
{
    lock();
    *field = value;
    unlock();
}

/* Waits for a line that holds `part`. */
static void await_line(struct cps_subscriber *subscriber, const char *part)
{
    for (int i = 0; i < PATIENCE; i++) {
        struct cps_line *line;
        size_t length;
        if (cps_subscriber_take(subscriber, &line, NULL) != CPS_TAKE_LINE) {
            nap();
            continue;
        }
        const char *bytes = cps_line_bytes(line, &length);
        bool found = memmem(bytes, length, part, strlen(part)) != NULL;
        bool whole = length > 0 && bytes[length - 1] == '\n' &&
                     memchr(bytes, '\n', length) == bytes + length - 1;
        cps_line_unref(line);
        assert_true(whole);
        if (found)
            return;
    }
    fail_msg("no line with %s", part);
}

static void nothing_is_attached_without_subscribers(void **state)
{
    struct fixture fixture;
    struct cps_supervisor_stats stats = {0};

    (void)state;
    set(&world.present[0], 7);
    start(&fixture, 0);
    for (int i = 0; i < PATIENCE && !stats.php_discovered; i++) {
        nap();
        cps_supervisor_stats(fixture.supervisor, &stats);
    }
    assert_true(stats.php_discovered);
    assert_false(stats.node_discovered);
    assert_int_equal(world.attempts, 0);
    stop(&fixture);
}

static void the_first_attaches_and_the_last_detaches(void **state)
{
    struct fixture fixture;
    struct cps_supervisor_stats stats;

    (void)state;
    set(&world.present[0], 7);
    set(&world.present[1], 8);
    start(&fixture, 0);
    struct cps_subscriber *one = subscribe(&fixture, false);
    await_attached(7, true);
    await_attached(8, true);
    struct cps_subscriber *two = subscribe(&fixture, false);
    cps_broadcast_unsubscribe(one);
    cps_broadcast_unsubscribe(two);
    await_attached(7, false);
    one = subscribe(&fixture, false);
    await_attached(7, true);
    cps_broadcast_unsubscribe(one);
    await_attached(7, false);
    assert_int_equal(world.attempts, 4);
    cps_supervisor_stats(fixture.supervisor, &stats);
    assert_true(stats.collector.traces_completed >= 1); /* of the first collector, kept */
    stop(&fixture);
}

static void files_come_and_go_while_watched(void **state)
{
    struct fixture fixture;

    (void)state;
    set(&world.present[0], 7);
    start(&fixture, 0);
    struct cps_subscriber *subscriber = subscribe(&fixture, false);
    await_attached(7, true);
    set(&world.present[1], 9);
    await_attached(9, true);
    set(&world.present[0], 0);
    await_attached(7, false);
    assert_true(is_attached(9));
    cps_broadcast_unsubscribe(subscriber);
    stop(&fixture);
}

static void one_bad_file_does_not_stop_the_others(void **state)
{
    struct fixture fixture;

    (void)state;
    set(&world.present[0], 7);
    set(&world.present[1], 8);
    set(&world.refused, 7);
    start(&fixture, 0);
    struct cps_subscriber *subscriber = subscribe(&fixture, true);
    await_attached(8, true);
    await_line(subscriber,
               "{\"event\":{\"kind\":\"log\",\"level\":\"error\",\"msg\":\"compass.so: no "
               "probe batch\"}}");
    assert_false(is_attached(7));
    set(&world.refused, 0);
    await_attached(7, true);
    cps_broadcast_unsubscribe(subscriber);
    stop(&fixture);
}

static void loading_is_tried_again(void **state)
{
    struct fixture fixture;
    struct cps_supervisor_stats stats;

    (void)state;
    set(&world.present[0], 7);
    world.open_errors = PATIENCE;
    start(&fixture, 0);
    struct cps_subscriber *subscriber = subscribe(&fixture, true);
    await_line(subscriber, "CAP_BPF is missing");
    lock();
    world.open_errors = 1;
    unlock();
    await_attached(7, true);
    cps_supervisor_stats(fixture.supervisor, &stats);
    assert_true(stats.attach_failures >= 2);
    cps_broadcast_unsubscribe(subscriber);
    stop(&fixture);
}

static void a_broken_ring_is_attached_anew(void **state)
{
    struct fixture fixture;

    (void)state;
    set(&world.present[0], 7);
    start(&fixture, 0);
    struct cps_subscriber *subscriber = subscribe(&fixture, false);
    await_attached(7, true);
    lock();
    world.poll_errors = 1;
    unlock();
    for (int i = 0; i < PATIENCE; i++) {
        lock();
        bool again = world.opens == 2;
        unlock();
        if (again)
            break;
        nap();
    }
    await_attached(7, true);
    assert_int_equal(world.opens, 2);
    cps_broadcast_unsubscribe(subscriber);
    stop(&fixture);
}

static void traces_become_lines(void **state)
{
    struct fixture fixture;

    (void)state;
    set(&world.present[0], 7);
    start(&fixture, 0);
    struct cps_subscriber *curious = subscribe(&fixture, true);
    struct cps_subscriber *plain = subscribe(&fixture, false);
    struct cps_line *line;
    size_t length;
    await_attached(7, true);
    lock();
    world.traces = 1;
    unlock();
    await_line(curious, "{\"event\":{\"kind\":\"started\",\"trace\":{\"metadata\":");
    await_line(curious, "{\"metadata\":");
    assert_int_equal(cps_subscriber_take(plain, &line, NULL), CPS_TAKE_LINE);
    assert_memory_equal(cps_line_bytes(line, &length), "{\"metadata\":", 12);
    cps_line_unref(line);
    assert_int_equal(cps_subscriber_take(plain, &line, NULL), CPS_TAKE_EMPTY);
    cps_broadcast_unsubscribe(plain);
    cps_broadcast_unsubscribe(curious);
    stop(&fixture);
}

static void nothing_found_is_told_once_the_time_is_over(void **state)
{
    struct fixture fixture;
    bool told = false;

    (void)state;
    start(&fixture, 30 * MS);
    for (int i = 0; i < PATIENCE && !told; i++) {
        nap();
        lock();
        told = world.nothing[0] != '\0';
        unlock();
    }
    assert_string_equal(world.nothing, "no process like php-fpm; no process like node");
    stop(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_attached_without_subscribers, reset),
        cmocka_unit_test_setup(the_first_attaches_and_the_last_detaches, reset),
        cmocka_unit_test_setup(files_come_and_go_while_watched, reset),
        cmocka_unit_test_setup(one_bad_file_does_not_stop_the_others, reset),
        cmocka_unit_test_setup(loading_is_tried_again, reset),
        cmocka_unit_test_setup(a_broken_ring_is_attached_anew, reset),
        cmocka_unit_test_setup(traces_become_lines, reset),
        cmocka_unit_test_setup(nothing_found_is_told_once_the_time_is_over, reset),
    };

    cps_log_set_fd(-1); /* what is logged has a test of its own */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
