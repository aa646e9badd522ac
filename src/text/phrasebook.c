/*
 * phrasebook.c: phrases of lexemes, all looked for at once (see phrasebook.h).
 */
#include "text/phrasebook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/cost.h"

/* A kind of lexeme that occurs in phrases.  Its index is its number. */
struct kind {
	uint64_t hash;
	uint32_t symbols, len; /* in book->symbols */
	uint32_t node; /* of phrases that end with it; 0: none do */
};

/* A phrase, its lexemes' numbers from the last to the first. */
struct row {
	uint32_t numbers, len; /* in book->numbers */
	uint32_t value;
};

/* Lexemes that some phrase ends with; node 0 has none. */
struct node {
	uint32_t number; /* of the first of them, the one read last */
	uint32_t children, children_end; /* nodes with one more before it, sorted by that */
	uint32_t fall; /* the longest of its beginnings that is a node, too */
	uint32_t row; /* the longest phrase it begins with, counted from 1; 0: none */
};

struct phrasebook {
	bool folds;
	uint32_t *symbols;
	struct kind *kinds; /* sorted by hash, then as lexeme_compare says */
	uint32_t kinds_len;
	uint32_t *buckets; /* first kind of each value of the hash's high bits, and an end */
	unsigned shift;
	uint32_t *numbers;
	struct row *rows;
	uint32_t rows_len;
	struct node *nodes; /* the shorter the earlier */
	uint32_t nodes_len;
};

/* Reading */

static uint64_t hash_of(const struct phrasebook *book, const struct lexeme *lexeme)
{
	return book->folds ? lexeme->folded : lexeme->exact;
}

/* Below, at or above 0 as the lexeme is to the kind. */
static int compare_kind(const struct phrasebook *book, const struct lexeme *lexeme,
			const char *text, const struct kind *kind)
{
	uint64_t hash = hash_of(book, lexeme);

	if (hash != kind->hash)
		return hash < kind->hash ? -1 : 1;
	return lexeme_compare(lexeme, text, book->symbols + kind->symbols, kind->len, book->folds);
}

