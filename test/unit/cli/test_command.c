/*
 * The command line: what a command receives, and the errors for a wrong call.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/command.h"
#include "cli/greeting.h"

static struct command_call seen;
static int64_t seen_number;
static char
	seen_secrets[3]
		    [64]; /* --key, --store and the first operand, as the command received them */
static char copy[256]; /* a copy of the command line, which the recorded values point into */
static size_t copy_len;

static int run_brew(const struct command_call *call)
{
	const char *const secrets[] = {command_value(call, "key"), command_value(call, "store"),
				       call->operands[0]};

	seen = *call;
	for (size_t i = 0; i < COUNT(secrets); ++i)
		snprintf(seen_secrets[i], sizeof(seen_secrets[i]), "%s",
			 secrets[i] ? secrets[i] : "");
	if (command_number(&seen_number, call, "cups", 1, 12, 4) != 0)
		return COMMAND_USAGE;
	return command_value(call, "fail") ? COMMAND_FAILED : COMMAND_OK;
}

static const struct command_option brew_options[] = {
	{"cups", 'c', "N", "how many"},
	{"milk", 0, "KIND", "which"},
	{"fail", 0, NULL, "spill it"},
	{"key", 0, "KEY", "of the cupboard"},
	{"store", 0, "ADDRESS", "where the tea is"},
	{"guest", 0, "NAME...", "who drinks it"},
	{0},
};

static const struct command brew = {
	.name = "brew",
	.operands = "LEAF [LEAF]",
	.operands_min = 1,
	.operands_max = 2,
	.summary = "Make tea.",
	.options = brew_options,
	.run = run_brew,
	.takes_keys = true,
	.notes = "Tea is best hot.\n",
	.examples = "  syrinx brew assam\n",
};

static int run_version(const struct command_call *call)
{
	seen = *call;
	return COMMAND_OK;
}

static const struct command_option no_options[] = {{0}};
static const struct command version = {
	.name = "version", .summary = "Say.", .options = no_options, .run = run_version};

const struct command *const command_table[] = {&brew, &version, NULL};

static char printed[2048]; /* the captured standard output and error */

/* Runs a command line and captures its output. */
static int run(const char *line)
{
	char *argv[16] = {(char[]){"syrinx"}};
	int argc = 1;
	int out = dup(1);
	int err = dup(2);
	FILE *file = tmpfile();
	int status;
	size_t n;

	assert_non_null(file);
	copy_len = (size_t)snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	memset(&seen, 0, sizeof(seen));
	fflush(stdout);
	dup2(fileno(file), 1);
	dup2(fileno(file), 2);
	status = command_main(argc, argv);
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	close(out);
	close(err);
	rewind(file);
	n = fread(printed, 1, sizeof(printed) - 1, file);
	printed[n] = '\0';
	fclose(file);
	return status;
}

static void assert_printed(const char *words)
{
	if (!strstr(printed, words))
		fail_msg("\"%s\" is not in: %s", words, printed);
}

static void test_options_are_read_in_every_usual_form(void **state)
{
	static const char *const forms[] = {"brew assam --cups 3", "brew --cups=3 assam",
					    "brew -c 3 assam",     "brew -c 3 -- assam",
					    "brew -c3 assam",      "brew -c=3 assam"};

	(void)state;
	for (size_t i = 0; i < COUNT(forms); ++i) {
		assert_int_equal(run(forms[i]), COMMAND_OK);
		assert_int_equal(seen_number, 3);
		assert_int_equal(seen.operand_count, 1);
		assert_string_equal(seen.operands[0], "assam");
	}
	assert_int_equal(run("brew assam"), COMMAND_OK);
	assert_int_equal(seen_number, 4);
}

static void test_text_that_looks_like_an_option_follows_two_dashes(void **state)
{
	(void)state;
	assert_int_equal(run("brew -- --fail -x"), COMMAND_OK);
	assert_int_equal(seen.operand_count, 2);
	assert_string_equal(seen.operands[0], "--fail");
	assert_string_equal(seen.operands[1], "-x");
}

