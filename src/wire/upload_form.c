/*
 * upload_form.c: reads a form with one large file (see upload_form.h).
 */
#include "wire/upload_form.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"

int upload_form_open(struct upload_form *form, const char *content_type, const char *file_name)
{
	*form = (struct upload_form){.file_name = file_name};
	buf_init(&form->fields, UPLOAD_FORM_FIELDS_MAX);
	return multipart_open(&form->parts, content_type);
}

void upload_form_reset(struct upload_form *form)
{
	buf_reset(&form->fields);
}

static int upload_form_append(struct upload_form *form, const char *bytes, size_t len)
{
	int err = buf_append(&form->fields, bytes, len);

	return err == ENOBUFS ? E2BIG : err;
}

static bool upload_form_is_text(const char *bytes, size_t len)
{
	struct utf8_state state = {0};

	return !memchr(bytes, '\0', len) && utf8_check(&state, bytes, len) &&
	       utf8_is_complete(&state);
}

static int upload_form_begin_part(struct upload_form *form, const struct multipart_piece *piece)
{
	size_t before = form->fields.len;
	int err;

	form->is_in_file = piece->name_len == strlen(form->file_name) &&
			   memcmp(piece->name, form->file_name, piece->name_len) == 0;
	if (form->is_in_file) {
		err = form->has_file ? EINVAL : 0;
		form->has_file = true;
		return err;
	}
	if (!upload_form_is_text(piece->name, piece->name_len))
		return EINVAL;
	err = upload_form_append(form, piece->name, piece->name_len);
	if (!err)
		err = upload_form_append(form, "", 1);
	if (err)
		form->fields.len = before;
	else
		form->value_at = form->fields.len;
	return err;
}

static int upload_form_end_part(struct upload_form *form)
{
	int err;

	if (form->is_in_file)
		return 0;
	if (!upload_form_is_text(form->fields.bytes + form->value_at,
				 form->fields.len - form->value_at))
		return EINVAL;
	err = upload_form_append(form, "", 1);
	if (!err)
		form->value_at = 0;
	return err;
}

int upload_form_read(struct upload_form *form, const char **bytes, size_t *len, size_t max,
		     const char **file, size_t *file_len)
{
	struct multipart_piece piece;
	int err = 0;

	while (!err) {
		err = multipart_read(&form->parts, bytes, len, form->is_in_file ? max : SIZE_MAX,
				     &piece);
		if (err)
			break;
		if (piece.kind == MULTIPART_HEAD) {
			err = upload_form_begin_part(form, &piece);
		} else if (piece.kind == MULTIPART_TAIL) {
			err = upload_form_end_part(form);
			form->is_in_file = false;
		} else if (form->is_in_file) {
			*file = piece.bytes;
			*file_len = piece.len;
			break;
		} else {
			err = upload_form_append(form, piece.bytes, piece.len);
		}
	}
	return err;
}

const char *upload_form_field(const struct upload_form *form, const char *name, unsigned nth)
{
	/* A field whose value has begun is not complete. */
	size_t end = form->value_at ? form->value_at : form->fields.len;

	for (size_t at = 0; at < end;) {
		const char *key = form->fields.bytes + at;
		const char *value = key + strlen(key) + 1;

		at += strlen(key) + 1;
		if (at == end)
			break;
		if (strcmp(key, name) == 0 && nth-- == 0)
			return value;
		at += strlen(value) + 1;
	}
	return NULL;
}
