/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop, one thread. A turn of it: see whether anybody watches; if so, look for files when it is
 * time, attach what is new, let go of what is gone, and drain the rings for a moment; if not, wait.
 *
 * Loading the programs takes far longer than attaching them, so they are loaded before anybody
 * comes. After the last one has left, they are thrown away and loaded anew, and with them go the
 * requests whose end will not be seen.
 *
 * A file is known by device and inode. One that could not be attached keeps a time before which it
 * is not tried again; one that no process has mapped any more stays attached for a while, since a
 * reload leaves a moment without processes.
 *
 * The mutex guards only what other threads see: `stop`, `poked` and the published statistics.
 */
#include "supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "discover.h"
#include "log.h"
#include "text.h"

#define POLL_MS 50

struct file {
    dev_t device;
    ino_t inode;
    enum cps_runtime runtime;
    bool attached;
    uint64_t seen;                                    /* when a process last had it mapped */
    uint64_t retry_at;                                /* not to be attached before */
    uint64_t delay;                                   /* the wait after the next failure */
    char said[sizeof(((struct cps_error *)0)->text)]; /* what was logged last */
};

struct cps_supervisor {
    struct cps_supervisor_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakeup;
    bool stop;
    bool poked;
    struct cps_supervisor_stats published;

    /* The thread's own. */
    struct cps_supervisor_stats stats;
    struct cps_collector_stats closed; /* of collectors that were closed */
    struct cps_collector *collector;
    struct file *files;
    size_t file_count;
    uint64_t started;
    uint64_t last_wanted;
    uint64_t next_scan;
    uint64_t open_retry_at;
    uint64_t open_delay;
    bool watching; /* somebody subscribes, or did until a moment ago */
    bool settled;  /* a runtime was found, or its absence reported */
    char open_said[sizeof(((struct cps_error *)0)->text)];
    char scan_said[sizeof(((struct cps_error *)0)->text)];
};

/* Lines for subscribers. */

static void publish(struct cps_supervisor *supervisor, struct cps_buf *buf, enum cps_line_kind kind)
{
    struct cps_line *line = cps_line_new(buf);

    if (!line) {
        supervisor->stats.encode_failures++;
        return;
    }
    cps_broadcast_publish(supervisor->options.broadcast, line, kind);
    cps_line_unref(line);
}

static void on_trace(void *context, const struct cps_trace *trace)
{
    struct cps_supervisor *supervisor = context;
    cps_auto_buf struct cps_buf buf = {0};

    if (supervisor->options.on_trace)
        supervisor->options.on_trace(supervisor->options.context, trace);
    if (cps_broadcast_count(supervisor->options.broadcast) == 0)
        return;
    if (cps_trace_encode(trace, &buf) < 0)
        supervisor->stats.encode_failures++;
    else
        publish(supervisor, &buf, CPS_LINE_TRACE);
}

static void on_started(void *context, const struct cps_trace *trace)
{
    struct cps_supervisor *supervisor = context;
    cps_auto_buf struct cps_buf buf = {0};

    if (!cps_broadcast_wants_events(supervisor->options.broadcast))
        return;
    cps_buf_append_string(&buf, "{\"event\":{\"kind\":\"started\",\"trace\":");
    if (cps_trace_encode(trace, &buf) < 0) {
        supervisor->stats.encode_failures++;
        return;
    }
    buf.length--; /* the line's end, which comes later here */
    cps_buf_append_string(&buf, "}}\n");
    publish(supervisor, &buf, CPS_LINE_EVENT);
}

/* Logs a failure unless it is the one that `said` holds, and tells subscribers each time. */
static void complain(struct cps_supervisor *supervisor, enum cps_log_level level,
                     const char *sentence, char *said, size_t size)
{
    cps_auto_buf struct cps_buf buf = {0};

    if (strcmp(said, sentence) != 0) {
        (void)snprintf(said, size, "%s", sentence);
        cps_log(level, sentence, NULL);
    }
    cps_buf_append_format(
        &buf, "{\"event\":{\"kind\":\"log\",\"level\":\"%s\",\"msg\":", cps_log_level_name(level));
    cps_text_append_json(&buf, sentence, strlen(sentence));
    cps_buf_append_string(&buf, "}}\n");
    publish(supervisor, &buf, CPS_LINE_EVENT);
}

static uint64_t next_delay(const struct cps_supervisor *supervisor, uint64_t delay)
{
    uint64_t most = supervisor->options.backoff_most;

    return delay * 2 < most ? delay * 2 : most;
}

/* The collector. */

/* The last two are of this moment and not added up. */
_Static_assert(sizeof(struct cps_collector_stats) == 16 * sizeof(uint64_t),
               "a count that add_stats does not know");

