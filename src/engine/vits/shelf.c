/*
 * shelf.c: the models in the voices folder, loaded (see shelf.h).
 */
#include "engine/vits/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/vits/level.h"
#include "engine/vits/script.h"

#define EXTENSION ".onnx"

/* Models of two hundred million numbers: more than a sentence can wait for. */
#define MODEL_SIZE_MAX (1024u << 20)

static void shelf_destroy(void *object)
{
	struct shelf *shelf = object;

	for (size_t i = 0; i < shelf->model_count; ++i) {
		mem_deref(shelf->models[i].model);
		mem_deref(shelf->models[i].file);
	}
	free(shelf->models);
	for (size_t i = 0; i < shelf->note_count; ++i) {
		free(shelf->notes[i].about);
		free(shelf->notes[i].text);
	}
	free(shelf->notes);
	mem_deref(shelf->runtime);
}

static int add_note(struct shelf *shelf, const char *about, const char *text)
{
	struct shelf_note *notes =
		realloc(shelf->notes, (shelf->note_count + 1) * sizeof(*shelf->notes));
	struct shelf_note *note;

	if (!notes)
		return ENOMEM;
	shelf->notes = notes;
	note = &notes[shelf->note_count++];
	note->about = strdup(about);
	note->text = strdup(text);
	return note->about && note->text ? 0 : ENOMEM;
}

/* A model's file in memory, as long as it takes to load it. */
struct mapping {
	void *bytes;
	size_t len;
};

static int map_file(struct mapping *mapping, const char *path, char why[RUNTIME_WHY_SIZE])
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
	int err = 0;

	if (fd < 0 || fstat(fd, &status) != 0) {
		err = errno;
		snprintf(why, RUNTIME_WHY_SIZE, "cannot be read: %s", strerror(err));
	} else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
		err = EINVAL;
		snprintf(why, RUNTIME_WHY_SIZE, "is empty or no file");
	} else if (status.st_size > MODEL_SIZE_MAX) {
		err = EFBIG;
		snprintf(why, RUNTIME_WHY_SIZE, "is larger than %u MiB", MODEL_SIZE_MAX >> 20);
	}
	if (!err) {
		mapping->len = (size_t)status.st_size;
		mapping->bytes = mmap(NULL, mapping->len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (mapping->bytes == MAP_FAILED) {
			err = errno;
			snprintf(why, RUNTIME_WHY_SIZE, "cannot be read: %s", strerror(err));
		}
	}
	if (fd >= 0)
		close(fd);
	return err;
}

static int check_espeak_voices(const struct model_file *file, char why[RUNTIME_WHY_SIZE])
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

static int load_graph(struct shelf *shelf, struct shelf_model *model, const char *path,
		      const struct mapping *mapping, char why[RUNTIME_WHY_SIZE])
{
	struct onnx *onnx;
	int err = onnx_parse(&onnx, mapping->bytes, mapping->len, why, RUNTIME_WHY_SIZE);

	if (err)
		return err;
	err = model_file_read(&model->file, path, onnx, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = check_espeak_voices(model->file, why);
	if (!err)
		err = model_open(&model->model, shelf->runtime, onnx, model->file, why);
	mem_deref(onnx);
	return err;
}

static int load(struct shelf *shelf, struct shelf_model *model, const char *path,
		char why[RUNTIME_WHY_SIZE])
{
	struct mapping mapping;
	int err = map_file(&mapping, path, why);

	if (err)
		return err;
	err = load_graph(shelf, model, path, &mapping, why);
	munmap(mapping.bytes, mapping.len);
	if (!err)
		err = level_measure(model->file, model->model, why);
	if (!err)
		err = pace_measure(&model->pace, model->file, model->model, why);
	return err;
}

/* Loads one file; one that is no voice becomes a note. */
static int take_file(struct shelf *shelf, const char *directory, const char *name)
{
	char path[4096];
	char why[RUNTIME_WHY_SIZE] = "";
	struct shelf_model model = {0};
	struct shelf_model *models;
	int err;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	err = load(shelf, &model, path, why);
	if (err) {
		mem_deref(model.model);
		mem_deref(model.file);
		return add_note(shelf, name, why[0] ? why : strerror(err));
	}
	models = realloc(shelf->models, (shelf->model_count + 1) * sizeof(*models));
	if (!models) {
		mem_deref(model.model);
		mem_deref(model.file);
		return ENOMEM;
	}
	shelf->models = models;
	models[shelf->model_count++] = model;
	return 0;
}

static int is_model(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > strlen(EXTENSION) &&
	       strcmp(entry->d_name + len - strlen(EXTENSION), EXTENSION) == 0;
}

static int open_runtime(struct shelf *shelf, const char *directory)
{
	const char *elsewhere = getenv(SHELF_RUNTIME_VARIABLE);
	char path[4096];
	char why[RUNTIME_WHY_SIZE];
	int err;

	snprintf(path, sizeof(path), "%s/%s", directory, SHELF_RUNTIME);
	err = runtime_open(&shelf->runtime, elsewhere && elsewhere[0] ? elsewhere : path, why);
	if (!err)
		return 0;
	if (err == ENOENT)
		snprintf(why, sizeof(why), "is missing: `syrinx voices fetch` brings it");
	return add_note(shelf, SHELF_RUNTIME, why);
}

static int take_files(struct shelf *shelf, const char *directory, struct dirent **entries,
		      size_t count)
{
	int err;

	if (count == 0)
		return 0;
	err = open_runtime(shelf, directory);
	if (err || !shelf->runtime)
		return err;
	for (size_t i = 0; i < count && i < SHELF_MODELS_MAX && !err; ++i)
		err = take_file(shelf, directory, entries[i]->d_name);
	if (!err && count > SHELF_MODELS_MAX)
		err = add_note(shelf, entries[SHELF_MODELS_MAX]->d_name,
			       "is one model too many, and so are those behind it");
	return err;
}

int shelf_read(struct shelf **shelfp, const char *directory)
{
	struct shelf *shelf = mem_zalloc(sizeof(*shelf), shelf_destroy);
	struct dirent **entries = NULL;
	int count;
	int err = 0;

	if (!shelf)
		return ENOMEM;
	count = directory ? scandir(directory, &entries, is_model, alphasort) : 0;
	if (count < 0 && errno != ENOENT)
		err = add_note(shelf, directory, strerror(errno));
	if (count > 0)
		err = take_files(shelf, directory, entries, (size_t)count);
	for (int i = 0; i < count; ++i)
		free(entries[i]);
	free(entries);
	if (err) {
		mem_deref(shelf);
		return err;
	}
	*shelfp = shelf;
	return 0;
}

int shelf_find(const struct shelf *shelf, const char *voice, const struct shelf_model **modelp,
	       const struct model_speaker **speakerp)
{
	for (size_t i = 0; i < shelf->model_count; ++i) {
		const struct model_file *file = shelf->models[i].file;

		for (size_t k = 0; k < file->speaker_count_listed; ++k) {
			if (strcmp(file->speakers[k].name, voice) != 0)
				continue;
			*modelp = &shelf->models[i];
			*speakerp = &file->speakers[k];
			return 0;
		}
	}
	return ENOENT;
}
