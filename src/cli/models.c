/*
 * models.c: `syrinx models`: lists the models that recognize speech, and installs and removes them.
 *
 * The list has the models that can be fetched and those that are in the folder. It is about files:
 * whether an engine can use them is in the server's log.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "cli/command.h"
#include "cli/install_file.h"
#include "cli/json_list.h"
#include "cli/models_catalogue.h"
#include "cli/models_verbs.h"
#include "cli/settings.h"
#include "cli/table.h"

#define MEGABYTE 1e6
#define NAME_SIZE 256

/* A model of the catalogue, or a folder of the user's own. */
struct models_row {
	char name[NAME_SIZE];
	const struct models_entry *entry; /* NULL for a folder that is not in the catalogue */
	const char *state;
	uint64_t installed; /* bytes on the disk */
};

typedef void(models_row_h)(const struct models_row *row, void *arg);

/* Whether all files exist. Their content is verified only by fetch, because that takes a second. */
static const char *models_state(const struct models_entry *entry, int dir_fd)
{
	size_t files = 0, found = 0;

	for (size_t i = 0; i < entry->package_count; ++i) {
		const struct pinned_package *package = entry->packages[i];

		files += package->file_count;
		for (size_t n = 0; n < package->file_count && dir_fd >= 0; ++n)
			found += faccessat(dir_fd, package->files[n].name, R_OK, 0) == 0;
	}
	if (found == files)
		return "installed";
	return found > 0 ? "incomplete" : "available";
}

static void models_each_own(DIR *dir, models_row_h *each, void *arg)
{
	const struct dirent *entry;

	while ((entry = readdir(dir))) {
		struct models_row row = {.state = "own"};

		if (entry->d_name[0] == '.' || !install_file_is_folder(dirfd(dir), entry->d_name) ||
		    models_catalogue_find(entry->d_name))
			continue;
		snprintf(row.name, sizeof(row.name), "%s", entry->d_name);
		row.installed = install_file_size(dirfd(dir), row.name);
		each(&row, arg);
	}
}

/* First the catalogue, then what else is in the folder, which need not exist. */
static void models_each(const char *path, models_row_h *each, void *arg)
{
	DIR *dir = path[0] ? opendir(path) : NULL;

	for (const struct models_entry *entry = models_catalogue; entry->name; ++entry) {
		struct models_row row = {.entry = entry,
					 .state = models_state(entry, dir ? dirfd(dir) : -1)};

		snprintf(row.name, sizeof(row.name), "%s", entry->name);
		row.installed = dir ? install_file_size(dirfd(dir), row.name) : 0;
		each(&row, arg);
	}
	if (!dir)
		return;
	models_each_own(dir, each, arg);
	closedir(dir);
}

static void models_add_cells(const struct models_row *row, void *arg)
{
	struct table *table = arg;

	table_cell(table, "%s", row->name);
	table_cell(table, "%s", row->state);
	if (row->entry)
		table_cell(table, "%.1f", (double)models_catalogue_size(row->entry) / MEGABYTE);
	else
		table_cell(table, "-");
	if (row->installed)
		table_cell(table, "%.1f", (double)row->installed / MEGABYTE);
	else
		table_cell(table, "-");
	if (row->entry)
		table_cell(table, "%s", row->entry->language ? row->entry->language : "many");
	else
		table_cell(table, "-");
	table_cell(table, "%s", row->entry ? row->entry->licence : "-");
}

static int models_print_table(const char *path)
{
	static const struct table_column columns[] = {
		{"NAME", false},   {"STATE", false},    {"DOWNLOAD MB", true},
		{"DISK MB", true}, {"LANGUAGE", false}, {"LICENCE", false},
	};
	struct table table;

	table_open(&table, columns, COUNT(columns));
	models_each(path, models_add_cells, &table);
	return table_print(&table) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

static void models_write_text(struct json_write *json, const char *key, const char *text)
{
	if (text)
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}

static void models_write_row(const struct models_row *row, void *arg)
{
	struct json_write *json = arg;
	const struct models_entry *entry = row->entry;

	json_write_object(json, NULL);
	json_write_string(json, "name", row->name, strlen(row->name));
	json_write_string(json, "state", row->state, strlen(row->state));
	json_write_unsigned(json, "disk_bytes", row->installed);
	if (entry)
		json_write_unsigned(json, "download_bytes", models_catalogue_size(entry));
	else
		json_write_null(json, "download_bytes");
	models_write_text(json, "language", entry ? entry->language : NULL);
	models_write_text(json, "licence", entry ? entry->licence : NULL);
	json_write_object_end(json);
}

static int models_verb_list(const struct command_call *call, const struct config *config)
{
	struct json_list out;

	if (call->operand_count > 1)
		return command_usage_error(call->command, "unexpected argument \"%s\"",
					   call->operands[1]);
	if (!command_value(call, "json"))
		return models_print_table(config->models_dir);
	json_list_open(&out, "models");
	models_each(config->models_dir, models_write_row, &out.json);
	return json_list_print(&out) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* Verbs that change the folder must work on the one that the server uses. */
static const struct {
	const char *name;
	int (*run)(const struct command_call *call, const struct config *config);
	bool changes;
} models_verbs[] = {{"list", models_verb_list, false},
		    {"fetch", models_verb_fetch, true},
		    {"remove", models_verb_remove, true}};

static int models_run(const struct command_call *call)
{
	static const char *const names[] = {"list", "fetch", "remove", NULL};
	static struct config config;
	const char *verb = call->operand_count > 0 ? call->operands[0] : "list";
	size_t i = 0;
	int status;

	while (i < COUNT(models_verbs) && strcmp(models_verbs[i].name, verb) != 0)
		++i;
	if (i == COUNT(models_verbs))
		return command_refuse_verb(call->command, names, verb);
	status = models_verbs[i].changes && !command_value(call, "models")
			 ? settings_load_of_server(&config, call)
			 : settings_load(&config, call);
	return status == COMMAND_OK ? models_verbs[i].run(call, &config) : status;
}

static const struct command_option models_options[] = {
	{"models", 0, "DIR", "the folder of models that recognize speech"},
	{"voices", 0, "DIR", "the folder of neural voices, which may have ONNX Runtime"},
	{"config", 0, "FILE", "read this configuration"},
	{"json", 0, NULL, "print the list as JSON"},
	{"quiet", 0, NULL, "print nothing unless something fails"},
	{"report-to", 0, "FD", "write the reason for a failure to this file descriptor"},
	{0},
};

const struct command command_models = {
	.name = "models",
	.operands = "[list|fetch [NAME]...|remove NAME]",
	.operands_max = COMMAND_OPERANDS_MAX,
	.summary = "List, install or remove models that recognize speech.",
	.options = models_options,
	.run = models_run,
	.examples = "  syrinx models fetch\n"
		    "  syrinx models fetch whisper-base\n",
};
