/*
 * audio_file.c: decodes a file that is in memory (see audio_file.h).
 */
#include "engine/decode/audio_file.h"

#include <errno.h>
#include <sndfile.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/decode/mono.h"

/* Samples of all channels that are decoded at once, at least a frame of the most channels that
 * libsndfile accepts (1024). */
#define FLOATS_MAX 16384u

/* Samples that are returned at once: a quarter of a second. */
#define SAMPLES_WANTED 4096u

struct audio_file {
	const unsigned char *bytes;
	sf_count_t len;
	sf_count_t at;
	SNDFILE *sndfile;
	SF_INFO shape;
	struct mono *mono;
	sf_count_t frames; /* decoded so far */
	bool has_ended;
	float floats[FLOATS_MAX];
	int16_t samples[SAMPLES_WANTED + MONO_SAMPLES_MAX];
};

static sf_count_t audio_file_on_length(void *arg)
{
	return ((struct audio_file *)arg)->len;
}

/* A position after the end is allowed, as for a real file. */
static sf_count_t audio_file_on_seek(sf_count_t offset, int whence, void *arg)
{
	struct audio_file *file = arg;
	sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->at : file->len;
	sf_count_t to;

	if (__builtin_add_overflow(from, offset, &to) || to < 0)
		return -1;
	file->at = to;
	return to;
}

static sf_count_t audio_file_on_read(void *to, sf_count_t count, void *arg)
{
	struct audio_file *file = arg;
	sf_count_t left = file->at < file->len ? file->len - file->at : 0;

	if (count > left)
		count = left;
	if (count <= 0)
		return 0;
	memcpy(to, file->bytes + file->at, (size_t)count);
	file->at += count;
	return count;
}

static sf_count_t audio_file_on_write(const void *from, sf_count_t count, void *arg)
{
	(void)from;
	(void)count;
	(void)arg;
	return 0;
}

static sf_count_t audio_file_on_tell(void *arg)
{
	return ((struct audio_file *)arg)->at;
}

static SF_VIRTUAL_IO audio_file_io = {
	.get_filelen = audio_file_on_length,
	.seek = audio_file_on_seek,
	.read = audio_file_on_read,
	.write = audio_file_on_write,
	.tell = audio_file_on_tell,
};

static void audio_file_destroy(void *object)
{
	struct audio_file *file = object;

	if (file->sndfile)
		sf_close(file->sndfile);
	mem_deref(file->mono);
}

static bool audio_file_has(const struct audio_file *file, sf_count_t at, const char *text)
{
	sf_count_t n = (sf_count_t)strlen(text);

	return file->len - file->at >= at + n &&
	       memcmp(file->bytes + file->at + at, text, (size_t)n) == 0;
}

/* MPEG audio begins with eleven bits that are set. Layer 0 does not exist; AAC uses it. */
static bool audio_file_is_mpeg(const struct audio_file *file, bool is_aac)
{
	const unsigned char *head = file->bytes + file->at;

	return file->len - file->at >= 4 && head[0] == 0xff && (head[1] & 0xe0) == 0xe0 &&
	       ((head[1] & 0x06) == 0) == is_aac;
}

/* Skips tags before the audio, of any format. libsndfile would do that too, but would then accept
 * all of its formats, and no zeros after a tag, which some programs leave there. */
static void audio_file_skip_tags(struct audio_file *file)
{
	while (audio_file_has(file, 0, "ID3") && file->len - file->at >= 10) {
		const unsigned char *size = file->bytes + file->at + 6;
		sf_count_t len = 10 + ((size[0] & 0x7f) << 21 | (size[1] & 0x7f) << 14 |
				       (size[2] & 0x7f) << 7 | (size[3] & 0x7f));

		file->at = len < file->len - file->at ? file->at + len : file->len;
		while (file->at < file->len && file->bytes[file->at] == 0)
			++file->at;
	}
	file->bytes += file->at;
	file->len -= file->at;
	file->at = 0;
}

