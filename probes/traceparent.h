/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the W3C header `traceparent`: "00-TRACE-SPAN-FLAGS", 32, 16 and 2 hexadecimal digits in
 * lower case, neither id all zeroes. A version after 00 may append "-...", and ff is none. The text
 * comes from the network. Nothing here allocates; any thread.
 */
#ifndef CPS_PROBES_TRACEPARENT_H
#define CPS_PROBES_TRACEPARENT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "batch.h"

#define CPS_TRACEPARENT_LENGTH 55u

/* 0 to 15, or -1. Upper case is not allowed in the header. */
static inline int cps_traceparent_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `count` bytes from twice as many digits. *any: one of them is not 0. */
static inline bool cps_traceparent_bytes(const char *text, uint8_t *out, size_t count, bool *any)
{
    *any = false;
    for (size_t i = 0; i < count; i++) {
        int high = cps_traceparent_digit(text[i * 2]);
        int low = cps_traceparent_digit(text[i * 2 + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
        *any = *any || out[i] != 0;
    }
    return true;
}

/* False where the header is to be ignored; *out is untouched then. */
static inline bool cps_traceparent_parse(const char *text, size_t length,
                                         struct cps_batch_parent *out)
{
    struct cps_batch_parent parent;
    uint8_t version;
    uint8_t flags;
    bool trace_set, span_set, any;

    if (length < CPS_TRACEPARENT_LENGTH || text[2] != '-' || text[35] != '-' || text[52] != '-')
        return false;
    if (!cps_traceparent_bytes(text, &version, 1, &any) || version == 0xff ||
        !cps_traceparent_bytes(text + 3, parent.trace_id, sizeof(parent.trace_id), &trace_set) ||
        !cps_traceparent_bytes(text + 36, parent.span_id, sizeof(parent.span_id), &span_set) ||
        !cps_traceparent_bytes(text + 53, &flags, 1, &any))
        return false;
    if (!trace_set || !span_set)
        return false;
    if (length > CPS_TRACEPARENT_LENGTH && (version == 0 || text[CPS_TRACEPARENT_LENGTH] != '-'))
        return false;
    *out = parent;
    return true;
}

#endif
