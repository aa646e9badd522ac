/*
 * model_tokens.c: NAME.tokens.txt and the metadata inside the model, which sherpa-onnx's
 * exports of Piper voices have instead of a JSON file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/vits/model_file_private.h"

#define NUMBER_SIZE 24

/* A metadata value as a C string; "" when it is missing or too long to be valid. */
static void model_tokens_get_note(const struct model_draft *draft, const char *key, char *out,
				  size_t size)
{
	struct onnx_str note = {NULL, 0};

	if (draft->onnx)
		note = onnx_note(draft->onnx, key);
	if (!note.bytes || note.len >= size)
		note.len = 0;
	if (note.len > 0)
		memcpy(out, note.bytes, note.len);
	out[note.len] = '\0';
}

/* An unsigned decimal number that is the whole text; -1 for anything else. */
static int64_t model_tokens_to_number(const char *text, size_t len)
{
	int64_t number = 0;

	if (len == 0 || len > 9)
		return -1;
	for (size_t i = 0; i < len; ++i) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		number = 10 * number + (text[i] - '0');
	}
	return number;
}

static int64_t model_tokens_number_note(const struct model_draft *draft, const char *key)
{
	char text[NUMBER_SIZE];

	model_tokens_get_note(draft, key, text, sizeof(text));
	return model_tokens_to_number(text, strlen(text));
}

/* sherpa-onnx also exports VITS models whose input is not phonemes of eSpeak NG. */
static int model_tokens_check_kind(const struct model_draft *draft)
{
	char type[NUMBER_SIZE];
	char maker[NUMBER_SIZE];

	model_tokens_get_note(draft, "model_type", type, sizeof(type));
	model_tokens_get_note(draft, "comment", maker, sizeof(maker));
	if (strcmp(type, "vits") != 0)
		return model_draft_refuse(draft, "the note \"model_type\" in it is not vits");
	if ((maker[0] && strcmp(maker, "piper") != 0) ||
	    model_tokens_number_note(draft, "has_espeak") == 0)
		return model_draft_refuse(draft, "it is a VITS model, but not of Piper's kind with "
						 "phonemes of eSpeak NG");
	return 0;
}

static int model_tokens_read_notes(struct model_draft *draft)
{
	struct model_file *file = draft->file;
	int64_t rate = model_tokens_number_note(draft, "sample_rate");
	int64_t speakers = model_tokens_number_note(draft, "n_speakers");
	char voice[MODEL_FILE_NAME_MAX];

	if (rate < 8000 || rate > 48000)
		return model_draft_refuse(draft, "the note \"sample_rate\" in it is no number from "
						 "8000 to 48000");
	model_tokens_get_note(draft, "voice", voice, sizeof(voice));
	if (!model_name_is_good(voice, strlen(voice), true))
		return model_draft_refuse(draft, "the note \"voice\" in it is no voice of eSpeak "
						 "NG");
	file->sample_rate = (uint32_t)rate;
	file->speaker_count = speakers > 0 ? speakers : 1;
	return model_draft_copy(draft, &file->espeak_voice, "voice", voice, strlen(voice),
				sizeof(voice));
}

/* A symbol, a blank, its id. The symbol may itself be a blank. */
static int model_tokens_read_line(struct model_draft *draft, const char *line, size_t len,
				  unsigned number)
{
	size_t blank = len;
	int64_t id;

	if (len > 0 && line[len - 1] == '\r')
		blank = --len;
	if (len == 0)
		return 0;
	while (blank > 0 && line[blank - 1] != ' ')
		--blank;
	id = model_tokens_to_number(line + blank, len - blank);
	if (blank == 0 || id < 0)
		return model_draft_refuse(draft,
					  "line %u of the .tokens.txt file is not a symbol and its "
					  "id",
					  number);
	if (blank == 1) /* exporters that trim lines write the symbol blank like this */
		return model_draft_add_symbol(draft, " ", 1, id);
	return model_draft_add_symbol(draft, line, blank - 1, id);
}

int model_tokens_read(struct model_draft *draft, const char *bytes, size_t len)
{
	const char *end = bytes + len;
	unsigned number = 0;
	int err = model_tokens_check_kind(draft);

	if (!err)
		err = model_tokens_read_notes(draft);
	while (!err && bytes < end) {
		const char *stop = memchr(bytes, '\n', (size_t)(end - bytes));

		if (!stop)
			stop = end;
		err = model_tokens_read_line(draft, bytes, (size_t)(stop - bytes), ++number);
		bytes = stop + 1;
	}
	return err;
}
