/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules over saved traces, for CI: METRIC(ROUTE[, FUNCTION]) OPERATOR FIGURE.
 *
 *   p95(/) < 300ms                 the 95th percentile of the duration (p1 to p100, min, max, mean)
 *   memory(POST /node*) <= 64MB   the highest peak memory of a request
 *   calls(/node*, PDOStatement::execute) < 50
 *                                  the most calls of a function in one request; of all without one
 *   time(*, curl_exec) < 100ms     the most time that a request spent in a function (`self`: in it
 *                                  alone)
 *   count(/) >= 10, errors() == 0  requests, and those with status 500 on or without a proper end
 *
 * A route is a pattern for the path, without the query, or for the command; "*" stands for
 * anything, nothing for every request; a method may come before it. A rule that no request matches
 * fails, unless it counts: a check that looks at nothing must not pass.
 */
#ifndef CPS_CLI_CHECK_H
#define CPS_CLI_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "trace.h"

struct cps_check_rule;

/* Into *out, to be freed with cps_check_free. -EINVAL with a sentence, -ENOMEM. */
int cps_check_parse(const char *text, struct cps_check_rule **out, struct cps_error *error);
void cps_check_free(struct cps_check_rule *rule); /* NULL is fine */

struct cps_check_result {
    bool holds;
    uint64_t value;                /* ns, bytes or a count, as the rule's figure */
    size_t matched;                /* requests */
    const struct cps_trace *worst; /* the one that has `value`; NULL where it is no single one's */
};

/* 0 or -ENOMEM. */
int cps_check_run(const struct cps_check_rule *rule, const struct cps_trace *const *traces,
                  size_t count, struct cps_check_result *out);

/* Appends the outcome as a line for people, safe for a terminal. */
void cps_check_append(struct cps_buf *out, const struct cps_check_rule *rule,
                      const struct cps_check_result *result);

#endif
