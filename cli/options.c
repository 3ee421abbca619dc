/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "flags.h"
#include "format.h"

const char cps_options_usage[] =
    "compass shows what PHP and Node.js requests do, function by function.\n"
    "\n"
    "Usage:\n"
    "  compass [flags]                           the terminal UI\n"
    "  compass --output json [flags]             traces as they come, for scripts\n"
    "  compass convert FORMAT [FILE...]          saved traces in another format\n"
    "  compass check --assert RULE [FILE...]     thresholds over saved traces, for CI\n"
    "\n"
    "Flags:\n"
    "  -u, --uri URI            where traces come from (http://localhost:28624/v1/traces)\n"
    "                             http://, https://       a sidecar\n"
    "                             extension:///FILE.so    the probes of a file, as root\n"
    "                             file:///FILE.ndjson     saved traces; file:///dev/stdin reads a "
    "pipe\n"
    "  -t, --token TOKEN        sent as X-Skpr-Token; better in COMPASS_TOKEN or a file\n"
    "      --token-file FILE    the token is the first line of FILE\n"
    "      --ca-file FILE       trust the certificate authorities in FILE (PEM)\n"
    "      --insecure-skip-verify\n"
    "                           go on where the sidecar's certificate proves nothing\n"
    "      --max-traces N       traces to keep, the oldest are discarded first (500)\n"
    "      --max-bytes SIZE     memory to keep them in (256MiB)\n"
    "  -o, --output FORMAT      print instead of the UI: json or summary\n"
    "  -n, --count N            with --output, end after N traces\n"
    "  -h, --help               this text\n"
    "  -V, --version            the version\n"
    "\n"
    "Environment: COMPASS_URI, COMPASS_TOKEN, COMPASS_CA_FILE, COMPASS_INSECURE_SKIP_VERIFY,\n"
    "COMPASS_MAX_TRACES; a flag wins. NO_COLOR turns colour off.\n"
    "\n"
    "Examples:\n"
    "  compass --uri https://tracer.example.org/v1/traces --ca-file ca.pem\n"
    "  compass -o json | jq -r 'select(.metadata.http.status >= 500) | .metadata.http.uri'\n"
    "  compass --uri file:///tmp/slow.ndjson\n"
    "\n"
    "In the UI, ? shows the keys of the page. Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { OPTION_TOKEN_FILE = 256, OPTION_CA_FILE, OPTION_INSECURE, OPTION_TRACES, OPTION_BYTES };

