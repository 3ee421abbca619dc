/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's thread encodes a trace into its own bytes and puts them in the queue; the
 * sender's thread takes as many as make a batch, outside the lock joins and sends them. A batch
 * that fails for a reason that may pass (no connection, 429, 502, 503, 504) is kept and tried
 * again, while the queue behind it goes on losing its oldest; any other answer drops it, since it
 * would fail for ever. The status alone decides: where it says that the spans were taken and the
 * rest of the answer breaks off, sending them again would double them.
 */
#include "otlp.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cleanup.h"
#include "log.h"
#include "otlp_encode.h"

#define SECOND UINT64_C(1000000000)
#define QUEUE_TRACES 2048
#define QUEUE_BYTES (32u << 20)
#define BATCH_TRACES 64
#define BATCH_BYTES (4u << 20)
#define GATHER_MS 500 /* from the first trace of a batch to sending it */
#define TIMEOUT_MS 10000L
#define POLL_MS 1000
#define BACKOFF_MS 1000u
#define BACKOFF_MOST_MS 30000u
#define ATTEMPTS 10
#define ANSWER_BYTES 65536 /* of an answer that are looked at */

struct item {
    char *bytes;
    size_t length;
    size_t spans;
};

struct cps_otlp {
    char *endpoint;
    char *shown; /* the endpoint as it may be logged: it may hold a password */
    char *service_name;
    uint64_t min_duration;
    struct curl_slist *headers;
    CURL *curl;
    CURLM *transfers; /* just the one, so that stopping can wake it up */
    pthread_t thread;
    pthread_mutex_t lock; /* the queue */
    pthread_cond_t wakeup;
    struct item queue[QUEUE_TRACES];
    size_t first;
    size_t count;
    size_t bytes;
    _Atomic bool stop;
    _Atomic uint64_t seed;
    struct cps_buf answer; /* to the last attempt, as far as it is looked at; the sender's own */
    _Atomic uint64_t spans_sent;
    _Atomic uint64_t spans_rejected;
    _Atomic uint64_t traces_dropped;
    _Atomic uint64_t failures;
};

struct batch {
    struct cps_buf body;
    size_t traces;
    size_t spans;
};

/* The queue. */

static struct item pop(struct cps_otlp *otlp)
{
    struct item item = otlp->queue[otlp->first];

    otlp->first = (otlp->first + 1) % QUEUE_TRACES;
    otlp->count--;
    otlp->bytes -= item.length;
    return item;
}

static void push(struct cps_otlp *otlp, struct item item)
{
    (void)pthread_mutex_lock(&otlp->lock);
    while (otlp->count > 0 &&
           (otlp->count == QUEUE_TRACES || otlp->bytes + item.length > QUEUE_BYTES)) {
        free(pop(otlp).bytes);
        atomic_fetch_add(&otlp->traces_dropped, 1);
    }
    otlp->queue[(otlp->first + otlp->count) % QUEUE_TRACES] = item;
    otlp->count++;
    otlp->bytes += item.length;
    (void)pthread_cond_signal(&otlp->wakeup);
    (void)pthread_mutex_unlock(&otlp->lock);
}

void cps_otlp_add(struct cps_otlp *otlp, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf spans = {0};
    struct item item;

    if (trace->end < trace->start || trace->end - trace->start < otlp->min_duration)
        return;
    if (cps_otlp_encode(trace, atomic_fetch_add(&otlp->seed, SECOND), &spans, &item.spans) < 0) {
        atomic_fetch_add(&otlp->traces_dropped, 1);
        return;
    }
    item.bytes = cps_steal(spans.data);
    item.length = spans.length;
    push(otlp, item);
}

static void until(uint64_t ms, struct timespec *out)
{
    (void)clock_gettime(CLOCK_MONOTONIC, out);
    uint64_t ns = (uint64_t)out->tv_nsec + ms * 1000000;
    out->tv_sec += (time_t)(ns / SECOND);
    out->tv_nsec = (long)(ns % SECOND);
}

/* Waits until there is something, or it is time to stop. False then. */
static bool wait_for_work(struct cps_otlp *otlp)
{
    (void)pthread_mutex_lock(&otlp->lock);
    while (otlp->count == 0 && !otlp->stop)
        (void)pthread_cond_wait(&otlp->wakeup, &otlp->lock);
    (void)pthread_mutex_unlock(&otlp->lock);
    return !otlp->stop;
}

/* Waits, but not when it is time to stop. */
static void pause_ms(struct cps_otlp *otlp, uint64_t ms, size_t enough)
{
    struct timespec deadline;

    until(ms, &deadline);
    (void)pthread_mutex_lock(&otlp->lock);
    while (!otlp->stop && otlp->count < enough &&
           pthread_cond_timedwait(&otlp->wakeup, &otlp->lock, &deadline) == 0) {
    }
    (void)pthread_mutex_unlock(&otlp->lock);
}

