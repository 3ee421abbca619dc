/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cleanup.h"

#define PREFIX "compass_sidecar_"

enum type { COUNTER, GAUGE };

struct metric {
    const char *name;
    enum type type;
    size_t offset; /* in struct cps_metrics, of an uint64_t */
    const char *help;
};

/* The sizeof is of an array that only a 64 bit field can have. */
#define AT(field)                                                                                  \
    (offsetof(struct cps_metrics, field) +                                                         \
     0 * sizeof(char[sizeof(((struct cps_metrics *)0)->field) == sizeof(uint64_t) ? 1 : -1]))

static const struct metric table[] = {
    {"subscriptions", GAUGE, AT(broadcast.subscribers), "Clients that read the stream now."},
    {"subscriptions_refused_total", COUNTER, AT(broadcast.refused),
     "Clients turned away since there were too many."},
    {"traces_published_total", COUNTER, AT(broadcast.published), "Traces handed to subscribers."},
    {"traces_delivered_total", COUNTER, AT(broadcast.delivered),
     "Traces sent, over all subscribers."},
    {"traces_dropped_total", COUNTER, AT(broadcast.dropped),
     "Traces lost since a subscriber was too slow, over all subscribers."},
    {"lines_queued", GAUGE, AT(broadcast.queued), "Lines that wait for subscribers now."},
    {"files_attached", GAUGE, AT(supervisor.files_attached), "Probe files attached now."},
    {"attaches_total", COUNTER, AT(supervisor.attaches), "Probe files attached."},
    {"detaches_total", COUNTER, AT(supervisor.detaches), "Probe files detached."},
    {"attach_failures_total", COUNTER, AT(supervisor.attach_failures),
     "Attempts to load the programs or to attach a file that failed."},
    {"scan_failures_total", COUNTER, AT(supervisor.scan_failures),
     "Looks for processes that failed, and files passed over without memory."},
    {"encode_failures_total", COUNTER, AT(supervisor.encode_failures),
     "Lines lost since there was no memory for them."},
    {"events_received_total", COUNTER, AT(supervisor.collector.events_received),
     "Records read from the ring; a block counts as one."},
    {"blocks_received_total", COUNTER, AT(supervisor.collector.blocks_received),
     "Blocks of records read from the ring."},
    {"calls_received_total", COUNTER, AT(supervisor.collector.calls_received),
     "Function calls read from the ring."},
    {"events_lost_total", COUNTER, AT(supervisor.collector.ring_lost),
     "Records lost since the ring was full."},
    {"events_malformed_total", COUNTER, AT(supervisor.collector.events_malformed),
     "Records that broke a rule of the format."},
    {"events_orphaned_total", COUNTER, AT(supervisor.collector.events_orphaned),
     "Records of requests whose start was not seen."},
    {"reads_failed_total", COUNTER, AT(supervisor.collector.read_failed),
     "Records lost since the application's memory could not be read."},
    {"blocks_lost_total", COUNTER, AT(supervisor.collector.blocks_lost),
     "Blocks missing from requests."},
    {"calls_dropped_total", COUNTER, AT(supervisor.collector.calls_dropped),
     "Function calls over max_function_calls."},
    {"requests_refused_total", COUNTER, AT(supervisor.collector.requests_refused),
     "Requests over the bound on requests in flight."},
    {"memory_failed_total", COUNTER, AT(supervisor.collector.memory_failed),
     "Records dropped since there was no memory."},
    {"traces_completed_total", COUNTER, AT(supervisor.collector.traces_completed),
     "Traces of requests that ended."},
    {"traces_aborted_total", COUNTER, AT(supervisor.collector.traces_aborted),
     "Traces of requests whose process or client went away."},
    {"traces_expired_total", COUNTER, AT(supervisor.collector.traces_expired),
     "Traces of requests that fell silent."},
    {"requests_in_flight", GAUGE, AT(supervisor.collector.in_flight), "Requests being assembled."},
    {"requests_in_flight_bytes", GAUGE, AT(supervisor.collector.in_flight_bytes),
     "Memory held for them."},
    {"http_connections", GAUGE, AT(server.connections), "Connections open now."},
    {"http_requests_total", COUNTER, AT(server.requests), "Requests answered."},
    {"http_unauthorized_total", COUNTER, AT(server.unauthorized),
     "Requests with a wrong token or none."},
    {"http_timeouts_total", COUNTER, AT(server.timeouts),
     "Connections closed since no whole request came."},
    {"http_abandoned_total", COUNTER, AT(server.abandoned), "Streams whose client went away."},
    {"otlp_spans_sent_total", COUNTER, AT(otlp.spans_sent), "Spans that the endpoint took."},
    {"otlp_spans_rejected_total", COUNTER, AT(otlp.spans_rejected),
     "Spans that the endpoint says it has thrown away."},
    {"otlp_traces_dropped_total", COUNTER, AT(otlp.traces_dropped),
     "Traces not exported: the queue was full, or the endpoint refused them."},
    {"otlp_failures_total", COUNTER, AT(otlp.failures), "Exports that failed and may be retried."},
    {"otlp_queued", GAUGE, AT(otlp.queued), "Traces that wait to be exported."},
};

