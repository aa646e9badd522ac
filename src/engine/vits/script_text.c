/*
 * script_text.c: divides a text into words, and into pieces that end at a stop.
 *
 * A piece is the text between two marks at which a speaker pauses. eSpeak NG ends its
 * clauses at similar positions, but does not report at which mark, and reads ahead by a
 * character or two; so the positions are found here, and it gets one piece at a time.
 *
 * Texts come from the chunker, which knows the abbreviations of many languages and mostly
 * hands over single sentences: a dot that is ambiguous does not end a sentence here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/vits/script_private.h"

#define ELLIPSIS 0x2026u
#define EM_DASH 0x2014u
#define EN_DASH 0x2013u

/* The mark that replaces one of the text. */
struct stop {
	uint32_t mark;
	uint32_t as;
	bool alone; /* ends a word also without a blank after it */
};

static const struct stop script_text_stops[] = {
	{',', ',', false},          {'.', '.', false},        {';', ';', false},
	{':', ':', false},          {'!', '!', false},        {'?', '?', false},
	{ELLIPSIS, ELLIPSIS, true}, {EM_DASH, EM_DASH, true}, {0x3002, '.', true},
	{0xff0e, '.', true},        {0xff01, '!', true},      {0xff1f, '?', true},
	{0xff0c, ',', true},        {0x3001, ',', true},      {0xff1b, ';', true},
	{0xff1a, ':', true},        {0x061f, '?', false},     {0x060c, ',', false},
	{0x061b, ';', false},       {0x06d4, '.', false},     {0x0964, '.', true},
	{0x0965, '.', true},        {0x055d, ',', false},     {0x0589, '.', false},
};

/* Titles and similar words without a pause after them. A dot after them matters only before a
 * capital. */
static const char *const script_text_abbreviations[] = {
	"mr",  "mrs",  "ms",  "dr",  "prof", "st",   "sr",  "jr",  "vs",   "mt",  "capt", "lt",
	"col", "gen",  "sen", "rep", "rev",  "hon",  "sgt", "gov", "hr",   "mme", "mlle", "mm",
	"sra", "srta", "dra", "ud",  "uds",  "dott", "sig", "dhr", "mevr", "bzw", "ca",   "cf",
};

/* Words that are abbreviations only before a number: "No. 5", but "No. Never." */
static const char *const script_text_counted[] = {"no", "nr", "fig", "vol", "pp", "p", "ch", "art"};

struct divider {
	const char *text;
	size_t len;
	struct script_word *words;
	size_t word_count, word_size;
	struct script_piece *pieces;
	size_t piece_count, piece_size;
	size_t word_start; /* of the current run */
	bool in_word;
	size_t piece_start;
	size_t piece_word; /* first word of the piece */
	size_t blank; /* the last blank in the piece, or its start */
	const struct script_given *given; /* NULL: no phonemes */
	size_t span; /* index of the first range that was not reached */
	size_t span_start, span_end; /* the bytes of that range; past the text when there is none */
};

/* The code point at a byte, and its length; 0 past the end. */
static size_t script_text_look(const struct divider *divider, size_t at, uint32_t *code_point)
{
	*code_point = 0;
	if (at >= divider->len)
		return 0;
	return utf8_decode(code_point, divider->text + at, divider->len - at);
}

