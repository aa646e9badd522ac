/*
 * config.c: everything an operator can set (see config.h).
 */
#include "server/config.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "server/config_agents.h"
#include "server/config_machine.h"
#include "server/config_prices.h"
#include "server/config_rows.h"
#include "server/request_url.h"
#include "server/voice_pairs.h"
#include "store/store.h"

/* In the order of enum log_level. */
static const char *const log_levels[] = {"error", "warn", "info", "debug", NULL};

/* In the order of enum log_form. */
static const char *const log_forms[] = {"text", "json", NULL};

/* In the order of enum metrics_readers, metrics_page.c. */
static const char *const metrics_readers[] = {"local", "key", "all", NULL};

/* In the order of enum pool_order. */
static const char *const orders[] = {"deadline", "arrival", NULL};

static const char *config_check_listen(const char *value)
{
	const char *colon = strrchr(value, ':');
	const char *digit;
	long port = 0;

	if (!colon || colon == value || colon[1] == '\0')
		return "must be HOST:PORT";
	for (digit = colon + 1; *digit; ++digit) {
		if (*digit < '0' || *digit > '9')
			return "must end with a port number";
		port = port * 10 + (*digit - '0');
		if (port > 65535)
			return "must have a port of at most 65535";
	}
	if (memchr(value, ':', (size_t)(colon - value)) && (value[0] != '[' || colon[-1] != ']'))
		return "must have an IPv6 address in brackets, as in [::1]:8080";
	return NULL;
}

static const char *config_check_not_empty(const char *value)
{
	return value[0] == '\0' ? "must not be empty" : NULL;
}

static const char *config_check_store(const char *value)
{
	if (value[0] == '\0' || strcmp(value, "memory:") == 0)
		return NULL;
	if (strncmp(value, "sqlite:", 7) == 0 && value[7] != '\0')
		return NULL;
	if (strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0)
		return NULL;
	return "must be " STORE_ADDRESSES;
}

/* Paths are appended to it. */
static const char *config_check_public_url(const char *value)
{
	size_t len = strlen(value);
	size_t scheme = 0;

	if (len == 0)
		return NULL;
	if (strncmp(value, "http://", 7) == 0)
		scheme = 7;
	else if (strncmp(value, "https://", 8) == 0)
		scheme = 8;
	if (scheme == 0 || len == scheme || value[scheme] == '/')
		return "must be http://HOST or https://HOST";
	if (strpbrk(value, "?#@ \t") || value[len - 1] == '/')
		return "must have no blank, ?, # or @, and no / at the end";
	return len > REQUEST_URL_PUBLIC_MAX ? "is too long" : NULL;
}

#define FIELD(member) .offset = offsetof(struct config, member)

/* Engines run in another working directory, so every path must be absolute. */
static const char *config_check_engine_paths(const char *value)
{
	for (; *value; value += strcspn(value, ":")) {
		value += strspn(value, ":");
		if (*value && *value != '/')
			return "must be absolute paths, separated by colons";
	}
	return NULL;
}

