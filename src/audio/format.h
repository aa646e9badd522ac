/*
 * format.h: the output formats of audio, as one table.
 *
 * Every API that names formats takes the names from here. Pure; usable on any thread.
 */
#ifndef AUDIO_FORMAT_H
#define AUDIO_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum audio_encoding {
	AUDIO_PCM16,
	AUDIO_MULAW,
	AUDIO_ALAW,
	AUDIO_WAV, /* PCM16 after a header of unknown length */
	AUDIO_MP3,
	AUDIO_OPUS, /* in Ogg pages */
	AUDIO_FLAC,
	AUDIO_AAC, /* in ADTS frames */
	AUDIO_ENCODING_COUNT
};

struct audio_format {
	enum audio_encoding encoding;
	unsigned sample_rate; /* one of audio_format_rates */
	unsigned bitrate_kbps; /* of MP3, Opus and AAC; 0 for the others */
};

/* The list ends with 0. */
extern const unsigned audio_format_rates[];
bool audio_format_has_rate(unsigned sample_rate);

/* The value of a frame's `enc` and of X-Audio-Format: "pcm_s16le", "mp3". */
const char *audio_format_encoding(enum audio_encoding encoding);
const char *audio_format_content_type(enum audio_encoding encoding);

/* True when the pipeline produces PCM16 for this format, which an encoder (encoder.h) then
 * converts. */
bool audio_format_needs_encoder(enum audio_encoding encoding);

/* Parses a token: pcm_RATE, ulaw_8000, alaw_8000, mp3_RATE_KBPS, opus_48000_KBPS, wav_RATE,
 * flac_RATE, aac_24000_64, or wav, flac, mp3, opus and aac alone, which select a default rate.
 * ENOENT for an unknown token. */
int audio_format_parse(struct audio_format *format, const char *token, size_t len);

/* The token at an index of the table; NULL after the last one. */
const char *audio_format_token(size_t at);

/* The token of a format; NULL when it has none. */
const char *audio_format_name(const struct audio_format *format);

#endif
