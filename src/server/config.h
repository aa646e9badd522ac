/*
 * config.h: everything an operator can set, read once at the start.
 *
 * The table in config.c is the only list of keys: file, environment
 * (SYRINX_SECTION_NAME), command line, conf/syrinx.conf and the manual page
 * come from it.  After config_load every field holds the value to use: what
 * was left empty has been filled in.  The struct never changes after that and
 * may be read from every thread.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/params.h"

/* Plans and agents are written by hand, prices perhaps for each voice. */
#define CONFIG_PLANS_MAX 16
#define CONFIG_PRICES_MAX 64
#define CONFIG_AGENTS_MAX 16

#define CONFIG_WORD_SIZE 64
#define CONFIG_TEXT_SIZE 8192 /* longer prompts have files of their own */

/* [plan NAME]: what an account of it may use; 0: no limit. */
struct config_plan {
	char name[PARAM_NAME_SIZE];
	int64_t turns, connections, requests_per_minute, characters_per_minute, text_max;
};

/* [price NAME]: what a minute of some audio costs, or what some tokens cost. */
struct config_price {
	char name[PARAM_NAME_SIZE];
	char model[CONFIG_WORD_SIZE]; /* "": of every model */
	int64_t voice_id; /* 0: of every voice */
	char engine[CONFIG_WORD_SIZE]; /* "": of every engine */
	char quality[CONFIG_WORD_SIZE]; /* "": of every quality */
	int64_t microcents_per_minute; /* PARAM_NONE: no price */
	char agent[CONFIG_WORD_SIZE]; /* "": every agent */
	int64_t input_microcents, output_microcents; /* per million tokens; PARAM_NONE: no price */
};

/* [agent NAME]: who answers a speech engine; the fields are those of struct
 * llm_options, where 0 and "" stand for its defaults. */
struct config_agent {
	char name[PARAM_NAME_SIZE];
	char path[PARAM_STRING_SIZE];
	char api_key[PARAM_STRING_SIZE]; /* one or more, with blanks between them */
	int64_t token_seconds; /* how long a token may be valid */
	char account_key[PARAM_STRING_SIZE]; /* "": none, unless api_key has a key of this server */
	int llm; /* enum llm_dialect */
	char llm_url[PARAM_STRING_SIZE];
	char llm_model[PARAM_STRING_SIZE];
	char llm_key[PARAM_STRING_SIZE];
	char llm_headers[PARAM_STRING_SIZE]; /* "Name: value", with " | " between them */
	char llm_body[CONFIG_TEXT_SIZE]; /* a JSON object */
	char prompt[CONFIG_TEXT_SIZE];
	char prompt_file[PARAM_STRING_SIZE];
	char language[CONFIG_WORD_SIZE];
	int64_t temperature; /* in millionths; PARAM_NONE: the model's own */
	int64_t max_tokens;
	int64_t history_max;
	int64_t connect_ms, first_token_ms, begin_ms, between_ms, whole_ms;
	int64_t retries;
	char fallback_url[PARAM_STRING_SIZE];
	char fallback_model[PARAM_STRING_SIZE];
	char fallback_key[PARAM_STRING_SIZE];
	char fallback_text[PARAM_STRING_SIZE];
};

struct config {
	bool has_file; /* not only defaults, variables and options */
	bool file_has_secrets; /* keys or a password, not only names of variables */

	/* [server] */
	char listen[PARAM_STRING_SIZE]; /* HOST:PORT; [ADDRESS]:PORT for IPv6 */
	char data_dir[PARAM_STRING_SIZE];
	char tls_certificate[PARAM_STRING_SIZE]; /* "": no TLS */
	char tls_key[PARAM_STRING_SIZE]; /* "" exactly when the certificate is */
	int log_level; /* enum log_level */
	int log_form; /* enum log_form */
	bool log_texts;
	char hosts[PARAM_STRING_SIZE]; /* see origin.h */
	char origins[PARAM_STRING_SIZE];
	int metrics_readers; /* an enum of metrics_page.c */
	int64_t drain_seconds;
	int64_t max_connections;
	int64_t max_lead_ms; /* 0: as fast as the client reads */
	char worker_user[PARAM_STRING_SIZE]; /* if root starts the server; "": root */

