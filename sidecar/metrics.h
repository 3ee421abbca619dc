/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that the sidecar counts, in Prometheus' text format. */
#ifndef CPS_SIDECAR_METRICS_H
#define CPS_SIDECAR_METRICS_H

#include "broadcast.h"
#include "buf.h"
#include "otlp.h"
#include "server.h"
#include "supervisor.h"

struct cps_metrics {
    struct cps_supervisor_stats supervisor;
    struct cps_broadcast_stats broadcast;
    struct cps_server_stats server;
    struct cps_otlp_stats otlp;
};

/* Appends the counts, the build and, from /proc/self, the process' own figures. */
void cps_metrics_write(const struct cps_metrics *metrics, struct cps_buf *out);

#endif
