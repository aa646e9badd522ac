/* A file that cannot be read, written or believed: a clear error, nothing half-written. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sqlite_place.h"

#define NOBODY 65534

static void test_a_file_that_is_no_database_is_refused(void **state)
{
	static const char text[] = "This is a letter, and a long one at that: not a database.";
	const struct sqlite_place *place = *state;
	struct store *store = NULL;
	int fd = open(place->path, O_WRONLY | O_CREAT, 0600);

	for (int i = 0; i < 40; ++i)
		assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	close(fd);
	assert_int_equal(store_open(&store, place->address), EBADMSG);
	assert_null(store);
}

static void test_a_missing_directory_is_told(void **state)
{
	const struct sqlite_place *place = *state;
	char address[96];
	struct store *store;

	assert_int_equal(store_open(&store, "sqlite:/nonexistent/dir/test.db"), ENOENT);
	snprintf(address, sizeof(address), "sqlite:%s", place->dir);
	assert_int_not_equal(store_open(&store, address), 0);
}

/* root may write anything: be someone else for a moment. */
static int open_as_nobody(struct store **storep, const char *address)
{
	int err;

	if (geteuid() == 0)
		assert_int_equal(seteuid(NOBODY), 0);
	err = store_open(storep, address);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	return err;
}

static void test_a_file_that_cannot_be_written_is_told(void **state)
{
	const struct sqlite_place *place = *state;
	struct store *store = sqlite_place_open(place);

	mem_deref(store);
	assert_int_equal(chmod(place->path, 0444), 0);
	assert_int_equal(chmod(place->dir, 0755), 0);
	assert_int_equal(open_as_nobody(&store, place->address), EROFS);
}

static void test_a_directory_that_cannot_be_written_is_told(void **state)
{
	const struct sqlite_place *place = *state;
	struct store *store = sqlite_place_open(place);

	mem_deref(store);
	assert_int_equal(chmod(place->path, 0666), 0);
	assert_int_equal(chmod(place->dir, 0555), 0);
	assert_int_equal(open_as_nobody(&store, place->address), EROFS);
	assert_int_equal(chmod(place->dir, 0755), 0);
}

static bool no_key(const struct store_key *key, void *arg)
{
	(void)key;
	(void)arg;
	return true;
}

static void test_rows_spoilt_by_hand_are_told(void **state)
{
	struct store *store = sqlite_place_open(*state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);

	sqlite_place_execute(*state, "UPDATE key SET hash = x'00'");
	assert_int_equal(store->ops->key_find(store, &key, "ka_abcde"), EBADMSG);
	assert_int_equal(store->ops->key_list(store, no_key, NULL), EBADMSG);
	sqlite_place_execute(*state, "UPDATE account SET plan = printf('%.100c', 'x')");
	assert_int_equal(
		store->ops->account_get(store, &(struct store_account){0}, STORE_ACCOUNT_DEFAULT),
		EBADMSG);
	mem_deref(store);
}

/* In one batch. */
static int book_numbered(struct store *store, size_t from, size_t count)
{
	struct store_turn *turns = calloc(count, sizeof(*turns));
	int *errs = calloc(count, sizeof(*errs));
	int err;

	assert_true(turns && errs);
	for (size_t i = 0; i < count; ++i) {
		char id[16];

		snprintf(id, sizeof(id), "t%05d", (int)(from + i));
		turns[i] = rows_turn(id, 0);
	}
	err = store->ops->turns_add(store, turns, count, errs);
	free(turns);
	free(errs);
	return err;
}

static void overwrite(const char *path, off_t at, size_t len)
{
	int fd = open(path, O_WRONLY);
	char *bytes = malloc(len);

	assert_true(fd >= 0 && bytes);
	memset(bytes, 0xa5, len);
	assert_int_equal(pwrite(fd, bytes, len, at), len);
	free(bytes);
	close(fd);
}

static bool ignore_turn(const struct store_turn *turn, void *arg)
{
	(void)turn;
	(void)arg;
	return true;
}

/* A file with turns, all of it in its place. */
static off_t make_file_with_turns(const struct sqlite_place *place)
{
	struct store *store = sqlite_place_open(place);
	struct stat st;

	assert_int_equal(book_numbered(store, 0, 3000), 0);
	mem_deref(store);
	assert_int_equal(stat(place->path, &st), 0);
	return st.st_size;
}

static void test_damaged_rows_are_told_and_not_written_to(void **state)
{
	const struct sqlite_place *place = *state;
	off_t size = make_file_with_turns(place);
	struct store_turn turn = rows_turn("t02999x", 0);
	struct store *store;
	struct stat after;
	int err;

	/* Where the tables grew last, there are rows and their index alone. */
	overwrite(place->path, size - size / 4, (size_t)(size / 4));
	store = sqlite_place_open(place);
	assert_int_equal(store->ops->turn_list(store, ignore_turn, NULL), EBADMSG);
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), EBADMSG);
	mem_deref(store);
	assert_int_equal(stat(place->path, &after), 0);
	assert_int_equal(after.st_size, size);
}

