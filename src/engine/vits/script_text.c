/*
 * script_text.c: a text into words, and into pieces that end at a stop.
 *
 * A piece is what lies between two marks at which one breathes.  eSpeak NG ends
 * its clauses at much the same places but does not say at which mark, and reads
 * ahead by a character or two; so the places are found here, and it gets one
 * piece at a time.
 *
 * Texts come from our own chunker, which knows the abbreviations of many
 * languages and mostly hands over single sentences: where it is not clear
 * whether a dot inside ends one, it does not.
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

/* The mark that is put back for one of the text. */
struct stop {
	uint32_t mark;
	uint32_t as;
	bool alone; /* ends a word also where no blank follows */
};

static const struct stop stops[] = {
	{',', ',', false},          {'.', '.', false},        {';', ';', false},
	{':', ':', false},          {'!', '!', false},        {'?', '?', false},
	{ELLIPSIS, ELLIPSIS, true}, {EM_DASH, EM_DASH, true}, {0x3002, '.', true},
	{0xff0e, '.', true},        {0xff01, '!', true},      {0xff1f, '?', true},
	{0xff0c, ',', true},        {0x3001, ',', true},      {0xff1b, ';', true},
	{0xff1a, ':', true},        {0x061f, '?', false},     {0x060c, ',', false},
	{0x061b, ';', false},       {0x06d4, '.', false},     {0x0964, '.', true},
	{0x0965, '.', true},        {0x055d, ',', false},     {0x0589, '.', false},
};

/* Titles and the like, after which nobody breathes.  A dot after them matters
 * only when a capital follows. */
static const char *const abbreviations[] = {
	"mr",  "mrs",  "ms",  "dr",  "prof", "st",   "sr",  "jr",  "vs",   "mt",  "capt", "lt",
	"col", "gen",  "sen", "rep", "rev",  "hon",  "sgt", "gov", "hr",   "mme", "mlle", "mm",
	"sra", "srta", "dra", "ud",  "uds",  "dott", "sig", "dhr", "mevr", "bzw", "ca",   "cf",
};

/* Those that are so only before a number: "No. 5", but "No. Never." */
static const char *const counted[] = {"no", "nr", "fig", "vol", "pp", "p", "ch", "art"};

struct divider {
	const char *text;
	size_t len;
	struct script_word *words;
	size_t word_count, word_size;
	struct script_piece *pieces;
	size_t piece_count, piece_size;
	size_t word_start; /* of the run that is being read */
	bool in_word;
	size_t piece_start;
	size_t piece_word; /* the first word of the piece */
	size_t blank; /* the last blank in the piece, or its start */
	const struct script_given *given; /* NULL: no phonemes */
	size_t span; /* the first of them that was not reached … */
	size_t span_start, span_end; /* … and its bytes; past the text when there is none */
};

/* The code point at a byte, and how long it is; 0 past the end. */
static size_t look(const struct divider *divider, size_t at, uint32_t *code_point)
{
	*code_point = 0;
	if (at >= divider->len)
		return 0;
	return utf8_decode(code_point, divider->text + at, divider->len - at);
}

static bool is_blank(uint32_t c)
{
	return c <= ' ' || c == 0x7f || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

static const struct stop *find_stop(uint32_t c)
{
	for (size_t i = 0; i < COUNT(stops); ++i)
		if (stops[i].mark == c)
			return &stops[i];
	return NULL;
}

/* Marks that may stand between a stop and the blank after it. */
static bool is_closing(uint32_t c)
{
	return c == '"' || c == '\'' || c == ')' || c == ']' || c == '}' || c == 0xbb ||
	       c == 0x2019 || c == 0x201d || c == 0x203a || c == 0x300d || c == 0x300f ||
	       c == 0xff09;
}

/* Marks that are no part of a word that they stand beside. */
static bool is_trimmed(uint32_t c)
{
	return (c < 0x80 && c != 0 && strchr("!\"'(),-.:;?[]_`{}", (int)c)) || find_stop(c) ||
	       is_closing(c) || c == 0xa1 || c == 0xab || c == 0xbf ||
	       (c >= 0x2010 && c <= 0x2027) || c == 0x2039 || (c >= 0x3008 && c <= 0x3011) ||
	       c == 0xff08;
}

static bool is_digit(uint32_t c)
{
	return c >= '0' && c <= '9';
}

/* Small letters of the scripts that have them, as far as they begin words. */
static bool is_lower(uint32_t c)
{
	if (c >= 0x100 && c <= 0x17e)
		return (c >= 0x139 && c <= 0x148) || c >= 0x179 ? c % 2 == 0 : c % 2 == 1;
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c <= 0xff && c != 0xf7) ||
	       (c >= 0x3ac && c <= 0x3ce) || (c >= 0x430 && c <= 0x45f);
}