static const struct param rows[] = {
	{"server", "listen", STRING(listen, "127.0.0.1:8080"), .check = config_check_listen,
	 .text = "The address and port to listen on. Port 0 selects a free port; 0.0.0.0 listens "
		 "on every IPv4 address, [::] on every address."},
	{"server", "data", STRING(data_dir, CONFIG_DATA_DEFAULT), .check = config_check_not_empty,
	 .text = "The directory for everything that must survive a restart: keys, the ledger, "
		 "and local.key. It is created if it does not exist. For an installed server "
		 "that reads /etc/syrinx/syrinx.conf, the default is /var/lib/syrinx."},
	{"server", "tls_certificate", STRING(tls_certificate, ""),
	 .text = "A file with the certificate and its chain (PEM). Empty: no TLS."},
	{"server", "tls_key", STRING(tls_key, ""),
	 .text = "A file with the private key of the certificate (PEM)."},
	{"server", "log_level", ENUM(log_level, "info", log_levels),
	 .text = "The least severe level that is logged, to standard error."},
	{"server", "log_format", ENUM(log_form, "text", log_forms),
	 .text = "The format of log lines: text for people, or one JSON object per line for "
		 "programs."},
	{"server", "log_texts", BOOL(log_texts, "off"),
	 .text = "Whether the texts that clients send may be logged."},
	{"server", "hosts", STRING(hosts, ""),
	 .text = "The host names under which web pages may reach this server, separated by "
		 "spaces. Empty: every name, except that a server that listens only on 127.0.0.1 "
		 "or [::1] accepts no domain names; otherwise any web page whose domain resolves "
		 "to that address could use it."},
	{"server", "origins", STRING(origins, ""),
	 .text = "The origins of web pages from other servers that may use this one, such as "
		 "https://app.example.com, separated by spaces; * allows all. Empty: none, "
		 "except pages from this machine if the server listens only there. This applies "
		 "to browsers only."},
	{"server", "public_url", STRING(public_url, ""), .check = config_check_public_url,
	 .text = "The address of this server as others know it, such as https://voice.example.com, "
		 "for the URLs that it gives to clients and for the signatures of Twilio's "
		 "requests. Needed only behind a proxy that changes the header Host or does not "
		 "send X-Forwarded-Proto. Empty: each request says it."},
	{"server", "metrics", ENUM(metrics_readers, "local", metrics_readers),
	 .text = "Who can read /metrics without a key: programs on this machine (local), nobody "
		 "(key) or everybody (all). The operator's key, a key of the default account "
		 "with the scope admin, always can. Requests that a proxy on this machine "
		 "forwards are not local; a proxy that adds no header to them cannot be "
		 "recognized and needs metrics = key."},
	{"server", "drain_seconds", INT(drain_seconds, "60", 0, 86400), .unit = "seconds",
	 .text = "How long a server that is stopping waits for turns in progress."},
	{"server", "max_connections", INT(max_connections, "10000", 1, 1000000),
	 .text = "The number of concurrent connections. Beyond it, a new connection replaces "
		 "the unauthenticated one that has been idle longest; if all have presented a "
		 "valid key, the new one is refused. The limit on open files must be high "
		 "enough."},
	{"server", "max_lead_ms", INT(max_lead_ms, "0", 0, 3600000), .unit = "milliseconds",
	 .text = "How far ahead of playback audio is sent. 0: as fast as the client reads."},
	{"server", "worker_user", STRING(worker_user, "nobody"),
	 .text = "The user that engines run as if root starts the server; they get read-only "
		 "access to programs and voices, wherever these are. Empty: root, without its "
		 "privileges. If another user starts the server, engines run as that user."},

	{"speech", "engines_dir", STRING(engines_dir, ""),
	 .text = "The directory that contains the engine programs (syrinx-NAME). Empty: the "
		 "directory of the server's own program."},
	{"speech", "engine_paths", STRING(engine_paths, ""), .check = config_check_engine_paths,
	 .text = "Files and directories that engines may read in addition to their program, the "
		 "system's libraries and interpreters, and the voices: absolute paths, separated "
		 "by colons. For custom engines whose interpreter, modules or models are "
		 "elsewhere, such as in /opt. server.data must not be inside any of them."},
	{"speech", "jit_engines", STRING(jit_engines, ""),
	 .text = "The names of engines (NAME of syrinx-NAME) that generate code at run time, as "
		 "Java, JavaScript and numba do, separated by spaces. Other engines cannot make "
		 "memory executable."},
	{"speech", "voices_dir", STRING(voices_dir, ""),
	 .text = "The directory of neural voices and of the library that runs them; voices that "
		 "are added there are available without a restart. Can also be set with "
		 "SYRINX_VOICES. Empty: /var/lib/syrinx/voices for an installed server that "
		 "reads /etc/syrinx/syrinx.conf; otherwise syrinx/voices in XDG_DATA_HOME, or in "
		 "~/.local/share. A user without a home directory has no default."},
	{"speech", "fetch_voices", BOOL(fetch_voices, "off"),
	 .text = "Whether a server that finds no neural voices in that directory downloads "
		 "them, as `syrinx voices fetch` does, while it serves with the other voices."},
	{"speech", "workers", INT(workers, "0", 0, CONFIG_WORKERS_MAX),
	 .text = "The largest number of worker processes per engine, and so the number of "
		 "sentences that can be in progress at once. 0: as many as there are sentences, "
		 "and a few more, within speech.memory_mb. Workers that have not been needed for "
		 "one to two minutes end."},
	{"speech", "memory_mb", INT(memory_mb, "0", 0, 1048576), .unit = "MiB",
	 .text = "The memory that all workers together may use, unless speech.workers sets their "
		 "number. Each engine can have enough workers for four sentences in any case. 0: "
		 "a quarter of the memory of the machine, or of the server's control group."},
	{"speech", "slots", INT(slots, "0", 0, 1024),
	 .text = "The number of sentences that are computed at the same time. 0: the number of "
		 "cores."},
	{"speech", "order", ENUM(order, "deadline", orders),
	 .text = "Which sentence is computed next: the one whose listener would run out of "
		 "audio first (deadline), or, for comparison, the one that arrived first "
		 "(arrival)."},
	{"speech", "fallback", BOOL(fallback, "on"),
	 .text = "Whether a voice whose engine has failed is spoken by its next best engine. "
		 "Off: requests for it are refused as unavailable."},
	{"speech", "repeatable", BOOL(repeatable, "off"),
	 .text = "Whether a neural voice reads the same text in the same way in every turn. "
		 "Off: only at temperature 0 or with a seed."},
	{"speech", "worker_memory_mb", INT(worker_memory_mb, "1024", 16, 1048576), .unit = "MiB",
	 .text = "The memory that a worker may use; one that needs more is replaced."},
	{"speech", "neural_memory_mb", INT(neural_memory_mb, "3072", 64, 1048576), .unit = "MiB",
	 .text = "The same for engines that load neural voices or models, as address space."},
	{"speech", "worker_cpu_seconds", INT(worker_cpu_seconds, "20", 1, 86400), .unit = "seconds",
	 .text = "The CPU time that one sentence may take; a worker that needs more is "
		 "replaced."},
	{"speech", "worker_recycle_jobs", INT(worker_recycle_jobs, "10000", 0, 1000000000),
	 .text = "The number of sentences after which an idle worker is replaced by a new one. "
		 "0: never."},
	{"speech", "start_timeout_ms", INT(start_timeout_ms, "2000", 1, 600000),
	 .unit = "milliseconds",
	 .text = "How long the first sentence of a turn waits for a worker before the turn is "
		 "refused. Turns that have started are never refused."},
	{"speech", "load_timeout_ms", INT(load_timeout_ms, "10000", 1, 600000),
	 .unit = "milliseconds",
	 .text = "How long a turn waits for a voice whose engine is still loading after the "
		 "server was started; then it is refused with MODEL_UNAVAILABLE."},
	{"speech", "stall_seconds", INT(stall_seconds, "10", 1, 3600), .unit = "seconds",
	 .text = "How long a worker that should deliver audio may be silent before it is "
		 "replaced."},
	{"speech", "test_hooks", BOOL(test_hooks, "off"),
	 .text = "Whether engines act on the special words that make them crash or stall. For "
		 "tests."},

	{"hearing", "models_dir", STRING(models_dir, ""),
	 .text = "The directory of the models that recognize speech; models that are added "
		 "there are available without a restart. Can also be set with SYRINX_MODELS. "
		 "Empty: models next to the default of speech.voices_dir."},
	{"hearing", "fetch_models", BOOL(fetch_models, "off"),
	 .text = "Whether a server that finds no models in that directory downloads the default "
		 "ones, as `syrinx models fetch` does, while it already serves."},
	{"hearing", "model", STRING(hearing_model, ""),
	 .text = "The model that recognizes speech if a request names none and the model knows "
		 "the language. Empty: the first one of `syrinx models`."},
	{"hearing", "workers", INT(hearing_workers, "8", 1, 64),
	 .text = "The largest number of worker processes per engine that listens. Each of them "
		 "listens to many callers, so there are usually two: one of them is kept idle, "
		 "so that callers do not notice when the other one dies, unless this is 1."},
	{"hearing", "slots", INT(hearing_slots, "0", 0, 1024),
	 .text = "The number of utterances that are recognized at the same time. 0: the number "
		 "of cores."},
	{"hearing", "streams", INT(hearing_streams, "200", 1, 100000),
	 .text = "The number of callers and files that are listened to at the same time. Beyond "
		 "it, requests are refused as unavailable. Each of them takes up to 4 MB."},

	{"calls", "max", INT(calls_max, "0", 0, 100000),
	 .text = "The number of calls at the same time. Beyond it, callers are refused, so that "
		 "nobody hears an agent that stutters. 0: eight for each core."},

	{"prices", "currency", STRING(currency, "eur"), .size = CONFIG_WORD_SIZE,
	 .check = config_prices_check_currency,
	 .text = "The currency of all prices, credit and costs: an ISO 4217 code of three "
		 "letters, such as eur or usd. A cent is a hundredth of its unit. Changing it "
		 "does not convert amounts that were recorded before."},
	{"prices", "cents_per_minute", DECIMAL(microcents_per_minute, "5.4", 1000000),
	 .unit = "cents",
	 .text = "The price of a minute of audio if no [price NAME] section matches. Empty: "
		 "there is no price, and usage reports the cost as unknown. Costs are displayed "
		 "only if this or a section sets a price, or if there are accounts other than "
		 "the default one."},
	{"prices", "heard_cents_per_minute", DECIMAL(heard_microcents, "0.6", 1000000),
	 .unit = "cents",
	 .text = "The price of a minute of audio that is transcribed, if no [price NAME] section "
		 "matches. Empty: there is no price; it is recorded and costs nothing."},
	{"prices", "lease_cents", DECIMAL(lease_microcents, "20", 1000000), .unit = "cents",
	 .min = 1, .check = config_check_not_empty,
	 .text = "The amount of a prepaid account's credit that this server reserves at a time "
		 "and may spend without asking the store again. Servers that share a store can "
		 "together overdraw an account by at most this amount each."},
	{"prices", "input_cents_per_million", DECIMAL(input_microcents, "", 1000000),
	 .unit = "cents",
	 .text = "The price of a million tokens sent to a language model if no [price NAME] "
		 "section matches. Empty: they are recorded and cost nothing."},
	{"prices", "output_cents_per_million", DECIMAL(output_microcents, "", 1000000),
	 .unit = "cents", .text = "The same for the tokens that the model generates."},

	{"store", "address", STRING(store_address, ""), .check = config_check_store,
	 .is_secret = true,
	 .text = "Where keys and the ledger are stored: sqlite:PATH, "
		 "postgresql://USER:PASSWORD@HOST/DATABASE for servers that share them, or "
		 "memory: for a server that keeps nothing after it stops. Empty: syrinx.db in "
		 "the data directory."},
	{"store", "spool_rows", INT(spool_rows, "20000", 100, 10000000),
	 .text = "The number of turns that a file in the data directory can hold while the "
		 "store is unavailable. When it is full, new turns are refused. Its disk space, "
		 "256 bytes per turn, is reserved at startup."},

	{"elevenlabs", "voices", STRING(elevenlabs_voices, ""), .size = CONFIG_TEXT_SIZE,
	 .check = voice_pairs_check,
	 .text = "IDs of ElevenLabs' voices and the voices that are used for them: pairs "
		 "ID:VOICE, separated by commas or spaces, where VOICE is a number or a handle "
		 "from GET /v1/voices. Clients of ElevenLabs' API can then keep the IDs that "
		 "they use. These IDs are not listed."},
	{"elevenlabs", "default_voices", BOOL(elevenlabs_default_voices, "on"),
	 .text = "Whether IDs of ElevenLabs' default voices, such as Rachel's "
		 "21m00Tcm4TlvDq8ikWAM, are spoken by voices of the same sex, unless "
		 "elevenlabs.voices maps them to other voices. Off: they are unknown."},
};

