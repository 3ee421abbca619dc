/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compass.node: the probes, the clock and the blocks, for the JavaScript that does the rest.
 *
 * State belongs to an environment (the main thread and each worker have their own); only the
 * semaphores and the counter of requests are the process's. The hot calls, clock and handOver, take
 * no argument and return nothing: they speak with JavaScript through the control buffer, since
 * converting values costs more than the call. The buffers are the engine's own array buffers,
 * whose memory does not move; so they are there too where external memory is forbidden. Only the
 * semaphores have to be external memory: where that is refused, refresh() copies them.
 *
 * Nothing here throws: a wrong argument is ignored, and a failure is an undefined result.
 */
#define NAPI_VERSION 8
#include <node_api.h>

#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <unistd.h>

#include "batch.h"
#include "cache.h"
#include "clock.h"
#include "emit.h"
#include "probes.h"

#define ARENA_BLOCKS 8
#define MAX_ARENAS 512
#define MAX_STRINGS 3
/* js/binding.cjs refuses a binary of another one: counts up with every change to what is exported.
 */
#define CPS_ADDON_INTERFACE 3

/* What JavaScript sees as the control buffer. */
struct control {
    double now;         /* ns, CLOCK_MONOTONIC: set by clock() and moment() */
    double request;     /* a new number: set by nextRequest() */
    uint64_t realtime;  /* ns since the Unix epoch: set by moment() */
    uint64_t monotonic; /* ns: set by moment() */
    uint32_t block;     /* which one handOver() hands over: set by JavaScript */
    uint32_t pid;
    uint16_t semaphores[CPS_PROBE_COUNT]; /* set by refresh() */
};

/* js/blocks.cjs writes the format by these numbers. */
_Static_assert(CPS_BATCH_MAGIC == 0x31535043 && CPS_BATCH_VERSION == 1, "js/blocks.cjs");
_Static_assert(CPS_BATCH_MAX == 32768 && CPS_BATCH_MAX_STRING == 8192, "js/blocks.cjs");
_Static_assert(CPS_BATCH_MAX_AGE_NS == 100000000, "js/blocks.cjs");
_Static_assert(CPS_BATCH_BEGIN == 1 && CPS_BATCH_SYMBOL == 2 && CPS_BATCH_CALL == 3,
               "js/blocks.cjs");
_Static_assert(CPS_BATCH_CALL_LONG == 4 && CPS_BATCH_FUNCTION == 5, "js/blocks.cjs");
_Static_assert(CPS_BATCH_CALLER == 6 && CPS_BATCH_END == 8, "js/blocks.cjs");
_Static_assert(CPS_BATCH_LAST == 1 && ARENA_BLOCKS == 8, "js/blocks.cjs");
_Static_assert(CPS_BATCH_HTTP == 1 && CPS_BATCH_CLI == 2, "js/recorder.cjs");
_Static_assert(CPS_BATCH_NODE == 2, "js/blocks.cjs");

struct environment {
    struct control *control;
    napi_ref control_ref;
    struct cps_clock clock;
    unsigned char *arenas[MAX_ARENAS];
    napi_ref arena_refs[MAX_ARENAS];
    uint32_t arena_count;
    struct cps_cache_entry cached; /* what openCached() opened */
    char strings[MAX_STRINGS][CPS_BATCH_MAX_STRING + 1];
};

static atomic_uint_fast64_t requests;

static struct environment *environment_of(napi_env env)
{
    void *data = NULL;

    if (napi_get_instance_data(env, &data) != napi_ok)
        return NULL;
    return data;
}

static napi_value clock_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);

    (void)info;
    if (environment)
        environment->control->now = (double)cps_clock_now(&environment->clock);
    return NULL;
}

static napi_value moment_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);
    struct control *control;

    (void)info;
    if (!environment)
        return NULL;
    control = environment->control;
    cps_clock_anchor(&environment->clock);
    control->monotonic = cps_clock_now(&environment->clock);
    control->realtime = cps_clock_realtime();
    control->now = (double)control->monotonic;
    return NULL;
}

static napi_value next_request_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);

    (void)info;
    if (environment)
        environment->control->request = (double)(atomic_fetch_add(&requests, 1) + 1);
    return NULL;
}

