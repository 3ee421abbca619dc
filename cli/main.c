/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "check_main.h"
#include "convert.h"
#include "feed.h"
#include "options.h"
#include "say.h"
#include "stream.h"

static int fail(const struct cps_error *error, int status)
{
    cps_say("compass: %s", error->text);
    if (status == 2)
        (void)fputs("Try 'compass --help'.\n", stderr);
    return status;
}

int main(int argc, char **argv)
{
    struct cps_options options;
    struct cps_error error = {0};
    int result;

    (void)setlocale(LC_ALL, "");
    (void)setlocale(LC_NUMERIC, "C");
    if (argc > 1 && !strcmp(argv[1], "convert"))
        return cps_convert_main(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "check"))
        return cps_check_main(argc - 1, argv + 1);
    if (cps_options_read(argc, argv, &options, &error))
        return fail(&error, 2);
    if (options.help) {
        (void)fputs(cps_options_usage, stdout);
        return 0;
    }
    if (!options.version && cps_feed_check(options.uri, &error))
        return fail(&error, 2);
    if (options.version) {
        (void)puts("compass " CPS_VERSION);
        return 0;
    }
    result = options.output ? cps_stream_run(&options, &error) : cps_app_run(&options, &error);
    return result ? fail(&error, 1) : 0;
}
