/*
 * params_differ.c: which parameters differ between two structs (see params.h).
 */
#include <assert.h>
#include <string.h>

#include "base/params.h"

static bool params_differ_is_same(const struct param *row, const void *a, const void *b)
{
	const void *in_a = (const char *)a + row->offset;
	const void *in_b = (const char *)b + row->offset;

	switch (row->type) {
	case PARAM_STRING:
		return strcmp(in_a, in_b) == 0;
	case PARAM_INT:
	case PARAM_DECIMAL:
		return *(const int64_t *)in_a == *(const int64_t *)in_b;
	case PARAM_BOOL:
		return *(const bool *)in_a == *(const bool *)in_b;
	case PARAM_ENUM:
		return *(const int *)in_a == *(const int *)in_b;
	}
	assert(false && "a row without a type");
	return true;
}

static int params_differ_name_key(struct buf *keys, const struct param *row, const char *object)
{
	const char *comma = keys->len ? ", " : "";

	if (object)
		return buf_printf(keys, "%s[%s %s] %s", comma, row->section, object, row->name);
	return buf_printf(keys, "%s%s.%s", comma, row->section, row->name);
}

static int params_differ_compare_rows(const struct param *rows, size_t count, const char *object,
				      const void *a, const void *b, struct buf *keys)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; ++i) {
		if (!params_differ_is_same(&rows[i], a, b))
			err = params_differ_name_key(keys, &rows[i], object);
	}
	return err;
}

static size_t params_differ_objects_of(const struct param_group *group, const void *values)
{
	return *(const size_t *)(const void *)((const char *)values + group->used);
}

/* Objects begin with their name. */
static const char *params_differ_object_at(const struct param_group *group, const void *values,
					   size_t index)
{
	return (const char *)values + group->array + index * group->size;
}

static const char *params_differ_find_object(const struct param_group *group, const void *values,
					     const char *name)
{
	for (size_t i = 0; i < params_differ_objects_of(group, values); ++i) {
		const char *object = params_differ_object_at(group, values, i);

		if (strcmp(object, name) == 0)
			return object;
	}
	return NULL;
}

/* Appends the objects that only `a` has and, if `compares` is set, what differs in those that both
 * have. */
static int params_differ_compare_objects(const struct param_group *group, const void *a,
					 const void *b, bool compares, struct buf *keys)
{
	int err = 0;

	for (size_t i = 0; i < params_differ_objects_of(group, a) && !err; ++i) {
		const char *object = params_differ_object_at(group, a, i);
		const char *other = params_differ_find_object(group, b, object);

		if (!other)
			err = buf_printf(keys, "%s[%s %s]", keys->len ? ", " : "", group->section,
					 object);
		else if (compares)
			err = params_differ_compare_rows(group->rows, group->count, object, object,
							 other, keys);
	}
	return err;
}

int params_differ(const struct params *params, const void *a, const void *b, const char *except,
		  struct buf *keys)
{
	int err = params_differ_compare_rows(params->rows, params->count, NULL, a, b, keys);

	for (size_t i = 0; i < params->groups_count && !err; ++i) {
		const struct param_group *group = &params->groups[i];

		if (except && strcmp(group->section, except) == 0)
			continue;
		err = params_differ_compare_objects(group, a, b, true, keys);
		if (!err)
			err = params_differ_compare_objects(group, b, a, false, keys);
	}
	return err;
}
