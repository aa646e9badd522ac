/*
 * config.h: everything an operator can set, read once at start.
 *
 * The table in config.c is the only list of keys: the file parser, environment variables
 * (SYRINX_SECTION_NAME), command line, conf/syrinx.conf and the manual page are derived from it.
 * After config_load every field holds the value to use, including defaults for what was left
 * empty.  The struct never changes after that and may be read from any thread.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/params.h"

/* Plans and agents are written by hand; prices may be set for each voice. */
#define CONFIG_PLANS_MAX 16
#define CONFIG_PRICES_MAX 64
#define CONFIG_AGENTS_MAX 16

/* Worker processes of one engine. */
#define CONFIG_WORKERS_MAX 1024

#define CONFIG_WORD_SIZE 64
#define CONFIG_TEXT_SIZE 8192 /* longer prompts must be in files */

/* [plan NAME]: the limits of the accounts that have this plan; 0 means no limit. */
struct config_plan {
	char name[PARAM_NAME_SIZE];
	int64_t turns, connections, requests_per_minute, characters_per_minute, text_max,
		heard_seconds_per_minute;
};

/* [price NAME]: the price of a minute of matching audio, spoken or transcribed, or of matching
 * tokens. */
struct config_price {
	char name[PARAM_NAME_SIZE];
	char model[CONFIG_WORD_SIZE]; /* "" matches every model */
	int64_t voice_id; /* 0 matches every voice */
	char engine[CONFIG_WORD_SIZE]; /* "" matches every engine */
	char quality[CONFIG_WORD_SIZE]; /* "" matches every quality */
	int64_t microcents_per_minute; /* PARAM_NONE: no price is set */
	int64_t heard_microcents; /* the same for a minute that is transcribed */
	char agent[CONFIG_WORD_SIZE]; /* "" matches every agent */
	/* Per million tokens; PARAM_NONE: no price is set. */
	int64_t input_microcents, output_microcents;
};

/* How many calls are admitted for each processor by default.  It is an aim, not a measured capacity: eight
 * calls on two processors had no late frame and took 0.14 of a processor each, so this many leave no
 * reserve.  Operators who need one set calls.max. */
#define CONFIG_CALLS_PER_CORE 8

#define CONFIG_AGENT_VOICE 1071 /* the default voice of agents */

/* [agent NAME]: an agent that answers speech engines.  The fields are those of struct llm_options,
 * where 0 and "" mean its defaults. */
struct config_agent {
	char name[PARAM_NAME_SIZE];
	char path[PARAM_STRING_SIZE];
	char api_key[PARAM_STRING_SIZE]; /* one or more keys, separated by spaces */
	int64_t token_seconds; /* the longest lifetime of a token */
	/* "" means none, unless api_key contains a key of this server */
	char account_key[PARAM_STRING_SIZE];
	int llm; /* enum llm_dialect */
	char llm_url[PARAM_STRING_SIZE];
	char llm_model[PARAM_STRING_SIZE];
	char llm_key[PARAM_STRING_SIZE];
	char llm_headers[PARAM_STRING_SIZE]; /* "Name: value" pairs, separated by " | " */
	char llm_body[CONFIG_TEXT_SIZE]; /* a JSON object */
	char prompt[CONFIG_TEXT_SIZE];
	char prompt_file[PARAM_STRING_SIZE];
	char language[CONFIG_WORD_SIZE];
	int64_t temperature; /* in millionths; PARAM_NONE: the model's default */
	int64_t max_tokens;
	int64_t history_max;
	int64_t connect_ms, first_token_ms, begin_ms, between_ms, whole_ms;
	int64_t retries;
	char fallback_url[PARAM_STRING_SIZE];
	char fallback_model[PARAM_STRING_SIZE];
	char fallback_key[PARAM_STRING_SIZE];
	char fallback_text[PARAM_STRING_SIZE];
	/* Calls. */
	int64_t voice_id;
	char first_message[PARAM_STRING_SIZE];
	int eagerness; /* enum turn_end_eagerness */
	bool is_public; /* callers need no key */
	char telephone_token[PARAM_STRING_SIZE]; /* "": there are no telephone calls */
};

struct config {
	bool has_file; /* a configuration file was read */
	/* The file itself contains keys or a password, not only the names of variables. */
	bool file_has_secrets;

	/* [server] */
	char listen[PARAM_STRING_SIZE]; /* HOST:PORT; [ADDRESS]:PORT for IPv6 */
	char data_dir[PARAM_STRING_SIZE];
	char tls_certificate[PARAM_STRING_SIZE]; /* "": no TLS */
	char tls_key[PARAM_STRING_SIZE]; /* "" if and only if tls_certificate is "" */
	int log_level; /* enum log_level */
	int log_form; /* enum log_form */
	bool log_texts;
	char hosts[PARAM_STRING_SIZE]; /* see origin.h for this and `origins` */
	char origins[PARAM_STRING_SIZE];
	char public_url[PARAM_STRING_SIZE]; /* without a slash at the end; "": as requests say */
	int metrics_readers; /* enum metrics_readers in metrics_page.c */
	int64_t drain_seconds;
	int64_t max_connections;
	int64_t max_lead_ms; /* 0: audio is sent as fast as the client reads it */
	/* The user that workers run as when root starts the server; "" means root. */
	char worker_user[PARAM_STRING_SIZE];

