/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Without a standard output the next file or connection to be opened would get its number, and what
 * is printed with it. What stands there instead can only be used the wrong way round. */
static bool fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd)
            return false;
    }
    return true;
}

static int run(int argc, char **argv)
{
    struct cps_options options;
    struct cps_error error = {0};
    int result;

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

/* Help and versions too are worth nothing where nobody gets them. */
int main(int argc, char **argv)
{
    int status;

    (void)setlocale(LC_ALL, "");
    (void)setlocale(LC_NUMERIC, "C");
    if (!fill_standard_descriptors())
        return 1;
    status = run(argc, argv);
    if (!status && (fflush(stdout) || ferror(stdout))) {
        cps_say("compass: standard output: %s", strerror(errno));
        return 1;
    }
    return status;
}
