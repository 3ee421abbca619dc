/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emitting USDT probes from an extension or an addon.
 *
 * A probe is a nop and an ELF note of type 3 (.note.stapsdt, the layout that SystemTap defined and
 * that libbpf, bpftrace, perf and gdb read): three addresses (the nop, the link-time address of
 * .stapsdt.base, the semaphore), then provider, name and a description of where each argument
 * lives at the nop, as three strings. Whoever attaches adds one to the semaphore, a 16 bit counter
 * in the process's memory, through the kernel, and subtracts it on leaving.
 *
 * The nop is followed, on x86-64, by a 5-byte nop: kernels from 6.18 can patch that one into a
 * call, at a quarter of a trap's price, while older kernels emulate the 1-byte nop and would have
 * to single-step the other. So a tracer has the choice; the note names the first.
 *
 * The semaphores of all probes are one array, in the order of probes.h, so that the addon can map
 * them as one piece of memory. Exactly one source file of each shared object writes
 * CPS_USDT_DEFINE_SEMAPHORES once at file scope.
 *
 * Use:
 *     if (cps_usdt_watched(CPS_PROBE_fpm_request_shutdown))
 *         CPS_USDT1(fpm_request_shutdown, request_id);
 *
 * Every argument is handed over as 64 bits: a pointer or an integer. Those of a CPS_USDTn are
 * described as unsigned; where one is signed, CPS_USDT_EMIT takes the description itself.
 */
#ifndef CPS_PROBES_USDT_H
#define CPS_PROBES_USDT_H

#include <stdint.h>

#include "probes.h"

#if !defined(__LP64__)
#error "compass: only 64-bit platforms are supported"
#endif

#define CPS_USDT_DEFINE_SEMAPHORES                                                                 \
    __attribute__((section(".probes"), visibility("hidden"),                                       \
                   used)) volatile unsigned short cps_usdt_semaphores[CPS_PROBE_COUNT] = {0};

extern volatile unsigned short cps_usdt_semaphores[CPS_PROBE_COUNT]
    __attribute__((visibility("hidden")));

/* Whether a tracer is attached to the probe at this moment. Any thread. */
static inline int cps_usdt_watched(enum cps_probe probe)
{
    return (int)__builtin_expect(cps_usdt_semaphores[probe] != 0, 0);
}

#if defined(__x86_64__)
#define CPS_USDT_NOP ".byte 0x90, 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#else
#define CPS_USDT_NOP "nop\n"
#endif

/* args: the description, whose operands are %[a1], %[a2], ...; then these operands. */
#define CPS_USDT_EMIT(probe, args, ...)                                                            \
    __asm__ __volatile__("990:\n" CPS_USDT_NOP ".pushsection .note.stapsdt,\"?\",\"note\"\n"       \
                         ".balign 4\n"                                                             \
                         ".4byte 992f-991f, 994f-993f, 3\n"                                        \
                         "991: .asciz \"stapsdt\"\n"                                               \
                         "992: .balign 4\n"                                                        \
                         "993: .8byte 990b\n"                                                      \
                         ".8byte _.stapsdt.base\n"                                                 \
                         ".8byte cps_usdt_semaphores+%c[semaphore]\n"                              \
                         ".asciz \"" CPS_PROBE_PROVIDER "\"\n"                                     \
                         ".asciz \"" #probe "\"\n"                                                 \
                         ".asciz \"" args "\"\n"                                                   \
                         "994: .balign 4\n"                                                        \
                         ".popsection\n"                                                           \
                         ".ifndef _.stapsdt.base\n"                                                \
                         ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
                         ".weak _.stapsdt.base\n"                                                  \
                         ".hidden _.stapsdt.base\n"                                                \
                         "_.stapsdt.base: .space 1\n"                                              \
                         ".size _.stapsdt.base, 1\n"                                               \
                         ".popsection\n"                                                           \
                         ".endif\n" ::[semaphore] "i"(CPS_PROBE_##probe * sizeof(unsigned short)), \
                         ##__VA_ARGS__)

/* A register or a constant, never memory: a compiler may address memory with an index register, and
 * libbpf 1.1 does not read such a description. */
#define CPS_USDT_ARG_(n, value) [a##n] "nr"((uint64_t)(value))

#define CPS_USDT0(probe) CPS_USDT_EMIT(probe, "")
#define CPS_USDT1(probe, a) CPS_USDT_EMIT(probe, "8@%[a1]", CPS_USDT_ARG_(1, a))
#define CPS_USDT2(probe, a, b)                                                                     \
    CPS_USDT_EMIT(probe, "8@%[a1] 8@%[a2]", CPS_USDT_ARG_(1, a), CPS_USDT_ARG_(2, b))
#define CPS_USDT3(probe, a, b, c)                                                                  \
    CPS_USDT_EMIT(probe, "8@%[a1] 8@%[a2] 8@%[a3]", CPS_USDT_ARG_(1, a), CPS_USDT_ARG_(2, b),      \
                  CPS_USDT_ARG_(3, c))
#define CPS_USDT4(probe, a, b, c, d)                                                               \
    CPS_USDT_EMIT(probe, "8@%[a1] 8@%[a2] 8@%[a3] 8@%[a4]", CPS_USDT_ARG_(1, a),                   \
                  CPS_USDT_ARG_(2, b), CPS_USDT_ARG_(3, c), CPS_USDT_ARG_(4, d))

#endif
