/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of a sidecar. Whatever ends it, it is tried again: after half a second at first, then
 * twice as long each time up to half a minute, each with a quarter of jitter so that many clients
 * do not come back as one. What has come keeps its place; the reason stays to be shown until a
 * connection stands.
 */
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cleanup.h"
#include "clock.h"
#include "feed.h"
#include "reader.h"

#define BACKOFF_FIRST_MS 500
#define BACKOFF_MOST_MS 30000
#define CONNECT_TIMEOUT_MS 10000L
#define TURN_MS 20

struct feed_http {
    struct cps_feed base;
    const struct cps_options *options;
    char *url;
    struct curl_slist *headers;
    CURLM *multi;
    CURL *easy; /* NULL between attempts */
    struct cps_reader reader;
    enum cps_feed_state state;
    unsigned backoff_ms; /* of the next failure */
    int64_t retry_at_ms; /* monotonic; while easy is NULL */
    int64_t turn_ends_ms;
    bool paused; /* libcurl keeps what there was no time for */
    char curl_error[CURL_ERROR_SIZE];
    struct cps_error reason;
    struct cps_error logged; /* the last reason that was logged: a repeated one is not */
};

static void report(struct feed_http *http, enum cps_level level, const char *message)
{
    http->base.sink.log(http->base.sink.context, level, message);
}

/* Asks for events too; a sidecar that does not know them leaves the query alone. */
static char *url_with_events(const char *uri)
{
    char *url = NULL;

    if (asprintf(&url, "%s%cevents=1", uri, strchr(uri, '?') ? '&' : '?') < 0)
        return NULL;
    return url;
}

static void connected(struct feed_http *http)
{
    http->state = http->reader.traces ? CPS_FEED_LIVE : CPS_FEED_WAITING;
    report(http, CPS_LEVEL_INFO, "connected");
}

/* A server that answers 200 and breaks off before it has said anything is no better than one that
 * does not answer: only a line makes the next attempt a quick one. */
static void heard(struct feed_http *http)
{
    http->backoff_ms = BACKOFF_FIRST_MS;
    http->logged.text[0] = '\0';
}

/* The turn that the stream has before the keyboard is looked at again. */
static void begin_turn(struct feed_http *http)
{
    http->turn_ends_ms = cps_clock_ms() + TURN_MS;
}

/* A little of what is compressed may be gigabytes, so that even what came at once is not read at
 * once: libcurl keeps the rest of it, at most 64 MB, until the next turn. */
static size_t on_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct feed_http *http = context;
    uint64_t understood;
    long status = 0;

    if (cps_clock_ms() >= http->turn_ends_ms) {
        http->paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    (void)curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return size * count;
    understood = http->reader.understood;
    cps_reader_feed(&http->reader, bytes, size * count);
    if (http->reader.understood > understood)
        heard(http);
    if (http->reader.traces)
        http->state = CPS_FEED_LIVE;
    return size * count;
}

