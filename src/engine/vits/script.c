/*
 * script.c: converts text to the ids that a model reads (see script.h).
 *
 * All ids of a text are collected in one list, with marks where clauses end; then the list
 * is divided into utterances. Runs on the thread that speaks.
 */
#include "engine/vits/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/script_private.h"

#define ELLIPSIS 0x2026u
#define EM_DASH 0x2014u

/* Kokoro's position table has 510 entries; its ids have no padding. */
#define KOKORO_IDS_MAX 500
#define KOKORO_FRAME 0

/* A sentence with fewer phonemes ("Hi!") is spoken together with its neighbour, because short
 * ones sound hurried and flat alone. */
#define SHORT_COUNT 12

/* Kokoro's utterances also end at clauses, because an utterance cannot be heard before all of
 * it was computed. A clause with fewer phonemes, a second and a half, is joined with the next,
 * because it would be over before the next one is ready. */
#define CLAUSE_COUNT 24

struct script_token {
	int64_t id;
	uint32_t word;
};

/* The tokens from the end of the previous clause to `end`. */
struct clause {
	size_t end;
	bool ends_sentence;
};

struct script_writer {
	const struct model_file *file;
	const char *voice;
	struct script_given given;
	const char *text;
	size_t text_len;
	struct script *script;
	struct script_piece *pieces;
	size_t piece_count;
	struct clause *clauses; /* room for one per piece */
	size_t clause_count;
	struct script_token *tokens;
	size_t token_count, token_size;
	struct script_phonemes together, alone; /* of one piece */
	int64_t blank; /* the id of a blank; -1: the model has none */
	uint32_t last_word; /* the last word with a phoneme */
};

static void script_destroy(void *object)
{
	struct script *script = object;

	for (size_t i = 0; i < script->utterance_count; ++i) {
		free(script->utterances[i].ids);
		free(script->utterances[i].words);
	}
	free(script->utterances);
	free(script->words);
}

static int script_add_token(struct script_writer *writer, int64_t id, uint32_t word)
{
	if (writer->token_count == writer->token_size) {
		size_t size = writer->token_size ? 2 * writer->token_size : 256;
		struct script_token *more = realloc(writer->tokens, size * sizeof(*more));

		if (!more)
			return ENOMEM;
		writer->tokens = more;
		writer->token_size = size;
	}
	writer->tokens[writer->token_count++] = (struct script_token){id, word};
	return 0;
}

/* Sounds that eSpeak NG writes as one sign and symbol tables may have as two. */
static const struct composed {
	uint16_t whole, base, mark;
} script_composed[] = {
	{0xe0, 'a', 0x300},   {0xe1, 'a', 0x301},  {0xe2, 'a', 0x302},  {0xe3, 'a', 0x303},
	{0xe4, 'a', 0x308},   {0xe7, 'c', 0x327},  {0xe8, 'e', 0x300},  {0xe9, 'e', 0x301},
	{0xea, 'e', 0x302},   {0xeb, 'e', 0x308},  {0xec, 'i', 0x300},  {0xed, 'i', 0x301},
	{0xee, 'i', 0x302},   {0xef, 'i', 0x308},  {0xf1, 'n', 0x303},  {0xf2, 'o', 0x300},
	{0xf3, 'o', 0x301},   {0xf4, 'o', 0x302},  {0xf5, 'o', 0x303},  {0xf6, 'o', 0x308},
	{0xf9, 'u', 0x300},   {0xfa, 'u', 0x301},  {0xfb, 'u', 0x302},  {0xfc, 'u', 0x308},
	{0x129, 'i', 0x303},  {0x169, 'u', 0x303}, {0x1ce, 'a', 0x30c}, {0x1ebd, 'e', 0x303},
	{0x1ef9, 'y', 0x303},
};

static const struct composed *script_find_composed(uint32_t c)
{
	for (size_t i = 0; i < COUNT(script_composed); ++i)
		if (script_composed[i].whole == c)
			return &script_composed[i];
	return NULL;
}

