/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate and key that connections are answered with. They are read from their files when
 * the process starts and on demand (SIGHUP); a pair that cannot be used leaves the old one in
 * place. There is one pair in a process, since GnuTLS gives its callback no context.
 */
#ifndef CPS_SIDECAR_TLS_H
#define CPS_SIDECAR_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include "error.h"

/* TLS 1.2 and 1.3, nothing older. */
#define CPS_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Reads the pair and checks that the key belongs to the certificate. 0, or a negative errno value
 * with a sentence that names the file; what was there before then stays. Any thread. */
int cps_tls_load(const char *cert_file, const char *key_file, struct cps_error *error);
void cps_tls_unload(void);

/* What MHD_OPTION_HTTPS_CERT_CALLBACK2 takes: hands out a copy of the pair. */
int cps_tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                     gnutls_pcert_st **certs, unsigned int *cert_count, gnutls_ocsp_data_st **ocsp,
                     unsigned int *ocsp_count, gnutls_privkey_t *key, unsigned int *flags);

#endif
