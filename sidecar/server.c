/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two things that libmicrohttpd leaves to us. A suspended connection is not polled, so nobody would
 * notice that the client of an idle stream has gone, and the probes would stay attached for it. And
 * its timeout counts silence, so a client that sends its request a byte at a time would hold a
 * connection for ever. So there is a list of all connections, and cps_server_tick looks through it:
 * it asks the sockets of streams whether the other side has closed, and shuts those down that have
 * had no whole request for too long. A client that only says that it will send no more (a
 * half-closed connection: `printf 'GET ...' | nc`) looks like one that has gone, since TCP tells
 * the two apart only when something is sent; its stream ends. To detach in time is worth more.
 *
 * Locks: the list's is taken first, then a subscriber's, then libmicrohttpd's own.
 */
#include "server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "log.h"
#include "stream.h"
#include "tls.h"

#define TOKEN_HEADER "X-Skpr-Token"
#define MAX_CONNECTIONS 512
#define HEAD_TIMEOUT_MS 10000
/* Request head and the chunk that is being sent both live in it. */
#define CONNECTION_MEMORY 32768
/* A reader that takes nothing for as long, while there is something to take, has gone. */
#define STALL_TIMEOUT_S 300
/* A machine that answers nothing for as long is not there any more, or cannot be reached. */
#define PEER_SILENCE_S 25
#define STOP_STEPS 50
#define STOP_STEP_NS 10000000

struct connection {
    struct connection *next;
    struct connection *previous;
    int fd;
    uint64_t deadline;         /* CLOCK_MONOTONIC, ns: a whole request by then; 0: one is served */
    struct cps_stream *stream; /* NULL: not a stream */
};

struct cps_server {
    struct cps_server_options options;
    char *token;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* the list, and what is in it */
    struct connection *connections;
    size_t count;
    size_t streams;
    _Atomic uint64_t requests;
    _Atomic uint64_t unauthorized;
    _Atomic uint64_t timeouts;
    _Atomic uint64_t abandoned;
};

bool cps_server_token_equal(const char *token, const char *given, size_t length)
{
    size_t token_length = strlen(token);
    volatile unsigned char difference = length != token_length;

    for (size_t i = 0; given && i < length; i++) {
        unsigned char wanted = token_length > 0 ? (unsigned char)token[i % token_length] : 0;
        difference = (unsigned char)(difference | (wanted ^ (unsigned char)given[i]));
    }
    return given && difference == 0;
}

/* The list of connections. */

static uint64_t head_deadline(const struct cps_server *server)
{
    return cps_clock_monotonic() + (uint64_t)server->options.head_timeout_ms * 1000000u;
}

static struct connection *connection_add(struct cps_server *server, int fd)
{
    struct connection *connection = calloc(1, sizeof(*connection));

    if (!connection)
        return NULL;
    connection->fd = fd;
    connection->deadline = head_deadline(server);
    (void)pthread_mutex_lock(&server->lock);
    connection->next = server->connections;
    if (connection->next)
        connection->next->previous = connection;
    server->connections = connection;
    server->count++;
    (void)pthread_mutex_unlock(&server->lock);
    return connection;
}

static void connection_remove(struct cps_server *server, struct connection *connection)
{
    if (!connection)
        return;
    (void)pthread_mutex_lock(&server->lock);
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    server->count--;
    (void)pthread_mutex_unlock(&server->lock);
    free(connection);
}

/* The socket itself tells when the other machine has died without a word, as long as nothing is
 * being sent. */
static void set_socket(int fd)
{
    const int on = 1;
    const int idle_s = 10;
    const int interval_s = 5;
    const int probes = (PEER_SILENCE_S - idle_s) / interval_s;

    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

static void on_connection(void *context, struct MHD_Connection *mhd, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct cps_server *server = context;
    const union MHD_ConnectionInfo *info;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        connection_remove(server, *socket_context);
        return;
    }
    info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info)
        return;
    set_socket(info->connect_fd);
    *socket_context = connection_add(server, info->connect_fd);
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static void set_deadline(struct cps_server *server, struct MHD_Connection *mhd, uint64_t deadline)
{
    struct connection *connection = connection_of(mhd);

    if (!connection)
        return;
    (void)pthread_mutex_lock(&server->lock);
    connection->deadline = deadline;
    (void)pthread_mutex_unlock(&server->lock);
}

static void set_stream(struct cps_server *server, struct connection *connection,
                       struct cps_stream *stream)
{
    (void)pthread_mutex_lock(&server->lock);
    server->streams += (size_t)(stream != NULL) - (size_t)(connection->stream != NULL);
    connection->stream = stream;
    (void)pthread_mutex_unlock(&server->lock);
}

