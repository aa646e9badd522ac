/*
 * command.c: parses the arguments of commands and runs them (see command.h).
 */
#include "cli/command.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/similar.h"

/* The first characters of a key, which identify it and are also shown in lists. */
#define COMMAND_KEY_SHOWN 8

const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_table[i]; ++i)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	return NULL;
}

int command_usage_error(const struct command *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "syrinx%s%s: ", command ? " " : "", command ? command->name : "");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "%s: syrinx help%s%s\n",
		format[strlen(format) - 1] == '?' ? " See" : "; see", command ? " " : "",
		command ? command->name : "");
	return COMMAND_USAGE;
}

void command_report(const char *format, ...)
{
	va_list args;

	fflush(stdout); /* the result that the line is about is printed first */
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void command_print_summary(void)
{
	printf("usage: syrinx COMMAND [OPTION]...\n\n");
	for (size_t i = 0; command_table[i]; ++i)
		printf("  %-10s  %s\n", command_table[i]->name, command_table[i]->summary);
	printf("\nRun \"syrinx help COMMAND\" for the options of a command and examples.\n");
}

void command_print_help(const struct command *command)
{
	const struct command_option *option = command->options;

	printf("usage: syrinx %s%s%s%s\n\n%s\n", command->name, option->name ? " [OPTION]..." : "",
	       command->operands ? " " : "", command->operands ? command->operands : "",
	       command->summary);
	if (option->name)
		printf("\n");
	for (; option->name; ++option) {
		char left[64];
		char letter[6] = "";

		if (option->letter)
			snprintf(letter, sizeof(letter), "-%c, ", option->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name,
			 option->value ? " " : "", option->value ? option->value : "");
		printf("  %-24s  %s\n", left, option->text);
	}
	if (command->notes)
		printf("\n%s", command->notes);
	if (command->examples)
		printf("\nExamples:\n%s", command->examples);
}

int command_refuse_name(const char *name)
{
	struct similar_search search = {name, SIMILAR_MAX};
	const char *meant = NULL;

	for (size_t i = 0; command_table[i]; ++i)
		if (similar_is_nearer(&search, command_table[i]->name))
			meant = command_table[i]->name;
	if (!meant)
		return command_usage_error(NULL, "no such command: %s", name);
	return command_usage_error(NULL, "no such command: %s; did you mean %s?", name, meant);
}

int command_refuse_verb(const struct command *command, const char *const *verbs, const char *verb)
{
	const char *meant = similar_nearest(verbs, verb);
	char names[256] = "";
	size_t len = 0;

	if (meant)
		return command_usage_error(command, "unknown verb \"%s\"; did you mean %s?", verb,
					   meant);
	for (size_t i = 0; verbs[i] && len < sizeof(names); ++i)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
					i == 0         ? ""
					: verbs[i + 1] ? ", "
						       : " or ",
					verbs[i]);
	return command_usage_error(command, "unknown verb \"%s\": it must be %s", verb, names);
}

/* Finds the option of an argument: "--name", "--name=value", "-n" or "-nvalue". */
static const struct command_option *command_find_option(const struct command *command,
							const char *argument)
{
	size_t len = strcspn(argument, "=");
	const struct command_option *option;

	for (option = command->options; option->name; ++option) {
		if (argument[1] != '-') {
			if (option->letter && argument[1] == option->letter &&
			    (argument[2] == '\0' || option->value))
				return option;
			continue;
		}
		if (strlen(option->name) == len - 2 &&
		    strncmp(option->name, argument + 2, len - 2) == 0)
			return option;
	}
	return NULL;
}

/* Prints only the option's name, because what follows "=" may be a secret. */
static int command_refuse_option(const struct command *command, const char *argument)
{
	struct similar_search search = {.least = SIMILAR_MAX};
	const struct command_option *meant = NULL;
	char name[SIMILAR_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument, "="), argument);
	search.meant = name + strspn(name, "-");
	for (const struct command_option *option = command->options; option->name; ++option)
		if (similar_is_nearer(&search, option->name))
			meant = option;
	if (!meant)
		return command_usage_error(command, "no such option: %s", name);
	return command_usage_error(command, "no such option: %s; did you mean --%s?", name,
				   meant->name);
}

/* Returns the value that is part of the option's own argument, after "=" or directly after a
 * letter, or NULL. */
static char *command_attached_value(char *argument)
{
	char *equals = strchr(argument, '=');

	if (argument[1] == '-')
		return equals ? equals + 1 : NULL;
	if (argument[2] == '\0')
		return NULL;
	return argument + (argument[2] == '=' ? 3 : 2);
}

/* Copies an argument and overwrites it, except its first `shown` characters. */
static int command_hide(struct command_call *call, const char **value, char *argument, size_t shown)
{
	char *copy = strdup(argument);

	if (!copy || call->secrets_count == COMMAND_SECRETS_MAX) {
		free(copy);
		fprintf(stderr, "syrinx %s: %s\n", call->command->name,
			copy ? "too many keys" : "out of memory");
		return COMMAND_FAILED;
	}
	call->secrets[call->secrets_count++] = copy;
	*value = copy;
	explicit_bzero(argument + shown, strlen(argument + shown));
	return COMMAND_OK;
}