/* Returns NULL for a file that can be decoded, or what it is. */
static const char *audio_file_recognize(const struct audio_file *file)
{
	static const struct {
		int at;
		const char *text;
		const char *name;
	} others[] = {
		{4, "ftyp", "an MP4 or M4A file"},
		{0, "\x1a\x45\xdf\xa3", "a WebM or Matroska file"},
		{0, "FORM", "an AIFF file"},
		{0, "caff", "a CAF file"},
		{0, ".snd", "an AU file"},
		{0, "#!AMR", "an AMR file"},
		{0, "\x30\x26\xb2\x75", "a WMA file"},
		{0, "MThd", "a MIDI file"},
	};
	bool is_wav = audio_file_has(file, 0, "RIFF") || audio_file_has(file, 0, "RIFX") ||
		      audio_file_has(file, 0, "RF64");

	if ((is_wav && audio_file_has(file, 8, "WAVE")) || audio_file_has(file, 0, "fLaC") ||
	    audio_file_has(file, 0, "OggS") || audio_file_is_mpeg(file, false))
		return NULL;
	for (size_t i = 0; i < COUNT(others); ++i) {
		if (audio_file_has(file, others[i].at, others[i].text))
			return others[i].name;
	}
	return audio_file_is_mpeg(file, true) ? "an AAC file" : "of an unknown format";
}

/* Sets the shape of samples that have no header. */
static int audio_file_read_format(SF_INFO *shape, const char *format)
{
	static const struct {
		const char *prefix;
		int format;
	} rows[] = {
		{"pcm_", SF_FORMAT_RAW | SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE},
		{"ulaw_", SF_FORMAT_RAW | SF_FORMAT_ULAW},
		{"alaw_", SF_FORMAT_RAW | SF_FORMAT_ALAW},
	};

	for (size_t i = 0; i < COUNT(rows); ++i) {
		size_t len = strlen(rows[i].prefix);
		unsigned long rate;
		char *end;

		if (strncmp(format, rows[i].prefix, len) != 0)
			continue;
		rate = strtoul(format + len, &end, 10);
		if (format[len] < '0' || format[len] > '9' || *end != '\0' ||
		    rate < MONO_RATE_MIN || rate > MONO_RATE_MAX)
			return ENOTSUP;
		*shape =
			(SF_INFO){.format = rows[i].format, .samplerate = (int)rate, .channels = 1};
		return 0;
	}
	return ENOTSUP;
}

/* The header of these says exactly how long they are, unless they were written to a pipe, so a
 * recording that is too long is refused before any of it is heard. For others it is an estimate. */
static bool audio_file_says_too_long(const SF_INFO *shape)
{
	int type = shape->format & SF_FORMAT_TYPEMASK;

	return shape->frames != SF_COUNT_MAX &&
	       (type == SF_FORMAT_FLAC || type == SF_FORMAT_WAV || type == SF_FORMAT_WAVEX ||
		type == SF_FORMAT_RF64 || type == SF_FORMAT_RAW) &&
	       shape->frames / shape->samplerate >= (sf_count_t)AUDIO_FILE_SECONDS_MAX;
}

static int audio_file_say_too_long(char why[AUDIO_FILE_WHY_MAX])
{
	snprintf(why, AUDIO_FILE_WHY_MAX, "the recording is longer than %u hours",
		 AUDIO_FILE_SECONDS_MAX / 3600);
	return EFBIG;
}

/* Opens the file after its format is known to be one of ours. */
static int audio_file_start(struct audio_file *file, char why[AUDIO_FILE_WHY_MAX])
{
	int err;

	file->sndfile = sf_open_virtual(&audio_file_io, SFM_READ, &file->shape, file);
	if (!file->sndfile) {
		snprintf(why, AUDIO_FILE_WHY_MAX, "the file is damaged or cut off: %s",
			 sf_strerror(NULL));
		return EINVAL;
	}
	if (file->shape.samplerate > 0 && audio_file_says_too_long(&file->shape))
		return audio_file_say_too_long(why);
	err = mono_alloc(&file->mono,
			 file->shape.samplerate > 0 ? (unsigned)file->shape.samplerate : 0,
			 file->shape.channels > 0 ? (unsigned)file->shape.channels : 0);
	if (err == EINVAL)
		snprintf(why, AUDIO_FILE_WHY_MAX,
			 "the recording has %d samples a second; from %u to %u can be decoded",
			 file->shape.samplerate, MONO_RATE_MIN, MONO_RATE_MAX);
	return err;
}

