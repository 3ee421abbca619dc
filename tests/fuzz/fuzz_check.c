/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a rule of `compass check`: refused with a sentence, or it holds or does not, and what
 * is printed is a line without control characters. */
#include "fuzz.h"

#include <string.h>

#include "check.h"

static const char *const lines[] = {
    "{\"metadata\":{\"source\":\"http\",\"runtime\":\"php\",\"id\":\"7f\","
    "\"http\":{\"method\":\"GET\",\"uri\":\"/node/1?page=2\",\"status\":500},"
    "\"startTime\":1790000000000000000,\"endTime\":1790000000300000000},"
    "\"functions\":[{\"name\":\"PDO::query\",\"calls\":7,\"elapsed\":200000000,"
    "\"self\":200000000,\"max\":200000000,\"callers\":[]}]}",
    "{\"metadata\":{\"source\":\"cli\",\"runtime\":\"node\",\"id\":\"\\u001b[2J\","
    "\"cli\":{\"pid\":1,\"command\":\"cron \\u009b31m\"},"
    "\"startTime\":1790000000000000000,\"endTime\":1790000000000000000,\"outcome\":\"aborted\"}}",
};
#define COUNT (sizeof(lines) / sizeof(*lines))

static const struct cps_trace *const *traces(void)
{
    static struct cps_trace *read[COUNT];

    for (size_t i = 0; i < COUNT && !read[i]; i++)
        MUST(cps_trace_decode(lines[i], strlen(lines[i]), &read[i], NULL) == 0);
    return (const struct cps_trace *const *)read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cps_check_rule *rule = NULL;
    cps_auto_buf struct cps_buf out = {0};
    struct cps_check_result result;
    struct cps_error error = {0};
    char text[1025];

    if (!fuzz_string(data, size, text, sizeof(text)))
        return 0;
    if (cps_check_parse(text, &rule, &error)) {
        MUST(!rule && error.text[0]);
        return 0;
    }
    MUST(cps_check_run(rule, traces(), COUNT, &result) == 0);
    MUST(result.matched <= COUNT);
    cps_check_append(&out, rule, &result);
    fuzz_must_be_line(&out);
    cps_check_free(rule);
    return 0;
}
