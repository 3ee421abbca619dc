/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what the project itself reads of a request's headers: Accept-Encoding, the token, a
 * traceparent, and the id that becomes a trace's. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "compress.h"
#include "otlp_encode.h"
#include "server.h"
#include "traceparent.h"

static void check_traceparent(const char *text, size_t length)
{
    static const struct cps_batch_parent none;
    struct cps_batch_parent parent = none;
    char again[CPS_TRACEPARENT_LENGTH + 1] = "";
    size_t at = 0;

    if (!cps_traceparent_parse(text, length, &parent)) {
        MUST(memcmp(&parent, &none, sizeof(none)) == 0);
        return;
    }
    for (size_t i = 0; i < sizeof(parent.trace_id); i++)
        at += (size_t)snprintf(again + at, 3, "%02x", parent.trace_id[i]);
    again[at++] = '-';
    for (size_t i = 0; i < sizeof(parent.span_id); i++)
        at += (size_t)snprintf(again + at, 3, "%02x", parent.span_id[i]);
    MUST(memcmp(again, text + 3, at) == 0);
}

/* Ids, methods and URIs of a request stand in the spans as text; the length of the line tells that
 * nothing broke out of it. */
static void check_spans(const char *text, size_t length)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    cps_auto_buf struct cps_buf out = {0};
    size_t spans = 0;

    MUST(trace);
    MUST(cps_trace_copy_string(trace, text, length, &trace->id) == 0);
    MUST(cps_trace_copy_string(trace, text, length, &trace->uri) == 0);
    MUST(cps_trace_copy_string(trace, text, length, &trace->method) == 0);
    MUST(cps_otlp_encode(trace, 1, &out, &spans) == 0 && spans == 1);
    MUST(out.length > 2 && out.data[0] == '{' && out.data[out.length - 1] == '}');
    for (size_t i = 0; i < out.length; i++)
        MUST((unsigned char)out.data[i] >= 0x20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    char *bytes = malloc(size ? size : 1);

    MUST(text && bytes);
    memcpy(text, data, size);
    text[size] = '\0';
    memcpy(bytes, data, size);
    MUST(cps_encoding_choose(text) <= CPS_ENCODING_ZSTD);
    MUST(cps_server_token_equal(text, text, strlen(text)));
    MUST(cps_server_token_equal("secret", bytes, size) ==
         (size == 6 && memcmp("secret", bytes, 6) == 0));
    check_traceparent(bytes, size);
    check_spans(bytes, size);
    free(text);
    free(bytes);
    return 0;
}
