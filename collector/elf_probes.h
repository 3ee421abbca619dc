/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes that a file has, read from its notes (.note.stapsdt) and compared with the list in
 * probes.h. The file is a stranger's: nothing in it is trusted.
 */
#ifndef CPS_COLLECTOR_ELF_PROBES_H
#define CPS_COLLECTOR_ELF_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "probes.h"
#include "trace.h"

struct cps_elf_probes {
    uint32_t locations[CPS_PROBE_COUNT]; /* places in the code; 0: the file has no such probe */
    bool faulty[CPS_PROBE_COUNT];        /* a location has other arguments than the list says */
    /* The first faulty location of each probe: what it has. */
    int found_count[CPS_PROBE_COUNT];
    char found[CPS_PROBE_COUNT][128]; /* its description, cut */
};

/* Reads the file that `fd` is open on, from any position. 0, -ENOEXEC where it is no 64-bit ELF
 * file, -errno. `path` is for the sentence alone. */
int cps_elf_probes_read(int fd, const char *path, struct cps_elf_probes *out,
                        struct cps_error *error);

/* Which probes a tracer attaches: the canary and `batch` where there is one, else the canary and
 * the classic set of the runtime, the Drupal probes if they are there. CPS_RUNTIME_UNKNOWN is
 * resolved into what the probes say. -EPROTO with the sentence of the contract where one is missing
 * or has other arguments; `attach` and `runtime` are untouched then. */
int cps_elf_probes_choose(const struct cps_elf_probes *probes, const char *path,
                          enum cps_runtime *runtime, bool attach[CPS_PROBE_COUNT],
                          struct cps_error *error);

/* The name of a probe, without its provider. */
const char *cps_elf_probes_name(enum cps_probe probe);

#endif