static void gather(struct cps_otlp *otlp, struct batch *batch)
{
    cps_otlp_encode_head(otlp->service_name, &batch->body);
    (void)pthread_mutex_lock(&otlp->lock);
    while (otlp->count > 0 && batch->traces < BATCH_TRACES &&
           (batch->traces == 0 ||
            batch->body.length + otlp->queue[otlp->first].length < BATCH_BYTES)) {
        struct item item = pop(otlp);
        if (batch->traces++)
            cps_buf_append_string(&batch->body, ",");
        cps_buf_append(&batch->body, item.bytes, item.length);
        batch->spans += item.spans;
        free(item.bytes);
    }
    (void)pthread_mutex_unlock(&otlp->lock);
    cps_otlp_encode_tail(&batch->body);
}

/* Sending. */

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct cps_buf *answer = context;
    size_t length = size * count;

    if (answer->length + length <= ANSWER_BYTES)
        cps_buf_append(answer, bytes, length);
    return length;
}

/* The protocol's JSON has numbers of 64 bit as text; not everybody does. */
static uint64_t count_of(const json_t *value)
{
    json_int_t number = json_integer_value(value);

    if (json_is_string(value))
        return strtoull(json_string_value(value), NULL, 10);
    return number > 0 ? (uint64_t)number : 0;
}

/* Of the spans of a batch that was taken, those that the endpoint says it has thrown away. */
static uint64_t read_rejected(struct cps_otlp *otlp, const struct batch *batch)
{
    json_t *answer =
        json_loadb(otlp->answer.data ? otlp->answer.data : "", otlp->answer.length, 0, NULL);
    const json_t *partial = json_object_get(answer, "partialSuccess");
    const char *cause = json_string_value(json_object_get(partial, "errorMessage"));
    uint64_t rejected = count_of(json_object_get(partial, "rejectedSpans"));

    if (rejected > batch->spans)
        rejected = batch->spans;
    if (rejected > 0)
        cps_log(CPS_LOG_WARN, "the endpoint rejected spans", "endpoint", otlp->shown, "cause",
                cause ? cause : "none given", NULL);
    json_decref(answer);
    return rejected;
}

static void count_sent(struct cps_otlp *otlp, const struct batch *batch)
{
    uint64_t rejected = read_rejected(otlp, batch);

    atomic_fetch_add(&otlp->spans_sent, batch->spans - rejected);
    atomic_fetch_add(&otlp->spans_rejected, rejected);
}

/* As curl_easy_perform, but for cps_otlp_stop, which ends it at once. */
static CURLcode perform(struct cps_otlp *otlp)
{
    CURLMcode status = curl_multi_add_handle(otlp->transfers, otlp->curl);
    CURLcode code = CURLE_ABORTED_BY_CALLBACK;
    int running = 1;
    int left;

    while (status == CURLM_OK && running && !otlp->stop) {
        status = curl_multi_perform(otlp->transfers, &running);
        if (status == CURLM_OK && running)
            status = curl_multi_poll(otlp->transfers, NULL, 0, POLL_MS, NULL);
    }
    const CURLMsg *message = curl_multi_info_read(otlp->transfers, &left);
    if (message && message->msg == CURLMSG_DONE)
        code = message->data.result;
    (void)curl_multi_remove_handle(otlp->transfers, otlp->curl);
    return code;
}

enum result { SENT, AGAIN, REFUSED };

static enum result send_once(struct cps_otlp *otlp, const struct batch *batch, char *cause,
                             size_t size)
{
    long status = 0;

    (void)curl_easy_setopt(otlp->curl, CURLOPT_POSTFIELDS, batch->body.data);
    (void)curl_easy_setopt(otlp->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)batch->body.length);
    cps_buf_clear(&otlp->answer);
    CURLcode code = perform(otlp);
    (void)curl_easy_getinfo(otlp->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300)
        return SENT;
    if (status < 200) { /* none has come */
        (void)snprintf(cause, size, "%s", curl_easy_strerror(code));
        return AGAIN;
    }
    (void)snprintf(cause, size, "HTTP status %ld", status);
    return status == 429 || status == 502 || status == 503 || status == 504 ? AGAIN : REFUSED;
}