/* Piper decomposed all phonemes before training: where a table has both forms, the composed
 * sign was never trained. This does not apply to Kokoro. */
static int script_add_composed(struct script_writer *writer, const struct composed *parts,
			       uint32_t word)
{
	int64_t whole = model_file_id(writer->file, parts->whole);
	int64_t base = model_file_id(writer->file, parts->base);
	int64_t mark = model_file_id(writer->file, parts->mark);
	bool prefers_whole = writer->file->family == MODEL_KOKORO || base < 0 || mark < 0;
	int err;

	if (whole >= 0 && prefers_whole)
		return script_add_token(writer, whole, word);
	if (base < 0 || mark < 0)
		++writer->script->unknown;
	err = base >= 0 ? script_add_token(writer, base, word) : 0;
	if (!err && mark >= 0)
		err = script_add_token(writer, mark, word);
	return err;
}

static int script_add_phoneme(struct script_writer *writer, uint32_t c, uint32_t word)
{
	const struct composed *parts = script_find_composed(c);
	int64_t id;

	if (parts)
		return script_add_composed(writer, parts, word);
	id = model_file_id(writer->file, c);
	if (id < 0 && c == 0x261) /* IPA's g, and the ASCII one */
		id = model_file_id(writer->file, 'g');
	if (id >= 0)
		return script_add_token(writer, id, word);
	writer->script->unknown += c != ' ';
	return 0;
}

/* The model's symbol for the stop, or the most similar one. */
static int64_t script_stop_id(const struct script_writer *writer, const struct script_piece *piece)
{
	static const struct {
		uint32_t stop;
		const char *instead;
	} rows[] = {{';', ","}, {':', ","}, {'!', "."}, {'?', "."}, {EM_DASH, ";,"}};
	bool asks = piece->stop == ';' && strcmp(writer->file->language, "el") == 0;
	/* the Greek question mark */
	int64_t id = model_file_id(writer->file, asks ? '?' : piece->stop);
	const char *instead = "";

	if (piece->stop == ELLIPSIS)
		instead = piece->ends_sentence ? "." : ",";
	for (size_t i = 0; i < COUNT(rows); ++i)
		if (rows[i].stop == piece->stop)
			instead = rows[i].instead;
	for (; id < 0 && *instead; ++instead)
		id = model_file_id(writer->file, (uint32_t)*instead);
	return id;
}

/* Pronounces the words of a piece separately. */
static int script_speak_alone(struct script_writer *writer, const struct script_piece *piece)
{
	int err = 0;

	writer->alone.count = 0;
	for (size_t i = piece->first_word; i < piece->end_word && !err; ++i) {
		const struct script_word *word = &writer->script->words[i];
		size_t start = word->byte_start > piece->start ? word->byte_start : piece->start;
		size_t end = word->byte_end < piece->end ? word->byte_end : piece->end;

		err = script_phonemes_speak(&writer->alone, writer->voice, writer->text + start,
					    end - start, (uint32_t)i);
	}
	return err;
}

/* Pronounces the text of a piece, each phoneme with its word. */
static int script_speak_written(struct script_writer *writer, const struct script_piece *piece,
				const char *text, size_t len)
{
	int err = script_phonemes_speak(&writer->together, writer->voice, text, len,
					(uint32_t)piece->first_word);

	if (!err && piece->end_word - piece->first_word > 1) {
		err = script_speak_alone(writer, piece);
		if (!err)
			err = script_align(&writer->together, &writer->alone);
	}
	return err;
}

/* A range with given phonemes is first pronounced like other text, for the sake of the words
 * around it, and then replaced. */
static int script_speak_given(struct script_writer *writer, const struct script_piece *piece)
{
	struct buf apart;
	int err;

	buf_init(&apart, 3 * writer->text_len);
	err = script_given_set_apart(&apart, &writer->given, piece);
	if (!err)
		err = script_speak_written(writer, piece, apart.bytes, apart.len);
	if (!err)
		err = script_given_replace(&writer->given, &writer->together, writer->script->words,
					   piece);
	buf_reset(&apart);
	return err;
}

