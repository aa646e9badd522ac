/*
 * row_values.h: converts rows to the values of their columns, which all SQL stores share.
 */
#ifndef STORE_ROW_VALUES_H
#define STORE_ROW_VALUES_H

#include "store/store.h"

enum row_type { ROW_NULL, ROW_NUMBER, ROW_REAL, ROW_TEXT, ROW_HASH };

struct row_value {
	enum row_type type;
	int64_t number;
	double real;
	const char *text;
	const uint8_t *hash; /* of STORE_KEY_HASH_LEN bytes */
};

#define ROW_VALUES_MAX 20

const char *row_table(enum store_row_kind kind);
const char *row_columns(enum store_row_kind kind); /* "id, name, ..." */

/* Writes the values in the order of the columns and returns their number, or 0 if there is no
 * memory. The caller must free *made after use: it holds the search form of an entry's word or of a
 * speech engine's name, or a turn's model in the form that every release can read. */
size_t row_values(struct row_value values[ROW_VALUES_MAX], const struct store_row *row,
		  char **made);

/* A status as it is written in the ledger.  Parsing returns EBADMSG for an unknown word. */
const char *row_status_word(enum store_turn_status status);
int row_status_parse(enum store_turn_status *status, const char *word);

/* The same for kinds and units. */
const char *row_kind_word(enum store_kind kind);
int row_kind_parse(enum store_kind *kind, const char *word);
const char *row_unit_word(enum store_unit unit);
int row_unit_parse(enum store_unit *unit, const char *word);

/* Writes a model's name in the form of the column that every release can read. */
void row_old_model(char old[STORE_MODEL_OLD_SIZE], const char *model);

#endif
