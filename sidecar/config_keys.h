/* SPDX-License-Identifier: Apache-2.0 */
/* Inside config: one key, and setting it from text. */
#ifndef CPS_SIDECAR_CONFIG_KEYS_H
#define CPS_SIDECAR_CONFIG_KEYS_H

#include <stddef.h>

#include "config.h"

struct cps_config_key;

/* NULL for a name that is none. The name need not be terminated. */
const struct cps_config_key *cps_config_key_find(const char *name, size_t length);
size_t cps_config_key_index(const struct cps_config_key *key);
#define CPS_CONFIG_KEYS_MAX 64

/* Sets one key. `origin` begins the sentence of a failure: a variable, or a file with line and
 * key. -EINVAL or -ENOMEM, the configuration untouched on failure. */
int cps_config_key_set(struct cps_config *config, const struct cps_config_key *key,
                       const char *text, const char *origin, struct cps_error *error);

/* Sets what a YAML file holds: one mapping of keys to plain values. */
int cps_config_read_yaml(struct cps_config *config, const char *path, struct cps_error *error);

#endif
