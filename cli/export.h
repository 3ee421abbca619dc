/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in the formats of other tools. Every exporter is a pure function: it appends one whole
 * document to `out` and returns 0, or -ENOMEM, after which `out` is worth nothing. Names come from
 * strangers; each format gets them escaped as it must have them.
 *
 * The time of every call is kept: what a document adds up to is the duration of its requests, or
 * more where asynchronous calls overlap.
 */
#ifndef CPS_CLI_EXPORT_H
#define CPS_CLI_EXPORT_H

#include <stddef.h>

#include "buf.h"
#include "trace.h"

typedef int cps_exporter(const struct cps_trace *const *traces, size_t count, struct cps_buf *out);

cps_exporter cps_export_ndjson;     /* the stream's own lines */
cps_exporter cps_export_speedscope; /* a profile for every lane of every trace */
cps_exporter cps_export_chrome;     /* a process for every trace, a thread for every lane */
cps_exporter cps_export_collapsed;  /* a stack a line and its own time in ns */
cps_exporter cps_export_callgrind;  /* one profile of all traces, exact totals where known */
cps_exporter cps_export_html;       /* a page that needs nothing else */
cps_exporter cps_export_summary;    /* a line a trace, safe for a terminal */

struct cps_export_format {
    const char *name;
    const char *suffix; /* of a file in this format, with its point */
    char key;           /* that chooses it in the UI; NUL: not offered there, behind all that are */
    const char *title;  /* in that choice */
    const char *description;
    cps_exporter *export;
};

/* All of them, ended by one without a name. */
extern const struct cps_export_format cps_export_formats[];
/* NULL where there is none of that name. */
const struct cps_export_format *cps_export_find(const char *name);

/* Appends what a trace is called: "GET /node/1", or the command; any bytes. */
void cps_export_append_label(struct cps_buf *out, const struct cps_trace *trace);
/* The same as a JSON string. */
void cps_export_append_label_json(struct cps_buf *out, const struct cps_trace *trace);

#endif