static const struct option long_options[] = {
    {"uri", required_argument, NULL, 'u'},
    {"token", required_argument, NULL, 't'},
    {"token-file", required_argument, NULL, OPTION_TOKEN_FILE},
    {"ca-file", required_argument, NULL, OPTION_CA_FILE},
    {"insecure-skip-verify", optional_argument, NULL, OPTION_INSECURE},
    {"max-traces", required_argument, NULL, OPTION_TRACES},
    {"max-bytes", required_argument, NULL, OPTION_BYTES},
    {"output", required_argument, NULL, 'o'},
    {"count", required_argument, NULL, 'n'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static int read_count(const char *name, const char *text, size_t *out, struct cps_error *error)
{
    uint64_t value;

    if (cps_parse_count(text, &value) || value == 0 || value > 1000000)
        return cps_error_set(error, -EINVAL, "%s: '%s' is not a number from 1 to 1000000", name,
                             text);
    *out = (size_t)value;
    return 0;
}

static int read_bytes(const char *name, const char *text, size_t *out, struct cps_error *error)
{
    uint64_t value;

    if (cps_parse_bytes(text, &value) || value < 1048576)
        return cps_error_set(error, -EINVAL, "%s: '%s' is not a size of 1MiB or more, like 256MiB",
                             name, text);
    *out = (size_t)value;
    return 0;
}

static int read_bool(const char *name, const char *text, bool *out, struct cps_error *error)
{
    static const char *const words[][2] = {
        {"true", "false"}, {"1", "0"}, {"yes", "no"}, {"on", "off"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        for (size_t no = 0; no < 2; no++) {
            if (strcasecmp(text, words[i][no]) == 0) {
                *out = !no;
                return 0;
            }
        }
    }
    return cps_error_set(error, -EINVAL, "%s: '%s' is neither true nor false", name, text);
}

static int read_token_file(const char *path, struct cps_options *out, struct cps_error *error)
{
    static char token[4096];
    FILE *file = fopen(path, "re");
    int code = errno;
    bool read;

    if (!file)
        return cps_error_set(error, -EINVAL, "--token-file: %s: %s", path, strerror(code));
    read = fgets(token, sizeof(token), file);
    (void)fclose(file);
    if (!read)
        return cps_error_set(error, -EINVAL, "--token-file: %s is empty", path);
    token[strcspn(token, "\r\n")] = '\0';
    out->token = token;
    return 0;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int read_environment(struct cps_options *out, struct cps_error *error)
{
    const char *text;

    if ((text = variable("COMPASS_URI")))
        out->uri = text;
    out->token = variable("COMPASS_TOKEN");
    out->ca_file = variable("COMPASS_CA_FILE");
    if ((text = variable("COMPASS_INSECURE_SKIP_VERIFY")) &&
        read_bool("COMPASS_INSECURE_SKIP_VERIFY", text, &out->insecure, error))
        return -EINVAL;
    if ((text = variable("COMPASS_MAX_TRACES")) &&
        read_count("COMPASS_MAX_TRACES", text, &out->max_traces, error))
        return -EINVAL;
    return 0;
}

static int read_output(const char *text, struct cps_options *out, struct cps_error *error)
{
    if (strcmp(text, "json") != 0 && strcmp(text, "ndjson") != 0 && strcmp(text, "summary") != 0)
        return cps_error_set(error, -EINVAL,
                             "--output: '%s' is neither json nor summary; other formats are made "
                             "from saved traces by `compass convert`",
                             text);
    out->output = text;
    return 0;
}

static int apply(int option, const char *text, struct cps_options *out, struct cps_error *error)
{
    switch (option) {
    case 'u':
        out->uri = text;
        return 0;
    case 't':
        out->token = text;
        return 0;
    case 'o':
        return read_output(text, out, error);
    case 'n':
        return read_count("--count", text, &out->count, error);
    case 'h':
        out->help = true;
        return 0;
    case 'V':
        out->version = true;
        return 0;
    case OPTION_TOKEN_FILE:
        return read_token_file(text, out, error);
    case OPTION_CA_FILE:
        out->ca_file = text;
        return 0;
    case OPTION_INSECURE:
        return read_bool("--insecure-skip-verify", text ? text : "true", &out->insecure, error);
    case OPTION_TRACES:
        return read_count("--max-traces", text, &out->max_traces, error);
    default:
        return read_bytes("--max-bytes", text, &out->max_bytes, error);
    }
}

static int check(const struct cps_options *options, struct cps_error *error)
{
    static const char *const schemes[] = {"http://", "https://", "extension:///", "file:///"};

    for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
        if (strncasecmp(options->uri, schemes[i], strlen(schemes[i])) == 0)
            return 0;
    }
    return cps_error_set(error, -EINVAL,
                         "--uri: '%s' is none of http://HOST, https://HOST, "
                         "extension:///PATH and file:///PATH",
                         options->uri);
}

int cps_options_read(int argc, char *const *argv, struct cps_options *out, struct cps_error *error)
{
    int option;

    *out = (struct cps_options){
        .uri = "http://localhost:28624/v1/traces",
        .max_traces = 500,
        .max_bytes = (size_t)256 << 20,
    };
    if (read_environment(out, error))
        return -EINVAL;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":u:t:o:n:hV", long_options, NULL)) != -1) {
        if (option == ':' || option == '?')
            return cps_flags_refused(option, argv, long_options, error);
        if (apply(option, optarg, out, error))
            return -EINVAL;
    }
    if (optind < argc)
        return cps_error_set(error, -EINVAL, "'%s': no such command", argv[optind]);
    return check(out, error);
}
