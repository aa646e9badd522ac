/* A folder's changes are told once they have settled, whatever becomes of the
 * folder itself. */
#include <fcntl.h>
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

#include "base/mem.h"
#include "loop/folder.h"

#define SETTLE_MS 50
#define LIMIT_US 60000000

struct scene {
	struct loop *loop;
	struct folder *folder;
	struct timer limit;
	char path[64];
	unsigned told;
	unsigned asks_again; /* so many times */
	bool timed_out;
};

static void on_changed(void *arg)
{
	struct scene *scene = arg;

	++scene->told;
	if (scene->asks_again > 0) {
		--scene->asks_again;
		folder_ask_again(scene->folder);
		return;
	}
	loop_stop(scene->loop);
}

static void on_limit(void *arg)
{
	struct scene *scene = arg;

	scene->timed_out = true;
	loop_stop(scene->loop);
}

static void run_for(struct scene *scene, unsigned us)
{
	scene->timed_out = false;
	timer_set(&scene->loop->timers, &scene->limit, us, on_limit, scene);
	loop_run(scene->loop);
	timer_clear(&scene->loop->timers, &scene->limit);
}

static void open_scene(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	strcpy(scene->path, "/tmp/syrinx-folder-XXXXXX");
	assert_non_null(mkdtemp(scene->path));
	assert_int_equal(loop_alloc(&scene->loop), 0);
	assert_int_equal(
		folder_open(&scene->folder, scene->loop, scene->path, SETTLE_MS, on_changed, scene),
		0);
}

static void close_scene(struct scene *scene)
{
	folder_close(scene->folder);
	mem_deref(scene->loop);
	rmdir(scene->path);
	assert_int_equal(mem_live(), 0);
}

static void path_of(char path[96], const struct scene *scene, const char *name)
{
	snprintf(path, 96, "%s/%s", scene->path, name);
}

static void write_file(const struct scene *scene, const char *name)
{
	char path[96];
	int fd;

	path_of(path, scene, name);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static void remove_file(const struct scene *scene, const char *name)
{
	char path[96];

	path_of(path, scene, name);
	assert_int_equal(unlink(path), 0);
}

static void assert_told_once(struct scene *scene)
{
	unsigned before = scene->told;

	run_for(scene, LIMIT_US);
	assert_false(scene->timed_out);
	run_for(scene, 3 * SETTLE_MS * 1000);
	assert_int_equal(scene->told, before + 1);
}

static void test_many_changes_are_told_once(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene);
	write_file(&scene, "a.onnx");
	write_file(&scene, "a.onnx");
	write_file(&scene, "a.onnx.json");
	assert_told_once(&scene);
	write_file(&scene, "a.onnx"); /* longer now, by no other name */
	assert_told_once(&scene);
	remove_file(&scene, "a.onnx");
	remove_file(&scene, "a.onnx.json");
	assert_told_once(&scene);
	close_scene(&scene);
}

static void test_what_is_not_finished_does_not_count(void **state)
{
	struct scene scene;
	char from[96], to[96];

	(void)state;
	open_scene(&scene);
	write_file(&scene, "a.onnx.part");
	write_file(&scene, ".lock");
	run_for(&scene, 4 * SETTLE_MS * 1000);
	assert_int_equal(scene.told, 0);
	path_of(from, &scene, "a.onnx.part");
	path_of(to, &scene, "a.onnx");
	assert_int_equal(rename(from, to), 0);
	assert_told_once(&scene);
	remove_file(&scene, "a.onnx");
	remove_file(&scene, ".lock");
	close_scene(&scene);
}

static void test_a_folder_that_goes_and_comes_back_is_watched(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene);
	assert_int_equal(rmdir(scene.path), 0);
	run_for(&scene, LIMIT_US);
	assert_int_equal(scene.told, 1);
	assert_int_equal(mkdir(scene.path, 0700), 0);
	run_for(&scene, LIMIT_US);
	assert_int_equal(scene.told, 2);
	write_file(&scene, "a.onnx");
	run_for(&scene, LIMIT_US);
	assert_int_equal(scene.told, 3);
	assert_false(scene.timed_out);
	remove_file(&scene, "a.onnx");
	close_scene(&scene);
}

static void test_who_asks_again_is_told_without_a_change(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene);
	scene.asks_again = 3;
	write_file(&scene, "one");
	run_for(&scene, LIMIT_US);
	assert_false(scene.timed_out);
	assert_int_equal(scene.told, 4);
	remove_file(&scene, "one");
	close_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_changes_are_told_once),
		cmocka_unit_test(test_what_is_not_finished_does_not_count),
		cmocka_unit_test(test_who_asks_again_is_told_without_a_change),
		cmocka_unit_test(test_a_folder_that_goes_and_comes_back_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
