/* SPDX-License-Identifier: Apache-2.0 */
#include "php_compass.h"

#define MIX 0x9e3779b97f4a7c15u

/* A name in the making, in memory for CPS_BATCH_MAX_STRING + 1 bytes; what is over the bound is
 * cut. */
struct text {
    size_t length;
    char *data;
};

static void append(struct text *text, const char *bytes, size_t length)
{
    size_t room = CPS_BATCH_MAX_STRING - text->length;

    if (length > room)
        length = room;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

static void append_string(struct text *text, const zend_string *string)
{
    append(text, ZSTR_VAL(string), ZSTR_LEN(string));
}

static bool is_closure(const zend_function *function)
{
    return (function->common.fn_flags & (ZEND_ACC_CLOSURE | ZEND_ACC_FAKE_CLOSURE)) ==
               ZEND_ACC_CLOSURE &&
           function->type == ZEND_USER_FUNCTION;
}

/* The classic name of a closure, to which the symbol's adds file and line. From 8.4 on the engine's
 * own name says where the closure is, and no longer its namespace. */
static void append_method(struct text *text, const zend_function *function)
{
#if PHP_VERSION_ID >= 80400
    if (is_closure(function)) {
        append(text, ZEND_STRL("{closure}"));
        return;
    }
#endif
    append_string(text, function->common.function_name);
}

static void append_place(struct text *text, const zend_op_array *code)
{
    char line[16];

    append(text, ":", 1);
    append_string(text, code->filename);
    (void)snprintf(line, sizeof(line), ":%u", code->line_start);
    append(text, line, strlen(line));
}

/* The NUL in the name of an anonymous class would end a C string before its method: the classic
 * name leaves out what is behind it ("class@anonymous::run"). */
static void make_classic(struct text *text, const zend_function *function)
{
    const zend_class_entry *scope = function->common.scope;

    if (scope) {
        append(text, ZSTR_VAL(scope->name), strlen(ZSTR_VAL(scope->name)));
        append(text, "::", 2);
    }
    append_method(text, function);
}

static bool holds_nul(const zend_string *string)
{
    return memchr(ZSTR_VAL(string), '\0', ZSTR_LEN(string)) != NULL;
}

static void make_text(struct text *text, const zend_function *function)
{
    const zend_class_entry *scope = function->common.scope;

    if (!function->common.function_name) {
        append_string(text, function->op_array.filename);
        return;
    }
    if (scope) {
        append_string(text, scope->name);
        append(text, "::", 2);
    }
    append_method(text, function);
    if (is_closure(function))
        append_place(text, &function->op_array);
}

static bool has_classic_name(const zend_function *function)
{
    const zend_class_entry *scope = function->common.scope;

    return is_closure(function) || (scope && holds_nul(scope->name));
}

/* The engine's 64-bit hashes of class and name, which it has at hand; with a closure's its place's,
 * since its text may be cut before that. */
static void make_key(uint64_t key[2], const zend_function *function)
{
    const zend_class_entry *scope = function->common.scope;

    if (!function->common.function_name) {
        key[0] = 1;
        key[1] = ZSTR_HASH(function->op_array.filename);
        return;
    }
    key[0] = scope ? ZSTR_HASH(scope->name) : 0;
    key[1] = ZSTR_HASH(function->common.function_name);
    if (is_closure(function)) {
        key[0] += ZSTR_HASH(function->op_array.filename) * MIX;
        key[1] += function->op_array.line_start * MIX;
    }
}

struct cps_function *cps_names_resolve(cps_globals *globals, const zend_function *function)
{
    struct text text = {0, globals->request.scratch[0]};
    struct text classic = {0, globals->request.scratch[1]};
    struct cps_recorder_name name = {0};

    make_key(name.key, function);
    make_text(&text, function);
    name.text = text.data;
    name.length = text.length;
    if (has_classic_name(function)) {
        make_classic(&classic, function);
        name.classic = classic.data;
    }
    return cps_recorder_resolve(&globals->recorder, &name);
}
