/*
 * message.c: the messages between the server and a worker (see message.h): headers, and the messages
 * about speaking.  Those about listening and decoding are in message_hearing.c.
 *
 * For each message there is code that writes it and code that reads it, field
 * by field in the order of docs/worker-protocol.md.
 */
#include "workers/message.h"

#include <errno.h>
#include <string.h>

#include "workers/message_private.h"

struct message_str message_str_of(const char *string)
{
	return (struct message_str){string, (uint32_t)strlen(string)};
}

static void message_write_speak(struct buf *out, int *err, const struct message_speak *speak)
{
	message_write_str(out, err, &speak->voice);
	message_write_str(out, err, &speak->language);
	message_write_str(out, err, &speak->text);
	message_write_str(out, err, &speak->text_before);
	message_write_int(out, err, speak->turn, 8);
	message_write_int(out, err, speak->skip_samples, 8);
	message_write_int(out, err, speak->credit_samples, 4);
	message_write_int(out, err, speak->deadline_ms, 4);
	message_write_float(out, err, speak->speed);
	message_write_float(out, err, speak->temperature);
	message_write_int(out, err, speak->want_words, 1);
	message_write_int(out, err, speak->phonemes.count, 2);
	message_write_bytes(out, err, speak->phonemes.bytes, speak->phonemes.len);
	message_write_float(out, err, speak->pitch);
	message_write_str(out, err, &speak->variant);
	message_write_int(out, err, speak->seed, 8);
}

int message_phonemes_put(struct buf *spans, const struct message_phonemes *phonemes)
{
	size_t before = spans->len;
	int err = 0;

	message_write_int(spans, &err, phonemes->byte_start, 4);
	message_write_int(spans, &err, phonemes->byte_end, 4);
	message_write_str(spans, &err, &phonemes->ipa);
	if (err)
		spans->len = before;
	return err;
}

static void message_write_ready(struct buf *out, int *err, const struct message_ready *ready)
{
	message_write_int(out, err, ready->version, 2);
	message_write_int(out, err, ready->jobs_max, 2);
	message_write_int(out, err, ready->capabilities, 4);
	message_write_str(out, err, &ready->engine);
	message_write_int(out, err, ready->batch, 2);
	message_write_int(out, err, ready->turns, 2);
}

static void message_write_voice(struct buf *out, int *err, const struct message_voice *voice)
{
	message_write_str(out, err, &voice->name);
	message_write_str(out, err, &voice->language);
	message_write_str(out, err, &voice->title);
	message_write_int(out, err, voice->sample_rate, 4);
	message_write_int(out, err, voice->sex, 1);
	message_write_int(out, err, voice->quality, 1);
	message_write_str(out, err, &voice->licence);
}

static void message_write_note(struct buf *out, int *err, const struct message_note *note)
{
	message_write_str(out, err, &note->about);
	message_write_str(out, err, &note->text);
}

static void message_write_audio(struct buf *out, int *err, const struct message_audio *audio)
{
	message_write_int(out, err, audio->busy_us, 4);
	message_write_int(out, err, audio->sample_rate, 4);
	message_write_samples(out, err, audio->samples, audio->count);
}

void message_write_word(struct buf *out, int *err, const struct message_word *word)
{
	message_write_int(out, err, word->byte_start, 4);
	message_write_int(out, err, word->byte_end, 4);
	message_write_int(out, err, word->sample_start, 8);
	message_write_int(out, err, word->sample_end, 8);
}

static void message_write_done(struct buf *out, int *err, const struct message_done_report *done)
{
	message_write_int(out, err, done->status, 4);
	message_write_int(out, err, done->busy_us, 4);
	message_write_int(out, err, done->samples, 8);
	message_write_str(out, err, &done->detail);
}

static void message_write_payload(struct buf *out, int *err, const struct message *message)
{
	switch (message->type) {
	case MESSAGE_HELLO:
		message_write_int(out, err, message->hello.version_min, 2);
		message_write_int(out, err, message->hello.version_max, 2);
		break;
	case MESSAGE_SPEAK:
	case MESSAGE_REPLAY:
		message_write_speak(out, err, &message->speak);
		break;
	case MESSAGE_CREDIT:
		message_write_int(out, err, message->credit_samples, 4);
		break;
	case MESSAGE_END_TURN:
		message_write_int(out, err, message->turn, 8);
		break;
	case MESSAGE_READY:
		message_write_ready(out, err, &message->ready);
		break;
	case MESSAGE_VOICE:
		message_write_voice(out, err, &message->voice);
		break;
	case MESSAGE_MADE:
		message_write_int(out, err, message->made_samples, 4);
		break;
	case MESSAGE_NOTE:
		message_write_note(out, err, &message->note);
		break;
	case MESSAGE_AUDIO:
		message_write_audio(out, err, &message->audio);
		break;
	case MESSAGE_WORD:
		message_write_word(out, err, &message->word);
		break;
	case MESSAGE_DONE:
		message_write_done(out, err, &message->done);
		break;
	case MESSAGE_CANCEL:
		break;
	default:
		if (!message_write_hearing(out, err, message))
			message_write_bytes(out, err, message->other.bytes, message->other.len);
		break;
	}
}

