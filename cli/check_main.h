/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPS_CLI_CHECK_MAIN_H
#define CPS_CLI_CHECK_MAIN_H

/* `compass check`: argv[0] is "check". The exit status: 0 where all rules hold, 1 where one does
 * not, 2 where a rule, an argument or a file cannot be read. */
int cps_check_main(int argc, char **argv);

#endif
