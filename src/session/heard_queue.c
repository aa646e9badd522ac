/*
 * heard_queue.c: the pieces of a stream that wait for their words (see heard_queue.h).
 */
#include "session/heard_queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum heard_state { HEARD_WANTED, HEARD_ASKED, HEARD_KNOWN };

struct heard_entry {
	struct link link;
	bool is_commit;
	bool is_asked; /* of a commit: a client waits for it */
	enum heard_state state; /* of a piece, like everything below */
	struct hearing_piece piece;
	struct hearing_result result; /* if the words are known */
	char language[HEARING_LANGUAGE_MAX];
	char *text;
	struct hearing_word *words;
};

static struct heard_entry *heard_queue_at(struct link *link)
{
	return LIST_OBJECT(link, struct heard_entry, link);
}

static void heard_queue_drop(struct heard_queue *queue, struct heard_entry *entry)
{
	list_remove(&queue->entries, &entry->link);
	free(entry->text);
	free(entry->words);
	free(entry);
}

void heard_queue_init(struct heard_queue *queue)
{
	*queue = (struct heard_queue){.has_pieces = false};
	list_init(&queue->entries);
	buf_init(&queue->text, HEARD_QUEUE_TEXT_MAX);
	buf_init(&queue->words, HEARD_QUEUE_WORDS_MAX * sizeof(struct hearing_word));
}

void heard_queue_reset(struct heard_queue *queue)
{
	struct link *link;

	while ((link = list_first(&queue->entries)))
		heard_queue_drop(queue, heard_queue_at(link));
	buf_reset(&queue->text);
	buf_reset(&queue->words);
}

static int heard_queue_append(struct heard_queue *queue, const struct heard_entry *row)
{
	struct heard_entry *entry = malloc(sizeof(*entry));

	if (!entry)
		return ENOMEM;
	*entry = *row;
	list_append(&queue->entries, &entry->link);
	return 0;
}

int heard_queue_add(struct heard_queue *queue, const struct hearing_piece *piece)
{
	return heard_queue_append(queue, &(struct heard_entry){.piece = *piece});
}

int heard_queue_commit(struct heard_queue *queue, bool is_asked)
{
	return heard_queue_append(queue,
				  &(struct heard_entry){.is_commit = true, .is_asked = is_asked});
}

const struct hearing_piece *heard_queue_wanted(const struct heard_queue *queue)
{
	for (struct link *l = list_first(&queue->entries); l; l = list_next(&queue->entries, l)) {
		const struct heard_entry *entry = heard_queue_at(l);

		if (!entry->is_commit && entry->state == HEARD_WANTED)
			return &entry->piece;
	}
	return NULL;
}

static struct heard_entry *heard_queue_find(const struct heard_queue *queue, uint32_t number)
{
	for (struct link *l = list_first(&queue->entries); l; l = list_next(&queue->entries, l)) {
		struct heard_entry *entry = heard_queue_at(l);

		if (!entry->is_commit && entry->piece.number == number)
			return entry;
	}
	return NULL;
}

void heard_queue_asked(struct heard_queue *queue, uint32_t number)
{
	struct heard_entry *entry = heard_queue_find(queue, number);

	if (entry)
		entry->state = HEARD_ASKED;
}

/* Removes blanks around the text.  The beginning stays if there are words, whose bytes are counted from
 * it. */
static void heard_queue_trim(struct hearing_result *result)
{
	while (result->text_len > 0 && (unsigned char)result->text[result->text_len - 1] <= ' ')
		--result->text_len;
	while (result->word_count == 0 && result->text_len > 0 &&
	       (unsigned char)result->text[0] <= ' ') {
		++result->text;
		--result->text_len;
	}
}

int heard_queue_result(struct heard_queue *queue, const struct hearing_result *result)
{
	struct heard_entry *entry = heard_queue_find(queue, result->piece.number);
	struct hearing_result kept = *result;

	if (!entry || entry->state == HEARD_KNOWN)
		return ENOENT;
	heard_queue_trim(&kept);
	entry->state = HEARD_KNOWN;
	entry->result = kept;
	entry->result.text_len = entry->result.word_count = 0;
	snprintf(entry->language, sizeof(entry->language), "%s", result->language);
	if (kept.text_len > HEARD_QUEUE_TEXT_MAX || kept.word_count > HEARD_QUEUE_WORDS_MAX)
		return ENOBUFS;
	if (kept.text_len > 0) {
		entry->text = malloc(kept.text_len);
		if (!entry->text)
			return ENOMEM;
		memcpy(entry->text, kept.text, kept.text_len);
		entry->result.text_len = kept.text_len;
	}
	if (kept.word_count > 0) {
		entry->words = malloc(kept.word_count * sizeof(*entry->words));
		if (!entry->words)
			return ENOMEM;
		memcpy(entry->words, kept.words, kept.word_count * sizeof(*entry->words));
		entry->result.word_count = kept.word_count;
	}
	return 0;
}

