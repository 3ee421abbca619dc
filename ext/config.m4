dnl SPDX-License-Identifier: Apache-2.0
PHP_ARG_ENABLE([compass], [whether to enable Compass],
  [AS_HELP_STRING([--enable-compass], [Enable the probes of Compass])])

if test "$PHP_COMPASS" != "no"; then
  compass_version=`cat "$abs_srcdir/../VERSION"`
  PHP_NEW_EXTENSION([compass],
    [compass.c observer.c names.c request.c recorder.c tables.c clock.c emit_classic.c emit_batch.c cache_events.c drupal.c],
    [$ext_shared],,
    [-D_GNU_SOURCE -DCPS_VERSION=\\\\\"$compass_version\\\\\" -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 -fvisibility=hidden -fno-strict-aliasing -fno-tree-slp-vectorize -fno-plt -I@ext_srcdir@/../probes])
fi
