/*
 * voices_add.c: `syrinx voices add`: a voice of the user's own, or Kokoro.
 *
 * A file becomes a voice only after the engine has loaded it, in a folder that
 * holds nothing but it and the runtime: what the engine has to say about it is
 * then about this file, and is what the user reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/local_speech.h"
#include "cli/voices_file.h"
#include "cli/voices_package.h"
#include "cli/voices_verbs.h"

#define MODEL_END ".onnx"
#define RUNTIME "libonnxruntime.so"
#define ENGINE "vits"
#define NAME_SIZE 256

struct addition {
	struct voices_work work;
	const char *path; /* the model, as the user gave it */
	const char *name; /* the last part of it */
};

/* The files that may belong to a model, put in place in this order. */
static const char *const companions[] = {".json"};

static int voices_add_refuse(struct addition *addition, const char *why)
{
	snprintf(addition->work.why, VOICES_WHY_SIZE, "%.160s: %.300s", addition->name, why);
	return EINVAL;
}

/* A file of the user's into the stage. */
static int voices_add_stage_file(struct addition *addition, const char *end)
{
	struct voices_folder *folder = &addition->work.folder;
	char hash[VOICES_FILE_HASH_LEN + 1];
	char name[NAME_SIZE], path[4096];
	struct voices_piece piece = {.dir_fd = AT_FDCWD, .name = path};
	int err;

	snprintf(name, sizeof(name), "%s%s", addition->name, end);
	snprintf(path, sizeof(path), "%s%s", addition->path, end);
	err = voices_file_copy(hash, folder->stage_fd, name, &piece);
	if (err == ENOENT) {
		snprintf(addition->work.why, VOICES_WHY_SIZE,
			 "there is no %.300s; a voice of Piper's is a file .onnx and a file "
			 ".onnx.json",
			 path);
		return err;
	}
	return err ? voices_folder_failed(folder, name, err, addition->work.why) : 0;
}

/* An existing one stays, whatever its origin. */
static int voices_add_need_runtime(struct voices_work *work)
{
	struct voices_folder *folder = &work->folder;
	int err = 0;

	if (faccessat(folder->dir_fd, RUNTIME, R_OK, 0) != 0)
		err = voices_work_install(work, voices_package_runtime());
	if (!err && symlinkat("../" RUNTIME, folder->stage_fd, RUNTIME) != 0)
		err = voices_folder_failed(folder, RUNTIME, errno, work->why);
	return err;
}

static int voices_add_check_name(struct addition *addition)
{
	const struct voices_folder *folder = &addition->work.folder;
	size_t len = strlen(addition->name), end_len = strlen(MODEL_END);

	if (len <= end_len || strcmp(addition->name + len - end_len, MODEL_END) != 0 ||
	    len >= NAME_SIZE - 8)
		return voices_add_refuse(addition, "the file of a model is called NAME.onnx");
	if (faccessat(folder->dir_fd, addition->name, F_OK, 0) != 0)
		return 0;
	return voices_add_refuse(addition,
				 "there is such a voice already; see: syrinx voices remove");
}

/* What the engine says of the only model in its folder. */
static int voices_add_judge(struct addition *addition, const struct pool *pool)
{
	const struct voices *voices = pool_voices(pool);
	struct pool_note note;
	size_t count = 0;

	for (size_t i = 0; pool_note_at(&note, pool, i) == 0; ++i)
		if (strcmp(note.engine, ENGINE) == 0)
			return voices_add_refuse(addition, note.text);
	for (size_t i = 0; i < voices_count(voices); ++i)
		count += strcmp(voices_at(voices, i)->engine, ENGINE) == 0;
	/* An engine that lives says why; this one did not live to. */
	return count > 0 ? 0
			 : voices_add_refuse(
				   addition,
				   "the engine ends without a word when it loads it; it may "
				   "be damaged, or want more than neural_memory_mb");
}

static int voices_add_try_out(struct addition *addition)
{
	static struct config config; /* large; ours with another folder */
	struct local_speech speech = {0};
	char engine[2 * PARAM_STRING_SIZE];
	int err;

	config = *addition->work.config;
	snprintf(engine, sizeof(engine), "%s/syrinx-" ENGINE, config.engines_dir);
	if (access(engine, X_OK) != 0)
		return voices_add_refuse(addition,
					 "there is no syrinx-" ENGINE " here to try it with");
	if (snprintf(config.voices_dir, sizeof(config.voices_dir), "%s/" VOICES_FOLDER_STAGE,
		     addition->work.folder.path) >= (int)sizeof(config.voices_dir))
		return voices_add_refuse(addition, "the path of the voices folder is too long");
	progress_step(&addition->work.progress, "trying %s", addition->name);
	log_set_level(LOG_ERROR);
	err = local_speech_open(&speech, &config);
	if (err)
		return voices_add_refuse(addition, "the engine did not start");
	err = voices_add_judge(addition, speech.pool);
	local_speech_close(&speech);
	return err;
}

static int voices_add_place(struct addition *addition)
{
	struct voices_work *work = &addition->work;
	char name[NAME_SIZE];
	int err = 0;

	for (size_t i = 0; i < COUNT(companions) && !err; ++i) {
		snprintf(name, sizeof(name), "%s%s", addition->name, companions[i]);
		err = voices_folder_place(&work->folder, name, work->why);
	}
	return err ? err : voices_folder_place(&work->folder, addition->name, work->why);
}

static int voices_add_file(struct addition *addition)
{
	int err = voices_add_check_name(addition);

	/* The model first: what the user named is what is missed first. */
	if (!err)
		err = voices_add_stage_file(addition, "");
	for (size_t i = 0; i < COUNT(companions) && !err; ++i)
		err = voices_add_stage_file(addition, companions[i]);
	if (!err)
		err = voices_add_need_runtime(&addition->work);
	if (!err)
		err = voices_add_try_out(addition);
	return err ? err : voices_add_place(addition);
}

int voices_verb_add(const struct command_call *call, const struct config *config)
{
	struct addition addition = {.path = call->operands[1]};
	const char *slash;
	int err;

	if (call->operand_count != 2)
		return command_usage_error(call->command, "add needs FILE.onnx, or: kokoro");
	slash = strrchr(addition.path, '/');
	addition.name = slash ? slash + 1 : addition.path;
	err = voices_work_open(&addition.work, call, config);
	if (!err && strcmp(addition.path, "kokoro") == 0) {
		err = voices_work_install(&addition.work, voices_package_runtime());
		if (!err)
			err = voices_work_install(&addition.work, &voices_package_kokoro);
	} else if (!err) {
		err = voices_add_file(&addition);
	}
	if (!err)
		progress_step(&addition.work.progress, "added %s; see: syrinx voices",
			      addition.name);
	return voices_work_close(&addition.work, err);
}
