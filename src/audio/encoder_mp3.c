/*
 * encoder_mp3.c: MP3 by LAME (see encoder.h).
 */
#include <errno.h>
#include <lame/lame.h>

#include "audio/encoder_private.h"
#include "base/mem.h"

/* LAME's scale is 0 (best) to 9. 7 omits noise shaping: 5 takes nearly twice the CPU time and
 * 2 five times as much, and 9 is not faster (`syrinx bench encode`). */
#define QUALITY 7

/* LAME requires room for a quarter more bytes than samples, plus this. */
#define ROOM_EXTRA 7200u

/* LAME counts samples in ints, and the room for a block must be reserved before. */
#define BLOCK 8192u

struct mp3 {
	lame_t lame;
};

static void encoder_mp3_destroy(void *object)
{
	struct mp3 *mp3 = object;

	if (mp3->lame)
		lame_close(mp3->lame);
}

static void encoder_mp3_stay_silent(const char *format, va_list args)
{
	(void)format;
	(void)args;
}

/* There is no Xing frame: it contains the length of the stream, and would have to be written
 * last and read first. */
static int encoder_mp3_configure(lame_t lame, const struct audio_format *format)
{
	int rate = (int)format->sample_rate;

	lame_set_errorf(lame, encoder_mp3_stay_silent);
	lame_set_debugf(lame, encoder_mp3_stay_silent);
	lame_set_msgf(lame, encoder_mp3_stay_silent);
	lame_set_bWriteVbrTag(lame, 0);
	lame_set_write_id3tag_automatic(lame, 0);
	if (lame_set_num_channels(lame, 1) != 0 || lame_set_mode(lame, MONO) != 0 ||
	    lame_set_in_samplerate(lame, rate) != 0 || lame_set_out_samplerate(lame, rate) != 0 ||
	    lame_set_quality(lame, QUALITY) != 0 || lame_set_VBR(lame, vbr_off) != 0 ||
	    lame_set_brate(lame, (int)format->bitrate_kbps) != 0)
		return EINVAL;
	return lame_init_params(lame) == 0 ? 0 : EINVAL;
}

static int encoder_mp3_open(void **statep, const struct audio_format *format)
{
	struct mp3 *mp3 = mem_zalloc(sizeof(*mp3), encoder_mp3_destroy);
	int err = ENOMEM;

	if (!mp3)
		return ENOMEM;
	mp3->lame = lame_init();
	if (mp3->lame)
		err = encoder_mp3_configure(mp3->lame, format);
	if (err) {
		mem_deref(mp3);
		return err;
	}
	*statep = mp3;
	return 0;
}

static int encoder_mp3_take(struct buf *out, int made)
{
	if (made < 0)
		return made == -2 ? ENOMEM : EIO;
	out->len += (size_t)made;
	return 0;
}

static int encoder_mp3_write(void *state, const int16_t *samples, size_t count, struct buf *out)
{
	struct mp3 *mp3 = state;

	while (count > 0) {
		size_t n = count < BLOCK ? count : BLOCK;
		size_t room = n + n / 4 + ROOM_EXTRA;
		int err = buf_reserve(out, room);

		if (err)
			return err;
		err = encoder_mp3_take(
			out, lame_encode_buffer(mp3->lame, samples, samples, (int)n,
						(unsigned char *)out->bytes + out->len, (int)room));
		if (err)
			return err;
		samples += n;
		count -= n;
	}
	return 0;
}

static int encoder_mp3_end(void *state, struct buf *out)
{
	struct mp3 *mp3 = state;
	int err = buf_reserve(out, ROOM_EXTRA);

	if (err)
		return err;
	return encoder_mp3_take(out,
				lame_encode_flush(mp3->lame, (unsigned char *)out->bytes + out->len,
						  (int)ROOM_EXTRA));
}

const struct encoder_ops encoder_mp3 = {encoder_mp3_open, encoder_mp3_write, encoder_mp3_end};
