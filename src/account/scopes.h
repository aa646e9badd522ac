/*
 * scopes.h: the scopes of a key, which say what it may do, as text.
 */
#ifndef ACCOUNT_SCOPES_H
#define ACCOUNT_SCOPES_H

#include "store/store.h"

/* Enough for all names, the commas between them and a NUL. */
#define SCOPES_TEXT_SIZE 48

/* Parses "speak,read".  EINVAL for an unknown name or none; then *bad (may be NULL) points to
 * it. */
int scopes_parse(unsigned *scopes, const char *list, const char **bad);

/* Prints scopes; "none" if there are none. */
void scopes_print(char text[SCOPES_TEXT_SIZE], unsigned scopes);

#endif