static void send_batch(struct cps_otlp *otlp, const struct batch *batch)
{
    uint64_t delay = BACKOFF_MS;
    char cause[128] = "";

    for (int i = 0; i < ATTEMPTS && !otlp->stop; i++) {
        enum result result = send_once(otlp, batch, cause, sizeof(cause));
        if (result == SENT) {
            count_sent(otlp, batch);
            return;
        }
        atomic_fetch_add(&otlp->failures, 1);
        if (i == 0 && !otlp->stop)
            cps_log(CPS_LOG_WARN, "traces cannot be exported", "endpoint", otlp->shown, "cause",
                    cause, NULL);
        if (result == REFUSED)
            break;
        pause_ms(otlp, delay, SIZE_MAX);
        delay = delay * 2 < BACKOFF_MOST_MS ? delay * 2 : BACKOFF_MOST_MS;
    }
    atomic_fetch_add(&otlp->traces_dropped, batch->traces);
}

static void *run(void *context)
{
    struct cps_otlp *otlp = context;

    (void)pthread_setname_np(pthread_self(), "otlp");
    while (wait_for_work(otlp)) {
        struct batch batch = {0};
        pause_ms(otlp, GATHER_MS, BATCH_TRACES);
        gather(otlp, &batch);
        if (cps_buf_failed(&batch.body))
            atomic_fetch_add(&otlp->traces_dropped, batch.traces);
        else if (batch.traces > 0)
            send_batch(otlp, &batch);
        cps_buf_free(&batch.body);
    }
    return NULL;
}

/* Life. */

static int add_header(struct cps_otlp *otlp, const char *line)
{
    struct curl_slist *list = curl_slist_append(otlp->headers, line);

    if (!list)
        return -ENOMEM;
    otlp->headers = list;
    return 0;
}

/* What a header's name may hold, and what its value. */
static bool fits_header(const char *name, size_t length, const char *value)
{
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && !strchr("!#$%&'*+-.^_`|~", name[i]))
            return false;
    }
    for (; *value; value++) {
        if (iscntrl((unsigned char)*value) && *value != '\t')
            return false;
    }
    return true;
}

/* One name=value, which is written to. */
static int add_pair(struct cps_otlp *otlp, char *pair, struct cps_error *error)
{
    char line[4096];
    char *equals = strchr(pair, '=');

    if (!equals || equals == pair)
        return cps_error_set(error, -EINVAL,
                             "otlp_headers: found a part that is no pair, expected "
                             "name=value,name=value");
    if (!fits_header(pair, (size_t)(equals - pair), equals + 1))
        return cps_error_set(error, -EINVAL,
                             "otlp_headers: found a character that a header cannot hold, expected "
                             "name=value,name=value");
    *equals = '\0';
    if (snprintf(line, sizeof(line), "%s: %s", pair, equals + 1) >= (int)sizeof(line))
        return cps_error_set(
            error, -EINVAL, "otlp_headers: found a pair of over 4000 bytes, expected shorter ones");
    if (add_header(otlp, line) < 0)
        return cps_error_set(error, -ENOMEM, "otlp_headers: no memory");
    return 0;
}

static int add_headers(struct cps_otlp *otlp, const char *text, struct cps_error *error)
{
    char *copy = strdup(text);
    char *save = NULL;
    int status = 0;

    if (!copy)
        return cps_error_set(error, -ENOMEM, "otlp_headers: no memory");
    for (char *pair = strtok_r(copy, ",", &save); pair && status == 0;
         pair = strtok_r(NULL, ",", &save))
        status = add_pair(otlp, pair + strspn(pair, " "), error);
    free(copy);
    return status;
}