/* The empty line that ends the headers of a 200 is the moment when the connection stands. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct feed_http *http = context;
    long status = 0;

    (void)curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200 && size * count <= 2 && bytes[0] == '\r')
        connected(http);
    return size * count;
}

static CURL *make_request(struct feed_http *http)
{
    const struct cps_options *options = http->options;
    CURL *easy = curl_easy_init();
    bool failed;

    if (!easy)
        return NULL;
    failed = curl_easy_setopt(easy, CURLOPT_URL, http->url) ||
             curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") ||
             curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes) ||
             curl_easy_setopt(easy, CURLOPT_WRITEDATA, http) ||
             curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) ||
             curl_easy_setopt(easy, CURLOPT_HEADERDATA, http) ||
             curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->curl_error) ||
             curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers) ||
             curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "") ||
             curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS) ||
             curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) ||
             curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) ||
             curl_easy_setopt(easy, CURLOPT_USERAGENT, "compass/" CPS_VERSION);
    if (options->ca_file)
        failed = failed || curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    if (options->insecure)
        failed = failed || curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) ||
                 curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    if (failed) {
        curl_easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

static int start(struct feed_http *http)
{
    http->curl_error[0] = '\0';
    http->easy = make_request(http);
    if (!http->easy || curl_multi_add_handle(http->multi, http->easy)) {
        curl_easy_cleanup(http->easy);
        http->easy = NULL;
        return -ENOMEM;
    }
    if (http->state != CPS_FEED_RETRYING && http->state != CPS_FEED_REFUSED)
        http->state = CPS_FEED_CONNECTING;
    return 0;
}

static void explain_status(struct feed_http *http, long status)
{
    if (status == 401)
        (void)cps_error_set(&http->reason, 0,
                            http->options->token
                                ? "the sidecar refuses the token (401): is it the one that it was "
                                  "started with?"
                                : "the sidecar wants a token (401): give it in COMPASS_TOKEN or "
                                  "with --token-file");
    else if (status == 503)
        (void)cps_error_set(&http->reason, 0,
                            "the sidecar is busy (503): it has as many readers as it serves, or "
                            "what stands before it does not reach it");
    else
        (void)cps_error_set(&http->reason, 0,
                            "the server answers %ld, 200 was expected: is this a sidecar's "
                            "/v1/traces?",
                            status);
    http->state = CPS_FEED_REFUSED;
}

/* libcurl's sentences are long where it is the system that has a short one. */
static const char *detail_of(struct feed_http *http, CURLcode code)
{
    long number = 0;

    if (code == CURLE_COULDNT_CONNECT &&
        !curl_easy_getinfo(http->easy, CURLINFO_OS_ERRNO, &number) && number > 0)
        return strerror((int)number);
    return http->curl_error[0] ? http->curl_error : curl_easy_strerror(code);
}

static void explain(struct feed_http *http, CURLcode code, long status)
{
    const char *detail = detail_of(http, code);

    http->state = CPS_FEED_RETRYING;
    if (status && status != 200) {
        explain_status(http, status);
    } else if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
        http->state = CPS_FEED_REFUSED;
        (void)cps_error_set(&http->reason, 0,
                            "the certificate is not trusted: %s. Give its authority with --ca-file",
                            detail);
    } else if (code == CURLE_SSL_CONNECT_ERROR) {
        http->state = CPS_FEED_REFUSED;
        (void)cps_error_set(&http->reason, 0, "no TLS with this server: %s. Is it http://?",
                            detail);
    } else if (code) {
        (void)cps_error_set(&http->reason, 0, "%s", detail);
    } else {
        (void)cps_error_set(&http->reason, 0, "the sidecar closed the stream");
    }
}

static unsigned with_jitter(unsigned ms)
{
    unsigned random = 0;

    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
        random = (unsigned)cps_clock_ms();
    return ms - ms / 4 + random % (ms / 2 + 1);
}

static void finish(struct feed_http *http, CURLcode code)
{
    long status = 0;

    (void)curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    explain(http, code, status);
    (void)curl_multi_remove_handle(http->multi, http->easy);
    curl_easy_cleanup(http->easy);
    http->easy = NULL;
    http->paused = false;
    cps_reader_cut(&http->reader);
    http->retry_at_ms = cps_clock_ms() + with_jitter(http->backoff_ms);
    http->backoff_ms =
        http->backoff_ms * 2 > BACKOFF_MOST_MS ? BACKOFF_MOST_MS : http->backoff_ms * 2;
    if (strcmp(http->logged.text, http->reason.text) != 0) {
        report(http, http->state == CPS_FEED_REFUSED ? CPS_LEVEL_ERROR : CPS_LEVEL_WARN,
               http->reason.text);
        http->logged = http->reason;
    }
}

/* What was left of the last turn. */
static void go_on(struct feed_http *http)
{
    CURLcode code;

    if (!http->paused)
        return;
    http->paused = false;
    code = curl_easy_pause(http->easy, CURLPAUSE_CONT);
    if (code)
        finish(http, code);
}

