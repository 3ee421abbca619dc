/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "format.h"
#include "pattern.h"

enum kind { TEXT, REGEX, DURATION, CALLS, SHARE, STATUS, METHOD, RUNTIME, SOURCE, PATH };

struct term {
    enum kind kind;
    bool negated;
    bool below;                  /* of a figure: <, otherwise > */
    uint64_t figure;             /* ns, calls, per cent; of a status its first digit or all of it */
    const char *text;            /* in the filter's copy */
    struct cps_pattern *pattern; /* of a REGEX */
};

struct cps_filter {
    char *text;
    size_t count;
    struct term terms[];
};

#define TERMS_MAX 32

static const struct {
    const char *prefix;
    enum kind kind;
} fields[] = {
    {"calls:", CALLS},     {"share:", SHARE},   {"status:", STATUS}, {"method:", METHOD},
    {"runtime:", RUNTIME}, {"source:", SOURCE}, {"path:", PATH},
};

static int bad(const char *term, const char *expected, struct cps_error *error)
{
    return cps_error_set(error, -EINVAL, "%s: %s was expected", term, expected);
}

/* "5%" or "5" as per cent. */
static int parse_share(const char *text, uint64_t *out)
{
    char *end;
    unsigned long value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : ULONG_MAX;

    if (value > 100 || (*end && strcmp(end, "%") != 0))
        return -EINVAL;
    *out = value;
    return 0;
}

static int parse_figure(struct term *term, const char *text, const char *whole,
                        struct cps_error *error)
{
    int result;

    if (*text != '<' && *text != '>')
        return bad(whole, "< or > and a figure", error);
    term->below = *text++ == '<';
    if (term->kind == DURATION)
        result = cps_parse_duration(text, &term->figure);
    else if (term->kind == CALLS)
        result = cps_parse_count(text, &term->figure);
    else
        result = parse_share(text, &term->figure);
    return result ? bad(whole, term->kind == DURATION ? "a duration like 250ms" : "a figure", error)
                  : 0;
}

/* "404", or "5xx". */
static int parse_status(struct term *term, const char *text, const char *whole,
                        struct cps_error *error)
{
    bool family = strlen(text) == 3 && isdigit((unsigned char)*text) && !strcasecmp(text + 1, "xx");
    char *end = NULL;

    term->figure = family ? (uint64_t)(*text - '0') : strtoul(text, &end, 10);
    if (!family && (end == text || *end || term->figure < 100 || term->figure > 999))
        return bad(whole, "a status like 404 or 5xx", error);
    return 0;
}

static int parse_regex(struct term *term, const char *text, const char *whole,
                       struct cps_error *error)
{
    char *pattern = strndup(text + 1, strlen(text) - 2);
    struct cps_error why = {0};
    int result;

    if (!pattern)
        return cps_error_set(error, -ENOMEM, "out of memory");
    result = cps_pattern_compile(pattern, &term->pattern, &why);
    free(pattern);
    if (result)
        return cps_error_set(error, result, "%s: %s", whole, why.text);
    term->kind = REGEX;
    return 0;
}

static int parse_term(struct term *term, char *text, struct cps_error *error)
{
    const char *whole = text;
    size_t length;

    if (*text == '!' && text[1]) {
        term->negated = true;
        text++;
    }
    length = strlen(text);
    term->kind = TEXT;
    term->text = text;
    if (length > 2 && *text == '/' && text[length - 1] == '/')
        return parse_regex(term, text, whole, error);
    if ((*text == '<' || *text == '>') && text[1]) {
        term->kind = DURATION;
        return parse_figure(term, text, whole, error);
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        size_t prefix = strlen(fields[i].prefix);

        if (strncasecmp(text, fields[i].prefix, prefix) != 0)
            continue;
        term->kind = fields[i].kind;
        term->text = text + prefix;
        if (term->kind == CALLS || term->kind == SHARE)
            return parse_figure(term, term->text, whole, error);
        return term->kind == STATUS ? parse_status(term, term->text, whole, error) : 0;
    }
    return 0;
}

