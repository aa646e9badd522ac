/*
 * settings.h: what a client may set, the same on every socket and in REST.
 *
 * Settings are sticky: a message carries some of them, a connection keeps all.
 * Each is one row of the table in settings.c: name, type, range, default.
 *
 * Settings hold a reference: they are copied by settings_copy, taken over by
 * settings_merge and ended by settings_reset.
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

/* The bit of a field in `set` says that it was given. */
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

/* A list that never changes and is shared by all copies of its settings: every
 * idle connection has settings, and few of them name dictionaries. */
struct settings_ids {
	size_t count;
	int64_t ids[]; /* as they were sent */
};

/* Every idle connection has one: it is kept small. */
struct settings {
	unsigned set;
	char language[SETTINGS_LANGUAGE_SIZE]; /* "" is the voice's own */
	int64_t voice_id;
	int64_t project_id;
	struct settings_ids *dictionary_ids; /* NULL: the empty list, when it is set */
	const char *model_id; /* of a table: it stays */
	double cfg_scale; /* clamped */
	double temperature;
	double speed;
	struct audio_format format; /* as output_format said */
	uint32_t seed;
	uint16_t sample_rate; /* as sent; see settings_format */
	uint16_t max_new_tokens;
	uint16_t flush_timeout_ms;
	uint16_t max_buffer_length;
	uint16_t schedule[CHUNKER_SCHEDULE_MAX];
	uint8_t schedule_len;
	bool auto_mode;
	bool normalize;
	bool word_timestamps;
	uint8_t markup; /* flags of text/markup.h: of the API, no client sets them by name */
	bool context_times; /* alignments count from the start of the context, not of the chunk */
};

/* What a connection starts with: `set` is 0, every value its default. */
extern const struct settings settings_default;

/* The languages that clients can name, with their names in English; the first is English, an empty
 * code is at the end. */
struct settings_language {
	char code[SETTINGS_LANGUAGE_SIZE];
	const char *name;
};
extern const struct settings_language settings_languages[];

/* The models that clients can name, up to a NULL, and the one that is meant without a name: data of
 * the native API (src/doors). */
extern const char *const settings_model_ids[];
extern const char settings_model_default[];

/* What output_format can name, with NULL at the end, and sample_rate, with 0 at the end. */
extern const char *const settings_format_names[];
extern const uint16_t settings_sample_rates[];

#define SETTINGS_SCHEDULE_ENTRY_MAX 10000 /* a larger entry could only mean "never" */

/* A row of the table, for descriptions of the API. */
enum settings_kind {
	SETTINGS_BOOL,
	SETTINGS_NUMBER,
	SETTINGS_CLAMPED, /* a number that is moved into its range */
	SETTINGS_SHORT, /* an integer with a range and a default */
	SETTINGS_SEED, /* an integer with a range; by default there is none */
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
	const void *usual; /* its member of settings_default; NULL: it has no effect */
};

/* The row at an index: false after the last one. */
bool settings_row(struct settings_row *row, size_t at);

/* `to` holds nothing before. */
void settings_copy(struct settings *to, const struct settings *from);

/* The end of settings: lets go of what they hold. */
void settings_reset(struct settings *settings);

/* These dictionaries and no others.  EINVAL with the fault filled in when there is no memory. */
int settings_set_dictionaries(struct settings *settings, struct stream_fault *fault,
			      const int64_t *ids, size_t count);

/* Takes over what `from` has set.  Of output_format and sample_rate the last
 * written wins: either one alone takes the place of an older other one, so
 * that what was sticky cannot conflict with what is new. */
void settings_merge(struct settings *to, const struct settings *from);

/* The format that output_format and sample_rate mean together: EINVAL for a
 * conflict (24000 beside any token is a client's default, and ignored). */
int settings_format(struct audio_format *format, const struct settings *settings);

/* The code of a language that clients may name: "de", "DE", "de-DE" and "de_DE"
 * are all "de".  EINVAL for one that is not among them. */
int settings_language(char code[SETTINGS_LANGUAGE_SIZE], const char *text, size_t len);

/* A voice as a client names it.  Not among the settings, which are kept: it is a part
 * of the message, and whoever takes the message finds its number. */
struct settings_name {
	const char *text; /* no NUL behind it; NULL: it was named by its number */
	size_t len;
};

/* Reads settings from the members of a JSON object, one at a time, into a
 * struct whose other values stay as they are.  null is as absent. */
struct settings_reader {
	struct settings *settings;
	struct json *json;
	struct stream_fault *fault;
	struct json_value legacy_model; /* `model`: counts when model_id is absent */
	struct settings_name voice_name; /* then voice_id is 0, which is no voice's */
};

/* One member.  ENOENT when its key is no setting's (the value is unread);
 * EINVAL with the fault filled in, unless it is the JSON that is broken. */
int settings_read(struct settings_reader *reader, const struct json_value *key,
		  const struct json_value *value);

/* The same inside update_settings, which may carry only what can change while
 * the voice stays: the other settings are faults. */
int settings_read_update(struct settings_reader *reader, const struct json_value *key,
			 const struct json_value *value);

/* After the last member: what only the whole object can tell. */
int settings_read_end(struct settings_reader *reader);

#endif
