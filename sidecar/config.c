/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "config_keys.h"

#define ENV_PREFIX "COMPASS_SIDECAR_"

enum kind { STRING, ADDRESS, TOKEN, LEVEL, DURATION, COUNT, SWITCH };

struct cps_config_key {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *fallback; /* NULL: may be left out */
    const char *about;
};

#define KEY(name, kind, fallback, about)                                                           \
    {                                                                                              \
#name, kind, offsetof(struct cps_config, name), fallback, about                            \
    }

static const struct cps_config_key keys[] = {
    KEY(addr, ADDRESS, ":28624", "where to listen"),
    KEY(log_level, LEVEL, "info", "debug, info, warn or error"),
    KEY(php_process_name, STRING, "php-fpm", "processes that run PHP"),
    KEY(php_extension_path, STRING, "/usr/lib/php/modules/compass.so", "as they see it"),
    KEY(node_process_name, STRING, "node", "processes that run Node.js"),
    KEY(node_addon_path, STRING, "/usr/lib/compass/node/compass.node", "as they see it"),
    KEY(discovery_timeout, DURATION, "1m", "how long to look for a runtime at start"),
    KEY(max_function_calls, COUNT, "10000", "most calls in a trace"),
    KEY(token, TOKEN, NULL, "what X-Skpr-Token must be"),
    KEY(cert_file, STRING, NULL, "TLS certificate (PEM), with key_file"),
    KEY(key_file, STRING, NULL, "TLS private key (PEM), with cert_file"),
    KEY(seccomp, SWITCH, "true", "allow only the system calls that are needed"),
    KEY(otlp_endpoint, STRING, NULL, "where to send traces as OTLP/HTTP"),
    KEY(otlp_headers, STRING, NULL, "name=value,name=value to send with them"),
    KEY(otlp_service_name, STRING, "compass", "service.name of the traces"),
    KEY(otlp_min_duration, DURATION, "0s", "send only requests that took as long"),
};
#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))
_Static_assert(KEY_COUNT <= CPS_CONFIG_KEYS_MAX, "the file reader marks the keys that it has seen");

static const char *const expected[] = {
    [STRING] = "text",
    [ADDRESS] = "an address such as :28624, 127.0.0.1:28624 or [::1]:28624",
    [LEVEL] = "debug, info, warn or error",
    [DURATION] = "a duration such as 90s, 1m or 1m30s",
    [COUNT] = "a whole number from 1 to 1000000",
    [SWITCH] = "true or false",
};

const struct cps_config_key *cps_config_key_find(const char *name, size_t length)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0)
            return &keys[i];
    }
    return NULL;
}

size_t cps_config_key_index(const struct cps_config_key *key)
{
    return (size_t)(key - keys);
}

/* ns in one unit at the start of *text, which is moved past it; 0 for what is none. */
static uint64_t take_unit(const char **text)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(*text, units[i].name, length) == 0) {
            *text += length;
            return units[i].ns;
        }
    }
    return 0;
}

int cps_config_parse_duration(const char *text, uint64_t *out)
{
    const uint64_t most = 10000 * UINT64_C(3600000000000);
    uint64_t total = 0;

    if (!*text)
        return -EINVAL;
    while (*text) {
        uint64_t number = 0;
        if (!isdigit((unsigned char)*text))
            return -EINVAL;
        for (; isdigit((unsigned char)*text); text++) {
            number = number * 10 + (uint64_t)(*text - '0');
            if (number > most)
                return -EINVAL;
        }
        uint64_t unit = take_unit(&text);
        if (!unit || number > most / unit)
            return -EINVAL;
        total += number * unit;
        if (total > most)
            return -EINVAL;
    }
    *out = total;
    return 0;
}

static int parse_count(const char *text, uint32_t most, uint32_t *out)
{
    uint32_t number = 0;

    if (!*text)
        return -EINVAL;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text))
            return -EINVAL;
        number = number * 10 + (uint32_t)(*text - '0');
        if (number > most)
            return -EINVAL;
    }
    if (number == 0)
        return -EINVAL;
    *out = number;
    return 0;
}

int cps_config_parse_address(const char *text, char *host, size_t size, uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    uint32_t number;

    if (!colon || parse_count(colon + 1, UINT16_MAX, &number) < 0)
        return -EINVAL;
    size_t length = (size_t)(colon - text);
    if (*text == '[') {
        if (length < 3 || colon[-1] != ']')
            return -EINVAL;
        text++;
        length -= 2;
    } else if (memchr(text, ':', length)) {
        return -EINVAL; /* IPv6 without brackets: where the port begins is anyone's guess */
    }
    if (length >= size || strcspn(text, " []/") < length)
        return -EINVAL;
    memcpy(host, text, length);
    host[length] = '\0';
    *port = (uint16_t)number;
    return 0;
}

static int parse_switch(const char *text, bool *out)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0)
        *out = true;
    else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0)
        *out = false;
    else
        return -EINVAL;
    return 0;
}

static int set_string(char **field, const char *text)
{
    char *copy = NULL;

    if (*text) {
        copy = strdup(text);
        if (!copy)
            return -ENOMEM;
    }
    free(*field);
    *field = copy;
    return 0;
}

