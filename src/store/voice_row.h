/*
 * voice_row.h: rows of derived voices that own their strings.
 */
#ifndef STORE_VOICE_ROW_H
#define STORE_VOICE_ROW_H

#include "store/store.h"

/* ENOMEM: nothing is left of the copy. */
int voice_row_copy(struct store_voice *copy, const struct store_voice *row);
void voice_row_free(struct store_voice *row); /* its strings */

/* Takes the named fields of `from` over, strings as they are. */
void voice_row_merge(struct store_voice *row, unsigned fields, const struct store_voice *from);

#endif
