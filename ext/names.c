/* SPDX-License-Identifier: Apache-2.0 */
#include "php_compass.h"

#define MIX 0x9e3779b97f4a7c15u

/* A name in the making; what is over the bound is cut. */
struct text {
    size_t length;
    char data[CPS_BATCH_MAX_STRING + 1];
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

static struct cps_function *add_file(struct cps_recorder *recorder, struct cps_recorder_name *name,
                                     const zend_function *function)
{
    const zend_string *file = function->op_array.filename;

    name->text = ZSTR_VAL(file);
    name->length = MIN(ZSTR_LEN(file), CPS_BATCH_MAX_STRING);
    return cps_recorder_add(recorder, name);
}

/* The NUL in the name of an anonymous class would end a C string before its method: the classic
 * name leaves out what is behind it ("class@anonymous::run"). */
static void make_classic(struct text *text, const zend_function *function)
{
    const zend_class_entry *scope = function->common.scope;

    text->length = 0;
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

static struct cps_function *add_named(struct cps_recorder *recorder, struct cps_recorder_name *name,
                                      const zend_function *function)
{
    const zend_class_entry *scope = function->common.scope;
    struct text text;
    struct text classic;

    text.length = 0;
    if (scope) {
        append_string(&text, scope->name);
        append(&text, "::", 2);
    }
    append_method(&text, function);
    if (is_closure(function))
        append_place(&text, &function->op_array);
    if (is_closure(function) || (scope && holds_nul(scope->name))) {
        make_classic(&classic, function);
        name->classic = classic.data;
    }
    name->text = text.data;
    name->length = text.length;
    struct cps_function *added = cps_recorder_add(recorder, name);

    name->text = name->classic = NULL;
    return added;
}

/* Functions are told apart by the engine's 64-bit hashes of class and name, which it has at hand;
 * closures by their place, and files by their path. */
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

struct cps_function *cps_names_resolve(struct cps_recorder *recorder, const zend_function *function)
{
    struct cps_recorder_name name = {0};

    make_key(name.key, function);
    struct cps_function *known = cps_recorder_find(recorder, name.key);

    if (known)
        return known;
    if (!function->common.function_name)
        return add_file(recorder, &name, function);
    return add_named(recorder, &name, function);
}