#undef FIELD
#define FIELD(member) .offset = offsetof(struct config_plan, member)
#define LIMIT(member) INT(member, "0", 0, INT64_C(1000000000))

static const struct param plan_rows[] = {
	{"plan", "turns", LIMIT(turns), .text = "Concurrent turns. 0: no limit."},
	{"plan", "connections", LIMIT(connections), .text = "Concurrent connections. 0: no limit."},
	{"plan", "requests_per_minute", LIMIT(requests_per_minute),
	 .text = "Turns and other requests that are started per minute. 0: no limit."},
	{"plan", "characters_per_minute", LIMIT(characters_per_minute), .unit = "characters",
	 .text = "Text that is accepted per minute. 0: no limit."},
	{"plan", "text_max", LIMIT(text_max), .unit = "characters",
	 .text = "The longest text of a turn. 0: only the protocol's limit."},
	{"plan", "heard_seconds_per_minute", LIMIT(heard_seconds_per_minute), .unit = "seconds",
	 .text = "Audio that is transcribed per minute, of all streams and files together. 0: no "
		 "limit."},
};

#undef FIELD
#define FIELD(member) .offset = offsetof(struct config_price, member)

static const struct param price_rows[] = {
	{"price", "model", WORD(model, ""),
	 .text = "The model that the price applies to: one that clients can name, such as "
		 "kugel-3; for the price of tokens, a language model; for the price of audio that "
		 "is transcribed, a model that listens. Empty: every model."},
	{"price", "voice", INT(voice_id, "0", 0, INT64_MAX),
	 .text = "The ID of the voice that the price applies to. 0: every voice."},
	{"price", "engine", WORD(engine, ""),
	 .text = "The engine whose voices the price applies to: NAME of syrinx-NAME, such as "
		 "vits for neural voices. Empty: every engine."},
	{"price", "quality", WORD(quality, ""), .check = config_prices_check_quality,
	 .text = "The quality of the voices that the price applies to: low, mid or high, as "
		 "`syrinx voices` shows it. Empty: every quality."},
	{"price", "cents_per_minute", DECIMAL(microcents_per_minute, "", 1000000), .unit = "cents",
	 .text = "The price of a minute of audio. Empty: usage reports the cost as unknown, "
		 "unless the section has another price: then it does not apply to spoken audio."},
	{"price", "heard_cents_per_minute", DECIMAL(heard_microcents, "", 1000000), .unit = "cents",
	 .text = "The price of a minute of audio that is transcribed. Empty: the section does not "
		 "apply to it."},
	{"price", "agent", WORD(agent, ""),
	 .text = "The agent whose language model the price applies to. Empty: every agent."},
	{"price", "input_cents_per_million", DECIMAL(input_microcents, "", 1000000),
	 .unit = "cents",
	 .text = "The price of a million tokens sent to the language model. Empty: the section "
		 "does not apply to them."},
	{"price", "output_cents_per_million", DECIMAL(output_microcents, "", 1000000),
	 .unit = "cents", .text = "The same for the tokens that the model generates."},
};

