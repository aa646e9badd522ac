/*
 * mapping.h: a file mapped into memory while a model is loaded from it.
 */
#ifndef ENGINE_NEURAL_MAPPING_H
#define ENGINE_NEURAL_MAPPING_H

#include <stddef.h>

#include "engine/neural/runtime.h"

struct mapping {
	void *bytes;
	size_t len;
};

/* ENOENT and other errors of open, EINVAL for what is empty or no file, EFBIG beyond the maximum;
 * `why` is a reason for people that follows the file's name. */
int mapping_open(struct mapping *mapping, const char *path, char why[RUNTIME_WHY_SIZE]);

void mapping_close(struct mapping *mapping);

#endif
