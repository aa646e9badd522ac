/*
 * serve.c: `syrinx serve`: runs the server.
 *
 * Everything that can fail for a reason that the operator can fix (the configuration, the data
 * directory, the local key) is done here, before the event loop runs.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/agent_choice.h"
#include "cli/command.h"
#include "cli/config_file.h"
#include "cli/data_dir.h"
#include "cli/greeting.h"
#include "cli/local_key.h"
#include "cli/money.h"
#include "cli/preflight.h"
#include "cli/settings.h"
#include "doors/doors.h"
#include "net/listener.h"
#include "server/config_prices.h"
#include "server/server.h"
#include "server/siblings.h"
#include "server/successor.h"

#define GREETING_MAX 16384u
#define FINDINGS_MAX (1u << 20)

/* The argument of the server's events. */
struct host {
	const struct command_call *call;
	struct config *config;
	bool greets; /* a greeting is printed when the server listens */
	char key[API_KEY_LEN + 1]; /* the local key */
	/* The local key after the store, unreachable at first, was reached. It belongs to the
	 * store's thread until store_in_use is called. */
	char late_key[API_KEY_LEN + 1];
};

static int serve_take_key(struct host *host, int err)
{
	if (err)
		fprintf(stderr, "syrinx serve: cannot create %s/local.key: %s\n",
			host->config->data_dir, strerror(err));
	else
		agent_choice_add_echo(host->config, host->key);
	return err;
}

static int serve_make_key(struct store *store, void *arg)
{
	struct host *host = arg;

	money_warn_of_default(store, host->config);
	return serve_take_key(host, local_key_ensure(host->key, store, host->config->data_dir));
}

static int serve_prepare_key(void *arg)
{
	struct host *host = arg;

	return serve_take_key(host, local_key_prepare(host->key, host->config->data_dir));
}

/* Runs on the store's thread. */
static int serve_make_late_key(struct store *store, void *arg)
{
	struct host *host = arg;

	return local_key_ensure(host->late_key, store, host->config->data_dir);
}

/* If the key in the file turned out to be invalid, a new one was created. The reload that SIGHUP
 * starts then makes the echo agent again, whose key is derived from it. */
static void serve_take_late_key(void *arg)
{
	struct host *host = arg;

	if (strcmp(host->key, host->late_key) == 0)
		return;
	memcpy(host->key, host->late_key, sizeof(host->key));
	log_warn("key", "%s/local.key contains a new key, because the previous one was not valid",
		 host->config->data_dir);
	raise(SIGHUP);
}

/* Applies the options that do not correspond to a configuration key. */
static void serve_obey_flags(struct config *config, const struct command_call *call)
{
	bool fetches = command_value(call, "fetch-voices") != NULL;

	config->fetch_voices |= fetches;
	config->fetch_models |= fetches;
}

static int serve_reload(struct config *fresh, struct buf *errors, void *arg)
{
	const struct host *host = arg;
	int err = settings_load_quietly(fresh, host->call, errors);

	if (err)
		return err;
	serve_obey_flags(fresh, host->call);
	agent_choice_add_echo(fresh, host->key);
	return 0;
}

/* Prints only for a person: the standard output of a service ends up in a journal, which must not
 * contain a key. */
