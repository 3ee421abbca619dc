/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_MS 10000

struct fixture {
    struct cps_broadcast *broadcast;
    struct cps_server *server;
    uint16_t port;
    _Atomic int subscriptions; /* that came or went */
};

static void count_change(void *context)
{
    struct fixture *fixture = context;

    fixture->subscriptions++;
}

static void write_metrics(void *context, struct cps_buf *out)
{
    (void)context;
    cps_buf_append_string(out, "a_metric 1\n");
}

static void start(struct fixture *fixture, const char *token, unsigned int head_timeout_ms)
{
    struct cps_broadcast_options bounds = {.max_subscribers = 2,
                                           .max_lines = 64,
                                           .max_bytes = 32u << 20,
                                           .on_change = count_change,
                                           .context = fixture};
    struct cps_error error = {{0}};

    fixture->subscriptions = 0;
    fixture->broadcast = cps_broadcast_new(&bounds);
    /* A port of the system's choice, which the configuration does not offer. */
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 128), 0);
    fixture->port = cps_server_port(listener);
    struct cps_server_options options = {.listener = listener,
                                         .token = token,
                                         .broadcast = fixture->broadcast,
                                         .head_timeout_ms = head_timeout_ms,
                                         .write_metrics = write_metrics};
    if (cps_server_start(&options, &fixture->server, &error) < 0)
        fail_msg("%s", error.text);
}

static void stop(struct fixture *fixture)
{
    cps_server_stop(fixture->server);
    assert_int_equal(cps_broadcast_count(fixture->broadcast), 0);
    cps_broadcast_free(fixture->broadcast);
}

static int dial(const struct fixture *fixture, const char *request)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(fixture->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    return fd;
}

/* Reads until `until` is there (NULL: until the other side closes). False at the deadline. */
static bool read_until(int fd, struct cps_buf *in, const char *until)
{
    for (;;) {
        struct pollfd item = {.fd = fd, .events = POLLIN};
        char bytes[4096];
        if (until && in->data && memmem(in->data, in->length, until, strlen(until)))
            return true;
        if (poll(&item, 1, PATIENCE_MS) <= 0)
            return false;
        ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
        if (got <= 0)
            return !until;
        cps_buf_append(in, bytes, (size_t)got);
    }
}

static void assert_answer(const struct fixture *fixture, const char *request,
                          const char *const *parts)
{
    struct cps_buf in = {0};
    int fd = dial(fixture, request);

    assert_true(read_until(fd, &in, NULL));
    cps_buf_append(&in, "", 1);
    for (; *parts; parts++) {
        if (!strstr(in.data, *parts))
            fail_msg("\"%s\" is not in the answer to %s\n%s", *parts, request, in.data);
    }
    cps_buf_free(&in);
    (void)close(fd);
}

#define PARTS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define CLOSE "Host: x\r\nConnection: close\r\n\r\n"

static void routes_and_methods(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, NULL, 0);
    assert_answer(&fixture, "GET /healthz HTTP/1.1\r\n" CLOSE,
                  PARTS("HTTP/1.1 200", "\r\n\r\nok\n"));
    assert_answer(&fixture, "GET /metrics HTTP/1.1\r\n" CLOSE,
                  PARTS("HTTP/1.1 200", "text/plain; version=0.0.4", "a_metric 1\n"));
    assert_answer(&fixture, "GET / HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 404"));
    assert_answer(&fixture, "GET /v1/traces/ HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 404"));
    assert_answer(&fixture, "POST /nowhere HTTP/1.1\r\nContent-Length: 0\r\n" CLOSE,
                  PARTS("HTTP/1.1 404"));
    assert_answer(&fixture, "POST /v1/traces HTTP/1.1\r\nContent-Length: 3\r\n" CLOSE "abc",
                  PARTS("HTTP/1.1 405", "Allow: GET, HEAD"));
    assert_answer(&fixture, "DELETE /metrics HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 405"));
    assert_answer(&fixture, "FOO /healthz HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 405"));
    stop(&fixture);
}

/* The absolute form is what a proxy sends. */
static void a_whole_uri_is_its_path(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, NULL, 0);
    assert_answer(&fixture, "GET http://x/healthz HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 200"));
    assert_answer(&fixture, "GET HTTPS://x:1/metrics?a HTTP/1.1\r\n" CLOSE,
                  PARTS("HTTP/1.1 200", "a_metric 1\n"));
    assert_answer(&fixture, "GET http://x HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 404"));
    assert_answer(&fixture, "GET http://healthz HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 404"));
    assert_answer(&fixture, "GET x://y/healthz HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 404"));
    stop(&fixture);
}

