/*
 * completion.c: `syrinx completion`: prints a script that makes a shell complete our command
 * lines.
 *
 * The scripts are generated from the table of commands, so that they know every command and
 * option of this version.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "cli/command.h"

#define COMPLETION_WORDS_MAX 32
#define COMPLETION_WORD_SIZE 32

/* The words that a command's operand or an option's value can be. */
struct completion_words {
	char words[COMPLETION_WORDS_MAX][COMPLETION_WORD_SIZE];
	size_t count;
};

static void completion_add_word(struct completion_words *words, const char *text, size_t len)
{
	if (len == 0 || len >= COMPLETION_WORD_SIZE || words->count == COMPLETION_WORDS_MAX)
		return;
	for (size_t i = 0; i < len; ++i) {
		if (!islower((unsigned char)text[i]) && text[i] != '-')
			return;
	}
	for (size_t i = 0; i < words->count; ++i) {
		if (strlen(words->words[i]) == len && memcmp(words->words[i], text, len) == 0)
			return;
	}
	memcpy(words->words[words->count], text, len);
	words->words[words->count++][len] = '\0';
}

/* Extracts the words from the help: the first word of each choice in "[list|fetch|add FILE|remove
 * NAME]" or "yes|no". Words in capitals are placeholders and are skipped. */
static void completion_find_words(struct completion_words *words, const char *shown)
{
	words->count = 0;
	if (!shown || (!strchr(shown, '|') && !islower((unsigned char)shown[0])))
		return;
	while (*shown) {
		shown += strspn(shown, "[|");
		completion_add_word(words, shown, strcspn(shown, " |]"));
		shown += strcspn(shown, "|");
	}
}

/* The operand of help is the name of a command, which its description does not list. */
static void completion_find_operands(struct completion_words *words, const struct command *command)
{
	completion_find_words(words, command->operands);
	for (size_t i = 0; command == &command_help && command_table[i]; ++i)
		completion_add_word(words, command_table[i]->name, strlen(command_table[i]->name));
}

static bool completion_is_path(const char *value)
{
	return value && (strcmp(value, "FILE") == 0 || strcmp(value, "DIR") == 0 ||
			 strncmp(value, "PATH[", 5) == 0);
}

static void completion_print_words(const struct completion_words *words)
{
	for (size_t i = 0; i < words->count; ++i)
		printf("%s%s", i ? " " : "", words->words[i]);
}

/* bash */

static void completion_print_option_names(const struct command *command)
{
	for (const struct command_option *o = command->options; o->name; ++o)
		printf("--%s ", o->name);
	printf("--help");
}

/* Completes the value of an option: files, one of several words, or nothing. */
static void completion_bash_values(const struct command *command)
{
	for (const struct command_option *o = command->options; o->name; ++o) {
		struct completion_words words;

		if (!o->value)
			continue;
		completion_find_words(&words, o->value);
		printf("\t%s:--%s", command->name, o->name);
		if (o->letter)
			printf("|%s:-%c", command->name, o->letter);
		if (completion_is_path(o->value)) {
			printf(") _syrinx_files -%c; return ;;\n",
			       strcmp(o->value, "DIR") == 0 ? 'd' : 'f');
		} else if (words.count > 0) {
			printf(") COMPREPLY=($(compgen -W \"");
			completion_print_words(&words);
			printf("\" -- \"$cur\")); return ;;\n");
		} else {
			printf(") return ;;\n");
		}
	}
}

