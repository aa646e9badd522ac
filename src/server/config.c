/*
 * config.c: everything an operator can set (see config.h).
 */
#include "server/config.h"

#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "server/config_agents.h"
#include "server/config_prices.h"
#include "server/elevenlabs_voices.h"
#include "store/store.h"

/* In the order of enum log_level. */
static const char *const log_levels[] = {"error", "warn", "info", "debug", NULL};

/* In the order of enum log_form. */
static const char *const log_forms[] = {"text", "json", NULL};

/* In the order of enum llm_dialect. */
static const char *const llm_dialects[] = {"openai", "responses", "anthropic", "echo", NULL};

/* In the order of enum metrics_readers, metrics_page.c. */
static const char *const metrics_readers[] = {"local", "key", "all", NULL};

/* In the order of enum pool_order. */
static const char *const orders[] = {"deadline", "arrival", NULL};

static const char *check_listen(const char *value)
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

static const char *check_not_empty(const char *value)
{
	return value[0] == '\0' ? "must not be empty" : NULL;
}

static const char *check_store(const char *value)
{
	if (value[0] == '\0' || strcmp(value, "memory:") == 0)
		return NULL;
	if (strncmp(value, "sqlite:", 7) == 0 && value[7] != '\0')
		return NULL;
	if (strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0)
		return NULL;
	return "must be " STORE_ADDRESSES;
}

#define FIELD(member) .offset = offsetof(struct config, member)
#define STRING(member, value) .type = PARAM_STRING, FIELD(member), .initial = (value)
#define INT(member, value, low, high)                                                              \
	.type = PARAM_INT, FIELD(member), .initial = (value), .min = (low), .max = (high)
#define BOOL(member, value) .type = PARAM_BOOL, FIELD(member), .initial = (value)
#define ENUM(member, value, list)                                                                  \
	.type = PARAM_ENUM, FIELD(member), .initial = (value), .words = (list)
#define DECIMAL(member, value, high)                                                               \
	.type = PARAM_DECIMAL, FIELD(member), .initial = (value), .max = (high)*PARAM_MILLION

/* Engines run in another working directory, so every path must be absolute. */
static const char *check_engine_paths(const char *value)
{
	for (; *value; value += strcspn(value, ":")) {
		value += strspn(value, ":");
		if (*value && *value != '/')
			return "must be absolute paths, separated by colons";
	}
	return NULL;
}