/* Languages whose writing has no spaces between sentences. */
static bool heard_queue_has_spaces(const char *language)
{
	static const char *const without[] = {"zh", "ja", "th", "lo", "my", "km", "yue"};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); ++i) {
		if (strcmp(language, without[i]) == 0)
			return false;
	}
	return true;
}

int heard_queue_append_text(struct buf *out, const char *text, size_t len, const char *language)
{
	int err = 0;

	if (out->len > 0 && len > 0 && heard_queue_has_spaces(language))
		err = buf_append_str(out, " ");
	return err ? err : buf_append(out, text, len);
}

/* Adds the words of a piece to those since the last commit.  What exceeds the bounds is left out. */
static void heard_queue_collect(struct heard_queue *queue, const struct heard_entry *entry)
{
	const struct hearing_result *result = &entry->result;
	size_t before = queue->text.len;
	size_t at;

	if (!queue->has_pieces)
		queue->from_sample = entry->piece.from_sample;
	queue->has_pieces = true;
	queue->to_sample = entry->piece.to_sample;
	queue->times_are_approximate |= result->times_are_approximate;
	if (result->text_len == 0)
		return;
	memcpy(queue->language, entry->language, sizeof(queue->language));
	queue->language_probability = result->language_probability;
	if (heard_queue_append_text(&queue->text, entry->text, result->text_len, entry->language)) {
		queue->text.len = before;
		return;
	}
	at = queue->text.len - result->text_len;
	if (buf_reserve(&queue->words, result->word_count * sizeof(*entry->words)) != 0)
		return;
	for (size_t i = 0; i < result->word_count; ++i) {
		struct hearing_word word = entry->words[i];

		word.byte_start += (uint32_t)at;
		word.byte_end += (uint32_t)at;
		(void)buf_append(&queue->words, &word, sizeof(word));
	}
}

static void heard_queue_forget_segment(struct heard_queue *queue)
{
	queue->text.len = queue->words.len = 0;
	queue->has_pieces = queue->times_are_approximate = false;
	queue->from_sample = queue->to_sample;
	queue->language[0] = '\0';
	queue->language_probability = 0;
}

bool heard_queue_next(struct heard_queue *queue, struct heard_segment *segment)
{
	struct link *link;

	if (queue->is_taken)
		heard_queue_forget_segment(queue);
	queue->is_taken = false;
	while ((link = list_first(&queue->entries))) {
		struct heard_entry *entry = heard_queue_at(link);
		bool is_asked = entry->is_asked;

		if (!entry->is_commit) {
			if (entry->state != HEARD_KNOWN)
				return false;
			heard_queue_collect(queue, entry);
			heard_queue_drop(queue, entry);
			continue;
		}
		heard_queue_drop(queue, entry);
		if (!is_asked && queue->text.len == 0) {
			heard_queue_forget_segment(queue);
			continue;
		}
		*segment = (struct heard_segment){
			.from_sample = queue->from_sample,
			.to_sample = queue->to_sample,
			.text = queue->text.bytes ? queue->text.bytes : "",
			.text_len = queue->text.len,
			.words = (const struct hearing_word *)(const void *)queue->words.bytes,
			.word_count = queue->words.len / sizeof(struct hearing_word),
			.times_are_approximate = queue->times_are_approximate,
			.language = queue->language,
			.language_probability = queue->language_probability,
		};
		queue->is_taken = true;
		return true;
	}
	return false;
}

bool heard_queue_is_empty(const struct heard_queue *queue)
{
	return queue->entries.count == 0;
}

int heard_queue_preview(const struct heard_queue *queue, struct buf *out,
			const struct hearing_result *result)
{
	struct hearing_result shown = *result;
	int err = 0;

	shown.word_count = 0;
	heard_queue_trim(&shown);
	if (!queue->is_taken)
		err = buf_append(out, queue->text.bytes, queue->text.len);
	return err ? err : heard_queue_append_text(out, shown.text, shown.text_len, shown.language);
}