int cps_filter_compile(const char *text, struct cps_filter **out, struct cps_error *error)
{
    struct cps_filter *filter = calloc(1, sizeof(*filter) + TERMS_MAX * sizeof(struct term));
    char *rest = NULL;
    int result = 0;

    if (filter)
        filter->text = strdup(text);
    if (!filter || !filter->text) {
        free(filter);
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    for (char *word = strtok_r(filter->text, " ", &rest); word && !result;
         word = strtok_r(NULL, " ", &rest)) {
        if (filter->count == TERMS_MAX)
            result = bad(word, "fewer terms", error);
        else
            result = parse_term(&filter->terms[filter->count], word, error);
        if (!result)
            filter->count++;
    }
    if (result) {
        cps_filter_free(filter);
        return result;
    }
    *out = filter;
    return 0;
}

void cps_filter_free(struct cps_filter *filter)
{
    if (!filter)
        return;
    for (size_t i = 0; i < filter->count; i++)
        cps_pattern_free(filter->terms[i].pattern);
    free(filter->text);
    free(filter);
}

static bool found(const struct term *term, const struct cps_string *string)
{
    if (term->kind == REGEX)
        return cps_pattern_found(term->pattern, string->data, string->length);
    return strcasestr(string->data, term->text) != NULL;
}

static bool found_anywhere(const struct term *term, const struct cps_trace *trace)
{
    if (found(term, &trace->uri) || found(term, &trace->id) || found(term, &trace->method))
        return true;
    for (size_t i = 0; i < trace->name_count; i++) {
        if (found(term, &trace->names[i]))
            return true;
    }
    return false;
}

static bool beyond(const struct term *term, double value)
{
    return term->below ? value < (double)term->figure : value > (double)term->figure;
}

static double hottest_share(const struct cps_held *held)
{
    if (held->hottest == CPS_MODEL_NONE || !held->duration)
        return 0;
    return cps_format_percent(held->totals.functions[held->hottest].self, held->duration);
}

static bool holds(const struct term *term, const struct cps_held *held)
{
    const struct cps_trace *trace = held->trace;

    switch (term->kind) {
    case DURATION:
        return beyond(term, (double)held->duration);
    case CALLS:
        return beyond(term, (double)held->calls);
    case SHARE:
        return beyond(term, hottest_share(held));
    case STATUS:
        return term->figure == (term->figure < 10 ? trace->status / 100u : trace->status);
    case METHOD:
        return !strcasecmp(trace->method.data, term->text);
    case RUNTIME:
        return !strcasecmp(trace->runtime == CPS_RUNTIME_NODE ? "node" : "php", term->text);
    case SOURCE:
        return !strcasecmp(trace->source == CPS_SOURCE_CLI ? "cli" : "http", term->text);
    case PATH:
        return found(term, &trace->uri);
    default:
        return found_anywhere(term, trace);
    }
}

bool cps_filter_matches(const struct cps_filter *filter, const struct cps_held *held)
{
    for (size_t i = 0; filter && i < filter->count; i++) {
        if (holds(&filter->terms[i], held) == filter->terms[i].negated)
            return false;
    }
    return true;
}

static bool row_holds(const struct term *term, const struct cps_filter_row *row)
{
    struct cps_string text = {row->text, strlen(row->text)};

    switch (term->kind) {
    case TEXT:
    case REGEX:
        return found(term, &text);
    case DURATION:
        return beyond(term, (double)row->duration);
    case CALLS:
        return beyond(term, (double)row->calls);
    case SHARE:
        return beyond(term, row->share);
    default:
        return !term->negated;
    }
}

bool cps_filter_matches_row(const struct cps_filter *filter, const struct cps_filter_row *row)
{
    for (size_t i = 0; filter && i < filter->count; i++) {
        if (row_holds(&filter->terms[i], row) == filter->terms[i].negated)
            return false;
    }
    return true;
}

bool cps_filter_gave_up(const struct cps_filter *filter)
{
    for (size_t i = 0; filter && i < filter->count; i++) {
        if (filter->terms[i].kind == REGEX && cps_pattern_gave_up(filter->terms[i].pattern))
            return true;
    }
    return false;
}
