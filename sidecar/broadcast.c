/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks: the broadcast's guards the list of subscribers, each subscriber's guards its queue. Both
 * are held only for a few pointer moves, never while bytes are copied or sent, and always in the
 * order broadcast, subscriber. The queue is a ring of its final size, so publishing allocates
 * nothing.
 *
 * Parking is what keeps an idle stream from polling: the reader finds its queue empty and is
 * suspended under the subscriber's lock, so the publisher sees either the reader awake, who will
 * look again, or parked, whom it wakes. There is no moment between.
 */
#include "broadcast.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"

struct cps_line {
    _Atomic uint32_t references;
    char *bytes;
    size_t length;
};

struct entry {
    struct cps_line *line;
    enum cps_line_kind kind;
};

struct cps_subscriber {
    struct cps_broadcast *broadcast;
    struct cps_subscriber *next;
    struct cps_subscriber *previous;
    struct cps_subscriber_options options;
    pthread_mutex_t lock; /* what follows */
    struct entry *ring;   /* max_lines */
    size_t first;
    size_t count;
    size_t bytes;
    uint64_t untold; /* traces lost that the subscriber has not been told of */
    uint64_t last;   /* CLOCK_MONOTONIC, ns, when a line was last queued */
    bool parked;
    bool ended;
};

struct cps_broadcast {
    struct cps_broadcast_options options;
    pthread_mutex_t lock; /* what follows */
    struct cps_subscriber *subscribers;
    size_t count;
    size_t with_events;
    bool closed;
    _Atomic uint64_t published;
    _Atomic uint64_t delivered;
    _Atomic uint64_t dropped;
    _Atomic uint64_t refused;
};

struct cps_line *cps_line_new(struct cps_buf *buf)
{
    struct cps_line *line;

    if (cps_buf_failed(buf) || !(line = malloc(sizeof(*line))))
        return NULL;
    atomic_init(&line->references, 1);
    line->length = buf->length;
    line->bytes = cps_steal(buf->data);
    *buf = (struct cps_buf){0};
    return line;
}

static struct cps_line *line_ref(struct cps_line *line)
{
    atomic_fetch_add_explicit(&line->references, 1, memory_order_relaxed);
    return line;
}

void cps_line_unref(struct cps_line *line)
{
    if (!line || atomic_fetch_sub_explicit(&line->references, 1, memory_order_acq_rel) != 1)
        return;
    free(line->bytes);
    free(line);
}

const char *cps_line_bytes(const struct cps_line *line, size_t *length)
{
    *length = line->length;
    return line->bytes;
}

struct cps_broadcast *cps_broadcast_new(const struct cps_broadcast_options *options)
{
    struct cps_broadcast *broadcast = calloc(1, sizeof(*broadcast));

    if (!broadcast)
        return NULL;
    broadcast->options = *options;
    (void)pthread_mutex_init(&broadcast->lock, NULL);
    return broadcast;
}

void cps_broadcast_free(struct cps_broadcast *broadcast)
{
    if (!broadcast)
        return;
    (void)pthread_mutex_destroy(&broadcast->lock);
    free(broadcast);
}

static struct entry pop(struct cps_subscriber *subscriber)
{
    struct entry entry = subscriber->ring[subscriber->first];

    subscriber->first = (subscriber->first + 1) % subscriber->broadcast->options.max_lines;
    subscriber->count--;
    subscriber->bytes -= entry.line->length;
    return entry;
}

static void drop_oldest(struct cps_subscriber *subscriber)
{
    struct entry entry = pop(subscriber);

    if (entry.kind == CPS_LINE_TRACE) {
        subscriber->untold++;
        atomic_fetch_add_explicit(&subscriber->broadcast->dropped, 1, memory_order_relaxed);
    }
    cps_line_unref(entry.line);
}

static void wake(struct cps_subscriber *subscriber)
{
    if (!subscriber->parked)
        return;
    subscriber->parked = false;
    subscriber->options.wake(subscriber->options.context);
}

