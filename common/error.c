/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int cps_error_set(struct cps_error *error, int code, const char *format, ...)
{
    va_list arguments;

    if (!error)
        return code;
    va_start(arguments, format);
    if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
        error->text[0] = '\0';
    va_end(arguments);
    return code;
}
