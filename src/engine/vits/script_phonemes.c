/*
 * script_phonemes.c: eSpeak NG's phonemes for a piece of text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eSpeak NG is under the GPL, version 3 or later, and so is a program that
 * links it.
 *
 * The library keeps all its state in globals: one lock is around every call of
 * it, held for one piece.  It is never initialised twice, and never ended: both
 * can wait for ever.
 */
#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "engine/espeak_start.h"
#include "engine/espeak_text.h"
#include "engine/vits/script_private.h"

/* espeak_TextToPhonemes: IPA, without ties or separators between phonemes. */
#define MODE_IPA 0x02

static struct {
	pthread_mutex_t lock;
	bool is_open;
	char voice[MODEL_FILE_NAME_MAX]; /* the library's current voice; "": not known */
} script_phonemes_espeak = {.lock = PTHREAD_MUTEX_INITIALIZER};

int script_open(void)
{
	uint32_t rate; /* the sample rate, which is not used */
	int err;

	pthread_mutex_lock(&script_phonemes_espeak.lock);
	if (!script_phonemes_espeak.is_open)
		script_phonemes_espeak.is_open = espeak_start(&rate, 0) == 0;
	err = script_phonemes_espeak.is_open ? 0 : EIO;
	pthread_mutex_unlock(&script_phonemes_espeak.lock);
	return err;
}

/* Voices are identified by the name of a file or, if there is no such file, by their language
 * ("en-gb"). Setting one reads its file, so it is done only when the voice changes. Without
 * any voice the library crashes. */
static int script_phonemes_set_voice(const char *name)
{
	espeak_VOICE language = {.languages = name};

	if (!script_phonemes_espeak.is_open)
		return EIO;
	if (name[0] == '\0' || strlen(name) >= sizeof(script_phonemes_espeak.voice))
		return ENOENT;
	if (strcmp(name, script_phonemes_espeak.voice) == 0)
		return 0;
	script_phonemes_espeak.voice[0] = '\0';
	if (espeak_SetVoiceByName(name) != EE_OK && espeak_SetVoiceByProperties(&language) != EE_OK)
		return ENOENT;
	snprintf(script_phonemes_espeak.voice, sizeof(script_phonemes_espeak.voice), "%s", name);
	return 0;
}

int script_check_voice(const char *espeak_voice)
{
	int err;

	pthread_mutex_lock(&script_phonemes_espeak.lock);
	err = script_phonemes_set_voice(espeak_voice);
	pthread_mutex_unlock(&script_phonemes_espeak.lock);
	return err;
}

int script_phonemes_add(struct script_phonemes *list, uint32_t code_point, uint32_t word)
{
	if (list->count == list->size) {
		size_t size = list->size ? 2 * list->size : 64;
		struct script_phoneme *more = realloc(list->items, size * sizeof(*more));

		if (!more)
			return ENOMEM;
		list->items = more;
		list->size = size;
	}
	list->items[list->count++] = (struct script_phoneme){code_point, word};
	return 0;
}

/* Appends the pronunciation of one clause. A word in another language is enclosed by the names
 * of the languages in brackets: "(en)wiːkˈɛnd(fr)". */
static int script_phonemes_add_clause(struct script_phonemes *list, size_t from, const char *ipa,
				      uint32_t word)
{
	size_t left = strlen(ipa);
	bool bracket = false;
	int err = 0;

	if (list->count > from && left > 0)
		err = script_phonemes_add(list, ' ', word);
	while (!err && left > 0) {
		uint32_t c;
		size_t len = utf8_decode(&c, ipa, left);

		ipa += len;
		left -= len;
		if (c == '(' || c == ')')
			bracket = c == '(';
		else if (!bracket && (c != ' ' || (list->count > from &&
						   list->items[list->count - 1].code_point != ' ')))
			err = script_phonemes_add(list, c == '\n' ? ' ' : c, word);
	}
	return err;
}

/* The library reads a character ahead and keeps it for the next call, so it is called until
 * nothing is left, even after the last byte. A text has at most as many clauses as bytes; the
 * limit guards against a library that makes no progress. */
static int script_phonemes_speak_clauses(struct script_phonemes *list, const char *text,
					 uint32_t word)
{
	const void *at = text;
	size_t from = list->count;
	size_t most = strlen(text) + 2;
	int err = 0;

	for (size_t i = 0; i < most && at && !err; ++i) {
		const char *ipa = espeak_TextToPhonemes(&at, espeakCHARS_UTF8, MODE_IPA);

		err = ipa ? script_phonemes_add_clause(list, from, ipa, word) : 0;
	}
	while (list->count > from && list->items[list->count - 1].code_point == ' ')
		--list->count;
	return err;
}

int script_phonemes_speak(struct script_phonemes *list, const char *espeak_voice, const char *text,
			  size_t len, uint32_t word)
{
	const struct engine_text given = {.text = text, .text_len = len};
	struct espeak_text *prepared;
	int err = espeak_text_alloc(&prepared, &given, espeak_voice, NULL, NULL);

	if (err)
		return err;
	pthread_mutex_lock(&script_phonemes_espeak.lock);
	err = script_phonemes_set_voice(espeak_voice);
	if (!err)
		err = script_phonemes_speak_clauses(list, prepared->text.bytes, word);
	pthread_mutex_unlock(&script_phonemes_espeak.lock);
	mem_deref(prepared);
	return err;
}
