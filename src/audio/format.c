/*
 * format.c: the table of output formats (see format.h).
 */
#include "audio/format.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"

const unsigned audio_format_rates[] = {8000, 16000, 22050, 24000, 32000, 44100, 48000, 0};

/* audio/basic is µ-law. Headerless A-law of 8 kHz has no registered type; VoiceXML 2.0
 * (appendix E) calls it audio/x-alaw-basic. */
static const struct {
	const char *name, *content_type;
	bool needs_encoder;
} format_encodings[AUDIO_ENCODING_COUNT] = {
	[AUDIO_PCM16] = {"pcm_s16le", "audio/pcm", false},
	[AUDIO_MULAW] = {"mulaw", "audio/basic", false},
	[AUDIO_ALAW] = {"alaw", "audio/x-alaw-basic", false},
	[AUDIO_WAV] = {"wav", "audio/wav", true},
	[AUDIO_MP3] = {"mp3", "audio/mpeg", true},
	[AUDIO_OPUS] = {"opus", "audio/ogg", true},
	[AUDIO_FLAC] = {"flac", "audio/flac", true},
	[AUDIO_AAC] = {"aac", "audio/aac", true},
};

/* The first row of a format has its canonical name. */
static const struct {
	const char *token;
	struct audio_format format;
} format_tokens[] = {
	{"pcm_8000", {AUDIO_PCM16, 8000, 0}},
	{"pcm_16000", {AUDIO_PCM16, 16000, 0}},
	{"pcm_22050", {AUDIO_PCM16, 22050, 0}},
	{"pcm_24000", {AUDIO_PCM16, 24000, 0}},
	{"pcm_32000", {AUDIO_PCM16, 32000, 0}},
	{"pcm_44100", {AUDIO_PCM16, 44100, 0}},
	{"pcm_48000", {AUDIO_PCM16, 48000, 0}},
	{"ulaw_8000", {AUDIO_MULAW, 8000, 0}},
	{"alaw_8000", {AUDIO_ALAW, 8000, 0}},
	{"wav_8000", {AUDIO_WAV, 8000, 0}},
	{"wav_16000", {AUDIO_WAV, 16000, 0}},
	{"wav_22050", {AUDIO_WAV, 22050, 0}},
	{"wav_24000", {AUDIO_WAV, 24000, 0}},
	{"wav_32000", {AUDIO_WAV, 32000, 0}},
	{"wav_44100", {AUDIO_WAV, 44100, 0}},
	{"wav_48000", {AUDIO_WAV, 48000, 0}},
	{"flac_8000", {AUDIO_FLAC, 8000, 0}},
	{"flac_16000", {AUDIO_FLAC, 16000, 0}},
	{"flac_22050", {AUDIO_FLAC, 22050, 0}},
	{"flac_24000", {AUDIO_FLAC, 24000, 0}},
	{"flac_32000", {AUDIO_FLAC, 32000, 0}},
	{"flac_44100", {AUDIO_FLAC, 44100, 0}},
	{"flac_48000", {AUDIO_FLAC, 48000, 0}},
	{"mp3_22050_32", {AUDIO_MP3, 22050, 32}},
	{"mp3_24000_48", {AUDIO_MP3, 24000, 48}},
	{"mp3_44100_32", {AUDIO_MP3, 44100, 32}},
	{"mp3_44100_64", {AUDIO_MP3, 44100, 64}},
	{"mp3_44100_96", {AUDIO_MP3, 44100, 96}},
	{"mp3_44100_128", {AUDIO_MP3, 44100, 128}},
	{"mp3_44100_192", {AUDIO_MP3, 44100, 192}},
	{"opus_48000_32", {AUDIO_OPUS, 48000, 32}},
	{"opus_48000_64", {AUDIO_OPUS, 48000, 64}},
	{"opus_48000_96", {AUDIO_OPUS, 48000, 96}},
	{"opus_48000_128", {AUDIO_OPUS, 48000, 128}},
	{"opus_48000_192", {AUDIO_OPUS, 48000, 192}},
	{"aac_24000_64", {AUDIO_AAC, 24000, 64}},
	{"wav", {AUDIO_WAV, 24000, 0}},
	{"flac", {AUDIO_FLAC, 24000, 0}},
	{"mp3", {AUDIO_MP3, 44100, 128}},
	{"opus", {AUDIO_OPUS, 48000, 64}},
	{"aac", {AUDIO_AAC, 24000, 64}},
};

bool audio_format_has_rate(unsigned sample_rate)
{
	for (const unsigned *rate = audio_format_rates; *rate; ++rate) {
		if (*rate == sample_rate)
			return true;
	}
	return false;
}

const char *audio_format_encoding(enum audio_encoding encoding)
{
	return format_encodings[encoding].name;
}

const char *audio_format_content_type(enum audio_encoding encoding)
{
	return format_encodings[encoding].content_type;
}

bool audio_format_needs_encoder(enum audio_encoding encoding)
{
	return format_encodings[encoding].needs_encoder;
}

int audio_format_parse(struct audio_format *format, const char *token, size_t len)
{
	for (size_t i = 0; i < COUNT(format_tokens); ++i) {
		if (strlen(format_tokens[i].token) == len &&
		    memcmp(format_tokens[i].token, token, len) == 0) {
			*format = format_tokens[i].format;
			return 0;
		}
	}
	return ENOENT;
}

const char *audio_format_token(size_t at)
{
	return at < COUNT(format_tokens) ? format_tokens[at].token : NULL;
}

const char *audio_format_name(const struct audio_format *format)
{
	for (size_t i = 0; i < COUNT(format_tokens); ++i) {
		const struct audio_format *row = &format_tokens[i].format;

		if (row->encoding == format->encoding && row->sample_rate == format->sample_rate &&
		    row->bitrate_kbps == format->bitrate_kbps)
			return format_tokens[i].token;
	}
	return NULL;
}
