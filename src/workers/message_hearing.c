/*
 * message_hearing.c: the messages about listening and decoding (see message.h).
 *
 * SAMPLES, BYTES and ACTIVITY extend to the end of the payload, so no field can be added to them.
 */
#include "workers/message_private.h"

static void message_hearing_write_listen(struct buf *out, int *err,
					 const struct message_listen *listen)
{
	message_write_str(out, err, &listen->model);
	message_write_str(out, err, &listen->language);
	message_write_int(out, err, listen->first_sample, 8);
	message_write_int(out, err, listen->wants, 4);
	message_write_str(out, err, &listen->prompt);
}

static void message_hearing_write_recognize(struct buf *out, int *err,
					    const struct message_recognize *recognize)
{
	message_write_int(out, err, recognize->number, 4);
	message_write_int(out, err, recognize->from_sample, 8);
	message_write_int(out, err, recognize->to_sample, 8);
	message_write_int(out, err, recognize->is_final, 1);
	message_write_int(out, err, recognize->deadline_ms, 4);
}

static void message_hearing_write_model(struct buf *out, int *err,
					const struct message_model *model)
{
	message_write_str(out, err, &model->name);
	message_write_str(out, err, &model->title);
	message_write_str(out, err, &model->languages);
	message_write_str(out, err, &model->licence);
	message_write_int(out, err, model->capabilities, 4);
	message_write_int(out, err, model->piece_max, 4);
}

static void message_hearing_write_activity(struct buf *out, int *err,
					   const struct message_activity *activity)
{
	message_write_int(out, err, activity->first_sample, 8);
	message_write_bytes(out, err, activity->probabilities, activity->count);
}

static void message_hearing_write_words(struct buf *out, int *err,
					const struct message_words *words)
{
	message_write_int(out, err, words->number, 4);
	message_write_int(out, err, words->busy_us, 4);
	message_write_str(out, err, &words->language);
	message_write_float(out, err, words->language_probability);
	message_write_int(out, err, words->flags, 4);
	message_write_str(out, err, &words->text);
	message_write_int(out, err, words->words.count, 2);
	message_write_bytes(out, err, words->words.bytes, words->words.len);
}

bool message_write_hearing(struct buf *out, int *err, const struct message *message)
{
	switch (message->type) {
	case MESSAGE_LISTEN:
		message_hearing_write_listen(out, err, &message->listen);
		break;
	case MESSAGE_SAMPLES:
		message_write_samples(out, err, message->samples.samples, message->samples.count);
		break;
	case MESSAGE_RECOGNIZE:
		message_hearing_write_recognize(out, err, &message->recognize);
		break;
	case MESSAGE_RELEASE:
		message_write_int(out, err, message->release_sample, 8);
		break;
	case MESSAGE_FINISH:
		if (message->finish_format.len > 0)
			message_write_str(out, err, &message->finish_format);
		break;
	case MESSAGE_DECODE:
		message_write_str(out, err, &message->decode.format);
		message_write_int(out, err, message->decode.credit_samples, 4);
		break;
	case MESSAGE_BYTES:
		message_write_bytes(out, err, message->bytes.bytes, message->bytes.len);
		break;
	case MESSAGE_MODEL:
		message_hearing_write_model(out, err, &message->model);
		break;
	case MESSAGE_ROOM:
		message_write_int(out, err, message->room, 4);
		break;
	case MESSAGE_ACTIVITY:
		message_hearing_write_activity(out, err, &message->activity);
		break;
	case MESSAGE_WORDS:
		message_hearing_write_words(out, err, &message->words);
		break;
	default:
		return false;
	}
	return true;
}

int message_heard_put(struct buf *words, const struct message_heard *heard)
{
	size_t before = words->len;
	int err = 0;

	message_write_word(words, &err, &heard->word);
	message_write_float(words, &err, heard->probability);
	if (err)
		words->len = before;
	return err;
}

static float message_hearing_read_probability(struct message_cursor *in)
{
	float value = message_read_float(in);

	if (value < 0 || value > 1)
		in->bad = true;
	return value;
}

static uint64_t message_hearing_read_position(struct message_cursor *in)
{
	uint64_t position = message_read_int(in, 8);

	if (position > MESSAGE_SAMPLE_MAX)
		in->bad = true;
	return position;
}

static struct message_heard message_hearing_read_heard(struct message_cursor *in)
{
	struct message_heard heard;

	message_read_word(in, &heard.word);
	if (heard.word.sample_end > MESSAGE_SAMPLE_MAX)
		in->bad = true;
	heard.probability = message_hearing_read_probability(in);
	return heard;
}