static void push(struct cps_subscriber *subscriber, struct cps_line *line, enum cps_line_kind kind)
{
    const struct cps_broadcast_options *bound = &subscriber->broadcast->options;

    while (subscriber->count > 0 && (subscriber->count == bound->max_lines ||
                                     subscriber->bytes + line->length > bound->max_bytes))
        drop_oldest(subscriber);
    subscriber->ring[(subscriber->first + subscriber->count) % bound->max_lines] =
        (struct entry){line_ref(line), kind};
    subscriber->count++;
    subscriber->bytes += line->length;
    subscriber->last = cps_clock_monotonic();
    wake(subscriber);
}

void cps_broadcast_publish(struct cps_broadcast *broadcast, struct cps_line *line,
                           enum cps_line_kind kind)
{
    if (kind == CPS_LINE_TRACE)
        atomic_fetch_add_explicit(&broadcast->published, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&broadcast->lock);
    for (struct cps_subscriber *s = broadcast->subscribers; s; s = s->next) {
        if (kind == CPS_LINE_EVENT && !s->options.events)
            continue;
        (void)pthread_mutex_lock(&s->lock);
        if (!s->ended)
            push(s, line, kind);
        (void)pthread_mutex_unlock(&s->lock);
    }
    (void)pthread_mutex_unlock(&broadcast->lock);
}

void cps_broadcast_keep_alive(struct cps_broadcast *broadcast, uint64_t ns)
{
    cps_auto_buf struct cps_buf buf = {0};
    uint64_t now = cps_clock_monotonic();

    cps_buf_append_string(&buf, "{\"event\":{\"kind\":\"alive\"}}\n");
    struct cps_line *line = cps_line_new(&buf);
    if (!line)
        return;
    (void)pthread_mutex_lock(&broadcast->lock);
    for (struct cps_subscriber *s = broadcast->subscribers; s; s = s->next) {
        (void)pthread_mutex_lock(&s->lock);
        if (s->options.events && !s->ended && s->count == 0 && now - s->last >= ns)
            push(s, line, CPS_LINE_EVENT);
        (void)pthread_mutex_unlock(&s->lock);
    }
    (void)pthread_mutex_unlock(&broadcast->lock);
    cps_line_unref(line);
}

size_t cps_broadcast_count(struct cps_broadcast *broadcast)
{
    (void)pthread_mutex_lock(&broadcast->lock);
    size_t count = broadcast->count;
    (void)pthread_mutex_unlock(&broadcast->lock);
    return count;
}

bool cps_broadcast_wants_events(struct cps_broadcast *broadcast)
{
    (void)pthread_mutex_lock(&broadcast->lock);
    bool wants = broadcast->with_events > 0;
    (void)pthread_mutex_unlock(&broadcast->lock);
    return wants;
}

void cps_broadcast_stats(struct cps_broadcast *broadcast, struct cps_broadcast_stats *out)
{
    struct cps_broadcast_stats stats = {0};

    (void)pthread_mutex_lock(&broadcast->lock);
    stats.subscribers = broadcast->count;
    for (struct cps_subscriber *s = broadcast->subscribers; s; s = s->next) {
        (void)pthread_mutex_lock(&s->lock);
        stats.queued += s->count;
        (void)pthread_mutex_unlock(&s->lock);
    }
    (void)pthread_mutex_unlock(&broadcast->lock);
    stats.published = atomic_load(&broadcast->published);
    stats.delivered = atomic_load(&broadcast->delivered);
    stats.dropped = atomic_load(&broadcast->dropped);
    stats.refused = atomic_load(&broadcast->refused);
    *out = stats;
}

void cps_broadcast_close(struct cps_broadcast *broadcast)
{
    (void)pthread_mutex_lock(&broadcast->lock);
    broadcast->closed = true;
    for (struct cps_subscriber *s = broadcast->subscribers; s; s = s->next)
        cps_subscriber_end(s);
    (void)pthread_mutex_unlock(&broadcast->lock);
}

static struct cps_subscriber *subscriber_new(struct cps_broadcast *broadcast,
                                             const struct cps_subscriber_options *options)
{
    struct cps_subscriber *subscriber = calloc(1, sizeof(*subscriber));

    if (!subscriber)
        return NULL;
    subscriber->ring = calloc(broadcast->options.max_lines, sizeof(*subscriber->ring));
    if (!subscriber->ring) {
        free(subscriber);
        return NULL;
    }
    subscriber->broadcast = broadcast;
    subscriber->options = *options;
    subscriber->last = cps_clock_monotonic();
    (void)pthread_mutex_init(&subscriber->lock, NULL);
    return subscriber;
}

