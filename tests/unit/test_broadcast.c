/* SPDX-License-Identifier: Apache-2.0 */
#include "broadcast.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct cps_broadcast *new_broadcast(size_t lines, size_t bytes)
{
    struct cps_broadcast_options options = {
        .max_subscribers = 4, .max_lines = lines, .max_bytes = bytes};
    struct cps_broadcast *broadcast = cps_broadcast_new(&options);

    assert_non_null(broadcast);
    return broadcast;
}

static struct cps_subscriber *subscribe(struct cps_broadcast *broadcast, bool events)
{
    struct cps_subscriber_options options = {.events = events};
    struct cps_subscriber *subscriber = cps_broadcast_subscribe(broadcast, &options);

    assert_non_null(subscriber);
    return subscriber;
}

static void publish(struct cps_broadcast *broadcast, const char *text, enum cps_line_kind kind)
{
    struct cps_buf buf = {0};

    cps_buf_append_string(&buf, text);
    struct cps_line *line = cps_line_new(&buf);
    assert_non_null(line);
    cps_broadcast_publish(broadcast, line, kind);
    cps_line_unref(line);
}

static void assert_next(struct cps_subscriber *subscriber, const char *expected)
{
    struct cps_line *line = NULL;
    size_t length;

    assert_int_equal(cps_subscriber_take(subscriber, &line, NULL), CPS_TAKE_LINE);
    const char *bytes = cps_line_bytes(line, &length);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(bytes, expected, length);
    cps_line_unref(line);
}

static void assert_empty(struct cps_subscriber *subscriber)
{
    struct cps_line *line = NULL;

    assert_int_equal(cps_subscriber_take(subscriber, &line, NULL), CPS_TAKE_EMPTY);
    assert_null(line);
}

static void every_subscriber_gets_every_line(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(8, 1000);
    struct cps_subscriber *one = subscribe(broadcast, false);
    struct cps_subscriber *two = subscribe(broadcast, true);

    (void)state;
    publish(broadcast, "a\n", CPS_LINE_TRACE);
    publish(broadcast, "b\n", CPS_LINE_TRACE);
    assert_next(one, "a\n");
    assert_next(one, "b\n");
    assert_empty(one);
    assert_next(two, "a\n");
    assert_next(two, "b\n");
    assert_empty(two);
    cps_broadcast_unsubscribe(one);
    cps_broadcast_unsubscribe(two);
    cps_broadcast_free(broadcast);
}

static void events_go_to_those_who_asked(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(8, 1000);
    struct cps_subscriber *plain = subscribe(broadcast, false);

    (void)state;
    assert_false(cps_broadcast_wants_events(broadcast));
    struct cps_subscriber *curious = subscribe(broadcast, true);
    assert_true(cps_broadcast_wants_events(broadcast));
    publish(broadcast, "e\n", CPS_LINE_EVENT);
    assert_empty(plain);
    assert_next(curious, "e\n");
    cps_broadcast_unsubscribe(curious);
    assert_false(cps_broadcast_wants_events(broadcast));
    cps_broadcast_unsubscribe(plain);
    cps_broadcast_free(broadcast);
}

static void a_slow_one_loses_the_oldest_and_is_told(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(2, 1000);
    struct cps_subscriber *slow = subscribe(broadcast, true);
    struct cps_subscriber *fast = subscribe(broadcast, false);
    struct cps_broadcast_stats stats;
    char text[8];

    (void)state;
    for (int i = 0; i < 5; i++) {
        (void)snprintf(text, sizeof(text), "%d\n", i);
        publish(broadcast, text, CPS_LINE_TRACE);
        assert_next(fast, text);
    }
    assert_next(slow, "{\"event\":{\"kind\":\"dropped\",\"traces\":3}}\n");
    assert_next(slow, "3\n");
    assert_next(slow, "4\n");
    assert_empty(slow);
    cps_broadcast_stats(broadcast, &stats);
    assert_int_equal(stats.published, 5);
    assert_int_equal(stats.delivered, 7);
    assert_int_equal(stats.dropped, 3);
    assert_int_equal(stats.queued, 0);
    cps_broadcast_unsubscribe(slow);
    cps_broadcast_unsubscribe(fast);
    cps_broadcast_free(broadcast);
}

static void a_plain_client_is_not_told_of_losses(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(1, 1000);
    struct cps_subscriber *slow = subscribe(broadcast, false);

    (void)state;
    publish(broadcast, "a\n", CPS_LINE_TRACE);
    publish(broadcast, "b\n", CPS_LINE_TRACE);
    assert_next(slow, "b\n");
    assert_empty(slow);
    cps_broadcast_unsubscribe(slow);
    cps_broadcast_free(broadcast);
}

static void bytes_are_bounded_but_for_one_long_line(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(100, 10);
    struct cps_subscriber *slow = subscribe(broadcast, false);

    (void)state;
    publish(broadcast, "aaaa\n", CPS_LINE_TRACE);
    publish(broadcast, "bbbb\n", CPS_LINE_TRACE);
    publish(broadcast, "c\n", CPS_LINE_TRACE);
    assert_next(slow, "bbbb\n");
    assert_next(slow, "c\n");
    publish(broadcast, "a line of more than ten bytes\n", CPS_LINE_TRACE);
    assert_next(slow, "a line of more than ten bytes\n");
    cps_broadcast_unsubscribe(slow);
    cps_broadcast_free(broadcast);
}

static void lost_events_are_not_counted_as_traces(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(1, 1000);
    struct cps_subscriber *slow = subscribe(broadcast, true);

    (void)state;
    publish(broadcast, "e\n", CPS_LINE_EVENT);
    publish(broadcast, "t\n", CPS_LINE_TRACE);
    assert_next(slow, "t\n");
    assert_empty(slow);
    cps_broadcast_unsubscribe(slow);
    cps_broadcast_free(broadcast);
}

