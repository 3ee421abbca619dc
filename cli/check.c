/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "format.h"
#include "text.h"
#include "totals.h"

enum unit { DURATION, BYTES, COUNT };

/* What becomes one figure of those of all requests. */
enum fold { PERCENTILE, LEAST, MOST, MEAN, SUM, MATCHED };

struct metric {
    const char *name;
    enum unit unit;
    enum fold fold;
    bool function; /* of one function, which has to be named */
    /* Of one request; `function` is NULL where none is named. */
    int (*measure)(const struct cps_trace *trace, const char *function, uint64_t *out);
};

enum comparison { LESS, AT_MOST, MORE, AT_LEAST, EQUAL, DIFFERENT };

static const char *const operators[] = {
    [LESS] = "<",      [AT_MOST] = "<=", [MORE] = ">",
    [AT_LEAST] = ">=", [EQUAL] = "==",   [DIFFERENT] = "!=",
};

struct cps_check_rule {
    char *text;   /* as it was given */
    char *method; /* NULL: any */
    char *route;
    char *function; /* NULL: none */
    const struct metric *metric;
    unsigned percent; /* of PERCENTILE */
    enum comparison comparison;
    uint64_t limit;
};

static int measure_duration(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    (void)function;
    *out = cps_trace_duration(trace);
    return 0;
}

static int measure_memory(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    (void)function;
    *out = trace->max_memory;
    return 0;
}

/* Requests are counted, whatever they did. */
static int measure_nothing(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    (void)trace;
    (void)function;
    *out = 0;
    return 0;
}

static int measure_error(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    (void)function;
    *out = trace->status >= 500 || trace->outcome == CPS_OUTCOME_ABORTED ||
           trace->outcome == CPS_OUTCOME_EXPIRED;
    return 0;
}

/* Adds up a field of the totals of one function, or of all. */
static int add_totals(const struct cps_trace *trace, const char *function, size_t field,
                      uint64_t *out)
{
    struct cps_totals totals = {0};

    if (cps_totals_build(trace, &totals))
        return -ENOMEM;
    for (size_t i = 0; i < totals.function_count; i++) {
        const char *entry = (const char *)&totals.functions[i];
        uint64_t value;

        if (function && strcmp(trace->names[totals.functions[i].name].data, function) != 0)
            continue;
        memcpy(&value, entry + field, sizeof(value));
        *out += value;
    }
    cps_totals_free(&totals);
    return 0;
}

static int measure_calls(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    *out = function || trace->has_functions ? 0 : trace->calls_dropped;
    return add_totals(trace, function, offsetof(struct cps_function, calls), out);
}

static int measure_time(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    *out = 0;
    return add_totals(trace, function, offsetof(struct cps_function, elapsed), out);
}

static int measure_self(const struct cps_trace *trace, const char *function, uint64_t *out)
{
    *out = 0;
    return add_totals(trace, function, offsetof(struct cps_function, self), out);
}

static const struct metric metrics[] = {
    {"min", DURATION, LEAST, false, measure_duration},
    {"max", DURATION, MOST, false, measure_duration},
    {"mean", DURATION, MEAN, false, measure_duration},
    {"memory", BYTES, MOST, false, measure_memory},
    {"calls", COUNT, MOST, false, measure_calls},
    {"time", DURATION, MOST, true, measure_time},
    {"self", DURATION, MOST, true, measure_self},
    {"errors", COUNT, SUM, false, measure_error},
    {"count", COUNT, MATCHED, false, measure_nothing},
};

static const struct metric percentile = {"p", DURATION, PERCENTILE, false, measure_duration};

static int parse_metric(struct cps_check_rule *rule, const char *name, size_t length,
                        struct cps_error *error)
{
    for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
        if (strlen(metrics[i].name) == length && memcmp(metrics[i].name, name, length) == 0) {
            rule->metric = &metrics[i];
            return 0;
        }
    }
    if (length > 1 && length <= 4 && name[0] == 'p') {
        char *end;
        unsigned long percent = strtoul(name + 1, &end, 10);

        if (end == name + length && name[1] >= '1' && name[1] <= '9' && percent >= 1 &&
            percent <= 100) {
            rule->metric = &percentile;
            rule->percent = (unsigned)percent;
            return 0;
        }
    }
    return cps_error_set(error, -EINVAL,
                         "'%s': '%.*s' is none of p1 to p100, min, max, mean, memory, calls, time, "
                         "self, errors, count",
                         rule->text, (int)length, name);
}

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

