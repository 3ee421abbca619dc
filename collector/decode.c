/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

#include <errno.h>
#include <string.h>

#define ALIGNMENT 8u

static bool init_fits(const struct cps_event_init *event)
{
    return event->id_length < sizeof(event->id) && event->uri_length < sizeof(event->uri) &&
           event->method_length < sizeof(event->method);
}

static bool function_fits(const struct cps_event_function *event)
{
    return event->id_length < sizeof(event->id) && event->name_length < sizeof(event->name);
}

static bool shutdown_fits(const struct cps_event_shutdown *event)
{
    return event->id_length < sizeof(event->id);
}

static bool cache_fits(const struct cps_event_cache *event)
{
    return event->id_length < sizeof(event->id) && event->caller_length < sizeof(event->caller) &&
           event->object_type_length < sizeof(event->object_type) &&
           event->tags_length < sizeof(event->tags) &&
           event->contexts_length < sizeof(event->contexts);
}

static bool event_fits(const struct cps_event_head *head, size_t size)
{
    switch (head->kind) {
    case CPS_PROBE_fpm_request_init:
    case CPS_PROBE_cli_request_init:
    case CPS_PROBE_http_request_init:
        return size >= sizeof(struct cps_event_init) && init_fits((const void *)head);
    case CPS_PROBE_fpm_function:
    case CPS_PROBE_cli_function:
    case CPS_PROBE_http_function:
        return size >= sizeof(struct cps_event_function) && function_fits((const void *)head);
    case CPS_PROBE_fpm_request_shutdown:
    case CPS_PROBE_cli_request_shutdown:
    case CPS_PROBE_http_request_shutdown:
        return size >= sizeof(struct cps_event_shutdown) && shutdown_fits((const void *)head);
    case CPS_PROBE_drupal_cacheablemetadata_createfromrenderarray:
    case CPS_PROBE_drupal_cacheablemetadata_createfromobject:
        return size >= sizeof(struct cps_event_cache) && cache_fits((const void *)head);
    case CPS_PROBE_batch:
        return size >= sizeof(struct cps_event_block) &&
               ((const struct cps_event_block *)(const void *)head)->length <=
                   size - sizeof(struct cps_event_block);
    default:
        return false;
    }
}

const struct cps_event_head *cps_decode_event(const void *sample, size_t size)
{
    const struct cps_event_head *head = sample;

    if (size < sizeof(*head) || (uintptr_t)sample % ALIGNMENT || !event_fits(head, size))
        return NULL;
    return head;
}

const struct cps_batch_header *cps_decode_header(const struct cps_event_block *event)
{
    const struct cps_batch_header *header = (const void *)(event + 1);

    if (event->length < sizeof(*header) || event->length > CPS_BATCH_MAX ||
        event->length % ALIGNMENT)
        return NULL;
    if (header->magic != CPS_BATCH_MAGIC || header->version != CPS_BATCH_VERSION ||
        header->length != event->length)
        return NULL;
    if (header->header_size < sizeof(*header) || header->header_size % ALIGNMENT ||
        header->header_size > header->length)
        return NULL;
    if (header->flags & ~(uint32_t)CPS_BATCH_LAST)
        return NULL;
    return header;
}

/* Where the check of a block stands. */
struct check {
    const struct cps_batch_header *header;
    const char *at;
    size_t left;
    uint32_t next_symbol;
    uint32_t calls;
    bool gap;
    bool ended;
};

static bool symbol_known(const struct check *check, uint32_t symbol)
{
    return symbol < check->next_symbol || check->gap;
}