/* Room for one more in a list. */
static int grow(void **listp, size_t *sizep, size_t count, size_t item_size)
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

static int add_word(struct divider *divider, size_t start, size_t end)
{
	int err = grow((void **)&divider->words, &divider->word_size, divider->word_count,
		       sizeof(divider->words[0]));

	if (!err)
		divider->words[divider->word_count++] = (struct script_word){
			.byte_start = (uint32_t)start, .byte_end = (uint32_t)end};
	return err;
}

/* Ends the run at a byte; it is a word when something is left of it without the
 * marks at both ends. */
static int end_word(struct divider *divider, size_t end)
{
	size_t start = divider->word_start;
	size_t len;
	uint32_t c;

	if (!divider->in_word)
		return 0;
	divider->in_word = false;
	while (start < end && (len = look(divider, start, &c)) && is_trimmed(c))
		start += len;
	while (end > start) {
		size_t last = end - 1;

		while (last > start && ((unsigned char)divider->text[last] & 0xc0) == 0x80)
			--last;
		look(divider, last, &c);
		if (!is_trimmed(c))
			break;
		end = last;
	}
	return start < end ? add_word(divider, start, end) : 0;
}

static int end_piece(struct divider *divider, size_t end, uint32_t stop, bool ends_sentence)
{
	int err = grow((void **)&divider->pieces, &divider->piece_size, divider->piece_count,
		       sizeof(divider->pieces[0]));

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

/* The stop of a run of marks ("?!", "...", ".”"): the most telling of them. */
static uint32_t stronger(uint32_t a, uint32_t b)
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

struct run {
	size_t end; /* byte after the run and the quotes that close after it */
	uint32_t stop;
	unsigned count; /* marks in it */
	bool alone;
};

static struct run read_run(const struct divider *divider, size_t at)
{
	struct run run = {.end = at};
	unsigned dots = 0;
	uint32_t c;
	size_t len;

	while (run.end != divider->span_start && (len = look(divider, run.end, &c))) {
		const struct stop *stop = find_stop(c);

		if (!stop && !(is_closing(c) && run.count > 0))
			break;
		run.end += len;
		if (!stop)
			continue;
		++run.count;
		dots += c == '.';
		run.alone = run.alone || stop->alone;
		run.stop = stronger(run.stop, dots >= 3 ? ELLIPSIS : stop->as);
	}
	return run;
}

/* What the text goes on with: past blanks and opening marks, a few of them, so
 * that a text of nothing but marks is not read again for each. */
static uint32_t next_letter(const struct divider *divider, size_t at)
{
	uint32_t c = 0;
	size_t len;

	for (unsigned i = 0; i < 8 && (len = look(divider, at, &c)); ++i) {
		if (!is_blank(c) && !is_trimmed(c))
			break;
		at += len;
	}
	return c;
}

static bool is_listed(const char *const *list, size_t count, const char *word, size_t len)
{
	for (size_t i = 0; i < count; ++i)
		if (strlen(list[i]) == len && strncasecmp(list[i], word, len) == 0)
			return true;
	return false;
}

/* Whether the dot at a byte is of an abbreviation: a title, an initial, or a
 * word of single letters ("U.S."). */
static bool is_abbreviation(const struct divider *divider, size_t dot, uint32_t next)
{
	size_t start = divider->word_start;
	const char *word;
	size_t len;
	uint32_t c;

	while (start < dot && (len = look(divider, start, &c)) && is_trimmed(c))
		start += len;
	word = divider->text + start;
	len = dot - start;
	if (len == 1)
		return word[0] >= 'A' && word[0] <= 'Z' && word[0] != 'I';
	if (len >= 3 && len <= 11 && word[1] == '.' && word[len - 2] == '.')
		return true;
	return is_listed(abbreviations, COUNT(abbreviations), word, len) ||
	       (is_digit(next) && is_listed(counted, COUNT(counted), word, len));
}

static bool ends_sentence(uint32_t stop, uint32_t next)
{
	return (stop == '.' || stop == '!' || stop == '?' || stop == ELLIPSIS) && !is_lower(next);
}

/* A run of stops: ends a piece unless it stands inside a number, an address or
 * after an abbreviation.  *nextp: where to go on. */
static int take_run(struct divider *divider, size_t at, size_t *nextp)
{
	struct run run = read_run(divider, at);
	uint32_t after;
	uint32_t next = next_letter(divider, run.end);
	bool in_word = divider->in_word && divider->word_start < at;
	int err;

	*nextp = run.end;
	look(divider, run.end, &after);
	if (!divider->in_word && !run.alone) { /* marks before a word, or by themselves */
		divider->in_word = true;
		divider->word_start = at;
	}
	if (!run.alone && !is_blank(after))
		return 0;
	if (run.stop == '.' && run.end == at + 1 && next != 0 &&
	    (is_lower(next) || (in_word && is_abbreviation(divider, at, next))))
		return 0; /* one dot, no quote after it */
	err = end_word(divider, run.end);
	if (!err)
		err = end_piece(divider, run.end, run.stop, ends_sentence(run.stop, next));
	return err;
}

/* A dash with blanks around it, between words and not between numbers. */
static bool is_dash(const struct divider *divider, size_t at, size_t *endp)
{
	size_t end = at;
	uint32_t c = 0;
	uint32_t before;
	uint32_t next;
	size_t len;

	if (divider->in_word || divider->word_count <= divider->piece_word)
		return false;
	while (end != divider->span_start && (len = look(divider, end, &c)) &&
	       (c == '-' || c == EN_DASH))
		end += len;
	look(divider, divider->words[divider->word_count - 1].byte_end - 1, &before);
	next = next_letter(divider, end);
	*endp = end;
	return end > at && is_blank(c) && next != 0 && !is_digit(before) && !is_digit(next);
}

/* Cuts a piece that has become too long at its last blank, else here. */
static int cut_long(struct divider *divider, size_t at)
{
	size_t cut = divider->blank > divider->piece_start ? divider->blank : at;

	return at - divider->piece_start >= SCRIPT_PIECE_MAX ? end_piece(divider, cut, 0, false)
							     : 0;
}

static void find_span(struct divider *divider)
{
	if (!script_given_at(divider->given, divider->span, &divider->span_start,
			     &divider->span_end))
		divider->span_start = divider->span_end = divider->len;
}

/* A place with phonemes is a word, and nothing in it is looked at. */
static int take_span(struct divider *divider, size_t *atp)
{
	int err = end_word(divider, *atp);

	if (!err)
		err = add_word(divider, divider->span_start, divider->span_end);
	*atp = divider->span_end;
	++divider->span;
	find_span(divider);
	return err;
}

static int step(struct divider *divider, size_t *atp)
{
	size_t at = *atp;
	uint32_t c;
	size_t len = look(divider, at, &c);
	int err = cut_long(divider, at);

	*atp = at + len;
	if (err)
		return err;
	if (at == divider->span_start) {
		*atp = at;
		return take_span(divider, atp);
	}
	if (is_blank(c)) {
		divider->blank = at;
		return end_word(divider, at);
	}
	if (find_stop(c))
		return take_run(divider, at, atp);
	if (is_dash(divider, at, atp))
		return end_piece(divider, *atp, EM_DASH, false);
	*atp = at + len;
	if (!divider->in_word) {
		divider->in_word = true;
		divider->word_start = at;
	}
	return 0;
}

/* A word that was cut has its part in both pieces. */
static void share_words(const struct divider *divider)
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
			--word; /* may go on */
	}
}

int script_text_divide(const char *text, size_t len, const struct script_given *given,
		       struct script_word **wordsp, size_t *word_countp,
		       struct script_piece **piecesp, size_t *piece_countp)
{
	struct divider divider = {.text = text, .len = len, .given = given};
	size_t at = 0;
	int err = 0;

	find_span(&divider);
	while (!err && at < len)
		err = step(&divider, &at);
	if (!err)
		err = end_word(&divider, len);
	if (!err && divider.piece_start < len)
		err = end_piece(&divider, len, 0, false);
	if (err) {
		free(divider.words);
		free(divider.pieces);
		return err;
	}
	share_words(&divider);
	*wordsp = divider.words;
	*word_countp = divider.word_count;
	*piecesp = divider.pieces;
	*piece_countp = divider.piece_count;
	return 0;
}
