/*
 * command.h: what a command of the program is, and how one is called.
 *
 * A command is one file and one `struct command`: its name, its options and
 * what they mean.  Parsing, the error for a wrong option and --help come from
 * that; the command's function sees only what was given.
 *
 * To add one: write cli/NAME.c with `const struct command command_NAME`,
 * declare it below and add it to the table in main.c.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a process returns: 1 for "it did not work", 2 for "called wrongly". */
enum { COMMAND_OK = 0, COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

#define COMMAND_OPTIONS_MAX 24
#define COMMAND_OPERANDS_MAX 256 /* the words of a text */
#define COMMAND_SECRETS_MAX 4 /* in one call: a key, a token and two addresses */

struct command_option {
	const char *name; /* without the dashes; NULL ends the table */
	char letter; /* the short form, "-o" for "--output"; 0: none */
	const char *value; /* how the help calls its value; NULL: it is a flag */
	const char *text;
};

struct command_call {
	const struct command *command;
	const char *operands[COMMAND_OPERANDS_MAX];
	size_t operand_count;
	char *const *arguments; /* all that followed the command's name, ended by NULL */
	const char *values
		[COMMAND_OPTIONS_MAX]; /* of command->options, in the same order; NULL: not given */
	char *secrets
		[COMMAND_SECRETS_MAX]; /* copies of values and operands that argv does not show */
	size_t secrets_count;
};

struct command {
	const char *name;
	const char *operands; /* as the help shows them; NULL: none */
	size_t operands_min, operands_max;
	const char *summary; /* one line */
	const struct command_option *options;
	int (*run)(const struct command_call *call);
	bool takes_keys; /* as operands */
	bool uses_agents; /* so that the variables of their keys (env:NAME) must be set */
	const char *notes; /* lines that the help prints after the options; may be NULL */
	const char *examples; /* calls that work, one per line; may be NULL */
};

/* Finds the command, reads its options and runs it; gives the exit status.
 *
 * Every user of the machine can read the arguments of a process.  What is secret among them (the values
 * of --key and --token, addresses of databases, keys as operands) is copied and blanked out in argv
 * before the command runs; until then, for about a millisecond, it can be seen, which is why --key-file
 * and SYRINX_KEY exist. */
int command_main(int argc, char **argv);

/* The same for one command, with the arguments that follow its name; argv[argc] is NULL. */
int command_run(const struct command *command, int argc, char **argv);

/* The value of an option, "" for a flag that was given, NULL for neither. */
const char *command_value(const struct command_call *call, const char *name);

/* The same for an option that not every command has: NULL without it. */
const char *command_value_if_known(const struct command_call *call, const char *name);

/* The value of an option as a whole number from min to max; `missing` when it
 * was not given.  The reason for EINVAL has been printed. */
int command_number(int64_t *number, const struct command_call *call, const char *name, int64_t min,
		   int64_t max, int64_t missing);

/* One line about a wrong call and where help is, on standard error; always
 * gives COMMAND_USAGE. */
int command_usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One line on standard error about what was done: standard output is for what scripts read. */
void command_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Every command, in the order of the help; NULL at the end.  In main.c. */
extern const struct command *const command_table[];
const struct command *command_find(const char *name);

/* Reports a command that does not exist, with the one that was probably meant; always gives
 * COMMAND_USAGE. */
int command_refuse_name(const char *name);

/* The same for a verb of a command; its verbs end with NULL. */
int command_refuse_verb(const struct command *command, const char *const *verbs, const char *verb);
void command_print_help(const struct command *command);
void command_print_summary(void);

extern const struct command command_account;
extern const struct command command_backup;
extern const struct command command_bench;
extern const struct command command_check;
extern const struct command command_completion;
extern const struct command command_confine;
extern const struct command command_help;
extern const struct command command_key;
extern const struct command command_migrate;
extern const struct command command_mint_token;
extern const struct command command_normalize;
extern const struct command command_project;
extern const struct command command_ready;
extern const struct command command_restore;
extern const struct command command_say;
extern const struct command command_serve;
extern const struct command command_talk;
extern const struct command command_token;
extern const struct command command_top;
extern const struct command command_usage;
extern const struct command command_version;
extern const struct command command_voices;

#endif