static void assert_only_head(const struct fixture *fixture, const char *path,
                             const char *const *parts)
{
    char request[256];
    struct cps_buf in = {0};

    (void)snprintf(request, sizeof(request), "HEAD %s HTTP/1.1\r\n" CLOSE, path);
    assert_answer(fixture, request, parts);
    int fd = dial(fixture, request);
    assert_true(read_until(fd, &in, NULL));
    assert_memory_equal(in.data + in.length - 4, "\r\n\r\n", 4);
    cps_buf_free(&in);
    (void)close(fd);
}

static void head_answers_as_get_without_the_body(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, NULL, 0);
    assert_only_head(&fixture, "/healthz", PARTS("HTTP/1.1 200", "Content-Length: 3"));
    assert_only_head(&fixture, "/metrics", PARTS("HTTP/1.1 200", "version=0.0.4"));
    assert_only_head(&fixture, "/nowhere", PARTS("HTTP/1.1 404"));
    assert_only_head(&fixture, "/v1/traces", PARTS("HTTP/1.1 200", "text/event-stream"));
    assert_int_equal(fixture.subscriptions, 0);
    stop(&fixture);
    start(&fixture, "secret", 0);
    assert_only_head(&fixture, "/v1/traces", PARTS("HTTP/1.1 401"));
    stop(&fixture);
}

static void a_body_is_read_and_ignored_between_requests(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, NULL, 0);
    assert_answer(&fixture,
                  "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /"
                  "GET /nowhere HTTP/1.1\r\n" CLOSE,
                  PARTS("HTTP/1.1 200", "HTTP/1.1 404"));
    stop(&fixture);
}

static void nonsense_is_refused_and_the_next_one_is_served(void **state)
{
    struct fixture fixture;
    struct cps_buf huge = {0};

    (void)state;
    start(&fixture, NULL, 0);
    assert_answer(&fixture, "GET /healthz HTTP/1.1\r\nContent-Length: -1\r\n" CLOSE, PARTS("400"));
    assert_answer(&fixture, "GET /healthz\r\n\r\n", PARTS(""));
    assert_answer(&fixture, "\x16\x03\x01\x02\r\n\r\n", PARTS(""));
    cps_buf_append_string(&huge, "GET /healthz HTTP/1.1\r\nX-Long: ");
    for (int i = 0; i < 4000; i++)
        cps_buf_append_string(&huge, "0123456789abcdef");
    cps_buf_append(&huge, "\r\n\r\n", 5);
    int fd = dial(&fixture, "");
    (void)send(fd, huge.data, huge.length, MSG_NOSIGNAL);
    struct cps_buf in = {0};
    (void)read_until(fd, &in, NULL);
    assert_null(memmem(in.data ? in.data : "", in.length, "HTTP/1.1 200", 12));
    cps_buf_free(&in);
    cps_buf_free(&huge);
    (void)close(fd);
    assert_answer(&fixture, "GET /healthz HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 200"));
    stop(&fixture);
}

static void await_subscribers(const struct fixture *fixture, size_t count)
{
    const struct timespec step = {.tv_nsec = 2000000};

    for (int i = 0; i < PATIENCE_MS / 2; i++) {
        cps_server_tick(fixture->server);
        if (cps_broadcast_count(fixture->broadcast) == count)
            return;
        (void)nanosleep(&step, NULL);
    }
    fail_msg("%zu subscribers, expected %zu", cps_broadcast_count(fixture->broadcast), count);
}

static void publish(const struct fixture *fixture, const char *text)
{
    struct cps_buf buf = {0};

    cps_buf_append_string(&buf, text);
    struct cps_line *line = cps_line_new(&buf);
    cps_broadcast_publish(fixture->broadcast, line, CPS_LINE_TRACE);
    cps_line_unref(line);
}

