/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a filter: refused with a sentence, or it passes a request and a row or does not, and
 * with ! before it the other way round. */
#include "fuzz.h"

#include <string.h>

#include "filter.h"

static const char line[] =
    "{\"metadata\":{\"source\":\"http\",\"runtime\":\"php\",\"id\":\"7f\","
    "\"http\":{\"method\":\"POST\",\"uri\":\"/Node/1?page=2\",\"status\":500},"
    "\"startTime\":1790000000000000000,\"endTime\":1790000000300000000},"
    "\"functionCalls\":[{\"name\":\"PDO::query\",\"startTime\":1790000000001000000,"
    "\"elapsed\":200000000,\"memory\":1,\"depth\":0}],"
    "\"functions\":[{\"name\":\"PDO::query\",\"calls\":7,\"elapsed\":200000000,"
    "\"self\":200000000,\"max\":200000000,\"callers\":[]}]}";

static const struct cps_held *held(void)
{
    static struct cps_model model;
    struct cps_trace *trace;

    if (!model.count) {
        MUST(cps_model_init(&model, 1, 1 << 20) == 0);
        MUST(cps_trace_decode(line, sizeof(line) - 1, &trace, NULL) == 0);
        cps_model_add(&model, trace);
    }
    return model.held[0];
}

/* Whether the text is one term, so that a ! before it turns it round. */
static bool is_one_term(const char *text)
{
    return *text && *text != '!' && !strchr(text, ' ') && !strchr(text, '\t');
}

static void turn_round(const char *text, bool passes)
{
    char turned[258];
    struct cps_filter *filter = NULL;
    struct cps_error error = {0};

    turned[0] = '!';
    memcpy(turned + 1, text, strlen(text) + 1);
    MUST(cps_filter_compile(turned, &filter, &error) == 0);
    MUST(cps_filter_matches(filter, held()) != passes);
    cps_filter_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cps_filter_row row = {
        .text = "Twig\\Template::render", .duration = 40000000, .calls = 3, .share = 5};
    struct cps_filter *filter = NULL;
    struct cps_error error = {0};
    char text[257];
    bool passes;

    if (!fuzz_string(data, size, text, sizeof(text)))
        return 0;
    if (cps_filter_compile(text, &filter, &error)) {
        MUST(!filter && error.text[0]);
        return 0;
    }
    passes = cps_filter_matches(filter, held());
    (void)cps_filter_matches_row(filter, &row);
    cps_filter_free(filter);
    if (is_one_term(text))
        turn_round(text, passes);
    return 0;
}
