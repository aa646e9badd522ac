/*
 * serve.c: `syrinx serve`.
 *
 * Everything that may block or fail for a reason the operator can mend (the
 * configuration, the data directory, the local key) is done here, before the
 * event loop runs.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/greeting.h"
#include "cli/local_key.h"
#include "cli/settings.h"
#include "server/server.h"

#define GREETING_MAX 16384u

static int prepare_key(char text[ACCOUNT_KEY_LEN + 1], const struct config *config)
{
	struct store *store;
	int err = settings_open_store(&store, config);

	if (err)
		return err;
	err = local_key_ensure(text, store, config->data_dir);
	mem_deref(store);
	if (err)
		fprintf(stderr, "syrinx serve: cannot make %s/local.key: %s\n", config->data_dir,
			strerror(err));
	return err;
}

struct host {
	const struct config *config;
	char key[ACCOUNT_KEY_LEN + 1];
};

/* To a person only: standard output of a service ends in a journal, where a
 * key has no business. */
static void greet(const char *address, void *arg)
{
	const struct host *host = arg;
	const struct greeting greeting = {
		.address = address,
		.tls = host->config->tls_certificate[0] != '\0',
		.key = host->key,
		.program = program_invocation_name,
		.data_dir = host->config->data_dir,
	};
	struct buf out;

	buf_init(&out, GREETING_MAX);
	if (greeting_print(&out, &greeting) == 0)
		fwrite(out.bytes, 1, out.len, stdout);
	buf_reset(&out);
	fflush(stdout);
}

static int run(const struct command_call *call)
{
	static struct config config; /* large, and lives as long as the process */
	struct host host = {.config = &config};
	int status = settings_load(&config, call);
	bool greets = command_value(call, "greet") || isatty(STDOUT_FILENO);

	if (status != COMMAND_OK)
		return status;
	log_set_level((enum log_level)config.log_level);
	if (prepare_key(host.key, &config) != 0)
		return COMMAND_FAILED;
	return server_main(&config, greets ? greet : NULL, &host) == 0 ? COMMAND_OK
								       : COMMAND_FAILED;
}

static const struct command_option options[] = {
	{"config", 0, "FILE", "read this configuration"},
	{"listen", 0, "HOST:PORT", "listen here (127.0.0.1:8080)"},
	{"data", 0, "DIR", "keep keys and the ledger here (data)"},
	{"workers", 0, "N", "worker processes of each engine (16)"},
	{"greet", 0, NULL, "print the address, the local key and a command to try"},
	{0},
};

const struct command command_serve = {
	.name = "serve",
	.summary = "Run the server.",
	.options = options,
	.run = run,
};
