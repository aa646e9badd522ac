/*
 * voice_row.h: rows of derived voices that own their strings.
 */
#ifndef STORE_VOICE_ROW_H
#define STORE_VOICE_ROW_H

#include "store/store.h"

/* Copies a row and its strings.  After ENOMEM the copy must not be used. */
int voice_row_copy(struct store_voice *copy, const struct store_voice *row);
void voice_row_free(struct store_voice *row); /* frees the strings, but not the row itself */

/* Copies the fields of `from` that are named by `fields` (enum store_voice_field); strings are not
 * duplicated. */
void voice_row_merge(struct store_voice *row, unsigned fields, const struct store_voice *from);

#endif
