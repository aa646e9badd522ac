/*
 * server_choice.c: finds the server that a command talks to (see server_choice.h).
 */
#include "cli/server_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config_file.h"
#include "cli/greeting.h"
#include "cli/local_address.h"
#include "cli/local_key.h"
#include "cli/running_server.h"
#include "net/url.h"

/* The file that cannot be read may have another address than the default one. */
static void server_choice_warn_of_denied(const struct command_call *call)
{
	const struct config_file file = config_file_find(call);

	if (file.is_denied)
		fprintf(stderr,
			"syrinx %s: this user may not read %s, so the default server address "
			"is used; --server URL selects another\n",
			call->command->name, file.path);
}

static int server_choice_check(const char *base, const struct command *command)
{
	struct url url;

	if (url_parse(&url, base) == 0)
		return COMMAND_OK;
	return command_usage_error(
		command, "\"%s\" is not an http(s) address, such as http://HOST:PORT", base);
}

int server_choice_find(char *base, size_t size, const struct command_call *call,
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
	} else if (running_server_find(base, size, call, config) == 0) {
		return COMMAND_OK;
	} else {
		server_choice_warn_of_denied(call);
		if (greeting_address(address, sizeof(address), config->listen) == 0)
			n = snprintf(base, size, "http%s://%s",
				     config->tls_certificate[0] ? "s" : "", address);
	}
	if (n < 0 || (size_t)n >= size)
		return command_usage_error(call->command, "the address is too long");
	return server_choice_check(base, call->command);
}

void server_choice_explain_no_key(const char *base, const struct command *command,
				  const struct config *config)
{
	if (server_choice_is_this_machine(base))
		fprintf(stderr,
			"syrinx %s: no API key: give --key-file FILE or set SYRINX_KEY; "
			"there is no local key in %s/local.key (--data DIR or --config FILE "
			"selects another server)\n",
			command->name, config->data_dir);
	else
		fprintf(stderr,
			"syrinx %s: no API key for %s: give --key-file FILE or set "
			"SYRINX_KEY; the local key (%s/local.key) is only sent to servers on "
			"this machine\n",
			command->name, base, config->data_dir);
}

bool server_choice_is_this_machine(const char *base)
{
	struct url url;

	return url_parse(&url, base) == 0 && local_address_is(url.host);
}

int server_choice_find_own_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
			       const struct command *command, const struct config *config)
{
	const char *variable = getenv("SYRINX_KEY");

	_Static_assert(KEY_SOURCE_SIZE > API_KEY_LEN, "the local key fits");
	if (variable && strlen(variable) >= KEY_SOURCE_SIZE)
		return command_usage_error(command, "SYRINX_KEY is too long");
	if (variable)
		memcpy(key, variable, strlen(variable) + 1);
	*found = variable || (server_choice_is_this_machine(base) &&
			      local_key_read(key, config->data_dir) == 0);
	return COMMAND_OK;
}

int server_choice_find_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
			   const struct command_call *call, const struct config *config)
{
	int status = key_source_read(key, found, call);

	if (status != COMMAND_OK || *found)
		return status;
	return server_choice_find_own_key(key, found, base, call->command, config);
}
