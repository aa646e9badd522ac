/*
 * tls.c: certificates and keys (see tls.h).  Runs on the thread that owns the struct tls.
 */
#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct tls {
	SSL_CTX *ssl_ctx;
	bool is_server;
};

static void tls_destroy(void *object)
{
	struct tls *tls = object;

	SSL_CTX_free(tls->ssl_ctx);
}

/* Writes one line for the operator: what failed, and OpenSSL's own reason. */
static int tls_explain(char *why, size_t why_size, const char *what, const char *file)
{
	unsigned long code = ERR_peek_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	if (file && access(file, R_OK) != 0)
		snprintf(why, why_size, "%s %s: %s", what, file, strerror(errno));
	else if (file)
		snprintf(why, why_size, "%s %s: %s", what, file, reason ? reason : "unusable");
	else
		snprintf(why, why_size, "%s: %s", what, reason ? reason : "failed");
	ERR_clear_error();
	return EINVAL;
}

static int tls_make(struct tls **tlsp, bool is_server)
{
	struct tls *tls = mem_zalloc(sizeof(*tls), tls_destroy);

	if (!tls)
		return ENOMEM;
	tls->is_server = is_server;
	tls->ssl_ctx = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
	if (!tls->ssl_ctx) {
		mem_deref(tls);
		return ENOMEM;
	}
	ERR_clear_error();
	/* OpenSSL writes with write(2), which has no MSG_NOSIGNAL. */
	signal(SIGPIPE, SIG_IGN);
	SSL_CTX_set_min_proto_version(tls->ssl_ctx, TLS1_2_VERSION);
	SSL_CTX_set_session_cache_mode(tls->ssl_ctx, SSL_SESS_CACHE_OFF);
	/* A quiet connection frees its 34 KB of buffers.  A repeated write may have another
	 * address, because messages are gathered again. */
	SSL_CTX_set_mode(tls->ssl_ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
					       SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	/* HTTP and WebSocket mark the ends of their messages, so a connection that ends without a
	 * close_notify cannot be mistaken for a complete message. */
	SSL_CTX_set_options(tls->ssl_ctx, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION |
						  SSL_OP_NO_COMPRESSION);
	*tlsp = tls;
	return 0;
}

/* Without this callback OpenSSL would ask for the passphrase of an encrypted key on the terminal,
 * and block. */
static int tls_no_passphrase(char *passphrase, int size, int is_for_writing, void *arg)
{
	(void)passphrase;
	(void)size;
	(void)is_for_writing;
	(void)arg;
	return 0;
}

int tls_server_alloc(struct tls **tlsp, const char *certificate_file, const char *key_file,
		     char *why, size_t why_size)
{
	struct tls *tls;
	int err = tls_make(&tls, true);

	if (err) {
		snprintf(why, why_size, "TLS: %s", strerror(err));
		return err;
	}
	SSL_CTX_set_default_passwd_cb(tls->ssl_ctx, tls_no_passphrase);
	SSL_CTX_set_num_tickets(tls->ssl_ctx, 1);
	SSL_CTX_set_options(tls->ssl_ctx, SSL_OP_CIPHER_SERVER_PREFERENCE);
	if (SSL_CTX_use_certificate_chain_file(tls->ssl_ctx, certificate_file) != 1)
		err = tls_explain(why, why_size, "certificate", certificate_file);
	else if (SSL_CTX_use_PrivateKey_file(tls->ssl_ctx, key_file, SSL_FILETYPE_PEM) != 1)
		err = tls_explain(why, why_size, "private key", key_file);
	else if (SSL_CTX_check_private_key(tls->ssl_ctx) != 1)
		err = tls_explain(why, why_size, "private key does not fit the certificate",
				  key_file);
	if (err)
		tls = mem_deref(tls);
	else
		*tlsp = tls;
	return err;
}

int64_t tls_expires(const struct tls *tls)
{
	const X509 *certificate = SSL_CTX_get0_certificate(tls->ssl_ctx);
	struct tm end;

	if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1)
		return 0;
	return timegm(&end);
}

int tls_client_alloc(struct tls **tlsp, const char *ca_file, char *why, size_t why_size)
{
	struct tls *tls;
	int err = tls_make(&tls, false);
	int ok;

	if (err) {
		snprintf(why, why_size, "TLS: %s", strerror(err));
		return err;
	}
	SSL_CTX_set_verify(tls->ssl_ctx, SSL_VERIFY_PEER, NULL);
	if (ca_file)
		ok = SSL_CTX_load_verify_locations(tls->ssl_ctx, ca_file, NULL);
	else
		ok = SSL_CTX_set_default_verify_paths(tls->ssl_ctx);
	if (ok != 1) {
		err = tls_explain(why, why_size, "certificate authorities", ca_file);
		mem_deref(tls);
		return err;
	}
	*tlsp = tls;
	return 0;
}

int tls_client_trust(struct tls *tls, const char *ca_file, char *why, size_t why_size)
{
	if (SSL_CTX_load_verify_locations(tls->ssl_ctx, ca_file, NULL) == 1)
		return 0;
	return tls_explain(why, why_size, "certificate authorities", ca_file);
}

/* Requires the certificate to be for this name or address; only names are sent to the server (RFC
 * 6066, section 3). */
static int tls_expect_host(SSL *ssl, const char *host)
{
	X509_VERIFY_PARAM *param = SSL_get0_param(ssl);

	if (X509_VERIFY_PARAM_set1_ip_asc(param, host) == 1)
		return 1;
	ERR_clear_error();
	/* SSL_set_tlsext_host_name, whose macro casts const away. */
	return SSL_set1_host(ssl, host) == 1 &&
	       SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
			(void *)(uintptr_t)host) == 1;
}

SSL *tls_open(struct tls *tls, int fd, const char *host)
{
	SSL *ssl = SSL_new(tls->ssl_ctx);

	if (!ssl)
		return NULL;
	if (SSL_set_fd(ssl, fd) != 1 || (host && !tls_expect_host(ssl, host))) {
		SSL_free(ssl);
		return NULL;
	}
	if (tls->is_server)
		SSL_set_accept_state(ssl);
	else
		SSL_set_connect_state(ssl);
	return ssl;
}

static int tls_errno_of_verdict(long verdict)
{
	switch (verdict) {
	case X509_V_ERR_HOSTNAME_MISMATCH:
	case X509_V_ERR_IP_ADDRESS_MISMATCH:
		return ENOKEY;
	case X509_V_ERR_CERT_HAS_EXPIRED:
	case X509_V_ERR_CERT_NOT_YET_VALID:
		return EKEYEXPIRED;
	default:
		return EKEYREJECTED;
	}
}

/* A server without TLS answers with plain text, which OpenSSL reports as a wrong version. */
int tls_errno(const SSL *ssl)
{
	long verdict = SSL_get_verify_result(ssl);
	int reason = ERR_GET_REASON(ERR_peek_error());

	if (verdict != X509_V_OK)
		return tls_errno_of_verdict(verdict);
	return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_UNKNOWN_PROTOCOL
		       ? EPROTONOSUPPORT
		       : EPROTO;
}

const char *tls_words(int err)
{
	switch (err) {
	case ENOKEY:
		return "its certificate is not for this name";
	case EKEYEXPIRED:
		return "its certificate has expired, or is not valid yet";
	case EKEYREJECTED:
		return "its certificate is not signed by an authority that is known here";
	case EPROTONOSUPPORT:
		return "it does not use TLS";
	default:
		return NULL;
	}
}

bool tls_is_untrusted(int err)
{
	return err == ENOKEY || err == EKEYEXPIRED || err == EKEYREJECTED;
}
