/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a line of the stream. Whoever wrote it is a stranger: a field that is missing is 0 or
 * empty, a field of another type or out of range refuses the line, an unknown one is ignored. null
 * counts as missing: it is how some writers say that a list is empty.
 */
#include "trace.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "text.h"

/* The shortest JSON value takes some 100 bytes of memory, so this bounds what a line can make its
 * reader allocate. A trace of 10,000 calls has 2 MB. */
#define LINE_MAX_BYTES ((size_t)128 << 20)

/* Carried through one line; the first thing that is wrong stays. */
struct reader {
    struct cps_trace *trace;
    struct cps_error *error;
    int result;
};

static void refuse(struct reader *reader, const char *key, const char *expected)
{
    if (!reader->result)
        reader->result =
            cps_error_set(reader->error, -EINVAL, "trace: %s: %s was expected", key, expected);
}

static void keep(struct reader *reader, int result)
{
    if (result && !reader->result)
        reader->result = cps_error_set(reader->error, result, "trace: out of memory");
}

static const json_t *get_value(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

static uint64_t get_number(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = get_value(object, key);

    if (!value)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        refuse(reader, key, "an integer of 0 or more");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static uint64_t get_number_up_to(struct reader *reader, const json_t *object, const char *key,
                                 uint64_t most)
{
    uint64_t value = get_number(reader, object, key);

    if (value > most)
        refuse(reader, key, "a smaller number");
    return value > most ? 0 : value;
}

static struct cps_string get_string(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = get_value(object, key);
    struct cps_string string = {.data = ""};

    if (!value)
        return string;
    if (!json_is_string(value))
        refuse(reader, key, "a string");
    else
        keep(reader, cps_trace_copy_string(reader->trace, json_string_value(value),
                                           json_string_length(value), &string));
    return string;
}

static uint32_t get_name(struct reader *reader, const json_t *object)
{
    const json_t *value = get_value(object, "name");
    uint32_t index = 0;

    if (!json_is_string(value))
        refuse(reader, "name", "a string");
    else
        keep(reader, cps_trace_intern(reader->trace, json_string_value(value),
                                      json_string_length(value), &index));
    return index;
}

/* An object or an array, NULL where it is missing. */
static const json_t *get(struct reader *reader, const json_t *object, const char *key,
                         json_type type)
{
    const json_t *value = get_value(object, key);

    if (!value)
        return NULL;
    if (json_typeof(value) == type)
        return value;
    refuse(reader, key, type == JSON_ARRAY ? "an array" : "an object");
    return NULL;
}

/* The index of a word in a list that ends with NULL, plus 1; 0 where the field is missing or
 * another word. */
static unsigned get_word(struct reader *reader, const json_t *object, const char *key,
                         const char *const *words)
{
    const json_t *value = get_value(object, key);

    if (!value)
        return 0;
    if (!json_is_string(value)) {
        refuse(reader, key, "a string");
        return 0;
    }
    for (unsigned i = 0; words[i]; i++) {
        if (!strcmp(json_string_value(value), words[i]))
            return i + 1;
    }
    return 0;
}

static void read_metadata(struct reader *reader, const json_t *metadata)
{
    static const char *const sources[] = {"http", "cli", NULL};
    static const char *const runtimes[] = {"php", "node", NULL};
    static const char *const outcomes[] = {"complete", "aborted", "expired", NULL};
    struct cps_trace *trace = reader->trace;
    const json_t *http = get(reader, metadata, "http", JSON_OBJECT);
    const json_t *cli = get(reader, metadata, "cli", JSON_OBJECT);
    unsigned source = get_word(reader, metadata, "source", sources);

    if (!source)
        refuse(reader, "source", "\"http\" or \"cli\"");
    trace->source = source == 2 ? CPS_SOURCE_CLI : CPS_SOURCE_HTTP;
    trace->runtime = (enum cps_runtime)get_word(reader, metadata, "runtime", runtimes);
    trace->outcome = (enum cps_outcome)get_word(reader, metadata, "outcome", outcomes);
    trace->id = get_string(reader, metadata, "id");
    trace->start = get_number(reader, metadata, "startTime");
    trace->end = get_number(reader, metadata, "endTime");
    trace->method = get_string(reader, http, "method");
    trace->status = (uint16_t)get_number_up_to(reader, http, "status", UINT16_MAX);
    trace->pid = trace->source == CPS_SOURCE_CLI ? get_number(reader, cli, "pid")
                                                 : get_number(reader, metadata, "pid");
    trace->uri = trace->source == CPS_SOURCE_CLI ? get_string(reader, cli, "command")
                                                 : get_string(reader, http, "uri");
}

static void read_call(struct reader *reader, const json_t *object)
{
    struct cps_call call = {
        .start = get_number(reader, object, "startTime"),
        .elapsed = get_number(reader, object, "elapsed"),
        .memory = get_number(reader, object, "memory"),
        .depth = CPS_DEPTH_UNKNOWN,
        .name = get_name(reader, object),
    };

    if (get_value(object, "depth"))
        call.depth = (uint32_t)get_number_up_to(reader, object, "depth", CPS_DEPTH_UNKNOWN - 1);
    if (!reader->result)
        keep(reader, cps_trace_add_call(reader->trace, &call));
}

static void read_caller(struct reader *reader, const json_t *object)
{
    struct cps_caller caller = {
        .calls = get_number(reader, object, "calls"),
        .elapsed = get_number(reader, object, "elapsed"),
        .name = get_name(reader, object),
    };

    if (!reader->result)
        keep(reader, cps_trace_add_caller(reader->trace, &caller));
}

static void read_each(struct reader *reader, const json_t *object, const char *key,
                      void (*read)(struct reader *, const json_t *))
{
    const json_t *array = get(reader, object, key, JSON_ARRAY), *element;
    size_t i;

    json_array_foreach(array, i, element)
    {
        if (!json_is_object(element))
            refuse(reader, key, "an array of objects");
        if (reader->result)
            return;
        read(reader, element);
    }
}

static void read_function(struct reader *reader, const json_t *object)
{
    struct cps_trace *trace = reader->trace;
    struct cps_function function = {
        .calls = get_number(reader, object, "calls"),
        .elapsed = get_number(reader, object, "elapsed"),
        .self = get_number(reader, object, "self"),
        .longest = get_number(reader, object, "max"),
        .untimed = json_is_true(get_value(object, "untimed")),
        .name = get_name(reader, object),
        .first_caller = (uint32_t)trace->caller_count,
    };

    read_each(reader, object, "callers", read_caller);
    function.caller_count = (uint32_t)trace->caller_count - function.first_caller;
    if (!reader->result)
        keep(reader, cps_trace_add_function(trace, &function));
}

/* An array of strings as a list separated by spaces. */
static struct cps_string get_list(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *array = get(reader, object, key, JSON_ARRAY), *element;
    struct cps_string list = {.data = ""};
    cps_auto_buf struct cps_buf text = {0};
    size_t i;

    json_array_foreach(array, i, element)
    {
        if (!json_is_string(element)) {
            refuse(reader, key, "an array of strings");
            return list;
        }
        if (i)
            cps_buf_append(&text, " ", 1);
        cps_buf_append(&text, json_string_value(element), json_string_length(element));
    }
    keep(reader, cps_buf_failed(&text)
                     ? -ENOMEM
                     : cps_trace_copy_string(reader->trace, text.data, text.length, &list));
    return list;
}

static void read_event(struct reader *reader, const json_t *object)
{
    static const char *const origins[] = {"renderArray", "object", NULL};
    const json_t *age = get_value(object, "maxAge");
    struct cps_cache_event event = {
        .origin = get_word(reader, object, "origin", origins) == 2 ? CPS_CACHE_OBJECT
                                                                   : CPS_CACHE_RENDER_ARRAY,
        .caller = get_string(reader, object, "caller"),
        .object_type = get_string(reader, object, "objectType"),
        .tags = get_list(reader, object, "tags"),
        .contexts = get_list(reader, object, "contexts"),
        .max_age = json_integer_value(age),
        .calls = get_number(reader, object, "calls"),
    };

    if (age && !json_is_integer(age))
        refuse(reader, "maxAge", "an integer");
    if (!reader->result)
        keep(reader, cps_trace_add_cache_event(reader->trace, &event));
}

static void read_trace(struct reader *reader, const json_t *root)
{
    struct cps_trace *trace = reader->trace;
    const json_t *metadata = get(reader, root, "metadata", JSON_OBJECT);
    const json_t *drupal = get(reader, root, "drupal", JSON_OBJECT);

    if (!metadata) {
        refuse(reader, "metadata", "an object");
        return;
    }
    read_metadata(reader, metadata);
    trace->max_memory =
        get_number(reader, get(reader, root, "resourceUtilisation", JSON_OBJECT), "maxMemory");
    trace->calls_dropped = get_number(reader, root, "functionCallsDropped");
    trace->blocks_lost = get_number(reader, root, "blocksLost");
    trace->functions_dropped = get_number(reader, root, "functionsDropped");
    trace->callers_dropped = get_number(reader, root, "callersDropped");
    trace->has_functions = get(reader, root, "functions", JSON_ARRAY) != NULL;
    trace->cache_events_dropped = get_number(reader, drupal, "cacheEventsDropped");
    read_each(reader, root, "functionCalls", read_call);
    read_each(reader, root, "functions", read_function);
    read_each(reader, drupal, "cacheEvents", read_event);
}

/* The parser quotes what it found, and that may be anything. */
static int refuse_json(struct cps_error *error, const json_error_t *why)
{
    cps_auto_buf struct cps_buf text = {0};

    if (json_error_code(why) == json_error_out_of_memory)
        return cps_error_set(error, -ENOMEM, "trace: out of memory");
    cps_text_append_safe(&text, why->text, strlen(why->text), false);
    return cps_error_set(error, -EINVAL, "trace: not JSON: %.*s at byte %d", (int)text.length,
                         text.data ? text.data : "", why->position);
}

int cps_trace_decode(const char *line, size_t length, struct cps_trace **out,
                     struct cps_error *error)
{
    struct reader reader = {.error = error};
    json_error_t why;
    json_t *root;

    if (length > LINE_MAX_BYTES)
        return cps_error_set(error, -EINVAL, "trace: a line of %zu bytes is too long", length);
    root = json_loadb(line, length, JSON_ALLOW_NUL, &why);
    if (!root)
        return refuse_json(error, &why);
    reader.trace = cps_trace_new();
    if (!reader.trace)
        keep(&reader, -ENOMEM);
    else
        read_trace(&reader, root);
    json_decref(root);
    if (reader.result) {
        cps_trace_free(reader.trace);
        return reader.result;
    }
    cps_trace_sort_calls(reader.trace);
    *out = reader.trace;
    return 0;
}
