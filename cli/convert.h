/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPS_CLI_CONVERT_H
#define CPS_CLI_CONVERT_H

/* `compass convert`: argv[0] is "convert". The exit status: 0; 1 where something could not be read
 * or written, or no trace was there; 2 for wrong arguments. */
int cps_convert_main(int argc, char **argv);

#endif