static void test_a_damaged_schema_is_told(void **state)
{
	const struct sqlite_place *place = *state;
	struct store *store = NULL;

	make_file_with_turns(place);
	overwrite(place->path, 100, 4000); /* behind the header */
	assert_int_equal(store_open(&store, place->address), EBADMSG);
	assert_null(store);
}

static void test_a_file_that_was_cut_off_is_told(void **state)
{
	const struct sqlite_place *place = *state;
	struct store *store = NULL;
	int err;

	assert_int_equal(truncate(place->path, make_file_with_turns(place) / 3), 0);
	err = store_open(&store, place->address);
	if (!err)
		err = store->ops->turn_list(store, ignore_turn, NULL);
	assert_int_equal(err, EBADMSG);
	mem_deref(store);
}

/* A full disk: a small file system of its own where we may mount one, else a limit of
 * how long a file may be. */
static bool is_mounted;

static void fill_disk(void)
{
	/* Before the log is written back into the file, which is at some 4 MB. */
	const struct rlimit limit = {1 << 20, RLIM_INFINITY};

	if (is_mounted)
		return; /* it is small enough */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void empty_disk(const struct sqlite_place *place)
{
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

	if (is_mounted)
		assert_int_equal(mount("none", place->dir, NULL, MS_REMOUNT, "size=8m"), 0);
	else
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
}

static int make_small_disk(void **state)
{
	struct sqlite_place *place;
	int err = sqlite_place_make(state);

	place = *state;
	is_mounted = mount("none", place->dir, "tmpfs", 0, "size=512k") == 0;
	if (!is_mounted)
		printf("no file system can be mounted here (%s): files are limited instead\n",
		       strerror(errno));
	return err;
}

static int remove_small_disk(void **state)
{
	struct sqlite_place *place = *state;

	if (is_mounted)
		assert_int_equal(umount2(place->dir, MNT_DETACH), 0);
	return sqlite_place_remove(state);
}

#define MUCH 20000

static void test_a_full_disk_is_told_and_all_that_was_booked_is_there(void **state)
{
	const struct sqlite_place *place = *state;
	struct store *store = sqlite_place_open(place);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	size_t booked = 0;
	int64_t wrong = -1;
	int err = 0;

	fill_disk();
	while (!err && booked < MUCH) {
		struct store_turn turn;
		char id[16];
		int row_err;

		snprintf(id, sizeof(id), "t%05d", (int)booked);
		turn = rows_turn(id, key.id);
		err = store->ops->turns_add(store, &turn, 1, &row_err);
		booked += !err;
	}
	/* Of a limit SQLite does not always know that it was one. */
	assert_true(err == ENOSPC || (!is_mounted && err == EIO));
	assert_true(booked > 0);
	assert_int_equal(rows_count_turns(store), booked);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	empty_disk(place);
	assert_int_equal(book_numbered(store, booked, 10), 0); /* there is room again */
	assert_int_equal(rows_count_turns(store), booked + 10);
	mem_deref(store);
	assert_int_equal(sqlite_place_number(place, "SELECT integrity_check = 'ok' FROM"
						    " pragma_integrity_check"),
			 1);
}

static void test_a_store_cannot_be_made_on_a_full_disk(void **state)
{
	const struct sqlite_place *place = *state;
	const struct rlimit tiny = {20000, RLIM_INFINITY};
	struct store *store = NULL;
	char filler[80];
	int fd;

	snprintf(filler, sizeof(filler), "%s/filler", place->dir);
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	signal(SIGXFSZ, SIG_IGN);
	if (is_mounted)
		assert_int_equal(posix_fallocate(fd, 0, 512 * 1024 - 40000), 0);
	else
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
	assert_int_equal(store_open(&store, place->address), ENOSPC);
	assert_null(store);
	empty_disk(place);
	close(fd);
	store = sqlite_place_open(place); /* what was begun is no hindrance */
	assert_int_equal(rows_count_turns(store), 0);
	mem_deref(store);
}

#define SMALL_DISK_TEST(test)                                                                      \
	cmocka_unit_test_setup_teardown(test, make_small_disk, remove_small_disk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SQLITE_PLACE_TEST(test_a_file_that_is_no_database_is_refused),
		SQLITE_PLACE_TEST(test_a_missing_directory_is_told),
		SQLITE_PLACE_TEST(test_a_file_that_cannot_be_written_is_told),
		SQLITE_PLACE_TEST(test_a_directory_that_cannot_be_written_is_told),
		SQLITE_PLACE_TEST(test_rows_spoilt_by_hand_are_told),
		SQLITE_PLACE_TEST(test_damaged_rows_are_told_and_not_written_to),
		SQLITE_PLACE_TEST(test_a_damaged_schema_is_told),
		SQLITE_PLACE_TEST(test_a_file_that_was_cut_off_is_told),
		SMALL_DISK_TEST(test_a_full_disk_is_told_and_all_that_was_booked_is_there),
		SMALL_DISK_TEST(test_a_store_cannot_be_made_on_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
