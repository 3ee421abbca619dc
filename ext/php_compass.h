/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extension's state, one for each thread, and what its parts offer each other.
 *
 *   compass.c       lifecycle, settings, phpinfo
 *   observer.c      the engine's hooks: which calls begin and end
 *   names.c         what a function is called
 *   request.c       the start and the end of a recorded request
 *   recorder.c      what the calls add up to (knows nothing of PHP); tables.c is its memory
 *   emit_classic.c  one probe hit an event
 *   emit_batch.c    many records a hit
 *   drupal.c        cacheability
 *
 * Nothing here may change what the application sees: no output, no exception, no engine memory
 * (memory_limit counts it), no user code.
 */
#ifndef CPS_EXT_PHP_COMPASS_H
#define CPS_EXT_PHP_COMPASS_H

#ifdef HAVE_CONFIG_H
#include "config.h" /* of phpize, which defines COMPILE_DL_COMPASS there */
#endif

#include <php.h>

#include "batch_encode.h"
#include "cache_events.h"
#include "recorder.h"
#include "usdt.h"

/* Only in the build for tests, which is never installed: a copy of what a tracer would see. */
#ifdef CPS_TEST
#include "tests/support/sink.h"
#define CPS_COPY(probe, ...) cps_sink_write(CPS_PROBE_##probe, __VA_ARGS__)
#else
#define CPS_COPY(probe, ...) ((void)0)
#endif

#define CPS_SCRATCH 3

/* Strings of a request, kept in memory of our own: a tracer's program cannot fault pages in. */
struct cps_request {
    bool http;
    bool has_id;
    bool forked; /* a child, of which the classic probes have told nothing yet */
    bool has_parent;
    struct cps_batch_parent parent; /* of a W3C traceparent */
    const char *id;                 /* "UNKNOWN" where the client sent none */
    const char *uri;
    const char *method;
    const char *command; /* cli */
    uint64_t pid;
    uint64_t number;
    uint64_t end;       /* ns: of the request proper, before the engine tears down */
    uint64_t outermost; /* ns: all calls together until then */
    char *storage;      /* what the strings point into; freed at the end of the request */
    /* For strings in the making, CPS_BATCH_MAX_STRING + 1 bytes each: the stack may be a fiber's,
     * and small. */
    char *scratch[CPS_SCRATCH];
};

struct cps_blocks {
    bool active; /* the request is told in blocks: a tracer was there when it began */
    bool slept;  /* calls of suspended fibers were told: see emit_batch.c */
    struct cps_batch_writer writer;
    void *buffer; /* CPS_BATCH_MAX bytes */
    uint32_t next_symbol;
    uint64_t deadline; /* ns: when the open block is due; UINT64_MAX without one */
    uint64_t begin;    /* ns: of the request */
    uint64_t calls_dropped;
};

ZEND_BEGIN_MODULE_GLOBALS(compass)
bool recording; /* decided at the start of the request, for all of it */
uint64_t limit; /* ns: calls this long or longer are told one by one */
struct cps_recorder recorder;
struct cps_blocks blocks;
struct cps_request request;
struct cps_cache_events cache_events;
ZEND_END_MODULE_GLOBALS(compass)

ZEND_EXTERN_MODULE_GLOBALS(compass)

typedef zend_compass_globals cps_globals;

#if defined(ZTS) && defined(COMPILE_DL_COMPASS)
ZEND_TSRMLS_CACHE_EXTERN()
#endif
#define CPS_GLOBALS() ZEND_MODULE_GLOBALS_BULK(compass)

/* Settings of the process. */
struct cps_settings {
    bool enabled;
    uint64_t threshold; /* ns */
    bool callers;       /* whether each function's callers are told apart */
};
extern struct cps_settings cps_settings;

/* observer.c: once, at startup, where the extension is enabled. 0, or -ENOSPC where other
 * extensions have taken all of the engine's slots. */
int cps_observer_register(void);
/* Ends every call that is still open: a fatal error in a shutdown function leaves some. */
void cps_observer_end_all(cps_globals *globals);

/* names.c: the function of a call, added to the recorder where it is new; never NULL. */
struct cps_function *cps_names_resolve(cps_globals *globals, const zend_function *function);

/* request.c */
void cps_request_start(cps_globals *globals);  /* RINIT: decides whether it is recorded */
void cps_request_finish(cps_globals *globals); /* RSHUTDOWN: takes the time */
void cps_request_close(cps_globals *globals);  /* after the engine: tells the end */
void cps_request_forked(cps_globals *globals); /* in a forked child */
/* Requests of this process that were watched and found no memory to be recorded. */
uint64_t cps_request_not_recorded(void);

/* emit_classic.c */
void cps_classic_begin(const struct cps_request *request);
void cps_classic_call(struct cps_request *request, const struct cps_function *function,
                      uint64_t elapsed, uint64_t memory);
void cps_classic_end(struct cps_request *request);
/* The strings are NUL-terminated. */
void cps_classic_cache_event(struct cps_request *request,
                             const struct cps_batch_cacheability *event);
bool cps_classic_wants_cache_event(enum cps_batch_cache_origin origin);
static inline bool cps_classic_is_watched(const struct cps_request *request)
{
    return cps_usdt_watched(request->http ? CPS_PROBE_fpm_function : CPS_PROBE_cli_function);
}

/* Whether a tracer of either kind of request is there. */
static inline bool cps_classic_is_any_watched(void)
{
    return UNEXPECTED((cps_usdt_semaphores[CPS_PROBE_fpm_function] |
                       cps_usdt_semaphores[CPS_PROBE_cli_function]) != 0);
}

/* emit_batch.c. begin: 0 or -ENOMEM. */
int cps_blocks_begin(cps_globals *globals);
void cps_blocks_call(cps_globals *globals, const struct cps_frame *frame, uint64_t now,
                     uint64_t elapsed, uint64_t memory);
void cps_blocks_flush(cps_globals *globals);
void cps_blocks_end(cps_globals *globals);
void cps_blocks_restart(cps_globals *globals);
void cps_blocks_free(struct cps_blocks *blocks);

/* drupal.c */
enum cps_batch_cache_origin cps_drupal_match(const zend_function *function); /* 0: neither */
void cps_drupal_event(cps_globals *globals, enum cps_batch_cache_origin origin,
                      const struct cps_function *caller, zend_execute_data *call,
                      const zval *result);

#endif