static const struct param rows[] = {
	{"server", "listen", STRING(listen, "127.0.0.1:8080"), .check = check_listen,
	 .text = "The address and port to listen on. Port 0 takes a free one; 0.0.0.0 listens on "
		 "every IPv4 address, [::] on every address."},
	{"server", "data", STRING(data_dir, CONFIG_DATA_DEFAULT), .check = check_not_empty,
	 .text = "The directory of everything that must survive: keys, the ledger, and local.key. "
		 "Made when it is missing. For an installed server that reads "
		 "/etc/syrinx/syrinx.conf the default is /var/lib/syrinx."},
	{"server", "tls_certificate", STRING(tls_certificate, ""),
	 .text = "A file with the certificate and its chain (PEM). Empty: no TLS."},
	{"server", "tls_key", STRING(tls_key, ""),
	 .text = "A file with the private key of the certificate (PEM)."},
	{"server", "log_level", ENUM(log_level, "info", log_levels),
	 .text = "How much is written to standard error."},
	{"server", "log_format", ENUM(log_form, "text", log_forms),
	 .text = "Lines for people, or a JSON object in each for programs."},
	{"server", "log_texts", BOOL(log_texts, "off"),
	 .text = "Whether the texts that clients send may stand in the log."},
	{"server", "hosts", STRING(hosts, ""),
	 .text = "The names under which web pages may reach this server, with blanks between them. "
		 "Empty: every name, but no domain where the server listens on 127.0.0.1 or [::1] "
		 "alone; else a page of a stranger whose name leads there could use it."},
	{"server", "origins", STRING(origins, ""),
	 .text = "The web pages of other servers that may use this one, such as "
		 "https://app.example.com, with blanks between them; * for all. Empty: none but "
		 "those of this machine where the server listens on it alone. Programs that are no "
		 "browsers are not asked."},
	{"server", "metrics", ENUM(metrics_readers, "local", metrics_readers),
	 .text = "Who may read /metrics without a key: programs of this machine, nobody, or "
		 "everybody. The operator's key, a key of the default account with the scope "
		 "admin, always can. Requests that a proxy on this machine forwards are not local; "
		 "a proxy that adds no header to them cannot be recognized and needs metrics = "
		 "key."},
	{"server", "drain_seconds", INT(drain_seconds, "60", 0, 86400), .unit = "seconds",
	 .text = "How long a server that was told to end waits for turns that are being spoken."},
	{"server", "max_connections", INT(max_connections, "10000", 1, 1000000),
	 .text = "Connections at once. A further one closes the unauthenticated connection that "
		 "has been idle longest; if all have presented a valid key, it is refused. The "
		 "limit on open files must be high enough."},
	{"server", "max_lead_ms", INT(max_lead_ms, "0", 0, 3600000), .unit = "milliseconds",
	 .text = "How far ahead of playback audio is sent. 0: as fast as the client reads."},
	{"server", "worker_user", STRING(worker_user, "nobody"),
	 .text = "The user that engines run as if root starts the server; they get read-only "
		 "access to programs and voices, wherever these are. Empty: root, without its "
		 "privileges. If another user starts the server, engines run as that user."},

	{"speech", "engines_dir", STRING(engines_dir, ""),
	 .text = "The directory of the engine programs (syrinx-NAME). Empty: that of the server's "
		 "own program."},
	{"speech", "engine_paths", STRING(engine_paths, ""), .check = check_engine_paths,
	 .text = "Files and directories that engines may read in addition to their program, the "
		 "system's libraries and interpreters, and the voices: absolute paths, separated "
		 "by colons. For custom engines whose interpreter, modules or models are "
		 "elsewhere, such as in /opt. server.data must not be inside any of them."},
	{"speech", "jit_engines", STRING(jit_engines, ""),
	 .text = "The names of engines (NAME of syrinx-NAME) that generate code at run time, as "
		 "Java, JavaScript and numba do, separated by blanks. Other engines cannot make "
		 "memory executable."},
	{"speech", "voices_dir", STRING(voices_dir, ""),
	 .text = "The directory of neural voices and of the library that runs them; voices that "
		 "are put there are spoken without a restart. Also set by SYRINX_VOICES. Empty: "
		 "/var/lib/syrinx/voices for an installed server that reads "
		 "/etc/syrinx/syrinx.conf; else "
		 "syrinx/voices in XDG_DATA_HOME, or in ~/.local/share; for a user without a home "
		 "there is none."},
	{"speech", "fetch_voices", BOOL(fetch_voices, "off"),
	 .text = "Whether a server that finds no neural voices there fetches them, as `syrinx "
		 "voices fetch` does, while it speaks with the others."},
	{"speech", "workers", INT(workers, "16", 1, 1024),
	 .text = "Worker processes of each engine, and so the number of sentences that can be on "
		 "their way at once. More than there are cores is right: a worker runs only while "
		 "its listener needs audio. An engine that speaks many sentences in one process "
		 "takes fewer."},
	{"speech", "slots", INT(slots, "0", 0, 1024),
	 .text = "Sentences that may be worked on at the same time. 0: the number of cores."},
	{"speech", "order", ENUM(order, "deadline", orders),
	 .text = "Whose sentence is worked on next: that of the listener who runs dry first, or, "
		 "to compare with, that of whoever came first."},
	{"speech", "fallback", BOOL(fallback, "on"),
	 .text = "Whether a voice whose engine has failed is spoken by its next best engine. Off: "
		 "clients are told that it is unavailable."},
	{"speech", "repeatable", BOOL(repeatable, "off"),
	 .text = "Whether a neural voice reads the same text in the same way in every turn. Off: it "
		 "does so only at temperature 0 or with a seed."},
	{"speech", "worker_memory_mb", INT(worker_memory_mb, "1024", 16, 1048576), .unit = "MiB",
	 .text = "Memory a worker may take; one that wants more is replaced."},
	{"speech", "neural_memory_mb", INT(neural_memory_mb, "3072", 64, 1048576), .unit = "MiB",
	 .text = "The same for the engine that loads neural voices, counted as address space."},
	{"speech", "worker_cpu_seconds", INT(worker_cpu_seconds, "20", 1, 86400), .unit = "seconds",
	 .text = "CPU time one sentence may take; a worker that needs more is replaced."},
	{"speech", "worker_recycle_jobs", INT(worker_recycle_jobs, "10000", 0, 1000000000),
	 .text = "Sentences after which an idle worker is replaced by a fresh one. 0: never."},
	{"speech", "start_timeout_ms", INT(start_timeout_ms, "2000", 1, 600000),
	 .unit = "milliseconds",
	 .text = "How long the first sentence of a turn may wait for a worker before the turn is "
		 "refused. Turns that have begun are never refused."},
	{"speech", "load_timeout_ms", INT(load_timeout_ms, "10000", 1, 600000),
	 .unit = "milliseconds",
	 .text = "The same for a voice whose engine is still loading after a start of the server; "
		 "then the turn is refused with MODEL_UNAVAILABLE."},
	{"speech", "stall_seconds", INT(stall_seconds, "10", 1, 3600), .unit = "seconds",
	 .text = "How long a worker may be silent when audio is due before it is replaced."},
	{"speech", "test_hooks", BOOL(test_hooks, "off"),
	 .text = "Whether engines obey the words that make them crash or stall, for tests."},

	{"prices", "currency", STRING(currency, "eur"), .size = CONFIG_WORD_SIZE,
	 .check = config_prices_check_currency,
	 .text = "The currency of all prices, credit and costs: three letters of ISO 4217, such as "
		 "eur or usd. A cent is a hundredth of its unit. Amounts that were recorded before "
		 "are not converted when it is changed."},
	{"prices", "cents_per_minute", DECIMAL(microcents_per_minute, "5.4", 1000000),
	 .unit = "cents",
	 .text = "What a minute of audio costs where no [price NAME] section matches. Empty: there "
		 "is no price, and clients are told that the cost is not known. Costs are shown to "
		 "people only if this or a section sets a price, or if there are accounts besides "
		 "the default one."},
	{"prices", "lease_cents", DECIMAL(lease_microcents, "20", 1000000), .unit = "cents",
	 .min = 1, .check = check_not_empty,
	 .text = "Credit of a prepaid account that this server takes at once and may spend without "
		 "asking the store again. Servers that share a store can together overdraw an "
		 "account by at most this much each."},
	{"prices", "input_cents_per_million", DECIMAL(input_microcents, "", 1000000),
	 .unit = "cents",
	 .text = "What a million tokens sent to a language model cost, where no [price NAME] "
		 "section matches. Empty: they are recorded and cost nothing."},
	{"prices", "output_cents_per_million", DECIMAL(output_microcents, "", 1000000),
	 .unit = "cents", .text = "The same for the tokens that the model generates."},

	{"store", "address", STRING(store_address, ""), .check = check_store, .is_secret = true,
	 .text = "Where keys and the ledger are kept: sqlite:PATH, "
		 "postgresql://USER:PASSWORD@HOST/DATABASE for servers that share them, or memory: "
		 "for a server that forgets. Empty: syrinx.db in the data directory."},
	{"store", "spool_rows", INT(spool_rows, "20000", 100, 10000000),
	 .text = "Turns that are kept in a file of the data directory while the store is away. "
		 "When it is full, new turns are refused. It takes its place on the disk at the "
		 "start, 256 bytes for each turn."},

	{"elevenlabs", "voices", STRING(elevenlabs_voices, ""), .size = CONFIG_TEXT_SIZE,
	 .check = elevenlabs_voices_check,
	 .text = "Ids of ElevenLabs' voices and the voices that speak for them: pairs ID:VOICE "
		 "with commas or blanks between them, where VOICE is a number or a handle from "
		 "GET /v1/voices. Clients of ElevenLabs' API can then keep the ids that they use. "
		 "These ids are not listed."},
	{"elevenlabs", "default_voices", BOOL(elevenlabs_default_voices, "on"),
	 .text = "Ids of ElevenLabs' default voices, such as Rachel's 21m00Tcm4TlvDq8ikWAM, are "
		 "spoken by voices of the same sex unless elevenlabs.voices has another voice "
		 "for them. off: they are unknown."},
};

