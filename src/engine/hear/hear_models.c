/*
 * hear_models.c: the models in the folder of models (see hear_models.h).
 */
#include "engine/hear/hear_models.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/neural/mapping.h"

/* The most models that are loaded: each takes 50 MB or more. */
#define MODELS_MAX 32

/* The default model, if it is there: fast enough for partial results on any machine. */
#define DEFAULT_MODEL "moonshine-tiny"

#define DETECTOR_FILE "model.onnx"

#define FETCH "`syrinx models fetch` installs it"

/* Those that are fast come first. */
static const struct recognizer_family *const hear_models_families[] = {
	&recognizer_moonshine,
	&recognizer_whisper,
};

static void hear_models_destroy(void *object)
{
	struct hear_models *models = object;

	for (size_t i = 0; i < models->model_count; ++i) {
		mem_deref(models->models[i].recognizer);
		free(models->models[i].name);
	}
	free(models->models);
	for (size_t i = 0; i < models->note_count; ++i) {
		free(models->notes[i].about);
		free(models->notes[i].text);
	}
	free(models->notes);
	mem_deref(models->vad);
	mem_deref(models->runtime);
}

static int hear_models_add_note(struct hear_models *models, const char *about, const char *text)
{
	struct hear_note *notes =
		realloc(models->notes, (models->note_count + 1) * sizeof(*models->notes));
	struct hear_note *note;

	if (!notes)
		return ENOMEM;
	models->notes = notes;
	note = &notes[models->note_count++];
	note->about = strdup(about);
	note->text = strdup(text);
	return note->about && note->text ? 0 : ENOMEM;
}

/* The size of a file of a model; false if it is not there. */
static bool hear_models_find_file(uint64_t *size, const char *folder, const char *name)
{
	char path[4096];
	struct stat status;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path) ||
	    stat(path, &status) != 0)
		return false;
	*size = (uint64_t)status.st_size;
	return true;
}

/* The files of a family that are in a folder. */
struct hear_models_files {
	size_t count, wanted;
	uint64_t size;
	const char *missing; /* the first that is not there */
};

static struct hear_models_files hear_models_find_files(const struct recognizer_family *family,
						       const char *folder)
{
	struct hear_models_files files = {0};

	for (; family->files[files.wanted]; ++files.wanted) {
		const char *name = family->files[files.wanted];
		uint64_t size;

		if (hear_models_find_file(&size, folder, name)) {
			files.size += size;
			++files.count;
		} else if (!files.missing) {
			files.missing = name;
		}
	}
	return files;
}

static int hear_models_take_detector(struct hear_models *models, const char *folder,
				     const char *name)
{
	char why[RUNTIME_WHY_SIZE] = "";
	char path[4096 + sizeof(DETECTOR_FILE)];
	struct mapping file;
	int err;

	if (models->vad)
		return hear_models_add_note(models, name,
					    "is not used: there is another detector of voice "
					    "activity");
	snprintf(path, sizeof(path), "%s/%s", folder, DETECTOR_FILE);
	err = mapping_open(&file, path, why);
	if (!err) {
		err = vad_open(&models->vad, models->runtime, file.bytes, file.len, why);
		mapping_close(&file);
	}
	return err ? hear_models_add_note(models, name, why[0] ? why : strerror(err)) : 0;
}

static int hear_models_take_model(struct hear_models *models, size_t rank, uint64_t size,
				  const char *folder, const char *name)
{
	const struct recognizer_family *family = hear_models_families[rank];
	char why[RUNTIME_WHY_SIZE] = "";
	struct hear_model *list;
	struct recognizer *recognizer;
	int err;

	if (models->model_count == MODELS_MAX)
		return hear_models_add_note(models, name, "is one model too many");
	err = family->open(&recognizer, models->runtime, folder, why);
	if (err)
		return hear_models_add_note(models, name, why[0] ? why : strerror(err));
	list = realloc(models->models, (models->model_count + 1) * sizeof(*list));
	if (!list) {
		mem_deref(recognizer);
		return ENOMEM;
	}
	models->models = list;
	list[models->model_count] = (struct hear_model){
		.name = strdup(name), .recognizer = recognizer, .rank = rank, .size = size};
	return list[models->model_count++].name ? 0 : ENOMEM;
}

/* A folder with half of the files of a family is a model of it that is not complete; one with fewer is
 * something else, about which there is nothing to say. */