static void count_call(void *context)
{
    ++*(int *)context;
}

static void a_parked_subscriber_is_woken_once(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(8, 1000);
    int woken = 0;
    struct cps_subscriber_options options = {.wake = count_call, .context = &woken};
    struct cps_subscriber *subscriber = cps_broadcast_subscribe(broadcast, &options);
    struct cps_line *line;

    (void)state;
    publish(broadcast, "a\n", CPS_LINE_TRACE);
    assert_int_equal(woken, 0);
    assert_next(subscriber, "a\n");
    /* park is called with the same context, so the count is of both */
    assert_int_equal(cps_subscriber_take(subscriber, &line, count_call), CPS_TAKE_EMPTY);
    assert_int_equal(woken, 1);
    publish(broadcast, "b\n", CPS_LINE_TRACE);
    publish(broadcast, "c\n", CPS_LINE_TRACE);
    assert_int_equal(woken, 2);
    assert_next(subscriber, "b\n");
    assert_next(subscriber, "c\n");
    assert_int_equal(cps_subscriber_take(subscriber, &line, count_call), CPS_TAKE_EMPTY);
    cps_subscriber_end(subscriber);
    assert_int_equal(woken, 4);
    assert_int_equal(cps_subscriber_take(subscriber, &line, count_call), CPS_TAKE_ENDED);
    cps_broadcast_unsubscribe(subscriber);
    cps_broadcast_free(broadcast);
}

static void subscribers_are_bounded(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(2, 1000);
    struct cps_subscriber_options options = {0};
    struct cps_subscriber *all[4];
    struct cps_broadcast_stats stats;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        all[i] = subscribe(broadcast, false);
    assert_null(cps_broadcast_subscribe(broadcast, &options));
    cps_broadcast_stats(broadcast, &stats);
    assert_int_equal(stats.subscribers, 4);
    assert_int_equal(stats.refused, 1);
    cps_broadcast_unsubscribe(all[1]);
    all[1] = subscribe(broadcast, false);
    for (size_t i = 0; i < 4; i++)
        cps_broadcast_unsubscribe(all[i]);
    assert_int_equal(cps_broadcast_count(broadcast), 0);
    cps_broadcast_free(broadcast);
}

static void closing_ends_all_and_refuses_new_ones(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(2, 1000);
    struct cps_subscriber_options options = {0};
    struct cps_subscriber *subscriber = subscribe(broadcast, false);
    struct cps_line *line;

    (void)state;
    cps_broadcast_close(broadcast);
    assert_int_equal(cps_subscriber_take(subscriber, &line, NULL), CPS_TAKE_ENDED);
    assert_null(cps_broadcast_subscribe(broadcast, &options));
    cps_broadcast_unsubscribe(subscriber);
    cps_broadcast_free(broadcast);
}

static void only_silent_streams_are_kept_alive(void **state)
{
    struct cps_broadcast *broadcast = new_broadcast(8, 1000);
    struct cps_subscriber *plain = subscribe(broadcast, false);
    struct cps_subscriber *curious = subscribe(broadcast, true);

    (void)state;
    cps_broadcast_keep_alive(broadcast, UINT64_C(3600000000000));
    assert_empty(curious);
    cps_broadcast_keep_alive(broadcast, 0);
    assert_next(curious, "{\"event\":{\"kind\":\"alive\"}}\n");
    assert_empty(plain);
    cps_broadcast_unsubscribe(plain);
    cps_broadcast_unsubscribe(curious);
    cps_broadcast_free(broadcast);
}

/* Readers come and go while lines are published; every reader sees lines in order. */

struct race {
    struct cps_broadcast *broadcast;
    _Atomic bool done;
    _Atomic bool disorder;
};

static void read_some(struct race *race)
{
    struct cps_subscriber *subscriber = subscribe(race->broadcast, false);
    long last = -1;

    for (int i = 0; i < 200; i++) {
        struct cps_line *line;
        size_t length;
        if (cps_subscriber_take(subscriber, &line, NULL) != CPS_TAKE_LINE)
            continue;
        long number = strtol(cps_line_bytes(line, &length), NULL, 10);
        if (number <= last)
            race->disorder = true;
        last = number;
        cps_line_unref(line);
    }
    cps_broadcast_unsubscribe(subscriber);
}

static void *read_until_done(void *context)
{
    struct race *race = context;

    while (!race->done)
        read_some(race);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    struct race race = {.broadcast = new_broadcast(16, 1000)};
    pthread_t readers[3];

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_until_done, &race), 0);
    for (int i = 0; i < 20000; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%d\n", i);
        publish(race.broadcast, text, CPS_LINE_TRACE);
    }
    race.done = true;
    for (size_t i = 0; i < 3; i++)
        (void)pthread_join(readers[i], NULL);
    assert_false(race.disorder);
    assert_int_equal(cps_broadcast_count(race.broadcast), 0);
    cps_broadcast_free(race.broadcast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subscriber_gets_every_line),
        cmocka_unit_test(events_go_to_those_who_asked),
        cmocka_unit_test(a_slow_one_loses_the_oldest_and_is_told),
        cmocka_unit_test(a_plain_client_is_not_told_of_losses),
        cmocka_unit_test(bytes_are_bounded_but_for_one_long_line),
        cmocka_unit_test(lost_events_are_not_counted_as_traces),
        cmocka_unit_test(a_parked_subscriber_is_woken_once),
        cmocka_unit_test(subscribers_are_bounded),
        cmocka_unit_test(closing_ends_all_and_refuses_new_ones),
        cmocka_unit_test(only_silent_streams_are_kept_alive),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
