/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "broadcast.h"
#include "cleanup.h"
#include "config.h"
#include "flags.h"
#include "log.h"
#include "metrics.h"
#include "otlp.h"
#include "privileges.h"
#include "server.h"
#include "supervisor.h"
#include "tls.h"

#define TICK_MS 250
#define ALIVE_NS UINT64_C(15000000000)
#define MAX_SUBSCRIBERS 128
#define QUEUE_LINES 1024
#define QUEUE_BYTES (32u << 20)

extern char **environ;

struct options {
    const char *config;
    bool check;
};

struct sidecar {
    const struct cps_config *config;
    struct cps_broadcast *broadcast;
    struct cps_supervisor *_Atomic supervisor; /* the server's thread looks at it, too */
    struct cps_server *_Atomic server;
    struct cps_otlp *_Atomic otlp; /* NULL: traces are not exported */
    int signals;                   /* signalfd */
    int nothing_found;             /* eventfd: no runtime was found in time */
    char sentence[sizeof(((struct cps_error *)0)->text)]; /* why; set before the eventfd */
};

static int fail(const struct cps_error *error)
{
    cps_log(CPS_LOG_ERROR, error->text, NULL);
    return 1;
}

static int print_help(void)
{
    cps_auto_buf struct cps_buf text = {0};

    cps_buf_append_string(&text,
                          "usage: compass-sidecar [--config FILE] [--check-config]\n"
                          "\n"
                          "Traces PHP and Node.js processes while somebody reads /v1/traces.\n"
                          "\n"
                          "  --config FILE    a YAML file with the keys below\n"
                          "  --check-config   say whether the configuration is valid, and exit\n"
                          "  --version        print the version, and exit\n"
                          "  --help           print this, and exit\n"
                          "\n"
                          "Variables win over the file, the file over defaults:\n");
    cps_config_describe(&text);
    if (cps_buf_failed(&text))
        return 1;
    return fwrite(text.data, 1, text.length, stdout) == text.length ? 0 : 1;
}

