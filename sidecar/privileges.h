/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process may do once it has started: only what attaching and reading /proc need. Both
 * functions act on the calling thread, and on the threads that it starts later, so they come before
 * any other thread.
 */
#ifndef CPS_SIDECAR_PRIVILEGES_H
#define CPS_SIDECAR_PRIVILEGES_H

#include <stdbool.h>

#include "error.h"

/* Raises the limits on descriptors and on locked memory (kernels before 5.11 charge BPF maps to it)
 * as far as is allowed, drops every capability but CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE, and
 * CAP_SYS_ADMIN where the kernel wants it for uprobes or does not know the first two, and sets
 * no-new-privileges. 0, or -EPERM with a sentence. */
int cps_privileges_drop(struct cps_error *error);

/* Whether all that is needed is there. Where it is not, the sentence names what is missing. */
bool cps_privileges_sufficient(struct cps_error *error);

/* Allows only the system calls of a list; others fail with EPERM. 0, or a negative errno value with
 * a sentence. */
int cps_privileges_seccomp(struct cps_error *error);

#endif
