/*
 * hearing_models.h: the catalogue of models that recognize speech.
 *
 * Each engine that listens says which models it has when it starts.  The order of the catalogue is
 * that of preference: a model that the operator prefers first, then those of the engines as they list
 * them.  A model of the catalogue must not be used after the current callback of the loop, because the
 * catalogue may change; it may be copied.
 */
#ifndef HEARING_HEARING_MODELS_H
#define HEARING_HEARING_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEARING_ENGINE_MAX 32
#define HEARING_NAME_MAX 64
#define HEARING_TITLE_MAX 96
#define HEARING_LANGUAGES_MAX 512
#define HEARING_LANGUAGE_MAX 16
#define HEARING_LICENCE_MAX 128

struct hearing_model {
	char name[HEARING_NAME_MAX]; /* unique in the catalogue */
	char engine[HEARING_ENGINE_MAX];
	char title[HEARING_TITLE_MAX]; /* for people */
	char languages[HEARING_LANGUAGES_MAX]; /* codes, separated by blanks; "": any */
	char licence[HEARING_LICENCE_MAX]; /* "": not known */
	uint32_t piece_max; /* the longest piece that it recognizes, in samples */
	bool has_times; /* it knows when words are said */
	bool times_are_approximate;
	bool has_probabilities; /* it knows how probable each word is */
	bool detects_language;
	bool has_partials; /* it is fast enough to recognize pieces while somebody speaks */
};

struct hearing_models;

/* `preferred` is the name of the model that comes first if an engine has it; may be NULL. */
int hearing_models_alloc(struct hearing_models **modelsp, const char *preferred);

/* An engine has these models and no others.  A name that another engine has already is left out.
 * ENOMEM: nothing has changed. */
int hearing_models_replace(struct hearing_models *models, const char *engine,
			   const struct hearing_model *offered, size_t count);

size_t hearing_models_count(const struct hearing_models *models);
const struct hearing_model *hearing_models_at(const struct hearing_models *models, size_t i);

/* The model with this name; NULL: there is none. */
const struct hearing_model *hearing_models_find(const struct hearing_models *models,
						const char *name);

/* The first model that knows this language (""; any model); NULL: there is none. */
const struct hearing_model *hearing_models_choose(const struct hearing_models *models,
						  const char *language);

/* Whether the model knows a language.  Of a code such as "en-US", the part before the hyphen counts;
 * upper and lower case do not matter.  Every model knows "". */
bool hearing_models_knows(const struct hearing_model *model, const char *language);

#endif