#define GROUP(title, member, table, rows_count, about)                                             \
	{                                                                                          \
		.section = (title), .text = (about), .rows = (table), .count = (rows_count),       \
		.array = offsetof(struct config, member),                                          \
		.size = sizeof(((struct config *)0)->member[0]),                                   \
		.max = COUNT(((struct config *)0)->member),                                        \
		.used = offsetof(struct config, member##_count)                                    \
	}

static const struct param_group groups[] = {
	GROUP("plan", plans, plan_rows, COUNT(plan_rows),
	      "The limits of the accounts that use this plan, unless an account has limits of "
	      "its own. \"default\" is the plan of accounts without a plan."),
	GROUP("price", prices, price_rows, COUNT(price_rows),
	      "A price of audio, or of tokens of language models. It applies to usage that "
	      "matches everything that the section names. If several sections match, one that "
	      "names the voice takes precedence; then one that names the engine; then the "
	      "quality; then the model. For tokens, one that names the agent takes precedence, "
	      "then the model. Two sections that name the same are an error."),
	GROUP("agent", agents, config_agents_rows, CONFIG_AGENTS_ROWS,
	      "An agent that answers a speech engine. If none is configured, there is an echo "
	      "agent at /speech-engine/ws."),
};

static const struct params params = {rows, COUNT(rows), "SYRINX_", groups, COUNT(groups)};

_Static_assert(COUNT(rows) <= PARAMS_MAX, "params.c has fixed tables");

static void config_find_own_dir(char dir[PARAM_STRING_SIZE])
{
	ssize_t n = readlink("/proc/self/exe", dir, PARAM_STRING_SIZE - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash && slash != dir)
		*slash = '\0';
	else
		memcpy(dir, ".", 2);
}

static int config_complain_path(struct buf *errors, const char *key)
{
	(void)buf_printf(errors, "%s: the path is too long\n", key);
	return EINVAL;
}

/* Returns the user's home directory, or NULL.  The root directory is the home of users that have
 * none, and no place for files. */
static const char *config_find_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (!home || home[0] == '\0') {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : NULL;
	}
	return home && home[strspn(home, "/")] != '\0' ? home : NULL;
}