static void completion_bash(void)
{
	printf("# Completion of syrinx for bash; to load it: source <(syrinx "
	       "completion bash)\n"
	       "_syrinx_files() { # names may contain spaces\n"
	       "\tcompopt -o filenames\n"
	       "\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
	       "}\n"
	       "_syrinx() {\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	       "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tlocal command=${COMP_WORDS[1]}\n"
	       "\tCOMPREPLY=()\n"
	       "\tif ((COMP_CWORD == 1)); then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"");
	for (size_t i = 0; command_table[i]; ++i)
		printf("%s ", command_table[i]->name);
	printf("--help --version\" -- \"$cur\"))\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcase $command:$prev in\n");
	for (size_t i = 0; command_table[i]; ++i)
		completion_bash_values(command_table[i]);
	printf("\tesac\n"
	       "\tlocal options= words=\n"
	       "\tcase $command in\n");
	for (size_t i = 0; command_table[i]; ++i) {
		struct completion_words words;

		completion_find_operands(&words, command_table[i]);
		printf("\t%s) options=\"", command_table[i]->name);
		completion_print_option_names(command_table[i]);
		printf("\" words=\"");
		completion_print_words(&words);
		printf("\" ;;\n");
	}
	printf("\tesac\n"
	       "\tif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	       "\telif ((COMP_CWORD == 2)) && [[ $words ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	       "\telif [[ $command == voices && ${COMP_WORDS[2]} == add ]]; then\n"
	       "\t\t_syrinx_files -f\n"
	       "\tfi\n"
	       "}\n"
	       "complete -F _syrinx syrinx\n");
}

/* zsh and fish show descriptions of options, in shell quotes. */

static void completion_print_quoted(const char *text, const char *also)
{
	for (; *text; ++text) {
		if (*text == '\'')
			printf("'\\''");
		else if (strchr(also, *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void completion_zsh_option(const struct command_option *option)
{
	struct completion_words words;

	completion_find_words(&words, option->value);
	printf(" \\\n\t\t\t'--%s[", option->name);
	completion_print_quoted(option->text, "[]:\\");
	printf("]");
	if (option->value && completion_is_path(option->value)) {
		printf(":%s:_files%s", option->value[0] == 'D' ? "directory" : "file",
		       option->value[0] == 'D' ? " -/" : "");
	} else if (words.count > 0) {
		printf(":value:(");
		completion_print_words(&words);
		printf(")");
	} else if (option->value) {
		printf(":value: ");
	}
	printf("'");
}

static void completion_zsh(void)
{
	printf("#compdef syrinx\n"
	       "# Completion of syrinx for zsh; to load it: source <(syrinx completion zsh)\n"
	       "_syrinx() {\n"
	       "\tlocal -a commands=(\n");
	for (size_t i = 0; command_table[i]; ++i) {
		printf("\t\t'%s:", command_table[i]->name);
		completion_print_quoted(command_table[i]->summary, ":\\");
		printf("'\n");
	}
	printf("\t)\n"
	       "\tif ((CURRENT == 2)); then\n"
	       "\t\t_describe command commands\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tlocal command=$words[2]\n"
	       "\tshift words\n"
	       "\t((CURRENT--))\n"
	       "\tcase $command in\n");
	for (size_t i = 0; command_table[i]; ++i) {
		struct completion_words words;

		completion_find_operands(&words, command_table[i]);
		printf("\t%s)\n\t\t_arguments", command_table[i]->name);
		for (const struct command_option *o = command_table[i]->options; o->name; ++o)
			completion_zsh_option(o);
		if (words.count > 0) {
			printf(" \\\n\t\t\t'1:what:(");
			completion_print_words(&words);
			printf(")'");
		}
		printf(" \\\n\t\t\t'*:file:_files'\n\t\t;;\n");
	}
	printf("\tesac\n"
	       "}\n"
	       "if [[ $funcstack[1] == _syrinx ]]; then\n"
	       "\t_syrinx \"$@\"\n"
	       "else\n"
	       "\tcompdef _syrinx syrinx\n"
	       "fi\n");
}

static void completion_fish_option(const struct command *command,
				   const struct command_option *option)
{
	struct completion_words words;

	completion_find_words(&words, option->value);
	printf("complete -c syrinx -n '__fish_seen_subcommand_from %s' -l %s", command->name,
	       option->name);
	if (option->letter)
		printf(" -s %c", option->letter);
	if (completion_is_path(option->value)) {
		printf(" -rF");
	} else if (words.count > 0) {
		printf(" -xa '");
		completion_print_words(&words);
		printf("'");
	} else if (option->value) {
		printf(" -x");
	}
	printf(" -d '");
	completion_print_quoted(option->text, "\\");
	printf("'\n");
}

static void completion_fish(void)
{
	printf("# Completion of syrinx for fish; to load it: syrinx completion fish | source\n"
	       "complete -c syrinx -f\n");
	for (size_t i = 0; command_table[i]; ++i) {
		printf("complete -c syrinx -n __fish_use_subcommand -a %s -d '",
		       command_table[i]->name);
		completion_print_quoted(command_table[i]->summary, "\\");
		printf("'\n");
	}
	for (size_t i = 0; command_table[i]; ++i) {
		const struct command *command = command_table[i];
		struct completion_words words;

		completion_find_operands(&words, command);
		if (words.count > 0) {
			printf("complete -c syrinx -n '__fish_seen_subcommand_from %s' -a '",
			       command->name);
			completion_print_words(&words);
			printf("'\n");
		}
		for (const struct command_option *o = command->options; o->name; ++o)
			completion_fish_option(command, o);
	}
}

static int completion_run(const struct command_call *call)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

	for (size_t i = 0; i < COUNT(shells); ++i) {
		if (strcmp(shells[i].name, call->operands[0]) == 0) {
			shells[i].print();
			return COMMAND_OK;
		}
	}
	return command_usage_error(call->command, "the shell must be bash, zsh or fish, not \"%s\"",
				   call->operands[0]);
}

static const struct command_option completion_options[] = {{0}};

const struct command command_completion = {
	.name = "completion",
	.operands = "bash|zsh|fish",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Print a shell script that completes commands and options.",
	.options = completion_options,
	.run = completion_run,
	.examples = "  source <(syrinx completion bash)\n"
		    "  syrinx completion fish > ~/.config/fish/completions/syrinx.fish\n",
};
