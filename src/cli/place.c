/*
 * place.c: which server a command speaks with (see place.h).
 */
#include "cli/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "cli/greeting.h"
#include "cli/local_key.h"

int place_find(char *base, size_t size, const struct command_call *call,
	       const struct config *config)
{
	const char *server = command_value(call, "server");
	char address[300];
	int n;

	if (server) {
		size_t len = strlen(server);

		while (len > 0 && server[len - 1] == '/')
			--len;
		n = snprintf(base, size, "%s%.*s", strstr(server, "://") ? "" : "http://", (int)len,
			     server);
	} else {
		if (greeting_address(address, sizeof(address), config->listen) != 0)
			return EINVAL;
		n = snprintf(base, size, "http%s://%s", config->tls_certificate[0] ? "s" : "",
			     address);
	}
	return n > 0 && (size_t)n < size ? 0 : EINVAL;
}

bool place_is_this_machine(const char *base)
{
	static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]"};
	const char *host = strstr(base, "://");

	host = host ? host + 3 : base;
	for (size_t i = 0; i < COUNT(hosts); ++i) {
		size_t len = strlen(hosts[i]);

		if (strncmp(host, hosts[i], len) == 0 && strchr(":/", host[len]))
			return true; /* strchr finds the end of the string, too */
	}
	return false;
}

const char *place_find_key(char local[ACCOUNT_KEY_LEN + 1], const char *base,
			   const struct command_call *call, const struct config *config)
{
	const char *key = command_value(call, "key");

	if (!key)
		key = getenv("SYRINX_KEY");
	if (!key && place_is_this_machine(base) && local_key_read(local, config->data_dir) == 0)
		key = local;
	return key;
}
