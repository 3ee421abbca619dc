/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "flags.h"
#include "saved.h"
#include "say.h"

static const char usage[] =
    "Usage: compass check --assert RULE... [FILE...]\n"
    "\n"
    "Holds saved traces (the standard input where no FILE is given) against rules. Ends with\n"
    "0 where all hold, 1 where one is broken, 2 where something cannot be read.\n"
    "\n"
    "  -a, --assert RULE   METRIC(ROUTE) OPERATOR FIGURE; may be given many times\n"
    "  -h, --help          this text\n"
    "\n"
    "  p95(/) < 300ms              a percentile of the duration; also min, max, mean\n"
    "  memory(POST /node/*) < 64MB the highest peak memory\n"
    "  calls(/, strlen) < 1000     the most calls in one request, of one function or of all\n"
    "  time(*, curl_exec) < 100ms  the most time in a function; self: without what it called\n"
    "  errors() == 0               requests with status 500 on, or that did not end well\n"
    "  count(/) >= 10              requests\n";

struct rules {
    struct cps_check_rule **rules;
    size_t count;
};

static int complain(const char *sentence)
{
    cps_say("compass check: %s", sentence);
    return 2;
}

static int add_rule(struct rules *rules, const char *text)
{
    struct cps_error error = {0};

    if (cps_check_parse(text, &rules->rules[rules->count], &error))
        return complain(error.text);
    rules->count++;
    return 0;
}

/* 0 and optind at the first file; else *status is how to end. */
static int read_options(int argc, char **argv, struct rules *rules, int *status)
{
    static const struct option options[] = {{"assert", required_argument, NULL, 'a'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct cps_error error = {0};
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":a:h", options, NULL)) != -1) {
        if (option == 'a') {
            *status = add_rule(rules, optarg);
            if (*status)
                return -1;
            continue;
        }
        if (option == 'h') {
            *status = fputs(usage, stdout) < 0;
            return -1;
        }
        (void)cps_flags_refused(option, argv, options, &error);
        *status = complain(error.text);
        return -1;
    }
    if (rules->count > 0)
        return 0;
    *status = complain("there is no rule: give one with --assert");
    return -1;
}

/* A line that cannot be read is a request that was not looked at: no check passes over it. */
static int read_files(struct cps_saved *saved, char **paths, int count)
{
    struct cps_error error = {0};

    for (int i = 0; i < count; i++)
        if (cps_saved_read(saved, paths[i], &error))
            return complain(error.text);
    return saved->refused > 0 ? complain(saved->why.text) : 0;
}

static int run(const struct rules *rules, const struct cps_saved *saved)
{
    cps_auto_buf struct cps_buf out = {0};
    int status = 0;

    for (size_t i = 0; i < rules->count; i++) {
        struct cps_check_result result;

        if (cps_check_run(rules->rules[i], (const struct cps_trace *const *)saved->traces,
                          saved->count, &result))
            return complain(strerror(ENOMEM));
        cps_check_append(&out, rules->rules[i], &result);
        if (!result.holds)
            status = 1;
    }
    if (cps_buf_failed(&out) || fwrite(out.data, 1, out.length, stdout) != out.length ||
        fflush(stdout) != 0)
        return complain("cannot write to the standard output");
    return status;
}

int cps_check_main(int argc, char **argv)
{
    static char standard_input[] = "-";
    char *nothing[] = {standard_input};
    struct rules rules = {.rules = calloc((size_t)argc + 1, sizeof(struct cps_check_rule *))};
    struct cps_saved saved = {0};
    int status = 2;

    if (!rules.rules)
        return complain(strerror(ENOMEM));
    if (read_options(argc, argv, &rules, &status) == 0) {
        bool files = optind < argc;

        status = read_files(&saved, files ? argv + optind : nothing, files ? argc - optind : 1);
        if (status == 0)
            status = run(&rules, &saved);
    }
    cps_saved_free(&saved);
    while (rules.count > 0)
        cps_check_free(rules.rules[--rules.count]);
    free(rules.rules);
    return status;
}
