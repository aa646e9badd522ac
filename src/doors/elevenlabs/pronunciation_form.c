/*
 * pronunciation_form.c: reads the form with a dictionary in a file (see pronunciation_form.h).
 */
#include "doors/elevenlabs/pronunciation_form.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "wire/multipart.h"

static int pronunciation_form_read_field(struct pronunciation_form *form,
					 struct stream_fault *fault,
					 const struct multipart_part *part)
{
	struct utf8_state state = {0};
	bool is_name = part->name_len == 4 && memcmp(part->name, "name", 4) == 0;
	bool is_description = part->name_len == 11 && memcmp(part->name, "description", 11) == 0;
	size_t max = is_name ? DICTIONARY_NAME_MAX : DICTIONARY_DESCRIPTION_MAX;

	if (part->name_len == 4 && memcmp(part->name, "file", 4) == 0) {
		form->file = part->bytes;
		form->file_len = part->len;
	}
	if (!is_name && !is_description)
		return 0;
	if (!utf8_check(&state, part->bytes, part->len) || !utf8_is_complete(&state) ||
	    memchr(part->bytes, '\0', part->len) || utf8_count(part->bytes, part->len) > max)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s must be text of at most %zu characters",
				 is_name ? "name" : "description", max);
	part->bytes[part->len] = '\0';
	*(is_name ? &form->name : &form->description) = part->bytes;
	return 0;
}

int pronunciation_form_read(struct pronunciation_form *form, struct store_request *request)
{
	struct http_request *http = request->call.request;
	struct multipart_part part;
	struct multipart reader;
	char *at = http->body;
	size_t left = http->body_len;
	int err = multipart_open(&reader, http_header(http, "content-type"));

	while (!err && (err = multipart_next_part(&reader, &at, &left, &part)) == 0)
		err = pronunciation_form_read_field(form, &request->fault, &part);
	if (err && err != ENOENT && request->fault.id == WIRE_ERROR_NONE)
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "the body must be a form (multipart/form-data)");
	if (request->fault.id != WIRE_ERROR_NONE)
		return EINVAL;
	if (!form->name || form->name[0] == '\0')
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "name is required");
	return 0;
}
