/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `/` narrows the list with: terms separated by spaces, all of which must hold.
 *
 *   text            somewhere in URI, command, id, method or a function's name; case is no matter
 *
 *   /regex/         the same, as a regular expression of PCRE2
 *
 *   >250ms <2s      duration
 *
 *   method:POST status:500 status:5xx runtime:node source:cli path:/node
 *
 *   calls:>1000     calls counted; also <
 *   share:>5%       share of the hottest function; also <
 *   !term           the opposite of a term
 */
#ifndef CPS_CLI_FILTER_H
#define CPS_CLI_FILTER_H

#include <stdbool.h>

#include "model.h"

struct cps_filter;

/* A compiled filter into *out, to be freed with cps_filter_free. -EINVAL with a sentence that names
 * the term. */
int cps_filter_compile(const char *text, struct cps_filter **out, struct cps_error *error);
void cps_filter_free(struct cps_filter *filter); /* NULL is fine */

/* A row of another list: a call, a function, a message. */
struct cps_filter_row {
    const char *text;
    uint64_t duration; /* ns */
    uint64_t calls;
    double share; /* per cent */
};

/* Whether the row passes; terms about what only requests have let it pass. */
bool cps_filter_matches_row(const struct cps_filter *filter, const struct cps_filter_row *row);

/* Whether the trace passes. A NULL filter lets everything pass. */
bool cps_filter_matches(const struct cps_filter *filter, const struct cps_held *held);

/* Whether a regular expression took too much work for a text: it is found nowhere since. */
bool cps_filter_gave_up(const struct cps_filter *filter);

#endif
