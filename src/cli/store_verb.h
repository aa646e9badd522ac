/*
 * store_verb.h: commands that are verbs on the store: `syrinx account create` and
 * the like.
 *
 * They work on the store directly, whichever it is, also while servers run on it;
 * those notice within a second.
 */
#ifndef CLI_STORE_VERB_H
#define CLI_STORE_VERB_H

#include <stdbool.h>

#include "cli/command.h"
#include "server/config.h"
#include "store/store.h"

struct store_verb {
	const char *name;
	bool changes; /* with --create, a store that is not there is made */
	size_t operands; /* that must follow it, at least */
	const char *needs; /* their names, for the error when they are missing */
	int (*run)(struct store *store, const struct command_call *call);
};

/* Runs the verb that the first operand names. */
int store_verb_run(const struct command_call *call, const struct store_verb *verbs, size_t count);

/* Opens the store of --config, --data and --store, runs, closes.  A store that is not there is
 * made only with --create: one made by mistake would be no server's.  Gives the status. */
int store_verb_with_store(const struct command_call *call, bool changes,
			  int (*run)(struct store *store, const struct command_call *call));

/* Whether the store is there and can be opened; if not, the reason has been printed. */
int store_verb_look(const struct command_call *call, const struct config *config);

/* "syrinx NAME: what: reason"; gives COMMAND_FAILED. */
int store_verb_failed(const struct command_call *call, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The options of each. */
#define STORE_VERB_OPTIONS                                                                         \
	{"data", 0, "DIR", "the server's data directory (data)"},                                  \
		{"config", 0, "FILE", "the server's configuration"},                               \
	{                                                                                          \
		"store", 0, "ADDRESS", "the store, where it is not in the data directory"          \
	}

/* Of commands that may be the first to use a store. */
#define STORE_VERB_CREATE_OPTION                                                                   \
	{                                                                                          \
		"create", 0, NULL, "make the store if there is none yet"                           \
	}

/* Limits: --turns and so on.  What is given becomes part of *limits: a number from 1
 * on, "none", or "plan" for what the plan says. */
#define STORE_VERB_LIMIT_OPTIONS                                                                   \
	{"turns", 0, "N", "turns at once, or none, or plan"},                                      \
		{"connections", 0, "N", "connections at once"},                                    \
		{"requests-per-minute", 0, "N", "requests and turns a minute"},                    \
		{"characters-per-minute", 0, "N", "characters a minute"},                          \
	{                                                                                          \
		"text-max", 0, "N", "characters of one turn"                                       \
	}
extern const char *const store_verb_limit_options[]; /* in the order of registry_limit_at */
int store_verb_read_limits(struct store_limits *limits, bool *given,
			   const struct command_call *call);

/* "turns 4, text-max 2000", "-" for none. */
#define STORE_VERB_LIMITS_SIZE 192
void store_verb_print_limits(char text[STORE_VERB_LIMITS_SIZE], const struct store_limits *limits);

/* What the option says, if it is there: one line of at most `max` bytes. */
int store_verb_read_text(char *out, size_t max, bool *given, const struct command_call *call,
			 const char *option);

/* Micro-cents as cents: 12.5 */
/* The names of the fields that were changed, with commas. */
#define STORE_VERB_FIELDS_SIZE 64
struct store_verb_field {
	unsigned field; /* a bit, as of enum store_key_field */
	const char *name;
};
void store_verb_print_fields(char text[STORE_VERB_FIELDS_SIZE],
			     const struct store_verb_field *names, size_t count, unsigned fields);

#define STORE_VERB_CENTS_SIZE 40
void store_verb_print_cents(char text[STORE_VERB_CENTS_SIZE], int64_t microcents);

/* Cents with up to six decimals, as they are booked.  EINVAL. */
int store_verb_parse_cents(int64_t *microcents, const char *text);

/* The account that --account names, or `absent` without it.  The reason has been printed
 * why not. */
int store_verb_find_account(int64_t *id, struct store *store, const struct command_call *call,
			    int64_t absent);

/* The row of a key, by the letters that name it or by its whole text. */
int store_verb_find_key(struct store_key *key, struct store *store, const struct command_call *call,
			const char *text);

#endif
