/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration: as a YAML file and as the value of every variable. Refused with a
 * sentence, or a configuration that keeps what the header promises. */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"

#define KEYS 16
#define DURATION_MOST (10000 * UINT64_C(3600000000000))

static void check_config(const struct cps_config *config)
{
    char host[256];
    uint16_t port;

    MUST(cps_config_parse_address(config->addr, host, sizeof(host), &port) == 0);
    MUST(config->log_level <= CPS_LOG_ERROR);
    MUST(config->php_process_name && *config->php_process_name);
    MUST(config->node_addon_path && *config->node_addon_path);
    MUST(config->max_function_calls >= 1 && config->max_function_calls <= 1000000);
    MUST(config->discovery_timeout <= DURATION_MOST && config->otlp_min_duration <= DURATION_MOST);
    MUST(!config->cert_file == !config->key_file);
    MUST(!config->token || *config->token);
}

static void load(const char *path, char *const *environment)
{
    struct cps_config *config = NULL;
    struct cps_error error = {0};
    int status = cps_config_load(path, environment, &config, &error);

    MUST(status <= 0);
    MUST(status == 0 || (!config && error.text[0]));
    if (config)
        check_config(config);
    cps_config_free(config);
}

static void load_yaml(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("settings", MFD_CLOEXEC);

    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    load(path, NULL);
    (void)close(fd);
}

/* The first byte says which variable has the rest as its value. */
static void load_variable(const char *value, unsigned int key)
{
    static const char *const names[KEYS] = {
        "ADDR",         "LOG_LEVEL",         "PHP_PROCESS_NAME",  "PHP_EXTENSION_PATH",
        "TOKEN",        "NODE_PROCESS_NAME", "DISCOVERY_TIMEOUT", "MAX_FUNCTION_CALLS",
        "CERT_FILE",    "KEY_FILE",          "SECCOMP",           "OTLP_ENDPOINT",
        "OTLP_HEADERS", "OTLP_SERVICE_NAME", "OTLP_MIN_DURATION", "NODE_ADDON_PATH"};
    char *variable = NULL;

    MUST(asprintf(&variable, "COMPASS_SIDECAR_%s=%s", names[key % KEYS], value) > 0);
    load(NULL, (char *[]){variable, NULL});
    free(variable);
}

static void parse_values(const char *text)
{
    uint64_t duration = 7;
    char host[8] = "before";
    uint16_t port = 7;

    if (cps_config_parse_duration(text, &duration) < 0)
        MUST(duration == 7);
    else
        MUST(duration <= DURATION_MOST);
    if (cps_config_parse_address(text, host, sizeof(host), &port) == 0)
        MUST(strnlen(host, sizeof(host)) < sizeof(host));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    char *text = malloc(size);

    MUST(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    load_yaml(data + 1, size - 1);
    load_variable(text, data[0]);
    parse_values(text);
    free(text);
    return 0;
}
