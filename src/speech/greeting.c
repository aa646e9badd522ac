/*
 * greeting.c: what a worker says about its engine before READY: voices, and notes
 * for the operator.
 *
 * All of it is read when READY has arrived, so a worker that dies before changes
 * nothing.  The lists are bounded, because engines are not trusted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "speech/pool_private.h"

/* eSpeak NG has about two hundred voices, including variants. */
#define GREETING_VOICES_MAX 4096

/* The arrays grow by this many elements. */
#define GREETING_STEP 64

static unsigned greeting_features(uint32_t capabilities)
{
	return (capabilities & MESSAGE_OWN_PITCH ? VOICE_HAS_PITCH : 0u) |
	       (capabilities & MESSAGE_VARIANTS ? VOICE_HAS_VARIANTS : 0u);
}

/* Makes room for one more element in an array that has `count` elements of this size. */
static int greeting_make_room(void *arrayp, size_t count, size_t size)
{
	void **array = arrayp;
	void *grown;

	if (count % GREETING_STEP != 0)
		return 0;
	grown = realloc(*array, (count + GREETING_STEP) * size);
	if (!grown)
		return ENOMEM;
	*array = grown;
	return 0;
}

static bool greeting_is_voice(const struct message_voice *offered, const char *engine)
{
	if (offered->name.len >= VOICE_NAME_MAX ||
	    offered->language.len >= sizeof(((struct voice *)0)->language)) {
		log_warn("speech", "%s offers a voice with too long a name", engine);
		return false;
	}
	if (!speech_is_rate(offered->sample_rate)) {
		log_warn("speech", "%s offers a voice at %u Hz", engine, offered->sample_rate);
		return false;
	}
	return true;
}

static int greeting_add_voice(struct greeting *greeting, const char *engine,
			      const struct message_voice *offered)
{
	struct voice *voice;

	if (greeting->voice_count == GREETING_VOICES_MAX || !greeting_is_voice(offered, engine))
		return 0;
	if (greeting_make_room(&greeting->voices, greeting->voice_count, sizeof(*voice)) != 0)
		return ENOMEM;
	voice = &greeting->voices[greeting->voice_count++];
	*voice = (struct voice){
		.sex = offered->sex <= VOICE_MALE ? (enum voice_sex)offered->sex
						  : VOICE_SEX_UNKNOWN,
		.quality = offered->quality <= VOICE_HIGH ? (enum voice_quality)offered->quality
							  : VOICE_LOW,
		.sample_rate = offered->sample_rate,
	};
	strncpy(voice->engine, engine, sizeof(voice->engine) - 1);
	message_str_copy(voice->engine_voice, sizeof(voice->engine_voice), &offered->name);
	message_str_copy(voice->language, sizeof(voice->language), &offered->language);
	message_str_copy(voice->name, sizeof(voice->name), &offered->title);
	message_str_copy(voice->licence, sizeof(voice->licence), &offered->licence);
	return 0;
}

int greeting_expect_voice(struct greeting *greeting, const char *engine,
			  const struct voice_speaker *speaker, const char *language)
{
	struct voice *voice;

	if (greeting_make_room(&greeting->voices, greeting->voice_count, sizeof(*voice)) != 0)
		return ENOMEM;
	voice = &greeting->voices[greeting->voice_count++];
	*voice = (struct voice){.quality = speaker->quality};
	snprintf(voice->engine, sizeof(voice->engine), "%s", engine);
	snprintf(voice->engine_voice, sizeof(voice->engine_voice), "%s", speaker->engine_voice);
	snprintf(voice->language, sizeof(voice->language), "%s", language);
	return 0;
}

static void greeting_set_features(struct greeting *greeting, uint32_t capabilities)
{
	for (size_t i = 0; i < greeting->voice_count; ++i)
		greeting->voices[i].features = greeting_features(capabilities);
}

/* Messages of other types may be part of a later version, and are ignored. */
int greeting_read(struct greeting *greeting, const char *engine, const struct buf *said)
{
	struct message message;
	size_t at = 0;
	size_t used;
	int err = 0;

	*greeting = (struct greeting){0};
	while (!err && at < said->len) {
		err = message_decode(&message, &used, said->bytes + at, said->len - at);
		if (err)
			break;
		at += used;
		if (message.type == MESSAGE_VOICE)
			err = greeting_add_voice(greeting, engine, &message.voice);
		else if (message.type == MESSAGE_NOTE)
			err = notes_add(&greeting->notes, &message.note);
		if (message.type != MESSAGE_READY)
			continue;
		greeting->capabilities = message.ready.capabilities;
		greeting_set_features(greeting, greeting->capabilities);
		return 0;
	}
	greeting_reset(greeting);
	return err == ENOMEM ? err : EPROTO;
}

void greeting_reset(struct greeting *greeting)
{
	free(greeting->voices);
	notes_reset(&greeting->notes);
	*greeting = (struct greeting){0};
}