bool message_heard_take(struct message_heard *heard, struct message_spans *words)
{
	struct message_cursor in = {.at = words->bytes, .left = words->len};

	if (words->count == 0)
		return false;
	*heard = message_hearing_read_heard(&in);
	words->bytes = in.at;
	words->len = (uint32_t)in.left;
	--words->count;
	return !in.bad;
}

/* Whether a word consists of whole characters of the text, after the word before it. */
static bool message_hearing_word_fits(const struct message_word *word,
				      const struct message_str *text,
				      const struct message_word *before)
{
	return word->byte_start >= before->byte_end && word->byte_start < word->byte_end &&
	       word->byte_end <= text->len && word->sample_start >= before->sample_start &&
	       !message_is_inside_character(text, word->byte_start) &&
	       !message_is_inside_character(text, word->byte_end);
}

static void message_hearing_read_words(struct message_cursor *in, struct message_words *words)
{
	struct message_word before = {0};

	words->number = (uint32_t)message_read_int(in, 4);
	words->busy_us = (uint32_t)message_read_int(in, 4);
	words->language = message_read_str(in);
	words->language_probability = message_hearing_read_probability(in);
	words->flags = (uint32_t)message_read_int(in, 4);
	words->text = message_read_str(in);
	words->words.count = (uint16_t)message_read_int(in, 2);
	words->words.bytes = in->at;
	if (words->words.count > MESSAGE_WORDS_MAX)
		in->bad = true;
	for (uint16_t i = 0; i < words->words.count && !in->bad; ++i) {
		struct message_heard heard = message_hearing_read_heard(in);

		if (!message_hearing_word_fits(&heard.word, &words->text, &before))
			in->bad = true;
		before = heard.word;
	}
	words->words.len = (uint32_t)(in->at - words->words.bytes);
}

static void message_hearing_read_listen(struct message_cursor *in, struct message_listen *listen)
{
	listen->model = message_read_str(in);
	listen->language = message_read_str(in);
	listen->first_sample = message_hearing_read_position(in);
	listen->wants = (uint32_t)message_read_int(in, 4);
	listen->prompt = message_read_str(in);
}

static void message_hearing_read_recognize(struct message_cursor *in,
					   struct message_recognize *recognize)
{
	recognize->number = (uint32_t)message_read_int(in, 4);
	recognize->from_sample = message_hearing_read_position(in);
	recognize->to_sample = message_hearing_read_position(in);
	recognize->is_final = message_read_int(in, 1) != 0;
	recognize->deadline_ms = (uint32_t)message_read_int(in, 4);
	if (recognize->to_sample <= recognize->from_sample)
		in->bad = true;
}

static void message_hearing_read_model(struct message_cursor *in, struct message_model *model)
{
	model->name = message_read_str(in);
	model->title = message_read_str(in);
	model->languages = message_read_str(in);
	model->licence = message_read_str(in);
	model->capabilities = (uint32_t)message_read_int(in, 4);
	model->piece_max = (uint32_t)message_read_int(in, 4);
	if (model->name.len == 0 || model->piece_max == 0)
		in->bad = true;
}

static void message_hearing_read_activity(struct message_cursor *in,
					  struct message_activity *activity)
{
	activity->first_sample = message_hearing_read_position(in);
	activity->probabilities = in->at;
	activity->count = in->left;
}

bool message_read_hearing(struct message_cursor *in, struct message *message)
{
	switch (message->type) {
	case MESSAGE_LISTEN:
		message_hearing_read_listen(in, &message->listen);
		break;
	case MESSAGE_SAMPLES:
		message->samples.count = message_read_samples(in, &message->samples.samples);
		break;
	case MESSAGE_RECOGNIZE:
		message_hearing_read_recognize(in, &message->recognize);
		break;
	case MESSAGE_RELEASE:
		message->release_sample = message_hearing_read_position(in);
		break;
	case MESSAGE_FINISH:
		message->finish_format =
			in->left > 0 ? message_read_str(in) : (struct message_str){.bytes = ""};
		break;
	case MESSAGE_DECODE:
		message->decode.format = message_read_str(in);
		message->decode.credit_samples = (uint32_t)message_read_int(in, 4);
		break;
	case MESSAGE_BYTES:
		message->bytes = (struct message_bytes){in->at, in->left};
		break;
	case MESSAGE_MODEL:
		message_hearing_read_model(in, &message->model);
		break;
	case MESSAGE_ROOM:
		message->room = (uint32_t)message_read_int(in, 4);
		break;
	case MESSAGE_ACTIVITY:
		message_hearing_read_activity(in, &message->activity);
		break;
	case MESSAGE_WORDS:
		message_hearing_read_words(in, &message->words);
		break;
	default:
		return false;
	}
	return true;
}