static const struct kind *find_kind(const struct phrasebook *book, const struct lexeme *lexeme,
				    const char *text)
{
	const uint32_t *bucket = &book->buckets[hash_of(book, lexeme) >> book->shift];
	uint32_t low = bucket[0];
	uint32_t high = bucket[1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int order = compare_kind(book, lexeme, text, &book->kinds[mid]);

		COST_STEP();
		if (order == 0)
			return &book->kinds[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static uint32_t find_child(const struct phrasebook *book, uint32_t node, uint32_t number)
{
	uint32_t low = book->nodes[node].children;
	uint32_t high = book->nodes[node].children_end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		COST_STEP();
		if (book->nodes[mid].number == number)
			return mid;
		if (number < book->nodes[mid].number)
			high = mid;
		else
			low = mid + 1;
	}
	return 0;
}

/* From a node on with a lexeme; what does not go on falls back until it does. */
static uint32_t advance(const struct phrasebook *book, uint32_t node, uint32_t number)
{
	while (node > 0) {
		uint32_t child = find_child(book, node, number);

		if (child > 0)
			return child;
		node = book->nodes[node].fall;
	}
	return book->kinds[number].node;
}

uint32_t phrasebook_step(const struct phrasebook *book, uint32_t state, const struct lexeme *lexeme,
			 const char *text)
{
	const struct kind *kind;

	if (state == 0 && lexeme->is_blank) /* ends no phrase */
		return 0;
	kind = find_kind(book, lexeme, text);
	return kind ? advance(book, state, (uint32_t)(kind - book->kinds)) : 0;
}

uint32_t phrasebook_longest(const struct phrasebook *book, uint32_t state, size_t *value)
{
	uint32_t row = book->nodes[state].row;

	if (row == 0)
		return 0;
	*value = book->rows[row - 1].value;
	return book->rows[row - 1].len;
}

/* Making */

/* A lexeme of a phrase: which of book->numbers it gives. */
struct occurrence {
	uint64_t hash;
	uint32_t symbols, len;
	uint32_t place;
};

struct making {
	struct phrasebook *book;
	struct occurrence *occurrences;
	struct range *ranges;
	uint32_t occurrences_len, symbols_len;
};

/* Rows that have a node's lexemes at their end, and how many those are. */
struct range {
	uint32_t begin, end, depth;
};

static void destroy(void *object)
{
	struct phrasebook *book = object;

	mem_deref(book->symbols);
	mem_deref(book->kinds);
	mem_deref(book->buckets);
	mem_deref(book->numbers);
	mem_deref(book->rows);
	mem_deref(book->nodes);
}

static bool read_phrase(struct lexeme *lexeme, const char *phrase, size_t len, size_t at)
{
	if (!lexeme_read(lexeme, phrase, len, at))
		return false;
	/* Blanks at the ends of a phrase are none of it. */
	if (!lexeme->is_blank || (at > 0 && lexeme->end < len))
		return true;
	return lexeme_read(lexeme, phrase, len, lexeme->end);
}

static void count_phrase(struct making *making, const char *phrase)
{
	struct lexeme lexeme = {0};
	size_t len = strlen(phrase);

	while (read_phrase(&lexeme, phrase, len, lexeme.end)) {
		++making->occurrences_len;
		making->symbols_len += lexeme.len;
	}
}

static int make_arrays(struct making *making, size_t count)
{
	struct phrasebook *book = making->book;
	size_t lexemes = making->occurrences_len + (size_t)1;

	book->symbols = mem_zalloc((making->symbols_len + 1) * sizeof(*book->symbols), NULL);
	book->numbers = mem_zalloc(lexemes * sizeof(*book->numbers), NULL);
	book->kinds = mem_zalloc(lexemes * sizeof(*book->kinds), NULL);
	book->rows = mem_zalloc((count + 1) * sizeof(*book->rows), NULL);
	book->nodes = mem_zalloc(lexemes * sizeof(*book->nodes), NULL);
	making->occurrences = mem_zalloc(lexemes * sizeof(*making->occurrences), NULL);
	making->ranges = mem_zalloc(lexemes * sizeof(*making->ranges), NULL);
	making->occurrences_len = making->symbols_len = 0;
	if (!book->symbols || !book->numbers || !book->kinds || !book->rows || !book->nodes ||
	    !making->occurrences || !making->ranges)
		return ENOMEM;
	return 0;
}

/* Takes a phrase's lexemes; where their numbers will be is turned around once
 * it is known how many there are. */
static void add_phrase(struct making *making, const struct phrasebook_entry *entry)
{
	struct phrasebook *book = making->book;
	struct lexeme lexeme = {0};
	size_t len = strlen(entry->phrase);
	uint32_t begin = making->occurrences_len;
	uint32_t end = begin;

	while (read_phrase(&lexeme, entry->phrase, len, lexeme.end)) {
		making->occurrences[end++] = (struct occurrence){
			hash_of(book, &lexeme), making->symbols_len, lexeme.len, 0};
		lexeme_symbols(book->symbols + making->symbols_len, &lexeme, entry->phrase,
			       book->folds);
		making->symbols_len += lexeme.len;
	}
	for (uint32_t i = begin; i < end; ++i)
		making->occurrences[i].place = begin + end - 1 - i;
	making->occurrences_len = end;
	if (end > begin)
		book->rows[book->rows_len++] =
			(struct row){begin, end - begin, (uint32_t)entry->value};
}

static int compare_numbers(const uint32_t *a, uint32_t a_len, const uint32_t *b, uint32_t b_len)
{
	uint32_t len = a_len < b_len ? a_len : b_len;

	for (uint32_t i = 0; i < len; ++i)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return (a_len > b_len) - (a_len < b_len);
}

static int compare_occurrences(const void *left, const void *right, void *arg)
{
	const struct occurrence *a = left;
	const struct occurrence *b = right;
	const struct phrasebook *book = arg;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return compare_numbers(book->symbols + a->symbols, a->len, book->symbols + b->symbols,
			       b->len);
}

static void number_lexemes(struct making *making)
{
	struct phrasebook *book = making->book;

	qsort_r(making->occurrences, making->occurrences_len, sizeof(*making->occurrences),
		compare_occurrences, book);
	for (uint32_t i = 0; i < making->occurrences_len; ++i) {
		const struct occurrence *it = &making->occurrences[i];

		if (i == 0 || compare_occurrences(it - 1, it, book) != 0)
			book->kinds[book->kinds_len++] = (struct kind){
				.hash = it->hash, .symbols = it->symbols, .len = it->len};
		book->numbers[it->place] = book->kinds_len - 1;
	}
}

static int compare_phrases(const struct phrasebook *book, const struct row *a, const struct row *b)
{
	return compare_numbers(book->numbers + a->numbers, a->len, book->numbers + b->numbers,
			       b->len);
}

static int compare_rows(const void *left, const void *right, void *arg)
{
	const struct row *a = left;
	const struct row *b = right;
	int order = compare_phrases(arg, a, b);

	return order ? order : (a->numbers > b->numbers) - (a->numbers < b->numbers);
}

static void sort_rows(struct phrasebook *book)
{
	uint32_t kept = 0;

	qsort_r(book->rows, book->rows_len, sizeof(*book->rows), compare_rows, book);
	for (uint32_t i = 0; i < book->rows_len; ++i) {
		if (kept == 0 || compare_phrases(book, &book->rows[kept - 1], &book->rows[i]) != 0)
			book->rows[kept++] = book->rows[i];
	}
	book->rows_len = kept;
}

static uint32_t number_at(const struct phrasebook *book, uint32_t row, uint32_t depth)
{
	return book->numbers[book->rows[row].numbers + depth];
}

/* The children of a node: its rows by their next number. */
static void grow(struct making *making, uint32_t node)
{
	struct phrasebook *book = making->book;
	struct range range = making->ranges[node];
	uint32_t row = range.begin;

	if (row < range.end && book->rows[row].len == range.depth)
		book->nodes[node].row = ++row; /* the shortest comes first */
	book->nodes[node].children = book->nodes_len;
	while (row < range.end) {
		uint32_t number = number_at(book, row, range.depth);
		uint32_t begin = row;

		while (row < range.end && number_at(book, row, range.depth) == number)
			++row;
		making->ranges[book->nodes_len] = (struct range){begin, row, range.depth + 1};
		book->nodes[book->nodes_len++].number = number;
	}
	book->nodes[node].children_end = book->nodes_len;
}

/* Where its children fall: the node itself fell before. */
static void join_children(struct phrasebook *book, uint32_t node)
{

	for (uint32_t i = book->nodes[node].children; i < book->nodes[node].children_end; ++i) {
		struct node *child = &book->nodes[i];

		if (node == 0)
			book->kinds[child->number].node = i;
		else
			child->fall = advance(book, book->nodes[node].fall, child->number);
	}
}

/* Nodes in the order of their depth, so that a node's fall is complete before
 * it is asked for. */
static void make_nodes(struct making *making)
{
	struct phrasebook *book = making->book;

	making->ranges[0] = (struct range){0, book->rows_len, 0};
	book->nodes_len = 1;
	for (uint32_t node = 0; node < book->nodes_len; ++node)
		grow(making, node);
	for (uint32_t node = 0; node < book->nodes_len; ++node) {
		join_children(book, node);
		if (book->nodes[node].row == 0)
			book->nodes[node].row = book->nodes[book->nodes[node].fall].row;
	}
}

/* Twice as many buckets as kinds, so that most have one or none. */
static int fill_buckets(struct phrasebook *book)
{
	unsigned bits = 1;
	uint32_t kind = 0;

	while (bits < 31 && (UINT32_C(1) << bits) < 2 * book->kinds_len)
		++bits;
	book->shift = 64 - bits;
	book->buckets = mem_zalloc((((size_t)1 << bits) + 1) * sizeof(*book->buckets), NULL);
	if (!book->buckets)
		return ENOMEM;
	for (uint64_t bucket = 0; bucket <= (uint64_t)1 << bits; ++bucket) {
		while (kind < book->kinds_len && book->kinds[kind].hash >> book->shift < bucket)
			++kind;
		book->buckets[bucket] = kind;
	}
	return 0;
}

int phrasebook_alloc(struct phrasebook **bookp, const struct phrasebook_entry *entries,
		     size_t count, bool folds)
{
	struct making making = {.book = mem_zalloc(sizeof(struct phrasebook), destroy)};
	int err;

	if (!making.book)
		return ENOMEM;
	making.book->folds = folds;
	for (size_t i = 0; i < count; ++i)
		count_phrase(&making, entries[i].phrase);
	err = make_arrays(&making, count);
	for (size_t i = 0; !err && i < count; ++i)
		add_phrase(&making, &entries[i]);
	if (!err) {
		number_lexemes(&making);
		sort_rows(making.book);
		make_nodes(&making);
		err = fill_buckets(making.book);
	}
	mem_deref(making.occurrences);
	mem_deref(making.ranges);
	if (err)
		mem_deref(making.book);
	else
		*bookp = making.book;
	return err;
}