static napi_value refresh_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);
    volatile unsigned short *semaphores;
    size_t size;

    (void)info;
    if (!environment)
        return NULL;
    semaphores = cps_emit_semaphores(&size);
    for (int i = 0; i < CPS_PROBE_COUNT; i++)
        environment->control->semaphores[i] = semaphores[i];
    return NULL;
}

static napi_value hand_over_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);
    struct cps_batch_header header;
    const unsigned char *block;
    uint32_t index;

    (void)info;
    if (!environment)
        return NULL;
    index = environment->control->block;
    if (index / ARENA_BLOCKS >= environment->arena_count)
        return NULL;
    block =
        environment->arenas[index / ARENA_BLOCKS] + (size_t)(index % ARENA_BLOCKS) * CPS_BATCH_MAX;
    memcpy(&header, block, sizeof(header));
    if (header.length >= sizeof(header) && header.length <= CPS_BATCH_MAX)
        cps_emit_batch(block, header.length);
    cps_clock_anchor(&environment->clock);
    return NULL;
}

/* A new buffer of ARENA_BLOCKS blocks, which are numbered on from those before. */
static napi_value arena_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);
    napi_value buffer;
    napi_ref ref;
    void *data;

    (void)info;
    if (!environment || environment->arena_count == MAX_ARENAS)
        return NULL;
    if (napi_create_arraybuffer(env, (size_t)ARENA_BLOCKS * CPS_BATCH_MAX, &data, &buffer) !=
            napi_ok ||
        napi_create_reference(env, buffer, 1, &ref) != napi_ok)
        return NULL;
    environment->arenas[environment->arena_count] = data;
    environment->arena_refs[environment->arena_count] = ref;
    environment->arena_count++;
    return buffer;
}

/* Takes in the characters of a string, as UTF-16. */
static bool hash_string(napi_env env, napi_value string, struct cps_cache_hash *hash)
{
    char16_t *text;
    size_t length;
    bool done;

    if (napi_get_value_string_utf16(env, string, NULL, 0, &length) != napi_ok)
        return false;
    text = malloc((length + 1) * sizeof(*text));
    if (!text)
        return false;
    done = napi_get_value_string_utf16(env, string, text, length + 1, &length) == napi_ok;
    if (done)
        cps_cache_hash_add(hash, text, length * sizeof(*text));
    free(text);
    return done;
}

/* cacheKey(facts, source): 32 hexadecimal digits. */
static napi_value cache_key_call(napi_env env, napi_callback_info info)
{
    struct cps_cache_hash hash = CPS_CACHE_HASH_INIT;
    napi_value arguments[2], key;
    size_t count = 2;
    char digits[33];

    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok ||
        !hash_string(env, arguments[0], &hash) || !hash_string(env, arguments[1], &hash))
        return NULL;
    (void)snprintf(digits, sizeof(digits), "%016" PRIx64 "%016" PRIx64, hash.low, hash.high);
    if (napi_create_string_latin1(env, digits, sizeof(digits) - 1, &key) != napi_ok)
        return NULL;
    return key;
}

/* openCached(path): how many functions the entry has; undefined where there is no sound entry. */
static napi_value open_cached_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);
    char path[PATH_MAX];
    napi_value argument, count;
    size_t arguments = 1, size;

    if (!environment || napi_get_cb_info(env, info, &arguments, &argument, NULL, NULL) != napi_ok ||
        napi_get_value_string_utf8(env, argument, path, sizeof(path), &size) != napi_ok ||
        size + 1 >= sizeof(path))
        return NULL;
    cps_cache_free(&environment->cached);
    if (cps_cache_read(path, &environment->cached) < 0 ||
        napi_create_uint32(env, environment->cached.count, &count) != napi_ok)
        return NULL;
    return count;
}

/* takeCached(base): [source, names] of what was opened, its functions numbered from there on. */
static napi_value take_cached_call(napi_env env, napi_callback_info info)
{
    struct environment *environment = environment_of(env);
    napi_value argument, list = NULL, source, names;
    size_t arguments = 1;
    uint32_t base;

    if (!environment || !environment->cached.text ||
        napi_get_cb_info(env, info, &arguments, &argument, NULL, NULL) != napi_ok ||
        napi_get_value_uint32(env, argument, &base) != napi_ok)
        return NULL;
    if (cps_cache_fill(&environment->cached, base) < 0 ||
        napi_create_string_utf8(env, environment->cached.source, environment->cached.source_size,
                                &source) != napi_ok ||
        napi_create_string_utf8(env, environment->cached.names, environment->cached.names_size,
                                &names) != napi_ok ||
        napi_create_array_with_length(env, 2, &list) != napi_ok ||
        napi_set_element(env, list, 0, source) != napi_ok ||
        napi_set_element(env, list, 1, names) != napi_ok)
        list = NULL;
    cps_cache_free(&environment->cached);
    return list;
}

