/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <jansson.h>
#include <string.h>

/* An event is a sentence; all that a stranger can do with a longer one is to keep the reader busy.
 */
#define EVENT_MAX 65536

static void reject(struct cps_reader *reader, const char *why)
{
    struct cps_error message;

    reader->malformed++;
    (void)cps_error_set(&message, 0, "a line of the stream was not read: %s", why);
    reader->sink->log(reader->sink->context, CPS_LEVEL_WARN, message.text);
}

static enum cps_level level_of(const char *name)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};

    for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(name, names[i]))
            return (enum cps_level)i;
    }
    return CPS_LEVEL_INFO;
}

/* {"event":{"kind":...}}; kinds that this version does not know are ignored. */
static void take_event(struct cps_reader *reader, const json_t *event)
{
    const struct cps_feed_sink *sink = reader->sink;
    const char *kind = json_string_value(json_object_get(event, "kind"));
    const char *message = json_string_value(json_object_get(event, "msg"));
    json_int_t count = json_integer_value(json_object_get(event, "traces"));

    if (!kind)
        return;
    if (!strcmp(kind, "log") && message)
        sink->log(sink->context, level_of(json_string_value(json_object_get(event, "level"))),
                  message);
    else if (!strcmp(kind, "dropped") && count > 0)
        sink->dropped(sink->context, (uint64_t)count);
}

/* An event is small, and begins as the contract writes it. */
bool cps_reader_is_event(const char *line, size_t length)
{
    static const char start[] = "{\"event\":";

    return length >= sizeof(start) - 1 && !memcmp(line, start, sizeof(start) - 1);
}

static bool take_line(void *context, const char *line, size_t length)
{
    struct cps_reader *reader = context;
    struct cps_error error = {0};
    struct cps_trace *trace;

    if (cps_reader_is_event(line, length)) {
        json_t *root = length > EVENT_MAX ? NULL : json_loadb(line, length, 0, NULL);

        if (!root) {
            reject(reader,
                   length > EVENT_MAX ? "an event that is too long" : "an event that is not JSON");
            return true;
        }
        reader->understood++;
        take_event(reader, json_object_get(root, "event"));
        json_decref(root);
    } else if (cps_trace_decode(line, length, &trace, &error)) {
        reject(reader, error.text);
    } else {
        reader->understood++;
        reader->traces++;
        reader->sink->trace(reader->sink->context, trace, line, length);
    }
    return true;
}

void cps_reader_init(struct cps_reader *reader, const struct cps_feed_sink *sink)
{
    *reader = (struct cps_reader){.lines = {.maximum = CPS_READER_LINE_MAX}, .sink = sink};
}

void cps_reader_feed(struct cps_reader *reader, const char *bytes, size_t length)
{
    uint64_t too_long = reader->lines.too_long;

    cps_lines_feed(&reader->lines, bytes, length, take_line, reader);
    for (; too_long < reader->lines.too_long; too_long++)
        reject(reader, "it is too long");
}

void cps_reader_cut(struct cps_reader *reader)
{
    if (reader->lines.rest.length)
        reject(reader, "the stream ended in it");
    cps_lines_reset(&reader->lines);
}

void cps_reader_finish(struct cps_reader *reader)
{
    cps_lines_finish(&reader->lines, take_line, reader);
}

void cps_reader_free(struct cps_reader *reader)
{
    cps_lines_free(&reader->lines);
}
