/*
 * error.h: every error that a client can read, in one table.
 */
#ifndef WIRE_ERROR_H
#define WIRE_ERROR_H

#include <stdint.h>

/*      name                  number  error_code               text */
#define WIRE_ERRORS(X)                                                                             \
	X(INVALID_REQUEST, 400, "VALIDATION_ERROR", "Invalid request")                             \
	X(BAD_MESSAGE, 400, "VALIDATION_ERROR", "Invalid message")                                 \
	X(MISSING_VOICE, 400, "MISSING_VOICE_ID", "voice_id is required")                          \
	X(BAD_VOICE, 400, "VALIDATION_ERROR", "Invalid voice metadata")                            \
	X(MISSING_KEY, 401, "UNAUTHORIZED", "Unauthorized")                                        \
	X(WRONG_KEY, 401, "UNAUTHORIZED", "Invalid API key")                                       \
	X(KEY_ENDED, 401, "UNAUTHORIZED", "Unauthorized")                                          \
	X(NO_CREDIT, 402, "INSUFFICIENT_CREDITS", "Insufficient credits")                          \
	X(FORBIDDEN, 403, "UNAUTHORIZED", "Forbidden")                                             \
	X(VOICE_IS_FIXED, 403, "FORBIDDEN", "Forbidden") /* no key helps, so not UNAUTHORIZED */   \
	X(ENGINE_IS_FIXED, 403, "FORBIDDEN", "Forbidden")                                          \
	X(ENGINE_NOT_FOUND, 404, "NOT_FOUND", "Speech engine not found")                           \
	X(WEBSOCKET_ONLY, 404, "NOT_FOUND",                                                        \
	  "This server speaks WebSocket: pass connectionType: 'websocket' or a signedUrl")         \
	X(SIGNING_KEY_ENDED, 409, "VALIDATION_ERROR",                                              \
	  "The key that signs for this speech engine is no longer valid")                          \
	X(VOICE_NOT_FOUND, 404, "NOT_FOUND", "Voice not found")                                    \
	X(MODEL_NOT_FOUND, 404, "NOT_FOUND", "Model not found")                                    \
	X(DICTIONARY_NOT_FOUND, 404, "NOT_FOUND", "Dictionary not found")                          \
	X(PROJECT_NOT_FOUND, 404, "NOT_FOUND", "Project not found")                                \
	X(ENTRY_NOT_FOUND, 404, "NOT_FOUND", "Entry not found")                                    \
	X(ACCOUNT_NOT_FOUND, 404, "NOT_FOUND", "Account not found")                                \
	X(KEY_NOT_FOUND, 404, "NOT_FOUND", "Key not found")                                        \
	X(SAMPLE_NOT_FOUND, 404, "NOT_FOUND", "Sample not found")                                  \
	X(NO_ROUTE, 404, "NOT_FOUND", "Not found")                                                 \
	X(BAD_AUDIO, 400, "VALIDATION_ERROR", "Unsupported audio format")                          \
	X(METHOD, 405, "VALIDATION_ERROR", "Method not allowed")                                   \
	X(INPUT_TIMEOUT, 408, "VALIDATION_ERROR", "No input came for too long")                    \
	X(TEXT_TOO_LONG, 413, "VALIDATION_ERROR", "Request exceeds the maximum character limit")   \
	X(FILE_TOO_LARGE, 413, "VALIDATION_ERROR", "File too large (max 25 MB)")                   \
	X(AUDIO_TOO_LONG, 413, "VALIDATION_ERROR", "The audio is too long")                        \
	X(CALL_TOO_LONG, 413, "VALIDATION_ERROR", "The call has reached its maximum duration")     \
	X(MESSAGE_TOO_LONG, 413, "VALIDATION_ERROR", "The message is too long")                    \
	X(RATE_LIMITED, 429, "RATE_LIMITED", "Rate limit exceeded")                                \
	X(TOO_MANY_TURNS, 429, "RATE_LIMITED", "Too many turns are waiting (max 16)")              \
	X(TOO_MANY_FLUSHES, 429, "RATE_LIMITED", "Too many flushes are waiting (max 64)")          \
	X(TOO_MANY_COMMITS, 429, "RATE_LIMITED", "Too many commits are waiting (max 16)")          \
	X(TOO_MANY_CONTEXTS, 429, "TOO_MANY_CONTEXTS",                                             \
	  "Too many concurrent contexts (max 20); close an existing context before opening a new " \
	  "one.")                                                                                  \
	X(GENERATION_FAILED, 500, "INTERNAL_ERROR", "Audio generation failed")                     \
	X(NO_ANSWER, 502, "INTERNAL_ERROR", "The agent does not answer")                           \
	X(HEARING_FAILED, 500, "INTERNAL_ERROR", "Transcription failed")                           \
	X(INTERNAL, 500, "INTERNAL_ERROR", "Internal error")                                       \
	X(SAMPLE_FAILED, 500, "INTERNAL_ERROR", "Sample generation failed")                        \
	X(NO_CLONING, 501, "VALIDATION_ERROR", "Voice management is not available")                \
	X(NO_HEARING, 503, "MODEL_UNAVAILABLE", "This server cannot transcribe speech")            \
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

/* Returns after how many seconds a client should retry if no better value is known; 0: not
 * known. */
unsigned wire_error_retry_s(enum wire_error_id id);

/* Returns the code with which a native WebSocket is closed after this error; 0: it stays open. */
uint16_t wire_error_close_code(enum wire_error_id id);

/* An error as it is reported to a client. */
struct wire_notice {
	enum wire_error_id id;
	unsigned retry_s; /* after how many seconds to retry; 0: not known */
	const char *detail; /* appended to the table's text; NULL or "": none */
	const char *field; /* the field of the request that caused it; NULL: none in particular */
	const char *request_id; /* NULL: none */
};

#endif
