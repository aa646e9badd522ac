/*
 * sentence.c: where sentences end (see sentence.h).
 */
#include "text/sentence.h"

#include <string.h>

#include "base/utf8.h"
#include "text/punctuation.h"

/* What a code point does to the candidate. */
enum outcome { OUTCOME_WAIT, OUTCOME_END, OUTCOME_NO_END };

/* A code point and its properties. */
struct glyph {
	uint32_t c;
	enum unicode_kind kind;
	enum punctuation punctuation;
	struct text_position before, after;
};

void sentence_init(struct sentence *s, const char *language)
{
	*s = (struct sentence){.language = language_find(language), .is_between = true};
}

static bool sentence_is_greek_question(const struct sentence *s, uint32_t c)
{
	return c == ';' && strcmp(s->language->code, "el") == 0;
}

static bool sentence_is_word_end(const struct glyph *g)
{
	return !unicode_is_letter(g->kind) && g->kind != UNICODE_MARK;
}

static void sentence_put_next(struct candidate *candidate, const struct glyph *g)
{
	if (candidate->next_len + 4u < sizeof(candidate->next))
		candidate->next_len += (uint8_t)utf8_encode(candidate->next + candidate->next_len,
							    unicode_lower(g->c));
	else
		candidate->next_len = sizeof(candidate->next) - 1; /* too long for any list */
}

/* More stops follow the stop of the candidate: "?!", "...". */
static void sentence_add_stop(struct candidate *candidate, const struct glyph *g)
{
	candidate->end = g->after;
	candidate->hold = HOLD_NONE;
	candidate->is_number = false;
	candidate->is_strong |= g->punctuation == PUNCTUATION_STRONG;
	candidate->is_full |= g->punctuation == PUNCTUATION_FULL;
	candidate->is_certain &= g->punctuation >= PUNCTUATION_STRONG; /* not an ellipsis */
	candidate->stage = CANDIDATE_CLOSING;
}

static enum outcome sentence_enter_gap(struct candidate *candidate, const struct glyph *g)
{
	candidate->stage = CANDIDATE_GAP;
	candidate->has_newline = g->kind == UNICODE_NEWLINE;
	return OUTCOME_WAIT;
}

/* Processes a code point directly after the stop. */
static enum outcome sentence_step_closing(struct sentence *s, const struct glyph *g)
{
	struct candidate *candidate = &s->candidate;

	if (punctuation_is_stop(g->punctuation)) {
		sentence_add_stop(candidate, g);
		return OUTCOME_WAIT;
	}
	if (g->punctuation == PUNCTUATION_CLOSE) {
		candidate->end = g->after;
		candidate->is_certain &= candidate->is_full;
		if (candidate->is_number && candidate->hold == HOLD_STARTER)
			candidate->hold = HOLD_CAPITAL; /* "(page 5.)" is not an ordinal */
		return OUTCOME_WAIT;
	}
	if (g->kind == UNICODE_PICTURE || g->kind == UNICODE_MARK || g->kind == UNICODE_FORMAT) {
		candidate->end = g->after; /* "Great!🎉" */
		return OUTCOME_WAIT;
	}
	if (candidate->is_full)
		return OUTCOME_END;
	if (unicode_is_blank(g->kind))
		return sentence_enter_gap(candidate, g);
	if (candidate->is_strong && !s->word.is_address &&
	    (g->kind == UNICODE_UPPER || g->kind == UNICODE_LETTER ||
	     g->punctuation == PUNCTUATION_INVERTED))
		return OUTCOME_END; /* "Really?Yes", with a missing blank */
	return OUTCOME_NO_END;
}

/* The next text begins with a capital or equivalent. */
static enum outcome sentence_begins_big(struct candidate *candidate, const struct glyph *g)
{
	if (candidate->hold == HOLD_NEVER)
		return OUTCOME_NO_END;
	if (candidate->hold < HOLD_STARTER || candidate->has_newline)
		return OUTCOME_END;
	if (g->kind != UNICODE_UPPER)
		return OUTCOME_NO_END;
	candidate->stage = CANDIDATE_WORD;
	sentence_put_next(candidate, g);
	return OUTCOME_WAIT;
}