static bool has_closed(int fd)
{
    struct pollfd item = {.fd = fd, .events = POLLRDHUP};

    return poll(&item, 1, 0) > 0 && (item.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/* Whether the other machine has left what was sent to it without an answer for too long. The kernel
 * would go on for a quarter of an hour: its keepalive rests while something is on its way, and
 * TCP_USER_TIMEOUT would also cut off a reader that is there and only takes a pause. */
static bool is_silent(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_unacked > 0 &&
           info.tcpi_last_ack_recv > PEER_SILENCE_S * 1000u;
}

static void check_connection(struct cps_server *server, struct connection *connection, uint64_t now)
{
    bool silent = connection->stream && is_silent(connection->fd);

    if (silent || (connection->stream && has_closed(connection->fd))) {
        if (silent)
            (void)shutdown(connection->fd, SHUT_RDWR); /* it may wait for room to send */
        atomic_fetch_add(&server->abandoned, 1);
        cps_stream_abandon(connection->stream);
        connection->stream = NULL;
        server->streams--;
    } else if (connection->deadline && now > connection->deadline) {
        atomic_fetch_add(&server->timeouts, 1);
        connection->deadline = 0;
        (void)shutdown(connection->fd, SHUT_RDWR);
    }
}

void cps_server_tick(struct cps_server *server)
{
    uint64_t now = cps_clock_monotonic();

    (void)pthread_mutex_lock(&server->lock);
    for (struct connection *c = server->connections; c; c = c->next)
        check_connection(server, c, now);
    (void)pthread_mutex_unlock(&server->lock);
}

/* Answers. */

static enum MHD_Result send_response(struct MHD_Connection *mhd, unsigned int status,
                                     struct MHD_Response *response, const char *type)
{
    if (!response)
        return MHD_NO;
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "5");
    enum MHD_Result result = MHD_queue_response(mhd, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_text(struct MHD_Connection *mhd, unsigned int status, const char *text)
{
    return send_response(
        mhd, status,
        MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT),
        "text/plain; charset=utf-8");
}

static enum MHD_Result send_metrics(struct cps_server *server, struct MHD_Connection *mhd)
{
    cps_auto_buf struct cps_buf text = {0};

    server->options.write_metrics(server->options.context, &text);
    if (cps_buf_failed(&text))
        return send_text(mhd, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
    return send_response(
        mhd, MHD_HTTP_OK,
        MHD_create_response_from_buffer(text.length, text.data, MHD_RESPMEM_MUST_COPY),
        "text/plain; version=0.0.4; charset=utf-8");
}

/* What a stream's response owns. */
struct answer {
    struct cps_server *server;
    struct connection *connection;
    struct cps_stream *stream;
};

static ssize_t answer_read(void *context, uint64_t position, char *out, size_t room)
{
    struct answer *answer = context;

    return cps_stream_read(answer->stream, position, out, room);
}

static void answer_free(void *context)
{
    struct answer *answer = context;

    set_stream(answer->server, answer->connection, NULL);
    cps_stream_free(answer->stream);
    free(answer);
}

static bool wants_events(struct MHD_Connection *mhd)
{
    const char *value = MHD_lookup_connection_value(mhd, MHD_GET_ARGUMENT_KIND, "events");

    return value && strcmp(value, "1") == 0;
}

static enum cps_encoding encoding_of(struct MHD_Connection *mhd)
{
    return cps_encoding_choose(
        MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
}

static enum MHD_Result send_stream_head(struct MHD_Connection *mhd, struct MHD_Response *response,
                                        enum cps_encoding encoding)
{
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
    (void)MHD_add_response_header(response, "X-Accel-Buffering", "no");
    if (encoding != CPS_ENCODING_IDENTITY)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING,
                                      cps_encoding_name(encoding));
    return send_response(mhd, MHD_HTTP_OK, response, "text/event-stream");
}

static enum MHD_Result send_stream(struct MHD_Connection *mhd, struct answer *answer,
                                   enum cps_encoding encoding)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, CONNECTION_MEMORY, answer_read, answer, answer_free);

    if (!response) {
        answer_free(answer);
        return MHD_NO;
    }
    set_stream(answer->server, answer->connection, answer->stream);
    (void)MHD_set_connection_option(mhd, MHD_CONNECTION_OPTION_TIMEOUT,
                                    (unsigned int)STALL_TIMEOUT_S);
    return send_stream_head(mhd, response, encoding);
}

static ssize_t read_nothing(void *context, uint64_t position, char *out, size_t room)
{
    (void)context;
    (void)position;
    (void)out;
    (void)room;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

/* The head of a stream's answer to HEAD, which subscribes nobody. */
static enum MHD_Result send_no_stream(struct MHD_Connection *mhd)
{
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);

    return response ? send_stream_head(mhd, response, encoding_of(mhd)) : MHD_NO;
}

/* Blanks around a header's value are not part of it. libmicrohttpd takes away those before it. */
static bool is_authorized(const struct cps_server *server, struct MHD_Connection *mhd)
{
    const char *given = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, TOKEN_HEADER);
    size_t length = given ? strlen(given) : 0;

    while (length > 0 && (given[length - 1] == ' ' || given[length - 1] == '\t'))
        length--;
    return !server->token || cps_server_token_equal(server->token, given, length);
}