/* The phonemes of a piece, each with its word. */
static int script_speak_piece(struct script_writer *writer, const struct script_piece *piece)
{
	int err;

	writer->together.count = 0;
	if (script_given_has(&writer->given, piece))
		err = script_speak_given(writer, piece);
	else
		err = script_speak_written(writer, piece, writer->text + piece->start,
					   piece->end - piece->start);
	if (!err && writer->file->family == MODEL_KOKORO)
		err = script_kokoro_rewrite(&writer->together, writer->voice);
	return err;
}

/* Converts one piece to a clause, with its stop and a blank after it. */
static int script_write_piece(struct script_writer *writer, const struct script_piece *piece)
{
	size_t from = writer->token_count;
	int64_t stop = piece->stop ? script_stop_id(writer, piece) : -1;
	int err;

	if (piece->first_word == piece->end_word)
		return 0; /* punctuation alone has no sound */
	err = script_speak_piece(writer, piece);
	for (size_t i = 0; i < writer->together.count && !err; ++i) {
		writer->last_word = writer->together.items[i].word;
		err = script_add_phoneme(writer, writer->together.items[i].code_point,
					 writer->last_word);
	}
	if (err || writer->token_count == from)
		return err;
	if (stop >= 0)
		err = script_add_token(writer, stop, writer->last_word);
	if (!err && writer->blank >= 0)
		err = script_add_token(writer, writer->blank, writer->last_word);
	writer->clauses[writer->clause_count++] =
		(struct clause){writer->token_count, piece->ends_sentence};
	return err;
}

static size_t script_tokens_max(const struct script_writer *writer)
{
	return writer->file->family == MODEL_KOKORO ? KOKORO_IDS_MAX - 2 : (SCRIPT_IDS_MAX - 3) / 2;
}

/* Adds start, pads between all ids, and end; for Kokoro only the same id at both ends. */
static void script_fill_utterance(const struct script_writer *writer,
				  struct script_utterance *utterance,
				  const struct script_token *tokens, size_t count)
{
	const struct model_file *file = writer->file;
	bool padded = file->family == MODEL_VITS;
	int64_t start = padded ? model_file_id(file, '^') : KOKORO_FRAME;
	int64_t pad = model_file_id(file, '_');
	int64_t end = padded ? model_file_id(file, '$') : KOKORO_FRAME;
	uint32_t word = SCRIPT_NO_WORD;
	size_t n = 0;

	utterance->ids[n++] = start;
	for (size_t i = 0; i < count; ++i) {
		if (padded)
			utterance->ids[n++] = pad;
		utterance->ids[n++] = tokens[i].id;
	}
	if (padded)
		utterance->ids[n++] = pad;
	utterance->ids[n++] = end;
	utterance->count = n;

	/* A pad belongs to the token before it; start and end belong to no word. */
	for (size_t i = 0, token = 0; i < n; ++i) {
		if (i > 0 && i + 1 < n && (!padded || i % 2 == 0))
			word = tokens[token++].word;
		utterance->words[i] = i + 1 < n ? word : SCRIPT_NO_WORD;
	}
}

static int script_add_utterance(struct script_writer *writer, size_t from, size_t to)
{
	struct script *script = writer->script;
	struct script_utterance *more;
	struct script_utterance *utterance;
	size_t size;

	while (from < to && writer->tokens[from].id == writer->blank)
		++from;
	while (to > from && writer->tokens[to - 1].id == writer->blank)
		--to;
	if (from == to)
		return 0;
	more = realloc(script->utterances, (script->utterance_count + 1) * sizeof(*more));
	if (!more)
		return ENOMEM;
	script->utterances = more;
	utterance = &more[script->utterance_count++];
	size = 2 * (to - from) + 3;
	utterance->ids = calloc(size, sizeof(utterance->ids[0]));
	utterance->words = calloc(size, sizeof(utterance->words[0]));
	utterance->count = 0;
	if (!utterance->ids || !utterance->words)
		return ENOMEM;
	script_fill_utterance(writer, utterance, writer->tokens + from, to - from);
	return 0;
}

