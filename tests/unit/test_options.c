/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "options.h"

static struct cps_options options;
static struct cps_error error;

/* Without variables of whoever runs the tests. */
static int setup(void **state)
{
    static const char *const names[] = {"COMPASS_URI", "COMPASS_TOKEN", "COMPASS_CA_FILE",
                                        "COMPASS_INSECURE_SKIP_VERIFY", "COMPASS_MAX_TRACES"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(unsetenv(names[i]), 0);
    error.text[0] = '\0';
    return 0;
}

static int read_list(char *const *arguments)
{
    char *argv[16] = {"compass"};
    int argc = 1;

    while (arguments[argc - 1]) {
        argv[argc] = arguments[argc - 1];
        argc++;
    }
    return cps_options_read(argc, argv, &options, &error);
}

#define READ(...) read_list((char *const[]){__VA_ARGS__, NULL})

static void defaults_are_the_contract(void **state)
{
    (void)state;
    assert_int_equal(READ(NULL), 0);
    assert_string_equal(options.uri, "http://localhost:28624/v1/traces");
    assert_null(options.token);
    assert_null(options.ca_file);
    assert_null(options.output);
    assert_false(options.insecure);
    assert_int_equal(options.max_traces, 500);
    assert_int_equal(options.max_bytes, 256 << 20);
    assert_int_equal(options.count, 0);
}

static void flags_win_over_variables(void **state)
{
    (void)state;
    assert_int_equal(setenv("COMPASS_URI", "https://a/v1/traces", 1), 0);
    assert_int_equal(setenv("COMPASS_TOKEN", "from the environment", 1), 0);
    assert_int_equal(setenv("COMPASS_CA_FILE", "/ca", 1), 0);
    assert_int_equal(setenv("COMPASS_INSECURE_SKIP_VERIFY", "true", 1), 0);
    assert_int_equal(setenv("COMPASS_MAX_TRACES", "7", 1), 0);
    assert_int_equal(READ(NULL), 0);
    assert_string_equal(options.uri, "https://a/v1/traces");
    assert_string_equal(options.token, "from the environment");
    assert_string_equal(options.ca_file, "/ca");
    assert_true(options.insecure);
    assert_int_equal(options.max_traces, 7);
    assert_int_equal(READ("--uri=file:///b", "--token", "flag", "--ca-file", "/other",
                          "--insecure-skip-verify=false", "--max-traces", "2k"),
                     0);
    assert_string_equal(options.uri, "file:///b");
    assert_string_equal(options.token, "flag");
    assert_string_equal(options.ca_file, "/other");
    assert_false(options.insecure);
    assert_int_equal(options.max_traces, 2000);
}

static void an_empty_variable_is_none(void **state)
{
    (void)state;
    assert_int_equal(setenv("COMPASS_URI", "", 1), 0);
    assert_int_equal(setenv("COMPASS_MAX_TRACES", "", 1), 0);
    assert_int_equal(setenv("COMPASS_TOKEN", "", 1), 0);
    assert_int_equal(READ(NULL), 0);
    assert_string_equal(options.uri, "http://localhost:28624/v1/traces");
    assert_null(options.token);
}

static void short_flags_are_the_long_ones(void **state)
{
    (void)state;
    assert_int_equal(READ("-u", "extension:///x.so", "-t", "t", "-o", "summary", "-n", "3"), 0);
    assert_string_equal(options.uri, "extension:///x.so");
    assert_string_equal(options.token, "t");
    assert_string_equal(options.output, "summary");
    assert_int_equal(options.count, 3);
    assert_int_equal(READ("-h"), 0);
    assert_true(options.help);
    assert_int_equal(READ("--version"), 0);
    assert_true(options.version);
}

static void the_token_is_the_first_line_of_a_file(void **state)
{
    char path[] = "/tmp/compass-token-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "secret\r\nmore\n", 13), 13);
    (void)close(fd);
    assert_int_equal(READ("--token-file", path), 0);
    assert_string_equal(options.token, "secret");
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(READ("--token-file", path), -EINVAL);
    assert_non_null(strstr(error.text, "--token-file: /tmp/compass-token-"));
    (void)unlink(path);
    assert_int_equal(READ("--token-file", path), -EINVAL);
    assert_non_null(strstr(error.text, "No such file"));
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *arguments[2];
        const char *says;
    } cases[] = {
        {{"--max-traces", "0"}, "--max-traces: '0'"},
        {{"--max-traces", "1000001"}, "--max-traces: '1000001'"},
        {{"--max-bytes", "1k"}, "--max-bytes: '1k'"},
        {{"--count", "many"}, "--count: 'many'"},
        {{"--output", "xml"}, "--output: 'xml'"},
        {{"--insecure-skip-verify=maybe", NULL}, "--insecure-skip-verify: 'maybe'"},
        {{"--uri", "ftp://x"}, "--uri: 'ftp://x'"},
        {{"--uri", "file://relative"}, "--uri: 'file://relative'"},
        {{"--uri", NULL}, "--uri: its value is missing"},
        {{"--nonsense", NULL}, "--nonsense: no such flag"},
        {{"-o", NULL}, "-o: its value is missing"},
        {{"-ho", NULL}, "-o: its value is missing"},
        {{"--count=1", "-hx"}, "-x: no such flag"},
        {{"--ma", "1"}, "--ma: no such flag"},
        {{"--help=yes", NULL}, "--help=yes: this flag takes no value"},
        {{"frobnicate", NULL}, "'frobnicate': no such command"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(READ((char *)cases[i].arguments[0], (char *)cases[i].arguments[1]),
                         -EINVAL);
        if (!strstr(error.text, cases[i].says))
            fail_msg("%s: %s", cases[i].says, error.text);
    }
    assert_int_equal(setenv("COMPASS_MAX_TRACES", "x", 1), 0);
    assert_int_equal(READ(NULL), -EINVAL);
    assert_non_null(strstr(error.text, "COMPASS_MAX_TRACES: 'x'"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, NULL)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(defaults_are_the_contract),
        TEST(flags_win_over_variables),
        TEST(an_empty_variable_is_none),
        TEST(short_flags_are_the_long_ones),
        TEST(the_token_is_the_first_line_of_a_file),
        TEST(what_is_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
