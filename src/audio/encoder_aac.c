/*
 * encoder_aac.c: AAC-LC in ADTS frames, by VisualOn's encoder (see encoder.h).
 *
 * ADTS needs no header at the start of the stream: each frame names its rate and its
 * length, so that a player can begin with the first one.
 */
#include <errno.h>

#include <vo-aacenc/cmnMemory.h>
#include <vo-aacenc/voAAC.h>

#include "audio/encoder_private.h"
#include "base/mem.h"

/* A frame has 1024 samples.  A decoder returns a sample 1600 samples after it was
 * encoded: 1024 are the overlap of the transform, 576 the encoder's look-ahead. */
#define FRAME 1024u
#define DELAY 1600u

/* A frame of one channel has at most 6144 bits (ISO 14496-3), and a header of 7 bytes.  The
 * library's own buffer is for two channels, so it is given as much. */
#define FRAME_BYTES_MAX (2 * 6144u / 8 + 7)

/* The library counts bytes in 32 bits. */
#define BLOCK 8192u

struct aac {
	VO_AUDIO_CODECAPI api;
	VO_HANDLE handle; /* NULL: not open */
	uint64_t samples_in;
	uint64_t frames_out;
};

/* The library keeps a pointer to this table and does not modify it. */
static VO_MEM_OPERATOR encoder_aac_memory = {
	.Alloc = cmnMemAlloc,
	.Free = cmnMemFree,
	.Set = cmnMemSet,
	.Copy = cmnMemCopy,
	.Check = cmnMemCheck,
	.Compare = cmnMemCompare,
	.Move = cmnMemMove,
};

static void encoder_aac_destroy(void *object)
{
	struct aac *aac = object;

	if (aac->handle)
		aac->api.Uninit(aac->handle);
}

static int encoder_aac_init(struct aac *aac, const struct audio_format *format)
{
	VO_CODEC_INIT_USERDATA memory = {.memflag = VO_IMF_USERMEMOPERATOR,
					 .memData = &encoder_aac_memory};
	AACENC_PARAM settings = {
		.sampleRate = (int)format->sample_rate,
		.bitRate = (int)format->bitrate_kbps * 1000,
		.nChannels = 1,
		.adtsUsed = 1,
	};

	if (voGetAACEncAPI(&aac->api) != VO_ERR_NONE)
		return EIO;
	if (aac->api.Init(&aac->handle, VO_AUDIO_CodingAAC, &memory) != VO_ERR_NONE) {
		aac->handle = NULL;
		return ENOMEM;
	}
	return aac->api.SetParam(aac->handle, VO_PID_AAC_ENCPARAM, &settings) == VO_ERR_NONE
		       ? 0
		       : EINVAL;
}

static int encoder_aac_open(void **statep, const struct audio_format *format)
{
	struct aac *aac = mem_zalloc(sizeof(*aac), encoder_aac_destroy);
	int err;

	if (!aac)
		return ENOMEM;
	err = encoder_aac_init(aac, format);
	if (err) {
		mem_deref(aac);
		return err;
	}
	*statep = aac;
	return 0;
}

/* Appends the frames that are complete; the library keeps the rest of the samples. */
static int encoder_aac_take(struct aac *aac, struct buf *out)
{
	VO_AUDIO_OUTPUTINFO info;

	for (;;) {
		VO_CODECBUFFER made = {.Length = FRAME_BYTES_MAX};
		VO_U32 status;
		int err = buf_reserve(out, FRAME_BYTES_MAX);

		if (err)
			return err;
		made.Buffer = (VO_PBYTE)out->bytes + out->len;
		status = aac->api.GetOutputData(aac->handle, &made, &info);
		if (status == VO_ERR_INPUT_BUFFER_SMALL)
			return 0;
		if (status != VO_ERR_NONE)
			return EIO;
		out->len += made.Length;
		++aac->frames_out;
	}
}

static int encoder_aac_write(void *state, const int16_t *samples, size_t count, struct buf *out)
{
	struct aac *aac = state;

	while (count > 0) {
		size_t n = count < BLOCK ? count : BLOCK;
		/* The parameter is not const in the library's interface, but is only read. */
		VO_CODECBUFFER in = {.Buffer = (VO_PBYTE)(uintptr_t)samples,
				     .Length = (VO_U32)(n * sizeof(*samples))};
		int err = 0;

		if (aac->api.SetInputData(aac->handle, &in) != VO_ERR_NONE)
			err = EIO;
		if (!err)
			err = encoder_aac_take(aac, out);
		if (err)
			return err;
		aac->samples_in += n;
		samples += n;
		count -= n;
	}
	return 0;
}

/* Pads with silence until the last sample has passed the encoder's delay. */
static int encoder_aac_end(void *state, struct buf *out)
{
	static const int16_t silence[FRAME];
	struct aac *aac = state;
	uint64_t frames = (aac->samples_in + DELAY + FRAME - 1) / FRAME;
	int err = 0;

	while (!err && aac->frames_out < frames)
		err = encoder_aac_write(aac, silence, FRAME, out);
	return err;
}

const struct encoder_ops encoder_aac = {encoder_aac_open, encoder_aac_write, encoder_aac_end};
