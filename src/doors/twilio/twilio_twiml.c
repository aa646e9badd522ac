/*
 * twilio_twiml.c: the answer that connects a telephone call to a WebSocket (see twilio.h).
 *
 * <Connect> is used and not <Start>, because only then the caller hears what the WebSocket sends.
 */
#include <string.h>

#include "base/utf8.h"
#include "doors/twilio/twilio.h"

/* The entity for a byte that has a meaning in XML; NULL: it has none. */
static const char *twilio_twiml_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&apos;";
	case '\t':
		return "&#9;"; /* as they are, these would become spaces */
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

/* Appends an attribute.  What is not UTF-8 becomes U+FFFD. */
static int twilio_twiml_attribute(struct buf *out, const char *name, const char *value)
{
	size_t len = strlen(value);
	int err = buf_printf(out, " %s=\"", name);

	for (size_t i = 0; i < len && !err;) {
		const char *entity = twilio_twiml_entity(value[i]);
		uint32_t code_point;
		char bytes[4];

		i += utf8_decode(&code_point, value + i, len - i);
		if (entity)
			err = buf_append_str(out, entity);
		else if (code_point >= ' ' && code_point != 0xfffe && code_point != 0xffff)
			err = buf_append(out, bytes, utf8_encode(bytes, code_point));
	}
	return err ? err : buf_append_str(out, "\"");
}

int twilio_twiml_connect(struct buf *out, const char *url, const struct twilio_param *params,
			 size_t count)
{
	size_t start = out->len;
	int err = buf_append_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				      "<Response><Connect><Stream");

	if (!err)
		err = twilio_twiml_attribute(out, "url", url);
	if (!err)
		err = buf_append_str(out, ">");
	for (size_t i = 0; i < count && !err; ++i) {
		err = buf_append_str(out, "<Parameter");
		if (!err)
			err = twilio_twiml_attribute(out, "name", params[i].name);
		if (!err)
			err = twilio_twiml_attribute(out, "value", params[i].value);
		if (!err)
			err = buf_append_str(out, "/>");
	}
	if (!err)
		err = buf_append_str(out, "</Stream></Connect></Response>\n");
	if (err)
		out->len = start;
	return err;
}

/* A call that is rejected is never answered. */
int twilio_twiml_busy(struct buf *out)
{
	return buf_append_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				   "<Response><Reject reason=\"busy\"/></Response>\n");
}
