/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pairs.h"

#define MANY 262144u

static void pairs_are_numbered_as_they_first_come(void **state)
{
    struct cps_pairs pairs;

    (void)state;
    assert_int_equal(cps_pairs_init(&pairs, 1000), 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(cps_pairs_find(&pairs, i % 10, i), i);
    for (uint32_t i = 1000; i-- > 0;)
        assert_int_equal(cps_pairs_find(&pairs, i % 10, i), i);
    assert_int_equal(pairs.count, 1000);
    cps_pairs_free(&pairs);
    assert_null(pairs.slots);
}

static void there_may_be_room_for_none(void **state)
{
    struct cps_pairs pairs;

    (void)state;
    assert_int_equal(cps_pairs_init(&pairs, 0), 0);
    cps_pairs_free(&pairs);
    assert_int_not_equal(cps_pairs_init(&pairs, UINT32_MAX), 0);
}

/* Every one of these shares its slot with all others where the hash is a factor that is known, here
 * the golden ratio of 64 bits, and its middle bits: that takes hours, and the test is ended. */
static void a_stranger_cannot_choose_pairs_that_share_a_slot(void **state)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint32_t inverse = (uint32_t)factor;
    struct cps_pairs pairs;

    (void)state;
    for (int i = 0; i < 4; i++)
        inverse *= 2 - (uint32_t)factor * inverse;
    assert_int_equal(cps_pairs_init(&pairs, MANY), 0);
    for (uint32_t second = 0; second < MANY; second++) {
        uint32_t rest = (uint32_t)((second * factor) >> 32);
        uint32_t first = (0u - rest) * inverse & (2 * MANY - 1);

        assert_int_equal(cps_pairs_find(&pairs, first, second), second);
    }
    cps_pairs_free(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_numbered_as_they_first_come),
        cmocka_unit_test(there_may_be_room_for_none),
        cmocka_unit_test(a_stranger_cannot_choose_pairs_that_share_a_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
