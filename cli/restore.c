/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler does only what POSIX lets one do at any moment: write(2), tcsetattr(3) and raise(3).
 * endwin is none of these (it may allocate, and waits for a lock that the interrupted code may
 * hold), so the bytes that it would send are put together in advance.
 */
#include "restore.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "frame.h"

#include <curses.h>
/* Last: it defines words as short as `lines`. */
#include <term.h>

#define STACK_SIZE 65536

/* Those that end a process unless it says otherwise; SIGINT, SIGTERM and SIGHUP end it in order. */
static const int fatal_signals[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL,    SIGSYS,
                                    SIGTRAP, SIGQUIT, SIGXCPU, SIGXFSZ, SIGALRM,   SIGUSR1,
                                    SIGUSR2, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT, SIGVTALRM};

static struct termios modes;
static volatile sig_atomic_t modes_known;
static char reset[512];
static volatile size_t reset_length;
/* A stack of its own, for what ends since the other one is full. */
static char handler_stack[STACK_SIZE];

static void on_fatal(int number)
{
    ssize_t written = write(cps_frame_terminal(), reset, reset_length);

    (void)written;
    if (modes_known)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    /* SA_RESETHAND: this time it is the end. */
    (void)raise(number);
}

static int put(int byte)
{
    if (reset_length < sizeof(reset))
        reset[reset_length++] = (char)byte;
    return byte;
}

/* terminfo's answer for what an entry does not have is NULL or, for what is no string, -1. */
static bool known(const char *sequence)
{
    return sequence && (intptr_t)sequence != -1;
}

static void add(const char *sequence)
{
    if (known(sequence))
        (void)tputs(sequence, 1, put);
}

/* As curses turns the mouse on: by XM where the terminal's entry has it, else as xterm did at
 * first. */
static void add_mouse_off(void)
{
    const char *mode = tigetstr("XM");

    if (known(mode))
        add(tparm(mode, 0));
    else if (key_mouse)
        add("\033[?1000l");
}

void cps_restore_note(void)
{
    modes_known = tcgetattr(STDIN_FILENO, &modes) == 0;
}

void cps_restore_arm(void)
{
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
    struct sigaction action = {.sa_handler = on_fatal,
                               .sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK)};

    reset_length = 0;
    add_mouse_off();
    add(exit_attribute_mode);
    add(keypad_local);
    add(cursor_normal);
    add(exit_ca_mode);
    (void)sigaltstack(&stack, NULL);
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(fatal_signals) / sizeof(*fatal_signals); i++)
        (void)sigaction(fatal_signals[i], &action, NULL);
}

void cps_restore_disarm(void)
{
    reset_length = 0;
    modes_known = false;
}