	/* [speech] */
	char engines_dir[PARAM_STRING_SIZE];
	char engine_paths[PARAM_STRING_SIZE]; /* separated by ':' */
	char jit_engines[PARAM_STRING_SIZE]; /* separated by spaces */
	char voices_dir[PARAM_STRING_SIZE]; /* absolute; need not exist; "" if there is none */
	bool fetch_voices;
	int64_t workers; /* per engine; 0: as many as needed, within memory_mb */
	int64_t memory_mb; /* of all workers together */
	int64_t slots; /* the number of jobs that may hold credit at the same time */
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
	bool test_hooks; /* engines react to the special words that tests use */

	/* [hearing] */
	char models_dir[PARAM_STRING_SIZE]; /* absolute; need not exist; "" if there is none */
	bool fetch_models;
	char hearing_model[PARAM_STRING_SIZE]; /* "": the engine's first */
	int64_t hearing_workers; /* per engine */
	int64_t hearing_slots; /* pieces that are recognized at the same time */
	int64_t hearing_streams;

	/* [calls] */
	int64_t calls_max;

	/* [prices] */
	char currency[CONFIG_WORD_SIZE]; /* ISO 4217, lower case */
	bool has_prices; /* the operator has set a price; otherwise the built-in default applies */
	int64_t microcents_per_minute; /* PARAM_NONE: no price is set */
	int64_t heard_microcents; /* the same for a minute that is transcribed */
	int64_t lease_microcents;
	/* Per million tokens; PARAM_NONE: no price is set. */
	int64_t input_microcents, output_microcents;

	/* [store] */
	char store_address[PARAM_STRING_SIZE]; /* passed to store_open */
	int64_t spool_rows;

	/* [elevenlabs] */
	char elevenlabs_voices[CONFIG_TEXT_SIZE]; /* see voice_pairs.h */
	bool elevenlabs_default_voices;

	struct config_plan plans[CONFIG_PLANS_MAX];
	size_t plans_count;
	struct config_price prices[CONFIG_PRICES_MAX];
	size_t prices_count;
	struct config_agent agents[CONFIG_AGENTS_MAX];
	size_t agents_count;
};

/* A value from the command line, with the option that set it for error messages. */
struct config_override {
	const char *key; /* "server.listen" */
	const char *value;
	const char *option; /* "--listen" */
};

/* The data directory if none is configured. */
#define CONFIG_DATA_DEFAULT "data"

/* Where an installed server keeps its files unless it is configured otherwise. */
struct config_places {
	char data_dir[PARAM_STRING_SIZE];
	char voices_dir[PARAM_STRING_SIZE];
	char models_dir[PARAM_STRING_SIZE];
};

/* What a configuration is loaded for. */
struct config_purpose {
	/* The defaults; NULL for a server that is not installed. */
	const struct config_places *places;
	/* The agents' keys are needed, so the environment variables that they refer to (env:NAME)
	 * must be set. */
	bool uses_agents;
};

/* Applies the defaults, then the file (NULL: none), the environment and the overrides, where later
 * ones win.  Returns EINVAL or the file's errno, with one line per mistake in `errors`.  Unless
 * purpose->uses_agents is set, agents' keys of the form env:NAME are left as they are. */
int config_load_for(struct config *config, const char *file, const struct config_purpose *purpose,
		    const struct config_override *overrides, size_t count, struct buf *errors);

/* The same for a server that is not installed. */
int config_load(struct config *config, const char *file, const struct config_override *overrides,
		size_t count, struct buf *errors);

/* Appends the keys that differ and are read only at start, which are all but those of agents.  See
 * params_differ. */
int config_differ(const struct config *running, const struct config *fresh, struct buf *keys);

/* A section may have prices for several kinds of usage.  One that has neither a price for tokens nor
 * one for audio that is transcribed is about spoken audio, even if it has no price at all: such a
 * section says that the price of that audio is unknown. */
bool config_price_is_of_tokens(const struct config_price *price);
bool config_price_is_of_hearing(const struct config_price *price);
bool config_price_is_of_audio(const struct config_price *price);
int config_price_quality(const struct config_price *price); /* -1 means every quality */

/* Looks up server.worker_user.  Returns ENOENT if there is no such user. */
int config_worker_user(const struct config *config, uid_t *uid, gid_t *gid);

/* Whether accounts may have a plan of this name.  "" and "default" always exist. */
bool config_has_plan(const struct config *config, const char *name);

/* Write the complete conf/syrinx.conf and man/syrinx.conf.5, respectively. */
int config_print_sample(struct buf *out);
int config_print_manual(struct buf *out);

#endif
