/*
 * models_catalogue.h: the models that `syrinx models fetch` can install.
 *
 * Only models whose weights may be used commercially are listed.
 */
#ifndef CLI_MODELS_CATALOGUE_H
#define CLI_MODELS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/pinned_package.h"

struct models_entry {
	const char *name; /* of the model, and of its folder */
	const char *what; /* in messages */
	const char *language; /* NULL: it is not limited to one */
	const char *licence; /* of the weights */
	/* Needed by every other model, or part of what is installed if nothing is named. */
	bool is_needed, is_default;
	const struct pinned_package *const *packages; /* their files are all in the folder */
	size_t package_count;
};

/* Terminated by an entry without a name; models that others need come first. */
extern const struct models_entry models_catalogue[];

/* NULL if there is no such model. */
const struct models_entry *models_catalogue_find(const char *name);

/* The size of its packages, in bytes. */
uint64_t models_catalogue_size(const struct models_entry *entry);

#endif
