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

/* For a server: reads the certificate chain and the private key from PEM files.  On failure `why`
 * says which file is wrong and how. */
int tls_server_alloc(struct tls **tlsp, const char *certificate_file, const char *key_file,
		     char *why, size_t why_size);

/* The seconds since 1970 at which the server's certificate expires; 0 if that is unknown. */
int64_t tls_expires(const struct tls *tls);

/* For a client: the server must prove its name with a certificate from one of the system's
 * authorities, or from one of those in ca_file if that is not NULL. */
int tls_client_alloc(struct tls **tlsp, const char *ca_file, char *why, size_t why_size);

/* Makes a client trust the authorities in this PEM file in addition. */
int tls_client_trust(struct tls *tls, const char *ca_file, char *why, size_t why_size);

/* Returns a connection over a connected descriptor, which the caller keeps, or NULL if there is no
 * memory.  `host` is the name that the server must prove; NULL for the server's end. */
SSL *tls_open(struct tls *tls, int fd, const char *host);

/* Returns why a client's handshake failed, from the connection and OpenSSL's error queue: ENOKEY if
 * the certificate is for another name, EKEYEXPIRED if it is out of date, EKEYREJECTED if it is not
 * trusted for another reason, EPROTONOSUPPORT if the server does not use TLS, otherwise EPROTO. */
int tls_errno(const SSL *ssl);

/* Describes one of these errors; NULL for any other. */
const char *tls_words(int err);

/* Whether it is one of the three errors about a certificate, for which a retry is pointless. */
bool tls_is_untrusted(int err);

#endif
