/*
 * voice_message.h: what a client may say of a derived voice over REST.
 *
 * Strings point into the body, which is overwritten, and end with a NUL.
 */
#ifndef WIRE_VOICE_MESSAGE_H
#define WIRE_VOICE_MESSAGE_H

#include "wire/rest_body.h"

/* Code points. */
#define VOICE_MESSAGE_NAME_MAX 200
#define VOICE_MESSAGE_TEXT_MAX 2000

/* All codes that there are, with a comma between them. */
#define VOICE_MESSAGE_LANGUAGES_SIZE 192

enum {
	VOICE_MESSAGE_NAME = 1 << 0,
	VOICE_MESSAGE_BASE = 1 << 1,
	VOICE_MESSAGE_PITCH = 1 << 2,
	VOICE_MESSAGE_RATE = 1 << 3,
	VOICE_MESSAGE_VARIANT = 1 << 4,
	VOICE_MESSAGE_DESCRIPTION = 1 << 5,
	VOICE_MESSAGE_GENERATIVE = 1 << 6,
	VOICE_MESSAGE_SAMPLE_TEXT = 1 << 7,
	VOICE_MESSAGE_SEX = 1 << 8,
	VOICE_MESSAGE_AGE = 1 << 9,
	VOICE_MESSAGE_CATEGORY = 1 << 10,
	VOICE_MESSAGE_QUALITY = 1 << 11,
	VOICE_MESSAGE_LANGUAGES = 1 << 12,
	VOICE_MESSAGE_PUBLIC = 1 << 13,
};

struct voice_message {
	unsigned fields; /* bits of those that were given */
	const char *name;
	int64_t base_id; /* 0: named by its handle */
	const char *base_handle;
	double pitch, rate;
	const char *variant; /* NULL: the base's own; so with all that follow */
	const char *description, *generative_description, *sample_text;
	const char *sex, *age, *category, *quality; /* words of the tables */
	char languages[VOICE_MESSAGE_LANGUAGES_SIZE]; /* "de,en"; "": the base's */
	bool is_public;
};

/* A key of the body, for descriptions of the API. */
enum voice_message_kind {
	VOICE_MESSAGE_TEXT,
	VOICE_MESSAGE_CHOICE,
	VOICE_MESSAGE_NUMBER,
	VOICE_MESSAGE_OTHER,
};

struct voice_message_row {
	const char *name;
	enum voice_message_kind kind;
	double min, max; /* of a number, or of a text's length */
	const char *const *words; /* of a choice; NULL at the end */
	bool is_nullable;
};

/* The row at an index: false after the last one. */
bool voice_message_row(struct voice_message_row *row, size_t at);

/* The whole body of a new voice, or of a change.  EINVAL with the fault filled in. */
int voice_message_parse(struct voice_message *message, struct stream_fault *fault, char *text,
			size_t len, bool is_new);

/* ElevenLabs' settings of a voice: `speed` is the rate, other keys are ignored.  EINVAL
 * with the fault filled in. */
int voice_message_parse_settings(struct voice_message *message, struct stream_fault *fault,
				 char *text, size_t len);

bool voice_message_has_category(const char *category);

#endif
