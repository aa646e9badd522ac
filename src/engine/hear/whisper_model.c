/*
 * whisper_model.c: a Whisper model's folder (see whisper_model.h).
 */
#include "engine/hear/whisper_model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/neural/mapping.h"
#include "engine/neural/onnx.h"
#include "engine/neural/onnx_float.h"
#include "workers/message.h"

struct whisper_model_file {
	char *bytes;
	size_t len;
};

static int whisper_model_refuse(char why[RUNTIME_WHY_SIZE], int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int whisper_model_refuse(char why[RUNTIME_WHY_SIZE], int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	onnx_say(why, RUNTIME_WHY_SIZE, format, args);
	va_end(args);
	return err;
}

static int whisper_model_read_bytes(struct whisper_model_file *file, int fd, size_t max)
{
	struct stat status;
	size_t len = 0;

	if (fd < 0 || fstat(fd, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	if (status.st_size > (off_t)max)
		return EFBIG;
	file->len = (size_t)status.st_size;
	file->bytes = malloc(file->len + 1);
	if (!file->bytes)
		return ENOMEM;
	while (len < file->len) {
		ssize_t n = read(fd, file->bytes + len, file->len - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		len += (size_t)n;
	}
	return 0;
}

/* Reads a whole file, whose bytes are malloc'ed. */
static int whisper_model_read(struct whisper_model_file *file, const char *folder, const char *name,
			      size_t max, char why[RUNTIME_WHY_SIZE])
{
	char path[4096];
	int fd;
	int err;

	*file = (struct whisper_model_file){0};
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return whisper_model_refuse(why, ENAMETOOLONG, "its path is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe would block */
	err = whisper_model_read_bytes(file, fd, max);
	if (fd >= 0)
		close(fd);
	if (err) {
		free(file->bytes);
		file->bytes = NULL;
		whisper_model_refuse(why, err, "%s: %s", name, strerror(err));
	}
	return err;
}

/* config.json, and generation_config.json if there is one. */
static int whisper_model_read_settings(struct whisper_model *model, const char *folder,
				       char why[RUNTIME_WHY_SIZE])
{
	static const struct {
		const char *name;
		int (*read)(struct whisper_settings *settings, char *json, size_t len, char *why,
			    size_t why_size);
		bool is_optional;
	} files[] = {
		{"config.json", whisper_settings_read, false},
		{"generation_config.json", whisper_settings_read_generation, true},
	};
	int err = 0;

	for (size_t i = 0; i < COUNT(files) && !err; ++i) {
		struct whisper_model_file file;
		char reason[128];

		err = whisper_model_read(&file, folder, files[i].name, WHISPER_SETTINGS_FILE_MAX,
					 why);
		if (err == ENOENT && files[i].is_optional)
			return 0;
		if (err)
			return err;
		err = files[i].read(&model->settings, file.bytes, file.len, reason, sizeof(reason));
		free(file.bytes);
		if (err)
			whisper_model_refuse(why, err, "%s: %s", files[i].name, reason);
	}
	return err;
}

static int whisper_model_read_tokens(struct whisper_model *model, const char *folder,
				     char why[RUNTIME_WHY_SIZE])
{
	struct whisper_model_file file;
	char reason[128] = "";
	int err = whisper_model_read(&file, folder, "tokenizer.json", BPE_FILE_MAX, why);

	if (err)
		return err;
	err = bpe_parse(&model->bpe, BPE_BYTES, file.bytes, file.len, reason, sizeof(reason));
	free(file.bytes);
	if (err)
		whisper_model_refuse(why, err, "tokenizer.json: %s",
				     err == EINVAL ? reason : strerror(err));
	return err;
}

/* "<|de|>", "<|yue|>": marks of two or three small letters are languages. */
static void whisper_model_find_languages(struct whisper_model *model)
{
	size_t ids = bpe_count(model->bpe);

	for (size_t id = 0; id < ids && id < model->settings.vocabulary; ++id) {
		struct bpe_token token = bpe_token(model->bpe, id);
		struct whisper_language *language = &model->languages[model->language_count];
		size_t letters = 0;

		if (!token.is_mark || token.len < 6 || token.len > 7 ||
		    model->language_count == WHISPER_LANGUAGES_MAX)
			continue;
		while (letters < token.len - 4 && token.bytes[2 + letters] >= 'a' &&
		       token.bytes[2 + letters] <= 'z')
			++letters;
		if (letters != token.len - 4 || memcmp(token.bytes, "<|", 2) != 0 ||
		    memcmp(token.bytes + 2 + letters, "|>", 2) != 0)
			continue;
		language->mark = (uint32_t)id;
		memcpy(language->code, token.bytes + 2, letters);
		++model->language_count;
	}
}

static int whisper_model_find_marks(struct whisper_model *model, char why[RUNTIME_WHY_SIZE])
{
	const struct {
		const char *name;
		uint32_t *id;
	} marks[] = {
		{"<|startoftranscript|>", &model->start},
		{"<|endoftext|>", &model->end},
		{"<|transcribe|>", &model->transcribe},
		{"<|notimestamps|>", &model->no_times},
	};

	for (size_t i = 0; i < COUNT(marks); ++i)
		if (!bpe_find_mark(model->bpe, marks[i].name, marks[i].id) ||
		    *marks[i].id >= model->settings.vocabulary)
			return whisper_model_refuse(why, EINVAL, "tokenizer.json: there is no %s",
						    marks[i].name);
	/* It was renamed between versions. */
	if ((!bpe_find_mark(model->bpe, "<|nospeech|>", &model->no_speech) &&
	     !bpe_find_mark(model->bpe, "<|nocaptions|>", &model->no_speech)) ||
	    model->no_speech >= model->settings.vocabulary)
		model->no_speech = WHISPER_NO_MARK;
	if (model->settings.is_multilingual) {
		whisper_model_find_languages(model);
		if (model->language_count == 0)
			return whisper_model_refuse(why, EINVAL,
						    "tokenizer.json: there are no languages");
	}
	return 0;
}

/* Text and the end are chosen; not so what the model's files suppress, and marks. */
static int whisper_model_find_refused(struct whisper_model *model)
{
	const struct whisper_settings *settings = &model->settings;

	model->is_refused = mem_zalloc(settings->vocabulary * sizeof(*model->is_refused), NULL);
	if (!model->is_refused)
		return ENOMEM;
	for (size_t id = 0; id < settings->vocabulary; ++id)
		model->is_refused[id] =
			id >= bpe_count(model->bpe) || bpe_token(model->bpe, id).is_mark;
	for (size_t i = 0; i < settings->suppressed.count; ++i)
		if (settings->suppressed.ids[i] < settings->vocabulary)
			model->is_refused[settings->suppressed.ids[i]] = true;
	model->is_refused[model->end] = false;
	return 0;
}

/* Without a list, the heads of the upper half follow the audio well enough. */
static void whisper_model_choose_heads(struct whisper_model *model)
{
	struct whisper_settings *settings = &model->settings;
	unsigned layer = settings->layers;

	if (settings->aligned_count > 0)
		return;
	while (layer-- > settings->layers / 2)
		for (unsigned head = 0; head < settings->heads; ++head)
			if (settings->aligned_count < WHISPER_ALIGNED_MAX)
				settings->aligned[settings->aligned_count++] =
					(struct whisper_head){layer, head};
}

/* Quantized convolutions take longer than those with floats, so these are replaced. */
static int whisper_model_open_encoder(struct whisper_model *model, struct runtime *runtime,
				      const struct mapping *mapping, char why[RUNTIME_WHY_SIZE])
{
	static const char name[] = "last_hidden_state";
	struct onnx_port output = {
		.name = {.bytes = name, .len = strlen(name)}, .elem_type = ONNX_FLOAT, .rank = 3};
	struct onnx *onnx = NULL;
	struct onnx *with_floats = NULL;
	char *bytes = NULL;
	char *piece = NULL;
	size_t len = 0;
	size_t count;
	int err = onnx_parse(&onnx, mapping->bytes, mapping->len, why, RUNTIME_WHY_SIZE);

	if (!err)
		err = onnx_float_convolutions(onnx, &bytes, &len, &count);
	if (!err && bytes)
		err = onnx_parse(&with_floats, bytes, len, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = onnx_extract(with_floats ? with_floats : onnx, NULL, 0, &output, 1, &piece,
				   &len);
	if (err == ENOENT)
		err = whisper_model_refuse(why, EINVAL, "it gives no %s", name);
	if (!err)
		err = network_open(&model->encoder, runtime, piece, len, why);
	mem_deref(with_floats);
	mem_deref(onnx);
	free(bytes);
	free(piece);
	return err;
}

static int whisper_model_open_decoder(struct whisper_model *model, struct runtime *runtime,
				      const struct mapping *mapping, char why[RUNTIME_WHY_SIZE])
{
	return decoder_open(&model->decoder, runtime, mapping->bytes, mapping->len, why);
}

static int whisper_model_open_networks(struct whisper_model *model, struct runtime *runtime,
				       const char *folder, char why[RUNTIME_WHY_SIZE])
{
	static const struct {
		const char *name;
		int (*open)(struct whisper_model *model, struct runtime *runtime,
			    const struct mapping *mapping, char why[RUNTIME_WHY_SIZE]);
	} files[] = {
		{"onnx/encoder_model_quantized.onnx", whisper_model_open_encoder},
		{"onnx/decoder_model_merged_quantized.onnx", whisper_model_open_decoder},
	};
	int err = 0;

	for (size_t i = 0; i < COUNT(files) && !err; ++i) {
		char reason[RUNTIME_WHY_SIZE] = "";
		struct mapping mapping;
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		err = mapping_open(&mapping, path, reason);
		if (!err) {
			err = files[i].open(model, runtime, &mapping, reason);
			mapping_close(&mapping);
		}
		if (err)
			whisper_model_refuse(why, err, "%s: %s", files[i].name,
					     err == ENOMEM ? strerror(err) : reason);
	}
	return err;
}

/* Models that are known by the name of their folder: those that `syrinx models fetch` installs.  Each
 * attends to a word a little too late or too early, which was measured with voices that know when they
 * say words. */
static const struct whisper_model_known {
	const char *name, *title;
	int delay;
} whisper_model_known[] = {
	{"whisper-tiny", "Whisper tiny", -800},
	{"whisper-base", "Whisper base", 960},
};

static void whisper_model_describe(struct whisper_model *model, const char *folder)
{
	const char *slash = strrchr(folder, '/');
	const char *name = slash ? slash + 1 : folder;
	size_t len = 0;

	model->recognizer = (struct recognizer){
		.family = &recognizer_whisper,
		.title = model->title,
		.languages = model->codes,
		.licence = "",
		.capabilities = MESSAGE_MODEL_TIMES | MESSAGE_MODEL_PROBABILITIES,
		.longest = (size_t)model->settings.positions * 2 * MEL_HOP,
	};
	snprintf(model->title, sizeof(model->title), "%s", name);
	for (size_t i = 0; i < COUNT(whisper_model_known); ++i)
		if (strcmp(name, whisper_model_known[i].name) == 0) {
			snprintf(model->title, sizeof(model->title), "%s",
				 whisper_model_known[i].title);
			model->recognizer.licence = "MIT";
			model->delay = whisper_model_known[i].delay;
		}
	snprintf(model->codes, sizeof(model->codes), "en");
	for (size_t i = 0; i < model->language_count; ++i)
		len += (size_t)snprintf(model->codes + len, sizeof(model->codes) - len, "%s%s",
					i > 0 ? " " : "", model->languages[i].code);
	if (model->language_count > 0)
		model->recognizer.capabilities |= MESSAGE_MODEL_DETECTS_LANGUAGE;
}

static void whisper_model_destroy(void *object)
{
	struct whisper_model *model = object;

	mem_deref(model->mel);
	mem_deref(model->bpe);
	mem_deref(model->encoder);
	mem_deref(model->decoder);
	mem_deref(model->is_refused);
}

int whisper_model_open(struct whisper_model **modelp, struct runtime *runtime, const char *folder,
		       char why[RUNTIME_WHY_SIZE])
{
	struct whisper_model *model = mem_zalloc(sizeof(*model), whisper_model_destroy);
	int err;

	whisper_model_refuse(why, 0, "%s", strerror(ENOMEM)); /* unless there is another reason */
	if (!model)
		return ENOMEM;
	err = whisper_model_read_settings(model, folder, why);
	if (!err)
		err = whisper_model_read_tokens(model, folder, why);
	if (!err)
		err = whisper_model_find_marks(model, why);
	if (!err)
		err = whisper_model_find_refused(model);
	if (!err)
		err = mel_alloc(&model->mel, model->settings.bins);
	if (!err) {
		whisper_model_choose_heads(model);
		err = whisper_model_open_networks(model, runtime, folder, why);
	}
	if (err) {
		mem_deref(model);
		return err;
	}
	whisper_model_describe(model, folder);
	*modelp = model;
	return 0;
}

/* Codes that are written differently elsewhere. */
static const struct {
	const char *code, *whisper;
} whisper_model_aliases[] = {{"jv", "jw"}, {"fil", "tl"}, {"nb", "no"}, {"iw", "he"}};

const struct whisper_language *whisper_model_find_language(const struct whisper_model *model,
							   const char *code)
{
	size_t len = strcspn(code, "-_");

	for (size_t i = 0; i < COUNT(whisper_model_aliases); ++i)
		if (strlen(whisper_model_aliases[i].code) == len &&
		    memcmp(whisper_model_aliases[i].code, code, len) == 0) {
			code = whisper_model_aliases[i].whisper;
			len = strlen(code);
		}
	for (size_t i = 0; i < model->language_count; ++i)
		if (strlen(model->languages[i].code) == len &&
		    memcmp(model->languages[i].code, code, len) == 0)
			return &model->languages[i];
	return NULL;
}