static void lines_come_one_by_one(void **state)
{
    struct fixture fixture;
    struct cps_buf in = {0};

    (void)state;
    start(&fixture, NULL, 0);
    int fd = dial(&fixture, "GET /v1/traces HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(read_until(fd, &in, "\r\n\r\n")); /* before the first trace */
    assert_non_null(memmem(in.data, in.length, "text/event-stream", 17));
    await_subscribers(&fixture, 1);
    publish(&fixture, "{\"one\":1}\n");
    assert_true(read_until(fd, &in, "{\"one\":1}\n"));
    publish(&fixture, "{\"two\":2}\n");
    assert_true(read_until(fd, &in, "{\"two\":2}\n"));
    cps_buf_free(&in);
    (void)close(fd);
    stop(&fixture);
}

static void a_long_line_comes_whole(void **state)
{
    struct fixture fixture;
    struct cps_buf line = {0};
    struct cps_buf in = {0};

    (void)state;
    start(&fixture, NULL, 0);
    int fd = dial(&fixture, "GET /v1/traces HTTP/1.0\r\n\r\n"); /* no chunks: easy to compare */
    await_subscribers(&fixture, 1);
    while (line.length < (3u << 20))
        cps_buf_append_format(&line, "%zu,", line.length);
    cps_buf_append(&line, "\n", 2);
    publish(&fixture, line.data);
    assert_true(read_until(fd, &in, ",\n"));
    const char *body = memmem(in.data, in.length, "\r\n\r\n", 4);
    assert_non_null(body);
    assert_int_equal(in.length - (size_t)(body + 4 - in.data), line.length - 1);
    assert_memory_equal(body + 4, line.data, line.length - 1);
    cps_buf_free(&line);
    cps_buf_free(&in);
    (void)close(fd);
    stop(&fixture);
}

static void an_idle_client_that_leaves_is_noticed(void **state)
{
    struct fixture fixture;
    struct cps_server_stats stats;

    (void)state;
    start(&fixture, NULL, 0);
    int fd = dial(&fixture, "GET /v1/traces HTTP/1.1\r\nHost: x\r\n\r\n");
    await_subscribers(&fixture, 1);
    (void)close(fd);
    await_subscribers(&fixture, 0);
    cps_server_stats(fixture.server, &stats);
    assert_int_equal(stats.abandoned, 1);
    stop(&fixture);
}

static void events_are_asked_for_anywhere_in_the_query(void **state)
{
    static const struct {
        const char *query;
        bool events;
    } queries[] = {{"?events=1", true},   {"?a=b&events=1", true}, {"?&events=1", true},
                   {"?a&events=1", true}, {"?=&&events=1&", true}, {"", false},
                   {"?events=0", false},  {"?events", false},      {"?xevents=1", false}};
    struct fixture fixture;

    (void)state;
    start(&fixture, NULL, 0);
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        char request[128];
        (void)snprintf(request, sizeof(request), "GET /v1/traces%s HTTP/1.1\r\nHost: x\r\n\r\n",
                       queries[i].query);
        int fd = dial(&fixture, request);
        await_subscribers(&fixture, 1);
        if (cps_broadcast_wants_events(fixture.broadcast) != queries[i].events)
            fail_msg("%s", queries[i].query);
        (void)close(fd);
        await_subscribers(&fixture, 0);
    }
    stop(&fixture);
}

static void without_the_token_nobody_subscribes(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, "secret", 0);
    assert_answer(&fixture, "GET /v1/traces HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 401"));
    assert_answer(&fixture, "GET /v1/traces HTTP/1.1\r\nX-Skpr-Token: Secret\r\n" CLOSE,
                  PARTS("HTTP/1.1 401"));
    assert_int_equal(cps_broadcast_count(fixture.broadcast), 0);
    assert_answer(&fixture, "GET /metrics HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 200"));
    int fd =
        dial(&fixture, "GET /v1/traces HTTP/1.1\r\nHost: x\r\nx-skpr-token:\t secret \t\r\n\r\n");
    await_subscribers(&fixture, 1);
    (void)close(fd);
    stop(&fixture);
}

static void tokens_are_compared_whole(void **state)
{
    (void)state;
    assert_true(cps_server_token_equal("secret", "secret", 6));
    assert_false(cps_server_token_equal("secret", NULL, 0));
    assert_false(cps_server_token_equal("secret", "", 0));
    assert_false(cps_server_token_equal("secret", "secre", 5));
    assert_false(cps_server_token_equal("secret", "secretx", 7));
    assert_false(cps_server_token_equal("secret", "secretsecret", 12));
    assert_false(cps_server_token_equal("secret", "tecret", 6));
}

static void one_subscriber_too_many_is_turned_away(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, NULL, 0);
    int one = dial(&fixture, "GET /v1/traces HTTP/1.1\r\nHost: x\r\n\r\n");
    int two = dial(&fixture, "GET /v1/traces HTTP/1.1\r\nHost: x\r\n\r\n");
    await_subscribers(&fixture, 2);
    assert_answer(&fixture, "GET /v1/traces HTTP/1.1\r\n" CLOSE,
                  PARTS("HTTP/1.1 503", "Retry-After"));
    (void)close(one);
    (void)close(two);
    await_subscribers(&fixture, 0);
    stop(&fixture);
}