/* The arguments of a classic probe: first its strings, then its integers. */
struct arguments {
    const char *string[MAX_STRINGS];
    uint64_t integer[2];
};

static bool read_arguments(napi_env env, napi_callback_info info, size_t strings, size_t integers,
                           struct arguments *out)
{
    struct environment *environment = environment_of(env);
    napi_value values[MAX_STRINGS + 2];
    size_t count = MAX_STRINGS + 2;

    if (!environment || napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok ||
        count < strings + integers)
        return false;
    for (size_t i = 0; i < strings; i++) {
        if (napi_get_value_string_utf8(env, values[i], environment->strings[i],
                                       sizeof(environment->strings[i]), NULL) != napi_ok)
            return false;
        out->string[i] = environment->strings[i];
    }
    for (size_t i = 0; i < integers; i++) {
        double number;

        if (napi_get_value_double(env, values[strings + i], &number) != napi_ok)
            return false;
        out->integer[i] = number > 0 ? (uint64_t)number : 0;
    }
    return true;
}

static napi_value canary_call(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    cps_emit_canary();
    return NULL;
}

static napi_value http_init_call(napi_env env, napi_callback_info info)
{
    struct arguments a;

    if (read_arguments(env, info, 3, 0, &a))
        cps_emit_http_init(a.string[0], a.string[1], a.string[2]);
    return NULL;
}

static napi_value http_function_call(napi_env env, napi_callback_info info)
{
    struct arguments a;

    if (read_arguments(env, info, 2, 2, &a))
        cps_emit_http_function(a.string[0], a.string[1], a.integer[0], a.integer[1]);
    return NULL;
}

static napi_value http_shutdown_call(napi_env env, napi_callback_info info)
{
    struct arguments a;

    if (read_arguments(env, info, 1, 2, &a))
        cps_emit_http_shutdown(a.string[0], a.integer[0], a.integer[1]);
    return NULL;
}

static napi_value cli_init_call(napi_env env, napi_callback_info info)
{
    struct arguments a;

    if (read_arguments(env, info, 1, 0, &a))
        cps_emit_cli_init((uint64_t)getpid(), a.string[0]);
    return NULL;
}

static napi_value cli_function_call(napi_env env, napi_callback_info info)
{
    struct arguments a;

    if (read_arguments(env, info, 1, 2, &a))
        cps_emit_cli_function((uint64_t)getpid(), a.string[0], a.integer[0], a.integer[1]);
    return NULL;
}

static napi_value cli_shutdown_call(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    cps_emit_cli_shutdown((uint64_t)getpid());
    return NULL;
}

static void environment_free(napi_env env, void *data, void *hint)
{
    struct environment *environment = data;

    (void)hint;
    for (uint32_t i = 0; i < environment->arena_count; i++)
        (void)napi_delete_reference(env, environment->arena_refs[i]);
    if (environment->control_ref)
        (void)napi_delete_reference(env, environment->control_ref);
    cps_cache_free(&environment->cached);
    free(environment);
}

static bool set_function(napi_env env, napi_value exports, const char *name, napi_callback callback)
{
    napi_value function;

    return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) ==
               napi_ok &&
           napi_set_named_property(env, exports, name, function) == napi_ok;
}

static bool set_functions(napi_env env, napi_value exports)
{
    static const struct {
        const char *name;
        napi_callback callback;
    } functions[] = {
        {"clock", clock_call},
        {"moment", moment_call},
        {"nextRequest", next_request_call},
        {"refresh", refresh_call},
        {"handOver", hand_over_call},
        {"arena", arena_call},
        {"cacheKey", cache_key_call},
        {"openCached", open_cached_call},
        {"takeCached", take_cached_call},
        {"canary", canary_call},
        {"httpInit", http_init_call},
        {"httpFunction", http_function_call},
        {"httpShutdown", http_shutdown_call},
        {"cliInit", cli_init_call},
        {"cliFunction", cli_function_call},
        {"cliShutdown", cli_shutdown_call},
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!set_function(env, exports, functions[i].name, functions[i].callback))
            return false;
    }
    return true;
}

