/* SPDX-License-Identifier: Apache-2.0 */
#include "php_compass.h"

void cps_classic_begin(const struct cps_request *request)
{
    if (request->http) {
        if (cps_usdt_watched(CPS_PROBE_fpm_request_init)) {
            CPS_USDT3(fpm_request_init, request->id, request->uri, request->method);
            CPS_COPY(fpm_request_init, request->id, request->uri, request->method);
        }
    } else if (cps_usdt_watched(CPS_PROBE_cli_request_init)) {
        CPS_USDT2(cli_request_init, request->pid, request->command);
        CPS_COPY(cli_request_init, request->pid, request->command);
    }
}

/* A forked child is told of with the first event in it. */
static void begin_forked(struct cps_request *request)
{
    if (!request->forked)
        return;
    request->forked = false;
    cps_classic_begin(request);
}

void cps_classic_call(struct cps_request *request, const struct cps_function *function,
                      uint64_t elapsed, uint64_t memory)
{
    const char *name = function->classic_name;

    begin_forked(request);
    if (request->http) {
        CPS_USDT4(fpm_function, request->id, name, elapsed, memory);
        CPS_COPY(fpm_function, request->id, name, elapsed, memory);
    } else {
        CPS_USDT4(cli_function, request->pid, name, elapsed, memory);
        CPS_COPY(cli_function, request->pid, name, elapsed, memory);
    }
}

void cps_classic_end(struct cps_request *request)
{
    begin_forked(request);
    if (request->http) {
        if (cps_usdt_watched(CPS_PROBE_fpm_request_shutdown)) {
            CPS_USDT1(fpm_request_shutdown, request->id);
            CPS_COPY(fpm_request_shutdown, request->id);
        }
    } else if (cps_usdt_watched(CPS_PROBE_cli_request_shutdown)) {
        CPS_USDT1(cli_request_shutdown, request->pid);
        CPS_COPY(cli_request_shutdown, request->pid);
    }
}

bool cps_classic_wants_cache_event(enum cps_batch_cache_origin origin)
{
    return cps_usdt_watched(origin == CPS_BATCH_OBJECT
                                ? CPS_PROBE_drupal_cacheablemetadata_createfromobject
                                : CPS_PROBE_drupal_cacheablemetadata_createfromrenderarray);
}

void cps_classic_cache_event(struct cps_request *request,
                             const struct cps_batch_cacheability *event)
{
    const char *id = request->id;
    const char *caller = event->caller.data;
    const char *type = event->object_type.data;
    const char *tags = event->tags.data;
    const char *contexts = event->contexts.data;
    int64_t max_age = event->max_age;

    begin_forked(request);
    if (event->origin == CPS_BATCH_OBJECT) {
        CPS_USDT_EMIT(drupal_cacheablemetadata_createfromobject,
                      "8@%[a1] 8@%[a2] -8@%[a3] 8@%[a4] 8@%[a5] 8@%[a6]", CPS_USDT_ARG_(1, id),
                      CPS_USDT_ARG_(2, caller), CPS_USDT_ARG_(3, max_age), CPS_USDT_ARG_(4, type),
                      CPS_USDT_ARG_(5, tags), CPS_USDT_ARG_(6, contexts));
        CPS_COPY(drupal_cacheablemetadata_createfromobject, id, caller, max_age, type, tags,
                 contexts);
    } else {
        CPS_USDT_EMIT(drupal_cacheablemetadata_createfromrenderarray,
                      "8@%[a1] 8@%[a2] -8@%[a3] 8@%[a4] 8@%[a5]", CPS_USDT_ARG_(1, id),
                      CPS_USDT_ARG_(2, caller), CPS_USDT_ARG_(3, max_age), CPS_USDT_ARG_(4, tags),
                      CPS_USDT_ARG_(5, contexts));
        CPS_COPY(drupal_cacheablemetadata_createfromrenderarray, id, caller, max_age, tags,
                 contexts);
    }
}
