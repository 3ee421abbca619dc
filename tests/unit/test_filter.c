/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filter.h"
#include "trace_maker.h"

static const struct made_call calls[] = {{"index.php", 0, 300000000, 0},
                                         {"PDO::query", 1000000, 200000000, 1}};

struct fixture {
    struct cps_model model;
    const struct cps_held *held;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    assert_int_equal(cps_model_init(&fixture.model, 10, 1 << 20), 0);
    cps_model_add(&fixture.model, made_trace("/Node/1?page=2", 300000000, calls, 2));
    fixture.held = fixture.model.held[0];
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    cps_model_free(&((struct fixture *)*state)->model);
    return 0;
}

static bool passes(void **state, const char *text)
{
    const struct fixture *fixture = *state;
    struct cps_filter *filter = NULL;
    struct cps_error error = {0};
    bool result;

    if (cps_filter_compile(text, &filter, &error))
        fail_msg("%s", error.text);
    result = cps_filter_matches(filter, fixture->held);
    cps_filter_free(filter);
    return result;
}

static void terms_match_what_they_say(void **state)
{
    static const char *const yes[] = {
        "node",
        "NODE",
        "pdo::QUERY",
        "path:/node",
        ">250ms",
        "<1s",
        "method:get",
        "status:200",
        "status:2xx",
        "calls:>1",
        "runtime:php",
        "source:http",
        "share:>50%",
        "/^.node.[0-9]/",
        "!other",
        "!status:500",
        "node >100ms !POST",
        "",
    };
    static const char *const no[] = {"other",       "path:pdo",   ">300ms",   "<300ms",
                                     "method:post", "status:5xx", "calls:>2", "runtime:node",
                                     "source:cli",  "share:>67%", "/^node/",  "!node",
                                     "node other"};

    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
        assert_true(passes(state, yes[i]));
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
        assert_false(passes(state, no[i]));
}

static void broken_terms_are_named(void **state)
{
    static const char *const broken[] = {">x",  "status:9", "calls:5", "share:>200%",
                                         "/(/", "<5parsec", "/\xff/"};

    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        struct cps_filter *filter = NULL;
        struct cps_error error = {0};

        assert_int_not_equal(cps_filter_compile(broken[i], &filter, &error), 0);
        assert_null(filter);
        assert_non_null(strstr(error.text, broken[i]));
    }
}

/* What a backtracking matcher would try in more ways than there is time for. */
static void a_costly_expression_gives_up(void **state)
{
    struct cps_filter_row row = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 1, 1,
                                 1};
    struct cps_filter *filter = NULL;

    (void)state;
    assert_int_equal(cps_filter_compile("/^(a|aa)+$/", &filter, NULL), 0);
    assert_false(cps_filter_gave_up(filter));
    assert_false(cps_filter_matches_row(filter, &row));
    assert_true(cps_filter_gave_up(filter));
    row.text = "aa";
    assert_false(cps_filter_matches_row(filter, &row));
    cps_filter_free(filter);
}

/* Patterns that took a compiler minutes or all memory. */
static void no_expression_takes_long_to_compile(void **state)
{
    static const char *const patterns[] = {
        "/((((((a{99}){99}){99})+)+)+)/",
        "/((((((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*/",
        "/a*****************************************************************************b/",
        "/(a*)*\\1/",
        "/(x+x+)+y{1,65535}/",
        "/((((((((((a|b|c|d)*)?)+)*)?)+)*)?)+){0,200}/",
    };

    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
        struct cps_filter *filter = NULL;
        struct cps_error error = {0};

        if (cps_filter_compile(patterns[i], &filter, &error) == 0)
            (void)cps_filter_matches(filter, ((const struct fixture *)*state)->held);
        else
            assert_non_null(strstr(error.text, patterns[i]));
        cps_filter_free(filter);
    }
}

static void rows_are_matched_by_what_they_have(void **state)
{
    struct cps_filter_row row = {"Book::find", 5000000, 12, 30};
    static const struct {
        const char *text;
        bool passes;
    } cases[] = {{"book", true},       {"!book", false},        {">4ms", true},
                 {">6ms", false},      {"calls:>10", true},     {"share:>40%", false},
                 {"method:GET", true}, {"!status:500", true},   {"/^Book::f/", true},
                 {"/^find/", false},   {"/^BOOK::\\w+$/", true}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct cps_filter *filter = NULL;

        assert_int_equal(cps_filter_compile(cases[i].text, &filter, NULL), 0);
        assert_int_equal(cps_filter_matches_row(filter, &row), cases[i].passes);
        cps_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(terms_match_what_they_say, set_up, tear_down),
        cmocka_unit_test(broken_terms_are_named),
        cmocka_unit_test(a_costly_expression_gives_up),
        cmocka_unit_test_setup_teardown(no_expression_takes_long_to_compile, set_up, tear_down),
        cmocka_unit_test(rows_are_matched_by_what_they_have),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