/* Where an utterance ends when the clause is too long: at its last blank, else inside a word. */
static size_t script_cut_at(const struct script_writer *writer, size_t from)
{
	size_t most = from + script_tokens_max(writer);

	for (size_t to = most; to > from + 1; --to)
		if (writer->tokens[to - 1].id == writer->blank)
			return to;
	return most;
}

/* Whether an utterance may end after a clause: not when it is short, nor when only little
 * would remain for the last one. */
static bool script_may_end(const struct script_writer *writer, size_t from,
			   const struct clause *clause)
{
	bool may_divide = clause->ends_sentence || writer->file->family == MODEL_KOKORO;
	size_t least = clause->ends_sentence ? SHORT_COUNT : CLAUSE_COUNT;
	size_t left = writer->token_count - clause->end;

	if (!may_divide || clause->end - from < least)
		return false;
	return left == 0 || left >= SHORT_COUNT ||
	       writer->token_count - from > script_tokens_max(writer);
}

static int script_cut_utterances(struct script_writer *writer)
{
	size_t from = 0; /* start of the utterance */
	size_t done = 0; /* the clauses before it are included completely */
	int err = 0;

	for (size_t i = 0; i < writer->clause_count && !err; ++i) {
		const struct clause *clause = &writer->clauses[i];

		if (clause->end - from > script_tokens_max(writer) && done > from) {
			err = script_add_utterance(writer, from, done);
			from = done;
		}
		while (!err && clause->end - from > script_tokens_max(writer)) {
			size_t to = script_cut_at(writer, from);

			err = script_add_utterance(writer, from, to);
			from = to;
		}
		done = clause->end;
		if (!err && script_may_end(writer, from, clause)) {
			err = script_add_utterance(writer, from, done);
			from = done;
		}
	}
	return err ? err : script_add_utterance(writer, from, writer->token_count);
}

static int script_write_all(struct script_writer *writer)
{
	int err = script_text_divide(writer->text, writer->text_len, &writer->given,
				     &writer->script->words, &writer->script->word_count,
				     &writer->pieces, &writer->piece_count);

	if (err || writer->piece_count == 0)
		return err;
	writer->clauses = calloc(writer->piece_count, sizeof(writer->clauses[0]));
	if (!writer->clauses)
		return ENOMEM;
	for (size_t i = 0; i < writer->piece_count && !err; ++i)
		err = script_write_piece(writer, &writer->pieces[i]);
	return err ? err : script_cut_utterances(writer);
}

int script_write_text(struct script **scriptp, const struct model_file *file,
		      const struct model_speaker *speaker, const struct engine_text *text)
{
	struct script_writer writer = {
		.file = file,
		.voice = speaker && speaker->espeak_voice ? speaker->espeak_voice
							  : file->espeak_voice,
		.text = text->text,
		.text_len = text->text_len,
		.blank = model_file_id(file, ' '),
		.last_word = SCRIPT_NO_WORD,
	};
	int err;

	if (text->text_len >= UINT32_MAX)
		return EMSGSIZE;
	writer.script = mem_zalloc(sizeof(*writer.script), script_destroy);
	if (!writer.script)
		return ENOMEM;
	script_given_init(&writer.given, text, file, writer.voice);
	err = script_write_all(&writer);
	free(writer.pieces);
	free(writer.clauses);
	free(writer.tokens);
	free(writer.together.items);
	free(writer.alone.items);
	if (err)
		mem_deref(writer.script);
	else
		*scriptp = writer.script;
	return err;
}

int script_write(struct script **scriptp, const struct model_file *file,
		 const struct model_speaker *speaker, const char *text, size_t text_len)
{
	const struct engine_text plain = {.text = text, .text_len = text_len};

	return script_write_text(scriptp, file, speaker, &plain);
}