static void serve_greet(const char *address, void *arg)
{
	const struct host *host = arg;
	const struct greeting greeting = {
		.address = address,
		.tls = host->config->tls_certificate[0] != '\0',
		.key = host->key,
		.program = program_invocation_name,
		.data_dir = host->config->data_dir,
		.config_file = config_file_find(host->call).path,
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

/* `make run` passes --greet and takes other options in ARGS. Other Makefiles, which start the
 * server as a service, have no reason to pass --greet. */
static bool serve_is_run_by_make(const struct command_call *call)
{
	return command_value(call, "greet") && getenv("MAKELEVEL");
}

/* Appends a word, quoted for a shell. */
static int serve_append_word(struct buf *command, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";
	int err;

	if (word[0] != '\0' && strspn(word, plain) == strlen(word))
		return buf_append_str(command, word);
	err = buf_append_str(command, "'");
	for (; *word && !err; ++word)
		err = *word == '\'' ? buf_append_str(command, "'\\''")
				    : buf_append(command, word, 1);
	return err ? err : buf_append_str(command, "'");
}

/* The word is inside the double quotes of ARGS="…". */
static int serve_append_option(struct buf *command, const char *name, const char *value)
{
	bool is_first = command->bytes[command->len - 1] == '"';
	int err = buf_printf(command, "%s--%s", is_first ? "" : " ", name);

	if (!err && value[0])
		err = buf_append_str(command, " ");
	return err || !value[0] ? err : serve_append_word(command, value);
}

/* Appends this call with another address and, unless it is NULL, another data directory. */
static int serve_append_call(struct buf *command, const struct command_call *call,
			     const char *address, const char *data_dir)
{
	bool by_make = serve_is_run_by_make(call);
	const struct command_option *option = call->command->options;
	int err = by_make ? buf_append_str(command, "make run ARGS=\"")
			  : buf_printf(command, "%s serve", program_invocation_name);

	for (size_t i = 0; option[i].name && !err; ++i) {
		bool is_flag = !option[i].value; /* make run passes its own flags */
		bool is_replaced = strcmp(option[i].name, "listen") == 0 ||
				   (data_dir && strcmp(option[i].name, "data") == 0);

		if (call->values[i] && !is_replaced && !(is_flag && by_make))
			err = serve_append_option(command, option[i].name, call->values[i]);
	}
	if (!err && data_dir)
		err = serve_append_option(command, "data", data_dir);
	if (!err)
		err = serve_append_option(command, "listen", address);
	return err || !by_make ? err : buf_append_str(command, "\"");
}

static int serve_append_command(struct buf *command, const char *address, void *arg)
{
	const struct host *host = arg;

	return serve_append_call(command, host->call, address, NULL);
}

static void serve_report_running(const struct host *host, const struct sibling *running)
{
	const struct config *config = host->config;
	size_t len = strlen(config->data_dir);
	char data_dir[PARAM_STRING_SIZE + 2];
	char address[PARAM_STRING_SIZE];
	struct buf command;

	fprintf(stderr,
		"syrinx serve: a server is already running on the data directory %s: "
		"process %ld, on %s\n"
		"  to stop it:                                   kill %ld\n"
		"  to replace it with the program as it is now:  kill -USR2 %ld\n",
		config->data_dir, running->pid, config->listen, running->pid, running->pid);
	buf_init(&command, GREETING_MAX);
	while (len > 1 && config->data_dir[len - 1] == '/')
		--len;
	snprintf(data_dir, sizeof(data_dir), "%.*s-2", (int)len, config->data_dir);
	if (listener_find_free(address, sizeof(address), config->listen) == 0 &&
	    serve_append_call(&command, host->call, address, data_dir) == 0)
		fprintf(stderr, "  to run another server alongside it:           %.*s\n",
			(int)command.len, command.bytes);
	buf_reset(&command);
}

/* A person who starts a second server with --greet has most likely forgotten the first one.
 * Without --greet, this is how an operator replaces a server by hand: both then serve until the
 * first is stopped. A successor has the arguments of its predecessor and is meant to replace it. */
static bool serve_is_second(const struct host *host)
{
	const struct config *config = host->config;
	struct siblings siblings;
	struct sibling running;
	bool is_there;

	if (!command_value(host->call, "greet") || successor_has_predecessor())
		return false;
	siblings_open(&siblings, config->data_dir, config->listen);
	is_there = siblings_find_serving(&running, &siblings);
	siblings_close(&siblings);
	if (is_there)
		serve_report_running(host, &running);
	return is_there;
}

/* Checks what can be checked before anything is started. */
static int serve_check(const struct config *config)
{
	struct buf errors;
	struct buf warnings;
	int err;

	buf_init(&errors, FINDINGS_MAX);
	buf_init(&warnings, FINDINGS_MAX);
	err = preflight_check(config, &errors, &warnings);
	(void)config_prices_check_names(config, &warnings);
	(void)door_check_config(doors_all, config, &warnings);
	settings_log_findings(&errors, &warnings);
	buf_reset(&errors);
	buf_reset(&warnings);
	return err;
}

/* Running `syrinx serve` as root on a machine with a service would start a second server on the
 * service's data and leave files there that the service cannot read. */
static int serve_check_owner(const struct config *config, const struct command_call *call)
{
	struct stat status;
	char suggestion[128];

	if (!config_file_find(call).is_default || geteuid() != 0 ||
	    stat(config->data_dir, &status) != 0 || status.st_uid == 0)
		return 0;
	config_file_suggest(suggestion, sizeof(suggestion), config->data_dir, call->command);
	fprintf(stderr,
		"syrinx serve: %s belongs to the user of the server installed here: "
		"try systemctl start syrinx, or %s; to run another server, give "
		"--data DIR\n",
		config->data_dir, suggestion);
	return EPERM;
}

static int serve_run(const struct command_call *call)
{
	static struct config config; /* large, and used until the process exits */
	struct host host = {.call = call, .config = &config};
	const struct server_events events = {
		.store_opened = serve_make_key,
		.store_awaited = serve_prepare_key,
		.store_reached = serve_make_late_key,
		.store_in_use = serve_take_late_key,
		.reload = serve_reload,
		.listening = serve_greet,
		.command = serve_append_command,
		.arg = &host,
	};
	int status = settings_load_of_server(&config, call);

	if (status != COMMAND_OK)
		return status;
	serve_obey_flags(&config, call);
	log_set_level((enum log_level)config.log_level);
	log_set_form((enum log_form)config.log_form);
	log_find_journal();
	host.greets = command_value(call, "greet") || isatty(STDOUT_FILENO);
	settings_warn_of_others(&config, config_file_find(call).path);
	if (serve_check_owner(&config, call) != 0 || serve_check(&config) != 0 ||
	    data_dir_make(&config) != 0)
		return COMMAND_FAILED;
	data_dir_close_files(&config);
	if (serve_is_second(&host))
		return COMMAND_FAILED;
	return server_main(&config, doors_all, &events) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* No option takes a secret: a successor gets the same arguments, in which secrets are
 * overwritten. */
static const struct command_option options[] = {
	{"config", 0, "FILE", "read this configuration"},
	{"listen", 0, "HOST:PORT", "the address to listen on (127.0.0.1:8080)"},
	{"data", 0, "DIR", "the data directory, for keys and the ledger (data)"},
	{"workers", 0, "N", "at most N worker processes per engine (as many as needed)"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{"models", 0, "DIR", "the folder of models that recognize speech"},
	{"fetch-voices", 0, NULL, "download missing neural voices, then models, in the background"},
	{"greet", 0, NULL,
	 "print the address, the local key and commands to try; refuse to "
	 "start twice"},
	{0},
};

const struct command command_serve = {
	.name = "serve",
	.summary = "Run the server.",
	.options = options,
	.uses_agents = true,
	.run = serve_run,
	.notes = "Every configuration key can also be set by an environment variable "
		 "SYRINX_SECTION_KEY, such\n"
		 "as SYRINX_SERVER_LISTEN or SYRINX_STORE_ADDRESS, which takes "
		 "precedence over the file.\n"
		 "SYRINX_VOICES is the folder of neural voices, SYRINX_MODELS that of "
		 "models that recognize\n"
		 "speech. \"syrinx check --sample\" lists all keys.\n"
		 "\n"
		 "Signals: SIGTERM and SIGINT finish the current speech and exit; a "
		 "second one exits at once.\n"
		 "SIGHUP reloads the agents and the certificate. SIGUSR2 replaces "
		 "this process with the\n"
		 "installed program without dropping a call. SIGUSR1 logs how many "
		 "connections, jobs, workers\n"
		 "and objects there are.\n",
	.examples = "  syrinx serve\n"
		    "  syrinx serve --config /etc/syrinx/syrinx.conf\n"
		    "  SYRINX_SERVER_LISTEN=0.0.0.0:8080 syrinx serve --data /var/lib/syrinx\n",
};
