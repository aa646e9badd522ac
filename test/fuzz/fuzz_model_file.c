/*
 * fuzz_model_file.c: the files that accompany a model, with any bytes.
 *
 * The first byte chooses the kind: 'j' is JSON, anything else is tokens with valid metadata.  A
 * file that is accepted must be usable for speech.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/vits/model_file_private.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

/* An empty graph; model_type vits, voice en, sample_rate 22050. */
static const char model[] = "\x08\x08\x3a\x03\x12\x01g"
			    "\x72\x12\x0a\x0amodel_type\x12\x04vits"
			    "\x72\x0b\x0a\x05voice\x12\x02"
			    "en"
			    "\x72\x14\x0a\x0bsample_rate\x12\x05"
			    "22050";

static void check_symbols(const struct model_file *file)
{
	MUST(file->symbol_count > 0);
	for (size_t i = 0; i < file->symbol_count; ++i) {
		const struct model_symbol *symbol = &file->symbols[i];

		MUST(symbol->id >= 0);
		MUST(i == 0 || symbol[-1].code_point < symbol->code_point);
		MUST(model_file_id(file, symbol->code_point) == symbol->id);
	}
}

static void check_speakers(const struct model_file *file)
{
	MUST(file->speaker_count_listed > 0);
	MUST(file->speaker_count_listed <= MODEL_FILE_SPEAKERS_MAX);
	for (size_t i = 0; i < file->speaker_count_listed; ++i) {
		const struct model_speaker *speaker = &file->speakers[i];

		MUST(strlen(speaker->name) < MODEL_FILE_NAME_MAX);
		MUST(speaker->title && speaker->name[0]);
		MUST(speaker->gain_db >= -30 && speaker->gain_db <= 30);
		MUST(speaker->speaker >= 0);
		MUST(file->family == MODEL_KOKORO || speaker->speaker < file->speaker_count);
		MUST(file->family == MODEL_VITS || speaker->style_file);
		MUST(!speaker->style_file || !strchr(speaker->style_file, '/'));
	}
}

static void check(const struct model_file *file)
{
	MUST(file->sample_rate >= 8000 && file->sample_rate <= 48000);
	MUST(file->language[0] && strlen(file->language) <= 3);
	MUST(file->espeak_voice[0] && !strstr(file->espeak_voice, ".."));
	MUST(file->length_scale > 0);
	check_symbols(file);
	check_speakers(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	enum model_companion companion = MODEL_COMPANION_TOKENS;
	struct model_file *file = NULL;
	struct onnx *onnx = NULL;
	char why[128] = "";
	char *copy;
	int err;

	if (len == 0)
		return 0;
	if (bytes[0] == 'j')
		companion = MODEL_COMPANION_JSON;
	copy = malloc(len > 1 ? len - 1 : 1); /* the exact size, for the sanitizer */
	MUST(copy);
	memcpy(copy, bytes + 1, len - 1);
	MUST(onnx_parse(&onnx, model, sizeof(model) - 1, why, sizeof(why)) == 0);
	err = model_file_parse(&file, "/voices/a-name.onnx", companion, copy, len - 1, onnx, why,
			       sizeof(why));
	MUST((err == 0) == (file != NULL));
	MUST(!err || why[0]);
	if (file)
		check(file);
	mem_deref(file);
	mem_deref(onnx);
	free(copy);
	MUST(mem_live() == 0);
	return 0;
}
