/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "export.h"
#include "flags.h"
#include "format.h"
#include "saved.h"
#include "say.h"

static const char usage[] =
    "Usage: compass convert [--output FILE] FORMAT [FILE...]\n"
    "\n"
    "Reads traces as Compass saves and streams them (the standard input where no FILE is\n"
    "given) and writes them in another format.\n"
    "\n"
    "  -o, --output FILE   write there instead of to the standard output\n"
    "  -h, --help          this text\n"
    "\n"
    "Formats:\n";

static void print_usage(FILE *to)
{
    (void)fputs(usage, to);
    for (const struct cps_export_format *format = cps_export_formats; format->name; format++)
        (void)fprintf(to, "  %-11s %s\n", format->name, format->description);
}

static int read_files(struct cps_saved *saved, char **paths, int count)
{
    struct cps_error error = {0};

    for (int i = 0; i < count; i++) {
        if (cps_saved_read(saved, paths[i], &error)) {
            cps_say("compass convert: %s", error.text);
            return -1;
        }
    }
    if (saved->refused > 0)
        cps_say("compass convert: %" PRIu64 " line%s left out; the first: %s", saved->refused,
                cps_format_plural(saved->refused), saved->why.text);
    if (saved->count > 0)
        return 0;
    cps_say("compass convert: there are no traces in what was read");
    return -1;
}

static int write_to(const char *path, const struct cps_buf *text)
{
    FILE *file = path ? fopen(path, "we") : stdout;
    bool failed;
    int code;

    if (!file)
        return -errno;
    failed = (text->length > 0 && fwrite(text->data, 1, text->length, file) != text->length) ||
             fflush(file) != 0;
    code = errno;
    if (path && fclose(file) != 0 && !failed)
        return -errno;
    return failed ? -code : 0;
}

static int convert(const struct cps_export_format *format, const char *path,
                   const struct cps_saved *saved)
{
    cps_auto_buf struct cps_buf text = {0};
    int r = format->export((const struct cps_trace *const *)saved->traces, saved->count, &text);

    if (r == 0)
        r = write_to(path, &text);
    if (r < 0)
        cps_say("compass convert: %s: %s", path ? path : "standard output", strerror(-r));
    return r;
}

static int misused(const char *sentence)
{
    cps_say("compass convert: %s", sentence);
    (void)fputc('\n', stderr);
    print_usage(stderr);
    return 2;
}

/* The index of the first argument that is no option, or -1 to end with *status. */
static int read_options(int argc, char **argv, const char **path, int *status)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct cps_error error = {0};
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        if (option == 'o') {
            *path = optarg;
            continue;
        }
        if (option == 'h') {
            print_usage(stdout);
            *status = 0;
            return -1;
        }
        (void)cps_flags_refused(option, argv, options, &error);
        *status = misused(error.text);
        return -1;
    }
    return optind;
}

int cps_convert_main(int argc, char **argv)
{
    static char standard_input[] = "-";
    char *nothing[] = {standard_input};
    const struct cps_export_format *format;
    struct cps_saved saved = {0};
    struct cps_error error = {0};
    const char *path = NULL;
    int status = 1;
    int at = read_options(argc, argv, &path, &status);

    if (at < 0)
        return status;
    format = at < argc ? cps_export_find(argv[at]) : NULL;
    if (!format) {
        if (at == argc)
            return misused("which format?");
        (void)cps_error_set(&error, -EINVAL, "there is no format '%s'", argv[at]);
        return misused(error.text);
    }
    at++;
    if (read_files(&saved, at < argc ? argv + at : nothing, at < argc ? argc - at : 1) == 0 &&
        convert(format, path, &saved) == 0)
        status = 0;
    cps_saved_free(&saved);
    return status;
}
