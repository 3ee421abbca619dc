/* SPDX-License-Identifier: Apache-2.0 */
#include "otlp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "log.h"
#include "otlp_encode.h"

static void set_string(struct cps_trace *trace, struct cps_string *field, const char *text)
{
    assert_int_equal(cps_trace_copy_string(trace, text, strlen(text), field), 0);
}

static struct cps_trace *new_trace(const char *id)
{
    struct cps_trace *trace = cps_trace_new();

    trace->source = CPS_SOURCE_HTTP;
    trace->runtime = CPS_RUNTIME_PHP;
    trace->outcome = CPS_OUTCOME_COMPLETE;
    trace->status = 503;
    set_string(trace, &trace->id, id);
    set_string(trace, &trace->method, "GET");
    set_string(trace, &trace->uri, "/node/1?page=2");
    trace->start = 1000000000;
    trace->end = 1000001000;
    return trace;
}

static void add_call(struct cps_trace *trace, const char *name, uint64_t start, uint64_t elapsed)
{
    struct cps_call call = {.start = trace->start + start, .elapsed = elapsed};

    assert_int_equal(cps_trace_intern(trace, name, strlen(name), &call.name), 0);
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
}

/* The spans of the trace, read back as the endpoint would. */
static json_t *encode(const struct cps_trace *trace)
{
    struct cps_buf text = {0};
    size_t count = 0;
    json_error_t error;

    cps_otlp_encode_head("my \"shop\"", &text);
    assert_int_equal(cps_otlp_encode(trace, 7, &text, &count), 0);
    cps_otlp_encode_tail(&text);
    json_t *root = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s at %d: %.*s", error.text, error.position, (int)text.length, text.data);
    json_t *resource = json_array_get(json_object_get(root, "resourceSpans"), 0);
    json_t *scope = json_array_get(json_object_get(resource, "scopeSpans"), 0);
    json_t *spans = json_incref(json_object_get(scope, "spans"));
    assert_int_equal(json_array_size(spans), count);
    json_decref(root);
    cps_buf_free(&text);
    return spans;
}

static const char *text_of(const json_t *spans, size_t index, const char *key)
{
    return json_string_value(json_object_get(json_array_get(spans, index), key));
}

/* An attribute's value, whatever its type, as text. */
static const char *attribute(const json_t *spans, size_t index, const char *name)
{
    json_t *list = json_object_get(json_array_get(spans, index), "attributes");
    json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "key")), name) == 0)
            return json_string_value(
                json_object_iter_value(json_object_iter(json_object_get(item, "value"))));
    }
    return NULL;
}

static void a_request_is_a_server_span(void **state)
{
    struct cps_trace *trace = new_trace("6F5397B0-f605-fd92-d4db-7c89d23f1b76");
    json_t *spans = encode(trace);
    json_t *root = json_array_get(spans, 0);

    (void)state;
    assert_string_equal(text_of(spans, 0, "traceId"), "6f5397b0f605fd92d4db7c89d23f1b76");
    assert_int_equal(strlen(text_of(spans, 0, "spanId")), 16);
    assert_null(text_of(spans, 0, "parentSpanId"));
    assert_string_equal(text_of(spans, 0, "name"), "GET");
    assert_int_equal(json_integer_value(json_object_get(root, "kind")), 2);
    assert_string_equal(text_of(spans, 0, "startTimeUnixNano"), "1000000000");
    assert_string_equal(text_of(spans, 0, "endTimeUnixNano"), "1000001000");
    assert_string_equal(attribute(spans, 0, "http.request.method"), "GET");
    assert_string_equal(attribute(spans, 0, "url.path"), "/node/1");
    assert_string_equal(attribute(spans, 0, "url.query"), "page=2");
    assert_string_equal(attribute(spans, 0, "http.response.status_code"), "503");
    assert_string_equal(attribute(spans, 0, "error.type"), "503");
    json_t *status = json_object_get(root, "status");
    assert_int_equal(json_integer_value(json_object_get(status, "code")), 2);
    json_decref(spans);
    cps_trace_free(trace);
}