static void add_stats(struct cps_collector_stats *sum, const struct cps_collector_stats *more)
{
    sum->events_received += more->events_received;
    sum->blocks_received += more->blocks_received;
    sum->calls_received += more->calls_received;
    sum->ring_lost += more->ring_lost;
    sum->events_malformed += more->events_malformed;
    sum->read_failed += more->read_failed;
    sum->events_orphaned += more->events_orphaned;
    sum->blocks_lost += more->blocks_lost;
    sum->calls_dropped += more->calls_dropped;
    sum->requests_refused += more->requests_refused;
    sum->memory_failed += more->memory_failed;
    sum->traces_completed += more->traces_completed;
    sum->traces_aborted += more->traces_aborted;
    sum->traces_expired += more->traces_expired;
}

static void open_collector(struct cps_supervisor *supervisor, uint64_t now)
{
    struct cps_collector_options options = {
        .max_function_calls = supervisor->options.max_function_calls,
        .on_trace = on_trace,
        .on_started = on_started,
        .context = supervisor,
    };
    struct cps_error error;

    if (supervisor->collector || now < supervisor->open_retry_at)
        return;
    if (cps_collector_open(&options, &supervisor->collector, &error) == 0) {
        supervisor->open_delay = supervisor->options.backoff;
        supervisor->open_said[0] = '\0';
        if (supervisor->watching)
            supervisor->next_scan = 0;
        return;
    }
    supervisor->stats.attach_failures++;
    complain(supervisor, CPS_LOG_ERROR, error.text, supervisor->open_said,
             sizeof(supervisor->open_said));
    supervisor->open_retry_at = now + supervisor->open_delay;
    supervisor->open_delay = next_delay(supervisor, supervisor->open_delay);
}

static void close_collector(struct cps_supervisor *supervisor)
{
    struct cps_collector_stats last = {0};

    if (!supervisor->collector)
        return;
    cps_collector_stats(supervisor->collector, &last);
    add_stats(&supervisor->closed, &last);
    supervisor->stats.detaches += cps_collector_attached(supervisor->collector);
    cps_collector_close(cps_steal(supervisor->collector));
    supervisor->file_count = 0;
}

/* Files. */

static struct file *find_file(struct cps_supervisor *supervisor, dev_t device, ino_t inode)
{
    for (size_t i = 0; i < supervisor->file_count; i++) {
        if (supervisor->files[i].device == device && supervisor->files[i].inode == inode)
            return &supervisor->files[i];
    }
    return NULL;
}

static struct file *add_file(struct cps_supervisor *supervisor, const struct cps_target *target)
{
    size_t size = (supervisor->file_count + 1) * sizeof(*supervisor->files);
    struct file *files = realloc(supervisor->files, size);

    if (!files)
        return NULL;
    supervisor->files = files;
    struct file *file = &files[supervisor->file_count++];
    *file = (struct file){
        .device = target->device,
        .inode = target->inode,
        .runtime = target->runtime,
        .delay = supervisor->options.backoff,
    };
    return file;
}

static const char *runtime_name(enum cps_runtime runtime)
{
    return runtime == CPS_RUNTIME_NODE ? "node" : "php";
}

static void attach_file(struct cps_supervisor *supervisor, struct file *file,
                        const struct cps_target *target, uint64_t now)
{
    struct cps_error error;

    if (file->attached || now < file->retry_at)
        return;
    if (cps_collector_attach(supervisor->collector, target, &error) == 0) {
        file->attached = true;
        file->delay = supervisor->options.backoff;
        file->said[0] = '\0';
        supervisor->stats.attaches++;
        cps_log(CPS_LOG_INFO, "attached", "runtime", runtime_name(file->runtime), "file",
                target->path, NULL);
        return;
    }
    supervisor->stats.attach_failures++;
    complain(supervisor, CPS_LOG_ERROR, error.text, file->said, sizeof(file->said));
    file->retry_at = now + file->delay;
    file->delay = next_delay(supervisor, file->delay);
}

static void see_targets(struct cps_supervisor *supervisor, const struct cps_target *targets,
                        size_t count, uint64_t now)
{
    for (size_t i = 0; i < count; i++) {
        struct file *file = find_file(supervisor, targets[i].device, targets[i].inode);
        if (!file)
            file = add_file(supervisor, &targets[i]);
        if (!file) {
            supervisor->stats.scan_failures++; /* no memory for it */
            continue;
        }
        file->seen = now;
        attach_file(supervisor, file, &targets[i], now);
    }
}

