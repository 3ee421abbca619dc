/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP: /v1/traces (the stream), /metrics, /healthz. One thread of libmicrohttpd serves all
 * connections; a stream that has nothing to send is suspended and costs nothing.
 */
#ifndef CPS_SIDECAR_SERVER_H
#define CPS_SIDECAR_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "broadcast.h"
#include "buf.h"
#include "error.h"

struct cps_server;

struct cps_server_options {
    int listener;                    /* from cps_server_listen; the server closes it */
    bool tls;                        /* with the pair of cps_tls_load */
    const char *token;               /* NULL: none is asked for. Copied. */
    struct cps_broadcast *broadcast; /* must outlive the server */
    unsigned int max_connections;    /* 0: 512 */
    unsigned int head_timeout_ms; /* to send a whole request, and to stay idle after one; 0: 10 s */
    /* Appends the answer to /metrics. On the server's thread. */
    void (*write_metrics)(void *context, struct cps_buf *out);
    void *context;
};

struct cps_server_stats {
    uint64_t connections; /* now */
    uint64_t requests;
    uint64_t unauthorized;
    uint64_t timeouts;  /* connections closed since no whole request came */
    uint64_t abandoned; /* streams whose client went away */
};

/* Opens and binds a listening socket. An empty host is every address, IPv6 and IPv4 where the
 * system has both. The descriptor, or -errno with a sentence. */
int cps_server_listen(const char *addr, struct cps_error *error);
/* Whether cps_server_listen finds an address, without listening there. 0, or -errno with a
 * sentence.
 */
int cps_server_check(const char *addr, struct cps_error *error);
/* The port that a listening socket is bound to; 0 on failure. */
uint16_t cps_server_port(int listener);

/* 0, or -EIO or -ENOMEM with a sentence; the listener is closed either way. */
int cps_server_start(const struct cps_server_options *options, struct cps_server **out,
                     struct cps_error *error);
/* Ends streams as HTTP asks for, then connections; within half a second. The broadcast is closed.
 * NULL is fine. */
void cps_server_stop(struct cps_server *server);

/* To be called a few times a second, by one thread: notices streams whose client has gone, and
 * connections that do not get a request out. */
void cps_server_tick(struct cps_server *server);
void cps_server_stats(struct cps_server *server, struct cps_server_stats *out);

/* Whether `given` (NULL: none), of `length` bytes, is the token. Takes as long for every text of
 * one length. */
bool cps_server_token_equal(const char *token, const char *given, size_t length);

#endif
