/*
 * message.c: what the server and a worker say to each other (see message.h).
 *
 * Each message is listed once as code that writes it and once as code that
 * reads it, field by field in the order of docs/worker-protocol.md.  Readers
 * run over a cursor that turns bad and stays bad at the first field that is
 * not there, so that only the end has to be checked.
 */
#include "workers/message.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

_Static_assert(sizeof(float) == sizeof(uint32_t), "floats travel as their IEEE 754 bits");

struct message_str message_str_of(const char *string)
{
	return (struct message_str){string, (uint32_t)strlen(string)};
}

static void put_le(unsigned char *bytes, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_le(const unsigned char *bytes, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; ++i)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* The first error of a message stays in *err and nothing more is written. */
static void write_int(struct buf *out, int *err, uint64_t value, size_t n)
{
	unsigned char bytes[8];

	put_le(bytes, value, n);
	if (!*err)
		*err = buf_append(out, bytes, n);
}

static void write_float(struct buf *out, int *err, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	write_int(out, err, bits, 4);
}

static void write_str(struct buf *out, int *err, const struct message_str *str)
{
	write_int(out, err, str->len, 4);
	if (!*err && str->len > 0)
		*err = buf_append(out, str->bytes, str->len);
}

static void write_speak(struct buf *out, int *err, const struct message_speak *speak)
{
	write_str(out, err, &speak->voice);
	write_str(out, err, &speak->language);
	write_str(out, err, &speak->text);
	write_str(out, err, &speak->text_before);
	write_int(out, err, speak->turn, 8);
	write_int(out, err, speak->skip_samples, 8);
	write_int(out, err, speak->credit_samples, 4);
	write_int(out, err, speak->deadline_ms, 4);
	write_float(out, err, speak->speed);
	write_float(out, err, speak->temperature);
	write_int(out, err, speak->want_words, 1);
	write_int(out, err, speak->phonemes.count, 2);
	if (!*err && speak->phonemes.len > 0)
		*err = buf_append(out, speak->phonemes.bytes, speak->phonemes.len);
	write_float(out, err, speak->pitch);
	write_str(out, err, &speak->variant);
	write_int(out, err, speak->seed, 8);
}

int message_phonemes_put(struct buf *spans, const struct message_phonemes *phonemes)
{
	size_t before = spans->len;
	int err = 0;

	write_int(spans, &err, phonemes->byte_start, 4);
	write_int(spans, &err, phonemes->byte_end, 4);
	write_str(spans, &err, &phonemes->ipa);
	if (err)
		spans->len = before;
	return err;
}

static void write_ready(struct buf *out, int *err, const struct message_ready *ready)
{
	write_int(out, err, ready->version, 2);
	write_int(out, err, ready->jobs_max, 2);
	write_int(out, err, ready->capabilities, 4);
	write_str(out, err, &ready->engine);
	write_int(out, err, ready->batch, 2);
}

static void write_voice(struct buf *out, int *err, const struct message_voice *voice)
{
	write_str(out, err, &voice->name);
	write_str(out, err, &voice->language);
	write_str(out, err, &voice->title);
	write_int(out, err, voice->sample_rate, 4);
	write_int(out, err, voice->sex, 1);
	write_int(out, err, voice->quality, 1);
	write_str(out, err, &voice->licence);
}

static void write_note(struct buf *out, int *err, const struct message_note *note)
{
	write_str(out, err, &note->about);
	write_str(out, err, &note->text);
}

static void write_audio(struct buf *out, int *err, const struct message_audio *audio)
{
	write_int(out, err, audio->busy_us, 4);
	write_int(out, err, audio->sample_rate, 4);
	if (!*err && audio->count > MESSAGE_PAYLOAD_MAX / 2)
		*err = ENOBUFS;
	if (!*err)
		*err = buf_append(out, audio->samples, audio->count * 2);
}

static void write_word(struct buf *out, int *err, const struct message_word *word)
{
	write_int(out, err, word->byte_start, 4);
	write_int(out, err, word->byte_end, 4);
	write_int(out, err, word->sample_start, 8);
	write_int(out, err, word->sample_end, 8);
}

static void write_done(struct buf *out, int *err, const struct message_done_report *done)
{
	write_int(out, err, done->status, 4);
	write_int(out, err, done->busy_us, 4);
	write_int(out, err, done->samples, 8);
	write_str(out, err, &done->detail);
}

static void write_payload(struct buf *out, int *err, const struct message *message)
{
	switch (message->type) {
	case MESSAGE_HELLO:
		write_int(out, err, message->hello.version_min, 2);
		write_int(out, err, message->hello.version_max, 2);
		break;
	case MESSAGE_SPEAK:
		write_speak(out, err, &message->speak);
		break;
	case MESSAGE_CREDIT:
		write_int(out, err, message->credit_samples, 4);
		break;
	case MESSAGE_READY:
		write_ready(out, err, &message->ready);
		break;
	case MESSAGE_VOICE:
		write_voice(out, err, &message->voice);
		break;
	case MESSAGE_MADE:
		write_int(out, err, message->made_samples, 4);
		break;
	case MESSAGE_NOTE:
		write_note(out, err, &message->note);
		break;
	case MESSAGE_AUDIO:
		write_audio(out, err, &message->audio);
		break;
	case MESSAGE_WORD:
		write_word(out, err, &message->word);
		break;
	case MESSAGE_DONE:
		write_done(out, err, &message->done);
		break;
	case MESSAGE_CANCEL:
		break;
	default:
		if (!*err && message->other.len > 0)
			*err = buf_append(out, message->other.bytes, message->other.len);
		break;
	}
}

static void put_header(unsigned char *head, size_t payload_len, uint16_t type, uint32_t job)
{
	put_le(head, payload_len, 4);
	put_le(head + 4, type, 2);
	put_le(head + 6, 0, 2);
	put_le(head + 8, job, 4);
}

int message_encode(struct buf *out, const struct message *message)
{
	unsigned char head[MESSAGE_HEADER_LEN] = {0};
	size_t start = out->len;
	size_t payload_len;
	int err = buf_append(out, head, sizeof(head));

	if (err)
		return err;
	write_payload(out, &err, message);
	payload_len = out->len - start - sizeof(head);
	if (!err && payload_len > MESSAGE_PAYLOAD_MAX)
		err = ENOBUFS;
	if (err) {
		out->len = start;
		return err;
	}
	put_header((unsigned char *)out->bytes + start, payload_len, message->type, message->job);
	return 0;
}

void message_encode_audio_head(unsigned char head[MESSAGE_AUDIO_HEAD_LEN], uint32_t job,
			       const struct message_audio *audio)
{
	put_header(head, 8 + audio->count * 2, MESSAGE_AUDIO, job);
	put_le(head + MESSAGE_HEADER_LEN, audio->busy_us, 4);
	put_le(head + MESSAGE_HEADER_LEN + 4, audio->sample_rate, 4);
}

struct cursor {
	const unsigned char *at;
	size_t left;
	bool bad;
};

static uint64_t read_int(struct cursor *in, size_t n)
{
	uint64_t value;

	if (in->left < n) {
		in->bad = true;
		in->left = 0;
		return 0;
	}
	value = get_le(in->at, n);
	in->at += n;
	in->left -= n;
	return value;
}

/* No engine has a use for a speed that is infinite or not a number. */
static float read_float(struct cursor *in)
{
	uint32_t bits = (uint32_t)read_int(in, 4);
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value))
		in->bad = true;
	return value;
}

