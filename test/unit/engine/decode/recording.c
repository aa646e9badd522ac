/*
 * recording.c: makes recordings in memory (see recording.h).
 */
#include "recording.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ogg/ogg.h>

#include <cmocka.h>

static sf_count_t on_length(void *arg)
{
	return (sf_count_t)((struct recording *)arg)->len;
}

static sf_count_t on_seek(sf_count_t offset, int whence, void *arg)
{
	struct recording *recording = arg;
	size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? recording->at : recording->len;

	recording->at = (size_t)((sf_count_t)from + offset);
	return (sf_count_t)recording->at;
}

static sf_count_t on_read(void *to, sf_count_t count, void *arg)
{
	struct recording *recording = arg;
	size_t n = recording->len - recording->at;

	if (n > (size_t)count)
		n = (size_t)count;
	memcpy(to, recording->bytes + recording->at, n);
	recording->at += n;
	return (sf_count_t)n;
}

static sf_count_t on_write(const void *from, sf_count_t count, void *arg)
{
	struct recording *recording = arg;
	size_t end = recording->at + (size_t)count;

	if (end > recording->size) {
		recording->size = 2 * end;
		recording->bytes = realloc(recording->bytes, recording->size);
		assert_non_null(recording->bytes);
	}
	memcpy(recording->bytes + recording->at, from, (size_t)count);
	recording->at = end;
	if (end > recording->len)
		recording->len = end;
	return count;
}

static sf_count_t on_tell(void *arg)
{
	return (sf_count_t)((struct recording *)arg)->at;
}

static void make(struct recording *recording, int format, int rate, int channels, double seconds,
		 double level)
{
	static SF_VIRTUAL_IO io = {on_length, on_seek, on_read, on_write, on_tell};
	SF_INFO shape = {.samplerate = rate, .channels = channels, .format = format};
	sf_count_t total = (sf_count_t)(seconds * rate);
	SNDFILE *file;
	float *block = calloc(4096, sizeof(*block) * (size_t)channels);

	assert_non_null(block);
	*recording = (struct recording){0};
	file = sf_open_virtual(&io, SFM_WRITE, &shape, recording);
	if (!file)
		fail_msg("libsndfile: %s", sf_strerror(NULL));
	for (sf_count_t at = 0; at < total; at += 4096) {
		sf_count_t n = total - at < 4096 ? total - at : 4096;

		for (sf_count_t i = 0; level > 0 && i < n; ++i) {
			double angle = 2 * M_PI * RECORDING_HZ * (double)(at + i) / rate;

			for (int c = 0; c < channels; ++c)
				block[i * channels + c] = (float)(level * sin(angle));
		}
		assert_int_equal(sf_writef_float(file, block, n), n);
	}
	sf_close(file);
	free(block);
}

void recording_make(struct recording *recording, int format, int rate, int channels, double seconds)
{
	make(recording, format, rate, channels, seconds, RECORDING_LEVEL);
}

void recording_make_silence(struct recording *recording, int format, int rate, double seconds)
{
	make(recording, format, rate, 1, seconds, 0);
}

/* The third header of Vorbis: 256 tables of four million codes, each described by a single run, and the
 * least of everything else. */
static void write_setup(oggpack_buffer *bits)
{
	oggpack_write(bits, 255, 8);
	for (int i = 0; i < 256; ++i) {
		oggpack_write(bits, 0x564342, 24);
		oggpack_write(bits, 1, 16); /* dimensions */
		oggpack_write(bits, 1 << 22, 24); /* codes */
		oggpack_write(bits, 1, 1); /* ordered by length */
		oggpack_write(bits, 22 - 1, 5); /* the first length */
		oggpack_write(bits, 1 << 22, 23); /* and how many codes have it */
		oggpack_write(bits, 0, 4);
	}
	oggpack_write(bits, 0, 6 + 16); /* times: one, unused */
	oggpack_write(bits, 0, 6); /* floors: one, of type 1 and without partitions */
	oggpack_write(bits, 1, 16);
	oggpack_write(bits, 0, 5 + 2 + 4);
	oggpack_write(bits, 0, 6 + 16); /* residues: one, empty */
	oggpack_write(bits, 0, 24);
	oggpack_write(bits, 0, 24);
	oggpack_write(bits, 0, 24);
	oggpack_write(bits, 0, 6 + 8 + 3 + 1);
	oggpack_write(bits, 0, 6 + 16); /* mappings: one */
	oggpack_write(bits, 0, 1 + 1 + 2);
	oggpack_write(bits, 0, 8 + 8 + 8);
	oggpack_write(bits, 0, 6 + 1); /* modes: one */
	oggpack_write(bits, 0, 16);
	oggpack_write(bits, 0, 16);
	oggpack_write(bits, 0, 8);
	oggpack_write(bits, 1, 1);
}

static void add_packet(struct recording *recording, ogg_stream_state *stream, unsigned char *bytes,
		       long len)
{
	ogg_packet packet = {0};
	ogg_page page;

	packet.packet = bytes;
	packet.bytes = len;
	packet.b_o_s = recording->len == 0;
	ogg_stream_packetin(stream, &packet);
	while (ogg_stream_flush(stream, &page) != 0) {
		on_write(page.header, page.header_len, recording);
		on_write(page.body, page.body_len, recording);
	}
}

void recording_make_huge_tables(struct recording *recording)
{
	unsigned char identity[] = "\1vorbis\0\0\0\0\1\x40\x1f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x88\1";
	unsigned char comment[] = "\3vorbis\0\0\0\0\0\0\0\0\1";
	ogg_stream_state stream;
	oggpack_buffer bits;

	*recording = (struct recording){0};
	ogg_stream_init(&stream, 1);
	add_packet(recording, &stream, identity, sizeof(identity) - 1);
	add_packet(recording, &stream, comment, sizeof(comment) - 1);
	oggpack_writeinit(&bits);
	for (const char *p = "\5vorbis"; *p; ++p)
		oggpack_write(&bits, (unsigned long)*p, 8);
	write_setup(&bits);
	add_packet(recording, &stream, oggpack_get_buffer(&bits), oggpack_bytes(&bits));
	add_packet(recording, &stream, (unsigned char[]){0, 0, 0, 0}, 4);
	oggpack_writeclear(&bits);
	ogg_stream_clear(&stream);
}

void recording_reset(struct recording *recording)
{
	free(recording->bytes);
	*recording = (struct recording){0};
}

/* The tone is what correlates with a sine and a cosine of its frequency. */
static void measure(double *tone, double *noise, const int16_t *samples, size_t count)
{
	size_t from = 1600, to = count - 1600;
	double sine = 0, cosine = 0, power = 0;
	double n = (double)(to - from);

	assert_true(count > 4000);
	for (size_t i = from; i < to; ++i) {
		double angle = 2 * M_PI * RECORDING_HZ * (double)i / 16000;
		double value = samples[i] / 32768.0;

		sine += value * sin(angle) * 2 / n;
		cosine += value * cos(angle) * 2 / n;
		power += value * value / n;
	}
	*tone = sqrt(sine * sine + cosine * cosine);
	*noise = sqrt(2 * fmax(0, power - *tone * *tone / 2));
}

double recording_tone(const int16_t *samples, size_t count)
{
	double tone, noise;

	measure(&tone, &noise, samples, count);
	return tone;
}

double recording_noise(const int16_t *samples, size_t count)
{
	double tone, noise;

	measure(&tone, &noise, samples, count);
	return noise;
}
