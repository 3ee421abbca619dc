/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A regular expression (PCRE2) that somebody types while the screen waits: neither to compile one
 * nor to look for one takes long, whatever it is. Letters match in either case; text is UTF-8, and
 * bytes that are not match nothing. A pattern belongs to one thread.
 */
#ifndef CPS_CLI_PATTERN_H
#define CPS_CLI_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cps_pattern;

/* A compiled pattern into *out, to be freed with cps_pattern_free. -EINVAL with a sentence that
 * says what is wrong with it and after how many bytes, -ENOMEM. */
int cps_pattern_compile(const char *text, struct cps_pattern **out, struct cps_error *error);
void cps_pattern_free(struct cps_pattern *pattern); /* NULL is fine */

/* Whether it is in the text. One that takes too much work for a text gives up: it is found nowhere
 * from then on. */
bool cps_pattern_found(struct cps_pattern *pattern, const char *text, size_t length);
bool cps_pattern_gave_up(const struct cps_pattern *pattern);

#endif
