/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

#include "batch.h"
#include "probes.h"
#include "usdt.h"

#define PAGE 4096

CPS_USDT_DEFINE_SEMAPHORES

volatile unsigned short *cps_emit_semaphores(size_t *size)
{
    *size = sizeof(cps_usdt_semaphores);
    return cps_usdt_semaphores;
}

void cps_emit_canary(void)
{
    if (cps_usdt_watched(CPS_PROBE_canary))
        CPS_USDT0(canary);
}

void cps_emit_batch(const void *block, uint32_t length)
{
    const volatile char *bytes = block;

    if (!cps_usdt_watched(CPS_PROBE_batch))
        return;
    for (uint32_t i = 0; i < CPS_BATCH_MAX; i += PAGE)
        (void)bytes[i];
    (void)bytes[CPS_BATCH_MAX - 1];
    CPS_USDT2(batch, block, length);
}

void cps_emit_http_init(const char *id, const char *uri, const char *method)
{
    if (cps_usdt_watched(CPS_PROBE_http_request_init))
        CPS_USDT3(http_request_init, id, uri, method);
}

void cps_emit_http_function(const char *id, const char *name, uint64_t elapsed, uint64_t memory)
{
    if (cps_usdt_watched(CPS_PROBE_http_function))
        CPS_USDT4(http_function, id, name, elapsed, memory);
}

void cps_emit_http_shutdown(const char *id, uint64_t status, uint64_t duration)
{
    if (cps_usdt_watched(CPS_PROBE_http_request_shutdown))
        CPS_USDT3(http_request_shutdown, id, status, duration);
}

void cps_emit_cli_init(uint64_t pid, const char *command)
{
    if (cps_usdt_watched(CPS_PROBE_cli_request_init))
        CPS_USDT2(cli_request_init, pid, command);
}

void cps_emit_cli_function(uint64_t pid, const char *name, uint64_t elapsed, uint64_t memory)
{
    if (cps_usdt_watched(CPS_PROBE_cli_function))
        CPS_USDT4(cli_function, pid, name, elapsed, memory);
}

void cps_emit_cli_shutdown(uint64_t pid)
{
    if (cps_usdt_watched(CPS_PROBE_cli_request_shutdown))
        CPS_USDT1(cli_request_shutdown, pid);
}