#undef FIELD
#define FIELD(member) .offset = offsetof(struct config_plan, member)
#define LIMIT(member) INT(member, "0", 0, INT64_C(1000000000))

static const struct param plan_rows[] = {
	{"plan", "turns", LIMIT(turns), .text = "Turns that are spoken at once. 0: no limit."},
	{"plan", "connections", LIMIT(connections), .text = "Connections at once. 0: no limit."},
	{"plan", "requests_per_minute", LIMIT(requests_per_minute),
	 .text = "Turns and other requests that are begun in a minute. 0: no limit."},
	{"plan", "characters_per_minute", LIMIT(characters_per_minute), .unit = "characters",
	 .text = "Text that is taken in a minute. 0: no limit."},
	{"plan", "text_max", LIMIT(text_max), .unit = "characters",
	 .text = "The longest text of a turn. 0: no limit but the protocol's."},
};

#undef FIELD
#define FIELD(member) .offset = offsetof(struct config_price, member)
#define WORD(member, value) STRING(member, value), .size = CONFIG_WORD_SIZE

static const struct param price_rows[] = {
	{"price", "model", WORD(model, ""),
	 .text = "The model that it applies to: one of those that clients can name, such as "
		 "kugel-3; in a price of tokens, a language model. Empty: every model."},
	{"price", "voice", INT(voice_id, "0", 0, INT64_MAX),
	 .text = "The ID of the voice that it applies to. 0: every voice."},
	{"price", "engine", WORD(engine, ""),
	 .text = "The engine whose voices it applies to: NAME of syrinx-NAME, such as vits for "
		 "neural voices. Empty: every engine."},
	{"price", "quality", WORD(quality, ""), .check = config_prices_check_quality,
	 .text = "The quality of the voices that it applies to: low, mid or high, as `syrinx voices` "
		 "shows it. Empty: every quality."},
	{"price", "cents_per_minute", DECIMAL(microcents_per_minute, "", 1000000), .unit = "cents",
	 .text = "What a minute of audio costs. Empty: clients are told that the cost is not "
		 "known, unless the section has a price for tokens: then it does not apply to "
		 "audio."},
	{"price", "agent", WORD(agent, ""),
	 .text = "The agent to whose language model the price applies. Empty: every agent."},
	{"price", "input_cents_per_million", DECIMAL(input_microcents, "", 1000000),
	 .unit = "cents",
	 .text = "What a million tokens sent to the language model cost. Empty: the section does "
		 "not apply to them."},
	{"price", "output_cents_per_million", DECIMAL(output_microcents, "", 1000000),
	 .unit = "cents", .text = "The same for the tokens that the model generates."},
};

