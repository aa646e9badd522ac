/*
 * greeting.c: what a worker says of its engine before it is READY: voices, and
 * notes for the operator.
 *
 * It is read whole when READY has come: a worker that dies in the middle of its
 * list has said nothing.  Lists are bounded, because an engine may be anybody's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "speech/pool_private.h"

/* eSpeak NG has some two hundred with its variants. */
#define GREETING_VOICES_MAX 4096
#define GREETING_NOTES_MAX 64

/* Room is made for so many at a time. */
#define GREETING_STEP 64

/* What fits of a string, up to its last whole character, and a NUL. */
static void greeting_copy(char *to, size_t size, const struct message_str *from)
{
	size_t len = from->len;

	if (len >= size) {
		len = size - 1;
		while (len > 0 && ((uint8_t)from->bytes[len] & 0xc0) == 0x80)
			--len;
	}
	memset(to, 0, size);
	memcpy(to, from->bytes, len);
}

static unsigned greeting_features(uint32_t capabilities)
{
	return (capabilities & MESSAGE_OWN_PITCH ? VOICE_HAS_PITCH : 0u) |
	       (capabilities & MESSAGE_VARIANTS ? VOICE_HAS_VARIANTS : 0u);
}

/* Room for one more of `count`, in an array that grows by GREETING_STEP. */
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
	greeting_copy(voice->engine_voice, sizeof(voice->engine_voice), &offered->name);
	greeting_copy(voice->language, sizeof(voice->language), &offered->language);
	greeting_copy(voice->name, sizeof(voice->name), &offered->title);
	greeting_copy(voice->licence, sizeof(voice->licence), &offered->licence);
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

static int greeting_add_note(struct greeting *greeting, const struct message_note *offered)
{
	struct note *note;

	if (greeting->note_count == GREETING_NOTES_MAX)
		return 0;
	if (greeting_make_room(&greeting->notes, greeting->note_count, sizeof(*note)) != 0)
		return ENOMEM;
	note = &greeting->notes[greeting->note_count++];
	greeting_copy(note->about, sizeof(note->about), &offered->about);
	greeting_copy(note->text, sizeof(note->text), &offered->text);
	return 0;
}

/* Messages of types that are not known here are of a later version, and ignored. */
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
			err = greeting_add_note(greeting, &message.note);
		if (message.type != MESSAGE_READY)
			continue;
		greeting->capabilities = message.ready.capabilities;
		greeting_set_features(greeting, greeting->capabilities);
		return 0;
	}
	greeting_reset(greeting);
	return err == ENOMEM ? err : EPROTO;
}

bool greeting_has_note(const struct greeting *greeting, const struct note *note)
{
	for (size_t i = 0; i < greeting->note_count; ++i) {
		if (strcmp(greeting->notes[i].about, note->about) == 0 &&
		    strcmp(greeting->notes[i].text, note->text) == 0)
			return true;
	}
	return false;
}

void greeting_reset(struct greeting *greeting)
{
	free(greeting->voices);
	free(greeting->notes);
	*greeting = (struct greeting){0};
}
