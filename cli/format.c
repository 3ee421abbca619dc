/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define US UINT64_C(1000)
#define MS (1000 * US)
#define S (1000 * MS)

struct unit {
    const char *name;
    double factor;
};

/* Below ten, one figure after the point; it is dropped where rounding would make it "10.0". */
static const char *scaled(char *out, double value, const char *unit)
{
    (void)snprintf(out, CPS_FORMAT_SIZE, value < 9.95 ? "%.1f%s" : "%.0f%s", value, unit);
    return out;
}

const char *cps_format_duration(char *out, uint64_t ns)
{
    uint64_t seconds = ns / S;

    if (ns < US)
        (void)snprintf(out, CPS_FORMAT_SIZE, "%u ns", (unsigned)ns);
    else if (ns < MS - US / 2)
        (void)snprintf(out, CPS_FORMAT_SIZE, "%.0f µs", (double)ns / (double)US);
    else if (ns < S - MS / 2)
        return scaled(out, (double)ns / (double)MS, " ms");
    else if (seconds < 60)
        (void)snprintf(out, CPS_FORMAT_SIZE, seconds < 10 ? "%.2f s" : "%.1f s",
                       (double)ns / (double)S);
    else if (seconds < 3600)
        (void)snprintf(out, CPS_FORMAT_SIZE, "%um %02us", (unsigned)(seconds / 60),
                       (unsigned)(seconds % 60));
    else
        (void)snprintf(out, CPS_FORMAT_SIZE, "%lluh %02um", (unsigned long long)(seconds / 3600),
                       (unsigned)(seconds / 60 % 60));
    return out;
}

uint64_t cps_format_magnitude(int64_t difference)
{
    return difference < 0 ? (uint64_t)0 - (uint64_t)difference : (uint64_t)difference;
}

static const char *with_sign(char *out, int64_t difference,
                             const char *(*format)(char *out, uint64_t figure))
{
    char figure[CPS_FORMAT_SIZE];

    if (difference == 0) {
        (void)snprintf(out, CPS_FORMAT_SIZE, "0");
        return out;
    }
    (void)snprintf(out, CPS_FORMAT_SIZE, "%c%.*s", difference < 0 ? '-' : '+', CPS_FORMAT_SIZE - 2,
                   format(figure, cps_format_magnitude(difference)));
    return out;
}

const char *cps_format_difference(char *out, int64_t ns)
{
    return with_sign(out, ns, cps_format_duration);
}

const char *cps_format_count_difference(char *out, int64_t count)
{
    return with_sign(out, count, cps_format_count);
}

const char *cps_format_count(char *out, uint64_t count)
{
    static const struct unit units[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    size_t unit = 0;

    if (count < 1000) {
        (void)snprintf(out, CPS_FORMAT_SIZE, "%u", (unsigned)count);
        return out;
    }
    while (unit + 1 < sizeof(units) / sizeof(*units) &&
           (double)count >= units[unit + 1].factor * 0.9995)
        unit++;
    double value = (double)count / units[unit].factor;
    (void)snprintf(out, CPS_FORMAT_SIZE, value < 99.95 ? "%.1f%s" : "%.0f%s", value,
                   units[unit].name);
    return out;
}

const char *cps_format_grouped(char *out, uint64_t count)
{
    char digits[CPS_FORMAT_SIZE];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    char *at = out;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return out;
}

const char *cps_format_bytes(char *out, uint64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(*units)) {
        value /= 1024;
        unit++;
    }
    if (unit == 0)
        (void)snprintf(out, CPS_FORMAT_SIZE, "%.0f B", value);
    else
        scaled(out, value, units[unit]);
    return out;
}

const char *cps_format_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

double cps_format_percent(uint64_t part, uint64_t whole)
{
    if (part >= whole)
        return whole ? 100 : 0;
    return 100.0 * (double)part / (double)whole;
}

const char *cps_format_share(char *out, uint64_t part, uint64_t whole)
{
    double share = cps_format_percent(part, whole);

    if (share > 0 && share <= 0.5) /* a half would be rounded to even, to nothing */
        (void)snprintf(out, CPS_FORMAT_SIZE, "<1%%");
    else
        (void)snprintf(out, CPS_FORMAT_SIZE, "%.0f%%", share);
    return out;
}

const char *cps_format_clock(char *out, uint64_t epoch_ns, int milliseconds)
{
    time_t seconds = (time_t)(epoch_ns / S);
    struct tm local;
    size_t length;

    if (!localtime_r(&seconds, &local)) {
        (void)snprintf(out, CPS_FORMAT_SIZE, "--:--:--");
        return out;
    }
    length = strftime(out, CPS_FORMAT_SIZE, "%H:%M:%S", &local);
    if (milliseconds)
        (void)snprintf(out + length, CPS_FORMAT_SIZE - length, ".%03u",
                       (unsigned)(epoch_ns % S / MS));
    return out;
}

static int parse(const char *text, const struct unit *units, size_t count, uint64_t *out)
{
    char *end;
    double value;

    if (*text < '0' || *text > '9')
        return -EINVAL;
    errno = 0;
    value = strtod(text, &end);
    if (errno || !isfinite(value))
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(end, units[i].name) != 0)
            continue;
        value *= units[i].factor;
        if (value >= 9.2e18)
            return -EINVAL;
        *out = (uint64_t)(value + 0.5);
        return 0;
    }
    return -EINVAL;
}

int cps_parse_duration(const char *text, uint64_t *ns)
{
    static const struct unit units[] = {{"", 1e6},   {"ns", 1},  {"us", 1e3}, {"µs", 1e3},
                                        {"ms", 1e6}, {"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}};

    return parse(text, units, sizeof(units) / sizeof(*units), ns);
}

int cps_parse_bytes(const char *text, uint64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1},           {"B", 1},           {"k", 1024},        {"kB", 1024},
        {"KiB", 1024},     {"M", 1048576},     {"MB", 1048576},    {"MiB", 1048576},
        {"G", 1073741824}, {"GB", 1073741824}, {"GiB", 1073741824}};

    return parse(text, units, sizeof(units) / sizeof(*units), bytes);
}

int cps_parse_count(const char *text, uint64_t *count)
{
    static const struct unit units[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}};

    return parse(text, units, sizeof(units) / sizeof(*units), count);
}
