/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handshake may still use a pair when the next one is loaded, and GnuTLS does not say when it is
 * done with it. So every handshake gets a copy of its own, which GnuTLS frees: some hundred
 * microseconds, once a connection.
 */
#include "tls.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"

#define CHAIN_MAX 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gnutls_datum_t pair_cert; /* PEM, allocated by GnuTLS; guarded by lock */
static gnutls_datum_t pair_key;

static void forget(gnutls_datum_t *datum)
{
    if (datum->data)
        gnutls_memset(datum->data, 0, datum->size);
    gnutls_free(datum->data);
    *datum = (gnutls_datum_t){0};
}

static int read_file(const char *path, gnutls_datum_t *out, struct cps_error *error)
{
    cps_auto_fclose FILE *file = fopen(path, "re"); /* GnuTLS would lose what went wrong */
    int status = -errno;

    if (!file)
        return cps_error_set(error, status, "%s: cannot be read: %s", path, strerror(-status));
    status = gnutls_load_file(path, out);
    if (status < 0)
        return cps_error_set(error, -EIO, "%s: cannot be read: %s", path, gnutls_strerror(status));
    return 0;
}

/* GnuTLS compares the two when a pair is set as a credential. */
static int check(const gnutls_datum_t *cert, const gnutls_datum_t *key)
{
    gnutls_certificate_credentials_t credentials;
    int status = gnutls_certificate_allocate_credentials(&credentials);

    if (status < 0)
        return status;
    status = gnutls_certificate_set_x509_key_mem(credentials, cert, key, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    return status;
}

int cps_tls_load(const char *cert_file, const char *key_file, struct cps_error *error)
{
    gnutls_datum_t cert = {0};
    gnutls_datum_t key = {0};
    int status = read_file(cert_file, &cert, error);

    if (status == 0)
        status = read_file(key_file, &key, error);
    if (status == 0) {
        int code = check(&cert, &key);
        if (code < 0)
            status = cps_error_set(error, -EINVAL,
                                   "cert_file %s and key_file %s: found no usable pair, expected a "
                                   "PEM certificate and its private key: %s",
                                   cert_file, key_file, gnutls_strerror(code));
    }
    if (status == 0) {
        (void)pthread_mutex_lock(&lock);
        gnutls_datum_t old = pair_cert;
        pair_cert = cert;
        cert = old;
        old = pair_key;
        pair_key = key;
        key = old;
        (void)pthread_mutex_unlock(&lock);
    }
    forget(&cert);
    forget(&key);
    return status;
}

void cps_tls_unload(void)
{
    (void)pthread_mutex_lock(&lock);
    forget(&pair_cert);
    forget(&pair_key);
    (void)pthread_mutex_unlock(&lock);
}

static int copy_chain(gnutls_pcert_st **out, unsigned int *count)
{
    gnutls_pcert_st *chain = gnutls_calloc(CHAIN_MAX, sizeof(*chain));
    unsigned int length = CHAIN_MAX;

    if (!chain)
        return GNUTLS_E_MEMORY_ERROR;
    int status =
        gnutls_pcert_list_import_x509_raw(chain, &length, &pair_cert, GNUTLS_X509_FMT_PEM, 0);
    if (status < 0) {
        gnutls_free(chain);
        return status;
    }
    *out = chain;
    *count = length;
    return 0;
}

static int copy_key(gnutls_privkey_t *out)
{
    gnutls_privkey_t key;
    int status = gnutls_privkey_init(&key);

    if (status < 0)
        return status;
    status = gnutls_privkey_import_x509_raw(key, &pair_key, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (status < 0) {
        gnutls_privkey_deinit(key);
        return status;
    }
    *out = key;
    return 0;
}

int cps_tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                     gnutls_pcert_st **certs, unsigned int *cert_count, gnutls_ocsp_data_st **ocsp,
                     unsigned int *ocsp_count, gnutls_privkey_t *key, unsigned int *flags)
{
    (void)session;
    (void)info;
    *ocsp = NULL;
    *ocsp_count = 0;
    (void)pthread_mutex_lock(&lock);
    int status = copy_key(key);
    if (status == 0) {
        status = copy_chain(certs, cert_count);
        if (status < 0)
            gnutls_privkey_deinit(*key);
    }
    (void)pthread_mutex_unlock(&lock);
    *flags |= GNUTLS_CERT_RETR_DEINIT_ALL;
    return status < 0 ? -1 : 0;
}
