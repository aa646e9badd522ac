/*
 * phrasebook.c: searches for many phrases of lexemes at once (see phrasebook.h).
 */
#include "text/phrasebook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/cost.h"

/* A distinct lexeme of the phrases. Its index is its number. */
struct phrasebook_lexeme {
	uint64_t hash;
	uint32_t symbols, len; /* in book->symbols */
	uint32_t node; /* the node of phrases that end with it; 0: there are none */
};

/* A phrase: the numbers of its lexemes from the last to the first. */
struct phrasebook_row {
	uint32_t numbers, len; /* in book->numbers */
	uint32_t value;
};

/* A sequence of lexemes that some phrase ends with; node 0 is the empty one. */
struct phrasebook_node {
	uint32_t number; /* of its first lexeme, the one read last */
	/* nodes with one more lexeme before it, sorted by its number */
	uint32_t children, children_end;
	uint32_t fall; /* failure link: the longest proper prefix that is also a node */
	uint32_t row; /* the longest phrase that it begins with, counted from 1; 0: none */
};

struct phrasebook {
	bool folds;
	uint32_t *symbols;
	struct phrasebook_lexeme *kinds; /* sorted by hash, then by lexeme_compare */
	uint32_t kinds_len;
	/* the first lexeme for each value of the hash's high bits, plus an end */
	uint32_t *buckets;
	unsigned shift;
	uint32_t *numbers;
	struct phrasebook_row *rows;
	uint32_t rows_len;
	struct phrasebook_node *nodes; /* sorted by depth */
	uint32_t nodes_len;
};

static uint64_t phrasebook_hash_of(const struct phrasebook *book, const struct lexeme *lexeme)
{
	return book->folds ? lexeme->folded : lexeme->exact;
}

/* Negative, 0 or positive as the lexeme is less than, equal to or greater than the kind. */
static int phrasebook_compare_kind(const struct phrasebook *book, const struct lexeme *lexeme,
				   const char *text, const struct phrasebook_lexeme *kind)
{
	uint64_t hash = phrasebook_hash_of(book, lexeme);

	if (hash != kind->hash)
		return hash < kind->hash ? -1 : 1;
	return lexeme_compare(lexeme, text, book->symbols + kind->symbols, kind->len, book->folds);
}