static void a_traceparent_wins(void **state)
{
    struct cps_trace *trace = new_trace("6f5397b0-f605-fd92-d4db-7c89d23f1b76");

    (void)state;
    trace->has_parent = true;
    memcpy(trace->parent_trace, "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36",
           16);
    memcpy(trace->parent_span, "\x00\xf0\x67\xaa\x0b\xa9\x02\xb7", 8);
    json_t *spans = encode(trace);
    assert_string_equal(text_of(spans, 0, "traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_string_equal(text_of(spans, 0, "parentSpanId"), "00f067aa0ba902b7");
    json_decref(spans);
    cps_trace_free(trace);
}

static void other_ids_make_a_random_one(void **state)
{
    static const char *const ids[] = {"", "abc", "00000000000000000000000000000000",
                                      "6f5397b0f605fd92d4db7c89d23f1b7g",
                                      "6f5397b0f605fd92d4db7c89d23f1b7600"};

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        struct cps_trace *trace = new_trace(ids[i]);
        json_t *spans = encode(trace);
        assert_int_equal(strlen(text_of(spans, 0, "traceId")), 32);
        assert_string_not_equal(text_of(spans, 0, "traceId"), "00000000000000000000000000000000");
        json_decref(spans);
        cps_trace_free(trace);
    }
}

static void calls_hang_from_the_calls_around_them(void **state)
{
    struct cps_trace *trace = new_trace("x");

    (void)state;
    add_call(trace, "main", 0, 900);
    add_call(trace, "one", 10, 300);
    add_call(trace, "deep\xff", 20, 100);
    add_call(trace, "two", 400, 100);
    json_t *spans = encode(trace);
    static const int parents[] = {0, 0, 1, 2, 1};
    for (size_t i = 1; i < 5; i++)
        assert_string_equal(text_of(spans, i, "parentSpanId"),
                            text_of(spans, (size_t)parents[i], "spanId"));
    assert_string_equal(text_of(spans, 3, "name"), "deep\xef\xbf\xbd");
    assert_string_equal(attribute(spans, 4, "code.function.name"), "two");
    json_decref(spans);
    cps_trace_free(trace);
}

static void the_longest_calls_are_kept(void **state)
{
    struct cps_trace *trace = new_trace("x");

    (void)state;
    add_call(trace, "main", 0, 100000);
    for (uint64_t i = 0; i < 3000; i++)
        add_call(trace, i % 3 ? "short" : "long", 10 + i * 10, i % 3 ? 1 : 9);
    json_t *spans = encode(trace);
    assert_int_equal(json_array_size(spans), CPS_OTLP_MAX_CALLS + 1);
    assert_string_equal(text_of(spans, 1, "name"), "main");
    for (size_t i = 2; i < json_array_size(spans); i++)
        assert_string_equal(text_of(spans, i, "name"), "long");
    assert_string_equal(attribute(spans, 0, "compass.calls.dropped"), "2001");
    json_decref(spans);
    cps_trace_free(trace);
}

static void a_longer_call_wins_over_earlier_ones(void **state)
{
    struct cps_trace *trace = new_trace("x");

    (void)state;
    for (uint64_t i = 0; i < 1500; i++)
        add_call(trace, "same", i * 10, 5);
    add_call(trace, "longest", 20000, 9);
    json_t *spans = encode(trace);
    assert_int_equal(json_array_size(spans), CPS_OTLP_MAX_CALLS + 1);
    assert_string_equal(text_of(spans, CPS_OTLP_MAX_CALLS, "name"), "longest");
    json_decref(spans);
    cps_trace_free(trace);
}

static void no_memory_is_an_error(void **state)
{
    struct cps_trace *trace = new_trace("x");
    struct cps_buf out = {.failed = true};
    size_t spans;

    (void)state;
    assert_int_equal(cps_otlp_encode(trace, 7, &out, &spans), -ENOMEM);
    cps_trace_free(trace);
}

/* An endpoint that answers as it is told, one connection after the other. */
struct endpoint {
    int listener;
    uint16_t port;
    pthread_t thread;
    const char *const *answers; /* NULL ends it */
    struct cps_buf last;        /* the last request */
};

static void read_request(int fd, struct cps_buf *in)
{
    size_t wanted = SIZE_MAX;

    cps_buf_clear(in);
    while (in->length < wanted) {
        char bytes[4096];
        ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
        if (got <= 0)
            return;
        cps_buf_append(in, bytes, (size_t)got);
        const char *end = memmem(in->data, in->length, "\r\n\r\n", 4);
        const char *length = memmem(in->data, in->length, "Content-Length: ", 16);
        if (end && length)
            wanted = (size_t)(end - in->data) + 4 + strtoul(length + 16, NULL, 10);
    }
}

static void *answer_all(void *context)
{
    struct endpoint *endpoint = context;

    for (const char *const *answer = endpoint->answers; *answer; answer++) {
        int fd = accept(endpoint->listener, NULL, NULL);
        read_request(fd, &endpoint->last);
        (void)send(fd, *answer, strlen(*answer), MSG_NOSIGNAL);
        (void)close(fd);
    }
    return NULL;
}

static void open_endpoint(struct endpoint *endpoint, const char *const *answers)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    *endpoint = (struct endpoint){.answers = answers};
    endpoint->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(endpoint->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(endpoint->listener, 8), 0);
    assert_int_equal(getsockname(endpoint->listener, (struct sockaddr *)&address, &length), 0);
    endpoint->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&endpoint->thread, NULL, answer_all, endpoint), 0);
}

