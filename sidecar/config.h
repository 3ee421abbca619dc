/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sidecar's configuration: the environment over a YAML file over defaults. Every key has one
 * name in the file (`php_process_name`) and one in the environment
 * (`COMPASS_SIDECAR_PHP_PROCESS_NAME`).
 */
#ifndef CPS_SIDECAR_CONFIG_H
#define CPS_SIDECAR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "log.h"

/* Strings are owned by the configuration. One that may be left out is NULL, never empty. */
struct cps_config {
    char *addr; /* HOST:PORT; the host may be empty */
    enum cps_log_level log_level;
    char *php_process_name;
    char *php_extension_path;
    char *node_process_name;
    char *node_addon_path;
    uint64_t discovery_timeout; /* ns */
    uint32_t max_function_calls;
    char *token;     /* may be NULL */
    char *cert_file; /* NULL where key_file is */
    char *key_file;
    bool seccomp;
    char *otlp_endpoint; /* may be NULL: an URL, such as http://localhost:4318/v1/traces */
    char *otlp_headers;  /* may be NULL: name=value,name=value */
    char *otlp_service_name;
    uint64_t otlp_min_duration; /* ns: shorter requests are not sent */
};

/* Reads `path` (NULL: no file) and the variables of `environment` (as environ). The sentence of a
 * failure names the variable, or the file, line and key, what was found and what was expected; the
 * value of `token` is never in it. A variable that is empty counts as not set. -EINVAL, -ENOMEM or
 * what opening the file said; *out untouched on failure, else to be freed. */
int cps_config_load(const char *path, char *const *environment, struct cps_config **out,
                    struct cps_error *error);
void cps_config_free(struct cps_config *config); /* NULL is fine */

/* Appends the list of variables, keys and defaults for --help to `out`. */
void cps_config_describe(struct cps_buf *out);

/* "90s", "1m", "1m30s", "1h", "250ms": ns. 0 or -EINVAL, *out untouched on failure. */
int cps_config_parse_duration(const char *text, uint64_t *out);

/* ":28624", "127.0.0.1:28624", "[::1]:28624", "name:28624". 0 or -EINVAL. The host is written
 * without brackets to `host`, which has room for `size` bytes, and is empty for every address. */
int cps_config_parse_address(const char *text, char *host, size_t size, uint16_t *port);

#endif
