/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static char file_path[64];

static const char *write_file(const char *text)
{
    (void)snprintf(file_path, sizeof(file_path), "/tmp/compass-config-XXXXXX");
    int fd = mkstemp(file_path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
    return file_path;
}

static struct cps_config *load(const char *yaml, char *const *environment)
{
    struct cps_config *config = NULL;
    struct cps_error error = {{0}};
    const char *path = yaml ? write_file(yaml) : NULL;

    if (cps_config_load(path, environment, &config, &error) < 0)
        fail_msg("%s", error.text);
    if (path)
        (void)unlink(path);
    return config;
}

/* The sentence of a configuration that must be refused. */
static const char *refuse(const char *yaml, char *const *environment)
{
    static struct cps_error error;
    struct cps_config *config = NULL;
    const char *path = yaml ? write_file(yaml) : NULL;

    error.text[0] = '\0';
    assert_true(cps_config_load(path, environment, &config, &error) < 0);
    assert_null(config);
    assert_string_not_equal(error.text, "");
    if (path)
        (void)unlink(path);
    return error.text;
}

static void assert_says(const char *sentence, const char *part)
{
    if (!strstr(sentence, part))
        fail_msg("\"%s\" does not say \"%s\"", sentence, part);
}

static void defaults_are_the_contract(void **state)
{
    struct cps_config *config = load(NULL, NULL);

    (void)state;
    assert_string_equal(config->addr, ":28624");
    assert_int_equal(config->log_level, CPS_LOG_INFO);
    assert_string_equal(config->php_process_name, "php-fpm");
    assert_string_equal(config->php_extension_path, "/usr/lib/php/modules/compass.so");
    assert_string_equal(config->node_process_name, "node");
    assert_string_equal(config->node_addon_path, "/usr/lib/compass/node/compass.node");
    assert_true(config->discovery_timeout == 60 * SECOND);
    assert_int_equal(config->max_function_calls, 10000);
    assert_null(config->token);
    assert_null(config->cert_file);
    assert_null(config->key_file);
    assert_true(config->seccomp);
    assert_null(config->otlp_endpoint);
    cps_config_free(config);
}

static void the_environment_wins_over_the_file(void **state)
{
    char *environment[] = {"COMPASS_SIDECAR_ADDR=[::1]:9000",
                           "COMPASS_SIDECAR_TOKEN=", "COMPASS_SIDECAR_MAX_FUNCTION_CALLS=7",
                           "UNRELATED=1", NULL};
    struct cps_config *config = load("addr: 127.0.0.1:1\n"
                                     "token: 'from: the file'\n"
                                     "max_function_calls: 5\n"
                                     "log_level: debug # a comment\n"
                                     "discovery_timeout: 1m30s\n"
                                     "seccomp: false\n"
                                     "cert_file:\n",
                                     environment);

    (void)state;
    assert_string_equal(config->addr, "[::1]:9000");
    assert_string_equal(config->token, "from: the file");
    assert_int_equal(config->max_function_calls, 7);
    assert_int_equal(config->log_level, CPS_LOG_DEBUG);
    assert_true(config->discovery_timeout == 90 * SECOND);
    assert_false(config->seccomp);
    assert_null(config->cert_file);
    cps_config_free(config);
}

static void an_empty_file_is_all_defaults(void **state)
{
    (void)state;
    cps_config_free(load("", NULL));
    cps_config_free(load("# nothing here\n", NULL));
    cps_config_free(load("---\n", NULL));
}

static void errors_name_key_found_and_expected(void **state)
{
    static const struct {
        const char *yaml;
        const char *says[3];
    } cases[] = {
        {"addr: nowhere\n", {":1: addr", "\"nowhere\"", "127.0.0.1:28624"}},
        {"\nlog_level: loud\n", {":2: log_level", "\"loud\"", "debug, info, warn or error"}},
        {"discovery_timeout: 90\n", {"discovery_timeout", "\"90\"", "90s"}},
        {"max_function_calls: -1\n", {"max_function_calls", "\"-1\"", "1 to 1000000"}},
        {"max_function_calls: 0\n", {"max_function_calls", "\"0\"", "whole number"}},
        {"seccomp: maybe\n", {"seccomp", "\"maybe\"", "true or false"}},
        {"adr: :1\n", {":1: adr", "unknown key", "--help"}},
        {"addr: :1\naddr: :2\n", {":2: addr", "second time", "once"}},
        {"addr: [1, 2]\n", {"addr", "a list", "single value"}},
        {"addr: {a: b}\n", {"addr", "a mapping", "single value"}},
        {"- addr\n", {":1:", "a list", "keys"}},
        {"addr\n", {":1:", "a single value", "keys"}},
        {"[a]: b\n", {":1:", "a list", "a key"}},
        {"addr: 'x\n", {"not YAML", ":", " "}},
        {"addr: :1\n---\naddr: :2\n", {"second document", "one", ":2:"}},
        {"php_process_name: ''\n", {"php_process_name", "\"\"", "text"}},
        {"addr: \"a\\0b\"\n", {"addr", "NUL", "without"}},
        {"addr: *a\n", {":1:", " ", " "}},
        {"---\n---\naddr: :1\n", {"second document", "one", ":2:"}},
        {"token: \"s3cret\\n\"\n", {":1: token", "a newline at its end", "no control characters"}},
        {"token: \"s3\\ncret\"\n", {"token", "a newline in it", "header"}},
        {"token: \"s3\\acret\"\n", {"token", "a control character", "header"}},
        {"token: ' s3cret'\n", {"token", "a blank around it", "no blanks"}},
        {"token: 's3cret '\n", {"token", "a blank around it", "no blanks"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *sentence = refuse(cases[i].yaml, NULL);
        for (size_t k = 0; k < 3; k++)
            assert_says(sentence, cases[i].says[k]);
    }
}

static void errors_name_the_variable(void **state)
{
    char *environment[] = {"COMPASS_SIDECAR_DISCOVERY_TIMEOUT=soon", NULL};
    const char *sentence = refuse(NULL, environment);

    (void)state;
    assert_says(sentence, "COMPASS_SIDECAR_DISCOVERY_TIMEOUT: found \"soon\"");
}

static void a_refused_token_is_not_told(void **state)
{
    char *environment[] = {"COMPASS_SIDECAR_TOKEN=s3cret\n", NULL};

    (void)state;
    assert_says(refuse(NULL, environment), "COMPASS_SIDECAR_TOKEN: found a newline at its end");
    assert_null(strstr(refuse(NULL, environment), "s3cret"));
}

static void half_a_certificate_pair_is_refused(void **state)
{
    char *only_key[] = {"COMPASS_SIDECAR_KEY_FILE=/k", NULL};

    (void)state;
    assert_says(refuse("cert_file: /c\n", NULL), "key_file");
    assert_says(refuse(NULL, only_key), "cert_file");
}

static void a_missing_file_is_named(void **state)
{
    struct cps_config *config = NULL;
    struct cps_error error;

    (void)state;
    assert_int_equal(cps_config_load("/nonexistent/c.yaml", NULL, &config, &error), -ENOENT);
    assert_says(error.text, "/nonexistent/c.yaml");
}

static void durations(void **state)
{
    static const char *const bad[] = {
        "", "1", "s", "-1s", "1x", "1.5m", "1 ", " 1s", "1m30", "99999999999999999999s", "10001h"};
    uint64_t ns = 0;

    (void)state;
    assert_int_equal(cps_config_parse_duration("1m", &ns), 0);
    assert_true(ns == 60 * SECOND);
    assert_int_equal(cps_config_parse_duration("90s", &ns), 0);
    assert_true(ns == 90 * SECOND);
    assert_int_equal(cps_config_parse_duration("1h1m30s250ms", &ns), 0);
    assert_true(ns == 3690 * SECOND + 250000000);
    assert_int_equal(cps_config_parse_duration("0s", &ns), 0);
    assert_true(ns == 0);
    ns = 42;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(cps_config_parse_duration(bad[i], &ns), -EINVAL);
        assert_true(ns == 42);
    }
}

static void addresses(void **state)
{
    static const char *const bad[] = {"",        "28624", ":",      ":0",
                                      ":65536",  ":1x",   "::1:80", "[::1]80",
                                      "[::1:80", "[]:80", "a b:80", "http://a:80"};
    char host[16] = "";
    uint16_t port = 0;

    (void)state;
    assert_int_equal(cps_config_parse_address(":28624", host, sizeof(host), &port), 0);
    assert_string_equal(host, "");
    assert_int_equal(port, 28624);
    assert_int_equal(cps_config_parse_address("127.0.0.1:80", host, sizeof(host), &port), 0);
    assert_string_equal(host, "127.0.0.1");
    assert_int_equal(cps_config_parse_address("[::1]:65535", host, sizeof(host), &port), 0);
    assert_string_equal(host, "::1");
    assert_int_equal(port, 65535);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cps_config_parse_address(bad[i], host, sizeof(host), &port), -EINVAL);
    assert_int_equal(
        cps_config_parse_address("a-name-too-long-for-it:80", host, sizeof(host), &port), -EINVAL);
}

static void help_lists_every_key(void **state)
{
    struct cps_buf text = {0};

    (void)state;
    cps_config_describe(&text);
    cps_buf_append(&text, "", 1);
    assert_false(cps_buf_failed(&text));
    assert_says(text.data, "COMPASS_SIDECAR_PHP_EXTENSION_PATH");
    assert_says(text.data, "otlp_endpoint");
    cps_buf_free(&text);
}

static void the_example_in_the_docs_loads(void **state)
{
    struct cps_config *config = NULL;
    struct cps_error error = {{0}};

    (void)state;
    if (cps_config_load(CPS_SOURCE_ROOT "/docs/sidecar-config.yaml", NULL, &config, &error) < 0)
        fail_msg("%s", error.text);
    assert_string_equal(config->addr, ":28624");
    cps_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_contract),
        cmocka_unit_test(the_environment_wins_over_the_file),
        cmocka_unit_test(an_empty_file_is_all_defaults),
        cmocka_unit_test(errors_name_key_found_and_expected),
        cmocka_unit_test(errors_name_the_variable),
        cmocka_unit_test(a_refused_token_is_not_told),
        cmocka_unit_test(half_a_certificate_pair_is_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(durations),
        cmocka_unit_test(addresses),
        cmocka_unit_test(help_lists_every_key),
        cmocka_unit_test(the_example_in_the_docs_loads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
