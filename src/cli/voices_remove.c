/*
 * voices_remove.c: `syrinx voices remove NAME`: removes a model from the folder.
 *
 * The model's file is removed first: without it, its other files are not a voice.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/count.h"
#include "cli/voice_list.h"
#include "cli/voices_verbs.h"
#include "server/engines.h"

#define MODEL_END ".onnx"

/* The files of a model: NAME with one of these suffixes, and the speakers' files
 * NAME-SPEAKER.bin. */
static const char *const companions[] = {MODEL_END, ".onnx.json", ".tokens.txt", ".tokenizer.json"};

static bool voices_remove_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && strcmp(text + len - end_len, end) == 0;
}

static bool voices_remove_belongs(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(file, name, len) != 0)
		return false;
	for (size_t i = 0; i < COUNT(companions); ++i)
		if (strcmp(file + len, companions[i]) == 0)
			return true;
	return file[len] == '-' && voices_remove_ends_with(file, ".bin");
}

/* Calls `each` for every file in the folder, until it returns an error. */
static int voices_remove_walk(const struct install_work *work,
			      int (*each)(const char *file, void *arg), void *arg)
{
	DIR *dir = opendir(work->folder.path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return errno;
	while (!err && (entry = readdir(dir)))
		err = each(entry->d_name, arg);
	closedir(dir);
	return err;
}

static int voices_remove_name_model(const char *file, void *arg)
{
	char *list = arg;
	size_t used = strlen(list);

	if (voices_remove_ends_with(file, MODEL_END) && used < INSTALL_WHY_SIZE)
		snprintf(list + used, INSTALL_WHY_SIZE - used, " %.*s",
			 (int)(strlen(file) - strlen(MODEL_END)), file);
	return 0;
}

/* Finds the model of a voice in the built-in table by the voice's id or name, because people know
 * voices, while a model is a file that may have many. */
static const char *voices_remove_model_of(const char *name, size_t *len)
{
	int64_t id = -1;

	(void)voice_list_is_id(&id, name);
	for (size_t i = 0; i < voice_table_len; ++i) {
		const struct voice_speaker *best = &voice_table[i].speakers[0];
		const char *colon = best->engine_voice ? strchr(best->engine_voice, ':') : NULL;

		if (colon && strcmp(best->engine, ENGINES_WITH_VOICES_DIR) == 0 &&
		    (voice_table[i].id == id || strcasecmp(voice_table[i].name, name) == 0)) {
			*len = (size_t)(colon - best->engine_voice);
			return best->engine_voice;
		}
	}
	return NULL;
}

static int voices_remove_report_unknown(struct install_work *work, const char *name)
{
	char list[INSTALL_WHY_SIZE] = "";
	size_t len;
	const char *model = voices_remove_model_of(name, &len);

	(void)voices_remove_walk(work, voices_remove_name_model, list);
	if (model)
		snprintf(work->why, sizeof(work->why),
			 "%.60s is a voice of the model %.*s; to remove the model with all its "
			 "voices: syrinx voices remove %.*s",
			 name, (int)len, model, (int)len, model);
	else
		snprintf(work->why, sizeof(work->why),
			 "there is no model %.100s in %.150s; the models are:%.200s", name,
			 work->folder.path, list[0] ? list : " none");
	return ENOENT;
}

struct removal {
	const char *name;
	int dir_fd;
};

static int voices_remove_companion(const char *file, void *arg)
{
	const struct removal *removal = arg;

	if (!voices_remove_belongs(file, removal->name) || unlinkat(removal->dir_fd, file, 0) == 0)
		return 0;
	return errno == ENOENT ? 0 : errno;
}

static int voices_remove_model(struct install_work *work, const char *name)
{
	struct removal removal = {name, work->folder.dir_fd};
	char file[256];
	int err;

	snprintf(file, sizeof(file), "%s" MODEL_END, name);
	if (strchr(name, '/') || unlinkat(removal.dir_fd, file, 0) != 0)
		return voices_remove_report_unknown(work, name);
	err = voices_remove_walk(work, voices_remove_companion, &removal);
	return err ? install_folder_failed(&work->folder, name, err, work->why) : 0;
}

int voices_verb_remove(const struct command_call *call, const struct config *config)
{
	struct install_work work;
	int err;

	if (call->operand_count != 2)
		return command_usage_error(call->command, "remove needs the NAME of NAME.onnx");
	err = voices_work_open(&work, call, config);
	if (!err)
		err = voices_remove_model(&work, call->operands[1]);
	if (!err)
		progress_step(&work.progress, "removed %s", call->operands[1]);
	return install_work_close(&work, err);
}
