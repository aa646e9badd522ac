/*
 * Keys are created, listed and revoked from the command line, and the local key is restored
 * whatever was lost.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/local_key.h"

const struct command *const command_table[] = {&command_key, &command_check, &command_help,
					       &command_version, NULL};

static char dir[64];
static char path[128];
static char printed[8192];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/key.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/local.key", dir);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Runs "syrinx WORDS" with DIR as the data directory, and keeps its standard output. */
static int run(const char *words)
{
	char line[256];
	char *argv[16] = {(char[]){"syrinx"}};
	FILE *file = tmpfile();
	int argc = 1;
	int out = dup(1);
	int status;
	size_t n;

	assert_non_null(file);
	snprintf(line, sizeof(line), "%s", words);
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "DIR") == 0 ? dir : word;
	fflush(stdout);
	dup2(fileno(file), 1);
	status = command_main(argc, argv);
	fflush(stdout);
	dup2(out, 1);
	close(out);
	rewind(file);
	n = fread(printed, 1, sizeof(printed) - 1, file);
	printed[n] = '\0';
	fclose(file);
	return status;
}

static struct store *open_store(void)
{
	char address[128];
	struct store *store;

	snprintf(address, sizeof(address), "sqlite:%s/syrinx.db", dir);
	assert_int_equal(store_open(&store, address), 0);
	return store;
}

static int ensure(char text[API_KEY_LEN + 1])
{
	struct store *store = open_store();
	int err = local_key_ensure(text, store, dir);

	mem_deref(store);
	return err;
}

/* Finds the row of a key by its text, as the server does. */
static int find(struct store_key *key, const char *text)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1] = "";
	struct store *store = open_store();
	int err;

	memcpy(prefix, text, STORE_KEY_PREFIX_LEN);
	err = store->ops->key_find(store, key, prefix);
	mem_deref(store);
	return err;
}

static void test_create_prints_the_key_alone(void **state)
{
	struct store_key key;

	(void)state;
	assert_int_equal(run("key create --create --data DIR --name phone --credit-cents 250 "
			     "--connections 3"),
			 0);
	assert_int_equal(strlen(printed), API_KEY_LEN + 1);
	assert_int_equal(strncmp(printed, "ka_", 3), 0);
	assert_int_equal(printed[API_KEY_LEN], '\n');
	assert_int_equal(find(&key, printed), 0);
	assert_string_equal(key.name, "phone");
	assert_int_equal(key.credit_cents, 250);
	assert_int_equal(key.limits.connections, 3);
}

static void test_streams_are_connections(void **state)
{
	struct store_key key;

	(void)state;
	assert_int_equal(run("key create --create --data DIR --streams 7"), 0);
	assert_int_equal(find(&key, printed), 0);
	assert_int_equal(key.limits.connections, 7);
	assert_int_equal(run("key create --data DIR --streams 0"), COMMAND_USAGE);
	assert_int_equal(run("key create --data DIR --streams 1 --connections 1"), COMMAND_USAGE);
}

static void test_a_key_has_no_limits_unless_given(void **state)
{
	struct store_key key;

	(void)state;
	assert_int_equal(run("key create --create --data DIR"), 0);
	assert_int_equal(find(&key, printed), 0);
	assert_int_equal(key.credit_cents, -1);
	assert_true(key.limits.connections < 0);
	assert_true(key.created_ms > 0);
}

static void test_a_key_may_do_what_it_was_made_for(void **state)
{
	struct store_key key;

	(void)state;
	assert_int_equal(run("key create --create --data DIR"), 0);
	assert_int_equal(find(&key, printed), 0);
	assert_int_equal(key.scopes, STORE_SCOPES_USUAL);
	assert_int_equal(key.project_id, STORE_PROJECT_DEFAULT);
	assert_int_equal(run("key create --data DIR --name words --scopes dictionaries,speak"), 0);
	assert_int_equal(find(&key, printed), 0);
	assert_int_equal(key.scopes, STORE_SCOPE_SPEAK | STORE_SCOPE_DICTIONARIES);
	assert_int_equal(run("key create --data DIR --name all --scopes "
			     "speak,read,dictionaries,admin"),
			 0);
	assert_int_equal(run("key list --data DIR"), 0);
	assert_non_null(strstr(printed, "  speak,read,dictionaries,voices  "));
	assert_non_null(strstr(printed, "  speak,dictionaries              -       words\n"));
	assert_non_null(strstr(printed, "  speak,read,dictionaries,admin   -       all\n"));
}

