/* SPDX-License-Identifier: Apache-2.0 */
#include "php_compass.h"

#include <SAPI.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "traceparent.h"

#define STRING_SIZE ((size_t)CPS_BATCH_MAX_STRING + 1)
#define STRINGS 3 /* of a request; a command has one */

static _Atomic uint64_t last_number;
static _Atomic uint64_t not_recorded;

/* Every other SAPI serves HTTP. */
static bool serves_http(void)
{
    static const char *const others[] = {"cli", "phpdbg", "embed"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(sapi_module.name, others[i]) == 0)
            return false;
    }
    return true;
}

/* Preloading runs as a request of its own, with the SAPI's functions taken away. */
static bool is_preloading(void)
{
    return sapi_module.register_server_variables == NULL;
}

/* A copy in our storage, cut where it is too long. NULL without a value. */
static const char *keep(char **room, const char *value)
{
    char *copy = *room;

    if (!value || !*value)
        return NULL;
    size_t length = strnlen(value, CPS_BATCH_MAX_STRING);

    memcpy(copy, value, length);
    copy[length] = '\0';
    *room += length + 1;
    return copy;
}

/* A variable of the web server, without the superglobals, which are made when they are first used.
 */
static const char *keep_variable(char **room, const char *name)
{
    char *value = sapi_getenv(name, strlen(name));
    const char *kept = keep(room, value);

    if (value)
        efree(value);
    return kept;
}

static const char *find_uri(char **room)
{
    static const char *const names[] = {"REQUEST_URI", "PHP_SELF", "SCRIPT_NAME"};
    const char *uri = NULL;

    for (size_t i = 0; !uri && i < sizeof(names) / sizeof(names[0]); i++)
        uri = keep_variable(room, names[i]);
    if (!uri)
        uri = keep(room, SG(request_info).request_uri);
    return uri ? uri : "/unknown";
}

static const char *find_method(char **room)
{
    const char *method = keep_variable(room, "REQUEST_METHOD");

    if (!method)
        method = keep(room, SG(request_info).request_method);
    return method ? method : "UNKNOWN";
}

static bool find_parent(struct cps_batch_parent *out)
{
    static const char name[] = "HTTP_TRACEPARENT";
    char *value = sapi_getenv(name, sizeof(name) - 1);
    bool found = value && cps_traceparent_parse(value, strlen(value), out);

    if (value)
        efree(value);
    return found;
}

static void describe_http(struct cps_request *request, char *room)
{
    request->id = keep_variable(&room, "HTTP_X_REQUEST_ID");
    request->has_id = request->id != NULL;
    if (!request->has_id)
        request->id = "UNKNOWN";
    request->has_parent = find_parent(&request->parent);
    request->uri = find_uri(&room);
    request->method = find_method(&room);
}

static void join_arguments(char *out)
{
    size_t used = 0;

    for (int i = 0; i < SG(request_info).argc; i++) {
        const char *argument = SG(request_info).argv[i];
        size_t length = strnlen(argument, CPS_BATCH_MAX_STRING);

        if (used + length + 1 > CPS_BATCH_MAX_STRING)
            break;
        if (i > 0)
            out[used++] = ' ';
        memcpy(out + used, argument, length);
        used += length;
    }
    out[used] = '\0';
}

static void describe_command(struct cps_request *request, char *room)
{
    join_arguments(room);
    request->command = room;
    if (!*room)
        request->command = keep_variable(&room, "SCRIPT_NAME");
    if (!request->command)
        request->command = "UNKNOWN";
}

static int describe(struct cps_request *request)
{
    char *room = malloc((STRINGS + CPS_SCRATCH) * STRING_SIZE);

    if (!room)
        return -ENOMEM;
    *request = (struct cps_request){
        .http = serves_http(),
        .pid = (uint64_t)getpid(),
        .number = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1,
        .storage = room};
    for (size_t i = 0; i < CPS_SCRATCH; i++)
        request->scratch[i] = room + (STRINGS + i) * STRING_SIZE;
    if (request->http)
        describe_http(request, room);
    else
        describe_command(request, room);
    return 0;
}

static void forget(cps_globals *globals)
{
    free(globals->request.storage);
    globals->request.storage = NULL;
    cps_cache_events_free(&globals->cache_events);
    globals->recording = false;
}

/* 0, or -ENOMEM and nothing is kept. */
static int prepare(cps_globals *globals)
{
    if (describe(&globals->request) != 0)
        return -ENOMEM;
    if (cps_recorder_start(&globals->recorder, cps_settings.callers) != 0) {
        forget(globals);
        return -ENOMEM;
    }
    return 0;
}

uint64_t cps_request_not_recorded(void)
{
    return atomic_load_explicit(&not_recorded, memory_order_relaxed);
}

void cps_request_start(cps_globals *globals)
{
    globals->recording = false;
    if (!cps_usdt_watched(CPS_PROBE_canary) || is_preloading())
        return;
    CPS_USDT0(canary);
    if (prepare(globals) != 0) {
        atomic_fetch_add_explicit(&not_recorded, 1, memory_order_relaxed);
        return;
    }
    globals->limit = cps_settings.threshold > 0 ? cps_settings.threshold + 1 : 0;
    globals->blocks.active = false;
    globals->blocks.deadline = UINT64_MAX;
    if (cps_usdt_watched(CPS_PROBE_batch))
        (void)cps_blocks_begin(globals);
    cps_classic_begin(&globals->request);
    globals->recording = true;
}

void cps_request_finish(cps_globals *globals)
{
    if (!globals->recording)
        return;
    globals->request.end = cps_clock_now(&globals->recorder.clock);
    globals->request.outermost = cps_recorder_outermost(&globals->recorder);
}

void cps_request_close(cps_globals *globals)
{
    if (!globals->recording)
        return;
    cps_observer_end_all(globals);
    if (cps_recorder_outermost(&globals->recorder) != globals->request.outermost)
        globals->request.end = cps_clock_now(&globals->recorder.clock);
    cps_blocks_end(globals);
    cps_classic_end(&globals->request);
    cps_recorder_stop(&globals->recorder);
    forget(globals);
}

/* The child is a request of its own, told from here on: the parent tells what was before. Its open
 * calls stay open. Most children run another program at once, so nothing is handed over here. */
void cps_request_forked(cps_globals *globals)
{
    if (!globals->recording)
        return;
    globals->request.pid = (uint64_t)getpid();
    globals->request.forked = true;
    cps_cache_events_free(&globals->cache_events);
    cps_blocks_restart(globals);
    cps_recorder_restart(&globals->recorder, cps_clock_now(&globals->recorder.clock));
}
