/*
 * local_voice.c: starts the engine of one voice, without a server (see local_voice.h).
 *
 * For ids and names in the built-in table and vendors' names for voices, the engines that can
 * speak them are known without starting any. For any other voice, the engines that start quickly
 * are asked first.
 */
#include "cli/local_voice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/voice_list.h"
#include "doors/doors_local.h"

/* Without its runtime library the neural engine has no voices, so it need not be started. */
static bool local_voice_lacks_runtime(const struct config *config, const char *engine)
{
	char path[2 * PARAM_STRING_SIZE];

	snprintf(path, sizeof(path), "%s/libonnxruntime.so", config->voices_dir);
	return strcmp(engine, ENGINES_WITH_VOICES_DIR) == 0 && access(path, R_OK) != 0;
}

static const struct voice_row *local_voice_row(int64_t id)
{
	for (size_t i = 0; i < voice_table_len; ++i) {
		if (voice_table[i].id == id)
			return &voice_table[i];
	}
	return NULL;
}

/* Starts the best engine that speaks a voice of the table. ENOENT if none of them is installed. */
static int local_voice_open_row(struct local_speech *speech, const struct config *config,
				int64_t id)
{
	const struct voice_row *row = local_voice_row(id);

	for (size_t i = 0; row && i < VOICE_SPEAKERS_MAX && row->speakers[i].engine; ++i) {
		const struct engines_choice choice = {.only = row->speakers[i].engine};
		int err;

		if (local_voice_lacks_runtime(config, choice.only))
			continue;
		err = local_speech_open_some(speech, config, &choice);
		if (err && err != ENOENT)
			return err;
		if (!err && voices_find(pool_voices(speech->pool), id))
			return 0;
		local_speech_close(speech);
	}
	return ENOENT;
}

/* Writes the ids that a name can mean in the table, the best one first, terminated by 0. */
static void local_voice_ids(int64_t ids[VOICE_SPEAKERS_MAX + 1], const char *name)
{
	const int64_t *choices = doors_local_voice(name, strlen(name));
	size_t count = 0;

	if (voice_list_is_id(&ids[0], name))
		count = 1;
	for (size_t i = 0; count == 0 && i < voice_table_len; ++i) {
		if (strcasecmp(voice_table[i].name, name) == 0)
			ids[count++] = voice_table[i].id;
	}
	for (; count < VOICE_SPEAKERS_MAX && choices && *choices; ++choices)
		ids[count++] = *choices;
	ids[count] = 0;
}

/* Whether the engines that were started have the voice. */
static int local_voice_find(int64_t *id, const struct local_speech *speech, const char *name,
			    char *why, size_t why_size)
{
	const struct voices *voices = pool_voices(speech->pool);
	struct voice_list list = {0};
	int err;

	if (voice_list_is_id(id, name))
		return voices_find(voices, *id) ? 0 : ENOENT;
	snprintf(why, why_size, "out of memory");
	err = voice_list_copy(&list, voices);
	if (!err)
		err = voice_list_find(id, &list, name, why, why_size);
	voice_list_reset(&list);
	return err;
}

int local_voice_open(struct local_speech *speech, int64_t *id, const struct config *config,
		     const char *name)
{
	static const struct engines_choice quick = {.but = ENGINES_WITH_VOICES_DIR};
	int64_t ids[VOICE_SPEAKERS_MAX + 1];
	char why[600];
	int err = ENOENT;

	local_voice_ids(ids, name);
	for (size_t i = 0; err == ENOENT && ids[i]; ++i) {
		err = local_voice_open_row(speech, config, ids[i]);
		*id = ids[i];
	}
	if (err != ENOENT)
		return err;
	if (local_speech_open_some(speech, config, &quick) == 0) {
		if (local_voice_find(id, speech, name, why, sizeof(why)) == 0)
			return 0;
		local_speech_close(speech);
	}
	err = local_speech_open(speech, config);
	if (err)
		return err;
	err = local_voice_find(id, speech, name, why, sizeof(why));
	if (!err || voice_list_is_id(id, name))
		return 0;
	fprintf(stderr, "syrinx say: %s\n", why);
	local_speech_close(speech);
	return err;
}
