/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership that shows: a variable tagged with one of these owns what it holds and gives it back
 * when it goes out of scope, unless cps_steal takes it away first. Not for code that calls into the
 * Zend engine: its longjmp skips them.
 */
#ifndef CPS_COMMON_CLEANUP_H
#define CPS_COMMON_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cps_cleanup_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void cps_cleanup_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static inline void cps_cleanup_fclose(FILE **file)
{
    if (*file)
        (void)fclose(*file);
}

#define cps_auto_free __attribute__((cleanup(cps_cleanup_free)))
#define cps_auto_close __attribute__((cleanup(cps_cleanup_close)))
#define cps_auto_fclose __attribute__((cleanup(cps_cleanup_fclose)))

/* The pointer's value; the variable is NULL from here on. */
#define cps_steal(pointer)                                                                         \
    ({                                                                                             \
        __typeof__(pointer) cps_stolen_ = (pointer);                                               \
        (pointer) = NULL;                                                                          \
        cps_stolen_;                                                                               \
    })

/* The same of a descriptor, which is -1 from here on. */
static inline int cps_steal_fd(int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

#endif
