/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame goes to the terminal whole. curses writes after every movement of the cursor, some two
 * hundred times a frame: each of them wakes the terminal, which shows a screen that is half the old
 * one, and over ssh each is a packet. While a frame is drawn, the standard output is memory.
 */
#ifndef CPS_CLI_FRAME_H
#define CPS_CLI_FRAME_H

/* Before the first frame, while the standard output is the terminal. Where there is no memory,
 * frames are written as curses does. */
void cps_frame_open(void);
void cps_frame_begin(void);
void cps_frame_end(void);
void cps_frame_close(void);

/* The terminal, also while a frame is drawn. Safe in a signal handler. */
int cps_frame_terminal(void);

#endif