static bool script_text_is_blank(uint32_t c)
{
	return c <= ' ' || c == 0x7f || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

static const struct stop *script_text_find_stop(uint32_t c)
{
	for (size_t i = 0; i < COUNT(script_text_stops); ++i)
		if (script_text_stops[i].mark == c)
			return &script_text_stops[i];
	return NULL;
}

/* Marks that may occur between a stop and the blank after it. */
static bool script_text_is_closing(uint32_t c)
{
	return c == '"' || c == '\'' || c == ')' || c == ']' || c == '}' || c == 0xbb ||
	       c == 0x2019 || c == 0x201d || c == 0x203a || c == 0x300d || c == 0x300f ||
	       c == 0xff09;
}

/* Marks that do not belong to an adjacent word. */
static bool script_text_is_trimmed(uint32_t c)
{
	return (c < 0x80 && c != 0 && strchr("!\"'(),-.:;?[]_`{}", (int)c)) ||
	       script_text_find_stop(c) || script_text_is_closing(c) || c == 0xa1 || c == 0xab ||
	       c == 0xbf || (c >= 0x2010 && c <= 0x2027) || c == 0x2039 ||
	       (c >= 0x3008 && c <= 0x3011) || c == 0xff08;
}

static bool script_text_is_digit(uint32_t c)
{
	return c >= '0' && c <= '9';
}

/* Lower-case letters that can begin words. */
static bool script_text_is_lower(uint32_t c)
{
	if (c >= 0x100 && c <= 0x17e)
		return (c >= 0x139 && c <= 0x148) || c >= 0x179 ? c % 2 == 0 : c % 2 == 1;
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c <= 0xff && c != 0xf7) ||
	       (c >= 0x3ac && c <= 0x3ce) || (c >= 0x430 && c <= 0x45f);
}

/* Makes room for one more in a list. */
static int script_text_grow(void **listp, size_t *sizep, size_t count, size_t item_size)
{
	size_t size = *sizep ? 2 * *sizep : 16;
	void *more;

	if (count < *sizep)
		return 0;
	more = realloc(*listp, size * item_size);
	if (!more)
		return ENOMEM;
	*listp = more;
	*sizep = size;
	return 0;
}

static int script_text_add_word(struct divider *divider, size_t start, size_t end)
{
	int err = script_text_grow((void **)&divider->words, &divider->word_size,
				   divider->word_count, sizeof(divider->words[0]));

	if (!err)
		divider->words[divider->word_count++] = (struct script_word){
			.byte_start = (uint32_t)start, .byte_end = (uint32_t)end};
	return err;
}

/* Ends the run at a byte; it is a word unless it consists only of marks. */
static int script_text_end_word(struct divider *divider, size_t end)
{
	size_t start = divider->word_start;
	size_t len;
	uint32_t c;

	if (!divider->in_word)
		return 0;
	divider->in_word = false;
	while (start < end && (len = script_text_look(divider, start, &c)) &&
	       script_text_is_trimmed(c))
		start += len;
	while (end > start) {
		size_t last = end - 1;

		while (last > start && ((unsigned char)divider->text[last] & 0xc0) == 0x80)
			--last;
		script_text_look(divider, last, &c);
		if (!script_text_is_trimmed(c))
			break;
		end = last;
	}
	return start < end ? script_text_add_word(divider, start, end) : 0;
}

static int script_text_end_piece(struct divider *divider, size_t end, uint32_t stop,
				 bool ends_sentence)
{
	int err = script_text_grow((void **)&divider->pieces, &divider->piece_size,
				   divider->piece_count, sizeof(divider->pieces[0]));

	if (err)
		return err;
	divider->pieces[divider->piece_count++] = (struct script_piece){
		.start = divider->piece_start,
		.end = end,
		.stop = stop,
		.ends_sentence = ends_sentence,
	};
	divider->piece_start = end;
	divider->piece_word = divider->word_count;
	divider->blank = end;
	return 0;
}

/* The stop of a run of marks ("?!", "...", ".”"): the strongest of them. */
static uint32_t script_text_stronger(uint32_t a, uint32_t b)
{
	static const uint32_t order[] = {',', ':', ';', EM_DASH, '.', ELLIPSIS, '!', '?'};
	size_t rank_a = 0;
	size_t rank_b = 0;

	for (size_t i = 0; i < COUNT(order); ++i) {
		if (order[i] == a)
			rank_a = i + 1;
		if (order[i] == b)
			rank_b = i + 1;
	}
	return rank_b > rank_a ? b : a;
}