int audio_file_open(struct audio_file **filep, char why[AUDIO_FILE_WHY_MAX], const void *bytes,
		    size_t len, const char *format)
{
	struct audio_file *file = mem_zalloc(sizeof(*file), audio_file_destroy);
	const char *other = NULL;
	int err = 0;

	if (!file)
		return ENOMEM;
	file->bytes = bytes;
	file->len = (sf_count_t)len;
	if (format[0] != '\0') {
		err = audio_file_read_format(&file->shape, format);
		snprintf(why, AUDIO_FILE_WHY_MAX, "there is no format %.40s", format);
	} else {
		audio_file_skip_tags(file);
		other = len == 0 ? "empty" : audio_file_recognize(file);
	}
	if (other) {
		snprintf(why, AUDIO_FILE_WHY_MAX,
			 "the file is %s; WAV, FLAC, Ogg Opus, Ogg Vorbis and MP3 can be decoded",
			 other);
		err = EINVAL;
	}
	if (!err)
		err = audio_file_start(file, why);
	if (err)
		mem_deref(file);
	else
		*filep = file;
	return err;
}

/* Whether the file has less audio than it says. The length of an MP3 can be an estimate; of others
 * libsndfile knows it from what is there. */
static bool audio_file_is_short(const struct audio_file *file)
{
	int type = file->shape.format & SF_FORMAT_TYPEMASK;

	if (file->shape.frames == SF_COUNT_MAX)
		return false;
	if (type == SF_FORMAT_MPEG)
		return file->frames < file->shape.frames - file->shape.frames / 10;
	return type == SF_FORMAT_FLAC && file->frames < file->shape.frames;
}

/* Nothing more can be decoded: is that the end of the recording? */
static int audio_file_judge(const struct audio_file *file, char why[AUDIO_FILE_WHY_MAX])
{
	int fault = sf_error(file->sndfile);

	why[0] = '\0';
	if (file->frames == 0 && (fault || file->shape.frames != 0)) {
		snprintf(why, AUDIO_FILE_WHY_MAX,
			 "the file is damaged or cut off, and nothing of it can be decoded");
		return EINVAL;
	}
	if (fault || audio_file_is_short(file))
		snprintf(why, AUDIO_FILE_WHY_MAX, "the file is damaged or cut off after %.1f s",
			 (double)file->frames / file->shape.samplerate);
	return 0;
}

int audio_file_read(struct audio_file *file, char why[AUDIO_FILE_WHY_MAX], const int16_t **samples,
		    size_t *count)
{
	unsigned most = FLOATS_MAX / (unsigned)file->shape.channels;
	sf_count_t n;

	if (most > MONO_FRAMES_MAX)
		most = MONO_FRAMES_MAX;
	*samples = file->samples;
	*count = 0;
	why[0] = '\0';
	while (*count < SAMPLES_WANTED && !file->has_ended) {
		n = sf_readf_float(file->sndfile, file->floats, most);
		if (n > 0) {
			file->frames += n;
			*count += mono_write(file->mono, file->samples + *count, file->floats,
					     (size_t)n);
		} else {
			file->has_ended = true;
			*count += mono_end(file->mono, file->samples + *count);
		}
		if (file->frames / file->shape.samplerate >= (sf_count_t)AUDIO_FILE_SECONDS_MAX)
			return audio_file_say_too_long(why);
	}
	return *count > 0 ? 0 : audio_file_judge(file, why);
}
