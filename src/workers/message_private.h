/*
 * message_private.h: how the fields of messages are written and read, shared by these files:
 *
 *   message.c          the header, the table of types, and the messages about speaking
 *   message_hearing.c  the messages about listening and decoding
 *   message_field.c    the fields that both are made of
 *
 * A writer keeps the first error of a message in *err and writes nothing after it.  The cursor of a
 * reader becomes bad at the first missing or invalid field and stays bad.  So both are checked only
 * at the end.
 */
#ifndef WORKERS_MESSAGE_PRIVATE_H
#define WORKERS_MESSAGE_PRIVATE_H

#include "workers/message.h"

struct message_cursor {
	const unsigned char *at;
	size_t left;
	bool bad;
};

/* message_field.c: numbers of n bytes, floats, strings, and bytes without a length. */
void message_put_le(unsigned char *bytes, uint64_t value, size_t n);
uint64_t message_get_le(const unsigned char *bytes, size_t n);
void message_write_int(struct buf *out, int *err, uint64_t value, size_t n);
void message_write_float(struct buf *out, int *err, float value);
void message_write_str(struct buf *out, int *err, const struct message_str *str);
void message_write_bytes(struct buf *out, int *err, const void *bytes, size_t n);
/* Samples up to the end of the payload. */
void message_write_samples(struct buf *out, int *err, const unsigned char *samples, size_t count);

uint64_t message_read_int(struct message_cursor *in, size_t n);
/* Infinity and NaN are invalid. */
float message_read_float(struct message_cursor *in);
/* A string that is not UTF-8 is invalid. */
struct message_str message_read_str(struct message_cursor *in);
/* Samples up to the end of the payload; half a sample is invalid.  Returns their number. */
size_t message_read_samples(struct message_cursor *in, const unsigned char **samples);

bool message_is_utf8(const struct message_str *str);
/* Whether a text would be cut inside a character here. */
bool message_is_inside_character(const struct message_str *text, uint32_t at);

/* message.c: the fields of WORD, which are also those of each word in WORDS. */
void message_write_word(struct buf *out, int *err, const struct message_word *word);
void message_read_word(struct message_cursor *in, struct message_word *word);

/* message_hearing.c: the payload of a message about listening or decoding.  False: the type is not one
 * of these. */
bool message_write_hearing(struct buf *out, int *err, const struct message *message);
bool message_read_hearing(struct message_cursor *in, struct message *message);

#endif
