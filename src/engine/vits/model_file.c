/*
 * model_file.c: reads the metadata files that accompany a model (see model_file.h).
 *
 * Finds and reads the metadata file, has it parsed (model_json.c, model_tokens.c), completes
 * missing values, and makes the list of voices. Runs while the engine opens, on its only
 * thread.
 */
#include "engine/vits/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/vits/model_file_private.h"

#define EXTENSION ".onnx"

/* More than any phoneme alphabet has. */
#define SYMBOLS_MAX 8192

static void model_file_free_speaker(struct model_speaker *speaker)
{
	free(speaker->name);
	free(speaker->title);
	free(speaker->style_file);
	free(speaker->espeak_voice);
}

static void model_file_destroy(void *object)
{
	struct model_file *file = object;

	for (size_t i = 0; i < file->speaker_count_listed; ++i)
		model_file_free_speaker(&file->speakers[i]);
	free(file->speakers);
	free(file->symbols);
	free(file->espeak_voice);
	free(file->licence);
	free(file->name);
	free(file->path);
}

int model_draft_refuse(const struct model_draft *draft, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(draft->why, draft->why_size, format, args);
	va_end(args);
	return EINVAL;
}

bool model_name_is_good(const char *name, size_t len, bool allow_slash)
{
	static const char signs[] = "_-+.";

	if (len == 0 || name[0] == '.' || name[0] == '/')
		return false;
	for (size_t i = 0; i < len; ++i) {
		char c = name[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    (c == '/' && allow_slash && name[i - 1] != '/'))
			continue;
		if (c == '\0' || !strchr(signs, c) || (c == '.' && name[i - 1] == '/'))
			return false;
	}
	return true;
}

int model_draft_copy(const struct model_draft *draft, char **copyp, const char *what,
		     const char *text, size_t len, size_t max)
{
	char *copy;

	if (len > max)
		return model_draft_refuse(draft, "\"%s\" is longer than %zu bytes", what, max);
	for (size_t i = 0; i < len; ++i)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return model_draft_refuse(draft, "\"%s\" has a control character", what);
	copy = onnx_str_copy((struct onnx_str){text, len});
	if (!copy)
		return ENOMEM;
	free(*copyp);
	*copyp = copy;
	return 0;
}

/* Language tags of eSpeak NG that differ in ISO 639-1, as in the other engines. */
static const struct {
	const char *theirs;
	const char *ours;
} model_file_language_codes[] = {{"nb", "no"}, {"cmn", "zh"}};

void model_set_language(char language[8], const char *tag, size_t len)
{
	size_t n = 0;

	while (n < len && tag[n] >= 'a' && tag[n] <= 'z')
		++n;
	if (n < 2 || n > 3 || (n < len && tag[n] != '_' && tag[n] != '-'))
		return; /* such as "English" */
	memcpy(language, tag, n);
	language[n] = '\0';
	for (size_t i = 0; i < COUNT(model_file_language_codes); ++i)
		if (strcmp(language, model_file_language_codes[i].theirs) == 0)
			snprintf(language, 8, "%s", model_file_language_codes[i].ours);
}

static const struct {
	const char *name;
	enum engine_quality quality;
} model_file_qualities[] = {
	{"x_low", ENGINE_LOW}, {"low", ENGINE_LOW}, {"medium", ENGINE_MID}, {"high", ENGINE_HIGH}};

/* An unknown quality is ignored and does not make a voice unusable. */
int model_set_quality(struct model_draft *draft, const char *quality, size_t len)
{
	for (size_t i = 0; i < COUNT(model_file_qualities); ++i) {
		if (strlen(model_file_qualities[i].name) == len &&
		    memcmp(model_file_qualities[i].name, quality, len) == 0) {
			draft->file->quality = model_file_qualities[i].quality;
			draft->has_quality = true;
		}
	}
	return 0;
}

int model_draft_add_symbol(struct model_draft *draft, const char *symbol, size_t len, int64_t id)
{
	struct model_file *file = draft->file;
	uint32_t code_point = 0;

	if (len == 0 || utf8_decode(&code_point, symbol, len) != len) {
		++file->symbols_ignored;
		return 0;
	}
	if (file->symbol_count == SYMBOLS_MAX)
		return model_draft_refuse(draft, "more than %d phonemes have an id", SYMBOLS_MAX);
	/* the array is full at powers of two */
	if ((file->symbol_count & (file->symbol_count - 1)) == 0) {
		size_t size = file->symbol_count ? 2 * file->symbol_count : 1;
		struct model_symbol *more = realloc(file->symbols, size * sizeof(file->symbols[0]));

		if (!more)
			return ENOMEM;
		file->symbols = more;
	}
	file->symbols[file->symbol_count++] =
		(struct model_symbol){.code_point = code_point, .id = id};
	return 0;
}