#undef FIELD
#define FIELD(member) .offset = offsetof(struct config_agent, member)
#define TEXT(member) STRING(member, ""), .size = CONFIG_TEXT_SIZE
#define MILLISECONDS(member, high) INT(member, "0", 0, high), .unit = "milliseconds"

/* What is behind ? or # is no part of the path that is compared. */
static const char *check_path(const char *value)
{
	if (value[0] != '/')
		return "must begin with /";
	return strpbrk(value, "?# \t") ? "must have no blank, ? or #" : NULL;
}

static const char *check_json_object(const char *value)
{
	if (value[0] == '\0' || value[0] == '{')
		return NULL;
	return "must be a JSON object";
}

static const struct param agent_rows[] = {
	{"agent", "path", STRING(path, "/speech-engine/ws"), .check = check_path,
	 .text = "Where the speech engine's WebSocket comes in."},
	{"agent", "api_key", STRING(api_key, ""), .is_secret = true,
	 .text = "The key that the speech engine signs its tokens with; several, with blanks "
		 "between them, while it is changed. env:NAME takes the variable of that name."},
	{"agent", "token_seconds", INT(token_seconds, "3600", 60, 31536000), .unit = "seconds",
	 .text = "The longest time from issue to expiry that a token of the speech engine may have. "
		 "A stolen token can be used until it expires."},
	{"agent", "account_key", STRING(account_key, ""), .is_secret = true,
	 .text = "An API key of this server, whose account pays for the questions of speech "
		 "engines and whose limits apply to them. env:NAME takes the variable of that "
		 "name. Empty: the first api_key that is a key of this server; if there is none, "
		 "usage is recorded without an account and costs nothing. Clients at /ws/talk pay "
		 "with their own key."},
	{"agent", "llm", ENUM(llm, "openai", llm_dialects),
	 .text = "How its language model is spoken to: the chat completions of OpenAI, vLLM, Ollama, "
		 "llama.cpp and the like, OpenAI's responses, Anthropic's messages; or echo, which "
		 "needs none and says back what it heard."},
	{"agent", "llm_url", STRING(llm_url, ""),
	 .text = "The base URL of its API, such as http://127.0.0.1:11434/v1. Empty: that of "
		 "OpenAI, or of Anthropic."},
	{"agent", "llm_model", STRING(llm_model, ""), .text = "The model that is asked."},
	{"agent", "llm_key", STRING(llm_key, ""), .is_secret = true,
	 .text = "The key for it. env:NAME takes the variable of that name. Empty: none is sent."},
	{"agent", "llm_headers", STRING(llm_headers, ""), .is_secret = true,
	 .text = "More headers of its requests, as \"Name: value | Name: value\"."},
	{"agent", "llm_body", TEXT(llm_body), .check = check_json_object,
	 .text = "A JSON object whose members are added to its requests; null takes one out."},
	{"agent", "prompt", TEXT(prompt), .text = "What it is told before the conversation."},
	{"agent", "prompt_file", STRING(prompt_file, ""),
	 .text = "The same in a file, of at most 64 KiB. Only one of them may be set."},
	{"agent", "language", WORD(language, ""),
	 .text = "The language it is told to answer in, such as de. Empty: it is not told."},
	{"agent", "temperature", DECIMAL(temperature, "", 2),
	 .text = "How freely it chooses its words. Empty: as the model does."},
	{"agent", "max_tokens", INT(max_tokens, "0", 0, 1000000),
	 .text = "The longest answer. 0: as the model does."},
	{"agent", "history_characters", INT(history_max, "32000", 100, 1000000),
	 .unit = "characters",
	 .text = "How much of the conversation it is given; the oldest part is left out."},
	{"agent", "connect_ms", MILLISECONDS(connect_ms, 60000),
	 .text = "How long a connection may take to come about. 0: 1500."},
	{"agent", "first_token_ms", MILLISECONDS(first_token_ms, 600000),
	 .text = "How long a try may take until the first word. 0: 3000."},
	{"agent", "begin_ms", MILLISECONDS(begin_ms, 600000),
	 .text = "How long all tries may take until the first word; then fallback_text is said. "
		 "Speech engines give up after about four seconds. 0: 3500."},
	{"agent", "between_ms", MILLISECONDS(between_ms, 600000),
	 .text = "How long it may be silent in the middle of an answer. 0: 10000."},
	{"agent", "whole_ms", MILLISECONDS(whole_ms, 3600000),
	 .text = "How long an answer may take. 0: 120000."},
	{"agent", "retries", INT(retries, "1", 0, 10),
	 .text = "How often it is asked again when it fails before the first word."},
	{"agent", "fallback_url", STRING(fallback_url, ""),
	 .text = "The base URL of another model's API. Empty: the same."},
	{"agent", "fallback_model", STRING(fallback_model, ""),
	 .text = "The model that is asked when the first fails. Empty: none."},
	{"agent", "fallback_key", STRING(fallback_key, ""), .is_secret = true,
	 .text = "The key for it. Empty: the same, if it goes to the same server."},
	{"agent", "fallback_text", STRING(fallback_text, ""),
	 .text = "What is said when every model fails and nothing was said yet. Empty: a sentence "
		 "of ours, in English."},
};