static void forget_absent(struct cps_supervisor *supervisor, uint64_t now)
{
    size_t kept = 0;

    for (size_t i = 0; i < supervisor->file_count; i++) {
        struct file *file = &supervisor->files[i];
        if (now - file->seen < supervisor->options.absence) {
            supervisor->files[kept++] = *file;
            continue;
        }
        if (!file->attached)
            continue;
        cps_collector_detach(supervisor->collector, file->device, file->inode);
        supervisor->stats.detaches++;
        cps_log(CPS_LOG_INFO, "detached: no process has the file any more", "runtime",
                runtime_name(file->runtime), NULL);
    }
    supervisor->file_count = kept;
}

/* Looks for one runtime and attaches where the collector is open. Whether a file was found; the
 * sentence is set where none was. */
static bool scan_runtime(struct cps_supervisor *supervisor, enum cps_runtime runtime, uint64_t now,
                         struct cps_error *error)
{
    bool php = runtime == CPS_RUNTIME_PHP;
    const struct cps_supervisor_options *options = &supervisor->options;
    struct cps_discover_query query = {
        .runtime = runtime,
        .process_name = php ? options->php_process_name : options->node_process_name,
        .file_path = php ? options->php_extension_path : options->node_addon_path,
        .proc = options->proc,
    };
    struct cps_target *targets = NULL;
    size_t count = 0;

    if (cps_discover(&query, &targets, &count, error) < 0) {
        supervisor->stats.scan_failures++;
        return false;
    }
    if (supervisor->collector && supervisor->watching)
        see_targets(supervisor, targets, count, now);
    cps_targets_free(targets, count);
    return count > 0;
}

static void scan(struct cps_supervisor *supervisor, uint64_t now, struct cps_error *error)
{
    struct cps_error php = {{0}};
    struct cps_error node = {{0}};
    struct cps_supervisor_stats *stats = &supervisor->stats;

    stats->php_discovered = scan_runtime(supervisor, CPS_RUNTIME_PHP, now, &php);
    stats->node_discovered = scan_runtime(supervisor, CPS_RUNTIME_NODE, now, &node);
    supervisor->next_scan = now + supervisor->options.rescan;
    if (supervisor->collector && supervisor->watching)
        forget_absent(supervisor, now);
    if (stats->php_discovered || stats->node_discovered) {
        supervisor->settled = true;
        supervisor->scan_said[0] = '\0';
    } else {
        (void)cps_error_set(error, -ENOENT, "%.250s; %.250s", php.text, node.text);
    }
}

/* Before the first runtime is found: gives up after discovery_timeout. */
static void settle(struct cps_supervisor *supervisor, uint64_t now, const char *sentence)
{
    if (supervisor->settled || now - supervisor->started < supervisor->options.discovery_timeout)
        return;
    supervisor->settled = true;
    supervisor->options.on_nothing_found(supervisor->options.context, sentence);
}

static void look(struct cps_supervisor *supervisor, bool wanted, uint64_t now)
{
    struct cps_error error = {{0}};

    if (now < supervisor->next_scan || (supervisor->settled && !wanted))
        return;
    scan(supervisor, now, &error);
    if (!error.text[0])
        return;
    if (wanted)
        complain(supervisor, CPS_LOG_WARN, error.text, supervisor->scan_said,
                 sizeof(supervisor->scan_said));
    settle(supervisor, now, error.text);
}

/* The loop. */

static bool is_wanted(struct cps_supervisor *supervisor)
{
    return supervisor->options.always || cps_broadcast_count(supervisor->options.broadcast) > 0;
}

static void drain(struct cps_supervisor *supervisor)
{
    int status = cps_collector_poll(supervisor->collector, POLL_MS);

    if (status >= 0)
        return;
    cps_log(CPS_LOG_ERROR, "the ring cannot be read; attaching anew", "cause", strerror(-status),
            NULL);
    supervisor->stats.attach_failures++;
    close_collector(supervisor);
    supervisor->open_retry_at = cps_clock_monotonic() + supervisor->open_delay;
    supervisor->next_scan = 0;
}

static void publish_stats(struct cps_supervisor *supervisor)
{
    struct cps_supervisor_stats *stats = &supervisor->stats;
    struct cps_collector_stats open = {0};

    stats->files_attached = 0;
    if (supervisor->collector) {
        cps_collector_stats(supervisor->collector, &open);
        stats->files_attached = cps_collector_attached(supervisor->collector);
    }
    stats->collector = open;
    add_stats(&stats->collector, &supervisor->closed);
    (void)pthread_mutex_lock(&supervisor->lock);
    supervisor->published = *stats;
    (void)pthread_mutex_unlock(&supervisor->lock);
}

