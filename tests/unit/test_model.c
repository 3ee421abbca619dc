/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "model.h"
#include "routes.h"
#include "trace_maker.h"

static const struct made_call slow[] = {{"main", 0, 100, 0}, {"query", 10, 60, 1}};
static const struct made_call fast[] = {{"main", 0, 50, 0}, {"cache", 10, 20, 1}};

static void add(struct cps_model *model, const char *uri, uint64_t duration)
{
    cps_model_add(model, made_trace(uri, duration, slow, 2));
}

static void the_oldest_leave_but_what_is_looked_at_stays(void **state)
{
    struct cps_model model = {0};

    (void)state;
    assert_int_equal(cps_model_init(&model, 3, 1 << 20), 0);
    add(&model, "/a", 100);
    model.pinned = 1;
    for (int i = 0; i < 5; i++)
        add(&model, "/b", 100);
    assert_int_equal(model.count, 3);
    assert_int_equal(model.discarded, 3);
    assert_non_null(cps_model_find(&model, 1));
    assert_null(cps_model_find(&model, 2));
    assert_null(cps_model_find(&model, 4));
    assert_int_equal(cps_model_find(&model, 6)->serial, 6);
    assert_null(cps_model_find(&model, 7));
    cps_model_free(&model);
}

/* Small and large ones in turn, some of them looked at, one beyond every bound: what is held is
 * within the bounds, oldest first, each found, and none is lost without being counted. */
static void the_bounds_hold_whatever_comes(void **state)
{
    struct made_call many[400];

    (void)state;
    for (size_t i = 0; i < 400; i++)
        many[i] = (struct made_call){"loop", i, 1, 0};
    for (size_t most = 1; most <= 7; most++) {
        struct cps_model model = {0};

        assert_int_equal(cps_model_init(&model, most, 40 << 10), 0);
        for (uint64_t i = 1; i <= 500; i++) {
            size_t calls = i % 97 == 0 ? 400 : i * 7 % 30 + 1;

            cps_model_add(&model, made_trace("/a", i, many, calls));
            assert_true(model.count >= 1 && model.count <= most);
            assert_true(model.bytes <= model.max_bytes || model.count == 1 ||
                        (model.count == 2 && model.held[0]->serial == model.pinned));
            assert_int_equal(model.count + model.discarded, i);
            assert_int_equal(model.held[model.count - 1]->serial, i);
            for (size_t at = 0; at < model.count; at++) {
                assert_true(at == 0 || model.held[at - 1]->serial < model.held[at]->serial);
                assert_ptr_equal(cps_model_find(&model, model.held[at]->serial), model.held[at]);
            }
            if (i % 13 == 0)
                model.pinned = model.held[i % model.count]->serial;
        }
        cps_model_free(&model);
    }
}

static void bytes_are_bounded_too(void **state)
{
    struct cps_model model = {0};

    (void)state;
    assert_int_equal(cps_model_init(&model, 1000, 64 << 10), 0);
    for (int i = 0; i < 300; i++)
        add(&model, "/a", 100);
    assert_true(model.bytes <= 64 << 10);
    assert_true(model.count >= 2 && model.count < 300);
    assert_int_equal(model.count + model.discarded, 300);
    cps_model_free(&model);
}

static bool all(const void *context, struct cps_held *held)
{
    (void)context;
    (void)held;
    return true;
}

static void routes_fold_identifiers(void **state)
{
    struct cps_model model = {0};
    struct cps_routes routes;

    (void)state;
    assert_int_equal(cps_model_init(&model, 100, 1 << 20), 0);
    for (uint64_t i = 1; i <= 20; i++)
        add(&model, i % 2 ? "/node/17?x=1" : "/node/4#y", i * 10);
    add(&model, "/file/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f/raw", 7);
    add(&model, "/v2/add/face", 5);
    assert_int_equal(cps_routes_build(model.held, model.count, all, NULL, &routes), 0);
    assert_int_equal(routes.count, 3);
    assert_string_equal(routes.items[0].name, "GET /node/:id");
    assert_int_equal(routes.items[0].count, 20);
    assert_int_equal(routes.items[0].p50, 100);
    assert_int_equal(routes.items[0].p95, 190);
    assert_int_equal(routes.items[0].longest, 200);
    assert_int_equal(routes.items[0].slowest, 20);
    assert_int_equal(routes.items[0].total, 2100);
    assert_int_equal(routes.total, 2112);
    assert_string_equal(routes.items[1].name, "GET /file/:id/raw");
    assert_string_equal(routes.items[2].name, "GET /v2/add/face");
    cps_routes_free(&routes);
    cps_model_free(&model);
}

static void differences_are_by_name_and_the_largest_first(void **state)
{
    struct cps_model model = {0};
    struct cps_changes changes;

    (void)state;
    assert_int_equal(cps_model_init(&model, 100, 1 << 20), 0);
    cps_model_add(&model, made_trace("/a", 100, slow, 2));
    cps_model_add(&model, made_trace("/a", 50, fast, 2));
    assert_int_equal(cps_compare(model.held[0], model.held[1], CPS_COMPARE_SELF, &changes), 0);
    assert_int_equal(changes.count, 3);
    assert_string_equal(changes.items[0].name->data, "query");
    assert_null(changes.items[0].after);
    assert_int_equal(changes.items[0].difference[CPS_COMPARE_SELF], -60);
    assert_string_equal(changes.items[1].name->data, "cache");
    assert_null(changes.items[1].before);
    assert_int_equal(changes.items[1].difference[CPS_COMPARE_CALLS], 1);
    assert_string_equal(changes.items[2].name->data, "main");
    assert_int_equal(changes.items[2].difference[CPS_COMPARE_SELF], -10);
    assert_int_equal(changes.items[2].difference[CPS_COMPARE_INCLUSIVE], -50);
    assert_int_equal(changes.largest, 60);
    cps_compare_free(&changes);
    assert_int_equal(cps_compare(model.held[0], model.held[1], CPS_COMPARE_CALLS, &changes), 0);
    assert_int_equal(changes.largest, 1);
    assert_string_equal(changes.items[0].name->data, "query");
    assert_string_equal(changes.items[2].name->data, "main");
    cps_compare_free(&changes);
    cps_model_free(&model);
}

static void messages_are_cut_and_the_oldest_leave(void **state)
{
    static char text[100000];
    struct cps_model model = {0};

    (void)state;
    memset(text, 'y', sizeof(text) - 1);
    assert_int_equal(cps_model_init(&model, 3, 1 << 20), 0);
    for (int i = 0; i <= CPS_MODEL_LOGS; i++)
        cps_model_log(&model, CPS_LEVEL_INFO, text);
    assert_int_equal(model.log_count, CPS_MODEL_LOGS + 1);
    for (int i = 0; i < CPS_MODEL_LOGS; i++)
        assert_in_range(strlen(model.logs[i].text), 1000, 4096);
    cps_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_leave_but_what_is_looked_at_stays),
        cmocka_unit_test(bytes_are_bounded_too),
        cmocka_unit_test(messages_are_cut_and_the_oldest_leave),
        cmocka_unit_test(the_bounds_hold_whatever_comes),
        cmocka_unit_test(routes_fold_identifiers),
        cmocka_unit_test(differences_are_by_name_and_the_largest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
