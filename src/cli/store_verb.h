/*
 * store_verb.h: commands that consist of verbs on the store, such as `syrinx account create`.
 *
 * They work directly on any kind of store, even while servers are using it; the servers notice
 * changes within a second.
 */
#ifndef CLI_STORE_VERB_H
#define CLI_STORE_VERB_H

#include <stdbool.h>

#include "cli/command.h"
#include "server/config.h"
#include "store/store.h"

struct store_verb {
	const char *name;
	bool changes; /* changes the store: --create may create one that does not exist */
	size_t operands; /* the number of operands after the verb */
	const char *needs; /* what the operands are, for the error if they are missing */
	int (*run)(struct store *store, const struct command_call *call);
};

/* Runs the verb given by the first operand. */
int store_verb_run(const struct command_call *call, const struct store_verb *verbs, size_t count);

/* Opens the store given by --config, --data and --store, calls `run` and closes the store. A
 * store that does not exist is created only with --create: one that was created by mistake would
 * not be used by any server. Returns the exit status. */
int store_verb_with_store(const struct command_call *call, bool changes,
			  int (*run)(struct store *store, const struct command_call *call));

/* Checks whether the store exists and can be opened. Returns COMMAND_OK, or another status after
 * printing the reason. */
int store_verb_check_store(const struct command_call *call, const struct config *config);

/* Prints "syrinx NAME: what: reason" and returns COMMAND_FAILED. */
int store_verb_failed(const struct command_call *call, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Options of all these commands. */
#define STORE_VERB_OPTIONS                                                                         \
	{"data", 0, "DIR", "the server's data directory (data)"},                                  \
		{"config", 0, "FILE", "the server's configuration"},                               \
	{                                                                                          \
		"store", 0, "ADDRESS", "the store's address, if it is not in the data directory"   \
	}

/* An option of commands that may be the first to use a store. */
#define STORE_VERB_CREATE_OPTION                                                                   \
	{                                                                                          \
		"create", 0, NULL, "create the store if it does not exist"                         \
	}

/* The limit options: a number from 1 on, "none", or "plan" for the limit of the plan.
 * store_verb_read_limits changes those limits in *limits that were given, and sets *given if there
 * were any. It returns COMMAND_OK, or another status after printing the reason. */
#define STORE_VERB_LIMIT_OPTIONS                                                                   \
	{"turns", 0, "N", "concurrent turns (a number, none or plan)"},                            \
		{"connections", 0, "N", "concurrent connections"},                                 \
		{"requests-per-minute", 0, "N", "requests and turns per minute"},                  \
		{"characters-per-minute", 0, "N", "characters per minute"},                        \
		{"text-max", 0, "N", "characters per turn"},                                       \
	{                                                                                          \
		"heard-seconds-per-minute", 0, "N", "seconds of audio transcribed per minute"      \
	}
extern const char *const store_verb_limit_options[]; /* in the order of registry_limit_at */
int store_verb_read_limits(struct store_limits *limits, bool *given,
			   const struct command_call *call);

/* Writes "turns 4, text-max 2000", or "-" if there are no limits. */
#define STORE_VERB_LIMITS_SIZE 240
void store_verb_print_limits(char text[STORE_VERB_LIMITS_SIZE], const struct store_limits *limits);

/* Reads the value of an option, if it was given: one line of at most `max` bytes, to which a NUL is
 * added. Returns COMMAND_OK, or another status after printing the reason. */
int store_verb_read_text(char *out, size_t max, bool *given, const struct command_call *call,
			 const char *option);

/* Writes the names of the fields that were changed, separated by commas. */
#define STORE_VERB_FIELDS_SIZE 64
struct store_verb_field {
	unsigned field; /* a bit, as in enum store_key_field */
	const char *name;
};
void store_verb_print_fields(char text[STORE_VERB_FIELDS_SIZE],
			     const struct store_verb_field *names, size_t count, unsigned fields);

/* Writes micro-cents as cents, such as "12.5". */
#define STORE_VERB_CENTS_SIZE 40
void store_verb_print_cents(char text[STORE_VERB_CENTS_SIZE], int64_t microcents);

/* Parses cents with up to six decimals into micro-cents. EINVAL. */
int store_verb_parse_cents(int64_t *microcents, const char *text);

/* Finds the account given by --account; without the option, *id is `absent`. Returns COMMAND_OK, or
 * another status after printing the reason. */
int store_verb_find_account(int64_t *id, struct store *store, const struct command_call *call,
			    int64_t absent);

/* Finds a key by its first characters or by its full text. Returns COMMAND_OK, or another status
 * after printing the reason. */
int store_verb_find_key(struct store_key *key, struct store *store, const struct command_call *call,
			const char *text);

#endif
