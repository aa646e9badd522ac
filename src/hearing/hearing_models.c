/*
 * hearing_models.c: the catalogue of models that recognize speech (see hearing_models.h).
 */
#include "hearing/hearing_models.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

struct hearing_models {
	struct hearing_model *list;
	size_t count;
	char preferred[HEARING_NAME_MAX];
};

static void hearing_models_destroy(void *object)
{
	struct hearing_models *models = object;

	free(models->list);
}

int hearing_models_alloc(struct hearing_models **modelsp, const char *preferred)
{
	struct hearing_models *models = mem_zalloc(sizeof(*models), hearing_models_destroy);

	if (!models)
		return ENOMEM;
	if (preferred)
		strncpy(models->preferred, preferred, sizeof(models->preferred) - 1);
	*modelsp = models;
	return 0;
}

size_t hearing_models_count(const struct hearing_models *models)
{
	return models->count;
}

const struct hearing_model *hearing_models_at(const struct hearing_models *models, size_t i)
{
	return i < models->count ? &models->list[i] : NULL;
}

const struct hearing_model *hearing_models_find(const struct hearing_models *models,
						const char *name)
{
	for (size_t i = 0; i < models->count; ++i) {
		if (strcmp(models->list[i].name, name) == 0)
			return &models->list[i];
	}
	return NULL;
}

/* Whether a model comes before another one that is already in the list: the preferred one is first, and
 * engines are in the order of their names, so that the catalogue does not depend on which of them
 * starts faster. */
static bool hearing_models_precedes(const struct hearing_models *models,
				    const struct hearing_model *one,
				    const struct hearing_model *other)
{
	bool is_preferred = strcmp(one->name, models->preferred) == 0;

	if (is_preferred || strcmp(other->name, models->preferred) == 0)
		return is_preferred;
	return strcmp(one->engine, other->engine) < 0;
}

static void hearing_models_insert(struct hearing_models *models, const struct hearing_model *model)
{
	size_t at = 0;

	while (at < models->count && !hearing_models_precedes(models, model, &models->list[at]))
		++at;
	memmove(&models->list[at + 1], &models->list[at],
		(models->count - at) * sizeof(*models->list));
	models->list[at] = *model;
	++models->count;
}

int hearing_models_replace(struct hearing_models *models, const char *engine,
			   const struct hearing_model *offered, size_t count)
{
	struct hearing_model *list = calloc(models->count + count + 1, sizeof(*list));
	size_t kept = 0;

	if (!list)
		return ENOMEM;
	for (size_t i = 0; i < models->count; ++i) {
		if (strcmp(models->list[i].engine, engine) != 0)
			list[kept++] = models->list[i];
	}
	free(models->list);
	models->list = list;
	models->count = kept;
	for (size_t i = 0; i < count; ++i) {
		struct hearing_model model = offered[i];

		strncpy(model.engine, engine, sizeof(model.engine) - 1);
		if (!hearing_models_find(models, model.name))
			hearing_models_insert(models, &model);
	}
	return 0;
}

/* The part of a code that says which language it is, without the region. */
static size_t hearing_models_primary_len(const char *code)
{
	return strcspn(code, "-_ ");
}

bool hearing_models_knows(const struct hearing_model *model, const char *language)
{
	size_t len = hearing_models_primary_len(language);
	const char *known = model->languages;

	if (len == 0 || *known == '\0')
		return true;
	while (*known) {
		size_t word_len = strcspn(known, " ");

		if (hearing_models_primary_len(known) == len &&
		    strncasecmp(known, language, len) == 0)
			return true;
		known += word_len;
		known += strspn(known, " ");
	}
	return false;
}

const struct hearing_model *hearing_models_choose(const struct hearing_models *models,
						  const char *language)
{
	for (size_t i = 0; i < models->count; ++i) {
		if (hearing_models_knows(&models->list[i], language))
			return &models->list[i];
	}
	return NULL;
}
