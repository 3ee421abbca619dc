/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drupal's cacheability: what CacheableMetadata::createFromRenderArray and ::createFromObject
 * return, read from the object's declared properties. No code of the application runs for it.
 */
#include "php_compass.h"

#define CLASS "drupal\\core\\cache\\cacheablemetadata"
#define FROM_RENDER_ARRAY "createfromrenderarray"
#define FROM_OBJECT "createfromobject"

static bool is_named(const zend_string *name, const char *lowercase, size_t length)
{
    return ZSTR_LEN(name) == length &&
           zend_binary_strcasecmp(ZSTR_VAL(name), length, lowercase, length) == 0;
}

/* Two comparisons of a length for any other function. */
enum cps_batch_cache_origin cps_drupal_match(const zend_function *function)
{
    const zend_string *name = function->common.function_name;
    enum cps_batch_cache_origin origin;

    if (!name || !function->common.scope)
        return 0;
    if (is_named(name, ZEND_STRL(FROM_RENDER_ARRAY)))
        origin = CPS_BATCH_RENDER_ARRAY;
    else if (is_named(name, ZEND_STRL(FROM_OBJECT)))
        origin = CPS_BATCH_OBJECT;
    else
        return 0;
    return is_named(function->common.scope->name, ZEND_STRL(CLASS)) ? origin : 0;
}

/* The value of a declared property, or NULL. */
static const zval *property(const zend_object *object, const char *name, size_t length)
{
    const zend_property_info *info =
        zend_hash_str_find_ptr(&object->ce->properties_info, name, length);

    if (!info || (info->flags & ZEND_ACC_STATIC) || (int32_t)info->offset <= 0)
        return NULL;
    const zval *value = OBJ_PROP(object, info->offset);

    ZVAL_DEREF(value);
    return value;
}

/* Joins the strings of a list by spaces into `out`, which holds CPS_BATCH_MAX_STRING + 1 bytes. */
static struct cps_batch_text join(const zval *list, char *out)
{
    size_t length = 0;
    zval *item;

    if (list && Z_TYPE_P(list) == IS_ARRAY) {
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(list), item)
        {
            ZVAL_DEREF(item);
            if (Z_TYPE_P(item) != IS_STRING)
                continue;
            if (length + Z_STRLEN_P(item) + 1 > CPS_BATCH_MAX_STRING)
                break;
            if (length > 0)
                out[length++] = ' ';
            memcpy(out + length, Z_STRVAL_P(item), Z_STRLEN_P(item));
            length += Z_STRLEN_P(item);
        }
        ZEND_HASH_FOREACH_END();
    }
    out[length] = '\0';
    return (struct cps_batch_text){out, length};
}

static struct cps_batch_text copy(const char *text, char *out)
{
    size_t length = strnlen(text, CPS_BATCH_MAX_STRING);

    memcpy(out, text, length);
    out[length] = '\0';
    return (struct cps_batch_text){out, length};
}

static struct cps_batch_text type_of(zend_execute_data *call, char *out)
{
    const zval *argument;

    if (ZEND_CALL_NUM_ARGS(call) == 0)
        return copy("", out);
    argument = ZEND_CALL_ARG(call, 1);
    ZVAL_DEREF(argument);
    return copy(Z_TYPE_P(argument) == IS_OBJECT ? ZSTR_VAL(Z_OBJCE_P(argument)->name)
                                                : zend_zval_type_name(argument),
                out);
}

void cps_drupal_event(cps_globals *globals, enum cps_batch_cache_origin origin,
                      const struct cps_function *caller, zend_execute_data *call,
                      const zval *result)
{
    char *const *scratch = globals->request.scratch;
    const char *from = caller ? caller->classic_name : "";
    bool classic = cps_classic_wants_cache_event(origin);

    if (Z_TYPE_P(result) != IS_OBJECT || (!globals->blocks.active && !classic))
        return;
    const zend_object *object = Z_OBJ_P(result);
    const zval *max_age = property(object, ZEND_STRL("cacheMaxAge"));
    struct cps_batch_cacheability event = {
        .origin = origin,
        .caller = {from, strlen(from)},
        .object_type = {"", 0},
        .tags = join(property(object, ZEND_STRL("cacheTags")), scratch[0]),
        .contexts = join(property(object, ZEND_STRL("cacheContexts")), scratch[1]),
        .max_age = max_age && Z_TYPE_P(max_age) == IS_LONG ? Z_LVAL_P(max_age) : -1};

    if (origin == CPS_BATCH_OBJECT)
        event.object_type = type_of(call, scratch[2]);
    if (globals->blocks.active)
        cps_cache_events_add(&globals->cache_events, &event);
    if (classic)
        cps_classic_cache_event(&globals->request, &event);
}
