/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the server: one subscriber's answer, from its queue to the bytes of the body. */
#ifndef CPS_SIDECAR_STREAM_H
#define CPS_SIDECAR_STREAM_H

#include <microhttpd.h>

#include "broadcast.h"
#include "compress.h"

struct cps_stream;

/* Subscribes. NULL where there is no room or no memory. */
struct cps_stream *cps_stream_open(struct cps_broadcast *broadcast,
                                   struct MHD_Connection *connection, enum cps_encoding encoding,
                                   bool events);
void cps_stream_free(struct cps_stream *stream);

/* Ends it as soon as the server's thread comes by: its client has gone. Any thread, as long as the
 * stream is not freed. */
void cps_stream_abandon(struct cps_stream *stream);

/* An MHD_ContentReaderCallback, its context the stream: fills `out`, or suspends the connection
 * where there is nothing. */
ssize_t cps_stream_read(void *context, uint64_t position, char *out, size_t room);

#endif
