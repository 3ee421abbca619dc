/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const char *after(const char *uri, const char *scheme)
{
    size_t length = strlen(scheme);

    return strncasecmp(uri, scheme, length) ? NULL : uri + length;
}

static bool is_http(const char *uri)
{
    return after(uri, "http://") || after(uri, "https://");
}

int cps_feed_check(const char *uri, struct cps_error *error)
{
    return is_http(uri) ? cps_feed_http_check(uri, error) : 0;
}

int cps_feed_open(const struct cps_options *options, const struct cps_feed_sink *sink,
                  struct cps_feed **out, struct cps_error *error)
{
    const char *path;

    if (is_http(options->uri))
        return cps_feed_http_open(options, sink, out, error);
    path = after(options->uri, "file://");
    if (path && *path == '/')
        return cps_feed_file_open(path, sink, out, error);
    path = after(options->uri, "extension://");
    if (path && *path == '/')
        return cps_feed_extension_open(path, sink, out, error);
    return cps_error_set(error, -EINVAL,
                         "--uri: \"%s\" was found; http://, https://, extension:///path or "
                         "file:///path was expected",
                         options->uri);
}
