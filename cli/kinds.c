/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define MS UINT64_C(1000000)

/* A query or a wait in a loop is a fault long before the same number of calls in memory is one; and
 * what waits for somebody else is slow later than what computes. */
static const struct cps_kind_bounds bounds[CPS_KIND_COUNT] = {
    [CPS_KIND_CODE] = {20, 10 * MS, 0.25, 10 * MS, 0.25},
    [CPS_KIND_QUERY] = {20, 1 * MS, 0.15, 20 * MS, 0.15},
    [CPS_KIND_UPSTREAM] = {5, 40 * MS, 0.15, 40 * MS, 0.15},
    [CPS_KIND_FILE] = {20, 5 * MS, 0.20, 40 * MS, 0.20},
    [CPS_KIND_LOCK] = {5, 20 * MS, 0.15, 20 * MS, 0.15},
    [CPS_KIND_SLEEP] = {5, 20 * MS, 0.15, 20 * MS, 0.15},
    [CPS_KIND_CACHE] = {20, 2 * MS, 0.15, 20 * MS, 0.15},
    [CPS_KIND_SORT] = {10, 5 * MS, 0.15, 10 * MS, 0.25},
    [CPS_KIND_COPY] = {20, 5 * MS, 0.15, 10 * MS, 0.25},
    [CPS_KIND_SCAN] = {20, 5 * MS, 0.20, 10 * MS, 0.25},
    [CPS_KIND_COMPILE] = {5, 5 * MS, 0.15, 20 * MS, 0.25},
    [CPS_KIND_LOAD] = {20, 5 * MS, 0.15, 20 * MS, 0.25},
    [CPS_KIND_EACH] = {20, 10 * MS, 0.25, 10 * MS, 0.25},
};

static const struct {
    const char *name;
    enum cps_kind kind;
} whole[] = {
    {"PDO::__construct", CPS_KIND_UPSTREAM},
    {"PDO::exec", CPS_KIND_QUERY},
    {"PDO::prepare", CPS_KIND_QUERY},
    {"PDO::query", CPS_KIND_QUERY},
    {"array_diff", CPS_KIND_COPY},
    {"array_fill_keys", CPS_KIND_COPY},
    {"array_filter", CPS_KIND_EACH},
    {"array_intersect", CPS_KIND_COPY},
    {"array_map", CPS_KIND_EACH},
    {"array_merge", CPS_KIND_COPY},
    {"array_merge_recursive", CPS_KIND_COPY},
    {"array_multisort", CPS_KIND_SORT},
    {"array_pad", CPS_KIND_COPY},
    {"array_reduce", CPS_KIND_EACH},
    {"array_replace", CPS_KIND_COPY},
    {"array_reverse", CPS_KIND_COPY},
    {"array_search", CPS_KIND_SCAN},
    {"array_shift", CPS_KIND_COPY},
    {"array_slice", CPS_KIND_COPY},
    {"array_splice", CPS_KIND_COPY},
    {"array_sum", CPS_KIND_SCAN},
    {"array_unique", CPS_KIND_COPY},
    {"array_unshift", CPS_KIND_COPY},
    {"array_values", CPS_KIND_COPY},
    {"array_walk", CPS_KIND_EACH},
    {"arsort", CPS_KIND_SORT},
    {"asort", CPS_KIND_SORT},
    {"call_user_func", CPS_KIND_EACH},
    {"call_user_func_array", CPS_KIND_EACH},
    {"copy", CPS_KIND_FILE},
    {"curl_exec", CPS_KIND_UPSTREAM},
    {"curl_multi_exec", CPS_KIND_UPSTREAM},
    {"curl_multi_select", CPS_KIND_UPSTREAM},
    {"file", CPS_KIND_FILE},
    {"file_get_contents", CPS_KIND_FILE},
    {"file_put_contents", CPS_KIND_FILE},
    {"flock", CPS_KIND_LOCK},
    {"fopen", CPS_KIND_FILE},
    {"fread", CPS_KIND_FILE},
    {"fgets", CPS_KIND_FILE},
    {"fsockopen", CPS_KIND_UPSTREAM},
    {"fsync", CPS_KIND_FILE},
    {"fwrite", CPS_KIND_FILE},
    {"gethostbyname", CPS_KIND_UPSTREAM},
    {"dns_get_record", CPS_KIND_UPSTREAM},
    {"get_headers", CPS_KIND_UPSTREAM},
    {"getimagesize", CPS_KIND_FILE},
    {"glob", CPS_KIND_FILE},
    {"in_array", CPS_KIND_SCAN},
    {"iterator_apply", CPS_KIND_EACH},
    {"krsort", CPS_KIND_SORT},
    {"ksort", CPS_KIND_SORT},
    {"mail", CPS_KIND_UPSTREAM},
    {"mysqli::__construct", CPS_KIND_UPSTREAM},
    {"mysqli::execute_query", CPS_KIND_QUERY},
    {"mysqli::multi_query", CPS_KIND_QUERY},
    {"mysqli::prepare", CPS_KIND_QUERY},
    {"mysqli::query", CPS_KIND_QUERY},
    {"mysqli::real_query", CPS_KIND_QUERY},
    {"mysqli_execute_query", CPS_KIND_QUERY},
    {"mysqli_prepare", CPS_KIND_QUERY},
    {"mysqli_query", CPS_KIND_QUERY},
    {"mysqli_stmt::execute", CPS_KIND_QUERY},
    {"mysqli_stmt_execute", CPS_KIND_QUERY},
    {"natcasesort", CPS_KIND_SORT},
    {"natsort", CPS_KIND_SORT},
    {"oci_execute", CPS_KIND_QUERY},
    {"opendir", CPS_KIND_FILE},
    {"PDOStatement::execute", CPS_KIND_QUERY},
    {"pg_execute", CPS_KIND_QUERY},
    {"pg_prepare", CPS_KIND_QUERY},
    {"pg_query", CPS_KIND_QUERY},
    {"pg_query_params", CPS_KIND_QUERY},
    {"preg_replace_callback", CPS_KIND_EACH},
    {"readfile", CPS_KIND_FILE},
    {"rsort", CPS_KIND_SORT},
    {"scandir", CPS_KIND_FILE},
    {"sem_acquire", CPS_KIND_LOCK},
    {"session_start", CPS_KIND_LOCK},
    {"shuffle", CPS_KIND_COPY},
    {"sleep", CPS_KIND_SLEEP},
    {"SoapClient::__call", CPS_KIND_UPSTREAM},
    {"SoapClient::__doRequest", CPS_KIND_UPSTREAM},
    {"SoapClient::__soapCall", CPS_KIND_UPSTREAM},
    {"socket_connect", CPS_KIND_UPSTREAM},
    {"socket_read", CPS_KIND_UPSTREAM},
    {"socket_recv", CPS_KIND_UPSTREAM},
    {"sort", CPS_KIND_SORT},
    {"SQLite3::exec", CPS_KIND_QUERY},
    {"SQLite3::prepare", CPS_KIND_QUERY},
    {"SQLite3::query", CPS_KIND_QUERY},
    {"SQLite3::querySingle", CPS_KIND_QUERY},
    {"SQLite3Stmt::execute", CPS_KIND_QUERY},
    {"stream_get_contents", CPS_KIND_FILE},
    {"stream_select", CPS_KIND_UPSTREAM},
    {"stream_socket_client", CPS_KIND_UPSTREAM},
    {"time_nanosleep", CPS_KIND_SLEEP},
    {"time_sleep_until", CPS_KIND_SLEEP},
    {"uasort", CPS_KIND_SORT},
    {"uksort", CPS_KIND_SORT},
    {"usleep", CPS_KIND_SLEEP},
    {"usort", CPS_KIND_SORT},
};

