/*
 * place.c: which server a command speaks with (see place.h).
 */
#include "cli/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config_file.h"
#include "cli/greeting.h"
#include "cli/local_address.h"
#include "cli/local_key.h"
#include "cli/running.h"
#include "net/url.h"

/* Another address may be configured than the default one, which is asked then. */
static void place_warn_of_denied(const struct command_call *call)
{
	const struct config_file file = config_file_find(call);

	if (file.is_denied)
		fprintf(stderr,
			"syrinx %s: this user may not read %s, so the default address is asked; "
			"--server URL names another\n",
			call->command->name, file.path);
}

static int place_check(const char *base, const struct command *command)
{
	struct url url;

	if (url_parse(&url, base) == 0)
		return COMMAND_OK;
	return command_usage_error(
		command, "\"%s\" is not an http(s) address; one is http://HOST:PORT", base);
}

int place_find(char *base, size_t size, const struct command_call *call,
	       const struct config *config)
{
	const char *server = command_value(call, "server");
	char address[300];
	int n = -1;

	if (server) {
		size_t len = strlen(server);

		while (len > 0 && server[len - 1] == '/')
			--len;
		n = snprintf(base, size, "%s%.*s", strstr(server, "://") ? "" : "http://", (int)len,
			     server);
	} else if (running_find(base, size, call, config) == 0) {
		return COMMAND_OK;
	} else {
		place_warn_of_denied(call);
		if (greeting_address(address, sizeof(address), config->listen) == 0)
			n = snprintf(base, size, "http%s://%s",
				     config->tls_certificate[0] ? "s" : "", address);
	}
	if (n < 0 || (size_t)n >= size)
		return command_usage_error(call->command, "the address is too long");
	return place_check(base, call->command);
}

void place_explain_no_key(const char *base, const struct command *command,
			  const struct config *config)
{
	if (place_is_this_machine(base))
		fprintf(stderr,
			"syrinx %s: no key: give --key-file FILE or set SYRINX_KEY; there is no local "
			"key in %s/local.key (--data DIR or --config FILE name another server's)\n",
			command->name, config->data_dir);
	else
		fprintf(stderr,
			"syrinx %s: no key for %s: give --key-file FILE or set SYRINX_KEY; the local "
			"key (%s/local.key) is sent to this machine only\n",
			command->name, base, config->data_dir);
}

bool place_is_this_machine(const char *base)
{
	struct url url;

	return url_parse(&url, base) == 0 && local_address_is(url.host);
}

int place_find_own_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
		       const struct command *command, const struct config *config)
{
	const char *variable = getenv("SYRINX_KEY");

	_Static_assert(KEY_SOURCE_SIZE > ACCOUNT_KEY_LEN, "the local key fits");
	if (variable && strlen(variable) >= KEY_SOURCE_SIZE)
		return command_usage_error(command, "SYRINX_KEY is too long");
	if (variable)
		memcpy(key, variable, strlen(variable) + 1);
	*found = variable ||
		 (place_is_this_machine(base) && local_key_read(key, config->data_dir) == 0);
	return COMMAND_OK;
}

int place_find_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
		   const struct command_call *call, const struct config *config)
{
	int status = key_source_read(key, found, call);

	if (status != COMMAND_OK || *found)
		return status;
	return place_find_own_key(key, found, base, call->command, config);
}