static int parse_figure(const struct metric *metric, const char *text, uint64_t *out)
{
    char packed[64];
    size_t length = 0;

    for (; *text && length + 1 < sizeof(packed); text++)
        if (*text != ' ' && *text != '\t')
            packed[length++] = *text;
    packed[length] = '\0';
    if (*text)
        return -EINVAL;
    if (metric->unit == DURATION)
        return cps_parse_duration(packed, out);
    return metric->unit == BYTES ? cps_parse_bytes(packed, out) : cps_parse_count(packed, out);
}

/* The operator and the figure behind the closing bracket. */
static int parse_limit(struct cps_check_rule *rule, const char *at, struct cps_error *error)
{
    static const char *const kinds[] = {
        [DURATION] = "time, such as 300ms", [BYTES] = "size, such as 64MB", [COUNT] = "number"};
    unsigned found = 0;
    size_t length;

    at = skip_spaces(at);
    length = strspn(at, "<>=!");
    while (found < sizeof(operators) / sizeof(*operators) &&
           (strlen(operators[found]) != length || memcmp(operators[found], at, length) != 0))
        found++;
    if (found == sizeof(operators) / sizeof(*operators))
        return cps_error_set(error, -EINVAL, "'%s': one of < <= > >= == != has to follow the ')'",
                             rule->text);
    rule->comparison = (enum comparison)found;
    at = skip_spaces(at + length);
    if (parse_figure(rule->metric, at, &rule->limit))
        return cps_error_set(error, -EINVAL, "'%s': '%s' is no %s", rule->text, at,
                             kinds[rule->metric->unit]);
    return 0;
}

/* Without the spaces around it; NULL without memory. */
static char *trimmed(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return strndup(from, (size_t)(to - from));
}

static int parse_route(struct cps_check_rule *rule, const char *from, const char *to)
{
    char *route = trimmed(from, to);
    size_t method = route ? strspn(route, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;

    if (!route)
        return -ENOMEM;
    rule->route = route;
    if (method > 0 && (route[method] == ' ' || !route[method])) {
        const char *rest = skip_spaces(route + method);

        rule->method = strndup(route, method);
        if (!rule->method)
            return -ENOMEM;
        memmove(route, rest, strlen(rest) + 1);
    }
    if (*route)
        return 0;
    free(route);
    rule->route = strdup("*");
    return rule->route ? 0 : -ENOMEM;
}

/* The last comma parts a function from the route, where the metric is one that takes a function. */
static int parse_arguments(struct cps_check_rule *rule, const char *from, const char *to,
                           struct cps_error *error)
{
    const char *comma = memrchr(from, ',', (size_t)(to - from));

    if (comma && rule->metric->measure != measure_calls && !rule->metric->function)
        comma = NULL;
    if (!comma && rule->metric->function)
        return cps_error_set(error, -EINVAL, "'%s': %s needs a function: %s(ROUTE, FUNCTION)",
                             rule->text, rule->metric->name, rule->metric->name);
    if (comma) {
        rule->function = trimmed(comma + 1, to);
        if (!rule->function)
            return -ENOMEM;
    }
    return parse_route(rule, from, comma ? comma : to);
}

static int parse(struct cps_check_rule *rule, struct cps_error *error)
{
    const char *start = skip_spaces(rule->text);
    const char *open = strchr(start, '(');
    const char *close = strrchr(start, ')');
    int r;

    if (!open || !close || close < open)
        return cps_error_set(error, -EINVAL,
                             "'%s' is no rule: METRIC(ROUTE) < FIGURE, such as 'p95(/) < 300ms'",
                             rule->text);
    r = parse_metric(rule, start, (size_t)(open - start), error);
    if (r == 0)
        r = parse_arguments(rule, open + 1, close, error);
    return r ? r : parse_limit(rule, close + 1, error);
}

int cps_check_parse(const char *text, struct cps_check_rule **out, struct cps_error *error)
{
    struct cps_check_rule *rule = calloc(1, sizeof(*rule));
    int r = -ENOMEM;

    if (rule)
        rule->text = strdup(text);
    if (rule && rule->text)
        r = parse(rule, error);
    if (r == -ENOMEM)
        (void)cps_error_set(error, r, "out of memory");
    if (r)
        cps_check_free(rule);
    else
        *out = rule;
    return r;
}

void cps_check_free(struct cps_check_rule *rule)
{
    if (!rule)
        return;
    free(rule->text);
    free(rule->method);
    free(rule->route);
    free(rule->function);
    free(rule);
}

/* -ENOMEM, or whether. */
static int matches(const struct cps_check_rule *rule, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf path = {0};
    size_t length = trace->uri.length;

    if (rule->method && strcmp(rule->method, trace->method.data) != 0)
        return false;
    if (trace->source == CPS_SOURCE_HTTP)
        length = strcspn(trace->uri.data, "?");
    cps_buf_append(&path, trace->uri.data, length);
    cps_buf_append(&path, "", 1);
    return cps_buf_failed(&path) ? -ENOMEM : fnmatch(rule->route, path.data, FNM_NOESCAPE) == 0;
}

struct sample {
    uint64_t value;
    const struct cps_trace *trace;
};

static int compare_samples(const void *left, const void *right)
{
    uint64_t a = ((const struct sample *)left)->value;
    uint64_t b = ((const struct sample *)right)->value;

    return (a > b) - (a < b);
}

/* The samples are in order. Percentiles are by nearest rank: always a request that was. */
static void fold(const struct cps_check_rule *rule, const struct sample *samples,
                 struct cps_check_result *out)
{
    size_t count = out->matched;
    size_t at = count;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)samples[i].value;
    if (rule->metric->fold == MATCHED)
        out->value = count;
    else if (rule->metric->fold == SUM)
        out->value = (uint64_t)sum;
    else if (rule->metric->fold == MEAN)
        out->value = count ? (uint64_t)(sum / (double)count) : 0;
    else if (rule->metric->fold == LEAST)
        at = 0;
    else if (rule->metric->fold == MOST)
        at = count ? count - 1 : 0;
    else
        at = count ? (count * rule->percent + 99) / 100 - 1 : 0;
    if (at < count) {
        out->value = samples[at].value;
        out->worst = samples[at].trace;
    }
}

