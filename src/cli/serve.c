/*
 * serve.c: `syrinx serve`.
 *
 * What may fail for a reason the operator can mend (the configuration, the data
 * directory, the local key) is done here, before the event loop runs.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/agent_choice.h"
#include "cli/command.h"
#include "cli/data_dir.h"
#include "cli/greeting.h"
#include "cli/local_key.h"
#include "cli/money.h"
#include "cli/settings.h"
#include "server/server.h"

#define GREETING_MAX 16384u

struct host {
	const struct command_call *call;
	struct config *config;
	bool greets;
	char key[ACCOUNT_KEY_LEN + 1];
	char late_key[ACCOUNT_KEY_LEN + 1]; /* owned by the store's thread until it is in use */
};

static int take_key(struct host *host, int err)
{
	if (err)
		fprintf(stderr, "syrinx serve: cannot make %s/local.key: %s\n",
			host->config->data_dir, strerror(err));
	else
		agent_choice_add_echo(host->config, host->key);
	return err;
}

static int make_key(struct store *store, void *arg)
{
	struct host *host = arg;

	money_warn_of_default(store, host->config);
	return take_key(host, local_key_ensure(host->key, store, host->config->data_dir));
}

static int prepare_key(void *arg)
{
	struct host *host = arg;

	return take_key(host, local_key_prepare(host->key, host->config->data_dir));
}

/* On the store's thread. */
static int make_late_key(struct store *store, void *arg)
{
	struct host *host = arg;

	return local_key_ensure(host->late_key, store, host->config->data_dir);
}

/* The key in the file may have been revoked meanwhile: then a new key is created, and the
 * agent that uses it is created again. */
static void take_late_key(void *arg)
{
	struct host *host = arg;

	if (strcmp(host->key, host->late_key) == 0)
		return;
	memcpy(host->key, host->late_key, sizeof(host->key));
	log_warn("key", "%s/local.key has a new key: the previous one is not valid",
		 host->config->data_dir);
	raise(SIGHUP);
}

/* Options that are no values of a key. */
static void obey_flags(struct config *config, const struct command_call *call)
{
	config->fetch_voices |= command_value(call, "fetch-voices") != NULL;
}

static int reload(struct config *fresh, struct buf *errors, void *arg)
{
	const struct host *host = arg;
	int err = settings_load_quietly(fresh, host->call, errors);

	if (err)
		return err;
	obey_flags(fresh, host->call);
	agent_choice_add_echo(fresh, host->key);
	return 0;
}

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
		.config_file = command_value(host->call, "config"),
	};
	struct buf out;

	if (!host->greets)
		return;
	buf_init(&out, GREETING_MAX);
	if (greeting_print(&out, &greeting) == 0)
		fwrite(out.bytes, 1, out.len, stdout);
	buf_reset(&out);
	fflush(stdout);
}

static int run(const struct command_call *call)
{
	static struct config config; /* large, and lives as long as the process */
	struct host host = {.call = call, .config = &config};
	const struct server_events events = {
		.store_opened = make_key,
		.store_awaited = prepare_key,
		.store_came = make_late_key,
		.store_in_use = take_late_key,
		.reload = reload,
		.listening = greet,
		.arg = &host,
	};
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	obey_flags(&config, call);
	log_set_level((enum log_level)config.log_level);
	log_set_form((enum log_form)config.log_form);
	host.greets = command_value(call, "greet") || isatty(STDOUT_FILENO);
	settings_warn_of_others(&config, command_value(call, "config"));
	if (data_dir_make(&config) != 0)
		return COMMAND_FAILED;
	data_dir_close_files(&config);
	return server_main(&config, &events) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* No option takes a secret: a successor gets the same arguments, and secrets are overwritten
 * in them. */
static const struct command_option options[] = {
	{"config", 0, "FILE", "read this configuration"},
	{"listen", 0, "HOST:PORT", "listen here (127.0.0.1:8080)"},
	{"data", 0, "DIR", "keep keys and the ledger here (data)"},
	{"workers", 0, "N", "worker processes of each engine (16)"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{"fetch-voices", 0, NULL, "fetch them meanwhile, where there are none"},
	{"greet", 0, NULL, "print the address, the local key and a command to try"},
	{0},
};

const struct command command_serve = {
	.name = "serve",
	.summary = "Run the server.",
	.options = options,
	.run = run,
};
