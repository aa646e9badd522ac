/*
 * params_private.h: what the files of params.h share.
 */
#ifndef BASE_PARAMS_PRIVATE_H
#define BASE_PARAMS_PRIVATE_H

#include "base/buf.h"
#include "base/params.h"

/* "section.name": none of our keys is longer. */
#define PARAM_KEY_SIZE 64u

/* The size of a string's field, including the NUL. */
size_t param_size(const struct param *row);

/* Prints the name of a row's environment variable: the prefix, then "SECTION_NAME". */
void params_env_name(char *name, size_t size, const struct params *params, const struct param *row);

/* Describes what a value may be: "a number from 1 to 256". */
void params_append_range(struct buf *out, const struct param *row);

#endif
