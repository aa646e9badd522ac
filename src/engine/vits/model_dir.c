/*
 * model_dir.c: loads the models of the voices directory (see model_dir.h).
 */
#include "engine/vits/model_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/neural/mapping.h"
#include "engine/vits/level.h"
#include "engine/vits/script.h"

#define EXTENSION ".onnx"

static void model_dir_destroy(void *object)
{
	struct model_dir *dir = object;

	for (size_t i = 0; i < dir->model_count; ++i) {
		mem_deref(dir->models[i].model);
		mem_deref(dir->models[i].file);
	}
	free(dir->models);
	for (size_t i = 0; i < dir->note_count; ++i) {
		free(dir->notes[i].about);
		free(dir->notes[i].text);
	}
	free(dir->notes);
	mem_deref(dir->runtime);
}

static int model_dir_add_note(struct model_dir *dir, const char *about, const char *text)
{
	struct model_dir_note *notes =
		realloc(dir->notes, (dir->note_count + 1) * sizeof(*dir->notes));
	struct model_dir_note *note;

	if (!notes)
		return ENOMEM;
	dir->notes = notes;
	note = &notes[dir->note_count++];
	note->about = strdup(about);
	note->text = strdup(text);
	return note->about && note->text ? 0 : ENOMEM;
}

static int model_dir_check_espeak_voices(const struct model_file *file, char why[RUNTIME_WHY_SIZE])
{
	const char *voice = file->espeak_voice;
	int err = script_check_voice(voice);

	for (size_t i = 0; i < file->speaker_count_listed && !err; ++i) {
		voice = file->speakers[i].espeak_voice;
		if (voice)
			err = script_check_voice(voice);
	}
	if (err)
		snprintf(why, RUNTIME_WHY_SIZE, "eSpeak NG has no voice \"%s\"", voice);
	return err;
}

static int model_dir_load(struct model_dir *dir, struct loaded_model *model, const char *path,
			  char why[RUNTIME_WHY_SIZE])
{
	struct mapping mapping = {0};
	struct onnx *onnx = NULL;
	int err = mapping_open(&mapping, path, why);

	if (err)
		return err;
	err = onnx_parse(&onnx, mapping.bytes, mapping.len, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = model_file_read(&model->file, path, onnx, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = model_dir_check_espeak_voices(model->file, why);
	if (!err)
		err = model_open(&model->model, dir->runtime, onnx, model->file, why);
	mem_deref(onnx);
	mapping_close(&mapping);
	if (!err)
		err = level_measure(model->file, model->model, why);
	if (!err)
		err = pace_measure(&model->pace, model->file, model->model, why);
	return err;
}

/* Loads one file, or adds a note if it is not usable as a voice. */
static int model_dir_take_file(struct model_dir *dir, const char *directory, const char *name)
{
	char path[4096];
	char why[RUNTIME_WHY_SIZE] = "";
	struct loaded_model model = {0};
	struct loaded_model *models;
	int err;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	err = model_dir_load(dir, &model, path, why);
	if (err) {
		mem_deref(model.model);
		mem_deref(model.file);
		return model_dir_add_note(dir, name, why[0] ? why : strerror(err));
	}
	models = realloc(dir->models, (dir->model_count + 1) * sizeof(*models));
	if (!models) {
		mem_deref(model.model);
		mem_deref(model.file);
		return ENOMEM;
	}
	dir->models = models;
	models[dir->model_count++] = model;
	return 0;
}

static int model_dir_is_model(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > strlen(EXTENSION) &&
	       strcmp(entry->d_name + len - strlen(EXTENSION), EXTENSION) == 0;
}

static int model_dir_open_runtime(struct model_dir *dir, const char *directory)
{
	const char *elsewhere = getenv(RUNTIME_VARIABLE);
	char path[4096];
	char why[RUNTIME_WHY_SIZE];
	int err;

	snprintf(path, sizeof(path), "%s/%s", directory, RUNTIME_FILE);
	err = runtime_open(&dir->runtime, elsewhere && elsewhere[0] ? elsewhere : path, why);
	if (!err)
		return 0;
	if (err == ENOENT)
		snprintf(why, sizeof(why), "is missing: `syrinx voices fetch` brings it");
	return model_dir_add_note(dir, RUNTIME_FILE, why);
}

static int model_dir_take_files(struct model_dir *dir, const char *directory,
				struct dirent **entries, size_t count)
{
	int err;

	if (count == 0)
		return 0;
	err = model_dir_open_runtime(dir, directory);
	if (err || !dir->runtime)
		return err;
	for (size_t i = 0; i < count && i < MODEL_DIR_MODELS_MAX && !err; ++i)
		err = model_dir_take_file(dir, directory, entries[i]->d_name);
	if (!err && count > MODEL_DIR_MODELS_MAX)
		err = model_dir_add_note(dir, entries[MODEL_DIR_MODELS_MAX]->d_name,
					 "is one model too many, and so are those after it");
	return err;
}

int model_dir_read(struct model_dir **dirp, const char *directory)
{
	struct model_dir *dir = mem_zalloc(sizeof(*dir), model_dir_destroy);
	struct dirent **entries = NULL;
	int count;
	int err = 0;

	if (!dir)
		return ENOMEM;
	count = directory ? scandir(directory, &entries, model_dir_is_model, alphasort) : 0;
	if (count < 0 && errno != ENOENT)
		err = model_dir_add_note(dir, directory, strerror(errno));
	if (count > 0)
		err = model_dir_take_files(dir, directory, entries, (size_t)count);
	for (int i = 0; i < count; ++i)
		free(entries[i]);
	free(entries);
	if (err) {
		mem_deref(dir);
		return err;
	}
	*dirp = dir;
	return 0;
}

int model_dir_find(const struct model_dir *dir, const char *voice,
		   const struct loaded_model **modelp, const struct model_speaker **speakerp)
{
	for (size_t i = 0; i < dir->model_count; ++i) {
		const struct model_file *file = dir->models[i].file;

		for (size_t k = 0; k < file->speaker_count_listed; ++k) {
			if (strcmp(file->speakers[k].name, voice) != 0)
				continue;
			*modelp = &dir->models[i];
			*speakerp = &file->speakers[k];
			return 0;
		}
	}
	return ENOENT;
}