static bool compare(enum comparison comparison, uint64_t value, uint64_t limit)
{
    switch (comparison) {
    case LESS:
        return value < limit;
    case AT_MOST:
        return value <= limit;
    case MORE:
        return value > limit;
    case AT_LEAST:
        return value >= limit;
    case EQUAL:
        return value == limit;
    default:
        return value != limit;
    }
}

/* The samples of the requests that match, at most `count`. */
static int take_samples(const struct cps_check_rule *rule, const struct cps_trace *const *traces,
                        size_t count, struct sample *samples, size_t *matched)
{
    for (size_t i = 0; i < count; i++) {
        int r = matches(rule, traces[i]);

        if (r > 0) {
            samples[*matched].trace = traces[i];
            r = rule->metric->measure(traces[i], rule->function, &samples[*matched].value);
            ++*matched;
        }
        if (r < 0)
            return r;
    }
    return 0;
}

int cps_check_run(const struct cps_check_rule *rule, const struct cps_trace *const *traces,
                  size_t count, struct cps_check_result *out)
{
    struct sample *samples = calloc(count + 1, sizeof(*samples));
    struct cps_check_result result = {0};
    int r = samples ? take_samples(rule, traces, count, samples, &result.matched) : -ENOMEM;

    if (r == 0) {
        qsort(samples, result.matched, sizeof(*samples), compare_samples);
        fold(rule, samples, &result);
        result.holds = (result.matched > 0 || rule->metric->fold == MATCHED) &&
                       compare(rule->comparison, result.value, rule->limit);
        *out = result;
    }
    free(samples);
    return r;
}

static void append_worst(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf label = {0};

    cps_export_append_label(&label, trace);
    if (trace->id.length > 0) {
        cps_buf_append_string(&label, " ");
        cps_buf_append(&label, trace->id.data, trace->id.length);
    }
    cps_buf_append_string(out, ": ");
    cps_text_append_safe(out, label.data, label.length, false);
}

void cps_check_append(struct cps_buf *out, const struct cps_check_rule *rule,
                      const struct cps_check_result *result)
{
    char figure[CPS_FORMAT_SIZE];

    cps_buf_append_string(out, result->holds ? "holds   " : "BROKEN  ");
    cps_text_append_safe(out, rule->text, strlen(rule->text), false);
    if (result->matched == 0 && rule->metric->fold != MATCHED) {
        cps_buf_append_string(out, "  no request matched\n");
        return;
    }
    if (rule->metric->unit == DURATION)
        (void)cps_format_duration(figure, result->value);
    else if (rule->metric->unit == BYTES)
        (void)cps_format_bytes(figure, result->value);
    else
        (void)cps_format_grouped(figure, result->value);
    cps_buf_append_format(out, "  %s of %zu request%s", figure, result->matched,
                          cps_format_plural(result->matched));
    if (rule->function && result->value == 0)
        cps_buf_append_string(out, ", which never called it");
    if (!result->holds && result->worst)
        append_worst(out, result->worst);
    cps_buf_append_string(out, "\n");
}