static int set_address(char **field, const char *text)
{
    char host[256];
    uint16_t port;

    if (cps_config_parse_address(text, host, sizeof(host), &port) < 0)
        return -EINVAL;
    return set_string(field, text);
}

/* What keeps a token from being the value of a header, where no client could send it; NULL where
 * nothing does. A file of a secret often ends with a newline. */
static const char *token_fault(const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            return i + 1 == length ? "a newline at its end" : "a newline in it";
        if (iscntrl((unsigned char)text[i]))
            return "a control character in it";
    }
    return length > 0 && (text[0] == ' ' || text[length - 1] == ' ') ? "a blank around it" : NULL;
}

static int set_token(char **field, const char *text)
{
    return token_fault(text) ? -EINVAL : set_string(field, text);
}

static int set_value(void *field, enum kind kind, const char *text)
{
    switch (kind) {
    case STRING:
        return set_string(field, text);
    case ADDRESS:
        return set_address(field, text);
    case TOKEN:
        return set_token(field, text);
    case LEVEL:
        return cps_log_level_parse(text, field);
    case DURATION:
        return cps_config_parse_duration(text, field);
    case COUNT:
        return parse_count(text, 1000000, field);
    case SWITCH:
        return parse_switch(text, field);
    }
    return -EINVAL;
}

int cps_config_key_set(struct cps_config *config, const struct cps_config_key *key,
                       const char *text, const char *origin, struct cps_error *error)
{
    int status = -EINVAL;

    if (*text || !key->fallback)
        status = set_value((char *)config + key->offset, key->kind, text);
    if (status == -EINVAL && key->kind == TOKEN) /* whose value is a secret */
        return cps_error_set(error, status,
                             "%s: found %s, expected what the value of a header can be: no control "
                             "characters, no blanks around it",
                             origin, token_fault(text));
    if (status == -EINVAL)
        return cps_error_set(error, status, "%s: found \"%s\", expected %s", origin, text,
                             expected[key->kind]);
    if (status < 0)
        return cps_error_set(error, status, "%s: no memory", origin);
    return 0;
}

static void env_name(const struct cps_config_key *key, char *out, size_t size)
{
    int length = snprintf(out, size, "%s%s", ENV_PREFIX, key->name);

    for (int i = 0; i < length; i++)
        out[i] = (char)toupper((unsigned char)out[i]);
}

static const char *env_find(char *const *environment, const char *name)
{
    size_t length = strlen(name);

    for (; environment && *environment; environment++) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    }
    return NULL;
}

static int read_environment(struct cps_config *config, char *const *environment,
                            struct cps_error *error)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        char name[128];
        env_name(&keys[i], name, sizeof(name));
        const char *value = env_find(environment, name);
        if (!value || !*value)
            continue;
        int status = cps_config_key_set(config, &keys[i], value, name, error);
        if (status < 0)
            return status;
    }
    return 0;
}

static int set_defaults(struct cps_config *config, struct cps_error *error)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (!keys[i].fallback)
            continue;
        int status = cps_config_key_set(config, &keys[i], keys[i].fallback, keys[i].name, error);
        if (status < 0)
            return status;
    }
    return 0;
}

static int check_pair(const struct cps_config *config, struct cps_error *error)
{
    if (!config->cert_file == !config->key_file)
        return 0;
    return cps_error_set(error, -EINVAL,
                         "%s: found nothing, expected a file, since %s is set: TLS needs both",
                         config->cert_file ? "key_file (COMPASS_SIDECAR_KEY_FILE)"
                                           : "cert_file (COMPASS_SIDECAR_CERT_FILE)",
                         config->cert_file ? "cert_file" : "key_file");
}

static int load(struct cps_config *config, const char *path, char *const *environment,
                struct cps_error *error)
{
    int status = set_defaults(config, error);

    if (status == 0 && path)
        status = cps_config_read_yaml(config, path, error);
    if (status == 0)
        status = read_environment(config, environment, error);
    if (status == 0)
        status = check_pair(config, error);
    return status;
}

int cps_config_load(const char *path, char *const *environment, struct cps_config **out,
                    struct cps_error *error)
{
    struct cps_config *config = calloc(1, sizeof(*config));

    if (!config)
        return cps_error_set(error, -ENOMEM, "configuration: no memory");
    int status = load(config, path, environment, error);
    if (status < 0) {
        cps_config_free(config);
        return status;
    }
    *out = config;
    return 0;
}

void cps_config_free(struct cps_config *config)
{
    if (!config)
        return;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (keys[i].kind == STRING || keys[i].kind == ADDRESS || keys[i].kind == TOKEN)
            free(*(char **)((char *)config + keys[i].offset));
    }
    free(config);
}

void cps_config_describe(struct cps_buf *out)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        char name[128];
        env_name(&keys[i], name, sizeof(name));
        cps_buf_append_format(out, "  %-36s %-20s %s", name, keys[i].name, keys[i].about);
        if (keys[i].fallback)
            cps_buf_append_format(out, " [%s]", keys[i].fallback);
        cps_buf_append_string(out, "\n");
    }
}
