/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sentence for a person: what failed, naming the key or the path, what was found and what was
 * expected. Functions that can fail in a way that a person must mend take a struct cps_error *,
 * which may be NULL, and return 0 or a negative errno value. The text is set on failure only.
 * Nothing is allocated.
 */
#ifndef CPS_COMMON_ERROR_H
#define CPS_COMMON_ERROR_H

struct cps_error {
    char text[512];
};

/* Writes the sentence (cut where it does not fit) and returns `code`, so that a caller can say
 * `return cps_error_set(error, -EINVAL, "addr: ...")`. */
__attribute__((format(printf, 3, 4))) int cps_error_set(struct cps_error *error, int code,
                                                        const char *format, ...);

#endif
