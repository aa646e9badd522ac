/*
 * pinned_package.c: downloads and installs packages (see pinned_package.h).
 */
#include "cli/pinned_package.h"

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
#include "cli/install_file.h"
#include "cli/interrupt.h"
#include "cli/npm_config.h"
#include "cli/subprocess.h"

/* The file in the staging directory that receives the output of a child process. */
#define OUTPUT "output"

#define MEGABYTE 1e6

/* The free space that an installation needs. The disk holds two of these at a time: the archive,
 * its extracted members, and the files made of parts of them, none of which is much larger than
 * the archive; plus some reserve. */
#define SPACE_MIN(archive) (2 * (archive) + 32000000u)

/* Symbols, descriptions of models and files that are converted have less than a megabyte. */
#define TEXT_MAX (1u << 20)

#define MEMBERS_MAX 64

struct install {
	const struct pinned_package *package;
	struct install_folder *folder;
	struct progress *progress;
	struct npm_config config;
	char archive[128]; /* its name in the registry and in the staging directory */
	char *why;
};

bool pinned_package_installed(const struct pinned_package *package,
			      const struct install_folder *folder)
{
	for (size_t i = 0; i < package->file_count; ++i)
		if (!install_file_is(folder->dir_fd, package->files[i].name,
				     package->files[i].hash))
			return false;
	return true;
}

static int pinned_package_failed(struct install *install, const char *name, int err)
{
	return install_folder_failed(install->folder, name, err, install->why);
}

static const char *pinned_package_proxy(const struct url *url, void *arg)
{
	const struct install *install = arg;

	return npm_config_proxy(&install->config, url->is_tls, url->host);
}