static enum MHD_Result serve_traces(struct cps_server *server, struct MHD_Connection *mhd,
                                    bool head_only)
{
    struct connection *connection = connection_of(mhd);
    enum cps_encoding encoding = encoding_of(mhd);
    struct answer *answer;

    if (!is_authorized(server, mhd)) {
        atomic_fetch_add(&server->unauthorized, 1);
        return send_text(mhd, MHD_HTTP_UNAUTHORIZED, "the token in " TOKEN_HEADER " is wrong\n");
    }
    if (head_only)
        return send_no_stream(mhd);
    if (!connection || !(answer = calloc(1, sizeof(*answer))))
        return send_text(mhd, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory\n");
    answer->server = server;
    answer->connection = connection;
    answer->stream = cps_stream_open(server->options.broadcast, mhd, encoding, wants_events(mhd));
    if (!answer->stream) {
        free(answer);
        return send_text(mhd, MHD_HTTP_SERVICE_UNAVAILABLE, "too many subscribers\n");
    }
    return send_stream(mhd, answer, encoding);
}

/* The path of a URI, which is the URI itself but for the absolute form that proxies send. */
static const char *path_of(const char *uri)
{
    const char *slashes = strncasecmp(uri, "http", 4) == 0 ? strstr(uri, "://") : NULL;
    const char *path = slashes ? strchr(slashes + 3, '/') : uri;

    return path ? path : "/";
}

static enum MHD_Result route(struct cps_server *server, struct MHD_Connection *mhd, const char *uri,
                             const char *method)
{
    const char *path = path_of(uri);
    bool traces = strcmp(path, "/v1/traces") == 0;
    bool metrics = strcmp(path, "/metrics") == 0;
    bool head_only = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

    if (!traces && !metrics && strcmp(path, "/healthz") != 0)
        return send_text(mhd, MHD_HTTP_NOT_FOUND, "not found\n");
    if (!head_only && strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return send_text(mhd, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    if (traces)
        return serve_traces(server, mhd, head_only);
    if (metrics)
        return send_metrics(server, mhd);
    return send_text(mhd, MHD_HTTP_OK, "ok\n");
}

/* The first call comes with the head, then one for each part of a body (which is thrown away), then
 * one to answer. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *mhd, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request)
{
    static char seen;
    struct cps_server *server = context;

    (void)version;
    (void)upload;
    if (*request != &seen) {
        *request = &seen;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    atomic_fetch_add(&server->requests, 1);
    set_deadline(server, mhd, 0);
    return route(server, mhd, url, method);
}

static void on_completed(void *context, struct MHD_Connection *mhd, void **request,
                         enum MHD_RequestTerminationCode code)
{
    struct cps_server *server = context;

    (void)request;
    (void)code;
    set_deadline(server, mhd, head_deadline(server));
}

__attribute__((format(printf, 2, 0))) static void on_log(void *context, const char *format,
                                                         va_list arguments)
{
    char text[256];

    (void)context;
    if (vsnprintf(text, sizeof(text), format, arguments) < 0)
        return;
    text[strcspn(text, "\n")] = '\0';
    cps_log(CPS_LOG_DEBUG, "http", "detail", text, NULL);
}

/* Listening. */

static int try_listen(const struct addrinfo *address)
{
    const int on = 1;
    const int off = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address->ai_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int status = -errno;
    (void)close(fd);
    return status;
}

/* Every address that the name has, IPv6 before IPv4, until one can be used. */
static int listen_any(const struct addrinfo *list)
{
    static const int families[] = {AF_INET6, AF_INET};
    int status = -EADDRNOTAVAIL;

    for (size_t i = 0; i < 2; i++) {
        for (const struct addrinfo *at = list; at; at = at->ai_next) {
            if (at->ai_family != families[i])
                continue;
            status = try_listen(at);
            if (status >= 0)
                return status;
        }
    }
    return status;
}

/* The addresses, to be freed. */
static int resolve(const char *addr, struct addrinfo **out, struct cps_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char host[256];
    char service[8];
    uint16_t port;

    if (cps_config_parse_address(addr, host, sizeof(host), &port) < 0)
        return cps_error_set(error, -EINVAL, "addr: found \"%s\", expected HOST:PORT", addr);
    (void)snprintf(service, sizeof(service), "%u", (unsigned int)port);
    int code = getaddrinfo(*host ? host : NULL, service, &hints, out);
    if (code != 0)
        return cps_error_set(error, -EADDRNOTAVAIL, "addr: %s has no address: %s", host,
                             gai_strerror(code));
    return 0;
}

int cps_server_check(const char *addr, struct cps_error *error)
{
    struct addrinfo *list = NULL;
    int status = resolve(addr, &list, error);

    if (status == 0)
        freeaddrinfo(list);
    return status;
}

int cps_server_listen(const char *addr, struct cps_error *error)
{
    struct addrinfo *list = NULL;
    int status = resolve(addr, &list, error);

    if (status < 0)
        return status;
    status = listen_any(list);
    freeaddrinfo(list);
    if (status < 0)
        return cps_error_set(error, status, "addr: cannot listen on %s: %s", addr,
                             strerror(-status));
    return status;
}

uint16_t cps_server_port(int listener)
{
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t length = sizeof(address);

    if (getsockname(listener, &address.any, &length) < 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.ipv6.sin6_port
                                                   : address.ipv4.sin_port);
}

/* Life. */

static struct MHD_Daemon *start_daemon(struct cps_server *server)
{
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                         MHD_USE_ERROR_LOG | (server->options.tls ? MHD_USE_TLS : 0u);
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)cps_tls_retrieve},
                                   {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)CPS_TLS_PRIORITIES},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};

    return MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, server, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, server->options.listener, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, server, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
        MHD_OPTION_CONNECTION_LIMIT, server->options.max_connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_TIMEOUT, server->options.head_timeout_ms / 1000 + 1, MHD_OPTION_ARRAY,
        server->options.tls ? tls : none, MHD_OPTION_END);
}

