/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

void cps_say(const char *format, ...)
{
    cps_auto_buf struct cps_buf safe = {0};
    char line[2048];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    cps_text_append_safe(&safe, line, strlen(line), false);
    cps_buf_append(&safe, "\n", 1);
    if (!cps_buf_failed(&safe))
        (void)fwrite(safe.data, 1, safe.length, stderr);
}