static void message_put_header(unsigned char *head, size_t payload_len, uint16_t type, uint32_t job)
{
	message_put_le(head, payload_len, 4);
	message_put_le(head + 4, type, 2);
	message_put_le(head + 6, 0, 2);
	message_put_le(head + 8, job, 4);
}

int message_encode(struct buf *out, const struct message *message)
{
	unsigned char head[MESSAGE_HEADER_LEN] = {0};
	size_t start = out->len;
	size_t payload_len;
	int err = buf_append(out, head, sizeof(head));

	if (err)
		return err;
	message_write_payload(out, &err, message);
	payload_len = out->len - start - sizeof(head);
	if (!err && payload_len > MESSAGE_PAYLOAD_MAX)
		err = ENOBUFS;
	if (err) {
		out->len = start;
		return err;
	}
	message_put_header((unsigned char *)out->bytes + start, payload_len, message->type,
			   message->job);
	return 0;
}

void message_encode_audio_head(unsigned char head[MESSAGE_AUDIO_HEAD_LEN], uint32_t job,
			       const struct message_audio *audio)
{
	message_put_header(head, 8 + audio->count * 2, MESSAGE_AUDIO, job);
	message_put_le(head + MESSAGE_HEADER_LEN, audio->busy_us, 4);
	message_put_le(head + MESSAGE_HEADER_LEN + 4, audio->sample_rate, 4);
}

/* Reads a field that version 1 did not have at first: if the payload ends before it, it is empty.  An
 * incomplete field is still an error. */
static struct message_str message_read_later_str(struct message_cursor *in)
{
	return in->left > 0 ? message_read_str(in) : (struct message_str){.bytes = ""};
}

bool message_phonemes_fit(const struct message_phonemes *phonemes, const struct message_str *text,
			  uint32_t from)
{
	return phonemes->byte_start >= from && phonemes->byte_start < phonemes->byte_end &&
	       phonemes->byte_end <= text->len &&
	       !message_is_inside_character(text, phonemes->byte_start) &&
	       !message_is_inside_character(text, phonemes->byte_end) && phonemes->ipa.len > 0 &&
	       phonemes->ipa.len <= MESSAGE_IPA_MAX && message_is_utf8(&phonemes->ipa);
}

static struct message_phonemes message_read_span(struct message_cursor *in)
{
	struct message_phonemes phonemes;

	phonemes.byte_start = (uint32_t)message_read_int(in, 4);
	phonemes.byte_end = (uint32_t)message_read_int(in, 4);
	phonemes.ipa = message_read_str(in);
	return phonemes;
}

bool message_phonemes_take(struct message_phonemes *phonemes, struct message_spans *spans)
{
	struct message_cursor in = {.at = spans->bytes, .left = spans->len};

	if (spans->count == 0)
		return false;
	*phonemes = message_read_span(&in);
	spans->bytes = in.at;
	spans->len = (uint32_t)in.left;
	--spans->count;
	return !in.bad;
}

/* Version 1 did not have this field at first: if the payload ends before it, the list is empty. */
static void message_read_spans(struct message_cursor *in, const struct message_str *text,
			       struct message_spans *spans)
{
	uint32_t from = 0;

	spans->count = in->left > 0 ? (uint16_t)message_read_int(in, 2) : 0;
	spans->bytes = in->at;
	if (spans->count > MESSAGE_PHONEMES_MAX)
		in->bad = true;
	for (uint16_t i = 0; i < spans->count && !in->bad; ++i) {
		struct message_phonemes phonemes = message_read_span(in);

		if (!message_phonemes_fit(&phonemes, text, from))
			in->bad = true;
		from = phonemes.byte_end;
	}
	spans->len = (uint32_t)(in->at - spans->bytes);
}

static void message_read_speak(struct message_cursor *in, struct message_speak *speak)
{
	speak->voice = message_read_str(in);
	speak->language = message_read_str(in);
	speak->text = message_read_str(in);
	speak->text_before = message_read_str(in);
	speak->turn = message_read_int(in, 8);
	speak->skip_samples = message_read_int(in, 8);
	speak->credit_samples = (uint32_t)message_read_int(in, 4);
	speak->deadline_ms = (uint32_t)message_read_int(in, 4);
	speak->speed = message_read_float(in);
	speak->temperature = message_read_float(in);
	speak->want_words = message_read_int(in, 1) != 0;
	message_read_spans(in, &speak->text, &speak->phonemes);
	/* Version 1 did not have these at first. */
	speak->pitch = in->left > 0 ? message_read_float(in) : 0;
	speak->variant = message_read_later_str(in);
	speak->seed = in->left > 0 ? message_read_int(in, 8) : 0;
}

