/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct cps_buf text;

static int write_text(void **state)
{
    static const struct cps_metrics metrics = {
        .broadcast = {.subscribers = 3, .dropped = 42},
        .supervisor = {.php_discovered = true, .files_attached = 2, .collector = {.ring_lost = 9}}};

    (void)state;
    cps_metrics_write(&metrics, &text);
    cps_buf_append(&text, "", 1);
    assert_false(cps_buf_failed(&text));
    return 0;
}

static int drop_text(void **state)
{
    (void)state;
    cps_buf_free(&text);
    return 0;
}

static void assert_line(const char *line)
{
    char wanted[256];

    (void)snprintf(wanted, sizeof(wanted), "\n%s\n", line);
    if (!strstr(text.data, wanted))
        fail_msg("no line %s", line);
}

static void the_names_that_dashboards_read(void **state)
{
    (void)state;
    assert_line("compass_sidecar_runtime_discovered{runtime=\"php\"} 1");
    assert_line("compass_sidecar_runtime_discovered{runtime=\"node\"} 0");
    assert_line("compass_sidecar_subscriptions 3");
    assert_line("compass_sidecar_collector_running 1");
    assert_line("compass_sidecar_traces_dropped_total 42");
    assert_line("compass_sidecar_events_lost_total 9");
    assert_non_null(strstr(text.data, "\ncompass_sidecar_build_info{version=\"" CPS_VERSION "\""));
}

static void the_process_is_measured(void **state)
{
    static const char *const names[] = {"process_resident_memory_bytes", "process_open_fds",
                                        "process_start_time_seconds", "process_max_fds",
                                        "process_threads"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char wanted[64];
        (void)snprintf(wanted, sizeof(wanted), "\n%s ", names[i]);
        const char *at = strstr(text.data, wanted);
        assert_non_null(at);
        assert_true(strtod(at + strlen(wanted), NULL) > 0);
    }
}

/* What promtool would say: every sample has its HELP and TYPE before it, once; counters end in
 * _total, gauges do not; names are of the right letters. */
static void the_text_is_well_formed(void **state)
{
    char last[128] = "";
    char type[16] = "";
    char *save = NULL;

    (void)state;
    for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char name[128];
        if (sscanf(line, "# HELP %127s", name) == 1) {
            assert_string_not_equal(name, last);
            assert_int_equal(line[strlen(line) - 1], '.');
            (void)snprintf(last, sizeof(last), "%s", name);
            continue;
        }
        if (sscanf(line, "# TYPE %127s %15s", name, type) == 2) {
            assert_string_equal(name, last);
            size_t length = strlen(name);
            bool total = length > 6 && strcmp(name + length - 6, "_total") == 0;
            assert_int_equal(total, strcmp(type, "counter") == 0);
            continue;
        }
        assert_memory_equal(line, last, strlen(last));
        const char *rest = line + strlen(last);
        assert_true(*rest == ' ' || *rest == '{');
        char *end;
        (void)strtod(strrchr(line, ' ') + 1, &end);
        assert_int_equal(*end, '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_names_that_dashboards_read, write_text, drop_text),
        cmocka_unit_test_setup_teardown(the_process_is_measured, write_text, drop_text),
        cmocka_unit_test_setup_teardown(the_text_is_well_formed, write_text, drop_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
