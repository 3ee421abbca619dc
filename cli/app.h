/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal UI: one loop that waits for keys and traces, a model, and views that draw it. A view
 * is a table of callbacks; it keeps its own state in the app and draws on a canvas, never on the
 * terminal.
 */
#ifndef CPS_CLI_APP_H
#define CPS_CLI_APP_H

#include "canvas.h"
#include "compare.h"
#include "filter.h"
#include "findings.h"
#include "flame.h"
#include "list.h"
#include "model.h"
#include "options.h"
#include "outline.h"
#include "routes.h"
#include "tree.h"

struct cps_app;

enum cps_page { CPS_PAGE_SEARCH, CPS_PAGE_SPANS, CPS_PAGE_TOTALS, CPS_PAGE_LOGS, CPS_PAGE_COUNT };

struct cps_view {
    const char *title;
    /* Draws the rows from `top` up to `bottom`, which is not its own any more. */
    void (*draw)(struct cps_app *app, struct cps_canvas *canvas, int top, int bottom);
    /* A key that nobody before wanted; whether the view did something with it. */
    bool (*key)(struct cps_app *app, int key);
    const char *hint;        /* the keys that matter most, in the footer */
    const char *const *help; /* "key\0what it does" pairs for ?, then NULL */
};

extern const struct cps_view cps_page_search, cps_page_spans, cps_page_totals, cps_page_logs;
/* Those that lie over a page until they are left. */
extern const struct cps_view cps_view_routes, cps_view_compare, cps_view_callers, cps_view_flame,
    cps_view_cache, cps_view_save;

/* The columns that Search and Totals can be sorted by. */
enum cps_search_order {
    CPS_ORDER_TIME,
    CPS_ORDER_DURATION,
    CPS_ORDER_CALLS,
    CPS_ORDER_MEMORY,
    CPS_ORDER_COUNT
};
enum cps_totals_order {
    CPS_BY_SELF,
    CPS_BY_INCLUSIVE,
    CPS_BY_CALLS,
    CPS_BY_LONGEST,
    CPS_BY_NAME,
    CPS_BY_COUNT,
};

#define CPS_FILTER_SIZE 256

struct cps_search_state {
    struct cps_list list;
    uint64_t selected; /* serial; 0 follows the newest */
    uint64_t *rows;    /* serials, in the order shown: some may be gone when a key comes */
    size_t row_count;
    enum cps_search_order order;
    bool reversed;
    bool paused;
    uint64_t paused_at; /* serial: what came later is not shown */
};

struct cps_spans_state {
    struct cps_list list;
    uint64_t serial; /* of the trace that is open; 0: none */
    uint64_t built;  /* serial of the trace that what follows was made from; 0: none */
    struct cps_tree tree;
    struct cps_outline outline;
    bool fold_recursion; /* what the outline was made with */
    uint8_t *folded;     /* flags a call: it, and the group that begins with it */
    uint8_t *kept;       /* flags a node: what the filter says about it */
    uint64_t listed;     /* the generation of the filter that the rows were listed with */
    uint32_t *rows;      /* nodes of the outline */
    size_t row_count;
    size_t shown_calls; /* that the rows stand for */
    struct cps_findings findings;
    size_t finding; /* the next one that n walks to */
};

struct cps_totals_state {
    struct cps_list list;
    uint64_t serial;
    uint64_t listed; /* the generation of the filter that the rows were listed with */
    uint32_t *rows;  /* indexes in the totals' functions */
    size_t row_count;
    enum cps_totals_order order;
    bool reversed;
};

struct cps_filter_state {
    bool typing;
    char text[CPS_FILTER_SIZE];
    struct cps_filter *compiled; /* the last text that was one; NULL: everything passes */
    uint64_t generation;         /* another number for every compiled filter */
    struct cps_error error;      /* what is wrong with the text; empty where nothing is */
};

/* The view that lies over the page, and what it keeps. */
struct cps_over_state {
    const struct cps_view *view; /* NULL: none */
    struct cps_list list;
    size_t row_count;
    uint32_t name;          /* callers: the function in the middle, in the open trace's names */
    uint64_t before, after; /* compare: serials */
    enum cps_compare_by compare_by;
    uint64_t saved; /* save: serial */
    struct cps_routes routes;
    uint64_t routes_seen;   /* what the routes were built from: arrivals and losses of the model, */
    uint64_t routes_filter; /* and the generation of the filter */
    int64_t routes_due;     /* ms, monotonic: not built again before, for arrivals alone */
    struct cps_flame flame; /* of the open trace */
    uint32_t flame_zoom, flame_node;
};

struct cps_app {
    const struct cps_options *options;
    struct cps_model model;
    struct cps_feed *feed;
    enum cps_page page;
    bool quit;
    bool help;
    struct cps_list help_list; /* of its lines the first one shown is at `cursor` */
    bool dirty;
    bool ascii;
    int cursor_row;                 /* of the screen; -1: no row is selected */
    char message[256];              /* what the last key did, until the next one */
    uint64_t marked;                /* serial to compare with; 0: none */
    size_t save_choice;             /* the format that was chosen last */
    struct cps_filter_state filter; /* of Search and Routes */
    struct cps_filter_state finder; /* of functions and messages, on the other pages */
    struct cps_over_state over;
    struct cps_search_state search;
    struct cps_spans_state spans;
    struct cps_totals_state totals;
    struct cps_list logs;
    size_t log_rows;
};

/* Runs the UI until it is left. 0, or -errno with a sentence. */
int cps_app_run(const struct cps_options *options, struct cps_error *error);

/* The trace that is open, NULL where none is, or where the bounds have pushed it out. */
struct cps_held *cps_app_open(const struct cps_app *app);
/* Opens a trace on the page. */
void cps_app_show(struct cps_app *app, enum cps_page page, uint64_t serial);
/* Lays a view over the page. */
void cps_app_over(struct cps_app *app, const struct cps_view *view);
/* Says something in the footer until the next key. Any bytes. */
__attribute__((format(printf, 2, 3))) void cps_app_tell(struct cps_app *app, const char *format,
                                                        ...);
/* Lays the choice of formats over the page, to save a held trace in one. */
void cps_view_save_open(struct cps_app *app, const struct cps_held *held);
/* Whether the filter of Search lets it through. */
bool cps_page_search_passes(const struct cps_app *app, struct cps_held *held);
/* Lays the open trace's flame graph over the page. */
void cps_view_flame_open(struct cps_app *app);
/* Lays the callers of a function of the open trace over the page. */
void cps_view_callers_open(struct cps_app *app, uint32_t name);
/* Puts the cursor of Totals on a function of the open trace, of Spans on its longest call. */
void cps_page_totals_find(struct cps_app *app, uint32_t name);
bool cps_page_spans_find(struct cps_app *app, uint32_t name);

#endif