#define GROUP(title, member, table, about)                                                         \
	{                                                                                          \
		.section = (title), .text = (about), .rows = (table), .count = COUNT(table),       \
		.array = offsetof(struct config, member),                                          \
		.size = sizeof(((struct config *)0)->member[0]),                                   \
		.max = COUNT(((struct config *)0)->member),                                        \
		.used = offsetof(struct config, member##_count)                                    \
	}

static const struct param_group groups[] = {
	GROUP("plan", plans, plan_rows,
	      "What the accounts of a plan may use, unless they were given something else. "
	      "\"default\" is the plan of accounts that name none."),
	GROUP("price", prices, price_rows,
	      "What some audio costs, or some tokens of language models. It applies to whatever "
	      "matches all that it names. If several sections match, one that names the voice is "
	      "preferred; then one that names the engine; then the quality; then the model. For "
	      "tokens, one that names the agent is preferred, then the model. Two sections that "
	      "name the same are an error."),
	GROUP("agent", agents, agent_rows,
	      "Who answers a speech engine. Without any there is an echo at /speech-engine/ws."),
};

static const struct params params = {rows, COUNT(rows), "SYRINX_", groups, COUNT(groups)};

_Static_assert(COUNT(rows) <= PARAMS_MAX, "params.c has fixed tables");

/* Cores this process may use: in a container fewer than the machine has. */
static int64_t count_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set);
	return 1;
}