/* exports.semaphores: where this is refused, the property is missing. */
static void set_semaphores(napi_env env, napi_value exports)
{
    volatile unsigned short *semaphores;
    napi_value buffer;
    size_t size;

    semaphores = cps_emit_semaphores(&size);
    if (napi_create_external_arraybuffer(env, (void *)semaphores, size, NULL, NULL, &buffer) ==
        napi_ok)
        (void)napi_set_named_property(env, exports, "semaphores", buffer);
}

/* exports.layout: where the words of the control buffer are, in units of 32 bit. */
static bool set_layout(napi_env env, napi_value exports)
{
#define WORD(field)                                                                                \
    {                                                                                              \
#field, offsetof(struct control, field) / sizeof(uint32_t)                                 \
    }
    static const struct {
        const char *name;
        size_t word;
    } fields[] = {WORD(realtime), WORD(monotonic), WORD(block), WORD(pid), WORD(semaphores)};
#undef WORD
    napi_value layout, word;

    if (napi_create_object(env, &layout) != napi_ok)
        return false;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (napi_create_uint32(env, (uint32_t)fields[i].word, &word) != napi_ok ||
            napi_set_named_property(env, layout, fields[i].name, word) != napi_ok)
            return false;
    }
    return napi_set_named_property(env, exports, "layout", layout) == napi_ok;
}

/* exports.interface and exports.mainThread: whether this is the thread that the process began with.
 */
static bool set_facts(napi_env env, napi_value exports)
{
    napi_value interface, main_thread;

    return napi_create_uint32(env, CPS_ADDON_INTERFACE, &interface) == napi_ok &&
           napi_set_named_property(env, exports, "interface", interface) == napi_ok &&
           napi_get_boolean(env, gettid() == getpid(), &main_thread) == napi_ok &&
           napi_set_named_property(env, exports, "mainThread", main_thread) == napi_ok;
}

/* exports.probes: the names, in the order of the semaphores. */
static bool set_probes(napi_env env, napi_value exports)
{
#define PROBE_NAME(name, signature) #name,
    static const char *const names[] = {CPS_PROBES(PROBE_NAME)};
#undef PROBE_NAME
    napi_value list, name;

    if (napi_create_array(env, &list) != napi_ok)
        return false;
    for (uint32_t i = 0; i < CPS_PROBE_COUNT; i++) {
        if (napi_create_string_utf8(env, names[i], NAPI_AUTO_LENGTH, &name) != napi_ok ||
            napi_set_element(env, list, i, name) != napi_ok)
            return false;
    }
    return napi_set_named_property(env, exports, "probes", list) == napi_ok;
}

static struct environment *environment_new(napi_env env, napi_value exports)
{
    struct environment *environment = calloc(1, sizeof(*environment));
    napi_value buffer;
    void *data;

    if (!environment)
        return NULL;
    if (napi_create_arraybuffer(env, sizeof(*environment->control), &data, &buffer) != napi_ok ||
        napi_create_reference(env, buffer, 1, &environment->control_ref) != napi_ok ||
        napi_set_named_property(env, exports, "control", buffer) != napi_ok ||
        napi_set_instance_data(env, environment, environment_free, NULL) != napi_ok) {
        if (environment->control_ref)
            (void)napi_delete_reference(env, environment->control_ref);
        free(environment);
        return NULL;
    }
    environment->control = data;
    environment->control->pid = (uint32_t)getpid();
    cps_clock_init(&environment->clock);
    return environment;
}

/* The macro below defines it without a prototype, which clang minds. */
#ifdef NODE_API_MODULE_GET_API_VERSION
NAPI_MODULE_EXPORT int32_t NODE_API_MODULE_GET_API_VERSION(void);
#endif

/* Exports nothing where it could not be set up; the loader takes that for a missing addon. */
NAPI_MODULE_INIT()
{
    if (!environment_new(env, exports) || !set_layout(env, exports) || !set_probes(env, exports) ||
        !set_functions(env, exports) || !set_facts(env, exports))
        return NULL;
    set_semaphores(env, exports);
    return exports;
}