static enum outcome sentence_begins_number(const struct candidate *candidate)
{
	if (candidate->hold == HOLD_NONE)
		return OUTCOME_END;
	if (candidate->has_newline && candidate->hold >= HOLD_CAPITAL &&
	    candidate->hold < HOLD_NEVER)
		return OUTCOME_END;
	return OUTCOME_NO_END;
}

/* Only French has blanks inside its quotes; in other languages » may open. */
static bool sentence_closes_after_blank(const struct sentence *s, uint32_t c)
{
	return c == ')' || c == ']' || c == '}' ||
	       (c == 0x00bb && strcmp(s->language->code, "fr") == 0);
}

/* Processes anything between the stop and the next letter or digit. */
static enum outcome sentence_step_between(struct sentence *s, const struct glyph *g)
{
	struct candidate *candidate = &s->candidate;
	bool is_fresh = !candidate->is_crossed;

	if (is_fresh && !candidate->has_newline && punctuation_is_stop(g->punctuation)) {
		sentence_add_stop(candidate, g); /* French: "Quoi ? !" */
		return OUTCOME_WAIT;
	}
	if (is_fresh && sentence_closes_after_blank(s, g->c)) {
		candidate->end = g->after;
		candidate->is_certain = false;
		return OUTCOME_WAIT;
	}
	if (is_fresh && g->punctuation == PUNCTUATION_COMMA)
		return OUTCOME_NO_END;
	if (g->punctuation == PUNCTUATION_INVERTED && candidate->hold != HOLD_NEVER)
		return OUTCOME_END;
	if (is_fresh && candidate->has_newline && g->punctuation != PUNCTUATION_OPEN &&
	    g->c != '"' && g->c != '\'' && !punctuation_is_stop(g->punctuation) &&
	    !(g->punctuation == PUNCTUATION_CLOSE && g->c >= 0x80))
		return OUTCOME_END; /* a bullet, a heading, a rule */
	candidate->is_crossed = true;
	return OUTCOME_WAIT;
}

static enum outcome sentence_step_gap(struct sentence *s, const struct glyph *g)
{
	struct candidate *candidate = &s->candidate;

	if (g->kind == UNICODE_NEWLINE) {
		if (candidate->has_newline)
			return OUTCOME_END; /* a blank line, or one without a word */
		candidate->has_newline = true;
		return OUTCOME_WAIT;
	}
	switch (g->kind) {
	case UNICODE_BLANK:
		return OUTCOME_WAIT;
	case UNICODE_UPPER:
	case UNICODE_LETTER:
		return sentence_begins_big(candidate, g);
	case UNICODE_LOWER:
		candidate->begins_lower = true;
		candidate->stage = CANDIDATE_WORD;
		sentence_put_next(candidate, g);
		return OUTCOME_WAIT;
	case UNICODE_DIGIT:
	case UNICODE_NUMBER:
		return sentence_begins_number(candidate);
	case UNICODE_OTHER:
	case UNICODE_NEWLINE:
	case UNICODE_MARK:
	case UNICODE_OPEN:
	case UNICODE_CLOSE:
	case UNICODE_SIGN:
	case UNICODE_PICTURE:
	case UNICODE_FORMAT:
	case UNICODE_EVEN_UPPER:
	case UNICODE_ODD_UPPER:
		break;
	}
	return sentence_step_between(s, g);
}

/* The word after the candidate is complete. */
static enum outcome sentence_judge_next(const struct sentence *s, bool has_dot)
{
	const struct candidate *candidate = &s->candidate;

