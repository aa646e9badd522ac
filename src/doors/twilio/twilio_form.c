/*
 * twilio_form.c: the parameters of Twilio's requests, application/x-www-form-urlencoded (see twilio.h).
 */
#include <errno.h>
#include <string.h>

#include "doors/twilio/twilio.h"
#include "net/http_parse.h"

/* Decodes in place, which never makes a text longer.  The byte behind the text, a delimiter or the NUL at
 * the end, gets its NUL. */
static int twilio_form_decode(char *text, size_t len)
{
	size_t decoded;

	return http_parse_decode(&decoded, text, len + 1, text, len, true);
}

int twilio_form_read(size_t *count, struct twilio_param params[TWILIO_SIGNATURE_PARAMS_MAX],
		     char *text, size_t len)
{
	char *end = text + len;
	size_t n = 0;

	while (text < end) {
		char *next = memchr(text, '&', (size_t)(end - text));
		char *param_end = next ? next : end;
		char *equals = memchr(text, '=', (size_t)(param_end - text));
		char *name_end = equals ? equals : param_end;
		char *value = equals ? equals + 1 : param_end;

		if (text < param_end) { /* && is no parameter */
			if (n == TWILIO_SIGNATURE_PARAMS_MAX)
				return E2BIG;
			if (memchr(text, '\0', (size_t)(param_end - text)) ||
			    twilio_form_decode(value, (size_t)(param_end - value)) != 0 ||
			    twilio_form_decode(text, (size_t)(name_end - text)) != 0)
				return EINVAL;
			params[n++] = (struct twilio_param){text, value};
		}
		text = param_end + 1;
	}
	*count = n;
	return 0;
}

const char *twilio_form_value(const struct twilio_param *params, size_t count, const char *name)
{
	for (size_t i = 0; i < count; ++i) {
		if (strcmp(params[i].name, name) == 0)
			return params[i].value;
	}
	return "";
}