static bool is_utf8(const struct message_str *str)
{
	struct utf8_state utf8 = {0};

	return utf8_check(&utf8, str->bytes, str->len) && utf8_is_complete(&utf8);
}

static struct message_str read_str(struct cursor *in)
{
	struct message_str str = {.bytes = "", .len = (uint32_t)read_int(in, 4)};

	if (str.len > in->left) {
		in->bad = true;
		in->left = 0;
		str.len = 0;
		return str;
	}
	str.bytes = (const char *)in->at;
	if (!is_utf8(&str))
		in->bad = true;
	in->at += str.len;
	in->left -= str.len;
	return str;
}

/* A field that was added after version 1 had begun: its absence is an empty
 * string, a part of it is still an error. */
static struct message_str read_later_str(struct cursor *in)
{
	return in->left > 0 ? read_str(in) : (struct message_str){.bytes = ""};
}

static bool is_inside_character(const struct message_str *text, uint32_t at)
{
	return at < text->len && ((unsigned char)text->bytes[at] & 0xc0) == 0x80;
}

bool message_phonemes_fit(const struct message_phonemes *phonemes, const struct message_str *text,
			  uint32_t from)
{
	return phonemes->byte_start >= from && phonemes->byte_start < phonemes->byte_end &&
	       phonemes->byte_end <= text->len &&
	       !is_inside_character(text, phonemes->byte_start) &&
	       !is_inside_character(text, phonemes->byte_end) && phonemes->ipa.len > 0 &&
	       phonemes->ipa.len <= MESSAGE_IPA_MAX && is_utf8(&phonemes->ipa);
}

