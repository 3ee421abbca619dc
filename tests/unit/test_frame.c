/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "frame.h"

/* The standard output is a socket that keeps what is written apart, write by write. */
static int screen[2], output;

static int take_output(void **state)
{
    (void)state;
    output = dup(STDOUT_FILENO);
    if (output < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, screen))
        return -1;
    return dup2(screen[0], STDOUT_FILENO) < 0;
}

static int give_back(void **state)
{
    (void)state;
    (void)close(screen[0]);
    (void)close(screen[1]);
    return dup2(output, STDOUT_FILENO) < 0 || close(output);
}

static void put(const char *text)
{
    assert_int_equal(write(STDOUT_FILENO, text, strlen(text)), strlen(text));
}

static void is_next_on_screen(const char *text)
{
    char bytes[64] = "";

    assert_int_equal(recv(screen[1], bytes, sizeof(bytes) - 1, 0), strlen(text));
    assert_string_equal(bytes, text);
}

static void a_frame_is_one_write(void **state)
{
    (void)state;
    cps_frame_open();
    cps_frame_begin();
    put("the first, ");
    put("longer ");
    put("frame");
    cps_frame_end();
    cps_frame_begin();
    put("the second");
    cps_frame_end();
    cps_frame_begin();
    cps_frame_end();
    put("between");
    is_next_on_screen("the first, longer frame");
    is_next_on_screen("the second");
    is_next_on_screen("between");
    cps_frame_close();
}

/* As what gives the terminal back when a signal ends the process does. */
static void the_terminal_is_there_while_a_frame_is_drawn(void **state)
{
    (void)state;
    cps_frame_open();
    cps_frame_begin();
    put("half a frame");
    assert_int_equal(write(cps_frame_terminal(), "reset", 5), 5);
    is_next_on_screen("reset");
    cps_frame_end();
    cps_frame_close();
    is_next_on_screen("half a frame");
    assert_int_equal(cps_frame_terminal(), STDOUT_FILENO);
}

static void unopened_it_changes_nothing(void **state)
{
    (void)state;
    cps_frame_begin();
    put("text");
    is_next_on_screen("text");
    cps_frame_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frame_is_one_write, take_output, give_back),
        cmocka_unit_test_setup_teardown(the_terminal_is_there_while_a_frame_is_drawn, take_output,
                                        give_back),
        cmocka_unit_test_setup_teardown(unopened_it_changes_nothing, take_output, give_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
