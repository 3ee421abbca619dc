/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes of Compass: one list, which the emitters define their notes from and the tracer checks
 * the notes of a file against.
 *
 * Provider is always "compass". A signature has a letter an argument: s is a NUL-terminated string,
 * u an unsigned and i a signed 64 bit integer, p a pointer. Names, order and types are a public
 * interface: deployed tracers, scripts and images depend on them.
 */
#ifndef CPS_PROBES_PROBES_H
#define CPS_PROBES_PROBES_H

#define CPS_PROBE_PROVIDER "compass"

/* clang-format off */
#define CPS_PROBES(X)                                                       \
    X(canary,                                           "")                 \
    X(batch,                                            "pu")               \
    X(fpm_request_init,                                 "sss")              \
    X(fpm_function,                                     "ssuu")             \
    X(fpm_request_shutdown,                             "s")                \
    X(cli_request_init,                                 "us")               \
    X(cli_function,                                     "usuu")             \
    X(cli_request_shutdown,                             "u")                \
    X(http_request_init,                                "sss")              \
    X(http_function,                                    "ssuu")             \
    X(http_request_shutdown,                            "suu")              \
    X(drupal_cacheablemetadata_createfromrenderarray,   "ssiss")            \
    X(drupal_cacheablemetadata_createfromobject,        "ssisss")
/* clang-format on */

#define CPS_PROBE_ENUM_(name, signature) CPS_PROBE_##name,
enum cps_probe { CPS_PROBES(CPS_PROBE_ENUM_) CPS_PROBE_COUNT };
#undef CPS_PROBE_ENUM_

#endif