static struct message_phonemes read_span(struct cursor *in)
{
	struct message_phonemes phonemes;

	phonemes.byte_start = (uint32_t)read_int(in, 4);
	phonemes.byte_end = (uint32_t)read_int(in, 4);
	phonemes.ipa = read_str(in);
	return phonemes;
}

bool message_phonemes_take(struct message_phonemes *phonemes, struct message_spans *spans)
{
	struct cursor in = {.at = spans->bytes, .left = spans->len};

	if (spans->count == 0)
		return false;
	*phonemes = read_span(&in);
	spans->bytes = in.at;
	spans->len = (uint32_t)in.left;
	--spans->count;
	return !in.bad;
}

/* Added after version 1 had begun: its absence is an empty list. */
static void read_spans(struct cursor *in, const struct message_str *text,
		       struct message_spans *spans)
{
	uint32_t from = 0;

	spans->count = in->left > 0 ? (uint16_t)read_int(in, 2) : 0;
	spans->bytes = in->at;
	if (spans->count > MESSAGE_PHONEMES_MAX)
		in->bad = true;
	for (uint16_t i = 0; i < spans->count && !in->bad; ++i) {
		struct message_phonemes phonemes = read_span(in);

		if (!message_phonemes_fit(&phonemes, text, from))
			in->bad = true;
		from = phonemes.byte_end;
	}
	spans->len = (uint32_t)(in->at - spans->bytes);
}

static void read_speak(struct cursor *in, struct message_speak *speak)
{
	speak->voice = read_str(in);
	speak->language = read_str(in);
	speak->text = read_str(in);
	speak->text_before = read_str(in);
	speak->turn = read_int(in, 8);
	speak->skip_samples = read_int(in, 8);
	speak->credit_samples = (uint32_t)read_int(in, 4);
	speak->deadline_ms = (uint32_t)read_int(in, 4);
	speak->speed = read_float(in);
	speak->temperature = read_float(in);
	speak->want_words = read_int(in, 1) != 0;
	read_spans(in, &speak->text, &speak->phonemes);
	speak->pitch = in->left > 0 ? read_float(in) : 0; /* added later, as those below */
	speak->variant = read_later_str(in);
	speak->seed = in->left > 0 ? read_int(in, 8) : 0;
}

static void read_ready(struct cursor *in, struct message_ready *ready)
{
	ready->version = (uint16_t)read_int(in, 2);
	ready->jobs_max = (uint16_t)read_int(in, 2);
	ready->capabilities = (uint32_t)read_int(in, 4);
	ready->engine = read_str(in);
	ready->batch = (uint16_t)(in->left > 0 ? read_int(in, 2) : 0); /* added later */
}

static void read_voice(struct cursor *in, struct message_voice *voice)
{
	voice->name = read_str(in);
	voice->language = read_str(in);
	voice->title = read_str(in);
	voice->sample_rate = (uint32_t)read_int(in, 4);
	voice->sex = (uint8_t)read_int(in, 1);
	voice->quality = (uint8_t)read_int(in, 1);
	voice->licence = read_later_str(in);
}

