/*
 * voice_row.c: rows of derived voices that own their strings (see voice_row.h).
 */
#include "store/voice_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

#define AT(member) offsetof(struct store_voice, member)

static const struct {
	unsigned bit;
	size_t offset;
} voice_row_strings[] = {
	{STORE_VOICE_NAME, AT(name)},
	{STORE_VOICE_VARIANT, AT(variant)},
	{STORE_VOICE_DESCRIPTION, AT(description)},
	{STORE_VOICE_GENERATIVE, AT(generative_description)},
	{STORE_VOICE_SAMPLE_TEXT, AT(sample_text)},
	{STORE_VOICE_SEX, AT(sex)},
	{STORE_VOICE_AGE, AT(age)},
	{STORE_VOICE_CATEGORY, AT(category)},
	{STORE_VOICE_QUALITY, AT(quality)},
	{STORE_VOICE_LANGUAGES, AT(languages)},
};

static const char **voice_row_string_of(struct store_voice *row, size_t i)
{
	return (const char **)(void *)((char *)row + voice_row_strings[i].offset);
}

static const char *voice_row_string_in(const struct store_voice *row, size_t i)
{
	return *(const char *const *)(const void *)((const char *)row +
						    voice_row_strings[i].offset);
}

void voice_row_free(struct store_voice *row)
{
	for (size_t i = 0; i < COUNT(voice_row_strings); ++i)
		free((char *)(uintptr_t)voice_row_string_in(row, i));
}

int voice_row_copy(struct store_voice *copy, const struct store_voice *row)
{
	int err = 0;

	*copy = *row;
	for (size_t i = 0; i < COUNT(voice_row_strings); ++i) {
		const char *string = voice_row_string_in(row, i);

		*voice_row_string_of(copy, i) = string ? strdup(string) : NULL;
		if (string && !voice_row_string_in(copy, i))
			err = ENOMEM;
	}
	if (err)
		voice_row_free(copy);
	return err;
}

void voice_row_merge(struct store_voice *row, unsigned fields, const struct store_voice *from)
{
	for (size_t i = 0; i < COUNT(voice_row_strings); ++i) {
		if (fields & voice_row_strings[i].bit)
			*voice_row_string_of(row, i) = voice_row_string_in(from, i);
	}
	if (fields & STORE_VOICE_BASE)
		row->base_id = from->base_id;
	if (fields & STORE_VOICE_PITCH)
		row->pitch = from->pitch;
	if (fields & STORE_VOICE_RATE)
		row->rate = from->rate;
	if (fields & STORE_VOICE_PUBLIC)
		row->is_public = from->is_public;
	if (fields & STORE_VOICE_SAMPLED)
		row->sampled_ms = from->sampled_ms;
}