	/* [speech] */
	char engines_dir[PARAM_STRING_SIZE];
	char engine_paths[PARAM_STRING_SIZE]; /* separated by ':' */
	char jit_engines[PARAM_STRING_SIZE]; /* separated by blanks */
	char voices_dir[PARAM_STRING_SIZE]; /* absolute, need not exist; "": there is none */
	bool fetch_voices;
	int64_t workers; /* of each engine */
	int64_t slots; /* jobs that hold credit at once */
	int order; /* enum pool_order, speech/pool.h */
	bool fallback;
	bool repeatable;
	int64_t worker_memory_mb;
	int64_t neural_memory_mb;
	int64_t worker_cpu_seconds;
	int64_t worker_recycle_jobs;
	int64_t start_timeout_ms;
	int64_t load_timeout_ms;
	int64_t stall_seconds;
	bool test_hooks; /* engines obey the words that tests use */

	/* [prices] */
	char currency[CONFIG_WORD_SIZE]; /* ISO 4217, lower case */
	bool has_prices; /* a price was set here: it is not only the program's default */
	int64_t microcents_per_minute; /* PARAM_NONE: no price */
	int64_t lease_microcents;
	int64_t input_microcents, output_microcents; /* per million tokens; PARAM_NONE: no price */

	/* [store] */
	char store_address[PARAM_STRING_SIZE]; /* for store_open */
	int64_t spool_rows;

	/* [elevenlabs] */
	char elevenlabs_voices[CONFIG_TEXT_SIZE]; /* see elevenlabs_voices.h */
	bool elevenlabs_default_voices;

	struct config_plan plans[CONFIG_PLANS_MAX];
	size_t plans_count;
	struct config_price prices[CONFIG_PRICES_MAX];
	size_t prices_count;
	struct config_agent agents[CONFIG_AGENTS_MAX];
	size_t agents_count;
};

/* A value from the command line: the option it came from, for the error. */
struct config_override {
	const char *key; /* "server.listen" */
	const char *value;
	const char *option; /* "--listen" */
};

/* The data directory of whoever names none. */
#define CONFIG_DATA_DEFAULT "data"

/* Where an installed server keeps its files unless it is configured otherwise. */
struct config_places {
	char data_dir[PARAM_STRING_SIZE];
	char voices_dir[PARAM_STRING_SIZE];
};

/* What a configuration is loaded for. */
struct config_purpose {
	const struct config_places *places; /* defaults; NULL: those of no installed server */
	bool uses_agents; /* then the variables that their keys are in (env:NAME) must be set */
};

/* Defaults, then the file (NULL: none), then the environment, then the overrides; later ones win.
 * EINVAL or the file's errno, with one line per mistake in errors.  Unless agents are used, keys of
 * theirs that are in variables stay "env:NAME". */
int config_load_for(struct config *config, const char *file, const struct config_purpose *purpose,
		    const struct config_override *overrides, size_t count, struct buf *errors);

/* For a server that is not installed. */
int config_load(struct config *config, const char *file, const struct config_override *overrides,
		size_t count, struct buf *errors);

/* Appends the keys that differ and are read at the start alone: all but those of agents.
 * See params_differ. */
int config_differ(const struct config *running, const struct config *fresh, struct buf *keys);

/* A section without a price of tokens is about audio, even if it has no price at all: that
 * says that the cost of such audio is not known. */
bool config_price_is_of_tokens(const struct config_price *price);
bool config_price_is_of_audio(const struct config_price *price);
int config_price_quality(const struct config_price *price); /* -1: every quality */

/* Looks up server.worker_user; ENOENT: there is no such user. */
int config_worker_user(const struct config *config, uid_t *uid, gid_t *gid);

/* Whether accounts may have a plan of this name; "" and "default" are always there. */
bool config_has_plan(const struct config *config, const char *name);

/* conf/syrinx.conf and man/syrinx.conf.5, whole. */
int config_print_sample(struct buf *out);
int config_print_manual(struct buf *out);

#endif
