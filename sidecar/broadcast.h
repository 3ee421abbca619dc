/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to many subscribers. A line is encoded once and shared; every subscriber has a queue of
 * its own, bounded in lines and in bytes. Where it is full, whole traces are lost, oldest first,
 * and counted; nobody waits for anybody. All of it may be called from any thread.
 */
#ifndef CPS_SIDECAR_BROADCAST_H
#define CPS_SIDECAR_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* A line of the stream, its newline included: immutable, reference-counted. */
struct cps_line;

/* Takes the buffer's memory over; the buffer is empty afterwards. One reference. NULL without
 * memory, the buffer untouched. */
struct cps_line *cps_line_new(struct cps_buf *buf);
void cps_line_unref(struct cps_line *line); /* NULL is fine */
const char *cps_line_bytes(const struct cps_line *line, size_t *length);

enum cps_line_kind {
    CPS_LINE_TRACE,
    CPS_LINE_EVENT, /* only for subscribers that asked for events; not counted when it is lost */
};

struct cps_broadcast;
struct cps_subscriber;

struct cps_broadcast_options {
    size_t max_subscribers;
    size_t max_lines; /* in one queue */
    size_t max_bytes; /* in one queue; a single line may be longer */
    /* The number of subscribers changed. Called without locks held, from the thread that changed
     * it, so two calls may come in either order: ask cps_broadcast_count. May be NULL. */
    void (*on_change)(void *context);
    void *context;
};

struct cps_broadcast_stats {
    uint64_t subscribers; /* now */
    uint64_t queued;      /* lines in all queues, now */
    uint64_t published;   /* traces */
    uint64_t delivered;   /* traces taken, over all subscribers */
    uint64_t dropped;     /* traces lost, over all subscribers */
    uint64_t refused;     /* subscriptions over max_subscribers */
};

/* NULL without memory. The options are copied. */
struct cps_broadcast *cps_broadcast_new(const struct cps_broadcast_options *options);
/* There must be no subscribers any more. NULL is fine. */
void cps_broadcast_free(struct cps_broadcast *broadcast);

/* Puts the line in every queue; the caller keeps its reference. Never waits for a subscriber. */
void cps_broadcast_publish(struct cps_broadcast *broadcast, struct cps_line *line,
                           enum cps_line_kind kind);
size_t cps_broadcast_count(struct cps_broadcast *broadcast);
bool cps_broadcast_wants_events(struct cps_broadcast *broadcast);
void cps_broadcast_stats(struct cps_broadcast *broadcast, struct cps_broadcast_stats *out);
/* Ends every subscription, and refuses new ones from now on. */
void cps_broadcast_close(struct cps_broadcast *broadcast);

struct cps_subscriber_options {
    bool events;
    /* A parked subscriber has something to take, or ended: called once for each time that it was
     * parked, with the subscriber's lock held, so it must not call back. */
    void (*wake)(void *context);
    void *context;
};

/* NULL where there is no room (counted) or no memory. */
struct cps_subscriber *cps_broadcast_subscribe(struct cps_broadcast *broadcast,
                                               const struct cps_subscriber_options *options);
void cps_broadcast_unsubscribe(struct cps_subscriber *subscriber);

enum cps_take { CPS_TAKE_LINE, CPS_TAKE_EMPTY, CPS_TAKE_ENDED };

/* The oldest line, a reference that is the caller's. Where traces were lost and the subscriber
 * asked for events, the line that says how many comes first. An empty queue parks the subscriber
 * where `park` is given: it is called with the lock held, so that no wake-up can be missed. */
enum cps_take cps_subscriber_take(struct cps_subscriber *subscriber, struct cps_line **out,
                                  void (*park)(void *context));

/* Ends one subscription from another thread than its reader's. */
void cps_subscriber_end(struct cps_subscriber *subscriber);

/* Queues a line for every subscriber with events that was given nothing for `ns`. */
void cps_broadcast_keep_alive(struct cps_broadcast *broadcast, uint64_t ns);

#endif