static void find_own_dir(char dir[PARAM_STRING_SIZE])
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

static int complain_path(struct buf *errors, const char *key)
{
	(void)buf_printf(errors, "%s: the path is too long\n", key);
	return EINVAL;
}

/* NULL: nobody is at home.  The root directory is the home of users that have
 * none, and no place for anyone's files. */
static const char *find_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (!home || home[0] == '\0') {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : NULL;
	}
	return home && home[strspn(home, "/")] != '\0' ? home : NULL;
}

/* Where the voices are for everybody who says nothing else, by the XDG base
 * directory specification: its variable counts only when it is absolute. */
static int find_voices_dir(char dir[PARAM_STRING_SIZE])
{
	const char *data_home = getenv("XDG_DATA_HOME");
	const char *home;
	int n = 0;

	if (data_home && data_home[0] == '/')
		n = snprintf(dir, PARAM_STRING_SIZE, "%s/syrinx/voices", data_home);
	else if ((home = find_home()))
		n = snprintf(dir, PARAM_STRING_SIZE, "%s/.local/share/syrinx/voices", home);
	return n < PARAM_STRING_SIZE ? 0 : ENAMETOOLONG;
}

/* Workers get it too, wherever they run. */
static int make_absolute(char path[PARAM_STRING_SIZE])
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

static int fill_in_voices_dir(char dir[PARAM_STRING_SIZE])
{
	int err = dir[0] == '\0' ? find_voices_dir(dir) : 0;

	return err ? err : make_absolute(dir);
}