static int hear_models_take_folder(struct hear_models *models, const char *directory,
				   const char *name)
{
	char folder[4096];
	char text[128];
	uint64_t size;

	if ((size_t)snprintf(folder, sizeof(folder), "%s/%s", directory, name) >= sizeof(folder))
		return 0;
	for (size_t i = 0; i < COUNT(hear_models_families); ++i) {
		struct hear_models_files files =
			hear_models_find_files(hear_models_families[i], folder);

		if (!files.missing)
			return hear_models_take_model(models, i, files.size, folder, name);
		if (files.count * 2 >= files.wanted) {
			snprintf(text, sizeof(text), "%s is missing", files.missing);
			return hear_models_add_note(models, name, text);
		}
	}
	if (hear_models_find_file(&size, folder, DETECTOR_FILE))
		return hear_models_take_detector(models, folder, name);
	return 0;
}

/* Whether the library was found. If not, `why` says why the first one that exists cannot be used. */
static bool hear_models_find_runtime(struct hear_models *models, const char *const *folders,
				     size_t count, char why[RUNTIME_WHY_SIZE])
{
	const char *elsewhere = getenv(RUNTIME_VARIABLE);
	int err = ENOENT;

	if (elsewhere && elsewhere[0])
		return runtime_open(&models->runtime, elsewhere, why) == 0;
	for (size_t i = 0; i < count && err == ENOENT; ++i) {
		char path[4096];

		if (!folders[i])
			continue;
		snprintf(path, sizeof(path), "%s/%s", folders[i], RUNTIME_FILE);
		err = runtime_open(&models->runtime, path, why);
	}
	if (err == ENOENT)
		snprintf(why, RUNTIME_WHY_SIZE, "is missing: " FETCH);
	return err == 0;
}

static int hear_models_compare(const void *left, const void *right)
{
	const struct hear_model *a = left;
	const struct hear_model *b = right;
	bool a_is_default = strcmp(a->name, DEFAULT_MODEL) == 0;
	bool b_is_default = strcmp(b->name, DEFAULT_MODEL) == 0;

	if (a_is_default != b_is_default)
		return a_is_default ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Without a detector nothing can be recognized, because nobody would know when. */
static int hear_models_finish(struct hear_models *models)
{
	int err = 0;

	if (models->model_count > 0)
		qsort(models->models, models->model_count, sizeof(*models->models),
		      hear_models_compare);
	if (models->vad)
		return 0;
	if (models->model_count > 0)
		err = hear_models_add_note(models, "silero-vad", "is missing: " FETCH);
	while (models->model_count > 0) {
		struct hear_model *model = &models->models[--models->model_count];

		mem_deref(model->recognizer);
		free(model->name);
	}
	return err;
}

static int hear_models_is_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}

static int hear_models_take_all(struct hear_models *models, const struct engine_options *options,
				struct dirent **entries, size_t count)
{
	const char *const folders[] = {options->models_dir, options->voices_dir};
	char why[RUNTIME_WHY_SIZE] = "";
	int err = 0;

	if (count == 0)
		return 0;
	if (!hear_models_find_runtime(models, folders, COUNT(folders), why))
		return hear_models_add_note(models, RUNTIME_FILE, why);
	for (size_t i = 0; i < count && !err; ++i)
		err = hear_models_take_folder(models, options->models_dir, entries[i]->d_name);
	if (!err)
		err = hear_models_finish(models);
	malloc_trim(0); /* copies of graphs that were only needed to load them */
	return err;
}

int hear_models_read(struct hear_models **modelsp, const struct engine_options *options)
{
	struct hear_models *models = mem_zalloc(sizeof(*models), hear_models_destroy);
	struct dirent **entries = NULL;
	int count;
	int err = 0;

	if (!models)
		return ENOMEM;
	count = options->models_dir
			? scandir(options->models_dir, &entries, hear_models_is_folder, alphasort)
			: 0;
	if (count < 0 && errno != ENOENT)
		err = hear_models_add_note(models, options->models_dir, strerror(errno));
	if (count > 0)
		err = hear_models_take_all(models, options, entries, (size_t)count);
	for (int i = 0; i < count; ++i)
		free(entries[i]);
	free(entries);
	if (err) {
		mem_deref(models);
		return err;
	}
	*modelsp = models;
	return 0;
}
