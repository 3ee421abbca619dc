/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "cleanup.h"
#include "config_keys.h"

struct reader {
    yaml_parser_t parser;
    struct cps_config *config;
    const char *path;
    struct cps_error *error;
    bool seen[CPS_CONFIG_KEYS_MAX];
};

static void event_cleanup(yaml_event_t *event)
{
    yaml_event_delete(event);
}
#define auto_event __attribute__((cleanup(event_cleanup)))

/* The next event of the file, to be deleted. */
static int next_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return 0;
    return cps_error_set(reader->error, -EINVAL, "%s:%zu: not YAML: %s", reader->path,
                         reader->parser.problem_mark.line + 1,
                         reader->parser.problem ? reader->parser.problem : "no memory");
}

static const char *event_name(yaml_event_type_t type)
{
    switch (type) {
    case YAML_SEQUENCE_START_EVENT:
        return "a list";
    case YAML_MAPPING_START_EVENT:
        return "a mapping";
    case YAML_ALIAS_EVENT:
        return "an alias";
    case YAML_SCALAR_EVENT:
        return "a single value";
    default:
        return "nothing";
    }
}

/* Whether a value says that there is none: `key:`, `key: ~`, `key: null`. */
static bool is_null(const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;

    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static int read_value(struct reader *reader, const struct cps_config_key *key, const char *name,
                      size_t line)
{
    auto_event yaml_event_t event = {0};
    char origin[320];
    int status = next_event(reader, &event);

    if (status < 0)
        return status;
    if (snprintf(origin, sizeof(origin), "%s:%zu: %s", reader->path, line, name) < 0)
        return -EINVAL;
    if (event.type != YAML_SCALAR_EVENT)
        return cps_error_set(reader->error, -EINVAL, "%s: found %s, expected a single value",
                             origin, event_name(event.type));
    if (is_null(&event))
        return 0;
    const char *text = (const char *)event.data.scalar.value;
    if (strlen(text) != event.data.scalar.length)
        return cps_error_set(reader->error, -EINVAL,
                             "%s: found a NUL character, expected text without one", origin);
    return cps_config_key_set(reader->config, key, text, origin, reader->error);
}

static int read_pair(struct reader *reader, const yaml_event_t *event)
{
    size_t line = event->start_mark.line + 1;

    if (event->type != YAML_SCALAR_EVENT)
        return cps_error_set(reader->error, -EINVAL, "%s:%zu: found %s, expected a key",
                             reader->path, line, event_name(event->type));
    const char *name = (const char *)event->data.scalar.value;
    const struct cps_config_key *key = cps_config_key_find(name, event->data.scalar.length);
    if (!key)
        return cps_error_set(reader->error, -EINVAL,
                             "%s:%zu: %s: found an unknown key, expected one of those that "
                             "compass-sidecar --help lists",
                             reader->path, line, name);
    if (reader->seen[cps_config_key_index(key)])
        return cps_error_set(reader->error, -EINVAL,
                             "%s:%zu: %s: found a second time, expected once", reader->path, line,
                             name);
    reader->seen[cps_config_key_index(key)] = true;
    return read_value(reader, key, name, line);
}

static int read_mapping(struct reader *reader)
{
    for (;;) {
        auto_event yaml_event_t event = {0};
        int status = next_event(reader, &event);
        if (status < 0)
            return status;
        if (event.type == YAML_MAPPING_END_EVENT)
            return 0;
        status = read_pair(reader, &event);
        if (status < 0)
            return status;
    }
}

/* The document's one value: the mapping, or nothing at all. */
static int read_root(struct reader *reader)
{
    auto_event yaml_event_t event = {0};
    int status = next_event(reader, &event);

    if (status < 0)
        return status;
    if (event.type == YAML_MAPPING_START_EVENT)
        return read_mapping(reader);
    if (event.type == YAML_SCALAR_EVENT && is_null(&event))
        return 0;
    return cps_error_set(reader->error, -EINVAL, "%s:%zu: found %s, expected keys with values",
                         reader->path, event.start_mark.line + 1, event_name(event.type));
}

static int read_stream(struct reader *reader)
{
    size_t documents = 0;

    for (;;) {
        auto_event yaml_event_t event = {0};
        int status = next_event(reader, &event);
        if (status < 0)
            return status;
        if (event.type == YAML_STREAM_END_EVENT)
            return 0;
        if (event.type != YAML_DOCUMENT_START_EVENT)
            continue;
        if (documents++)
            return cps_error_set(reader->error, -EINVAL,
                                 "%s:%zu: found a second document, expected one", reader->path,
                                 event.start_mark.line + 1);
        status = read_root(reader);
        if (status < 0)
            return status;
    }
}

int cps_config_read_yaml(struct cps_config *config, const char *path, struct cps_error *error)
{
    cps_auto_fclose FILE *file = fopen(path, "re");
    struct reader reader = {.config = config, .path = path, .error = error};

    if (!file) {
        int status = -errno;
        return cps_error_set(error, status, "%s: cannot be opened: %s", path, strerror(-status));
    }
    if (!yaml_parser_initialize(&reader.parser))
        return cps_error_set(error, -ENOMEM, "%s: no memory", path);
    yaml_parser_set_input_file(&reader.parser, file);
    int status = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    return status;
}
