/*
 * encoder_opus.c: Opus in Ogg according to RFC 7845 (see encoder.h).
 *
 * A packet is 20 ms. Players discard the decoder's first samples (the pre-skip), so a
 * granule position is the number of input samples plus the pre-skip; that of the last page
 * removes the padding of its last packet.
 */
#include <errno.h>
#include <ogg/ogg.h>
#include <opus/opus.h>
#include <string.h>
#include <sys/random.h>

#include "audio/encoder_private.h"
#include "base/mem.h"

#define RATE 48000
#define PACKET (RATE / 50) /* samples */
#define PACKET_LEN_MAX 1500 /* the format's limit is 1275 */
#define PAGE_PACKETS_MAX 10 /* 200 ms; playback starts with the first page */

/* 0 to 10. 6 would take a third more CPU time; 3 a fifth less, but sounds worse at low bit
 * rates (`syrinx bench encode`). */
#define COMPLEXITY 5

struct opus {
	OpusEncoder *encoder;
	ogg_stream_state ogg;
	int pre_skip;
	unsigned bitrate_kbps;
	int16_t rest[PACKET]; /* samples that do not fill a packet yet */
	size_t rest_len;
	uint64_t samples; /* input samples so far */
	int64_t packets;
	unsigned waiting; /* packets that are not on a page yet */
};

static void encoder_opus_destroy(void *object)
{
	struct opus *opus = object;

	if (opus->encoder)
		opus_encoder_destroy(opus->encoder);
	ogg_stream_clear(&opus->ogg);
}

static int encoder_opus_configure(struct opus *opus)
{
	OpusEncoder *encoder = opus->encoder;

	if (opus_encoder_ctl(encoder, OPUS_SET_BITRATE((int)opus->bitrate_kbps * 1000)) != 0 ||
	    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(COMPLEXITY)) != 0 ||
	    opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE)) != 0 ||
	    opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&opus->pre_skip)) != 0)
		return EINVAL;
	return 0;
}

/* Streams in one file need different serial numbers, and clients concatenate turns. */
static int encoder_opus_serial_number(int *serial)
{
	return getrandom(serial, sizeof(*serial), 0) == (ssize_t)sizeof(*serial) ? 0 : EIO;
}

static int encoder_opus_open(void **statep, const struct audio_format *format)
{
	struct opus *opus;
	int failed, serial;
	int err = encoder_opus_serial_number(&serial);

	if (format->sample_rate != RATE)
		return EINVAL;
	if (err)
		return err;
	opus = mem_zalloc(sizeof(*opus), encoder_opus_destroy);
	if (!opus)
		return ENOMEM;
	opus->bitrate_kbps = format->bitrate_kbps;
	opus->encoder = opus_encoder_create(RATE, 1, OPUS_APPLICATION_AUDIO, &failed);
	if (!opus->encoder || ogg_stream_init(&opus->ogg, serial) != 0)
		err = ENOMEM;
	if (!err)
		err = encoder_opus_configure(opus);
	if (err) {
		mem_deref(opus);
		return err;
	}
	*statep = opus;
	return 0;
}

static int encoder_opus_put_page(struct opus *opus, struct buf *out)
{
	ogg_page page;

	while (ogg_stream_flush(&opus->ogg, &page)) {
		int err = buf_append(out, page.header, (size_t)page.header_len);

		if (!err)
			err = buf_append(out, page.body, (size_t)page.body_len);
		if (err)
			return err;
	}
	opus->waiting = 0;
	return 0;
}

static int encoder_opus_put_packet(struct opus *opus, unsigned char *bytes, size_t len,
				   int64_t position, bool is_last)
{
	ogg_packet whole = {
		.packet = bytes,
		.bytes = (long)len,
		.b_o_s = opus->packets == 0,
		.e_o_s = is_last,
		.granulepos = position,
		.packetno = opus->packets,
	};

	++opus->packets;
	++opus->waiting;
	return ogg_stream_packetin(&opus->ogg, &whole) == 0 ? 0 : ENOMEM;
}

/* Writes OpusHead and OpusTags, each on its own page. */
static int encoder_opus_put_headers(struct opus *opus, struct buf *out)
{
	/* Version 1, one channel, pre-skip, 48000 Hz, no gain, mapping family 0. */
	unsigned char head[19] = {'O', 'p', 'u', 's', 'H', 'e', 'a', 'd', 1, 1, 0, 0, 0x80, 0xbb};
	unsigned char tags[] = "OpusTags\6\0\0\0syrinx\0\0\0"; /* and no comment */
	int err;

	head[10] = (unsigned char)opus->pre_skip;
	head[11] = (unsigned char)(opus->pre_skip >> 8);
	err = encoder_opus_put_packet(opus, head, sizeof(head), 0, false);
	if (!err)
		err = encoder_opus_put_page(opus, out);
	if (!err)
		err = encoder_opus_put_packet(opus, tags, sizeof(tags), 0, false);
	return err ? err : encoder_opus_put_page(opus, out);
}

/* Headers are packets 0 and 1. */
static int64_t encoder_opus_decoded_until(const struct opus *opus)
{
	return (opus->packets - 1) * PACKET;
}

static int encoder_opus_encode_packet(struct opus *opus, const int16_t *samples, struct buf *out,
				      bool is_last)
{
	unsigned char bytes[PACKET_LEN_MAX];
	int len = opus_encode(opus->encoder, samples, PACKET, bytes, sizeof(bytes));
	int64_t position = is_last ? (int64_t)opus->samples + opus->pre_skip
				   : encoder_opus_decoded_until(opus);
	int err;

	if (len < 0)
		return EIO;
	err = encoder_opus_put_packet(opus, bytes, (size_t)len, position, is_last);
	if (!err && (is_last || opus->waiting == PAGE_PACKETS_MAX))
		err = encoder_opus_put_page(opus, out);
	return err;
}

static int encoder_opus_begin(struct opus *opus, struct buf *out)
{
	return opus->packets == 0 ? encoder_opus_put_headers(opus, out) : 0;
}

static int encoder_opus_write(void *state, const int16_t *samples, size_t count, struct buf *out)
{
	struct opus *opus = state;
	int err = encoder_opus_begin(opus, out);

	opus->samples += count;
	while (!err && count > 0) {
		size_t room = PACKET - opus->rest_len;
		size_t n = count < room ? count : room;

		memcpy(opus->rest + opus->rest_len, samples, n * sizeof(*samples));
		opus->rest_len += n;
		samples += n;
		count -= n;
		if (opus->rest_len < PACKET)
			break;
		opus->rest_len = 0;
		err = encoder_opus_encode_packet(opus, opus->rest, out, false);
	}
	return err ? err : encoder_opus_put_page(opus, out);
}

/* Writes at least one packet: the samples of the pre-skip are still inside the encoder. */
static int encoder_opus_end(void *state, struct buf *out)
{
	struct opus *opus = state;
	int64_t end = (int64_t)opus->samples + opus->pre_skip;
	int err = encoder_opus_begin(opus, out);

	memset(opus->rest + opus->rest_len, 0, (PACKET - opus->rest_len) * sizeof(*opus->rest));
	while (!err) {
		bool is_last = encoder_opus_decoded_until(opus) >= end;

		err = encoder_opus_encode_packet(opus, opus->rest, out, is_last);
		memset(opus->rest, 0, sizeof(opus->rest));
		if (is_last)
			break;
	}
	return err;
}

const struct encoder_ops encoder_opus = {encoder_opus_open, encoder_opus_write, encoder_opus_end};