/* Finds the default folder of the voices or the models, by the XDG base directory specification,
 * whose variable counts only if it is absolute. */
static int config_find_user_dir(char dir[PARAM_STRING_SIZE], const char *name)
{
	const char *data_home = getenv("XDG_DATA_HOME");
	const char *home;
	int n = 0;

	if (data_home && data_home[0] == '/')
		n = snprintf(dir, PARAM_STRING_SIZE, "%s/syrinx/%s", data_home, name);
	else if ((home = config_find_home()))
		n = snprintf(dir, PARAM_STRING_SIZE, "%s/.local/share/syrinx/%s", home, name);
	return n < PARAM_STRING_SIZE ? 0 : ENAMETOOLONG;
}

/* Workers use the path too, and have another working directory. */
static int config_make_absolute(char path[PARAM_STRING_SIZE])
{
	char given[PARAM_STRING_SIZE];
	char here[PARAM_STRING_SIZE];

	if (path[0] == '/' || path[0] == '\0')
		return 0;
	if (!getcwd(here, sizeof(here)))
		return errno;
	memcpy(given, path, sizeof(given));
	return snprintf(path, PARAM_STRING_SIZE, "%s/%s", here, given) < PARAM_STRING_SIZE
		       ? 0
		       : ENAMETOOLONG;
}