/* What other users would see of the command line, with spaces between arguments. */
static const char *shown(void)
{
	static char text[sizeof(copy)];

	for (size_t i = 0; i < copy_len; ++i)
		text[i] = copy[i] ? copy[i] : ' ';
	text[copy_len] = '\0';
	return text;
}

static void test_an_option_with_dots_can_be_repeated(void **state)
{
	(void)state;
	assert_int_equal(run("brew assam --guest ann --cups 2 --guest=bob"), COMMAND_OK);
	assert_int_equal(seen.repeated_count, 2);
	assert_string_equal(seen.repeated[0], "ann");
	assert_string_equal(seen.repeated[1], "bob");
	assert_string_equal(command_value(&seen, "guest"), "bob");
	assert_int_equal(run("brew assam"), COMMAND_OK);
	assert_int_equal(seen.repeated_count, 0);
	assert_int_equal(run("brew assam --guest"), COMMAND_USAGE);
	assert_printed("--guest needs a value: NAME");
}

static void test_secrets_are_blanked_out_and_the_command_has_them(void **state)
{
	static const struct {
		const char *line, *key, *store, *operand, *shown;
	} cases[] = {
		{"brew --key ka_0123456789 assam", "ka_0123456789", "", "assam",
		 "brew --key               assam"},
		{"brew --key=ka_0123456789 assam", "ka_0123456789", "", "assam",
		 "brew --key=              assam"},
		{"brew assam --store postgresql://u:p@h/d", "", "postgresql://u:p@h/d", "assam",
		 "brew assam --store                     "},
		{"brew assam --store sqlite:/x", "", "sqlite:/x", "assam",
		 "brew assam --store sqlite:/x"},
		{"brew ka_0123456789", "", "", "ka_0123456789", "brew ka_01234     "},
		{"brew -- ka_0123456789", "", "", "ka_0123456789", "brew -- ka_01234     "},
		{"brew ka_01234 --milk ka_0123456789", "", "", "ka_01234",
		 "brew ka_01234 --milk ka_0123456789"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(run(cases[i].line), COMMAND_OK);
		assert_string_equal(seen_secrets[0], cases[i].key);
		assert_string_equal(seen_secrets[1], cases[i].store);
		assert_string_equal(seen_secrets[2], cases[i].operand);
		assert_string_equal(shown(), cases[i].shown);
	}
}

static void test_a_wrong_call_repeats_no_key(void **state)
{
	(void)state;
	assert_int_equal(run("brew assam --key=ka_0123456789 --key=ka_9876543210"), COMMAND_USAGE);
	assert_printed("--key was given twice");
	assert_null(strstr(printed, "ka_"));
	assert_int_equal(run("brew assam --keys=ka_0123456789"), COMMAND_USAGE);
	assert_printed("no such option: --keys");
	assert_null(strstr(printed, "ka_"));
}

static void test_the_status_is_the_commands(void **state)
{
	(void)state;
	assert_int_equal(run("brew --fail assam"), COMMAND_FAILED);
}

static void test_wrong_calls_give_2_and_one_line(void **state)
{
	static const struct {
		const char *line;
		const char *words;
	} bad[] = {
		{"brwe", "syrinx: no such command: brwe; did you mean brew? See: syrinx help\n"},
		{"coffee", "syrinx: no such command: coffee; see: syrinx help\n"},
		{"brew", "syrinx brew: LEAF [LEAF] is missing; see: syrinx help brew\n"},
		{"brew a b c", "unexpected argument \"c\""},
		{"brew a --sugar", "no such option: --sugar"},
		{"brew a --cup 3",
		 "no such option: --cup; did you mean --cups? See: syrinx help brew\n"},
		{"brew a -cups 3", "--cups must be a number from 1 to 12, not \"ups\""},
		{"brew a --sgar", "no such option: --sgar; see"},
		{"brew a -x", "no such option: -x"},
		{"brew a --cups", "--cups needs a value: N"},
		{"brew a --cups 13", "--cups must be a number from 1 to 12, not \"13\""},
		{"brew a --cups=3x", "not \"3x\""},
		{"brew a --fail=yes", "--fail takes no value"},
		{"brew a -c 1 --cups 2", "--cups was given twice"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		assert_int_equal(run(bad[i].line), COMMAND_USAGE);
		assert_printed(bad[i].words);
		assert_ptr_equal(strchr(printed, '\n'), printed + strlen(printed) - 1);
	}
}

static void test_help_shows_every_option(void **state)
{
	(void)state;
	assert_int_equal(run("brew --help"), COMMAND_OK);
	assert_printed("usage: syrinx brew [OPTION]... LEAF [LEAF]\n");
	assert_printed("  -c, --cups N              how many\n");
	assert_printed("  --fail                    spill it\n");
	assert_printed("spill it\n");
	assert_printed("\n\nTea is best hot.\n\nExamples:\n  syrinx brew assam\n");
	assert_null(seen.command);
}

static void test_without_a_command_the_help_is_printed(void **state)
{
	(void)state;
	assert_int_equal(run(""), COMMAND_OK);
	assert_printed("usage: syrinx COMMAND");
	assert_printed("  brew        Make tea.\n");
}

static void test_version_may_be_an_option(void **state)
{
	(void)state;
	assert_int_equal(run("--version"), COMMAND_OK);
	assert_ptr_equal(seen.command, &version);
	assert_int_equal(run("-V"), COMMAND_OK);
	assert_ptr_equal(seen.command, &version);
}

static void test_the_greeting_can_be_pasted(void **state)
{
	struct greeting greeting = {
		.address = "0.0.0.0:8080",
		.key = "ka_x",
		.program = "build/syrinx",
		.data_dir = "data",
	};
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(greeting_print(&out, &greeting), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_null(strstr(strstr(out.bytes, "ka_x") + 1, "ka_x")); /* the key is shown only once */
	--out.len;
	greeting.address = "[::]:443";
	greeting.tls = true;
	assert_int_equal(greeting_print(&out, &greeting), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_non_null(strstr(out.bytes,
			       "build/syrinx say \"Hello from Syrinx.\" "
			       "--server http://127.0.0.1:8080 --key-file data/local.key\n"));
	assert_non_null(
		strstr(out.bytes, "--server https://[::1]:443 --key-file data/local.key\n"));
	assert_non_null(strstr(out.bytes, "https://[::1]:443/#key=ka_x\n"));
	assert_non_null(strstr(out.bytes, "wss://[::1]:443/ws/tts/stream\n"));
	assert_non_null(strstr(out.bytes, "wss://[::1]:443/ws/tts/multi\n"));
	assert_non_null(strstr(out.bytes,
			       "build/syrinx talk --data data --server http://127.0.0.1:8080\n"));
	buf_reset(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_are_read_in_every_usual_form),
		cmocka_unit_test(test_text_that_looks_like_an_option_follows_two_dashes),
		cmocka_unit_test(test_an_option_with_dots_can_be_repeated),
		cmocka_unit_test(test_secrets_are_blanked_out_and_the_command_has_them),
		cmocka_unit_test(test_a_wrong_call_repeats_no_key),
		cmocka_unit_test(test_the_status_is_the_commands),
		cmocka_unit_test(test_wrong_calls_give_2_and_one_line),
		cmocka_unit_test(test_help_shows_every_option),
		cmocka_unit_test(test_without_a_command_the_help_is_printed),
		cmocka_unit_test(test_version_may_be_an_option),
		cmocka_unit_test(test_the_greeting_can_be_pasted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
