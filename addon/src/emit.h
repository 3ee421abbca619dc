/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes that the addon fires. One function a probe; each fires only while a tracer is attached
 * to it. Strings are NUL-terminated and borrowed. Any thread.
 */
#ifndef CPS_ADDON_EMIT_H
#define CPS_ADDON_EMIT_H

#include <stddef.h>
#include <stdint.h>

void cps_emit_canary(void);

/* Hands over a block in a buffer of CPS_BATCH_MAX bytes. Its pages are made present first: a tracer
 * cannot take a page fault. */
void cps_emit_batch(const void *block, uint32_t length);

void cps_emit_http_init(const char *id, const char *uri, const char *method);
void cps_emit_http_function(const char *id, const char *name, uint64_t elapsed, uint64_t memory);
void cps_emit_http_shutdown(const char *id, uint64_t status, uint64_t duration);
void cps_emit_cli_init(uint64_t pid, const char *command);
void cps_emit_cli_function(uint64_t pid, const char *name, uint64_t elapsed, uint64_t memory);
void cps_emit_cli_shutdown(uint64_t pid);

/* The semaphores of all probes, in the order of probes.h: 16 bits each, *size bytes. */
volatile unsigned short *cps_emit_semaphores(size_t *size);

#endif
