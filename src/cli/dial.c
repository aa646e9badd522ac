/*
 * dial.c: a blocking connection to an HTTP server (see dial.h).
 */
#include "cli/dial.h"

#include <errno.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base64.h"

#define CONNECT_S 15 /* the time limit for one address */
#define PROXY_ANSWER_MAX 8192
#define CREDENTIALS_MAX 256

static void dial_set_timeout(int fd, int seconds)
{
	const struct timeval time = {.tv_sec = seconds};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

/* A socket with a time limit reports a timeout as EINPROGRESS or EAGAIN. */
static int dial_error(int err)
{
	return err == EINPROGRESS || err == EAGAIN || err == EWOULDBLOCK ? ETIMEDOUT : err;
}

static int dial_connect(struct dial *dial, const struct url *to, char why[DIAL_WHY_SIZE])
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
	struct addrinfo *found;
	int err = getaddrinfo(to->host, to->port, &hints, &found);

	if (err) {
		snprintf(why, DIAL_WHY_SIZE, "%s: %s", to->host,
			 err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
		return EADDRNOTAVAIL;
	}
	err = EADDRNOTAVAIL;
	for (const struct addrinfo *at = found; at && dial->fd < 0; at = at->ai_next) {
		int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0) {
			err = errno;
			continue;
		}
		dial_set_timeout(fd, CONNECT_S);
		if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) {
			dial->fd = fd;
		} else {
			err = dial_error(errno);
			close(fd);
		}
	}
	freeaddrinfo(found);
	if (dial->fd < 0) {
		snprintf(why, DIAL_WHY_SIZE, "%s: %s", to->authority, strerror(err));
		return err;
	}
	dial_set_timeout(dial->fd, DIAL_SILENCE_S);
	return 0;
}