/* Computes the defaults that depend on the machine, the user or other settings. */
static int config_fill_in(struct config *config, struct buf *errors)
{
	int err = 0;
	int n;

	if (config->slots == 0)
		config->slots = config_machine_cores();
	if (config->hearing_slots == 0)
		config->hearing_slots = config_machine_cores();
	if (config->calls_max == 0)
		config->calls_max = CONFIG_CALLS_PER_CORE * config_machine_cores();
	/* While a successor takes over (SIGUSR2) or an engine is renewed, there are two sets of
	 * workers, so a quarter for each is at most half in total.  The other half is for the server,
	 * its store, and voices and databases in the page cache. */
	if (config->memory_mb == 0)
		config->memory_mb = config_machine_memory_mb() / 4;
	if (config->engines_dir[0] == '\0')
		config_find_own_dir(config->engines_dir);
	if (config->voices_dir[0] == '\0')
		err = config_find_user_dir(config->voices_dir, "voices");
	if (err || config_make_absolute(config->voices_dir) != 0)
		return config_complain_path(errors, "speech.voices_dir");
	if (config->models_dir[0] == '\0')
		err = config_find_user_dir(config->models_dir, "models");
	if (err || config_make_absolute(config->models_dir) != 0)
		return config_complain_path(errors, "hearing.models_dir");
	if (config->store_address[0] != '\0')
		return 0;
	n = snprintf(config->store_address, PARAM_STRING_SIZE, "sqlite:%s/syrinx.db",
		     config->data_dir);
	return n < PARAM_STRING_SIZE ? 0 : config_complain_path(errors, "server.data");
}