struct script_text_run {
	size_t end; /* byte after the run and the closing quotes after it */
	uint32_t stop;
	unsigned count; /* number of marks */
	bool alone;
};

static struct script_text_run script_text_read_run(const struct divider *divider, size_t at)
{
	struct script_text_run run = {.end = at};
	unsigned dots = 0;
	uint32_t c;
	size_t len;

	while (run.end != divider->span_start && (len = script_text_look(divider, run.end, &c))) {
		const struct stop *stop = script_text_find_stop(c);

		if (!stop && !(script_text_is_closing(c) && run.count > 0))
			break;
		run.end += len;
		if (!stop)
			continue;
		++run.count;
		dots += c == '.';
		run.alone = run.alone || stop->alone;
		run.stop = script_text_stronger(run.stop, dots >= 3 ? ELLIPSIS : stop->as);
	}
	return run;
}

/* The next letter after blanks and opening marks. Their number is limited, so that a text that
 * consists only of marks takes linear time. */
static uint32_t script_text_next_letter(const struct divider *divider, size_t at)
{
	uint32_t c = 0;
	size_t len;

	for (unsigned i = 0; i < 8 && (len = script_text_look(divider, at, &c)); ++i) {
		if (!script_text_is_blank(c) && !script_text_is_trimmed(c))
			break;
		at += len;
	}
	return c;
}

static bool script_text_is_listed(const char *const *list, size_t count, const char *word,
				  size_t len)
{
	for (size_t i = 0; i < count; ++i)
		if (strlen(list[i]) == len && strncasecmp(list[i], word, len) == 0)
			return true;
	return false;
}

/* Whether the dot at a byte belongs to an abbreviation: a title, an initial, or a word of
 * single letters ("U.S."). */
static bool script_text_is_abbreviation(const struct divider *divider, size_t dot, uint32_t next)
{
	size_t start = divider->word_start;
	const char *word;
	size_t len;
	uint32_t c;

	while (start < dot && (len = script_text_look(divider, start, &c)) &&
	       script_text_is_trimmed(c))
		start += len;
	word = divider->text + start;
	len = dot - start;
	if (len == 1)
		return word[0] >= 'A' && word[0] <= 'Z' && word[0] != 'I';
	if (len >= 3 && len <= 11 && word[1] == '.' && word[len - 2] == '.')
		return true;
	return script_text_is_listed(script_text_abbreviations, COUNT(script_text_abbreviations),
				     word, len) ||
	       (script_text_is_digit(next) &&
		script_text_is_listed(script_text_counted, COUNT(script_text_counted), word, len));
}

static bool script_text_ends_sentence(uint32_t stop, uint32_t next)
{
	return (stop == '.' || stop == '!' || stop == '?' || stop == ELLIPSIS) &&
	       !script_text_is_lower(next);
}

/* A run of stops ends a piece unless it is inside a number or an address, or follows an
 * abbreviation. *nextp is where to continue. */
static int script_text_take_run(struct divider *divider, size_t at, size_t *nextp)
{
	struct script_text_run run = script_text_read_run(divider, at);
	uint32_t after;
	uint32_t next = script_text_next_letter(divider, run.end);
	bool in_word = divider->in_word && divider->word_start < at;
	int err;

	*nextp = run.end;
	script_text_look(divider, run.end, &after);
	if (!divider->in_word && !run.alone) { /* marks before a word, or alone */
		divider->in_word = true;
		divider->word_start = at;
	}
	if (!run.alone && !script_text_is_blank(after))
		return 0;
	if (run.stop == '.' && run.end == at + 1 && next != 0 &&
	    (script_text_is_lower(next) ||
	     (in_word && script_text_is_abbreviation(divider, at, next))))
		return 0; /* a single dot without a quote after it */
	err = script_text_end_word(divider, run.end);
	if (!err)
		err = script_text_end_piece(divider, run.end, run.stop,
					    script_text_ends_sentence(run.stop, next));
	return err;
}