static void test_the_data_directory_is_made_for_its_owner_alone(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(run("key create --create --data DIR"), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void test_a_directory_that_is_not_there_has_no_list_of_keys(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(run("key list --data DIR"), COMMAND_FAILED);
	assert_int_not_equal(stat(dir, &st), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
}

static void test_list_shows_names_and_states_but_no_key(void **state)
{
	char text[API_KEY_LEN + 1];
	char prefix[STORE_KEY_PREFIX_LEN + 1] = "";
	char command[64];

	(void)state;
	assert_int_equal(run("key create --create --data DIR --name kiosk"), 0);
	memcpy(text, printed, API_KEY_LEN);
	text[API_KEY_LEN] = '\0';
	memcpy(prefix, text, STORE_KEY_PREFIX_LEN);
	assert_int_equal(run("key list --data DIR"), 0);
	assert_non_null(strstr(printed, prefix));
	assert_non_null(strstr(printed, "active"));
	assert_non_null(strstr(printed, "kiosk\n"));
	assert_null(strstr(printed, text));
	snprintf(command, sizeof(command), "key revoke --data DIR %s", prefix);
	assert_int_equal(run(command), 0);
	assert_int_equal(run("key list --data DIR"), 0);
	assert_non_null(strstr(printed, "revoked"));
	assert_null(strstr(printed, "active"));
}

static void test_wrong_calls_change_nothing(void **state)
{
	(void)state;
	mem_deref(open_store());
	assert_int_equal(run("key"), COMMAND_USAGE);
	assert_int_equal(run("key destroy --data DIR"), COMMAND_USAGE);
	assert_int_equal(run("key revoke --data DIR"), COMMAND_USAGE);
	assert_int_equal(run("key revoke --data DIR ka_"), COMMAND_USAGE);
	assert_int_equal(run("key revoke --data DIR ka_absent"), COMMAND_FAILED);
	assert_int_equal(run("key create --data DIR --credit-cents -1"), COMMAND_USAGE);
	assert_int_equal(run("key create --data DIR --connections 0"), COMMAND_USAGE);
	assert_int_equal(run("key create --data DIR --scopes talk"), COMMAND_USAGE);
	assert_int_equal(run("key create --data DIR --scopes speak,"), COMMAND_USAGE);
	assert_int_equal(run("key create --data DIR --scopes Speak"), COMMAND_USAGE);
	assert_string_equal(printed, "");
	assert_int_equal(run("key list --data DIR"), 0);
	assert_null(strstr(printed, "ka_"));
}

static void test_the_local_key_is_made_once(void **state)
{
	char first[API_KEY_LEN + 1];
	char second[API_KEY_LEN + 1];
	struct store_key key;
	struct stat st;

	(void)state;
	assert_int_equal(ensure(first), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(find(&key, first), 0);
	assert_int_equal(ensure(second), 0);
	assert_string_equal(first, second);
}

/* The row that is added from the file is the same as the original one. */
static void test_the_local_key_survives_the_loss_of_the_store(void **state)
{
	char first[API_KEY_LEN + 1];
	char second[API_KEY_LEN + 1];
	char command[128];
	struct store_key before;
	struct store_key after;

	(void)state;
	assert_int_equal(ensure(first), 0);
	assert_int_equal(find(&before, first), 0);
	snprintf(command, sizeof(command), "rm -f %s/syrinx.db*", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(ensure(second), 0);
	assert_string_equal(first, second);
	assert_int_equal(find(&after, second), 0);
	assert_memory_equal(before.hash, after.hash, sizeof(before.hash));
	assert_string_equal(before.name, after.name);
	assert_int_equal(after.credit_cents, -1);
}

static void test_the_local_key_may_do_all(void **state)
{
	const unsigned all = STORE_SCOPES_USUAL | STORE_SCOPE_ADMIN;
	char text[API_KEY_LEN + 1];
	char prefix[STORE_KEY_PREFIX_LEN + 1] = "";
	struct store_key key;
	struct store *store;

	(void)state;
	assert_int_equal(ensure(text), 0);
	assert_int_equal(find(&key, text), 0);
	assert_int_equal(key.scopes, all);
	memcpy(prefix, text, STORE_KEY_PREFIX_LEN);
	store = open_store(); /* as an older program would have created it */
	key.scopes = STORE_SCOPES_USUAL;
	assert_int_equal(store->ops->key_change(store, prefix, STORE_KEY_SCOPES, &key), 0);
	mem_deref(store);
	assert_int_equal(ensure(text), 0);
	assert_int_equal(find(&key, text), 0);
	assert_int_equal(key.scopes, all);
}

static void test_a_lost_local_key_is_replaced(void **state)
{
	char first[API_KEY_LEN + 1];
	char second[API_KEY_LEN + 1];
	struct store_key key;

	(void)state;
	assert_int_equal(ensure(first), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ensure(second), 0);
	assert_string_not_equal(first, second);
	assert_int_equal(find(&key, second), 0);
}

static void test_a_file_without_a_key_is_replaced(void **state)
{
	static const char *const texts[] = {"", "hello\n", "ka_short\n",
					    "ka_000000000000000000000000000000000000000/\n",
					    "ka_00000000000000000000000000000000000000000\n"};
	char text[API_KEY_LEN + 1];
	struct store_key key;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fputs(texts[i], file);
		fclose(file);
		assert_int_equal(local_key_read(text, dir), EINVAL);
		assert_int_equal(ensure(text), 0);
		assert_int_equal(find(&key, text), 0);
	}
}

static void test_a_revoked_local_key_is_replaced(void **state)
{
	char first[API_KEY_LEN + 1];
	char second[API_KEY_LEN + 1];
	char command[128];

	(void)state;
	assert_int_equal(ensure(first), 0);
	snprintf(command, sizeof(command), "key revoke --data DIR %s", first);
	assert_int_equal(run(command), 0);
	assert_int_equal(ensure(second), 0);
	assert_string_not_equal(first, second);
}

static void test_a_local_key_open_to_others_is_closed(void **state)
{
	char text[API_KEY_LEN + 1];
	struct stat st;

	(void)state;
	assert_int_equal(ensure(text), 0);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(ensure(text), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_check_tells_good_from_bad(void **state)
{
	char file[128];
	char command[192];
	FILE *f;

	(void)state;
	/* A server needs an engine, and there is none next to this program. */
	snprintf(file, sizeof(file), "%s/syrinx-tone", dir);
	f = fopen(file, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(chmod(file, 0700), 0);
	setenv("SYRINX_SPEECH_ENGINES_DIR", dir, 1);
	assert_int_equal(run("check --data DIR"), COMMAND_OK);
	assert_non_null(strstr(printed, "the configuration is valid\n"));
	assert_int_equal(unlink(file), 0);
	assert_int_equal(run("check --data DIR"), COMMAND_FAILED);
	unsetenv("SYRINX_SPEECH_ENGINES_DIR");
	snprintf(file, sizeof(file), "%s/bad.conf", dir);
	f = fopen(file, "w");
	assert_non_null(f);
	fputs("[server]\nlisen = 1\n", f);
	fclose(f);
	snprintf(command, sizeof(command), "check --config %s", file);
	assert_int_equal(run(command), COMMAND_FAILED);
	assert_int_equal(run("check --sample"), COMMAND_OK);
	assert_non_null(strstr(printed, "#listen = 127.0.0.1:8080\n"));
}

static void test_help_knows_every_command(void **state)
{
	char command[64];

	(void)state;
	assert_int_equal(run("help"), COMMAND_OK);
	for (size_t i = 0; command_table[i]; ++i)
		assert_non_null(strstr(printed, command_table[i]->summary));
	for (size_t i = 0; command_table[i]; ++i) {
		snprintf(command, sizeof(command), "help %s", command_table[i]->name);
		assert_int_equal(run(command), COMMAND_OK);
		assert_non_null(strstr(printed, command_table[i]->summary));
	}
	assert_int_equal(run("help juggle"), COMMAND_USAGE);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(test_create_prints_the_key_alone),
		WITH_DIR(test_streams_are_connections),
		WITH_DIR(test_a_key_has_no_limits_unless_given),
		WITH_DIR(test_a_key_may_do_what_it_was_made_for),
		WITH_DIR(test_the_data_directory_is_made_for_its_owner_alone),
		WITH_DIR(test_a_directory_that_is_not_there_has_no_list_of_keys),
		WITH_DIR(test_list_shows_names_and_states_but_no_key),
		WITH_DIR(test_wrong_calls_change_nothing),
		WITH_DIR(test_the_local_key_is_made_once),
		WITH_DIR(test_the_local_key_survives_the_loss_of_the_store),
		WITH_DIR(test_the_local_key_may_do_all),
		WITH_DIR(test_a_lost_local_key_is_replaced),
		WITH_DIR(test_a_file_without_a_key_is_replaced),
		WITH_DIR(test_a_revoked_local_key_is_replaced),
		WITH_DIR(test_a_local_key_open_to_others_is_closed),
		WITH_DIR(test_check_tells_good_from_bad),
		WITH_DIR(test_help_knows_every_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
