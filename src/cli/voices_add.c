/*
 * voices_add.c: `syrinx voices add`: installs a voice of the user's own, or Kokoro.
 *
 * A file is installed only after the engine has loaded it in a folder that contains nothing but
 * this model and the runtime library, so the engine's messages are about this file and can be
 * shown to the user.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/install_file.h"
#include "cli/local_speech.h"
#include "cli/runtime_package.h"
#include "cli/voices_packages.h"
#include "cli/voices_verbs.h"

#define MODEL_END ".onnx"
#define ENGINE "vits"
#define NAME_SIZE 256

struct addition {
	struct install_work work;
	const struct config *config;
	const char *path; /* the model file, as given by the user */
	const char *name; /* the file name without its directory */
};

/* The files that may belong to a model, in installation order. */
static const char *const companions[] = {".json"};

static int voices_add_refuse(struct addition *addition, const char *why)
{
	snprintf(addition->work.why, INSTALL_WHY_SIZE, "%.160s: %.300s", addition->name, why);
	return EINVAL;
}

/* Copies a file of the user's to the staging directory. */
static int voices_add_stage_file(struct addition *addition, const char *end)
{
	struct install_folder *folder = &addition->work.folder;
	char hash[INSTALL_FILE_HASH_LEN + 1];
	char name[NAME_SIZE], path[4096];
	struct install_piece piece = {.dir_fd = AT_FDCWD, .name = path};
	int err;

	snprintf(name, sizeof(name), "%s%s", addition->name, end);
	snprintf(path, sizeof(path), "%s%s", addition->path, end);
	err = install_file_copy(hash, folder->stage_fd, name, &piece);
	if (err == ENOENT) {
		snprintf(addition->work.why, INSTALL_WHY_SIZE,
			 "there is no %.300s; a Piper voice consists of a .onnx and a "
			 ".onnx.json file",
			 path);
		return err;
	}
	return err ? install_folder_failed(folder, name, err, addition->work.why) : 0;
}

/* Installs the runtime library; an existing one is kept, whatever its origin. */
static int voices_add_need_runtime(struct install_work *work)
{
	struct install_folder *folder = &work->folder;
	int err = 0;

	if (faccessat(folder->dir_fd, RUNTIME_PACKAGE_FILE, R_OK, 0) != 0)
		err = install_work_install(work, runtime_package_find());
	if (!err &&
	    symlinkat("../" RUNTIME_PACKAGE_FILE, folder->stage_fd, RUNTIME_PACKAGE_FILE) != 0)
		err = install_folder_failed(folder, RUNTIME_PACKAGE_FILE, errno, work->why);
	return err;
}

static int voices_add_check_name(struct addition *addition)
{
	const struct install_folder *folder = &addition->work.folder;
	size_t len = strlen(addition->name), end_len = strlen(MODEL_END);

	if (len <= end_len || strcmp(addition->name + len - end_len, MODEL_END) != 0 ||
	    len >= NAME_SIZE - 8)
		return voices_add_refuse(addition, "the name of a model file must end with .onnx");
	if (faccessat(folder->dir_fd, addition->name, F_OK, 0) != 0)
		return 0;
	return voices_add_refuse(
		addition, "a voice with this name is already installed; see: syrinx voices remove");
}

/* Checks what the engine reports about the only model in its folder. */
static int voices_add_check_result(struct addition *addition, const struct pool *pool)
{
	const struct voices *voices = pool_voices(pool);
	struct pool_note note;
	size_t count = 0;

	for (size_t i = 0; pool_note_at(&note, pool, i) == 0; ++i)
		if (strcmp(note.engine, ENGINE) == 0)
			return voices_add_refuse(addition, note.text);
	for (size_t i = 0; i < voices_count(voices); ++i)
		count += strcmp(voices_at(voices, i)->engine, ENGINE) == 0;
	/* An engine that rejects a model reports why, so without a report it has crashed. */
	return count > 0
		       ? 0
		       : voices_add_refuse(
				 addition,
				 "the engine crashes when it loads the model, which may be damaged or "
				 "need more than neural_memory_mb");
}

static int voices_add_test_model(struct addition *addition)
{
	static struct config config; /* large; a copy with another voices folder */
	struct local_speech speech = {0};
	char engine[2 * PARAM_STRING_SIZE];
	int err;

	config = *addition->config;
	snprintf(engine, sizeof(engine), "%s/syrinx-" ENGINE, config.engines_dir);
	if (access(engine, X_OK) != 0)
		return voices_add_refuse(addition,
					 "there is no syrinx-" ENGINE " to test the model with");
	if (snprintf(config.voices_dir, sizeof(config.voices_dir), "%s/" INSTALL_FOLDER_STAGE,
		     addition->work.folder.path) >= (int)sizeof(config.voices_dir))
		return voices_add_refuse(addition, "the path of the voices folder is too long");
	progress_step(&addition->work.progress, "testing %s", addition->name);
	log_set_level(LOG_ERROR);
	err = local_speech_open(&speech, &config);
	if (err)
		return voices_add_refuse(addition, "the engine did not start");
	err = voices_add_check_result(addition, speech.pool);
	local_speech_close(&speech);
	return err;
}

static int voices_add_place(struct addition *addition)
{
	struct install_work *work = &addition->work;
	char name[NAME_SIZE];
	int err = 0;

	for (size_t i = 0; i < COUNT(companions) && !err; ++i) {
		snprintf(name, sizeof(name), "%s%s", addition->name, companions[i]);
		err = install_folder_place(&work->folder, name, work->why);
	}
	return err ? err : install_folder_place(&work->folder, addition->name, work->why);
}

static int voices_add_file(struct addition *addition)
{
	int err = voices_add_check_name(addition);

	/* The model comes first, so that a missing file is reported by the name that the user
	 * gave. */
	if (!err)
		err = voices_add_stage_file(addition, "");
	for (size_t i = 0; i < COUNT(companions) && !err; ++i)
		err = voices_add_stage_file(addition, companions[i]);
	if (!err)
		err = voices_add_need_runtime(&addition->work);
	if (!err)
		err = voices_add_test_model(addition);
	return err ? err : voices_add_place(addition);
}

int voices_verb_add(const struct command_call *call, const struct config *config)
{
	struct addition addition = {.config = config, .path = call->operands[1]};
	const char *slash;
	int err;

	if (call->operand_count != 2)
		return command_usage_error(call->command, "add needs FILE.onnx or kokoro");
	slash = strrchr(addition.path, '/');
	addition.name = slash ? slash + 1 : addition.path;
	err = voices_work_open(&addition.work, call, config);
	if (!err && strcmp(addition.path, "kokoro") == 0) {
		err = install_work_install(&addition.work, runtime_package_find());
		if (!err)
			err = install_work_install(&addition.work, &voices_package_kokoro);
	} else if (!err) {
		err = voices_add_file(&addition);
	}
	if (!err)
		progress_step(&addition.work.progress, "added %s; see: syrinx voices",
			      addition.name);
	return install_work_close(&addition.work, err);
}
