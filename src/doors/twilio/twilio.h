/*
 * twilio.h: what the files of Twilio's API share: telephone calls, as callers' connections
 * (call/call_api.h).
 *
 *   twilio_message.c    the messages of Media Streams
 *   twilio_dialect.c    the messages to it
 *   twilio_signature.c  whether a request comes from Twilio
 *   twilio_twiml.c      the answer that connects a telephone call to a WebSocket
 *   twilio_form.c       the parameters of a request
 *   twilio_route.c      the routes, which use all of this (twilio_door.h)
 *
 * The audio is µ-law of 8 kHz in both directions.  A connection begins with `connected` and `start`, which
 * has the id that every reply must have, and the parameters that the answer to the telephone call gave.
 */
#ifndef DOORS_TWILIO_TWILIO_H
#define DOORS_TWILIO_TWILIO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "call/call_api.h"

extern const struct call_api twilio_api;

/* twilio_message.c */
int twilio_message_parse(struct call_message *message, struct call_settings *settings,
			 struct stream_fault *fault, char *json, size_t len);

/* twilio_dialect.c */
extern const struct call_dialect twilio_dialect;

/* A parameter of a form, or of a stream. */
struct twilio_param {
	const char *name, *value;
};

/* twilio_signature.c: returns whether X-Twilio-Signature is that of a request.  The URL is the one that
 * Twilio was given, with its scheme; the port may be missing or added.  The parameters are those of the
 * form, in any order; a WebSocket has none.  The duration does not depend on the signature's content. */
#define TWILIO_SIGNATURE_URL_MAX 2048
#define TWILIO_SIGNATURE_PARAMS_MAX 256
bool twilio_signature_is_valid(const char *signature, const char *auth_token, const char *url,
			       const struct twilio_param *params, size_t count);

/* twilio_twiml.c: appends the XML that connects a telephone call to the WebSocket of this URL.  Bytes that
 * XML cannot contain are left out.  Returns an error of buf_append, after which nothing was appended. */
int twilio_twiml_connect(struct buf *out, const char *url, const struct twilio_param *params,
			 size_t count);

/* The answer that lets the telephone network say that the line is busy. */
int twilio_twiml_busy(struct buf *out);

/* twilio_form.c: splits and decodes a form in place; the parameters are inside it.  `text` has `len` bytes
 * and a NUL behind them.  Writes how many there are.  EINVAL: an escape is not valid or is a NUL.  E2BIG:
 * there are more than TWILIO_SIGNATURE_PARAMS_MAX. */
int twilio_form_read(size_t *count, struct twilio_param params[TWILIO_SIGNATURE_PARAMS_MAX],
		     char *text, size_t len);
/* The value of the first parameter of this name, or "". */
const char *twilio_form_value(const struct twilio_param *params, size_t count, const char *name);

#endif
