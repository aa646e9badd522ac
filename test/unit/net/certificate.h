/*
 * certificate.h: a self-signed certificate for a test, as PEM files.
 */
#ifndef TEST_NET_CERTIFICATE_H
#define TEST_NET_CERTIFICATE_H

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>

static inline bool certificate_write(X509 *x509, EVP_PKEY *key, const char *cert_file,
				     const char *key_file)
{
	FILE *cert = fopen(cert_file, "w");
	FILE *private = fopen(key_file, "w");
	bool ok = cert && private && PEM_write_X509(cert, x509) == 1 &&
		  PEM_write_PrivateKey(private, key, NULL, NULL, 0, NULL, NULL) == 1;

	if (cert)
		fclose(cert);
	if (private)
		fclose(private);
	return ok;
}

/* Writes a certificate for these names ("DNS:localhost,IP:127.0.0.1") that is valid for a day. */
static inline bool certificate_make(const char *names, const char *cert_file, const char *key_file)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x509 = X509_new();
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
	X509_NAME *name = X509_get_subject_name(x509);
	bool ok;

	X509_set_version(x509, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
	X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x509), 86400);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1,
				   0);
	X509_set_issuer_name(x509, name);
	X509_set_pubkey(x509, key);
	X509_add_ext(x509, extension, -1);
	ok = X509_sign(x509, key, EVP_sha256()) > 0 &&
	     certificate_write(x509, key, cert_file, key_file);
	X509_EXTENSION_free(extension);
	X509_free(x509);
	EVP_PKEY_free(key);
	return ok;
}

#endif