static int model_file_compare_symbols(const void *a, const void *b)
{
	const struct model_symbol *left = a;
	const struct model_symbol *right = b;

	if (left->code_point != right->code_point)
		return left->code_point < right->code_point ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* Of duplicate symbols the one with the largest id is used. */
static void model_file_sort_symbols(struct model_file *file)
{
	size_t kept = 0;

	if (file->symbol_count == 0)
		return;
	qsort(file->symbols, file->symbol_count, sizeof(file->symbols[0]),
	      model_file_compare_symbols);
	for (size_t i = 1; i < file->symbol_count; ++i) {
		if (file->symbols[i].code_point != file->symbols[kept].code_point)
			++kept;
		file->symbols[kept] = file->symbols[i];
	}
	file->symbol_count = kept + 1;
}

int64_t model_file_id(const struct model_file *file, uint32_t code_point)
{
	size_t low = 0;
	size_t high = file->symbol_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbols[middle].code_point < code_point)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < file->symbol_count && file->symbols[low].code_point == code_point)
		return file->symbols[low].id;
	return -1;
}

/* VITS models need the symbols for start, pad and end. */
static int model_file_check_symbols(const struct model_draft *draft)
{
	const struct model_file *file = draft->file;
	static const char frame[] = "^_$";

	if (file->symbol_count == 0)
		return model_draft_refuse(draft, "\"phoneme_id_map\" is missing");
	for (const char *c = frame; *c && file->family == MODEL_VITS; ++c)
		if (model_file_id(file, (uint32_t)*c) < 0)
			return model_draft_refuse(draft, "\"phoneme_id_map\" has no \"%c\"", *c);
	for (size_t i = 0; draft->symbol_limit > 0 && i < file->symbol_count; ++i)
		if (file->symbols[i].id >= draft->symbol_limit)
			return model_draft_refuse(draft,
						  "\"phoneme_id_map\" has an id of %lld, and "
						  "\"num_symbols\" is %lld",
						  (long long)file->symbols[i].id,
						  (long long)draft->symbol_limit);
	return 0;
}

/* A part of NAME between hyphens that is not meant for people. */
static bool model_file_is_technical(const char *piece, size_t len)
{
	for (size_t i = 0; i < COUNT(model_file_qualities); ++i)
		if (strlen(model_file_qualities[i].name) == len &&
		    memcmp(piece, model_file_qualities[i].name, len) == 0)
			return true;
	return len == 5 && piece[2] == '_' && piece[0] >= 'a' && piece[0] <= 'z' &&
	       piece[1] >= 'a' && piece[1] <= 'z' && piece[3] >= 'A' && piece[3] <= 'Z' &&
	       piece[4] >= 'A' && piece[4] <= 'Z';
}

