/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8

#include <errno.h>
#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>

/* What one search may take: steps of the matcher, a few milliseconds of them, and memory for what
 * it may have to take back, in KiB. */
#define STEPS_MAX 100000
#define HEAP_MAX 1024

struct cps_pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    bool gave_up;
};

static int allocate(struct cps_pattern *pattern)
{
    pattern->data = pcre2_match_data_create(1, NULL);
    pattern->limits = pcre2_match_context_create(NULL);
    if (!pattern->data || !pattern->limits)
        return -ENOMEM;
    pcre2_set_match_limit(pattern->limits, STEPS_MAX);
    pcre2_set_heap_limit(pattern->limits, HEAP_MAX);
    return 0;
}

int cps_pattern_compile(const char *text, struct cps_pattern **out, struct cps_error *error)
{
    uint32_t options = PCRE2_CASELESS | PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
    struct cps_pattern *pattern = calloc(1, sizeof(*pattern));
    PCRE2_UCHAR why[128];
    PCRE2_SIZE at;
    int code;

    if (!pattern || allocate(pattern)) {
        cps_pattern_free(pattern);
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    pattern->code =
        pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &code, &at, NULL);
    if (!pattern->code) {
        cps_pattern_free(pattern);
        pcre2_get_error_message(code, why, sizeof(why));
        return cps_error_set(error, -EINVAL, "%s, after %zu bytes", (const char *)why, (size_t)at);
    }
    *out = pattern;
    return 0;
}

void cps_pattern_free(struct cps_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    pcre2_match_data_free(pattern->data);
    pcre2_match_context_free(pattern->limits);
    free(pattern);
}

bool cps_pattern_found(struct cps_pattern *pattern, const char *text, size_t length)
{
    int result;

    if (pattern->gave_up)
        return false;
    result =
        pcre2_match(pattern->code, (PCRE2_SPTR)text, length, 0, 0, pattern->data, pattern->limits);
    pattern->gave_up = result < 0 && result != PCRE2_ERROR_NOMATCH;
    return result >= 0;
}

bool cps_pattern_gave_up(const struct cps_pattern *pattern)
{
    return pattern->gave_up;
}
