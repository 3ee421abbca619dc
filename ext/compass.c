/* SPDX-License-Identifier: Apache-2.0 */
#include "php_compass.h"

#include <ext/standard/info.h>
#include <inttypes.h>
#include <pthread.h>
#include <zend_ini.h>

#define DEFAULT_THRESHOLD "1000000"

CPS_USDT_DEFINE_SEMAPHORES

ZEND_DECLARE_MODULE_GLOBALS(compass)

struct cps_settings cps_settings;

static PHP_INI_MH(on_update_enabled)
{
    (void)entry, (void)mh_arg1, (void)mh_arg2, (void)mh_arg3, (void)stage;
    cps_settings.enabled = new_value && zend_ini_parse_bool(new_value);
    return SUCCESS;
}

/* Digits alone, and small enough for 63 bits. */
static bool parse_threshold(const zend_string *text, uint64_t *out)
{
    char *end;

    if (ZSTR_LEN(text) > 18 || strspn(ZSTR_VAL(text), "0123456789") != ZSTR_LEN(text))
        return false;
    *out = strtoull(ZSTR_VAL(text), &end, 10);
    return true;
}

/* Empty is what ${COMPASS_FUNCTION_THRESHOLD} leaves where the variable is not set. A value that
 * is refused leaves the default: the engine applies it next. */
static PHP_INI_MH(on_update_threshold)
{
    uint64_t threshold;

    (void)entry, (void)mh_arg1, (void)mh_arg2, (void)mh_arg3, (void)stage;
    if (!new_value || ZSTR_LEN(new_value) == 0) {
        cps_settings.threshold = strtoull(DEFAULT_THRESHOLD, NULL, 10);
        return SUCCESS;
    }
    if (!parse_threshold(new_value, &threshold)) {
        zend_error(E_WARNING,
                   "compass.function_threshold: \"%s\" is not a number of nanoseconds, "
                   "using " DEFAULT_THRESHOLD,
                   ZSTR_VAL(new_value));
        return FAILURE;
    }
    cps_settings.threshold = threshold;
    return SUCCESS;
}

/* Empty is the default here too. */
static PHP_INI_MH(on_update_callers)
{
    (void)entry, (void)mh_arg1, (void)mh_arg2, (void)mh_arg3, (void)stage;
    cps_settings.callers = !new_value || ZSTR_LEN(new_value) == 0 || zend_ini_parse_bool(new_value);
    return SUCCESS;
}

PHP_INI_BEGIN()
PHP_INI_ENTRY_EX("compass.enabled", "0", PHP_INI_SYSTEM, on_update_enabled,
                 zend_ini_boolean_displayer_cb)
PHP_INI_ENTRY("compass.function_threshold", DEFAULT_THRESHOLD, PHP_INI_SYSTEM, on_update_threshold)
PHP_INI_ENTRY_EX("compass.callers", "1", PHP_INI_SYSTEM, on_update_callers,
                 zend_ini_boolean_displayer_cb)
PHP_INI_END()

static PHP_GINIT_FUNCTION(compass)
{
#if defined(ZTS) && defined(COMPILE_DL_COMPASS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(compass_globals, 0, sizeof(*compass_globals));
}

static PHP_GSHUTDOWN_FUNCTION(compass)
{
    cps_recorder_free(&compass_globals->recorder);
    cps_blocks_free(&compass_globals->blocks);
}

static void on_fork(void)
{
    cps_request_forked(CPS_GLOBALS());
}

static PHP_MINIT_FUNCTION(compass)
{
    REGISTER_INI_ENTRIES();
    /* Loaded by dl() it is too late for observers, and the engine would keep hooks of a module that
     * is gone. */
    if (type == MODULE_TEMPORARY || !cps_settings.enabled || cps_observer_register() != 0) {
        cps_settings.enabled = false;
        return SUCCESS;
    }
    cps_clock_start();
    (void)pthread_atfork(NULL, NULL, on_fork);
#ifdef CPS_TEST
    cps_sink_start();
#endif
    return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(compass)
{
    (void)type;
    UNREGISTER_INI_ENTRIES();
    return SUCCESS;
}

static PHP_RINIT_FUNCTION(compass)
{
    (void)type, (void)module_number;
#if defined(ZTS) && defined(COMPILE_DL_COMPASS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    if (cps_settings.enabled)
        cps_request_start(CPS_GLOBALS());
    return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(compass)
{
    (void)type, (void)module_number;
    cps_request_finish(CPS_GLOBALS());
    return SUCCESS;
}

/* Other extensions still call into the application in their RSHUTDOWN (session handlers do), so a
 * request is closed after all of them. */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(compass)
{
    cps_request_close(CPS_GLOBALS());
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(compass)
{
    char count[24];

    (void)zend_module;
    php_info_print_table_start();
    php_info_print_table_row(2, "Compass", cps_settings.enabled ? "enabled" : "disabled");
    php_info_print_table_row(2, "Version", CPS_VERSION);
    if (cps_settings.enabled) {
        php_info_print_table_row(2, "Clock",
                                 cps_clock_has_counter ? "time stamp counter" : "clock_gettime");
        php_info_print_table_row(2, "Watched", cps_usdt_watched(CPS_PROBE_canary) ? "yes" : "no");
        (void)snprintf(count, sizeof(count), "%" PRIu64, cps_request_not_recorded());
        php_info_print_table_row(2, "Not recorded for want of memory", count);
    }
    php_info_print_table_end();
    DISPLAY_INI_ENTRIES();
}

#ifdef CPS_TEST
#define FUNCTIONS cps_sink_functions
#else
#define FUNCTIONS NULL
#endif

zend_module_entry compass_module_entry = {
    STANDARD_MODULE_HEADER,
    "compass",
    FUNCTIONS,
    PHP_MINIT(compass),
    PHP_MSHUTDOWN(compass),
    PHP_RINIT(compass),
    PHP_RSHUTDOWN(compass),
    PHP_MINFO(compass),
    CPS_VERSION,
    PHP_MODULE_GLOBALS(compass),
    PHP_GINIT(compass),
    PHP_GSHUTDOWN(compass),
    ZEND_MODULE_POST_ZEND_DEACTIVATE_N(compass),
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_COMPASS
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
/* The macro defines it without a prototype, which clang minds. */
ZEND_DLEXPORT zend_module_entry *get_module(void);
ZEND_GET_MODULE(compass)
#endif