/* Until somebody pokes, or the next look for processes is due. */
static void wait_idle(struct cps_supervisor *supervisor, bool wanted)
{
    struct timespec until;
    uint64_t due = cps_clock_monotonic() + CPS_CLOCK_SECOND * 60;

    if ((wanted || !supervisor->settled) && supervisor->next_scan < due)
        due = supervisor->next_scan;
    if (!supervisor->collector && supervisor->open_retry_at < due)
        due = supervisor->open_retry_at;
    until.tv_sec = (time_t)(due / CPS_CLOCK_SECOND);
    until.tv_nsec = (long)(due % CPS_CLOCK_SECOND);
    (void)pthread_mutex_lock(&supervisor->lock);
    while (!supervisor->stop && !supervisor->poked &&
           pthread_cond_timedwait(&supervisor->wakeup, &supervisor->lock, &until) == 0) {
    }
    supervisor->poked = false;
    (void)pthread_mutex_unlock(&supervisor->lock);
}

static void watch(struct cps_supervisor *supervisor, bool wanted, uint64_t now)
{
    if (wanted) {
        supervisor->last_wanted = now;
        if (!supervisor->watching)
            supervisor->next_scan = 0;
        supervisor->watching = true;
    } else if (supervisor->watching && now - supervisor->last_wanted >= supervisor->options.grace) {
        close_collector(supervisor);
        supervisor->watching = false;
    }
}

static void turn(struct cps_supervisor *supervisor)
{
    uint64_t now = cps_clock_monotonic();
    bool wanted = is_wanted(supervisor);

    watch(supervisor, wanted, now);
    open_collector(supervisor, now);
    look(supervisor, wanted, now);
    publish_stats(supervisor);
    if (supervisor->collector && supervisor->watching)
        drain(supervisor);
    else
        wait_idle(supervisor, wanted);
}

static void *run(void *context)
{
    struct cps_supervisor *supervisor = context;
    bool stop = false;

    (void)pthread_setname_np(pthread_self(), "collector");
    while (!stop) {
        turn(supervisor);
        (void)pthread_mutex_lock(&supervisor->lock);
        stop = supervisor->stop;
        (void)pthread_mutex_unlock(&supervisor->lock);
    }
    close_collector(supervisor);
    return NULL;
}

static void set_defaults(struct cps_supervisor_options *options)
{
    const struct {
        uint64_t *value;
        uint64_t fallback;
    } defaults[] = {
        {&options->grace, CPS_CLOCK_SECOND},
        {&options->rescan, CPS_CLOCK_SECOND},
        {&options->absence, 10 * CPS_CLOCK_SECOND},
        {&options->backoff, CPS_CLOCK_SECOND},
        {&options->backoff_most, 60 * CPS_CLOCK_SECOND},
    };

    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        if (*defaults[i].value == 0)
            *defaults[i].value = defaults[i].fallback;
    }
    if (!options->proc)
        options->proc = "/proc";
}

static void supervisor_free(struct cps_supervisor *supervisor)
{
    (void)pthread_cond_destroy(&supervisor->wakeup);
    (void)pthread_mutex_destroy(&supervisor->lock);
    free(supervisor->files);
    free(supervisor);
}

int cps_supervisor_start(const struct cps_supervisor_options *options, struct cps_supervisor **out)
{
    struct cps_supervisor *supervisor = calloc(1, sizeof(*supervisor));
    pthread_condattr_t attributes;

    if (!supervisor)
        return -ENOMEM;
    supervisor->options = *options;
    set_defaults(&supervisor->options);
    supervisor->open_delay = supervisor->options.backoff;
    supervisor->started = cps_clock_monotonic();
    (void)pthread_mutex_init(&supervisor->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&supervisor->wakeup, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    int status = pthread_create(&supervisor->thread, NULL, run, supervisor);
    if (status != 0) {
        supervisor_free(supervisor);
        return -status;
    }
    *out = supervisor;
    return 0;
}

void cps_supervisor_poke(struct cps_supervisor *supervisor)
{
    (void)pthread_mutex_lock(&supervisor->lock);
    supervisor->poked = true;
    (void)pthread_cond_signal(&supervisor->wakeup);
    (void)pthread_mutex_unlock(&supervisor->lock);
}

void cps_supervisor_stop(struct cps_supervisor *supervisor)
{
    if (!supervisor)
        return;
    (void)pthread_mutex_lock(&supervisor->lock);
    supervisor->stop = true;
    (void)pthread_cond_signal(&supervisor->wakeup);
    (void)pthread_mutex_unlock(&supervisor->lock);
    (void)pthread_join(supervisor->thread, NULL);
    supervisor_free(supervisor);
}

void cps_supervisor_stats(struct cps_supervisor *supervisor, struct cps_supervisor_stats *out)
{
    (void)pthread_mutex_lock(&supervisor->lock);
    *out = supervisor->published;
    (void)pthread_mutex_unlock(&supervisor->lock);
}
