/*
 * model_files.c: whether the models that recognize speech are installed (see model_files.h).
 */
#include "server/model_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME "libonnxruntime.so"
#define DETECTOR "silero-vad"

static bool model_files_exists(const char *dir, const char *name)
{
	char path[PARAM_STRING_SIZE + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return dir[0] != '\0' && access(path, R_OK) == 0;
}

/* Whether the folder has a model other than the detector: any folder, because only engines know
 * their layouts. */
static bool model_files_has_recognizer(const char *path)
{
	DIR *dir = path[0] ? opendir(path) : NULL;
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		struct stat status;

		found = entry->d_name[0] != '.' && strcmp(entry->d_name, DETECTOR) != 0 &&
			fstatat(dirfd(dir), entry->d_name, &status, 0) == 0 &&
			S_ISDIR(status.st_mode);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool model_files_find_missing(char missing[MODEL_FILES_TEXT_SIZE], const struct config *config)
{
	const char *names[3];
	size_t count = 0;
	size_t len = 0;

	if (!model_files_exists(config->models_dir, RUNTIME) &&
	    !model_files_exists(config->voices_dir, RUNTIME))
		names[count++] = "ONNX Runtime";
	if (!model_files_exists(config->models_dir, DETECTOR "/model.onnx"))
		names[count++] = DETECTOR;
	if (!model_files_has_recognizer(config->models_dir))
		names[count++] = "a model that recognizes speech";
	missing[0] = '\0';
	for (size_t i = 0; i < count; ++i)
		len += (size_t)snprintf(missing + len, MODEL_FILES_TEXT_SIZE - len, "%s%s",
					i == 0           ? ""
					: i + 1 == count ? " and "
							 : ", ",
					names[i]);
	return count > 0;
}
