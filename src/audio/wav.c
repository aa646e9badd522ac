/*
 * wav.c: the header of a WAV file (see wav.h).
 */
#include "audio/wav.h"

#include <string.h>

enum { TAG_PCM = 1, TAG_ALAW = 6, TAG_MULAW = 7 }; /* RFC 2361 */

struct wav_writer {
	uint8_t *p;
};

static void wav_put_id(struct wav_writer *writer, const char *id)
{
	memcpy(writer->p, id, 4);
	writer->p += 4;
}

static void wav_put_u16(struct wav_writer *writer, unsigned value)
{
	*writer->p++ = (uint8_t)value;
	*writer->p++ = (uint8_t)(value >> 8);
}

static void wav_put_u32(struct wav_writer *writer, uint32_t value)
{
	wav_put_u16(writer, value & 0xffff);
	wav_put_u16(writer, value >> 16);
}

static unsigned wav_tag_of(enum audio_encoding encoding)
{
	switch (encoding) {
	case AUDIO_MULAW:
		return TAG_MULAW;
	case AUDIO_ALAW:
		return TAG_ALAW;
	case AUDIO_PCM16:
	case AUDIO_WAV:
	case AUDIO_MP3:
	case AUDIO_OPUS:
	case AUDIO_FLAC:
	case AUDIO_AAC:
	case AUDIO_ENCODING_COUNT:
		break;
	}
	return TAG_PCM;
}

/* The length in the RIFF header: everything after its own eight bytes, including padding. */
static uint32_t wav_riff_len(size_t header_len, uint32_t data_len)
{
	uint64_t len = header_len - 8 + (uint64_t)data_len + (data_len & 1);

	return len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
}

size_t wav_write_header(uint8_t *out, const struct audio_format *format, uint32_t data_len)
{
	bool is_pcm = wav_tag_of(format->encoding) == TAG_PCM;
	unsigned sample_len = is_pcm ? 2 : 1;
	size_t header_len = is_pcm ? 44 : WAV_HEADER_MAX;
	struct wav_writer writer = {out};

	wav_put_id(&writer, "RIFF");
	wav_put_u32(&writer, wav_riff_len(header_len, data_len));
	wav_put_id(&writer, "WAVE");
	wav_put_id(&writer, "fmt ");
	wav_put_u32(&writer, is_pcm ? 16 : 18);
	wav_put_u16(&writer, wav_tag_of(format->encoding));
	wav_put_u16(&writer, 1); /* channels */
	wav_put_u32(&writer, format->sample_rate);
	wav_put_u32(&writer, format->sample_rate * sample_len);
	wav_put_u16(&writer, sample_len);
	wav_put_u16(&writer, 8 * sample_len);
	if (!is_pcm) { /* G.711 has an empty extension and a fact chunk */
		wav_put_u16(&writer, 0);
		wav_put_id(&writer, "fact");
		wav_put_u32(&writer, 4);
		wav_put_u32(&writer, data_len);
	}
	wav_put_id(&writer, "data");
	wav_put_u32(&writer, data_len);
	return (size_t)(writer.p - out);
}