	if (candidate->begins_lower)
		return OUTCOME_NO_END;
	if (has_dot && utf8_count(candidate->next, candidate->next_len) == 1)
		return OUTCOME_NO_END; /* "J. I. Smith": another initial */
	return language_starts(s->language, candidate->next) ? OUTCOME_END : OUTCOME_NO_END;
}

static enum outcome sentence_step_word(struct sentence *s, const struct glyph *g)
{
	struct candidate *candidate = &s->candidate;

	if (candidate->begins_lower) {
		/* "iPhone" begins a sentence, "and" does not */
		if (g->kind == UNICODE_UPPER && candidate->hold < HOLD_STARTER)
			return OUTCOME_END;
		return OUTCOME_NO_END;
	}
	if (sentence_is_word_end(g))
		return sentence_judge_next(s, g->c == '.');
	sentence_put_next(candidate, g);
	return OUTCOME_WAIT;
}

static enum outcome sentence_step_candidate(struct sentence *s, const struct glyph *g)
{
	switch (s->candidate.stage) {
	case CANDIDATE_CLOSING:
		return sentence_step_closing(s, g);
	case CANDIDATE_GAP:
		return sentence_step_gap(s, g);
	case CANDIDATE_WORD:
		return sentence_step_word(s, g);
	case CANDIDATE_NONE:
		break;
	}
	return OUTCOME_WAIT;
}

/* The candidate was the end: the text after it belongs to the next sentence. */
static void sentence_begin(struct sentence *s)
{
	bool in_word = s->candidate.stage == CANDIDATE_WORD;

	if (s->candidate.stage == CANDIDATE_CLOSING)
		s->is_between = true; /* the next word begins without a blank */
	s->words = in_word ? 1 : 0;
	s->first_word = s->word.begin;
	s->has_content = in_word || s->candidate.is_crossed;
	s->follows_dot = false;
	s->in_quote = s->candidate.is_crossed;
	s->candidate = (struct candidate){0};
}

static bool sentence_settle(struct sentence *s, enum outcome outcome, struct text_position *end)
{
	if (outcome == OUTCOME_END) {
		*end = s->candidate.end;
		sentence_begin(s);
		return true;
	}
	if (outcome == OUTCOME_NO_END)
		s->candidate = (struct candidate){0};
	return false;
}

/* See sentence.h; the candidate's hold is already set. */
static bool sentence_is_certain(const struct sentence *s, const struct glyph *g)
{
	const struct word *word = &s->word;

	if (s->candidate.is_full)
		return true;
	if (s->candidate.hold != HOLD_NONE || word->has_dot || word->is_address || s->in_quote)
		return false;
	return s->candidate.is_strong ||
	       (g->punctuation == PUNCTUATION_DOT && !s->is_between && word_is_plain(word));
}

static void sentence_open_stop(struct sentence *s, const struct glyph *g)
{
	bool is_dot = g->punctuation == PUNCTUATION_DOT;

	s->candidate = (struct candidate){
		.stage = CANDIDATE_CLOSING,
		.end = g->after,
		.is_full = g->punctuation == PUNCTUATION_FULL,
		.is_strong = g->punctuation == PUNCTUATION_STRONG,
	};
	if (is_dot && !s->is_between) {
		s->candidate.hold = word_hold(&s->word, s->language, s->words <= 1);
		s->candidate.is_number = s->word.last_kind == UNICODE_DIGIT;
	} else if (g->c == '!' && (word_is(&s->word, "yahoo") || word_is(&s->word, "jeopardy"))) {
		s->candidate.hold = HOLD_STARTER; /* names that end in a stop */
	}
	s->candidate.is_certain = sentence_is_certain(s, g);
	s->follows_dot = is_dot;
}

static void sentence_open_line(struct sentence *s)
{
	s->candidate = (struct candidate){
		.stage = CANDIDATE_GAP,
		.end = s->solid,
		.has_newline = true,
	};
}

