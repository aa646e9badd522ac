/*
 * stream_message.h: what a client may say on /ws/tts/stream.
 *
 * One JSON object per message; roles combine (settings, text and flush in one
 * object).  A message with any invalid field has no effect at all, so it is
 * parsed and checked whole before anything of it counts.
 */
#ifndef WIRE_STREAM_MESSAGE_H
#define WIRE_STREAM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pipeline.h"
#include "text/chunker.h"
#include "wire/error.h"

/* Settings are sticky: a message carries some, the connection keeps all.  The
 * bit of a field in `set` says that it was given. */
enum {
	SETTING_VOICE_ID = 1 << 0,
	SETTING_MODEL_ID = 1 << 1,
	SETTING_CFG_SCALE = 1 << 2,
	SETTING_TEMPERATURE = 1 << 3,
	SETTING_MAX_NEW_TOKENS = 1 << 4,
	SETTING_SAMPLE_RATE = 1 << 5,
	SETTING_OUTPUT_FORMAT = 1 << 6,
	SETTING_NORMALIZE = 1 << 7,
	SETTING_LANGUAGE = 1 << 8,
	SETTING_SPEED = 1 << 9,
	SETTING_WORD_TIMESTAMPS = 1 << 10,
	SETTING_FLUSH_TIMEOUT = 1 << 11,
	SETTING_MAX_BUFFER = 1 << 12,
	SETTING_SCHEDULE = 1 << 13,
	SETTING_AUTO_MODE = 1 << 14,
	SETTING_DICTIONARY_IDS = 1 << 15, /* the empty list: none yet can be named */
};

#define SETTINGS_MODEL_MAX 24

struct settings {
	unsigned set;
	int64_t voice_id;
	char model_id[SETTINGS_MODEL_MAX];
	double cfg_scale; /* clamped */
	double temperature;
	int max_new_tokens;
	unsigned sample_rate;	    /* as sent; see settings_format */
	struct audio_format format; /* as output_format said */
	bool normalize;
	char language[4]; /* "" is the voice's own */
	double speed;
	bool word_timestamps;
	unsigned flush_timeout_ms;
	unsigned max_buffer_length;
	unsigned schedule[CHUNKER_SCHEDULE_MAX];
	size_t schedule_len;
	bool auto_mode;
};

/* What a connection starts with: `set` is 0, every value its default. */
extern const struct settings settings_default;

/* Takes over what `from` has set. */
void settings_merge(struct settings *to, const struct settings *from);

/* The format that output_format and sample_rate mean together: EINVAL for a
 * conflict (24000 beside any token is a client's default, and ignored). */
int settings_format(struct audio_format *format, const struct settings *settings);

struct stream_message {
	struct settings settings;
	bool has_text;
	char *text; /* decoded, UTF-8, in the scratch given to the parser */
	size_t text_len;
	uint16_t text_surrogate; /* the text ends in half a pair: the high half; else 0 */
	bool flush;
	bool close; /* close or end_session */
	bool close_socket;
	bool cancel;
	bool report;		 /* with cancel */
	int64_t playback_offset_ms; /* with cancel; -1 is absent */
	bool has_update;
	struct settings update; /* update_settings: only its six keys may be set */
};

/* Why a message was refused: the text names the field and the place. */
struct stream_fault {
	enum wire_error_id id;
	char detail[160];
};

/*
 * Parses one message in place: `json` is overwritten by decoded strings, and
 * message->text points into it.  `surrogate` is the high half that the text
 * before ended in (0: none): a low half at this text's start is joined to it,
 * else U+FFFD stands for it.  EINVAL with the fault filled in.
 */
int stream_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			 size_t len, uint16_t surrogate);

#endif
