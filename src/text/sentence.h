/*
 * sentence.h: finds where sentences end, one code point at a time.
 *
 * A stop or a line end opens a candidate; what follows confirms or refutes
 * it.  A candidate goes through at most three stages:
 *
 *     Say "Stop.")  (He  did
 *              ^^^ closing: stops, quotes and brackets still belong to it
 *                 ^^^ gap: blanks, and openers that say nothing yet
 *                    ^^ word: only when the first letter does not decide
 *
 * The state is of fixed size and each code point is taken once, so the cost
 * is linear whatever the text, and how the text was split cannot matter.
 */
#ifndef TEXT_SENTENCE_H
#define TEXT_SENTENCE_H

#include "text/tag.h"
#include "text/word.h"

enum candidate_stage { CANDIDATE_NONE, CANDIDATE_CLOSING, CANDIDATE_GAP, CANDIDATE_WORD };

struct candidate {
	enum candidate_stage stage;
	enum hold hold;
	struct place end;
	bool is_full; /* needs no confirmation: '。' */
	bool is_strong; /* '!' or '?' */
	bool is_number; /* its dot came after a digit */
	bool is_certain; /* nothing suggests that the sentence goes on: see below */
	bool is_whole; /* all of its sentence came in one message */
	bool is_crossed; /* something other than blanks stands in the gap */
	bool has_newline;
	bool begins_lower; /* the word in the word stage does */
	uint8_t next_len;
	char next[20]; /* that word in lower case, cut when longer */
};

struct sentence {
	const struct language *language;
	struct word word;
	struct candidate candidate;
	uint32_t last;
	unsigned words; /* begun in this sentence */
	struct place first_word; /* where the first of them began */
	size_t message; /* where the message began that is being read */
	bool has_content; /* anything but blanks */
	bool is_between; /* no word is open */
	bool follows_dot; /* the last word ended in a dot that was a candidate */
	bool in_quote; /* one was opened, or a bracket, or the speech of a dialogue */
	struct place solid; /* after the last code point that is not blank */
	struct place gap; /* where the last word ended */
	struct place clause; /* where the last clause ended */
	struct place clause_end; /* where one ends if the next code point agrees */
	bool has_clause_end;
	bool clause_is_sure; /* its mark needs no blank after it */
};

void sentence_init(struct sentence *sentence, const char *language);

/* The next code point, between two places.  True when a sentence has ended:
 * at *end, which is not after `before`. */
bool sentence_step(struct sentence *sentence, uint32_t c, struct place before, struct place after,
		   struct place *end);

/* The same for a whole tag. */
bool sentence_tag(struct sentence *sentence, const struct tag *tag, struct place before,
		  struct place after, struct place *end);

/* The next code points are read aloud one by one (inside <spell>): an opaque
 * word, whatever they are. */
void sentence_spell(struct sentence *sentence, struct place after);

/* The message that is being read ends here, and the next one begins: true when
 * that confirms the candidate.  Only a certain one is confirmed, and only when a
 * blank stands after it or when the message contains the whole sentence, of several
 * words: what a model sends token by token ends anywhere.
 *
 * A candidate is certain after a plain word ('.', '!', '?', '?!') and after '。'.
 * It is not after what may be an abbreviation, a number, an initial or a part of a
 * name with dots, nor after an ellipsis, nor in a quote or when one closes after it
 * ("Stop!" he said; the same with brackets), nor at the end of a line without a
 * stop. */
bool sentence_end_message(struct sentence *sentence, size_t next_message, struct place *end);

/* True when only confirmation is missing, and a pause would do; the pause should be
 * a long one when the candidate is doubtful: neither certain nor the end of a whole
 * message. */
bool sentence_awaits_pause(const struct sentence *sentence);
bool sentence_is_doubtful(const struct sentence *sentence);

/* True when the text ends in a word that may go on (word_may_go_on). */
bool sentence_has_open_word(const struct sentence *sentence);

/* A pause has confirmed the candidate. */
void sentence_confirm(struct sentence *sentence, struct place *end);

/* The text ends here, for now: true when the candidate counts. */
bool sentence_finish(struct sentence *sentence, struct place *end);

/* The text was cut here for another reason: a candidate up to it is void. */
void sentence_cut(struct sentence *sentence, struct place at);

#endif