static void sentence_track_clause(struct sentence *s, const struct glyph *g)
{
	if (s->has_clause_end) {
		if (g->punctuation == PUNCTUATION_CLOSE) {
			s->clause_end = g->after;
			return;
		}
		if (s->clause_is_sure ? g->kind != UNICODE_DIGIT : unicode_is_blank(g->kind))
			s->clause = s->clause_end;
		s->has_clause_end = false;
	}
	switch (g->punctuation) {
	case PUNCTUATION_DASH:
		if (!unicode_is_blank(unicode_kind(s->last)))
			return;
		s->clause_is_sure = false;
		break;
	case PUNCTUATION_COMMA:
		s->clause_is_sure = false;
		break;
	case PUNCTUATION_PAUSE:
		s->clause_is_sure = true;
		break;
	case PUNCTUATION_NONE:
	case PUNCTUATION_DOT:
	case PUNCTUATION_ELLIPSIS:
	case PUNCTUATION_STRONG:
	case PUNCTUATION_FULL:
	case PUNCTUATION_CLOSE:
	case PUNCTUATION_OPEN:
	case PUNCTUATION_INVERTED:
		return;
	}
	s->has_clause_end = s->words > 0; /* a bullet is not a clause */
	s->clause_end = g->after;
}

/* A dash at the start of a sentence introduces speech: "—¡Alto! —dijo él". Quotes that open in
 * one language close in another: the first one opens. */
static void sentence_track_quote(struct sentence *s, const struct glyph *g)
{
	switch (g->punctuation) {
	case PUNCTUATION_OPEN:
		s->in_quote = true;
		break;
	case PUNCTUATION_CLOSE:
		s->in_quote = !s->in_quote && s->is_between;
		break;
	case PUNCTUATION_DASH:
	case PUNCTUATION_PAUSE:
		s->in_quote |= !s->has_content;
		break;
	case PUNCTUATION_INVERTED:
		s->in_quote |= s->words > 0; /* a question within a sentence */
		break;
	case PUNCTUATION_NONE:
	case PUNCTUATION_DOT:
	case PUNCTUATION_ELLIPSIS:
	case PUNCTUATION_STRONG:
	case PUNCTUATION_FULL:
	case PUNCTUATION_COMMA:
		break;
	}
}

static void sentence_track_word(struct sentence *s, const struct glyph *g)
{
	if (unicode_is_blank(g->kind)) {
		if (!s->is_between)
			s->gap = g->before;
		s->is_between = true;
		return;
	}
	if (s->is_between) {
		word_begin(&s->word, g->before, s->follows_dot);
		s->follows_dot = false;
		s->is_between = false;
	}
	if (word_step(&s->word, g->c, g->kind, g->before) && s->words++ == 0)
		s->first_word = s->word.begin;
	s->has_content = true;
	s->solid = g->after;
}

bool sentence_step(struct sentence *s, uint32_t c, struct text_position before,
		   struct text_position after, struct text_position *end)
{
	struct glyph g = {c, unicode_kind(c), punctuation_of(c), before, after};
	bool ended;

	if (sentence_is_greek_question(s, c))
		g.punctuation = PUNCTUATION_STRONG;
	ended = sentence_settle(s, sentence_step_candidate(s, &g), end);
	if (s->candidate.stage == CANDIDATE_NONE) {
		if (punctuation_is_stop(g.punctuation) && s->words > 0)
			sentence_open_stop(s, &g);
		else if (g.kind == UNICODE_NEWLINE && s->has_content)
			sentence_open_line(s);
	}
	sentence_track_clause(s, &g);
	sentence_track_quote(s, &g);
	sentence_track_word(s, &g);
	s->last = c;
	return ended;
}

/* A tag separates sentences like a blank. A closing tag or a pause directly after a stop
 * belongs to its sentence; an opening tag belongs to the next. */
static enum outcome sentence_tag_candidate(struct candidate *candidate, const struct tag *tag,
					   struct text_position after)
{
	bool belongs = tag->closes || tag_is_pause(tag);