/* Downloads the archive from the address at which all known registries and mirrors have it. */
static int pinned_package_download(void *arg)
{
	struct install *install = arg;
	const struct pinned_package *package = install->package;
	const struct npm_config *config = &install->config;
	struct download download = {.authorization = config->authorization,
				    .proxy = pinned_package_proxy,
				    .arg = install,
				    .size_max = package->size};
	char url[NPM_CONFIG_VALUE_SIZE + 256]; /* if it is too long, download_run fails */
	char why[DOWNLOAD_WHY_SIZE] = "";
	int err = tls_client_alloc(&download.tls, config->ca_file[0] ? config->ca_file : NULL, why,
				   sizeof(why));

	if (!err && config->extra_ca_file[0])
		err = tls_client_trust(download.tls, config->extra_ca_file, why, sizeof(why));
	snprintf(url, sizeof(url), "%s%s/-/%s", config->registry, package->name, install->archive);
	download.url = url;
	download.fd = install_file_create(install->folder->stage_fd, install->archive);
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

static int pinned_package_report_failure(struct install *install)
{
	struct buf output;
	int len;
	bool full;

	buf_init(&output, TEXT_MAX);
	(void)install_file_read(&output, install->folder->stage_fd, OUTPUT);
	if (buf_append(&output, "", 1) != 0)
		output.len = 0;
	full = output.len > 0 && strstr(output.bytes, strerror(ENOSPC));
	len = output.len > 0 ? (int)strcspn(output.bytes, "\n") : 0;
	snprintf(install->why, INSTALL_WHY_SIZE, "cannot fetch %s@%s: %.*s", install->package->name,
		 install->package->version, len, len > 0 ? output.bytes : "");
	buf_reset(&output);
	return full ? pinned_package_failed(install, NULL, ENOSPC) : EIO;
}

static void pinned_package_show_part(void *arg)
{
	struct install *install = arg;

	progress_update(install->progress,
			install_file_size(install->folder->stage_fd, install->archive),
			install->package->size);
}

/* The downloaded file must be the pinned one, whatever server delivered it. */
static int pinned_package_check_archive(struct install *install)
{
	const struct pinned_package *package = install->package;
	char hash[INSTALL_FILE_HASH_LEN + 1];
	uint64_t size = install_file_size(install->folder->stage_fd, install->archive);
	int err = install_file_hash(hash, install->folder->stage_fd, install->archive);

	if (err)
		return pinned_package_failed(install, install->archive, err);
	if (size == package->size && strcasecmp(hash, package->hash) == 0)
		return 0;
	snprintf(install->why, INSTALL_WHY_SIZE,
		 "%s is not the expected file: %llu bytes with SHA-256 %s instead of "
		 "%llu with %s",
		 install->archive, (unsigned long long)size, hash,
		 (unsigned long long)package->size, package->hash);
	return EBADMSG;
}

static int pinned_package_fetch_archive(struct install *install)
{
	const struct pinned_package *package = install->package;
	const struct subprocess process = {.run = pinned_package_download,
					   .dir_fd = install->folder->stage_fd,
					   .output = OUTPUT,
					   .tick = pinned_package_show_part,
					   .arg = install};
	char why[NPM_CONFIG_WHY_SIZE];
	double megabytes = (double)package->size / MEGABYTE;
	int err;

	err = install_folder_check_space(install->folder, SPACE_MIN(package->size), install->why);
	if (err)
		return err;
	progress_step(install->progress, "fetching %s: %s %s, %.*f MB, licence %s", package->what,
		      package->name, package->version, megabytes < 10 ? 1 : 0, megabytes,
		      package->licence);
	err = npm_config_read(&install->config, why);
	if (err) {
		snprintf(install->why, INSTALL_WHY_SIZE, "cannot fetch %s@%s: %.400s",
			 package->name, package->version, why);
		return err;
	}
	err = subprocess_run(&process);
	if (err == ECHILD)
		return pinned_package_report_failure(install);
	if (err)
		return pinned_package_failed(install, install->archive, err);
	progress_update(install->progress, package->size, package->size);
	return pinned_package_check_archive(install);
}

/* Whether an earlier file is made of the same member of the archive. */
static bool pinned_package_seen_before(const struct pinned_package *package, size_t at)
{
	for (size_t i = 0; i < at; ++i)
		if (strcmp(package->files[i].member, package->files[at].member) == 0)
			return true;
	return false;
}

/* Extracts only the required members, with tar, to the staging directory. */
static int pinned_package_extract(struct install *install)
{
	const struct pinned_package *package = install->package;
	const char *argv[MEMBERS_MAX + 8] = {
		"tar",     "-xzf", install->archive, "--no-same-owner", "--no-same-permissions",
		"--touch", "--"}; /* the files are new here, whatever their dates in the archive */
	const struct subprocess process = {
		.argv = argv, .dir_fd = install->folder->stage_fd, .output = OUTPUT};
	size_t count = 7;
	int err;

	for (size_t i = 0; i < package->file_count && count < COUNT(argv) - 1; ++i)
		if (!pinned_package_seen_before(package, i))
			argv[count++] = package->files[i].member;
	err = subprocess_run(&process);
	install_file_remove(install->folder->stage_fd, install->archive);
	if (err == ECHILD) {
		snprintf(install->why, INSTALL_WHY_SIZE,
			 "tar cannot extract the files of %s (is the disk that holds %s full?)",
			 install->archive, install->folder->path);
		return EIO;
	}
	return err ? pinned_package_failed(install, "tar", err) : 0;
}

/* Whether a later file is made of the same member of the archive. */
static bool pinned_package_is_needed_again(const struct pinned_package *package, size_t at)
{
	for (size_t i = at + 1; i < package->file_count; ++i)
		if (strcmp(package->files[i].member, package->files[at].member) == 0)
			return true;
	return false;
}

static int pinned_package_convert(char hash[INSTALL_FILE_HASH_LEN + 1], int stage_fd,
				  const struct pinned_package_file *file)
{
	struct buf member, out;
	int err;

	buf_init(&member, TEXT_MAX);
	buf_init(&out, TEXT_MAX);
	err = install_file_read(&member, stage_fd, file->member);
	if (!err)
		err = file->convert(&out, &member);
	if (!err)
		err = install_file_write(stage_fd, file->name, out.bytes, out.len);
	if (!err)
		err = install_file_hash(hash, stage_fd, file->name);
	buf_reset(&member);
	buf_reset(&out);
	return err;
}

/* Makes the file in the staging directory as it will be installed. */
static int pinned_package_take_file(struct install *install, size_t at)
{
	const struct pinned_package_file *file = &install->package->files[at];
	int stage = install->folder->stage_fd;
	const struct install_piece piece = {stage, file->member, file->offset, file->len};
	char hash[INSTALL_FILE_HASH_LEN + 1];
	int err = install_file_make_parents(stage, file->name);

	if (!err && file->convert)
		err = pinned_package_convert(hash, stage, file);
	else if (!err && (file->len > 0 || pinned_package_is_needed_again(install->package, at)))
		err = install_file_copy(hash, stage, file->name, &piece);
	else if (!err)
		err = install_file_move(hash, stage, file->name, stage, file->member);
	if (err)
		return pinned_package_failed(install, file->name, err);
	if (strcasecmp(hash, file->hash) == 0)
		return 0;
	snprintf(install->why, INSTALL_WHY_SIZE, "%s of %s has SHA-256 %s instead of %s",
		 file->name, install->archive, hash, file->hash);
	return EBADMSG;
}

static int pinned_package_stage_files(struct install *install)
{
	const struct pinned_package *package = install->package;
	int err = pinned_package_fetch_archive(install);

	if (err)
		return err;
	progress_step(install->progress, "unpacking %s", package->what);
	err = pinned_package_extract(install);
	for (size_t i = 0; i < package->file_count && !err; ++i)
		err = pinned_package_take_file(install, i);
	return err;
}

/* Writes the JSON to the staging directory. `symbols_fd` is the directory with the symbols: the
 * staging directory or, if nothing was downloaded, the folder. */
static int pinned_package_stage_json(struct install *install, int symbols_fd)
{
	const struct pinned_package *package = install->package;
	struct buf symbols, json;
	int err;

	buf_init(&symbols, TEXT_MAX);
	buf_init(&json, TEXT_MAX);
	err = install_file_read(&symbols, symbols_fd, package->symbols);
	if (!err)
		err = package->describe(&json, &symbols);
	if (!err)
		err = install_file_write(install->folder->stage_fd, package->json, json.bytes,
					 json.len);
	buf_reset(&symbols);
	buf_reset(&json);
	return err ? pinned_package_failed(install, package->json, err) : 0;
}

/* Replaces the JSON only if it differs, so that an unchanged model does not look changed. */
static int pinned_package_place_json(struct install *install)
{
	const char *name = install->package->json;
	char hash[INSTALL_FILE_HASH_LEN + 1];

	if (install_file_hash(hash, install->folder->stage_fd, name) == 0 &&
	    install_file_is(install->folder->dir_fd, name, hash))
		return 0;
	return install_folder_place(install->folder, name, install->why);
}

/* Installs the model last, because an engine that finds it needs its other files. */
static int pinned_package_place_all(struct install *install, bool are_staged)
{
	const struct pinned_package *package = install->package;
	size_t before_model = package->describe ? package->file_count - 1 : package->file_count;
	int err = 0;

	for (size_t i = 0; are_staged && i < before_model && !err; ++i)
		err = install_folder_place(install->folder, package->files[i].name, install->why);
	if (package->describe && !err)
		err = pinned_package_place_json(install);
	if (are_staged && before_model < package->file_count && !err)
		err = install_folder_place(install->folder, package->files[before_model].name,
					   install->why);
	return err;
}

/* The name of an archive has no scope: @of/name is in name-1.0.tgz. */
static void pinned_package_name_archive(struct install *install)
{
	const char *slash = strchr(install->package->name, '/');

	snprintf(install->archive, sizeof(install->archive), "%s-%s.tgz",
		 slash ? slash + 1 : install->package->name, install->package->version);
}

static int pinned_package_copy_files(struct install *install)
{
	const struct pinned_package *package = install->package;
	int err = 0;

	for (size_t i = 0; i < package->file_count && !err; ++i) {
		const char *name = package->files[i].name;
		const struct install_piece piece = {install->folder->dir_fd, name, 0, 0};
		char hash[INSTALL_FILE_HASH_LEN + 1];

		err = install_file_make_parents(install->folder->stage_fd, name);
		if (!err)
			err = install_file_copy(hash, install->folder->stage_fd, name, &piece);
		if (err)
			err = pinned_package_failed(install, name, err);
	}
	return err;
}

int pinned_package_stage(const struct pinned_package *package, struct install_folder *folder,
			 struct progress *progress, char why[INSTALL_WHY_SIZE])
{
	struct install install = {package, folder, progress, .why = why};
	bool is_installed = pinned_package_installed(package, folder);

	pinned_package_name_archive(&install);
	if (interrupt_is_pending()) /* then `is_installed` is not valid */
		return pinned_package_failed(&install, NULL, EINTR);
	return is_installed ? pinned_package_copy_files(&install)
			    : pinned_package_stage_files(&install);
}

int pinned_package_install(const struct pinned_package *package, struct install_folder *folder,
			   struct progress *progress, char why[INSTALL_WHY_SIZE])
{
	struct install install = {package, folder, progress, .why = why};
	bool is_installed = pinned_package_installed(package, folder);
	int err = 0;

	pinned_package_name_archive(&install);
	if (interrupt_is_pending()) /* then `is_installed` is not valid */
		return pinned_package_failed(&install, NULL, EINTR);
	if (!is_installed)
		err = pinned_package_stage_files(&install);
	if (!err && package->describe)
		err = pinned_package_stage_json(&install,
						is_installed ? folder->dir_fd : folder->stage_fd);
	if (!err)
		err = pinned_package_place_all(&install, !is_installed);
	if (!err && !is_installed)
		progress_step(progress, "installed %s", package->what);
	progress_end(progress);
	return err;
}
