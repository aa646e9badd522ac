/*
 * certificate.c: loads the server's certificate and private key (see certificate.h).
 */
#include "server/certificate.h"

#include <string.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/tls.h"
#include "server/server_private.h"

static int certificate_read(struct tls **tlsp, const struct config *config)
{
	char why[512];
	int err =
		tls_server_alloc(tlsp, config->tls_certificate, config->tls_key, why, sizeof(why));

	if (err)
		log_error("server", "TLS: %s", why);
	return err;
}

int certificate_open(struct server *server)
{
	if (server->config->tls_certificate[0] == '\0')
		return 0;
	return certificate_read(&server->tls, server->config);
}

static void certificate_use(struct server *server, struct tls *tls, const struct config *fresh)
{
	char expires[CALENDAR_SIZE] = "an unknown date";
	int64_t expires_ms = tls_expires(tls) * 1000;
	bool has_expired = expires_ms && expires_ms <= clock_wall_ms();

	if (expires_ms)
		calendar_print_minute(expires, expires_ms);
	log_line(has_expired ? LOG_WARN : LOG_INFO, "server",
		 "SIGHUP: new connections use %s, which %s on %s", fresh->tls_certificate,
		 has_expired ? "expired" : "expires", expires);
	http_server_set_tls(server->http, tls);
	mem_deref(server->tls);
	server->tls = tls;
}

void certificate_reload(struct server *server, struct config *fresh)
{
	struct tls *tls = NULL;

	if (!server->tls || fresh->tls_certificate[0] == '\0')
		return;
	if (certificate_read(&tls, fresh) == 0)
		certificate_use(server, tls, fresh);
	else
		log_error("server", "SIGHUP: the certificate stays as it was");
	memcpy(fresh->tls_certificate, server->config->tls_certificate,
	       sizeof(fresh->tls_certificate));
	memcpy(fresh->tls_key, server->config->tls_key, sizeof(fresh->tls_key));
}