static struct cps_otlp *start(uint16_t port, uint64_t min_duration)
{
    char url[64];
    struct cps_otlp *otlp = NULL;
    struct cps_error error = {{0}};

    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1/traces", (unsigned int)port);
    struct cps_otlp_options options = {.endpoint = url,
                                       .headers = "authorization=Bearer a=b, x-tenant=shop",
                                       .service_name = "shop",
                                       .min_duration = min_duration};
    if (cps_otlp_start(&options, &otlp, &error) < 0)
        fail_msg("%s", error.text);
    return otlp;
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
#define BROKEN "HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\n{\"partial"
#define PARTIAL                                                                                    \
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"                                                 \
    "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"too old\"}}"
#define ABSURD                                                                                     \
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"partialSuccess\":{\"rejectedSpans\":99}}"
#define BUSY "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#define BAD "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

static void await_counts(struct cps_otlp *otlp, uint64_t sent, uint64_t rejected, uint64_t dropped)
{
    const struct timespec step = {.tv_nsec = 10000000};
    struct cps_otlp_stats stats = {0};

    for (int i = 0; i < 1500; i++) {
        cps_otlp_stats(otlp, &stats);
        if (stats.spans_sent == sent && stats.spans_rejected == rejected &&
            stats.traces_dropped == dropped)
            return;
        (void)nanosleep(&step, NULL);
    }
    fail_msg("%lu spans sent, %lu rejected, %lu traces dropped", (unsigned long)stats.spans_sent,
             (unsigned long)stats.spans_rejected, (unsigned long)stats.traces_dropped);
}

static void await_stats(struct cps_otlp *otlp, uint64_t sent, uint64_t dropped)
{
    await_counts(otlp, sent, 0, dropped);
}

static void what_fails_is_sent_again(void **state)
{
    static const char *const answers[] = {BUSY, OK, NULL};
    struct endpoint endpoint;
    struct cps_trace *trace = new_trace("x");

    (void)state;
    open_endpoint(&endpoint, answers);
    struct cps_otlp *otlp = start(endpoint.port, 0);
    add_call(trace, "main", 0, 100);
    cps_otlp_add(otlp, trace);
    await_stats(otlp, 2, 0);
    (void)pthread_join(endpoint.thread, NULL);
    static const char *const parts[] = {"POST /v1/traces", "Content-Type: application/json",
                                        "authorization: Bearer a=b", "x-tenant: shop",
                                        "\"stringValue\":\"shop\""};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        assert_non_null(
            memmem(endpoint.last.data, endpoint.last.length, parts[i], strlen(parts[i])));
    cps_otlp_stop(otlp);
    cps_buf_free(&endpoint.last);
    (void)close(endpoint.listener);
    cps_trace_free(trace);
}

static void what_is_refused_is_dropped(void **state)
{
    static const char *const answers[] = {BAD, OK, NULL};
    struct endpoint endpoint;
    struct cps_trace *trace = new_trace("x");

    (void)state;
    open_endpoint(&endpoint, answers);
    struct cps_otlp *otlp = start(endpoint.port, 0);
    cps_otlp_add(otlp, trace);
    await_stats(otlp, 0, 1);
    cps_otlp_add(otlp, trace);
    await_stats(otlp, 1, 1);
    (void)pthread_join(endpoint.thread, NULL);
    cps_otlp_stop(otlp);
    cps_buf_free(&endpoint.last);
    (void)close(endpoint.listener);
    cps_trace_free(trace);
}

/* Each trace is a span with one call; the answers are to one batch each. */
static void spans_are_counted_as_the_endpoint_says(void **state)
{
    static const char *const answers[] = {BROKEN, PARTIAL, ABSURD, NULL};
    static const uint64_t sent[] = {2, 2, 2};
    static const uint64_t rejected[] = {0, 2, 4};
    struct endpoint endpoint;
    struct cps_trace *trace = new_trace("x");
    struct cps_otlp_stats stats;

    (void)state;
    add_call(trace, "main", 0, 100);
    open_endpoint(&endpoint, answers);
    struct cps_otlp *otlp = start(endpoint.port, 0);
    for (size_t i = 0; i < 3; i++) {
        cps_otlp_add(otlp, trace);
        await_counts(otlp, sent[i], rejected[i], 0);
    }
    cps_otlp_stats(otlp, &stats);
    assert_int_equal(stats.failures, 0); /* nothing was sent twice */
    (void)pthread_join(endpoint.thread, NULL);
    cps_otlp_stop(otlp);
    cps_buf_free(&endpoint.last);
    (void)close(endpoint.listener);
    cps_trace_free(trace);
}

static void the_queue_is_bounded_and_stopping_does_not_wait(void **state)
{
    static const char *const answers[] = {NULL};
    struct endpoint endpoint;
    struct cps_trace *trace = new_trace("x");
    struct cps_otlp_stats stats;
    struct timespec before;
    struct timespec after;

    (void)state;
    open_endpoint(&endpoint, answers); /* takes connections, and never answers */
    struct cps_otlp *otlp = start(endpoint.port, 0);
    for (int i = 0; i < 5000; i++)
        cps_otlp_add(otlp, trace);
    cps_otlp_stats(otlp, &stats);
    assert_true(stats.queued <= 2048);
    assert_true(stats.traces_dropped >= 5000 - 2048 - 64);
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    cps_otlp_stop(otlp);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec <= 5); /* far less than a request's time-out */
    (void)pthread_join(endpoint.thread, NULL);
    (void)close(endpoint.listener);
    cps_trace_free(trace);
}