/* The strings of a record, given as one length, and their padding fill its size exactly. */
static bool tail_fits(const struct check *check, size_t fixed, size_t strings)
{
    const struct cps_batch_symbol *record = (const void *)check->at;
    size_t size = (fixed + strings + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    if (record->size != size || size > check->left)
        return false;
    for (size_t i = fixed + strings; i < size; i++)
        if (check->at[i])
            return false;
    return true;
}

static size_t check_begin(const struct check *check)
{
    const struct cps_batch_begin *begin = (const void *)check->at;
    const char *first = (const char *)check->header + check->header->header_size;

    if (check->left < sizeof(*begin) || check->header->sequence != 0 || check->at != first)
        return 0;
    if (CPS_BATCH_WORD_SYMBOL(begin->word) != 0)
        return 0;
    if (begin->source != CPS_BATCH_HTTP && begin->source != CPS_BATCH_CLI)
        return 0;
    if (begin->runtime != CPS_BATCH_PHP && begin->runtime != CPS_BATCH_NODE)
        return 0;
    if (begin->id_length > CPS_BATCH_MAX_STRING || begin->uri_length > CPS_BATCH_MAX_STRING ||
        begin->method_length > CPS_BATCH_MAX_STRING)
        return 0;
    if (begin->source == CPS_BATCH_CLI && (begin->id_length || begin->method_length))
        return 0;
    if (!tail_fits(check, sizeof(*begin),
                   (size_t)begin->id_length + begin->uri_length + begin->method_length))
        return 0;
    return begin->size;
}

static size_t check_symbol(struct check *check)
{
    const struct cps_batch_symbol *symbol = (const void *)check->at;
    uint32_t number;

    if (check->left < sizeof(*symbol) || symbol->reserved ||
        symbol->name_length > CPS_BATCH_MAX_STRING)
        return 0;
    number = CPS_BATCH_WORD_SYMBOL(symbol->word);
    if (number != check->next_symbol && !(check->gap && number > check->next_symbol))
        return 0;
    if (!tail_fits(check, sizeof(*symbol), symbol->name_length))
        return 0;
    check->next_symbol = number + 1;
    return symbol->size;
}

static size_t check_call(struct check *check)
{
    const struct cps_batch_call *call = (const void *)check->at;

    if (check->left < sizeof(*call) || !symbol_known(check, CPS_BATCH_WORD_SYMBOL(call->word)))
        return 0;
    if (check->header->base + call->end < call->elapsed)
        return 0;
    check->calls++;
    return sizeof(*call);
}

static size_t check_call_long(struct check *check)
{
    const struct cps_batch_call_long *call = (const void *)check->at;
    uint64_t end;

    if (check->left < sizeof(*call) || !symbol_known(check, CPS_BATCH_WORD_SYMBOL(call->word)))
        return 0;
    if (__builtin_add_overflow(check->header->base, call->end, &end) || end < call->elapsed)
        return 0;
    check->calls++;
    return sizeof(*call);
}

static size_t check_function(const struct check *check)
{
    const struct cps_batch_function *function = (const void *)check->at;

    if (check->left < sizeof(*function) || (function->flags & ~(uint32_t)CPS_BATCH_UNTIMED) ||
        !symbol_known(check, CPS_BATCH_WORD_SYMBOL(function->word)))
        return 0;
    return sizeof(*function);
}

static size_t check_caller(const struct check *check)
{
    const struct cps_batch_caller *caller = (const void *)check->at;

    if (check->left < sizeof(*caller) || !symbol_known(check, CPS_BATCH_WORD_SYMBOL(caller->word)))
        return 0;
    if (caller->caller >= CPS_BATCH_MAX_SYMBOLS || !symbol_known(check, caller->caller))
        return 0;
    return sizeof(*caller);
}

static size_t check_cache_event(const struct check *check)
{
    const struct cps_batch_cache_event *event = (const void *)check->at;

    if (check->left < sizeof(*event) || event->reserved || CPS_BATCH_WORD_SYMBOL(event->word) != 0)
        return 0;
    if (event->origin != CPS_BATCH_RENDER_ARRAY && event->origin != CPS_BATCH_OBJECT)
        return 0;
    if (event->caller_length > CPS_BATCH_MAX_STRING ||
        event->object_type_length > CPS_BATCH_MAX_STRING ||
        event->tags_length > CPS_BATCH_MAX_STRING || event->contexts_length > CPS_BATCH_MAX_STRING)
        return 0;
    if (event->origin == CPS_BATCH_RENDER_ARRAY && event->object_type_length)
        return 0;
    if (!tail_fits(check, sizeof(*event),
                   (size_t)event->caller_length + event->object_type_length + event->tags_length +
                       event->contexts_length))
        return 0;
    return event->size;
}

static size_t check_end(struct check *check)
{
    const struct cps_batch_end *end = (const void *)check->at;

    if (check->left != sizeof(*end) || !(check->header->flags & CPS_BATCH_LAST))
        return 0;
    if (CPS_BATCH_WORD_SYMBOL(end->word) != 0 || end->aborted > 1 || end->reserved)
        return 0;
    check->ended = true;
    return sizeof(*end);
}

/* The size of the record that the check stands at, or 0 where it breaks a rule. */
static size_t check_record(struct check *check)
{
    uint32_t word;

    memcpy(&word, check->at, sizeof(word));
    switch (CPS_BATCH_WORD_TYPE(word)) {
    case CPS_BATCH_BEGIN:
        return check_begin(check);
    case CPS_BATCH_SYMBOL:
        return check_symbol(check);
    case CPS_BATCH_CALL:
        return check_call(check);
    case CPS_BATCH_CALL_LONG:
        return check_call_long(check);
    case CPS_BATCH_FUNCTION:
        return check_function(check);
    case CPS_BATCH_CALLER:
        return check_caller(check);
    case CPS_BATCH_CACHE_EVENT:
        return check_cache_event(check);
    case CPS_BATCH_END:
        return check_end(check);
    default:
        return 0;
    }
}

int cps_decode_records(const struct cps_batch_header *header,
                       const struct cps_decode_symbols *symbols, struct cps_decode_summary *out)
{
    struct check check = {
        .header = header,
        .at = (const char *)header + header->header_size,
        .left = header->length - header->header_size,
        .next_symbol = symbols->next,
        .gap = symbols->gap,
    };

    if (header->sequence == 0 &&
        (check.left < sizeof(uint32_t) || *(const uint8_t *)check.at != CPS_BATCH_BEGIN))
        return -EBADMSG;
    while (check.left) {
        size_t size = check_record(&check);

        if (!size)
            return -EBADMSG;
        check.at += size;
        check.left -= size;
    }
    if (check.ended != !!(header->flags & CPS_BATCH_LAST))
        return -EBADMSG;
    *out = (struct cps_decode_summary){.next_symbol = check.next_symbol, .calls = check.calls};
    return 0;
}

const struct cps_batch_parent *cps_decode_parent(const struct cps_batch_header *header)
{
    static const struct cps_batch_parent none;
    const struct cps_batch_parent *parent = (const void *)(header + 1);

    if (header->sequence != 0 || header->header_size < sizeof(*header) + sizeof(*parent))
        return NULL;
    if (!memcmp(parent->trace_id, none.trace_id, sizeof(none.trace_id)) ||
        !memcmp(parent->span_id, none.span_id, sizeof(none.span_id)))
        return NULL;
    return parent;
}

const uint32_t *cps_decode_first(const struct cps_batch_header *header)
{
    if (header->header_size == header->length)
        return NULL;
    return (const void *)((const char *)header + header->header_size);
}

static size_t record_size(const uint32_t *record)
{
    switch (CPS_BATCH_WORD_TYPE(*record)) {
    case CPS_BATCH_CALL:
        return sizeof(struct cps_batch_call);
    case CPS_BATCH_CALL_LONG:
        return sizeof(struct cps_batch_call_long);
    case CPS_BATCH_FUNCTION:
        return sizeof(struct cps_batch_function);
    case CPS_BATCH_CALLER:
        return sizeof(struct cps_batch_caller);
    case CPS_BATCH_END:
        return sizeof(struct cps_batch_end);
    default:
        return record[1];
    }
}

const uint32_t *cps_decode_next(const struct cps_batch_header *header, const uint32_t *record)
{
    const char *next = (const char *)record + record_size(record);

    if (next >= (const char *)header + header->length)
        return NULL;
    return (const void *)next;
}
