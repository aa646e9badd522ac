/*
 * sentence.h: finds where sentences end, one code point at a time.
 *
 * A stop or a line end opens a candidate; the text after it confirms or refutes it. A
 * candidate goes through at most three stages:
 *
 *         Say "Stop.")  (He  did
 *                  ^^^ closing: stops, quotes and brackets still belong to it
 *                     ^^^ gap: blanks, and opening signs that decide nothing
 *                        ^^ word: only when the first letter does not decide
 *
 * The state has a fixed size and each code point is processed once, so the cost is linear
 * for any text, and the division of the text does not matter.
 */
#ifndef TEXT_SENTENCE_H
#define TEXT_SENTENCE_H

#include "text/tag.h"
#include "text/word.h"

enum candidate_stage { CANDIDATE_NONE, CANDIDATE_CLOSING, CANDIDATE_GAP, CANDIDATE_WORD };

struct candidate {
	enum candidate_stage stage;
	enum hold hold;
	struct text_position end;
	bool is_full; /* needs no confirmation: '。' */
	bool is_strong; /* '!' or '?' */
	bool is_number; /* its dot came after a digit */
	bool is_certain; /* nothing suggests that the sentence continues: see below */
	bool is_whole; /* the whole sentence arrived in one message */
	bool is_crossed; /* the gap contains something other than blanks */
	bool has_newline;
	bool begins_lower; /* the word in the word stage begins with a lower-case letter */
	uint8_t next_len;
	char next[20]; /* that word in lower case, truncated */
};

struct sentence {
	const struct language *language;
	struct word word;
	struct candidate candidate;
	uint32_t last;
	unsigned words; /* words begun in this sentence */
	struct text_position first_word; /* where the first of them began */
	size_t message; /* where the current message began */
	bool has_content; /* the sentence has anything but blanks */
	bool is_between; /* no word is open */
	bool follows_dot; /* the last word ended in a dot that was a candidate */
	bool in_quote; /* inside a quote, a bracket, or a line of dialogue */
	struct text_position solid; /* after the last code point that is not blank */
	struct text_position gap; /* where the last word ended */
	struct text_position clause; /* where the last clause ended */
	/* where a clause ends if the next code point confirms it */
	struct text_position clause_end;
	bool has_clause_end;
	bool clause_is_sure; /* the clause's mark needs no blank after it */
};

void sentence_init(struct sentence *sentence, const char *language);

/* Processes the next code point, between two positions. True when a sentence has ended, at
 * *end, which is not after `before`. */
bool sentence_step(struct sentence *sentence, uint32_t c, struct text_position before,
		   struct text_position after, struct text_position *end);

/* The same for a complete tag. */
bool sentence_tag(struct sentence *sentence, const struct tag *tag, struct text_position before,
		  struct text_position after, struct text_position *end);

/* The next code points are spelled (inside <spell>): they count as one word, whatever they
 * are. */
void sentence_spell(struct sentence *sentence, struct text_position after);

/* The current message ends here: true when that confirms the candidate. Only a certain
 * candidate is confirmed, and only when a blank follows it or when the message contains the
 * whole sentence, of several words, because tokens of a language model can end anywhere.
 *
 * A candidate is certain after a plain word ('.', '!', '?', '?!') and after '。'. It is not
 * certain after a possible abbreviation, a number, an initial or a part of a dotted name, nor
 * after an ellipsis, nor in a quote or before the end of one ("Stop!" he said; the same with
 * brackets), nor at the end of a line without a stop. */
bool sentence_end_message(struct sentence *sentence, size_t next_message,
			  struct text_position *end);

/* True when a pause would confirm the candidate. The pause should be long when the candidate
 * is doubtful: neither certain nor the end of a whole message. */
bool sentence_awaits_pause(const struct sentence *sentence);
bool sentence_is_doubtful(const struct sentence *sentence);

/* True when the text ends in a word that may continue (word_may_go_on). */
bool sentence_has_open_word(const struct sentence *sentence);

/* Confirms the candidate after a pause. */
void sentence_confirm(struct sentence *sentence, struct text_position *end);

/* The text ends here for now: true when the candidate is confirmed. */
bool sentence_finish(struct sentence *sentence, struct text_position *end);

/* The text was cut here for another reason: a candidate before this position is dropped. */
void sentence_cut(struct sentence *sentence, struct text_position at);

#endif
