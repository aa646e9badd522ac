/*
 * settings.h: what a client may set, the same on every socket and in REST.
 *
 * Settings are sticky: a message contains some of them, and a connection keeps all.  Each is one
 * row of the table in settings.c: name, type, range, default.
 *
 * Settings hold a reference: they must be copied by settings_copy, merged by settings_merge and
 * released by settings_reset.
 */
#ifndef WIRE_SETTINGS_H
#define WIRE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pipeline.h"
#include "base/json.h"
#include "text/chunker.h"
#include "wire/fault.h"

/* The bit of a field is set in `set` if it was given. */
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
	SETTING_DICTIONARY_IDS = 1 << 15,
	SETTING_PROJECT_ID = 1 << 16,
	SETTING_SEED = 1 << 17,
};

#define SETTINGS_LANGUAGE_SIZE 4
#define SETTINGS_DICTIONARIES_MAX 50

/* An immutable list that all copies of its settings share: every idle connection has settings, and
 * few of them name dictionaries. */
struct settings_ids {
	size_t count;
	int64_t ids[]; /* in the order in which they were sent */
};

/* Every idle connection has one, so it is kept small. */
struct settings {
	unsigned set;
	char language[SETTINGS_LANGUAGE_SIZE]; /* "" means the language of the voice */
	int64_t voice_id;
	int64_t project_id;
	struct settings_ids *dictionary_ids; /* if it is set, NULL means the empty list */
	const char *model_id; /* a static string */
	double cfg_scale; /* clamped to its range */
	double temperature;
	double speed;
	struct audio_format format; /* as set by output_format */
	uint32_t seed;
	uint16_t sample_rate; /* as sent by the client; see settings_format */
	uint16_t max_new_tokens;
	uint16_t flush_timeout_ms;
	uint16_t max_buffer_length;
	uint16_t schedule[CHUNKER_SCHEDULE_MAX];
	uint8_t schedule_len;
	bool auto_mode;
	bool normalize;
	bool word_timestamps;
	uint8_t markup; /* flags of text/markup.h; set by the API, not by clients */
	/* Alignments are relative to the start of the context, not of the chunk. */
	bool context_times;
};

/* What a connection starts with: `set` is 0, and every value is its default. */
extern const struct settings settings_default;

/* The languages that clients can name, with their names in English.  The first is English; the list
 * ends with an empty code. */
struct settings_language {
	char code[SETTINGS_LANGUAGE_SIZE];
	const char *name;
};
extern const struct settings_language settings_languages[];

/* The models that clients can name, terminated by NULL, and the default model.  They are defined by
 * the native API (src/doors). */
extern const char *const settings_model_ids[];
extern const char settings_model_default[];

/* The values of output_format, terminated by NULL, and of sample_rate, terminated by 0. */
extern const char *const settings_format_names[];
extern const uint16_t settings_sample_rates[];

#define SETTINGS_SCHEDULE_ENTRY_MAX 10000 /* a larger entry could only mean "never" */

/* A row of the table, for the descriptions of the API. */
enum settings_kind {
	SETTINGS_BOOL,
	SETTINGS_NUMBER,
	SETTINGS_CLAMPED, /* a number that is clamped to its range */
	SETTINGS_SHORT, /* an integer with a range and a default */
	SETTINGS_SEED, /* an integer with a range and no default */
	SETTINGS_INTEGER,
	SETTINGS_VOICE,
	SETTINGS_MODEL,
	SETTINGS_RATE,
	SETTINGS_FORMAT,
	SETTINGS_LANGUAGE,
	SETTINGS_SCHEDULE,
	SETTINGS_DICTIONARIES,
};

struct settings_row {
	const char *name;
	enum settings_kind kind;
	bool is_updatable; /* by update_settings */
	double min, max;
	const void *default_value; /* its member of settings_default; NULL: it has no effect */
};

/* Returns the row at an index; false after the last one. */
bool settings_row(struct settings_row *row, size_t at);

/* Copies settings.  `to` is overwritten without being released. */
void settings_copy(struct settings *to, const struct settings *from);

/* Releases what the settings hold. */
void settings_reset(struct settings *settings);

/* Sets exactly these dictionaries.  Returns EINVAL with the fault filled in if there is no
 * memory. */
int settings_set_dictionaries(struct settings *settings, struct stream_fault *fault,
			      const int64_t *ids, size_t count);

/* Merges what `from` has set into `to`.  Of output_format and sample_rate the one written last
 * wins: a new one without the other replaces an older other one, so that a sticky setting cannot
 * conflict with a new one. */
void settings_merge(struct settings *to, const struct settings *from);

/* Combines output_format and sample_rate.  Returns EINVAL if they conflict; a sample_rate of 24000
 * next to any output_format is a client's default, and ignored. */
int settings_format(struct audio_format *format, const struct settings *settings);

/* Finds the code of a language that clients may name: "de", "DE", "de-DE" and "de_DE" are all
 * "de".  Returns EINVAL for an unknown one. */
int settings_language(char code[SETTINGS_LANGUAGE_SIZE], const char *text, size_t len);

/* A voice as a client names it.  It is part of a message and not of the settings, because settings
 * are kept; the recipient of the message looks up the voice's number. */
struct settings_name {
	const char *text; /* without a NUL; NULL: the voice was given by its number */
	size_t len;
};

/* Reads settings from the members of a JSON object, one at a time, into a struct whose other values
 * stay as they are.  A null value counts as absent. */
struct settings_reader {
	struct settings *settings;
	struct json *json;
	struct stream_fault *fault;
	/* The value of `model`, which is used if model_id is absent. */
	struct json_value legacy_model;
	struct settings_name voice_name; /* if it is set, voice_id is 0, which no voice has */
};

/* Reads one member.  Returns ENOENT if the key is not a setting (the value has not been read), or
 * EINVAL with the fault filled in unless the JSON is broken. */
int settings_read(struct settings_reader *reader, const struct json_value *key,
		  const struct json_value *value);

/* The same inside update_settings, which may contain only what can change while the voice stays the
 * same; other settings are faults. */
int settings_read_update(struct settings_reader *reader, const struct json_value *key,
			 const struct json_value *value);

/* To be called after the last member: checks what can only be decided for the whole object. */
int settings_read_end(struct settings_reader *reader);

#endif
