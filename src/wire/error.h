/*
 * error.h: every error that a client can read, in one table.
 */
#ifndef WIRE_ERROR_H
#define WIRE_ERROR_H

#include <stdint.h>

/*      name                  number  error_code               text */
#define WIRE_ERRORS(X)                                                                             \
	X(INVALID_REQUEST, 400, "VALIDATION_ERROR", "Invalid request")                             \
	X(MISSING_VOICE, 400, "MISSING_VOICE_ID", "voice_id is required")                          \
	X(BAD_VOICE, 400, "VALIDATION_ERROR", "Invalid voice metadata")                            \
	X(MISSING_KEY, 401, "UNAUTHORIZED", "Unauthorized")                                        \
	X(WRONG_KEY, 401, "UNAUTHORIZED", "Invalid API key")                                       \
	X(KEY_ENDED, 401, "UNAUTHORIZED", "Unauthorized")                                          \
	X(NO_CREDIT, 402, "INSUFFICIENT_CREDITS", "Insufficient credits")                          \
	X(FORBIDDEN, 403, "UNAUTHORIZED", "Forbidden")                                             \
	X(VOICE_IS_FIXED, 403, "FORBIDDEN", "Forbidden") /* with any key: SDKs would blame it */   \
	X(VOICE_NOT_FOUND, 404, "NOT_FOUND", "Voice not found")                                    \
	X(MODEL_NOT_FOUND, 404, "NOT_FOUND", "Model not found")                                    \
	X(DICTIONARY_NOT_FOUND, 404, "NOT_FOUND", "Dictionary not found")                          \
	X(PROJECT_NOT_FOUND, 404, "NOT_FOUND", "Project not found")                                \
	X(ENTRY_NOT_FOUND, 404, "NOT_FOUND", "Entry not found")                                    \
	X(ACCOUNT_NOT_FOUND, 404, "NOT_FOUND", "Account not found")                                \
	X(KEY_NOT_FOUND, 404, "NOT_FOUND", "Key not found")                                        \
	X(SAMPLE_NOT_FOUND, 404, "NOT_FOUND", "Sample not found")                                  \
	X(NO_ROUTE, 404, "NOT_FOUND", "Not found")                                                 \
	X(METHOD, 405, "VALIDATION_ERROR", "Method not allowed")                                   \
	X(INPUT_TIMEOUT, 408, "VALIDATION_ERROR", "No input came for too long")                    \
	X(TEXT_TOO_LONG, 413, "VALIDATION_ERROR", "Request exceeds the maximum character limit")   \
	X(RATE_LIMITED, 429, "RATE_LIMITED", "Rate limit exceeded")                                \
	X(TOO_MANY_TURNS, 429, "RATE_LIMITED", "Too many turns are waiting (max 16)")              \
	X(TOO_MANY_FLUSHES, 429, "RATE_LIMITED", "Too many flushes are waiting (max 64)")          \
	X(TOO_MANY_CONTEXTS, 429, "TOO_MANY_CONTEXTS",                                             \
	  "Too many concurrent contexts (max 20); close an existing context before opening a new " \
	  "one.")                                                                                  \
	X(GENERATION_FAILED, 500, "INTERNAL_ERROR", "Audio generation failed")                     \
	X(INTERNAL, 500, "INTERNAL_ERROR", "Internal error")                                       \
	X(SAMPLE_FAILED, 500, "INTERNAL_ERROR", "Sample generation failed")                        \
	X(NO_CLONING, 501, "VALIDATION_ERROR", "Voice management is not available")                \
	X(NO_KEYS, 503, "INTERNAL_ERROR", "keys cannot be looked up at the moment")                \
	X(NO_LEDGER, 503, "INTERNAL_ERROR", "usage cannot be recorded at the moment")              \
	X(CREDIT_LEASED, 503, "INTERNAL_ERROR",                                                    \
	  "the account's remaining credit is in use at the moment")                                \
	X(NO_STORE, 503, "INTERNAL_ERROR", "the store is not available at the moment")             \
	X(NO_VOICES, 503, "INTERNAL_ERROR", "voice catalog temporarily unavailable")               \
	X(NO_DICTIONARIES, 503, "INTERNAL_ERROR", "dictionary management unavailable")             \
	X(UNAVAILABLE, 503, "MODEL_UNAVAILABLE",                                                   \
	  "The requested model is temporarily unavailable. Please try again shortly.")

enum wire_error_id {
	WIRE_ERROR_NONE = 0,
#define X(name, number, code, text) WIRE_ERROR_##name,
	WIRE_ERRORS(X)
#undef X
};

struct wire_error {
	int number; /* HTTP status, and `code` on the wire */
	const char *code;
	const char *text;
};

const struct wire_error *wire_error_get(enum wire_error_id id);

/* After how many seconds to try again, where no better value is known; 0: not known. */
unsigned wire_error_retry_s(enum wire_error_id id);

/* The code that a native WebSocket closes with because of it; 0: it stays. */
uint16_t wire_error_close_code(enum wire_error_id id);

/* An error as it is told. */
struct wire_notice {
	enum wire_error_id id;
	unsigned retry_s; /* when it may be otherwise; 0: nobody knows */
	const char *detail; /* follows the table's text; NULL or "": none */
	const char *field; /* of the request; NULL: none in particular */
	const char *request_id; /* NULL: none */
};

#endif