/* en_US-amy-medium becomes Amy. */
static void model_file_make_title(char *title, const char *name)
{
	char *out = title;
	bool begins = true;

	while (*name) {
		size_t len = strcspn(name, "-");

		for (size_t i = 0; i < len && !model_file_is_technical(name, len); ++i) {
			char c = name[i] == '_' ? ' ' : name[i];

			if (i == 0 && out > title)
				*out++ = ' ';
			*out++ = (char)(begins && c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
			begins = c == ' ';
		}
		begins = true;
		name += len + (name[len] == '-');
	}
	*out = '\0';
}

/* A speaker of the list is called by its own name; otherwise by the model's, followed by its
 * own if there are several. */
static int model_file_give_title(const struct model_file *file, struct model_speaker *speaker,
				 const char *own, bool chosen)
{
	bool alone = file->speaker_count_listed == 1;
	char title[MODEL_FILE_NAME_MAX];
	int len;

	if (speaker->title)
		return 0;
	model_file_make_title(title, chosen && own ? own : file->name);
	if (chosen && own)
		len = asprintf(&speaker->title, "%s", title[0] ? title : own);
	else
		len = asprintf(&speaker->title, "%s%s%s", title[0] ? title : file->name,
			       alone ? "" : " ", alone ? "" : own);
	if (len < 0)
		speaker->title = NULL;
	return len < 0 ? ENOMEM : 0;
}

/* NAME, followed by the speaker's own name if there are several. */
static int model_file_give_name(const struct model_draft *draft, struct model_speaker *speaker,
				const char *own)
{
	const struct model_file *file = draft->file;
	bool alone = file->speaker_count_listed == 1;
	char *name;

	if (asprintf(&name, "%s%s%s", file->name, alone ? "" : ":", alone ? "" : own) < 0)
		return ENOMEM;
	free(speaker->name); /* may be `own` */
	speaker->name = name;
	if (strlen(name) >= MODEL_FILE_NAME_MAX)
		return model_draft_refuse(draft, "the voice's name %.60s is longer than %d bytes",
					  name, MODEL_FILE_NAME_MAX - 1);
	return 0;
}

static int model_file_check_listed(const struct model_draft *draft,
				   const struct model_speaker *speaker)
{
	const struct model_file *file = draft->file;

	if (speaker->speaker >= file->speaker_count && file->family == MODEL_VITS)
		return model_draft_refuse(draft,
					  "\"syrinx.speakers.speaker\" is %lld, and the model has "
					  "%lld speakers",
					  (long long)speaker->speaker,
					  (long long)file->speaker_count);
	if (!speaker->style_file && file->family == MODEL_KOKORO)
		return model_draft_refuse(draft, "\"syrinx.speakers.style_file\" is missing");
	for (const struct model_speaker *other = file->speakers; other < speaker; ++other)
		if (strcmp(other->name, speaker->name) == 0)
			return model_draft_refuse(draft, "two speakers are called %s", other->name);
	return 0;
}

static int model_file_finish_listed(const struct model_draft *draft)
{
	struct model_file *file = draft->file;
	int err = 0;

	for (size_t i = 0; i < file->speaker_count_listed && !err; ++i) {
		struct model_speaker *speaker = &file->speakers[i];

		if (!speaker->name && file->speaker_count_listed > 1)
			return model_draft_refuse(draft, "\"syrinx.speakers.name\" is missing");
		err = model_file_give_title(file, speaker, speaker->name, true);
		if (!err)
			err = model_file_give_name(draft, speaker, speaker->name);
		if (!err)
			err = model_file_check_listed(draft, speaker);
	}
	return err;
}

/* Without a list, all speakers up to the maximum are voices. */
static int model_file_list_speakers(const struct model_draft *draft)
{
	struct model_file *file = draft->file;
	int err = 0;

	if (file->family == MODEL_KOKORO)
		return model_draft_refuse(draft, "\"syrinx.speakers\" is missing");
	file->speaker_count_listed = file->speaker_count < MODEL_FILE_SPEAKERS_MAX
					     ? (size_t)file->speaker_count
					     : MODEL_FILE_SPEAKERS_MAX;
	for (size_t i = 0; i < file->speaker_count_listed && !err; ++i) {
		const char *name = draft->speaker_names[i];
		char number[24];

		snprintf(number, sizeof(number), "%zu", i);
		file->speakers[i].speaker = (int64_t)i;
		err = model_file_give_title(file, &file->speakers[i], name ? name : number, false);
		if (!err)
			err = model_file_give_name(draft, &file->speakers[i], name ? name : number);
	}
	return err;
}

/* Completes values that can be derived from others. */
static int model_file_complete(struct model_draft *draft)
{
	struct model_file *file = draft->file;
	const char *last = strrchr(file->name, '-');

	if (file->sample_rate == 0)
		return model_draft_refuse(draft, "\"audio.sample_rate\" is missing");
	if (!file->espeak_voice)
		return model_draft_refuse(draft, "\"espeak.voice\" is missing");
	if (!file->language[0])
		model_set_language(file->language, file->espeak_voice, strlen(file->espeak_voice));
	if (!file->language[0])
		return model_draft_refuse(draft, "\"language.family\" is missing");
	if (!draft->has_quality && last)
		model_set_quality(draft, last + 1, strlen(last + 1));
	if (!file->licence)
		file->licence = strdup("");
	return file->licence ? 0 : ENOMEM;
}

/* Extracts NAME from the path. */
static int model_file_set_name(struct model_draft *draft, const char *path)
{
	struct model_file *file = draft->file;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (len <= strlen(EXTENSION) || strcmp(name + len - strlen(EXTENSION), EXTENSION) != 0)
		return model_draft_refuse(draft, "its name does not end in " EXTENSION);
	len -= strlen(EXTENSION);
	if (len >= MODEL_FILE_NAME_MAX)
		return model_draft_refuse(draft, "its name is longer than %d bytes",
					  MODEL_FILE_NAME_MAX - 1);
	if (!model_name_is_good(name, len, false))
		return model_draft_refuse(draft, "its name has other characters than A-Z, a-z, "
						 "0-9, dot, hyphen, underscore and plus");
	file->path = strdup(path);
	file->name = onnx_str_copy((struct onnx_str){name, len});
	return file->path && file->name ? 0 : ENOMEM;
}

static int model_file_fill(struct model_draft *draft, const char *path,
			   enum model_companion companion, const char *bytes, size_t len)
{
	int err = model_file_set_name(draft, path);

	if (!err && companion == MODEL_COMPANION_JSON)
		err = model_json_read(draft, bytes, len);
	else if (!err)
		err = model_tokens_read(draft, bytes, len);
	if (!err) {
		model_file_sort_symbols(draft->file);
		err = model_file_check_symbols(draft);
	}
	if (!err)
		err = model_file_complete(draft);
	if (!err)
		err = draft->file->speaker_count_listed > 0 ? model_file_finish_listed(draft)
							    : model_file_list_speakers(draft);
	return err;
}

/* The default scales are those of Piper. */
int model_file_parse(struct model_file **filep, const char *path, enum model_companion companion,
		     const char *bytes, size_t len, const struct onnx *onnx, char *why,
		     size_t why_size)
{
	struct model_file *file = mem_zalloc(sizeof(*file), model_file_destroy);
	struct model_draft draft = {.file = file, .onnx = onnx, .why = why, .why_size = why_size};
	int err = ENOMEM;

	if (!file)
		return ENOMEM;
	file->quality = ENGINE_MID;
	file->noise_scale = 0.667f;
	file->length_scale = 1;
	file->noise_w = 0.8f;
	file->speaker_count = 1;
	file->speakers = calloc(MODEL_FILE_SPEAKERS_MAX, sizeof(file->speakers[0]));
	if (file->speakers)
		err = model_file_fill(&draft, path, companion, bytes, len);
	for (size_t i = 0; i < COUNT(draft.speaker_names); ++i)
		free(draft.speaker_names[i]);
	if (err) {
		mem_deref(file);
		return err;
	}
	*filep = file;
	return 0;
}

int model_file_open(FILE **streamp, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) != 0)
		err = errno;
	else if (!S_ISREG(status.st_mode))
		err = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
	if (!err) {
		*streamp = fdopen(fd, "rb");
		err = *streamp ? 0 : errno;
	}
	if (err)
		close(fd);
	return err;
}