	if (candidate->stage == CANDIDATE_CLOSING) {
		if (candidate->is_full && !belongs)
			return OUTCOME_END;
		if (belongs)
			candidate->end = after;
		if (!candidate->is_full)
			candidate->stage = CANDIDATE_GAP;
	} else if (candidate->stage == CANDIDATE_GAP) {
		if (tag->closes && !candidate->is_crossed)
			candidate->end = after;
		else
			candidate->is_crossed = true;
	}
	if (!tag_is(tag, "spell") || tag->closes || candidate->stage != CANDIDATE_GAP)
		return OUTCOME_WAIT;
	return sentence_begins_big(candidate, &(struct glyph){.c = 'x', .kind = UNICODE_LETTER});
}

bool sentence_tag(struct sentence *s, const struct tag *tag, struct text_position before,
		  struct text_position after, struct text_position *end)
{
	bool ended = false;

	if (s->candidate.stage != CANDIDATE_NONE)
		ended = sentence_settle(s, sentence_tag_candidate(&s->candidate, tag, after), end);
	if (s->has_clause_end)
		s->clause = s->clause_end;
	s->has_clause_end = false;
	if (tag_is_pause(tag) && !s->is_between) {
		s->gap = before;
		s->is_between = true;
	}
	s->has_content = true;
	s->solid = after;
	s->last = ' ';
	return ended;
}

void sentence_spell(struct sentence *s, struct text_position after)
{
	if (s->is_between)
		word_begin(&s->word, after, false);
	s->is_between = false;
	s->follows_dot = false;
	s->word.last_kind = UNICODE_OTHER;
	s->word.is_plain = s->word.opens_number = false;
	if (s->words == 0) {
		s->words = 1;
		s->first_word = after;
	}
	s->has_content = true;
	s->solid = after;
}

bool sentence_end_message(struct sentence *s, size_t next_message, struct text_position *end)
{
	struct candidate *candidate = &s->candidate;
	bool has_words = s->words > 1 || candidate->is_full;
	bool ends;

	candidate->is_whole |= s->first_word.byte >= s->message;
	ends = candidate->is_certain && !candidate->is_crossed &&
	       (candidate->stage == CANDIDATE_GAP ||
		(candidate->stage == CANDIDATE_CLOSING && candidate->is_whole && has_words));
	s->message = next_message;
	return ends && sentence_settle(s, OUTCOME_END, end);
}

bool sentence_awaits_pause(const struct sentence *s)
{
	return (s->candidate.stage == CANDIDATE_CLOSING || s->candidate.stage == CANDIDATE_GAP) &&
	       s->candidate.hold <= HOLD_WORD;
}

bool sentence_is_doubtful(const struct sentence *s)
{
	const struct candidate *candidate = &s->candidate;
	bool may_be_short = s->words > 1 || candidate->hold == HOLD_WORD; /* "No." */

	return !candidate->is_certain && !(candidate->is_whole && may_be_short);
}

bool sentence_has_open_word(const struct sentence *s)
{
	return !s->is_between && !sentence_awaits_pause(s) && word_may_go_on(&s->word);
}

void sentence_confirm(struct sentence *s, struct text_position *end)
{
	*end = s->candidate.end;
	sentence_begin(s);
}

bool sentence_finish(struct sentence *s, struct text_position *end)
{
	struct candidate *candidate = &s->candidate;
	enum outcome outcome = OUTCOME_END;

	if (candidate->stage == CANDIDATE_NONE)
		return false;
	if (candidate->stage == CANDIDATE_WORD)
		outcome = sentence_judge_next(s, false);
	else if (candidate->is_crossed && candidate->hold > HOLD_CAPITAL)
		outcome = OUTCOME_NO_END;
	return sentence_settle(s, outcome, end);
}

void sentence_cut(struct sentence *s, struct text_position at)
{
	if (s->candidate.end.byte <= at.byte)
		s->candidate = (struct candidate){0};
}