/* A dash between blanks that separates words, not numbers. */
static bool script_text_is_dash(const struct divider *divider, size_t at, size_t *endp)
{
	size_t end = at;
	uint32_t c = 0;
	uint32_t before;
	uint32_t next;
	size_t len;

	if (divider->in_word || divider->word_count <= divider->piece_word)
		return false;
	while (end != divider->span_start && (len = script_text_look(divider, end, &c)) &&
	       (c == '-' || c == EN_DASH))
		end += len;
	script_text_look(divider, divider->words[divider->word_count - 1].byte_end - 1, &before);
	next = script_text_next_letter(divider, end);
	*endp = end;
	return end > at && script_text_is_blank(c) && next != 0 && !script_text_is_digit(before) &&
	       !script_text_is_digit(next);
}

/* Cuts a piece that is too long at its last blank, else here. */
static int script_text_cut_long(struct divider *divider, size_t at)
{
	size_t cut = divider->blank > divider->piece_start ? divider->blank : at;

	return at - divider->piece_start >= SCRIPT_PIECE_MAX
		       ? script_text_end_piece(divider, cut, 0, false)
		       : 0;
}

static void script_text_find_span(struct divider *divider)
{
	if (!script_given_at(divider->given, divider->span, &divider->span_start,
			     &divider->span_end))
		divider->span_start = divider->span_end = divider->len;
}

/* A range with given phonemes is one word whose text is not examined. */
static int script_text_take_span(struct divider *divider, size_t *atp)
{
	int err = script_text_end_word(divider, *atp);

	if (!err)
		err = script_text_add_word(divider, divider->span_start, divider->span_end);
	*atp = divider->span_end;
	++divider->span;
	script_text_find_span(divider);
	return err;
}

static int script_text_step(struct divider *divider, size_t *atp)
{
	size_t at = *atp;
	uint32_t c;
	size_t len = script_text_look(divider, at, &c);
	int err = script_text_cut_long(divider, at);

	*atp = at + len;
	if (err)
		return err;
	if (at == divider->span_start) {
		*atp = at;
		return script_text_take_span(divider, atp);
	}
	if (script_text_is_blank(c)) {
		divider->blank = at;
		return script_text_end_word(divider, at);
	}
	if (script_text_find_stop(c))
		return script_text_take_run(divider, at, atp);
	if (script_text_is_dash(divider, at, atp))
		return script_text_end_piece(divider, *atp, EM_DASH, false);
	*atp = at + len;
	if (!divider->in_word) {
		divider->in_word = true;
		divider->word_start = at;
	}
	return 0;
}

/* A word that was cut belongs to both pieces. */
static void script_text_share_words(const struct divider *divider)
{
	size_t word = 0;

	for (size_t i = 0; i < divider->piece_count; ++i) {
		struct script_piece *piece = &divider->pieces[i];

		while (word < divider->word_count && divider->words[word].byte_end <= piece->start)
			++word;
		piece->first_word = word;
		while (word < divider->word_count && divider->words[word].byte_start < piece->end)
			++word;
		piece->end_word = word;
		if (word > piece->first_word)
			--word; /* it may continue */
	}
}

int script_text_divide(const char *text, size_t len, const struct script_given *given,
		       struct script_word **wordsp, size_t *word_countp,
		       struct script_piece **piecesp, size_t *piece_countp)
{
	struct divider divider = {.text = text, .len = len, .given = given};
	size_t at = 0;
	int err = 0;

	script_text_find_span(&divider);
	while (!err && at < len)
		err = script_text_step(&divider, &at);
	if (!err)
		err = script_text_end_word(&divider, len);
	if (!err && divider.piece_start < len)
		err = script_text_end_piece(&divider, len, 0, false);
	if (err) {
		free(divider.words);
		free(divider.pieces);
		return err;
	}
	script_text_share_words(&divider);
	*wordsp = divider.words;
	*word_countp = divider.word_count;
	*piecesp = divider.pieces;
	*piece_countp = divider.piece_count;
	return 0;
}
