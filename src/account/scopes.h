/*
 * scopes.h: what a key may do, by its names.
 */
#ifndef ACCOUNT_SCOPES_H
#define ACCOUNT_SCOPES_H

#include "store/store.h"

/* Enough for all names and the commas between them, with its NUL. */
#define SCOPES_TEXT_SIZE 48

/* "speak,read": EINVAL for an unknown name or none; then *bad, which may be
 * NULL, is where it stands. */
int scopes_parse(unsigned *scopes, const char *list, const char **bad);

/* The same the other way; "none" for none. */
void scopes_print(char text[SCOPES_TEXT_SIZE], unsigned scopes);

#endif
