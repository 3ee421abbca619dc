/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the terminal back where a signal ends the process, whatever state the process is in. */
#ifndef CPS_CLI_RESTORE_H
#define CPS_CLI_RESTORE_H

/* Notes the terminal's modes. Before curses changes them. */
void cps_restore_note(void);
/* Prepares what gives the terminal back and handles the signals that would end the process without
 * another word. After curses knows the terminal. */
void cps_restore_arm(void);
/* Nothing is left to give back. */
void cps_restore_disarm(void);

#endif