static void read_note(struct cursor *in, struct message_note *note)
{
	note->about = read_str(in);
	note->text = read_str(in);
}

/* The samples are all the rest: AUDIO is the one message that cannot get
 * fields added at its end. */
static void read_audio(struct cursor *in, struct message_audio *audio)
{
	audio->busy_us = (uint32_t)read_int(in, 4);
	audio->sample_rate = (uint32_t)read_int(in, 4);
	audio->samples = in->at;
	audio->count = in->left / 2;
	if (in->left % 2)
		in->bad = true;
}

static void read_word(struct cursor *in, struct message_word *word)
{
	word->byte_start = (uint32_t)read_int(in, 4);
	word->byte_end = (uint32_t)read_int(in, 4);
	word->sample_start = read_int(in, 8);
	word->sample_end = read_int(in, 8);
	if (word->byte_end < word->byte_start || word->sample_end < word->sample_start)
		in->bad = true;
}

static void read_done(struct cursor *in, struct message_done_report *done)
{
	done->status = (uint32_t)read_int(in, 4);
	done->busy_us = (uint32_t)read_int(in, 4);
	done->samples = read_int(in, 8);
	done->detail = read_str(in);
}

static void read_payload(struct cursor *in, struct message *message)
{
	switch (message->type) {
	case MESSAGE_HELLO:
		message->hello.version_min = (uint16_t)read_int(in, 2);
		message->hello.version_max = (uint16_t)read_int(in, 2);
		break;
	case MESSAGE_SPEAK:
		read_speak(in, &message->speak);
		break;
	case MESSAGE_CREDIT:
		message->credit_samples = (uint32_t)read_int(in, 4);
		break;
	case MESSAGE_READY:
		read_ready(in, &message->ready);
		break;
	case MESSAGE_VOICE:
		read_voice(in, &message->voice);
		break;
	case MESSAGE_MADE:
		message->made_samples = (uint32_t)read_int(in, 4);
		break;
	case MESSAGE_NOTE:
		read_note(in, &message->note);
		break;
	case MESSAGE_AUDIO:
		read_audio(in, &message->audio);
		break;
	case MESSAGE_WORD:
		read_word(in, &message->word);
		break;
	case MESSAGE_DONE:
		read_done(in, &message->done);
		break;
	case MESSAGE_CANCEL:
		break;
	default:
		message->other = (struct message_bytes){in->at, in->left};
		break;
	}
}

int message_decode(struct message *message, size_t *used, const void *bytes, size_t n)
{
	struct message read = {0};
	struct cursor in = {.at = bytes, .left = n};
	size_t payload_len;
	uint64_t zero;

	if (n < MESSAGE_HEADER_LEN)
		return EAGAIN;
	payload_len = (size_t)read_int(&in, 4);
	read.type = (uint16_t)read_int(&in, 2);
	zero = read_int(&in, 2);
	read.job = (uint32_t)read_int(&in, 4);
	/* Checked before the payload is waited for: bytes that are no message
	 * would else be a wait without end. */
	if (payload_len > MESSAGE_PAYLOAD_MAX || zero != 0)
		return EPROTO;
	if (in.left < payload_len)
		return EAGAIN;
	in.left = payload_len;
	read_payload(&in, &read);
	if (in.bad)
		return EPROTO;
	*message = read;
	*used = MESSAGE_HEADER_LEN + payload_len;
	return 0;
}

size_t message_missing(const void *bytes, size_t n)
{
	size_t payload_len;

	if (n < MESSAGE_HEADER_LEN)
		return MESSAGE_HEADER_LEN - n;
	payload_len = (size_t)get_le(bytes, 4);
	if (payload_len > MESSAGE_PAYLOAD_MAX || get_le((const unsigned char *)bytes + 6, 2) != 0 ||
	    n >= MESSAGE_HEADER_LEN + payload_len)
		return 0;
	return MESSAGE_HEADER_LEN + payload_len - n;
}