static int http_wait(struct cps_feed *feed, int fd, int timeout_ms)
{
    struct feed_http *http = (struct feed_http *)feed;
    struct curl_waitfd extra = {.fd = fd, .events = CURL_WAIT_POLLIN};
    int64_t left = http->retry_at_ms - cps_clock_ms();
    CURLMsg *message;
    int running;

    if (!http->easy && left <= 0 && start(http))
        return -ENOMEM;
    if (!http->easy && left < timeout_ms)
        timeout_ms = left > 0 ? (int)left : 0;
    if (curl_multi_poll(http->multi, &extra, fd >= 0, http->paused ? 0 : timeout_ms, NULL))
        return -EIO;
    begin_turn(http);
    go_on(http);
    if (curl_multi_perform(http->multi, &running))
        return -EIO;
    while ((message = curl_multi_info_read(http->multi, &running))) {
        if (message->msg == CURLMSG_DONE)
            finish(http, message->data.result);
    }
    return 0;
}

static void http_status(const struct cps_feed *feed, struct cps_feed_status *out)
{
    const struct feed_http *http = (const struct feed_http *)feed;
    int64_t left = http->retry_at_ms - cps_clock_ms();
    bool down = http->state == CPS_FEED_RETRYING || http->state == CPS_FEED_REFUSED;

    *out = (struct cps_feed_status){
        .state = http->state,
        .retry_ms = !http->easy && left > 0 ? (unsigned)left : 0,
        .reason = down ? http->reason.text : "",
    };
}

static void http_close(struct cps_feed *feed)
{
    struct feed_http *http = (struct feed_http *)feed;

    if (!http)
        return;
    if (http->easy) {
        (void)curl_multi_remove_handle(http->multi, http->easy);
        curl_easy_cleanup(http->easy);
    }
    (void)curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    cps_reader_free(&http->reader);
    free(http->url);
    free(http);
    curl_global_cleanup();
}

static const struct cps_feed_ops http_ops = {
    .wait = http_wait, .status = http_status, .close = http_close};

static int add_token(struct feed_http *http, const char *token)
{
    cps_auto_free char *header = NULL;

    if (!token)
        return 0;
    if (asprintf(&header, "X-Skpr-Token: %s", token) < 0) {
        header = NULL;
        return -ENOMEM;
    }
    http->headers = curl_slist_append(NULL, header);
    return http->headers ? 0 : -ENOMEM;
}

/* What libcurl would refuse at every attempt is said at once. */
int cps_feed_http_check(const char *uri, struct cps_error *error)
{
    CURLU *parts = curl_url();
    CURLUcode code = parts ? curl_url_set(parts, CURLUPART_URL, uri, 0) : CURLUE_OUT_OF_MEMORY;

    curl_url_cleanup(parts);
    if (code == CURLUE_OUT_OF_MEMORY)
        return cps_error_set(error, -ENOMEM, "out of memory");
    return code ? cps_error_set(error, -EINVAL, "--uri: '%s': %s", uri, curl_url_strerror(code))
                : 0;
}

int cps_feed_http_open(const struct cps_options *options, const struct cps_feed_sink *sink,
                       struct cps_feed **out, struct cps_error *error)
{
    struct feed_http *http;

    if (options->token && strpbrk(options->token, "\r\n"))
        return cps_error_set(error, -EINVAL, "--token: a line break was found in it");
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return cps_error_set(error, -ENOMEM, "libcurl cannot be initialised");
    http = calloc(1, sizeof(*http));
    if (!http) {
        curl_global_cleanup();
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    http->base = (struct cps_feed){.ops = &http_ops, .sink = *sink};
    http->options = options;
    cps_reader_init(&http->reader, &http->base.sink);
    http->backoff_ms = BACKOFF_FIRST_MS;
    http->url = url_with_events(options->uri);
    http->multi = curl_multi_init();
    if (!http->url || !http->multi || add_token(http, options->token) || start(http)) {
        http_close(&http->base);
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    *out = &http->base;
    return 0;
}