static void message_read_ready(struct message_cursor *in, struct message_ready *ready)
{
	ready->version = (uint16_t)message_read_int(in, 2);
	ready->jobs_max = (uint16_t)message_read_int(in, 2);
	ready->capabilities = (uint32_t)message_read_int(in, 4);
	ready->engine = message_read_str(in);
	/* Version 1 did not have these at first; they were added one after the other. */
	ready->batch = (uint16_t)(in->left > 0 ? message_read_int(in, 2) : 0);
	ready->turns = (uint16_t)(in->left > 0 ? message_read_int(in, 2) : 0);
}

static void message_read_voice(struct message_cursor *in, struct message_voice *voice)
{
	voice->name = message_read_str(in);
	voice->language = message_read_str(in);
	voice->title = message_read_str(in);
	voice->sample_rate = (uint32_t)message_read_int(in, 4);
	voice->sex = (uint8_t)message_read_int(in, 1);
	voice->quality = (uint8_t)message_read_int(in, 1);
	voice->licence = message_read_later_str(in);
}

static void message_read_note(struct message_cursor *in, struct message_note *note)
{
	note->about = message_read_str(in);
	note->text = message_read_str(in);
}

/* The rest of the payload is samples, so no field can be added to this message. */
static void message_read_audio(struct message_cursor *in, struct message_audio *audio)
{
	audio->busy_us = (uint32_t)message_read_int(in, 4);
	audio->sample_rate = (uint32_t)message_read_int(in, 4);
	audio->count = message_read_samples(in, &audio->samples);
}

void message_read_word(struct message_cursor *in, struct message_word *word)
{
	word->byte_start = (uint32_t)message_read_int(in, 4);
	word->byte_end = (uint32_t)message_read_int(in, 4);
	word->sample_start = message_read_int(in, 8);
	word->sample_end = message_read_int(in, 8);
	if (word->byte_end < word->byte_start || word->sample_end < word->sample_start)
		in->bad = true;
}

static void message_read_done(struct message_cursor *in, struct message_done_report *done)
{
	done->status = (uint32_t)message_read_int(in, 4);
	done->busy_us = (uint32_t)message_read_int(in, 4);
	done->samples = message_read_int(in, 8);
	done->detail = message_read_str(in);
}

static void message_read_payload(struct message_cursor *in, struct message *message)
{
	switch (message->type) {
	case MESSAGE_HELLO:
		message->hello.version_min = (uint16_t)message_read_int(in, 2);
		message->hello.version_max = (uint16_t)message_read_int(in, 2);
		break;
	case MESSAGE_SPEAK:
	case MESSAGE_REPLAY:
		message_read_speak(in, &message->speak);
		break;
	case MESSAGE_CREDIT:
		message->credit_samples = (uint32_t)message_read_int(in, 4);
		break;
	case MESSAGE_END_TURN:
		message->turn = message_read_int(in, 8);
		break;
	case MESSAGE_READY:
		message_read_ready(in, &message->ready);
		break;
	case MESSAGE_VOICE:
		message_read_voice(in, &message->voice);
		break;
	case MESSAGE_MADE:
		message->made_samples = (uint32_t)message_read_int(in, 4);
		break;
	case MESSAGE_NOTE:
		message_read_note(in, &message->note);
		break;
	case MESSAGE_AUDIO:
		message_read_audio(in, &message->audio);
		break;
	case MESSAGE_WORD:
		message_read_word(in, &message->word);
		break;
	case MESSAGE_DONE:
		message_read_done(in, &message->done);
		break;
	case MESSAGE_CANCEL:
		break;
	default:
		if (!message_read_hearing(in, message))
			message->other = (struct message_bytes){in->at, in->left};
		break;
	}
}

int message_decode(struct message *message, size_t *used, const void *bytes, size_t n)
{
	struct message read = {0};
	struct message_cursor in = {.at = bytes, .left = n};
	size_t payload_len;
	uint64_t zero;

	if (n < MESSAGE_HEADER_LEN)
		return EAGAIN;
	payload_len = (size_t)message_read_int(&in, 4);
	read.type = (uint16_t)message_read_int(&in, 2);
	zero = message_read_int(&in, 2);
	read.job = (uint32_t)message_read_int(&in, 4);
	/* Checked before the payload is complete: otherwise bytes that are not a message could make
	 * the reader wait for ever. */
	if (payload_len > MESSAGE_PAYLOAD_MAX || zero != 0)
		return EPROTO;
	if (in.left < payload_len)
		return EAGAIN;
	in.left = payload_len;
	message_read_payload(&in, &read);
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
	payload_len = (size_t)message_get_le(bytes, 4);
	if (payload_len > MESSAGE_PAYLOAD_MAX ||
	    message_get_le((const unsigned char *)bytes + 6, 2) != 0 ||
	    n >= MESSAGE_HEADER_LEN + payload_len)
		return 0;
	return MESSAGE_HEADER_LEN + payload_len - n;
}