/* Stops while a transfer hangs, which nothing but stopping ends. */
static void stopping_ends_a_transfer(void **state)
{
    static const char *const answers[] = {NULL};
    struct endpoint endpoint;
    struct cps_trace *trace = new_trace("x");
    struct timespec before;
    struct timespec after;

    (void)state;
    open_endpoint(&endpoint, answers);
    struct cps_otlp *otlp = start(endpoint.port, 0);
    cps_otlp_add(otlp, trace);
    int fd = accept(endpoint.listener, NULL, NULL); /* it is sending now */
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    cps_otlp_stop(otlp);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec <= 5);
    (void)close(fd);
    (void)pthread_join(endpoint.thread, NULL);
    (void)close(endpoint.listener);
    cps_trace_free(trace);
}

static void short_requests_are_left_out(void **state)
{
    struct cps_trace *trace = new_trace("x");
    struct cps_otlp_stats stats;
    struct cps_otlp *otlp = start(1, 1001);

    (void)state;
    cps_otlp_add(otlp, trace);
    cps_otlp_stats(otlp, &stats);
    assert_int_equal(stats.queued + stats.traces_dropped, 0);
    trace->end++;
    cps_otlp_add(otlp, trace);
    cps_otlp_stats(otlp, &stats);
    assert_int_equal(stats.queued, 1);
    cps_otlp_stop(otlp);
    cps_trace_free(trace);
}

