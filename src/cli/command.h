/*
 * command.h: describes a command of the program and runs it.
 *
 * Each command is one file with one `struct command`, which has its name, its options and their
 * descriptions. Parsing, errors for wrong options and --help are derived from it; the command's
 * function only sees the values that were given.
 *
 * To add a command: write cli/NAME.c with `const struct command command_NAME`, declare it below
 * and add it to the table in main.c.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses: COMMAND_FAILED if the command did not work, COMMAND_USAGE if it was called
 * wrongly. */
enum { COMMAND_OK = 0, COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

#define COMMAND_OPTIONS_MAX 24
#define COMMAND_OPERANDS_MAX 256 /* `syrinx say` takes each word of its text as an operand */
#define COMMAND_SECRETS_MAX 4 /* per call: a key, a token and two database addresses */

struct command_option {
	const char *name; /* without the dashes; NULL ends the table */
	char letter; /* the short form, as in "-o" for "--output"; 0 if there is none */
	/* The placeholder for its value in the help; NULL for a flag. If it ends with "...", the
	 * option can be given more than once; a command has at most one such option. */
	const char *value;
	const char *text;
};

struct command_call {
	const struct command *command;
	const char *operands[COMMAND_OPERANDS_MAX];
	size_t operand_count;
	char *const *arguments; /* everything after the command's name, terminated by NULL */
	/* The values of command->options, in the same order; NULL if not given. */
	const char *values[COMMAND_OPTIONS_MAX];
	/* All values of the option that can be given more than once; in `values` is the last. */
	const char *repeated[COMMAND_OPERANDS_MAX];
	size_t repeated_count;
	/* Copies of the values and operands that were overwritten in argv. */
	char *secrets[COMMAND_SECRETS_MAX];
	size_t secrets_count;
};

struct command {
	const char *name;
	const char *operands; /* as shown in the help; NULL if the command takes none */
	size_t operands_min, operands_max;
	const char *summary; /* one line */
	const struct command_option *options;
	int (*run)(const struct command_call *call);
	bool takes_keys; /* operands may be API keys, which are overwritten in argv */
	/* The command uses the agents of the configuration, so the variables of their keys
	 * (env:NAME) must be set. */
	bool uses_agents;
	const char *notes; /* text that the help prints after the options, or NULL */
	const char *examples; /* example calls for the help, one per line, or NULL */
};

/* Finds the command, parses its options and runs it. Returns the exit status.
 *
 * Every user of a machine can read the arguments of its processes. Secrets among them (the values
 * of --key and --token, database addresses, keys given as operands) are therefore copied and
 * overwritten in argv before the command runs. Until then, for about a millisecond, they are
 * visible, which is why --key-file and SYRINX_KEY exist. */
int command_main(int argc, char **argv);

/* Like command_main, for a given command and the arguments after its name. argv[argc] is NULL. */
int command_run(const struct command *command, int argc, char **argv);

/* Returns the value of an option: "" for a flag that was given, NULL if the option was not given.
 * The command must have the option. */
const char *command_value(const struct command_call *call, const char *name);

/* Like command_value, but also returns NULL if the command has no such option. */
const char *command_value_if_known(const struct command_call *call, const char *name);

/* Parses the value of an option as an integer from min to max; an option that was not given has
 * the value `missing`. Returns 0, or EINVAL after printing the reason. */
int command_number(int64_t *number, const struct command_call *call, const char *name, int64_t min,
		   int64_t max, int64_t missing);

/* Prints to standard error what is wrong with the call and how to get help. Always returns
 * COMMAND_USAGE. */
int command_usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints one line about what was done to standard error. Standard output is reserved for results
 * that scripts read. */
void command_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* All commands in the order of the help, terminated by NULL. Defined in main.c. */
extern const struct command *const command_table[];
const struct command *command_find(const char *name);

/* Prints that there is no such command, with the name that was probably meant. Always returns
 * COMMAND_USAGE. */
int command_refuse_name(const char *name);

/* Like command_refuse_name, for a verb of a command. `verbs` is terminated by NULL. */
int command_refuse_verb(const struct command *command, const char *const *verbs, const char *verb);
void command_print_help(const struct command *command);
void command_print_summary(void);

extern const struct command command_account;
extern const struct command command_backup;
extern const struct command command_bench;
extern const struct command command_call;
extern const struct command command_check;
extern const struct command command_completion;
extern const struct command command_confine;
extern const struct command command_hear;
extern const struct command command_help;
extern const struct command command_key;
extern const struct command command_migrate;
extern const struct command command_mint_token;
extern const struct command command_models;
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
