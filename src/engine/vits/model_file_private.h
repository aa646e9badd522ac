/*
 * model_file_private.h: shared by the files that read a model's metadata files.
 *
 * The parsers fill a struct model_draft; model_file.c makes the voices of it.
 */
#ifndef ENGINE_VITS_MODEL_FILE_PRIVATE_H
#define ENGINE_VITS_MODEL_FILE_PRIVATE_H

#include "engine/vits/model_file.h"

enum model_companion { MODEL_COMPANION_JSON, MODEL_COMPANION_TOKENS };

struct model_draft {
	struct model_file *file;
	const struct onnx *onnx; /* NULL: no metadata in the model */
	char *why;
	size_t why_size;
	int64_t symbol_limit; /* ids are below it; 0: it is not known */
	bool has_quality;
	/* from speaker_id_map, indexed by id; or NULL */
	char *speaker_names[MODEL_FILE_SPEAKERS_MAX];
};

/* The part of model_file_read that follows reading the file. */
int model_file_parse(struct model_file **filep, const char *path, enum model_companion companion,
		     const char *bytes, size_t len, const struct onnx *onnx, char *why,
		     size_t why_size);

/* The two formats. EINVAL with a reason, ENOMEM. */
int model_json_read(struct model_draft *draft, const char *bytes, size_t len);
int model_tokens_read(struct model_draft *draft, const char *bytes, size_t len);

/* Writes the reason into `why` and returns EINVAL. */
int model_draft_refuse(const struct model_draft *draft, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a symbol to the table; one that is not a single code point is counted and ignored.
 * EINVAL: the id is not valid; ENOMEM. */
int model_draft_add_symbol(struct model_draft *draft, const char *symbol, size_t len, int64_t id);

/* Copies a text without control characters, at most max bytes. */
int model_draft_copy(const struct model_draft *draft, char **copyp, const char *what,
		     const char *text, size_t len, size_t max);

/* True for a valid name of an eSpeak NG voice, a speaker or a file: letters, digits and a few
 * signs, and slashes only if allow_slash. */
bool model_name_is_good(const char *name, size_t len, bool allow_slash);

/* Writes the ISO 639 code at the start of a tag ("en_US", "cmn-latn"); without one the
 * language is not changed. */
void model_set_language(char language[8], const char *tag, size_t len);

int model_set_quality(struct model_draft *draft, const char *quality, size_t len);

#endif