static void subscriber_free(struct cps_subscriber *subscriber)
{
    while (subscriber->count > 0)
        cps_line_unref(pop(subscriber).line);
    (void)pthread_mutex_destroy(&subscriber->lock);
    free(subscriber->ring);
    free(subscriber);
}

static bool add(struct cps_broadcast *broadcast, struct cps_subscriber *subscriber)
{
    (void)pthread_mutex_lock(&broadcast->lock);
    bool room = !broadcast->closed && broadcast->count < broadcast->options.max_subscribers;
    if (room) {
        subscriber->next = broadcast->subscribers;
        if (subscriber->next)
            subscriber->next->previous = subscriber;
        broadcast->subscribers = subscriber;
        broadcast->count++;
        broadcast->with_events += subscriber->options.events;
    }
    (void)pthread_mutex_unlock(&broadcast->lock);
    return room;
}

static void changed(struct cps_broadcast *broadcast)
{
    if (broadcast->options.on_change)
        broadcast->options.on_change(broadcast->options.context);
}

struct cps_subscriber *cps_broadcast_subscribe(struct cps_broadcast *broadcast,
                                               const struct cps_subscriber_options *options)
{
    struct cps_subscriber *subscriber = subscriber_new(broadcast, options);

    if (!subscriber)
        return NULL;
    if (!add(broadcast, subscriber)) {
        atomic_fetch_add_explicit(&broadcast->refused, 1, memory_order_relaxed);
        subscriber_free(subscriber);
        return NULL;
    }
    changed(broadcast);
    return subscriber;
}

void cps_broadcast_unsubscribe(struct cps_subscriber *subscriber)
{
    struct cps_broadcast *broadcast = subscriber->broadcast;

    (void)pthread_mutex_lock(&broadcast->lock);
    if (subscriber->previous)
        subscriber->previous->next = subscriber->next;
    else
        broadcast->subscribers = subscriber->next;
    if (subscriber->next)
        subscriber->next->previous = subscriber->previous;
    broadcast->count--;
    broadcast->with_events -= subscriber->options.events;
    (void)pthread_mutex_unlock(&broadcast->lock);
    subscriber_free(subscriber);
    changed(broadcast);
}

/* The line that tells how many traces were lost, where there is something to tell. */
static struct cps_line *take_loss(struct cps_subscriber *subscriber)
{
    cps_auto_buf struct cps_buf buf = {0};

    if (!subscriber->options.events || subscriber->untold == 0)
        return NULL;
    cps_buf_append_format(&buf, "{\"event\":{\"kind\":\"dropped\",\"traces\":%" PRIu64 "}}\n",
                          subscriber->untold);
    struct cps_line *line = cps_line_new(&buf);
    if (line)
        subscriber->untold = 0;
    return line;
}

static enum cps_take take(struct cps_subscriber *subscriber, struct cps_line **out)
{
    struct cps_line *line;

    if (subscriber->ended)
        return CPS_TAKE_ENDED;
    line = take_loss(subscriber);
    if (!line && subscriber->count > 0) {
        struct entry entry = pop(subscriber);
        line = entry.line;
        if (entry.kind == CPS_LINE_TRACE)
            atomic_fetch_add_explicit(&subscriber->broadcast->delivered, 1, memory_order_relaxed);
    }
    if (!line)
        return CPS_TAKE_EMPTY;
    *out = line;
    return CPS_TAKE_LINE;
}

enum cps_take cps_subscriber_take(struct cps_subscriber *subscriber, struct cps_line **out,
                                  void (*park)(void *context))
{
    (void)pthread_mutex_lock(&subscriber->lock);
    enum cps_take taken = take(subscriber, out);
    if (taken == CPS_TAKE_EMPTY && park) {
        subscriber->parked = true;
        park(subscriber->options.context);
    }
    (void)pthread_mutex_unlock(&subscriber->lock);
    return taken;
}

void cps_subscriber_end(struct cps_subscriber *subscriber)
{
    (void)pthread_mutex_lock(&subscriber->lock);
    subscriber->ended = true;
    wake(subscriber);
    (void)pthread_mutex_unlock(&subscriber->lock);
}