/* A container may lack an entry for the default user, nobody, whose number is the same
 * everywhere. */
int config_worker_user(const struct config *config, uid_t *uid, gid_t *gid)
{
	const struct passwd *user = getpwnam(config->worker_user);
	bool is_default = strcmp(config->worker_user, "nobody") == 0;

	if (!user && !is_default)
		return ENOENT;
	*uid = user ? user->pw_uid : 65534;
	*gid = user ? user->pw_gid : 65534;
	return 0;
}

static int config_check_tls(const struct config *config, struct buf *errors)
{
	if (!config->tls_certificate[0] == !config->tls_key[0])
		return 0;
	(void)buf_printf(errors,
			 "server.tls_certificate and server.tls_key go together: %s is not set\n",
			 config->tls_key[0] ? "server.tls_certificate" : "server.tls_key");
	return EINVAL;
}

/* The user is looked up only if the server runs as root, because only root can switch users. */
static int config_check_worker_user(const struct config *config, struct buf *errors)
{
	uid_t uid;
	gid_t gid;

	if (geteuid() != 0 || config->worker_user[0] == '\0' ||
	    config_worker_user(config, &uid, &gid) == 0)
		return 0;
	(void)buf_printf(errors, "server.worker_user: there is no user %s\n", config->worker_user);
	return EINVAL;
}

/* Checks that involve more than one key. */
static int config_check_together(struct config *config, bool uses_agents, struct buf *errors)
{
	int err = config_check_tls(config, errors);
	int err_agents = config_agents_check(config, uses_agents, errors);
	int err_prices = config_prices_check(config, errors);
	int err_user = config_check_worker_user(config, errors);

	if (!err)
		err = err_agents;
	if (!err)
		err = err_prices;
	return err ? err : err_user;
}

/* Reads the short names of the variables for the folders of voices and models, which engines also
 * use.  The long names take precedence. */
static int config_read_short_variables(struct config *config, struct buf *errors)
{
	static const struct {
		const char *name;
		const char *key;
	} variables[] = {{"SYRINX_VOICES", "speech.voices_dir"},
			 {"SYRINX_MODELS", "hearing.models_dir"}};
	int err = 0;

	for (size_t i = 0; i < COUNT(variables); ++i) {
		const char *value = getenv(variables[i].name);

		if (value && params_set(&params, config, variables[i].key, value, variables[i].name,
					errors) != 0)
			err = EINVAL;
	}
	return err;
}

/* True for a key, false for the name of the variable that contains it (env:NAME). */
static bool config_is_secret(const char *value)
{
	return value[0] && strncmp(value, "env:", 4) != 0;
}

/* True for postgresql://USER:PASSWORD@HOST and for ?password=... */
static bool config_has_password(const char *address)
{
	const char *authority = strstr(address, "://");
	const char *at = authority ? strchr(authority + 3, '@') : NULL;

	if (!authority)
		return false;
	return (at && memchr(authority + 3, ':', (size_t)(at - authority - 3))) ||
	       strstr(authority, "password=");
}

/* Looks only at what has been read so far, which is the configuration file. */
static bool config_has_secrets(const struct config *config)
{
	if (config_has_password(config->store_address))
		return true;
	for (size_t i = 0; i < config->agents_count; ++i) {
		const struct config_agent *agent = &config->agents[i];

		if (config_is_secret(agent->api_key) || config_is_secret(agent->account_key) ||
		    config_is_secret(agent->llm_key) || config_is_secret(agent->fallback_key) ||
		    agent->llm_headers[0])
			return true;
	}
	return false;
}

int config_load(struct config *config, const char *file, const struct config_override *overrides,
		size_t count, struct buf *errors)
{
	return config_load_for(config, file, &(struct config_purpose){.uses_agents = true},
			       overrides, count, errors);
}