static bool is_http(const char *endpoint)
{
    CURLU *url = curl_url();
    char *scheme = NULL;
    bool http = false;

    if (url && curl_url_set(url, CURLUPART_URL, endpoint, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK)
        http = strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
    curl_free(scheme);
    curl_url_cleanup(url);
    return http;
}

static int set_curl(struct cps_otlp *otlp, struct cps_error *error)
{
    otlp->curl = curl_easy_init();
    otlp->transfers = curl_multi_init();
    if (!otlp->curl || !otlp->transfers)
        return cps_error_set(error, -ENOMEM, "otlp_endpoint: no memory");
    (void)curl_easy_setopt(otlp->curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(otlp->curl, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
    (void)curl_easy_setopt(otlp->curl, CURLOPT_HTTPHEADER, otlp->headers);
    (void)curl_easy_setopt(otlp->curl, CURLOPT_WRITEFUNCTION, take_answer);
    (void)curl_easy_setopt(otlp->curl, CURLOPT_WRITEDATA, &otlp->answer);
    (void)curl_easy_setopt(otlp->curl, CURLOPT_USERAGENT, "compass-sidecar/" CPS_VERSION);
    if (curl_easy_setopt(otlp->curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
        curl_easy_setopt(otlp->curl, CURLOPT_URL, otlp->endpoint) == CURLE_OK &&
        is_http(otlp->endpoint))
        return 0;
    return cps_error_set(error, -EINVAL,
                         "otlp_endpoint: found \"%s\", expected an URL such as "
                         "http://localhost:4318/v1/traces",
                         otlp->shown);
}

static void otlp_free(struct cps_otlp *otlp)
{
    while (otlp->count > 0)
        free(pop(otlp).bytes);
    curl_easy_cleanup(otlp->curl);
    (void)curl_multi_cleanup(otlp->transfers);
    curl_slist_free_all(otlp->headers);
    (void)pthread_cond_destroy(&otlp->wakeup);
    (void)pthread_mutex_destroy(&otlp->lock);
    cps_buf_free(&otlp->answer);
    free(otlp->endpoint);
    free(otlp->shown);
    free(otlp->service_name);
    free(otlp);
}

/* The endpoint without what may be a name and a password: all between "//" and the last "@" before
 * the path. NULL without memory. */
static char *without_password(const char *endpoint)
{
    const char *slashes = strstr(endpoint, "//");
    const char *host = slashes ? slashes + 2 : endpoint;
    const char *at = memrchr(host, '@', strcspn(host, "/?#"));
    char *shown = NULL;

    if (!at)
        return strdup(endpoint);
    return asprintf(&shown, "%.*s%s", (int)(host - endpoint), endpoint, at + 1) < 0 ? NULL : shown;
}

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static struct cps_otlp *otlp_new(const struct cps_otlp_options *options)
{
    struct cps_otlp *otlp = calloc(1, sizeof(*otlp));
    pthread_condattr_t attributes;
    uint64_t seed = 0;

    if (!otlp)
        return NULL;
    (void)getrandom(&seed, sizeof(seed), 0);
    atomic_init(&otlp->seed, seed);
    otlp->min_duration = options->min_duration;
    otlp->endpoint = copy(options->endpoint);
    otlp->shown = without_password(otlp->endpoint ? otlp->endpoint : "");
    otlp->service_name = copy(options->service_name);
    (void)pthread_mutex_init(&otlp->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&otlp->wakeup, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    if (otlp->endpoint && otlp->shown && otlp->service_name)
        return otlp;
    otlp_free(otlp);
    return NULL;
}

static int set_up(struct cps_otlp *otlp, const struct cps_otlp_options *options,
                  struct cps_error *error)
{
    int status = add_header(otlp, "Content-Type: application/json");

    if (status < 0)
        return cps_error_set(error, status, "otlp_headers: no memory");
    if (options->headers)
        status = add_headers(otlp, options->headers, error);
    if (status == 0 && options->endpoint)
        status = set_curl(otlp, error);
    return status;
}

/* All but the thread. */
static int create(const struct cps_otlp_options *options, struct cps_otlp **out,
                  struct cps_error *error)
{
    struct cps_otlp *otlp = otlp_new(options);

    if (!otlp) {
        (void)cps_error_set(error, -ENOMEM, "otlp_endpoint: no memory");
        return -ENOMEM;
    }
    int status = set_up(otlp, options, error);
    if (status < 0)
        otlp_free(otlp);
    else
        *out = otlp;
    return status;
}

int cps_otlp_check(const struct cps_otlp_options *options, struct cps_error *error)
{
    struct cps_otlp *otlp = NULL;
    int status = create(options, &otlp, error);

    if (status == 0)
        otlp_free(otlp);
    return status;
}

int cps_otlp_start(const struct cps_otlp_options *options, struct cps_otlp **out,
                   struct cps_error *error)
{
    struct cps_otlp *otlp = NULL;
    int status = create(options, &otlp, error);

    if (status < 0)
        return status;
    status = -pthread_create(&otlp->thread, NULL, run, otlp);
    if (status < 0) {
        otlp_free(otlp);
        return cps_error_set(error, status, "otlp_endpoint: no thread: %s", strerror(-status));
    }
    *out = otlp;
    return 0;
}

void cps_otlp_stop(struct cps_otlp *otlp)
{
    if (!otlp)
        return;
    (void)pthread_mutex_lock(&otlp->lock);
    otlp->stop = true;
    (void)pthread_cond_signal(&otlp->wakeup);
    (void)pthread_mutex_unlock(&otlp->lock);
    (void)curl_multi_wakeup(otlp->transfers);
    (void)pthread_join(otlp->thread, NULL);
    otlp_free(otlp);
}

void cps_otlp_stats(struct cps_otlp *otlp, struct cps_otlp_stats *out)
{
    (void)pthread_mutex_lock(&otlp->lock);
    out->queued = otlp->count;
    (void)pthread_mutex_unlock(&otlp->lock);
    out->spans_sent = atomic_load(&otlp->spans_sent);
    out->spans_rejected = atomic_load(&otlp->spans_rejected);
    out->traces_dropped = atomic_load(&otlp->traces_dropped);
    out->failures = atomic_load(&otlp->failures);
}