static const struct phrasebook_lexeme *
phrasebook_find_kind(const struct phrasebook *book, const struct lexeme *lexeme, const char *text)
{
	const uint32_t *bucket = &book->buckets[phrasebook_hash_of(book, lexeme) >> book->shift];
	uint32_t low = bucket[0];
	uint32_t high = bucket[1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int order = phrasebook_compare_kind(book, lexeme, text, &book->kinds[mid]);

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

static uint32_t phrasebook_find_child(const struct phrasebook *book, uint32_t node, uint32_t number)
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

/* The next node after a lexeme; without a child for it, failure links are followed. */
static uint32_t phrasebook_advance(const struct phrasebook *book, uint32_t node, uint32_t number)
{
	while (node > 0) {
		uint32_t child = phrasebook_find_child(book, node, number);

		if (child > 0)
			return child;
		node = book->nodes[node].fall;
	}
	return book->kinds[number].node;
}

uint32_t phrasebook_step(const struct phrasebook *book, uint32_t state, const struct lexeme *lexeme,
			 const char *text)
{
	const struct phrasebook_lexeme *kind;

	if (state == 0 && lexeme->is_blank) /* a blank does not end a phrase */
		return 0;
	kind = phrasebook_find_kind(book, lexeme, text);
	return kind ? phrasebook_advance(book, state, (uint32_t)(kind - book->kinds)) : 0;
}

uint32_t phrasebook_longest(const struct phrasebook *book, uint32_t state, size_t *value)
{
	uint32_t row = book->nodes[state].row;

	if (row == 0)
		return 0;
	*value = book->rows[row - 1].value;
	return book->rows[row - 1].len;
}

/* An occurrence of a lexeme in a phrase, and its index in book->numbers. */
struct phrasebook_occurrence {
	uint64_t hash;
	uint32_t symbols, len;
	uint32_t place;
};

struct phrasebook_builder {
	struct phrasebook *book;
	struct phrasebook_occurrence *occurrences;
	struct phrasebook_range *ranges;
	uint32_t occurrences_len, symbols_len;
};

/* The rows that end with a node's lexemes, and the number of those lexemes. */
struct phrasebook_range {
	uint32_t begin, end, depth;
};

static void phrasebook_destroy(void *object)
{
	struct phrasebook *book = object;

	mem_deref(book->symbols);
	mem_deref(book->kinds);
	mem_deref(book->buckets);
	mem_deref(book->numbers);
	mem_deref(book->rows);
	mem_deref(book->nodes);
}

static bool phrasebook_read_phrase(struct lexeme *lexeme, const char *phrase, size_t len, size_t at)
{
	if (!lexeme_read(lexeme, phrase, len, at))
		return false;
	/* Blanks at the ends of a phrase are ignored. */
	if (!lexeme->is_blank || (at > 0 && lexeme->end < len))
		return true;
	return lexeme_read(lexeme, phrase, len, lexeme->end);
}

static void phrasebook_count_phrase(struct phrasebook_builder *making, const char *phrase)
{
	struct lexeme lexeme = {0};
	size_t len = strlen(phrase);

	while (phrasebook_read_phrase(&lexeme, phrase, len, lexeme.end)) {
		++making->occurrences_len;
		making->symbols_len += lexeme.len;
	}
}

static int phrasebook_make_arrays(struct phrasebook_builder *making, size_t count)
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

/* Adds the lexemes of a phrase; their indices are reversed once their number is known. */
static void phrasebook_add_phrase(struct phrasebook_builder *making,
				  const struct phrasebook_entry *entry)
{
	struct phrasebook *book = making->book;
	struct lexeme lexeme = {0};
	size_t len = strlen(entry->phrase);
	uint32_t begin = making->occurrences_len;
	uint32_t end = begin;

	while (phrasebook_read_phrase(&lexeme, entry->phrase, len, lexeme.end)) {
		making->occurrences[end++] = (struct phrasebook_occurrence){
			phrasebook_hash_of(book, &lexeme), making->symbols_len, lexeme.len, 0};
		lexeme_symbols(book->symbols + making->symbols_len, &lexeme, entry->phrase,
			       book->folds);
		making->symbols_len += lexeme.len;
	}
	for (uint32_t i = begin; i < end; ++i)
		making->occurrences[i].place = begin + end - 1 - i;
	making->occurrences_len = end;
	if (end > begin)
		book->rows[book->rows_len++] =
			(struct phrasebook_row){begin, end - begin, (uint32_t)entry->value};
}

static int phrasebook_compare_numbers(const uint32_t *a, uint32_t a_len, const uint32_t *b,
				      uint32_t b_len)
{
	uint32_t len = a_len < b_len ? a_len : b_len;

	for (uint32_t i = 0; i < len; ++i)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return (a_len > b_len) - (a_len < b_len);
}

static int phrasebook_compare_occurrences(const void *left, const void *right, void *arg)
{
	const struct phrasebook_occurrence *a = left;
	const struct phrasebook_occurrence *b = right;
	const struct phrasebook *book = arg;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return phrasebook_compare_numbers(book->symbols + a->symbols, a->len,
					  book->symbols + b->symbols, b->len);
}

static void phrasebook_number_lexemes(struct phrasebook_builder *making)
{
	struct phrasebook *book = making->book;

	qsort_r(making->occurrences, making->occurrences_len, sizeof(*making->occurrences),
		phrasebook_compare_occurrences, book);
	for (uint32_t i = 0; i < making->occurrences_len; ++i) {
		const struct phrasebook_occurrence *it = &making->occurrences[i];

		if (i == 0 || phrasebook_compare_occurrences(it - 1, it, book) != 0)
			book->kinds[book->kinds_len++] = (struct phrasebook_lexeme){
				.hash = it->hash, .symbols = it->symbols, .len = it->len};
		book->numbers[it->place] = book->kinds_len - 1;
	}
}

static int phrasebook_compare_phrases(const struct phrasebook *book, const struct phrasebook_row *a,
				      const struct phrasebook_row *b)
{
	return phrasebook_compare_numbers(book->numbers + a->numbers, a->len,
					  book->numbers + b->numbers, b->len);
}

static int phrasebook_compare_rows(const void *left, const void *right, void *arg)
{
	const struct phrasebook_row *a = left;
	const struct phrasebook_row *b = right;
	int order = phrasebook_compare_phrases(arg, a, b);

	return order ? order : (a->numbers > b->numbers) - (a->numbers < b->numbers);
}

static void phrasebook_sort_rows(struct phrasebook *book)
{
	uint32_t kept = 0;

	qsort_r(book->rows, book->rows_len, sizeof(*book->rows), phrasebook_compare_rows, book);
	for (uint32_t i = 0; i < book->rows_len; ++i) {
		if (kept == 0 ||
		    phrasebook_compare_phrases(book, &book->rows[kept - 1], &book->rows[i]) != 0)
			book->rows[kept++] = book->rows[i];
	}
	book->rows_len = kept;
}

static uint32_t phrasebook_number_at(const struct phrasebook *book, uint32_t row, uint32_t depth)
{
	return book->numbers[book->rows[row].numbers + depth];
}

/* Makes the children of a node: its rows grouped by their next number. */
static void phrasebook_grow(struct phrasebook_builder *making, uint32_t node)
{
	struct phrasebook *book = making->book;
	struct phrasebook_range range = making->ranges[node];
	uint32_t row = range.begin;

	if (row < range.end && book->rows[row].len == range.depth)
		book->nodes[node].row = ++row; /* the shortest comes first */
	book->nodes[node].children = book->nodes_len;
	while (row < range.end) {
		uint32_t number = phrasebook_number_at(book, row, range.depth);
		uint32_t begin = row;

		while (row < range.end && phrasebook_number_at(book, row, range.depth) == number)
			++row;
		making->ranges[book->nodes_len] =
			(struct phrasebook_range){begin, row, range.depth + 1};
		book->nodes[book->nodes_len++].number = number;
	}
	book->nodes[node].children_end = book->nodes_len;
}

/* Sets the failure links of a node's children; that of the node itself is set already. */
static void phrasebook_join_children(struct phrasebook *book, uint32_t node)
{

	for (uint32_t i = book->nodes[node].children; i < book->nodes[node].children_end; ++i) {
		struct phrasebook_node *child = &book->nodes[i];

		if (node == 0)
			book->kinds[child->number].node = i;
		else
			child->fall =
				phrasebook_advance(book, book->nodes[node].fall, child->number);
	}
}

/* Nodes are made in order of depth, so that the failure link of a node is set before it is
 * used. */
static void phrasebook_make_nodes(struct phrasebook_builder *making)
{
	struct phrasebook *book = making->book;

	making->ranges[0] = (struct phrasebook_range){0, book->rows_len, 0};
	book->nodes_len = 1;
	for (uint32_t node = 0; node < book->nodes_len; ++node)
		phrasebook_grow(making, node);
	for (uint32_t node = 0; node < book->nodes_len; ++node) {
		phrasebook_join_children(book, node);
		if (book->nodes[node].row == 0)
			book->nodes[node].row = book->nodes[book->nodes[node].fall].row;
	}
}

/* Twice as many buckets as lexemes, so that most have at most one. */
static int phrasebook_fill_buckets(struct phrasebook *book)
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
	struct phrasebook_builder making = {
		.book = mem_zalloc(sizeof(struct phrasebook), phrasebook_destroy)};
	int err;

	if (!making.book)
		return ENOMEM;
	making.book->folds = folds;
	for (size_t i = 0; i < count; ++i)
		phrasebook_count_phrase(&making, entries[i].phrase);
	err = phrasebook_make_arrays(&making, count);
	for (size_t i = 0; !err && i < count; ++i)
		phrasebook_add_phrase(&making, &entries[i]);
	if (!err) {
		phrasebook_number_lexemes(&making);
		phrasebook_sort_rows(making.book);
		phrasebook_make_nodes(&making);
		err = phrasebook_fill_buckets(making.book);
	}
	mem_deref(making.occurrences);
	mem_deref(making.ranges);
	if (err)
		mem_deref(making.book);
	else
		*bookp = making.book;
	return err;
}