/* Secrets are recognized by option name, so that no command can forget to hide them. */
static bool command_is_secret(const struct command_option *option, const char *value)
{
	static const char *const secrets[] = {"key", "token"};
	/* Options with database addresses. */
	static const char *const addresses[] = {"store", "from", "to"};

	for (size_t i = 0; i < COUNT(secrets); ++i) {
		if (strcmp(option->name, secrets[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < COUNT(addresses); ++i) {
		if (strcmp(option->name, addresses[i]) == 0)
			return strstr(value, "://");
	}
	return false;
}

static void command_forget(struct command_call *call)
{
	for (size_t i = 0; i < call->secrets_count; ++i) {
		explicit_bzero(call->secrets[i], strlen(call->secrets[i]));
		free(call->secrets[i]);
	}
}

static bool command_is_repeatable(const struct command_option *option)
{
	size_t len = option->value ? strlen(option->value) : 0;

	return len > 3 && strcmp(option->value + len - 3, "...") == 0;
}

/* Reads the option at argv[*at] and moves *at past it. */
static int command_take_option(struct command_call *call, char **argv, int *at)
{
	char *argument = argv[*at];
	const struct command_option *option = command_find_option(call->command, argument);
	char *given = command_attached_value(argument);
	bool is_attached = given != NULL;
	bool can_repeat;
	const char **value;

	if (!option)
		return command_refuse_option(call->command, argument);
	can_repeat = command_is_repeatable(option);
	value = &call->values[option - call->command->options];
	if (*value && (!can_repeat || call->repeated_count == COUNT(call->repeated)))
		return command_usage_error(call->command, "--%s was given %s", option->name,
					   can_repeat ? "too often" : "twice");
	++*at;
	if (!option->value) {
		if (is_attached)
			return command_usage_error(call->command, "--%s takes no value",
						   option->name);
		*value = "";
		return COMMAND_OK;
	}
	if (!is_attached)
		given = argv[*at];
	if (!given)
		return command_usage_error(call->command, "%s needs a value: %s", argument,
					   option->value);
	*value = given;
	*at += !is_attached;
	if (can_repeat)
		call->repeated[call->repeated_count++] = given;
	return command_is_secret(option, given) ? command_hide(call, value, given, 0) : COMMAND_OK;
}

static int command_take_operand(struct command_call *call, char *operand)
{
	static const char start[] = "ka_";
	const char **place = &call->operands[call->operand_count];

	if (call->operand_count == call->command->operands_max)
		return command_usage_error(call->command, "unexpected argument \"%s\"", operand);
	*place = operand;
	++call->operand_count;
	if (call->command->takes_keys && strncmp(operand, start, strlen(start)) == 0 &&
	    strlen(operand) > COMMAND_KEY_SHOWN)
		return command_hide(call, place, operand, COMMAND_KEY_SHOWN);
	return COMMAND_OK;
}

/* Reads everything after the command's name; "--" ends the options. */
static int command_read_arguments(struct command_call *call, int argc, char **argv)
{
	bool options = true;
	int status = COMMAND_OK;
	int at = 0;

	assert(call->command->operands_max <= COMMAND_OPERANDS_MAX);
	while (at < argc && status == COMMAND_OK) {
		if (options && strcmp(argv[at], "--") == 0) {
			options = false;
			++at;
		} else if (options && argv[at][0] == '-' && argv[at][1] != '\0') {
			status = command_take_option(call, argv, &at);
		} else {
			status = command_take_operand(call, argv[at++]);
		}
	}
	if (status == COMMAND_OK && call->operand_count < call->command->operands_min)
		return command_usage_error(call->command, "%s is missing", call->command->operands);
	return status;
}

static bool command_asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; ++i)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

/* --version and --help work as the first argument, as in most programs. */
static const char *command_name_of(const char *word)
{
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return "version";
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return "help";
	return word;
}

int command_run(const struct command *command, int argc, char **argv)
{
	struct command_call call = {.command = command, .arguments = argv};
	int status;

	if (command_asks_for_help(argc, argv)) {
		command_print_help(command);
		return COMMAND_OK;
	}
	status = command_read_arguments(&call, argc, argv);
	if (status == COMMAND_OK)
		status = command->run(&call);
	command_forget(&call);
	/* A full disk or a closed pipe must not look like success. */
	if (fflush(stdout) != 0 && status == COMMAND_OK)
		status = COMMAND_FAILED;
	return status;
}

int command_main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		command_print_summary();
		return fflush(stdout) == 0 ? COMMAND_OK : COMMAND_FAILED;
	}
	command = command_find(command_name_of(argv[1]));
	if (!command)
		return command_refuse_name(argv[1]);
	return command_run(command, argc - 2, argv + 2);
}

const char *command_value(const struct command_call *call, const char *name)
{
	const struct command_option *options = call->command->options;

	for (size_t i = 0; options[i].name; ++i)
		if (strcmp(options[i].name, name) == 0)
			return call->values[i];
	assert(false && "the command has no such option");
	return NULL;
}

const char *command_value_if_known(const struct command_call *call, const char *name)
{
	const struct command_option *options = call->command->options;

	for (size_t i = 0; options[i].name; ++i)
		if (strcmp(options[i].name, name) == 0)
			return call->values[i];
	return NULL;
}

int command_number(int64_t *number, const struct command_call *call, const char *name, int64_t min,
		   int64_t max, int64_t missing)
{
	const char *value = command_value(call, name);
	char *end;
	long long n;

	if (!value) {
		*number = missing;
		return 0;
	}
	errno = 0;
	n = strtoll(value, &end, 10);
	if (errno || end == value || *end != '\0' || n < min || n > max) {
		command_usage_error(call->command,
				    "--%s must be a number from %lld to %lld, not \"%s\"", name,
				    (long long)min, (long long)max, value);
		return EINVAL;
	}
	*number = n;
	return 0;
}
