/*
 * params_private.h: what the files of params.h share.
 */
#ifndef BASE_PARAMS_PRIVATE_H
#define BASE_PARAMS_PRIVATE_H

#include "base/buf.h"
#include "base/params.h"

/* "section.name": longer ones are no keys of ours. */
#define PARAM_KEY_SIZE 64u

/* Of a string's field, with its NUL. */
size_t param_size(const struct param *row);

/* "PREFIX" and "section.name" to "PREFIX" and "SECTION_NAME". */
void params_env_name(char *name, size_t size, const struct params *params, const struct param *row);

/* What a value may be: "a number from 1 to 256". */
void params_append_range(struct buf *out, const struct param *row);

#endif