static int dial_hex(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Sets the header from "user:password" in a proxy's address, in which special characters are
 * written as %XX. */
static int dial_set_credentials(struct dial *dial, const char *text, size_t len)
{
	char plain[CREDENTIALS_MAX];
	char coded[CREDENTIALS_MAX / 3 * 4 + 5];
	size_t plain_len = 0;

	if (len >= sizeof(plain))
		return EINVAL;
	for (size_t i = 0; i < len; ++i) {
		bool is_coded = text[i] == '%' && i + 2 < len && dial_hex(text[i + 1]) >= 0 &&
				dial_hex(text[i + 2]) >= 0;

		plain[plain_len++] =
			is_coded ? (char)(dial_hex(text[i + 1]) * 16 + dial_hex(text[i + 2]))
				 : text[i];
		i += is_coded ? 2 : 0;
	}
	coded[base64_encode(coded, plain, plain_len)] = '\0';
	snprintf(dial->proxy_authorization, sizeof(dial->proxy_authorization),
		 "Proxy-Authorization: Basic %s\r\n", coded);
	return 0;
}

/* The message never contains the address, because that may contain a password. */
static int dial_parse_proxy(struct dial *dial, struct url *proxy, const char *text,
			    char why[DIAL_WHY_SIZE])
{
	char address[1024];
	const char *host = strstr(text, "://");
	const char *at;
	int err = 0;

	host = host ? host + 3 : text;
	at = memrchr(host, '@', strcspn(host, "/"));
	if (at) {
		err = dial_set_credentials(dial, host, (size_t)(at - host));
		host = at + 1;
	}
	snprintf(address, sizeof(address), "http://%s", host);
	if (err || strncasecmp(text, "https://", 8) == 0 || strncasecmp(text, "socks", 5) == 0 ||
	    url_parse(proxy, address) != 0) {
		snprintf(why, DIAL_WHY_SIZE,
			 "the configured proxy cannot be used: it must be "
			 "http://[USER:PASSWORD@]HOST[:PORT]");
		return EINVAL;
	}
	proxy->target = ""; /* the target is not used, and the text is a local copy */
	return 0;
}

/* Asks the proxy for a connection to the server (RFC 9110, section 9.3.6). Its answer is read
 * byte by byte, because what follows it comes from the server. */
static int dial_tunnel(struct dial *dial, const struct url *url, char why[DIAL_WHY_SIZE])
{
	bool is_v6 = strchr(url->host, ':') != NULL;
	char text[PROXY_ANSWER_MAX];
	size_t len = 0;
	size_t count = 1;
	int n = snprintf(text, sizeof(text),
			 "CONNECT %s%s%s:%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n%s\r\n",
			 is_v6 ? "[" : "", url->host, is_v6 ? "]" : "", url->port, is_v6 ? "[" : "",
			 url->host, is_v6 ? "]" : "", url->port, dial->proxy_authorization);
	int err = dial_write(dial, text, (size_t)n);

	while (!err && count > 0 && len < sizeof(text) - 1) {
		err = dial_read(dial, &count, text + len, 1);
		len += err ? 0 : count;
		text[len] = '\0';
		if (len >= 4 && strcmp(text + len - 4, "\r\n\r\n") == 0)
			break;
	}
	if (!err && strncmp(text, "HTTP/1.", 7) == 0 && strncmp(text + 8, " 2", 2) == 0)
		return 0;
	text[strcspn(text, "\r\n")] = '\0';
	snprintf(why, DIAL_WHY_SIZE, "the proxy refused to connect to %s: %.200s", url->authority,
		 err ? strerror(err) : text);
	return err ? err : EPROTO;
}

static int dial_start_tls(struct dial *dial, const struct url *url, struct tls *tls,
			  char why[DIAL_WHY_SIZE])
{
	long verdict;
	const char *reason;

	dial->ssl = tls ? tls_open(tls, dial->fd, url->host) : NULL;
	if (!dial->ssl) {
		snprintf(why, DIAL_WHY_SIZE, "%s: TLS cannot be set up", url->authority);
		return ENOMEM;
	}
	ERR_clear_error();
	if (SSL_connect(dial->ssl) == 1)
		return 0;
	verdict = SSL_get_verify_result(dial->ssl);
	reason = ERR_reason_error_string(ERR_peek_error());
	if (verdict != X509_V_OK)
		snprintf(why, DIAL_WHY_SIZE,
			 "%s: the server's certificate was not accepted: %s (are "
			 "ca-certificates installed?)",
			 url->authority, X509_verify_cert_error_string(verdict));
	else
		snprintf(why, DIAL_WHY_SIZE, "%s: TLS error: %s", url->authority,
			 reason ? reason : "the connection was closed");
	return EPROTO;
}

int dial_open(struct dial *dial, const struct url *url, const struct dial_options *options,
	      char why[DIAL_WHY_SIZE])
{
	bool has_proxy = options->proxy && options->proxy[0];
	struct url proxy;
	int err = 0;

	*dial = (struct dial){.fd = -1};
	if (has_proxy)
		err = dial_parse_proxy(dial, &proxy, options->proxy, why);
	if (!err)
		err = dial_connect(dial, has_proxy ? &proxy : url, why);
	if (!err && has_proxy && url->is_tls)
		err = dial_tunnel(dial, url, why);
	if (!err && url->is_tls)
		err = dial_start_tls(dial, url, options->tls, why);
	dial->asks_proxy = has_proxy && !url->is_tls;
	if (err)
		dial_close(dial);
	return err;
}

void dial_close(struct dial *dial)
{
	SSL_free(dial->ssl);
	dial->ssl = NULL;
	if (dial->fd >= 0)
		close(dial->fd);
	dial->fd = -1;
}

void dial_set_silence(struct dial *dial, int seconds)
{
	dial_set_timeout(dial->fd, seconds);
}

static int dial_tls_error(const struct dial *dial, int result)
{
	int code = SSL_get_error(dial->ssl, result);

	if (code == SSL_ERROR_SYSCALL && errno)
		return dial_error(errno);
	return code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE ? ETIMEDOUT : EPROTO;
}

int dial_write(struct dial *dial, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n;

		errno = 0;
		n = dial->ssl ? SSL_write(dial->ssl, bytes, (int)len)
			      : send(dial->fd, bytes, len, MSG_NOSIGNAL);
		if (n <= 0)
			return dial->ssl ? dial_tls_error(dial, (int)n) : dial_error(errno);
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

int dial_read(struct dial *dial, size_t *count, char *bytes, size_t size)
{
	ssize_t n;

	errno = 0;
	n = dial->ssl ? SSL_read(dial->ssl, bytes, (int)size) : recv(dial->fd, bytes, size, 0);
	if (n < 0 ||
	    (n == 0 && dial->ssl && SSL_get_error(dial->ssl, (int)n) != SSL_ERROR_ZERO_RETURN))
		return dial->ssl ? dial_tls_error(dial, (int)n) : dial_error(errno);
	*count = (size_t)n;
	return 0;
}
