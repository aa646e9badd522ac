/*
 * model_file_private.h: shared by the files that read a model's companions.
 *
 * A reading fills a struct model_draft; model_file.c makes the voices of it.
 */
#ifndef ENGINE_VITS_MODEL_FILE_PRIVATE_H
#define ENGINE_VITS_MODEL_FILE_PRIVATE_H

#include "engine/vits/model_file.h"

enum model_companion { MODEL_COMPANION_JSON, MODEL_COMPANION_TOKENS };

struct model_draft {
	struct model_file *file;
	const struct onnx *onnx; /* NULL: no notes */
	char *why;
	size_t why_size;
	int64_t symbol_limit; /* ids are below; 0: nobody said */
	bool has_quality;
	char *speaker_names[MODEL_FILE_SPEAKERS_MAX]; /* of speaker_id_map, by id; or NULL */
};

/* What model_file_read does once it has the companion's bytes. */
int model_file_parse(struct model_file **filep, const char *path, enum model_companion companion,
		     const char *bytes, size_t len, const struct onnx *onnx, char *why,
		     size_t why_size);

/* The two forms.  EINVAL with a reason, ENOMEM. */
int model_json_read(struct model_draft *draft, const char *bytes, size_t len);
int model_tokens_read(struct model_draft *draft, const char *bytes, size_t len);

/* Puts the reason into `why` and gives EINVAL. */
int model_draft_refuse(const struct model_draft *draft, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a symbol of the table; one that is not a single code point is counted
 * and left out.  EINVAL: the id is no id; ENOMEM. */
int model_draft_add_symbol(struct model_draft *draft, const char *symbol, size_t len, int64_t id);

/* Texts as they are kept: without control characters, at most max bytes. */
int model_draft_copy(const struct model_draft *draft, char **copyp, const char *what,
		     const char *text, size_t len, size_t max);

/* Names (of a voice of eSpeak NG, of a speaker, of a file): letters, digits and
 * a few signs, with a slash only where that is asked for. */
bool model_name_is_good(const char *name, size_t len, bool allow_slash);

/* Writes the ISO 639 code at the start of a tag ("en_US", "cmn-latn") when
 * there is one; else the language stays as it was. */
void model_set_language(char language[8], const char *tag, size_t len);

int model_set_quality(struct model_draft *draft, const char *quality, size_t len);

#endif