static const struct {
    const char *part;
    enum { BEGINS, CONTAINS, ENDS } place;
    enum cps_kind kind;
} parts[] = {
    {"fetch ", BEGINS, CPS_KIND_UPSTREAM},
    {"http ", BEGINS, CPS_KIND_UPSTREAM},
    {"axios.", BEGINS, CPS_KIND_UPSTREAM},
    {"pg.", BEGINS, CPS_KIND_QUERY},
    {"mysql.", BEGINS, CPS_KIND_QUERY},
    {"mysql2.", BEGINS, CPS_KIND_QUERY},
    {"mongodb.", BEGINS, CPS_KIND_QUERY},
    {"better-sqlite3.", BEGINS, CPS_KIND_QUERY},
    {"sqlite3.", BEGINS, CPS_KIND_QUERY},
    {"Redis::", BEGINS, CPS_KIND_CACHE},
    {"RedisCluster::", BEGINS, CPS_KIND_CACHE},
    {"Memcached::", BEGINS, CPS_KIND_CACHE},
    {"ioredis.", BEGINS, CPS_KIND_CACHE},
    {"redis.", BEGINS, CPS_KIND_CACHE},
    {"MongoDB\\Driver\\", BEGINS, CPS_KIND_QUERY},
    {"ClassLoader::", CONTAINS, CPS_KIND_LOAD},
    {"autoload", CONTAINS, CPS_KIND_LOAD},
    {"::loadClass", ENDS, CPS_KIND_LOAD},
};

static bool has_part(const char *name, size_t index)
{
    const char *part = parts[index].part;
    size_t length = strlen(part), whole_length = strlen(name);

    if (parts[index].place == BEGINS)
        return strncmp(name, part, length) == 0;
    if (parts[index].place == ENDS)
        return whole_length >= length && strcmp(name + whole_length - length, part) == 0;
    return strcasestr(name, part) != NULL;
}

/* "Twig\Environment::compileSource", "BladeCompiler::compileString", "compileTemplate": what is
 * called is called compile. */
static bool compiles(const char *name)
{
    const char *method = strstr(name, "::");
    const char *space = strrchr(name, '\\');
    const char *dot = strrchr(name, '.');

    if (method)
        method += 2;
    else if (space)
        method = space + 1;
    else
        method = dot ? dot + 1 : name;
    return strncasecmp(method, "compile", 7) == 0;
}

bool cps_kind_is_file(const char *name)
{
    const char *end = strrchr(name, '.');

    return *name == '/' && end && (!strcmp(end, ".php") || !strcmp(end, ".inc"));
}

enum cps_kind cps_kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
        if (!strcmp(name, whole[i].name))
            return whole[i].kind;
    }
    if (cps_kind_is_file(name))
        return CPS_KIND_CODE;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        if (has_part(name, i))
            return parts[i].kind;
    }
    return compiles(name) ? CPS_KIND_COMPILE : CPS_KIND_CODE;
}

const struct cps_kind_bounds *cps_kind_bounds(enum cps_kind kind)
{
    return &bounds[kind];
}