/* -1: go on; else the exit code. */
static int parse_options(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"config", required_argument, NULL, 'c'},
                                          {"check-config", no_argument, NULL, 'k'},
                                          {"version", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct cps_error error = {0};
    int found;

    opterr = 0;
    while ((found = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        switch (found) {
        case 'c':
            options->config = optarg;
            break;
        case 'k':
            options->check = true;
            break;
        case 'v':
            return printf("compass-sidecar %s\n", CPS_VERSION) > 0 ? 0 : 1;
        case 'h':
            return print_help();
        default:
            (void)cps_flags_refused(found, argv, known, &error);
            (void)fail(&error);
            return 2;
        }
    }
    if (optind == argc)
        return -1;
    (void)cps_error_set(&error, -EINVAL, "'%s': unexpected argument; see --help", argv[optind]);
    (void)fail(&error);
    return 2;
}

static void on_subscribers(void *context)
{
    struct sidecar *sidecar = context;
    struct cps_supervisor *supervisor = atomic_load(&sidecar->supervisor);

    if (supervisor)
        cps_supervisor_poke(supervisor);
}

static void on_nothing_found(void *context, const char *sentence)
{
    struct sidecar *sidecar = context;
    const uint64_t one = 1;

    (void)snprintf(sidecar->sentence, sizeof(sidecar->sentence), "%s", sentence);
    ssize_t written = write(sidecar->nothing_found, &one, sizeof(one));
    (void)written; /* an eventfd takes a one */
}

static void write_metrics(void *context, struct cps_buf *out)
{
    struct sidecar *sidecar = context;
    struct cps_supervisor *supervisor = atomic_load(&sidecar->supervisor);
    struct cps_server *server = atomic_load(&sidecar->server);
    struct cps_otlp *otlp = atomic_load(&sidecar->otlp);
    struct cps_metrics metrics = {0};

    if (supervisor)
        cps_supervisor_stats(supervisor, &metrics.supervisor);
    if (server)
        cps_server_stats(server, &metrics.server);
    if (otlp)
        cps_otlp_stats(otlp, &metrics.otlp);
    cps_broadcast_stats(sidecar->broadcast, &metrics.broadcast);
    cps_metrics_write(&metrics, out);
}

static int load_tls(const struct cps_config *config, struct cps_error *error)
{
    return config->cert_file ? cps_tls_load(config->cert_file, config->key_file, error) : 0;
}

static void on_trace(void *context, const struct cps_trace *trace)
{
    struct sidecar *sidecar = context;

    cps_otlp_add(sidecar->otlp, trace);
}

static struct cps_otlp_options otlp_options(const struct cps_config *config)
{
    return (struct cps_otlp_options){
        .endpoint = config->otlp_endpoint,
        .headers = config->otlp_headers,
        .service_name = config->otlp_service_name,
        .min_duration = config->otlp_min_duration,
    };
}

/* What a configuration is refused for beyond what reading it tells: the same for --check-config and
 * the start. What depends on the moment (a port that is taken, privileges) only the start can say.
 */
static int check(const struct cps_config *config, struct cps_error *error)
{
    struct cps_otlp_options otlp = otlp_options(config);
    int status = load_tls(config, error);

    if (status == 0)
        status = cps_server_check(config->addr, error);
    if (status == 0)
        status = cps_otlp_check(&otlp, error);
    return status;
}

static int start_otlp(struct sidecar *sidecar, struct cps_error *error)
{
    struct cps_otlp_options options = otlp_options(sidecar->config);
    struct cps_otlp *otlp;

    if (!options.endpoint)
        return 0;
    int status = cps_otlp_start(&options, &otlp, error);
    if (status == 0)
        atomic_store(&sidecar->otlp, otlp);
    return status;
}

static int start_supervisor(struct sidecar *sidecar)
{
    const struct cps_config *config = sidecar->config;
    struct cps_supervisor_options options = {
        .php_process_name = config->php_process_name,
        .php_extension_path = config->php_extension_path,
        .node_process_name = config->node_process_name,
        .node_addon_path = config->node_addon_path,
        .discovery_timeout = config->discovery_timeout,
        .max_function_calls = config->max_function_calls,
        .always = sidecar->otlp != NULL,
        .broadcast = sidecar->broadcast,
        .on_trace = sidecar->otlp ? on_trace : NULL,
        .on_nothing_found = on_nothing_found,
        .context = sidecar,
    };
    struct cps_supervisor *supervisor;
    int status = cps_supervisor_start(&options, &supervisor);

    if (status < 0)
        return status;
    atomic_store(&sidecar->supervisor, supervisor);
    /* The server is there already: a subscriber that came since the thread looked first found
     * nobody to tell. */
    cps_supervisor_poke(supervisor);
    return 0;
}

static int start_server(struct sidecar *sidecar, int listener, struct cps_error *error)
{
    struct cps_server_options options = {
        .listener = listener,
        .tls = sidecar->config->cert_file != NULL,
        .token = sidecar->config->token,
        .broadcast = sidecar->broadcast,
        .write_metrics = write_metrics,
        .context = sidecar,
    };
    struct cps_server *server;
    int status = cps_server_start(&options, &server, error);

    if (status == 0)
        atomic_store(&sidecar->server, server);
    return status;
}

static void reload(const struct sidecar *sidecar)
{
    struct cps_error error;

    if (!sidecar->config->cert_file)
        return;
    if (load_tls(sidecar->config, &error) < 0)
        cps_log(CPS_LOG_ERROR, error.text, NULL);
    else
        cps_log(CPS_LOG_INFO, "certificate reread", "file", sidecar->config->cert_file, NULL);
}

/* Handles what signals ask for. False when it is time to end. */
static bool take_signal(const struct sidecar *sidecar)
{
    struct signalfd_siginfo info;

    if (read(sidecar->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return true;
    if (info.ssi_signo == SIGHUP) {
        reload(sidecar);
        return true;
    }
    cps_log(CPS_LOG_INFO, "ending", "signal", info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM",
            NULL);
    return false;
}

/* Until a signal ends it (0) or no runtime was found (1). */
static int run(struct sidecar *sidecar)
{
    struct pollfd items[] = {{.fd = sidecar->signals, .events = POLLIN},
                             {.fd = sidecar->nothing_found, .events = POLLIN}};

    for (;;) {
        if (poll(items, 2, TICK_MS) < 0 && errno != EINTR)
            return 1;
        if ((items[0].revents & POLLIN) && !take_signal(sidecar))
            return 0;
        if (items[1].revents & POLLIN) {
            cps_log(CPS_LOG_ERROR, sidecar->sentence, NULL);
            return 1;
        }
        cps_server_tick(sidecar->server);
        cps_broadcast_keep_alive(sidecar->broadcast, ALIVE_NS);
    }
}

/* Signals are blocked before the first thread starts, so that only the descriptor sees them. */
static int open_signals(void)
{
    sigset_t set;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
        return -EINVAL;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static int shed_privileges(const struct cps_config *config, struct cps_error *error)
{
    int status = cps_privileges_drop(error);

    if (status == 0 && config->seccomp)
        status = cps_privileges_seccomp(error);
    if (status < 0)
        return status;
    if (!cps_privileges_sufficient(error))
        cps_log(CPS_LOG_ERROR, error->text, NULL);
    return 0;
}

static int prepare(struct sidecar *sidecar, struct cps_error *error)
{
    struct cps_broadcast_options options = {.max_subscribers = MAX_SUBSCRIBERS,
                                            .max_lines = QUEUE_LINES,
                                            .max_bytes = QUEUE_BYTES,
                                            .on_change = on_subscribers,
                                            .context = sidecar};

    sidecar->signals = open_signals();
    sidecar->nothing_found = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sidecar->broadcast = cps_broadcast_new(&options);
    if (sidecar->signals >= 0 && sidecar->nothing_found >= 0 && sidecar->broadcast)
        return 0;
    return cps_error_set(error, -ENOMEM, "cannot start: no memory or no descriptors");
}

static int start(struct sidecar *sidecar, struct cps_error *error)
{
    cps_auto_close int listener = cps_server_listen(sidecar->config->addr, error);
    char port[8];

    if (listener < 0)
        return listener;
    (void)snprintf(port, sizeof(port), "%u", (unsigned int)cps_server_port(listener));
    int status = shed_privileges(sidecar->config, error);
    if (status == 0)
        status = start_otlp(sidecar, error);
    if (status < 0)
        return status;
    status = start_server(sidecar, cps_steal_fd(&listener), error);
    if (status < 0)
        return status;
    status = start_supervisor(sidecar);
    if (status < 0)
        return cps_error_set(error, status, "cannot start: %s", strerror(-status));
    cps_log(CPS_LOG_INFO, "listening", "addr", sidecar->config->addr, "port", port, "version",
            CPS_VERSION, NULL);
    return 0;
}

/* The server first, so that no subscriber comes any more; it may look at the supervisor until it
 * has ended. */
static void stop(struct sidecar *sidecar)
{
    cps_server_stop(atomic_exchange(&sidecar->server, NULL));
    cps_supervisor_stop(atomic_exchange(&sidecar->supervisor, NULL));
    cps_otlp_stop(atomic_exchange(&sidecar->otlp, NULL));
    cps_broadcast_free(sidecar->broadcast);
    if (sidecar->signals >= 0)
        (void)close(sidecar->signals);
    if (sidecar->nothing_found >= 0)
        (void)close(sidecar->nothing_found);
}

static int serve(const struct cps_config *config)
{
    struct sidecar sidecar = {.config = config, .signals = -1, .nothing_found = -1};
    struct cps_error error;
    int status = prepare(&sidecar, &error);

    if (status == 0)
        status = start(&sidecar, &error);
    int code = status < 0 ? fail(&error) : run(&sidecar);
    stop(&sidecar);
    return code;
}

/* A trace needs a megabyte for a moment, again and again. Left alone, malloc gives it back to the
 * kernel after each and faults it in for the next, which is three quarters of what a call costs
 * here. */
static void keep_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 32 << 20);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct cps_config *config;
    struct cps_error error;
    int code = parse_options(argc, argv, &options);

    if (code >= 0)
        return code;
    keep_memory();
    if (cps_config_load(options.config, environ, &config, &error) < 0)
        return fail(&error);
    cps_log_set_level(config->log_level);
    if (check(config, &error) < 0)
        code = fail(&error);
    else if (options.check)
        code = puts("the configuration is valid") >= 0 ? 0 : 1;
    else
        code = serve(config);
    cps_tls_unload();
    cps_config_free(config);
    return code;
}
