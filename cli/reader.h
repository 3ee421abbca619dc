/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines of the stream as its contract says: a trace, or an event about the stream. */
#ifndef CPS_CLI_READER_H
#define CPS_CLI_READER_H

#include "feed.h"
#include "lines.h"

#define CPS_READER_LINE_MAX ((size_t)64 << 20)

struct cps_reader {
    struct cps_lines lines;
    const struct cps_feed_sink *sink; /* must outlive the reader */
    uint64_t traces;                  /* that were handed over */
    uint64_t understood;              /* lines: traces and events */
    uint64_t malformed; /* lines that were neither a trace nor an event, or too long */
};

void cps_reader_init(struct cps_reader *reader, const struct cps_feed_sink *sink);
/* Takes the next bytes and calls the sink for every line that they complete. */
void cps_reader_feed(struct cps_reader *reader, const char *bytes, size_t length);
/* The stream was cut: what began a line is counted as malformed. */
void cps_reader_cut(struct cps_reader *reader);
/* The file has ended: a last line may lack its newline. */
void cps_reader_finish(struct cps_reader *reader);
/* Whether a line is about the stream, and no trace. */
bool cps_reader_is_event(const char *line, size_t length);
void cps_reader_free(struct cps_reader *reader);

#endif
