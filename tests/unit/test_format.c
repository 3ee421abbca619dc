/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "format.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define S (1000 * MS)

struct written {
    uint64_t value;
    const char *text;
};

#define CHECK(writer, cases)                                                                       \
    for (size_t i = 0; i < sizeof(cases) / sizeof((cases)[0]); i++) {                              \
        char out[CPS_FORMAT_SIZE];                                                                 \
        assert_string_equal(writer(out, (cases)[i].value), (cases)[i].text);                       \
    }

/* The next unit begins where rounding would otherwise write four figures. */
static void durations_have_three_figures(void **state)
{
    static const struct written cases[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1 µs"},
        {312 * US, "312 µs"},
        {MS - US / 2 - 1, "999 µs"},
        {MS - US / 2, "1.0 ms"},
        {9949 * US, "9.9 ms"},
        {9950 * US, "10 ms"},
        {838 * MS, "838 ms"},
        {S - MS / 2 - 1, "999 ms"},
        {S - MS / 2, "1.00 s"},
        {9990 * MS, "9.99 s"},
        {30200 * MS, "30.2 s"},
        {60 * S - 1, "60.0 s"},
        {60 * S, "1m 00s"},
        {125 * S, "2m 05s"},
        {3600 * S, "1h 00m"},
        {(3 * 3600 + 12 * 60 + 59) * S, "3h 12m"},
        {UINT64_MAX, "5124095h 34m"},
    };

    (void)state;
    CHECK(cps_format_duration, cases)
}

static void differences_have_a_sign(void **state)
{
    char out[CPS_FORMAT_SIZE];

    (void)state;
    assert_string_equal(cps_format_difference(out, 0), "0");
    assert_string_equal(cps_format_difference(out, 12 * (int64_t)MS), "+12 ms");
    assert_string_equal(cps_format_difference(out, -3100 * (int64_t)MS), "-3.10 s");
    assert_string_equal(cps_format_difference(out, INT64_MIN), "-2562047h 47m");
}

static void counts_are_short_or_grouped(void **state)
{
    static const struct written shorts[] = {
        {0, "0"},         {999, "999"},        {1000, "1.0k"},
        {94812, "94.8k"}, {99950, "100k"},     {999499, "999k"},
        {999500, "1.0M"}, {11900000, "11.9M"}, {999500000, "1.0G"}};
    static const struct written grouped[] = {{0, "0"},
                                             {999, "999"},
                                             {1000, "1,000"},
                                             {94812, "94,812"},
                                             {UINT64_MAX, "18,446,744,073,709,551,615"}};

    (void)state;
    CHECK(cps_format_count, shorts)
    CHECK(cps_format_grouped, grouped)
}

static void bytes_are_in_powers_of_1024(void **state)
{
    static const struct written cases[] = {{0, "0 B"},
                                           {512, "512 B"},
                                           {1000, "1.0 kB"},
                                           {1024, "1.0 kB"},
                                           {(uint64_t)8 << 20, "8.0 MB"},
                                           {(uint64_t)42 << 20, "42 MB"},
                                           {(uint64_t)3 << 30, "3.0 GB"}};

    (void)state;
    CHECK(cps_format_bytes, cases)
}

static void shares_are_whole(void **state)
{
    char out[CPS_FORMAT_SIZE];

    (void)state;
    assert_string_equal(cps_format_share(out, 48, 100), "48%");
    assert_string_equal(cps_format_share(out, 0, 100), "0%");
    assert_string_equal(cps_format_share(out, 1, 1000), "<1%");
    assert_string_equal(cps_format_share(out, 5, 1000), "<1%");
    assert_string_equal(cps_format_share(out, 6, 1000), "1%");
    assert_string_equal(cps_format_share(out, 7, 0), "0%");
    assert_string_equal(cps_format_share(out, 7, 5), "100%");
    assert_string_equal(cps_format_share(out, UINT64_MAX, 1), "100%");
}

static void the_clock_is_local(void **state)
{
    char out[CPS_FORMAT_SIZE];

    (void)state;
    assert_int_equal(setenv("TZ", "UTC-2", 1), 0);
    tzset();
    assert_string_equal(cps_format_clock(out, 3661 * S + 204 * MS, 0), "03:01:01");
    assert_string_equal(cps_format_clock(out, 3661 * S + 204 * MS, 1), "03:01:01.204");
}

struct read {
    const char *text;
    int64_t value; /* -1: refused */
};

static void check_parse(int (*parse)(const char *text, uint64_t *out), const struct read *cases,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 4711;
        int result = parse(cases[i].text, &value);

        if (result != (cases[i].value < 0 ? -EINVAL : 0))
            fail_msg("\"%s\": %d", cases[i].text, result);
        assert_int_equal(value, cases[i].value < 0 ? 4711 : (uint64_t)cases[i].value);
    }
}

#define PARSE(parse, cases) check_parse(parse, cases, sizeof(cases) / sizeof((cases)[0]))

static void what_people_write_is_read(void **state)
{
    static const struct read durations[] = {
        {"5", 5000000}, {"250ms", 250000000}, {"1.5s", 1500000000}, {"2us", 2000},
        {"2µs", 2000},  {"7ns", 7},           {"1m", 60000000000},  {"1h", 3600000000000}};
    static const struct read bytes[] = {{"7", 7},         {"2k", 2048},       {"2kB", 2048},
                                        {"1.5KiB", 1536}, {"64MB", 67108864}, {"1GiB", 1073741824}};
    static const struct read counts[] = {{"500", 500}, {"2k", 2000}, {"1.5M", 1500000}};

    (void)state;
    PARSE(cps_parse_duration, durations);
    PARSE(cps_parse_bytes, bytes);
    PARSE(cps_parse_count, counts);
}

static void what_is_no_figure_is_refused(void **state)
{
    static const struct read cases[] = {{"", -1},    {"ms", -1},    {"-1", -1},   {"+1", -1},
                                        {" 1", -1},  {"1 ", -1},    {"1 ms", -1}, {"1x", -1},
                                        {"nan", -1}, {"1e400", -1}, {"1e19", -1}, {"1msx", -1}};

    (void)state;
    PARSE(cps_parse_duration, cases);
    PARSE(cps_parse_bytes, cases);
    PARSE(cps_parse_count, cases);
}

static void nouns_have_an_s_but_for_one(void **state)
{
    (void)state;
    assert_string_equal(cps_format_plural(0), "s");
    assert_string_equal(cps_format_plural(1), "");
    assert_string_equal(cps_format_plural(2), "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_have_three_figures),
        cmocka_unit_test(differences_have_a_sign),
        cmocka_unit_test(counts_are_short_or_grouped),
        cmocka_unit_test(bytes_are_in_powers_of_1024),
        cmocka_unit_test(shares_are_whole),
        cmocka_unit_test(nouns_have_an_s_but_for_one),
        cmocka_unit_test(the_clock_is_local),
        cmocka_unit_test(what_people_write_is_read),
        cmocka_unit_test(what_is_no_figure_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
