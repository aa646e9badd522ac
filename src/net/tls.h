/*
 * tls.h: certificates and keys, for either end of a TLS connection.
 *
 * A struct tls is created at start-up, because it reads files, and shared by all connections of its
 * thread.  Each connection has its own SSL, which its stream or client owns.  Error texts are for
 * the operator.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls;

/* The server's end: certificate chain and private key, PEM files.  On failure
 * `why` says which file and what is wrong with it. */
int tls_server_alloc(struct tls **tlsp, const char *certificate_file, const char *key_file,
		     char *why, size_t why_size);

/* The seconds since 1970 at which the server's certificate expires; 0 if that is unknown. */
int64_t tls_expires(const struct tls *tls);

/* The client's end: the server must prove its name with a certificate of the system's authorities,
 * or of those in ca_file if it is not NULL. */
int tls_client_alloc(struct tls **tlsp, const char *ca_file, char *why, size_t why_size);

/* A client also trusts the authorities in this PEM file. */
int tls_client_trust(struct tls *tls, const char *ca_file, char *why, size_t why_size);

/* Returns a connection over a connected descriptor, which the caller keeps, or NULL if there is no
 * memory.  `host` is the name that the server must prove; NULL for the server's end. */
SSL *tls_open(struct tls *tls, int fd, const char *host);

/* The errno of a client's handshake that failed, from the connection and OpenSSL's queue of
 * errors.  The certificate is not for this name: ENOKEY; it is out of date: EKEYEXPIRED; it is
 * not trusted for another reason: EKEYREJECTED.  The server does not use TLS:
 * EPROTONOSUPPORT.  Else EPROTO. */
int tls_errno(const SSL *ssl);

/* Describes these errors; NULL for others. */
const char *tls_words(int err);

/* Whether it is one of the three errors about a certificate, which another attempt does not
 * change. */
bool tls_is_untrusted(int err);

#endif
