/*
 * caller_wav.c: reads and writes WAV files of 16 bit PCM (see caller_wav.h).
 */
#include "cli/caller_wav.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* RFC 2361; the last one means that the tag is in an extension of the chunk. */
enum { TAG_PCM = 1, TAG_ALAW = 6, TAG_MULAW = 7, TAG_EXTENSIBLE = 0xfffe };

#define RIFF_LEN 12u /* "RIFF", a length, "WAVE" */
#define CHUNK_LEN 8u /* a name and a length */
#define FORMAT_LEN 16u
#define EXTENSIBLE_LEN 26u /* up to and including the tag in the extension */

struct caller_wav_reader {
	const uint8_t *at;
	size_t left;
};

static unsigned caller_wav_u16(const uint8_t *bytes)
{
	return (unsigned)bytes[0] | (unsigned)bytes[1] << 8;
}

static uint32_t caller_wav_u32(const uint8_t *bytes)
{
	return caller_wav_u16(bytes) | (uint32_t)caller_wav_u16(bytes + 2) << 16;
}

static int caller_wav_refuse(char why[CALLER_WAV_WHY_SIZE], const char *reason)
{
	snprintf(why, CALLER_WAV_WHY_SIZE, "%s", reason);
	return EINVAL;
}

static int caller_wav_take_format(struct caller_wav *wav, const uint8_t *chunk, size_t len,
				  char why[CALLER_WAV_WHY_SIZE])
{
	unsigned tag, bits;

	if (len < FORMAT_LEN)
		return caller_wav_refuse(why, "its format is incomplete");
	tag = caller_wav_u16(chunk);
	bits = caller_wav_u16(chunk + 14);
	if (tag == TAG_EXTENSIBLE && len >= EXTENSIBLE_LEN)
		tag = caller_wav_u16(chunk + 24);
	wav->channels = caller_wav_u16(chunk + 2);
	wav->rate = caller_wav_u32(chunk + 4);
	if (tag != TAG_PCM || bits != 16) {
		snprintf(why, CALLER_WAV_WHY_SIZE, "it has %u bit %s; 16 bit PCM is needed", bits,
			 tag == TAG_PCM     ? "PCM"
			 : tag == TAG_ALAW  ? "A-law"
			 : tag == TAG_MULAW ? "µ-law"
					    : "audio of another encoding");
		return EINVAL;
	}
	if (wav->channels == 0 || wav->channels > CALLER_WAV_CHANNELS_MAX) {
		snprintf(why, CALLER_WAV_WHY_SIZE, "it has %u channels; 1 to %u can be used",
			 wav->channels, CALLER_WAV_CHANNELS_MAX);
		return EINVAL;
	}
	if (wav->rate < CALLER_WAV_RATE_MIN || wav->rate > CALLER_WAV_RATE_MAX) {
		snprintf(why, CALLER_WAV_WHY_SIZE,
			 "it has %u samples per second; %u to %u can be used", wav->rate,
			 CALLER_WAV_RATE_MIN, CALLER_WAV_RATE_MAX);
		return EINVAL;
	}
	return 0;
}

/* Moves past a chunk and its padding. A chunk that claims more than there is ends the file. */
static void caller_wav_skip(struct caller_wav_reader *reader, uint32_t len)
{
	size_t step = (size_t)len + (len & 1);

	if (step > reader->left)
		step = reader->left;
	reader->at += step;
	reader->left -= step;
}

int caller_wav_parse(struct caller_wav *wav, const uint8_t *bytes, size_t len,
		     char why[CALLER_WAV_WHY_SIZE])
{
	struct caller_wav_reader reader = {bytes, len};
	struct caller_wav found = {0};
	bool has_format = false;
	int err;

	if (len < RIFF_LEN || memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0)
		return caller_wav_refuse(why, "it is not a WAV file");
	reader.at += RIFF_LEN;
	reader.left -= RIFF_LEN;
	while (reader.left >= CHUNK_LEN) {
		const uint8_t *chunk = reader.at + CHUNK_LEN;
		uint32_t chunk_len = caller_wav_u32(reader.at + 4);
		bool is_format = memcmp(reader.at, "fmt ", 4) == 0;
		bool is_audio = memcmp(reader.at, "data", 4) == 0;
		size_t here;

		reader.at += CHUNK_LEN;
		reader.left -= CHUNK_LEN;
		here = chunk_len < reader.left ? chunk_len : reader.left;
		if (is_format) {
			err = caller_wav_take_format(&found, chunk, here, why);
			if (err)
				return err;
			has_format = true;
		} else if (is_audio && !has_format) {
			break;
		} else if (is_audio) {
			found.audio = chunk;
			found.frames = (chunk_len == 0 ? reader.left : here) / 2 / found.channels;
			if (found.frames == 0)
				return caller_wav_refuse(why, "it has no audio");
			*wav = found;
			return 0;
		}
		caller_wav_skip(&reader, chunk_len);
	}
	return caller_wav_refuse(why, has_format ? "it has no audio" : "it has no format");
}

void caller_wav_mix(int16_t *out, const struct caller_wav *wav)
{
	const uint8_t *at = wav->audio;

	assert(wav->channels > 0);
	for (size_t i = 0; i < wav->frames; ++i) {
		int32_t sum = 0;

		for (unsigned channel = 0; channel < wav->channels; ++channel, at += 2)
			sum += (int16_t)caller_wav_u16(at);
		out[i] = (int16_t)(sum / (int32_t)wav->channels);
	}
}

static void caller_wav_put(uint8_t *out, uint32_t value, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		out[i] = (uint8_t)(value >> 8 * i);
}

static void caller_wav_put_name(uint8_t *out, const char *name)
{
	memcpy(out, name, 4);
}

void caller_wav_write_header(uint8_t out[CALLER_WAV_HEADER_SIZE], unsigned rate, unsigned channels,
			     size_t frames)
{
	uint32_t len = (uint32_t)(frames * channels * 2);

	caller_wav_put_name(out, "RIFF");
	caller_wav_put(out + 4, CALLER_WAV_HEADER_SIZE - 8 + len, 4);
	caller_wav_put_name(out + 8, "WAVE");
	caller_wav_put_name(out + 12, "fmt ");
	caller_wav_put(out + 16, FORMAT_LEN, 4);
	caller_wav_put(out + 20, TAG_PCM, 2);
	caller_wav_put(out + 22, channels, 2);
	caller_wav_put(out + 24, rate, 4);
	caller_wav_put(out + 28, rate * channels * 2, 4);
	caller_wav_put(out + 32, channels * 2, 2);
	caller_wav_put(out + 34, 16, 2);
	caller_wav_put_name(out + 36, "data");
	caller_wav_put(out + 40, len, 4);
}