static void head(struct cps_buf *out, const char *name, enum type type, const char *help)
{
    cps_buf_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                          type == COUNTER ? "counter" : "gauge");
}

static void write_table(const struct cps_metrics *metrics, struct cps_buf *out)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char name[96];
        uint64_t value;
        (void)snprintf(name, sizeof(name), PREFIX "%s", table[i].name);
        memcpy(&value, (const char *)metrics + table[i].offset, sizeof(value));
        head(out, name, table[i].type, table[i].help);
        cps_buf_append_format(out, "%s %" PRIu64 "\n", name, value);
    }
}

static void write_flags(const struct cps_metrics *metrics, struct cps_buf *out)
{
    struct utsname host;

    head(out, PREFIX "runtime_discovered", GAUGE, "Whether a process of the runtime was found.");
    cps_buf_append_format(out, PREFIX "runtime_discovered{runtime=\"php\"} %d\n",
                          metrics->supervisor.php_discovered);
    cps_buf_append_format(out, PREFIX "runtime_discovered{runtime=\"node\"} %d\n",
                          metrics->supervisor.node_discovered);
    head(out, PREFIX "collector_running", GAUGE, "Whether probes are attached.");
    cps_buf_append_format(out, PREFIX "collector_running %d\n",
                          metrics->supervisor.files_attached > 0);
    head(out, PREFIX "build_info", GAUGE, "The build, as labels.");
    cps_buf_append_format(out, PREFIX "build_info{version=\"%s\",architecture=\"%s\"} 1\n",
                          CPS_VERSION, uname(&host) == 0 ? host.machine : "unknown");
}

static void write_gauge(struct cps_buf *out, enum type type, const char *name, const char *help,
                        double value)
{
    head(out, name, type, help);
    cps_buf_append_format(out, "%s %.17g\n", name, value);
}

static unsigned int count_fds(void)
{
    unsigned int count = 0;
    DIR *directory = opendir("/proc/self/fd");

    if (!directory)
        return 0;
    while (readdir(directory))
        count++;
    (void)closedir(directory);
    return count > 3 ? count - 3 : 0; /* ".", ".." and the directory itself */
}

/* When the kernel started, since the epoch; the process' start is counted from it. */
static double boot_time(void)
{
    cps_auto_fclose FILE *file = fopen("/proc/stat", "re");
    char line[4096];

    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "btime ", 6) == 0)
            return strtod(line + 6, NULL);
    }
    return 0;
}

static void write_stat(struct cps_buf *out)
{
    cps_auto_fclose FILE *file = fopen("/proc/self/stat", "re");
    unsigned long user;
    unsigned long system;
    unsigned long virtual_bytes;
    unsigned long long start;
    long threads;
    long pages;
    double ticks = (double)sysconf(_SC_CLK_TCK);

    if (!file || fscanf(file, // NOLINT(cert-err34-c): the kernel's own numbers
                        "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d "
                        "%*d %*d %ld %*d %llu %lu %ld",
                        &user, &system, &threads, &start, &virtual_bytes, &pages) != 6)
        return;
    write_gauge(out, COUNTER, "process_cpu_seconds_total", "CPU time used.",
                (double)(user + system) / ticks);
    write_gauge(out, GAUGE, "process_threads", "Threads.", (double)threads);
    write_gauge(out, GAUGE, "process_start_time_seconds", "When the process started.",
                boot_time() + (double)start / ticks);
    write_gauge(out, GAUGE, "process_virtual_memory_bytes", "Address space.",
                (double)virtual_bytes);
    write_gauge(out, GAUGE, "process_resident_memory_bytes", "Memory in use.",
                (double)pages * (double)sysconf(_SC_PAGESIZE));
}

static void write_process(struct cps_buf *out)
{
    struct rlimit limit;

    write_stat(out);
    write_gauge(out, GAUGE, "process_open_fds", "Open descriptors.", (double)count_fds());
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        write_gauge(out, GAUGE, "process_max_fds", "Bound on open descriptors.",
                    (double)limit.rlim_cur);
}

void cps_metrics_write(const struct cps_metrics *metrics, struct cps_buf *out)
{
    write_flags(metrics, out);
    write_table(metrics, out);
    write_process(out);
}