static struct cps_server *server_new(const struct cps_server_options *options)
{
    struct cps_server *server = calloc(1, sizeof(*server));

    if (!server)
        return NULL;
    server->options = *options;
    if (!server->options.max_connections)
        server->options.max_connections = MAX_CONNECTIONS;
    if (!server->options.head_timeout_ms)
        server->options.head_timeout_ms = HEAD_TIMEOUT_MS;
    if (options->token && !(server->token = strdup(options->token))) {
        free(server);
        return NULL;
    }
    (void)pthread_mutex_init(&server->lock, NULL);
    return server;
}

static void server_free(struct cps_server *server)
{
    (void)pthread_mutex_destroy(&server->lock);
    free(server->token);
    free(server);
}

int cps_server_start(const struct cps_server_options *options, struct cps_server **out,
                     struct cps_error *error)
{
    struct cps_server *server = server_new(options);

    if (server)
        server->daemon = start_daemon(server);
    if (server && server->daemon) {
        *out = server;
        return 0;
    }
    (void)close(options->listener);
    if (!server)
        return cps_error_set(error, -ENOMEM, "the server cannot start: no memory");
    server_free(server);
    return cps_error_set(error, -EIO, "the server cannot start");
}

static size_t stream_count(struct cps_server *server)
{
    (void)pthread_mutex_lock(&server->lock);
    size_t count = server->streams;
    (void)pthread_mutex_unlock(&server->lock);
    return count;
}

void cps_server_stop(struct cps_server *server)
{
    const struct timespec step = {.tv_nsec = STOP_STEP_NS};

    if (!server)
        return;
    int listener = MHD_quiesce_daemon(server->daemon);
    cps_broadcast_close(server->options.broadcast);
    for (int i = 0; i < STOP_STEPS && stream_count(server) > 0; i++)
        (void)nanosleep(&step, NULL);
    MHD_stop_daemon(server->daemon);
    if (listener >= 0)
        (void)close(listener);
    server_free(server);
}

void cps_server_stats(struct cps_server *server, struct cps_server_stats *out)
{
    (void)pthread_mutex_lock(&server->lock);
    out->connections = server->count;
    (void)pthread_mutex_unlock(&server->lock);
    out->requests = atomic_load(&server->requests);
    out->unauthorized = atomic_load(&server->unauthorized);
    out->timeouts = atomic_load(&server->timeouts);
    out->abandoned = atomic_load(&server->abandoned);
}