static void bad_settings_are_named(void **state)
{
    struct cps_otlp_options options = {.endpoint = "localhost:4318", .service_name = "s"};
    struct cps_otlp *otlp = NULL;
    struct cps_error error;

    (void)state;
    assert_int_equal(cps_otlp_start(&options, &otlp, &error), -EINVAL);
    assert_non_null(strstr(error.text, "otlp_endpoint: found \"localhost:4318\""));
    options.endpoint = "ftp://user:secret@localhost/v1/traces";
    assert_int_equal(cps_otlp_start(&options, &otlp, &error), -EINVAL);
    assert_non_null(strstr(error.text, "\"ftp://localhost/v1/traces\""));
    assert_null(strstr(error.text, "secret"));
    options.endpoint = "http://localhost:4318/v1/traces";
    options.headers = "no pair";
    assert_int_equal(cps_otlp_start(&options, &otlp, &error), -EINVAL);
    assert_non_null(strstr(error.text, "otlp_headers"));
    assert_null(otlp);
    /* Whoever only checks is told the same. */
    static const struct {
        const char *endpoint;
        const char *headers;
    } bad[] = {
        {"localhost:4318", NULL},   {"ftp://x/v1/traces", NULL}, {"http://", NULL},
        {"http://x:99999/", NULL},  {"http://a b/", NULL},       {"http://x/", "a=b,c"},
        {"http://x/", "a=b\nc: d"}, {"http://x/", "a b=c"},      {NULL, "a=b,c"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        options.endpoint = bad[i].endpoint;
        options.headers = bad[i].headers;
        error.text[0] = '\0';
        if (cps_otlp_check(&options, &error) != -EINVAL || !strstr(error.text, "expected"))
            fail_msg("%s with %s: \"%s\"", bad[i].endpoint, bad[i].headers, error.text);
    }
    options.endpoint = "HTTPS://[::1]:4318/v1/traces?a=b";
    options.headers = "authorization=Bearer a=b, x-tenant=shop";
    assert_int_equal(cps_otlp_check(&options, &error), 0);
    options.endpoint = NULL;
    assert_int_equal(cps_otlp_check(&options, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_a_server_span),
        cmocka_unit_test(a_traceparent_wins),
        cmocka_unit_test(other_ids_make_a_random_one),
        cmocka_unit_test(calls_hang_from_the_calls_around_them),
        cmocka_unit_test(the_longest_calls_are_kept),
        cmocka_unit_test(a_longer_call_wins_over_earlier_ones),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(what_fails_is_sent_again),
        cmocka_unit_test(what_is_refused_is_dropped),
        cmocka_unit_test(spans_are_counted_as_the_endpoint_says),
        cmocka_unit_test(the_queue_is_bounded_and_stopping_does_not_wait),
        cmocka_unit_test(stopping_ends_a_transfer),
        cmocka_unit_test(short_requests_are_left_out),
        cmocka_unit_test(bad_settings_are_named),
    };

    cps_log_set_fd(-1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