static void slow_heads_do_not_last(void **state)
{
    struct fixture fixture;
    int slow[100];
    struct cps_server_stats stats = {0};

    (void)state;
    start(&fixture, NULL, 300);
    for (size_t i = 0; i < 100; i++)
        slow[i] = dial(&fixture, "GET /v1/traces HTTP/1.1\r\nX-S");
    assert_answer(&fixture, "GET /healthz HTTP/1.1\r\n" CLOSE, PARTS("HTTP/1.1 200"));
    for (int i = 0; i < PATIENCE_MS / 20 && stats.timeouts < 100; i++) {
        const struct timespec step = {.tv_nsec = 20000000};
        (void)send(slow[i % 100], "l", 1, MSG_NOSIGNAL); /* never silent */
        (void)nanosleep(&step, NULL);
        cps_server_tick(fixture.server);
        cps_server_stats(fixture.server, &stats);
    }
    assert_int_equal(stats.timeouts, 100);
    for (size_t i = 0; i < 100; i++)
        (void)close(slow[i]);
    stop(&fixture);
}

struct reader {
    int fd;
    size_t wanted; /* lines */
    _Atomic size_t lines;
};

static void *count_lines(void *context)
{
    struct reader *reader = context;
    char bytes[65536];

    while (reader->lines < reader->wanted) {
        struct pollfd item = {.fd = reader->fd, .events = POLLIN};
        if (poll(&item, 1, PATIENCE_MS) <= 0)
            break;
        ssize_t got = recv(reader->fd, bytes, sizeof(bytes), 0);
        if (got <= 0)
            break;
        for (const char *at = bytes; (at = memchr(at, '!', (size_t)(bytes + got - at))); at++)
            reader->lines++;
    }
    return NULL;
}

/* Lines that are longer than what a socket takes at once, at the pace of the fast reader, so that
 * it is parked and woken at every point of sending. */
static void a_stalled_reader_does_not_hold_up_another(void **state)
{
    static const char request[] = "GET /v1/traces HTTP/1.1\r\nHost: x\r\n\r\n";
    const size_t length = 800000;
    const struct timespec step = {.tv_nsec = 1000000};
    char *line = calloc(1, length + 1);
    struct fixture fixture;
    pthread_t thread;

    (void)state;
    memset(line, 'x', length);
    line[length - 2] = '!';
    line[length - 1] = '\n';
    start(&fixture, NULL, 0);
    int stalled = dial(&fixture, request);
    struct reader reader = {.fd = dial(&fixture, request), .wanted = 120};
    await_subscribers(&fixture, 2);
    assert_int_equal(pthread_create(&thread, NULL, count_lines, &reader), 0);
    for (size_t i = 0; i < reader.wanted; i++) {
        const struct timespec pause = {.tv_nsec = (long)(i % 7) * 700000};
        publish(&fixture, line);
        (void)nanosleep(&pause, NULL);
        for (int k = 0; k < PATIENCE_MS && i > reader.lines + 10; k++)
            (void)nanosleep(&step, NULL); /* within the bounds of its queue */
    }
    (void)pthread_join(thread, NULL);
    assert_int_equal(reader.lines, reader.wanted);
    (void)close(stalled);
    (void)close(reader.fd);
    free(line);
    stop(&fixture);
}

static void stopping_ends_streams_properly(void **state)
{
    struct fixture fixture;
    struct cps_buf in = {0};

    (void)state;
    start(&fixture, NULL, 0);
    int fd = dial(&fixture, "GET /v1/traces HTTP/1.1\r\nHost: x\r\n\r\n");
    await_subscribers(&fixture, 1);
    stop(&fixture);
    assert_true(read_until(fd, &in, "0\r\n\r\n"));
    cps_buf_free(&in);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_and_methods),
        cmocka_unit_test(a_whole_uri_is_its_path),
        cmocka_unit_test(head_answers_as_get_without_the_body),
        cmocka_unit_test(a_body_is_read_and_ignored_between_requests),
        cmocka_unit_test(nonsense_is_refused_and_the_next_one_is_served),
        cmocka_unit_test(lines_come_one_by_one),
        cmocka_unit_test(a_long_line_comes_whole),
        cmocka_unit_test(an_idle_client_that_leaves_is_noticed),
        cmocka_unit_test(events_are_asked_for_anywhere_in_the_query),
        cmocka_unit_test(without_the_token_nobody_subscribes),
        cmocka_unit_test(tokens_are_compared_whole),
        cmocka_unit_test(one_subscriber_too_many_is_turned_away),
        cmocka_unit_test(slow_heads_do_not_last),
        cmocka_unit_test(a_stalled_reader_does_not_hold_up_another),
        cmocka_unit_test(stopping_ends_streams_properly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