int config_load_for(struct config *config, const char *file, const struct config_purpose *purpose,
		    const struct config_override *overrides, size_t count, struct buf *errors)
{
	const struct config_places *places = purpose->places;
	struct config_default_prices defaults;
	int err = 0;
	int err_short, err_env;

	memset(config, 0, sizeof(*config));
	params_set_initial(&params, config);
	config_prices_begin(config, &defaults);
	config->has_file = file != NULL;
	if (places)
		memcpy(config->data_dir, places->data_dir, sizeof(config->data_dir));
	if (file) {
		err = params_read_file(&params, config, file, errors);
		config->file_has_secrets = config_has_secrets(config);
	}
	err_short = config_read_short_variables(config, errors);
	err_env = params_read_env(&params, config, environ, errors);
	if (!err)
		err = err_short ? err_short : err_env;
	for (size_t i = 0; i < count; ++i) {
		if (params_set(&params, config, overrides[i].key, overrides[i].value,
			       overrides[i].option, errors) != 0)
			err = err ? err : EINVAL;
	}
	config_prices_fill_in(config, &defaults);
	if (places && config->voices_dir[0] == '\0')
		memcpy(config->voices_dir, places->voices_dir, sizeof(config->voices_dir));
	if (places && config->models_dir[0] == '\0')
		memcpy(config->models_dir, places->models_dir, sizeof(config->models_dir));
	if (!err)
		err = config_fill_in(config, errors);
	if (!err)
		err = config_check_together(config, purpose->uses_agents, errors);
	return err;
}

int config_differ(const struct config *running, const struct config *fresh, struct buf *keys)
{
	return params_differ(&params, running, fresh, "agent", keys);
}

bool config_has_plan(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->plans_count; ++i) {
		if (strcmp(config->plans[i].name, name) == 0)
			return true;
	}
	return name[0] == '\0' || strcmp(name, "default") == 0;
}

int config_print_sample(struct buf *out)
{
	int err = buf_append_str(
		out,
		"# Configuration of syrinx. The file is named by --config or SYRINX_CONFIG; an\n"
		"# installed program reads /etc/syrinx/syrinx.conf otherwise.\n"
		"#\n"
		"# Every key is shown with its default. An environment variable\n"
		"# (SYRINX_SERVER_LISTEN) takes precedence over this file, an option over both.\n"
		"# `syrinx check --config FILE` finds mistakes; `syrinx check --sample`\n"
		"# prints this file.\n\n");

	return err ? err : params_print_sample(&params, out);
}

int config_print_manual(struct buf *out)
{
	int err = buf_append_str(
		out,
		".\\\" Printed by `syrinx check --manual`; the table is in src/server/config.c.\n"
		".TH SYRINX.CONF 5 \"\" \"syrinx\" \"File formats\"\n"
		".SH NAME\n"
		"syrinx.conf \\- configuration of the syrinx voice server\n"
		".SH DESCRIPTION\n"
		"Every command reads the file named by its option\n.B \\-\\-config\nor by the "
		"variable\n.BR SYRINX_CONFIG .\nIf neither is given, the installed program reads\n"
		".IR /etc/syrinx/syrinx.conf ,\nif it exists; see\n.BR syrinx (1).\n"
		"The file contains lines of the form\n.IR name \" = \" value\n"
		"under the heading of a\n.RI [ section ].\n"
		"A line that starts with # or ; is a comment, and so is everything after a space\n"
		"and a ; within a line. Every key has a default, and no file is needed. An\n"
		"unknown key, a value out of range and a key that is set twice are errors.\n"
		".PP\n"
		"Each key can also be set by an environment variable, which takes precedence over\n"
		"the file; a command line option takes precedence over both.\n"
		".SH KEYS\n");

	if (!err)
		err = params_print_manual(&params, out);
	if (!err)
		err = buf_append_str(out, ".SH SEE ALSO\n.BR syrinx (1)\n");
	return err;
}
