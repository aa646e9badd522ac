/*
 * elevenlabs_address.c: the settings in the URL of an ElevenLabs WebSocket (see elevenlabs.h).
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "text/markup.h"

/* Text waits for the schedule, a flush or the end; it is never spoken only because no more text
 * arrives. */
#define NO_TIMEOUT_MS 60000

/* ElevenLabs' clients expect MP3 unless they set output_format. */
void elevenlabs_address_init(struct address_settings *address)
{
	static const uint16_t schedule[] = {120, 160, 250, 290};
	struct settings *settings = &address->settings;

	settings_copy(settings, &settings_default);
	memcpy(settings->schedule, schedule, sizeof(schedule));
	settings->schedule_len = COUNT(schedule);
	settings->flush_timeout_ms = NO_TIMEOUT_MS;
	settings->word_timestamps = true; /* clients expect alignment without requesting it */
	settings->format = (struct audio_format){AUDIO_MP3, 44100, 128};
	settings->set |= SETTING_OUTPUT_FORMAT;
	settings->markup = MARKUP_LONG_BREAKS;
	address->idle_ms = ELEVENLABS_ADDRESS_IDLE_MS;
}

static int elevenlabs_address_refuse(struct stream_fault *fault, const char *name, const char *must,
				     const char *got)
{
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must be %s (got \"%.40s\")", name,
			 must, got);
}

static bool elevenlabs_address_is_true(const char *value)
{
	return strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

static int elevenlabs_address_set_format(struct address_settings *address,
					 struct stream_fault *fault, const char *value)
{
	if (audio_format_parse(&address->settings.format, value, strlen(value)) != 0)
		return elevenlabs_address_refuse(
			fault, "output_format",
			"mp3_RATE_KBPS, pcm_RATE, ulaw_8000, alaw_8000 or opus_48000_KBPS", value);
	return 0;
}

static int elevenlabs_address_set_language(struct address_settings *address,
					   struct stream_fault *fault, const char *value)
{
	struct settings *settings = &address->settings;

	if (settings_language(settings->language, value, strlen(value)) != 0)
		return elevenlabs_address_refuse(fault, "language_code",
						 "the code of a supported language", value);
	settings->set |= SETTING_LANGUAGE;
	return 0;
}

static int elevenlabs_address_set_idle(struct address_settings *address, struct stream_fault *fault,
				       const char *value)
{
	char *end;
	long seconds = strtol(value, &end, 10);

	if (end == value || *end || seconds < ELEVENLABS_ADDRESS_IDLE_MIN_S ||
	    seconds > ELEVENLABS_ADDRESS_IDLE_MAX_S)
		return elevenlabs_address_refuse(fault, "inactivity_timeout", "between 1 and 180",
						 value);
	address->idle_ms = (unsigned)seconds * 1000;
	return 0;
}

static int elevenlabs_address_set_auto_mode(struct address_settings *address,
					    struct stream_fault *fault, const char *value)
{
	(void)fault;
	address->settings.auto_mode = elevenlabs_address_is_true(value);
	return 0;
}

static int elevenlabs_address_set_normalization(struct address_settings *address,
						struct stream_fault *fault, const char *value)
{
	if (strcmp(value, "auto") != 0 && strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return elevenlabs_address_refuse(fault, "apply_text_normalization",
						 "auto, on or off", value);
	address->settings.normalize = strcmp(value, "off") != 0;
	return 0;
}

static int elevenlabs_address_set_seed(struct address_settings *address, struct stream_fault *fault,
				       const char *value)
{
	struct settings *settings = &address->settings;
	size_t digits = strspn(value, "0123456789");
	unsigned long long seed = strtoull(value, NULL, 10);

	if (digits == 0 || value[digits] || seed > UINT32_MAX)
		return elevenlabs_address_refuse(fault, "seed", "between 0 and 4294967295", value);
	settings->seed = (uint32_t)seed;
	settings->set |= SETTING_SEED;
	return 0;
}

static int elevenlabs_address_set_sync_alignment(struct address_settings *address,
						 struct stream_fault *fault, const char *value)
{
	(void)fault;
	address->settings.context_times = elevenlabs_address_is_true(value);
	return 0;
}

static int elevenlabs_address_set_model(struct address_settings *address,
					struct stream_fault *fault, const char *value)
{
	(void)fault;
	if (elevenlabs_body_has_audio_tags(value, strlen(value)))
		address->settings.markup |= MARKUP_AUDIO_TAGS;
	return 0;
}

const struct address_field elevenlabs_address_fields[] = {
	{"output_format", elevenlabs_address_set_format},
	{"language_code", elevenlabs_address_set_language},
	{"inactivity_timeout", elevenlabs_address_set_idle},
	{"auto_mode", elevenlabs_address_set_auto_mode},
	{"apply_text_normalization", elevenlabs_address_set_normalization},
	{"seed", elevenlabs_address_set_seed},
	{"sync_alignment", elevenlabs_address_set_sync_alignment},
	{"model_id", elevenlabs_address_set_model},
	{NULL, NULL},
};