/* What was left empty. */
static int fill_in(struct config *config, struct buf *errors)
{
	int n;

	if (config->slots == 0)
		config->slots = count_cores();
	if (config->engines_dir[0] == '\0')
		find_own_dir(config->engines_dir);
	if (fill_in_voices_dir(config->voices_dir) != 0)
		return complain_path(errors, "speech.voices_dir");
	if (config->store_address[0] != '\0')
		return 0;
	n = snprintf(config->store_address, PARAM_STRING_SIZE, "sqlite:%s/syrinx.db",
		     config->data_dir);
	return n < PARAM_STRING_SIZE ? 0 : complain_path(errors, "server.data");
}

/* A container may have no entry for the default user, nobody; its number is the same
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

static int check_tls(const struct config *config, struct buf *errors)
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

/* What no row can see alone. */
static int check_together(struct config *config, bool uses_agents, struct buf *errors)
{
	int err = check_tls(config, errors);
	int err_agents = config_agents_check(config, uses_agents, errors);
	int err_prices = config_prices_check(config, errors);
	int err_user = config_check_worker_user(config, errors);

	if (!err)
		err = err_agents;
	if (!err)
		err = err_prices;
	return err ? err : err_user;
}

/* The short name that the voices folder has for people and engines alike; the
 * long one wins over it. */
static int read_voices_variable(struct config *config, struct buf *errors)
{
	const char *value = getenv("SYRINX_VOICES");

	return value ? params_set(&params, config, "speech.voices_dir", value, "SYRINX_VOICES",
				  errors)
		     : 0;
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
	int64_t default_price;
	int err = 0;
	int err_short, err_env;

	memset(config, 0, sizeof(*config));
	params_set_initial(&params, config);
	default_price = config_prices_begin(config);
	config->has_file = file != NULL;
	if (places)
		memcpy(config->data_dir, places->data_dir, sizeof(config->data_dir));
	if (file) {
		err = params_read_file(&params, config, file, errors);
		config->file_has_secrets = config_has_secrets(config);
	}
	err_short = read_voices_variable(config, errors);
	err_env = params_read_env(&params, config, environ, errors);
	if (!err)
		err = err_short ? err_short : err_env;
	for (size_t i = 0; i < count; ++i) {
		if (params_set(&params, config, overrides[i].key, overrides[i].value,
			       overrides[i].option, errors) != 0)
			err = err ? err : EINVAL;
	}
	config_prices_fill_in(config, default_price);
	if (places && config->voices_dir[0] == '\0')
		memcpy(config->voices_dir, places->voices_dir, sizeof(config->voices_dir));
	if (!err)
		err = fill_in(config, errors);
	if (!err)
		err = check_together(config, purpose->uses_agents, errors);
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
		"# Configuration of syrinx: of the file that --config or SYRINX_CONFIG names, or of\n"
		"# /etc/syrinx/syrinx.conf, which an installed program reads.\n"
		"#\n"
		"# Every key is shown with its default. An environment variable\n"
		"# (SYRINX_SERVER_LISTEN) wins over this file, an option over both.\n"
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
		"Every command reads the file that its option\n.B \\-\\-config\nor the variable\n"
		".B SYRINX_CONFIG\nnames, else the program that is installed reads\n"
		".IR /etc/syrinx/syrinx.conf ,\nif it exists; see\n.BR syrinx (1).\n"
		"It holds lines of the form\n.IR name \" = \" value\n"
		"under the heading of a\n.RI [ section ].\n"
		"Lines that begin with # or ; are comments, and so is what follows a ; after a\n"
		"blank. Every key has a default, and no file is needed. A key that does not\n"
		"exist, a value out of range and a key given twice are errors.\n"
		".PP\n"
		"Each key can also be set by an environment variable, which wins over the\n"
		"file; an option of the command line wins over both.\n"
		".SH KEYS\n");

	if (!err)
		err = params_print_manual(&params, out);
	if (!err)
		err = buf_append_str(out, ".SH SEE ALSO\n.BR syrinx (1)\n");
	return err;
}