/* Reads the whole file. EFBIG beyond the limit. */
static int model_file_read_all(struct buf *buf, const char *path)
{
	FILE *stream = NULL;
	int err = model_file_open(&stream, path);

	if (err)
		return err;
	while (!err && !feof(stream) && buf->len <= MODEL_FILE_SIZE_MAX) {
		size_t room = MODEL_FILE_SIZE_MAX + 1 - buf->len;
		size_t n = room < 65536 ? room : 65536;

		err = buf_reserve(buf, n);
		if (err)
			break;
		buf->len += fread(buf->bytes + buf->len, 1, n, stream);
		if (ferror(stream))
			err = errno ? errno : EIO;
	}
	fclose(stream);
	if (!err && buf->len > MODEL_FILE_SIZE_MAX)
		err = EFBIG;
	if (err)
		buf_reset(buf);
	return err;
}

/* The path with another ending; malloc'ed. */
static char *model_file_companion_path(const char *path, const char *ending)
{
	size_t len = strlen(path);
	char *made;

	if (len >= strlen(EXTENSION) && strcmp(path + len - strlen(EXTENSION), EXTENSION) == 0)
		len -= strlen(EXTENSION);
	return asprintf(&made, "%.*s%s", (int)len, path, ending) < 0 ? NULL : made;
}

static const char *const model_file_endings[] = {
	[MODEL_COMPANION_JSON] = EXTENSION ".json",
	[MODEL_COMPANION_TOKENS] = ".tokens.txt",
};

/* ENOENT: there is no such metadata file. */
static int model_file_read_with(struct model_file **filep, const char *path,
				enum model_companion companion, const struct onnx *onnx, char *why,
				size_t why_size)
{
	char *beside = model_file_companion_path(path, model_file_endings[companion]);
	struct buf buf;
	int err;

	buf_init(&buf, MODEL_FILE_SIZE_MAX + 1);
	err = beside ? model_file_read_all(&buf, beside) : ENOMEM;
	free(beside);
	if (err == EFBIG) {
		snprintf(why, why_size, "the %s file beside it is larger than %u MiB",
			 model_file_endings[companion], MODEL_FILE_SIZE_MAX >> 20);
		return EINVAL;
	}
	if (err) {
		snprintf(why, why_size, "the %s file beside it: %s", model_file_endings[companion],
			 strerrordesc_np(err));
		return err;
	}
	err = model_file_parse(filep, path, companion, buf.bytes ? buf.bytes : "", buf.len, onnx,
			       why, why_size);
	buf_reset(&buf);
	return err;
}

int model_file_read(struct model_file **filep, const char *path, const struct onnx *onnx, char *why,
		    size_t why_size)
{
	int err = model_file_read_with(filep, path, MODEL_COMPANION_JSON, onnx, why, why_size);

	if (err == ENOENT)
		err = model_file_read_with(filep, path, MODEL_COMPANION_TOKENS, onnx, why,
					   why_size);
	if (err == ENOENT) {
		snprintf(why, why_size,
			 "there is neither a .onnx.json nor a .tokens.txt beside it");
		err = EINVAL;
	} else if (err == ENOMEM) {
		snprintf(why, why_size, "no memory");
	}
	return err;
}
