/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "traceparent.h"

#define IDS "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"

static bool parse(const char *text, struct cps_batch_parent *out)
{
    return cps_traceparent_parse(text, strlen(text), out);
}

static void good_ones_are_read(void **state)
{
    static const char *const good[] = {"00-" IDS "-01", "00-" IDS "-00", "cc-" IDS "-ff",
                                       "cc-" IDS "-01-what-comes-later"};
    static const uint8_t trace[16] = {0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6,
                                      0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36};
    static const uint8_t span[8] = {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct cps_batch_parent parent = {{0}, {0}};

        assert_true(parse(good[i], &parent));
        assert_memory_equal(parent.trace_id, trace, sizeof(trace));
        assert_memory_equal(parent.span_id, span, sizeof(span));
    }
}

static void bad_ones_are_ignored(void **state)
{
    static const char *const bad[] = {
        "",
        "00-" IDS,
        "00-" IDS "-",
        "00-" IDS "-0",
        "00-" IDS "-0g",
        "00-" IDS "-01-",
        "00-" IDS "-011",
        "cc-" IDS "-01.",
        "ff-" IDS "-01",
        "0-" IDS "-01",
        "00_" IDS "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct cps_batch_parent parent = {{7}, {7}};
        const struct cps_batch_parent before = parent;

        if (parse(bad[i], &parent))
            fail_msg("\"%s\" was taken", bad[i]);
        assert_memory_equal(&parent, &before, sizeof(before));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones_are_read),
        cmocka_unit_test(bad_ones_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
