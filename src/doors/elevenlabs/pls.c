/*
 * pls.c: reads and writes dictionaries as files (see pls.h).
 *
 * The parser makes one pass over the text and keeps only the names of the open elements.
 */
#include "doors/elevenlabs/pls.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/utf8.h"

#define DEPTH_MAX 16 /* a pronunciation is at depth 3; metadata may be deeper */
#define GRAPHEMES_MAX 32 /* per lexeme */
#define CODE_POINT_MAX 0x10ffff

enum element {
	ELEMENT_OTHER,
	ELEMENT_LEXICON,
	ELEMENT_LEXEME,
	ELEMENT_GRAPHEME,
	ELEMENT_PHONEME,
	ELEMENT_ALIAS
};

static const char *const element_names[] = {
	[ELEMENT_LEXICON] = "lexicon", [ELEMENT_LEXEME] = "lexeme", [ELEMENT_GRAPHEME] = "grapheme",
	[ELEMENT_PHONEME] = "phoneme", [ELEMENT_ALIAS] = "alias",
};

struct slice {
	char *text;
	size_t len;
};

struct pls {
	char *start, *at, *end;
	struct stream_fault *fault;
	struct dictionary_entries_message *message;
	size_t max;
	const char *language;
	bool is_ipa; /* whether phonemes without an alphabet attribute are IPA */
	bool was_lexicon; /* the root element was found */

	struct slice open[DEPTH_MAX]; /* the names of the open elements */
	enum element kinds[DEPTH_MAX];
	unsigned depth;

	/* The lexeme that is open. */
	const char *graphemes[GRAPHEMES_MAX];
	size_t graphemes_count;
	const char *phoneme, *alias;
	bool phoneme_is_ipa;
};

static int pls_refuse(const struct pls *pls, const char *what)
{
	size_t line = 1;

	for (const char *c = pls->start; c < pls->at; ++c)
		line += *c == '\n';
	return fault_set(pls->fault, WIRE_ERROR_INVALID_REQUEST, "line %zu of the file: %s", line,
			 what);
}

static bool pls_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void pls_skip_blanks(struct pls *pls)
{
	while (pls->at < pls->end && pls_is_blank(*pls->at))
		++pls->at;
}

static bool pls_has(const struct pls *pls, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(pls->end - pls->at) >= len && memcmp(pls->at, text, len) == 0;
}

static bool pls_is(const struct slice *slice, const char *text)
{
	return slice->len == strlen(text) && memcmp(slice->text, text, slice->len) == 0;
}

/* Skips everything up to the string `end`, and that string. */
static int pls_pass(struct pls *pls, const char *end)
{
	char *found = memmem(pls->at, (size_t)(pls->end - pls->at), end, strlen(end));

	if (!found)
		return pls_refuse(pls, "something is not closed");
	pls->at = found + strlen(end);
	return 0;
}

static bool pls_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '.' || c == ':' || (unsigned char)c >= 0x80;
}

static int pls_read_name(struct pls *pls, struct slice *name)
{
	name->text = pls->at;
	while (pls->at < pls->end && pls_is_name(*pls->at))
		++pls->at;
	name->len = (size_t)(pls->at - name->text);
	return name->len > 0 ? 0 : pls_refuse(pls, "a name is missing");
}

/* Decodes a reference ("&amp;", "&#x259;") at *from, and moves *from past it.  Returns the number of
 * bytes written to `to`, which is never more than the length of the reference; 0: it is not a
 * reference. */
static size_t pls_decode_reference(char *to, char **from, const char *end)
{
	static const struct {
		const char *name;
		char c;
	} named[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
	size_t left = (size_t)(end - *from);
	bool is_hex;
	uint32_t code = 0;
	char *digit;

	for (size_t i = 0; i < COUNT(named); ++i) {
		size_t len = strlen(named[i].name);

		if (left >= len && memcmp(*from, named[i].name, len) == 0) {
			*to = named[i].c;
			*from += len;
			return 1;
		}
	}
	if (left < 4 || (*from)[1] != '#')
		return 0;
	is_hex = (*from)[2] == 'x';
	for (digit = *from + (is_hex ? 3 : 2); digit < end && *digit != ';'; ++digit) {
		unsigned value = *digit >= '0' && *digit <= '9'   ? (unsigned)(*digit - '0')
				 : *digit >= 'a' && *digit <= 'f' ? (unsigned)(*digit - 'a') + 10
				 : *digit >= 'A' && *digit <= 'F' ? (unsigned)(*digit - 'A') + 10
								  : 16;

		if (value >= (is_hex ? 16 : 10) || code > CODE_POINT_MAX)
			return 0;
		code = code * (is_hex ? 16 : 10) + value;
	}
	if (digit >= end || code < 0x20 || code > CODE_POINT_MAX ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	*from = digit + 1;
	return utf8_encode(to, code);
}

/* Decodes the references in the text in place, and terminates it with a NUL; the byte after the
 * text is overwritten. */
static int pls_decode(struct pls *pls, struct slice *text)
{
	char *end = text->text + text->len;
	char *to = text->text;

	for (char *from = text->text; from < end;) {
		if (*from == '&') {
			size_t n = pls_decode_reference(to, &from, end);

			if (n == 0)
				return pls_refuse(pls, "a reference (&...;) is not known");
			to += n;
		} else {
			*to++ = *from++;
		}
	}
	text->len = (size_t)(to - text->text);
	*to = '\0';
	return 0;
}

static void pls_trim(struct slice *text)
{
	while (text->len > 0 && pls_is_blank(text->text[0])) {
		++text->text;
		--text->len;
	}
	while (text->len > 0 && pls_is_blank(text->text[text->len - 1]))
		--text->len;
}

static int pls_read_value(struct pls *pls, struct slice *value)
{
	char quote;

	pls_skip_blanks(pls);
	if (pls->at == pls->end || *pls->at != '=')
		return pls_refuse(pls, "an attribute has no value");
	++pls->at;
	pls_skip_blanks(pls);
	if (pls->at == pls->end || (*pls->at != '"' && *pls->at != '\''))
		return pls_refuse(pls, "the value of an attribute has no quotes");
	quote = *pls->at++;
	value->text = pls->at;
	while (pls->at < pls->end && *pls->at != quote && *pls->at != '<')
		++pls->at;
	if (pls->at == pls->end || *pls->at != quote)
		return pls_refuse(pls, "the value of an attribute is not closed");
	value->len = (size_t)(pls->at++ - value->text);
	return pls_decode(pls, value);
}

static bool pls_value_is_ipa(const struct slice *value)
{
	return strcasecmp(value->text, "ipa") == 0 || strcasecmp(value->text, "x-ipa") == 0;
}

static void pls_take_attribute(struct pls *pls, enum element kind, const struct slice *name,
			       const struct slice *value)
{
	bool is_alphabet = pls_is(name, "alphabet");

	if (kind == ELEMENT_LEXICON && is_alphabet)
		pls->is_ipa = pls_value_is_ipa(value);
	else if (kind == ELEMENT_LEXICON && pls_is(name, "xml:lang") && value->len > 0 &&
		 value->len <= DICTIONARY_LANGUAGE_MAX)
		pls->language = value->text;
	else if (kind == ELEMENT_PHONEME && is_alphabet && !pls->phoneme)
		pls->phoneme_is_ipa = pls_value_is_ipa(value);
}

static enum element pls_kind(const struct slice *name)
{
	const char *colon = memchr(name->text, ':', name->len);
	size_t skip = colon ? (size_t)(colon + 1 - name->text) : 0;
	struct slice local = {name->text + skip, name->len - skip};

	for (enum element i = ELEMENT_LEXICON; i <= ELEMENT_ALIAS; ++i) {
		if (pls_is(&local, element_names[i]))
			return i;
	}
	return ELEMENT_OTHER;
}

/* The kind of an element that begins here.  An element with a known name in the wrong place is
 * ignored (ELEMENT_OTHER). */
static enum element pls_kind_here(const struct pls *pls, const struct slice *name)
{
	static const enum element parents[] = {
		[ELEMENT_LEXEME] = ELEMENT_LEXICON,
		[ELEMENT_GRAPHEME] = ELEMENT_LEXEME,
		[ELEMENT_PHONEME] = ELEMENT_LEXEME,
		[ELEMENT_ALIAS] = ELEMENT_LEXEME,
	};
	enum element kind = pls_kind(name);
	enum element parent = pls->depth > 0 ? pls->kinds[pls->depth - 1] : ELEMENT_OTHER;

	if (kind == ELEMENT_LEXICON)
		return pls->depth == 0 ? kind : ELEMENT_OTHER;
	return kind != ELEMENT_OTHER && parents[kind] == parent ? kind : ELEMENT_OTHER;
}

static int pls_add(struct pls *pls, const char *grapheme)
{
	struct dictionary_entry entry = {
		.word = grapheme,
		.replacement = pls->alias ? pls->alias : grapheme,
		.ipa = pls->phoneme,
		.case_sensitive = true,
	};
	char detail[sizeof(pls->fault->detail)];

	if (pls->message->count == pls->max)
		return fault_set(pls->fault, WIRE_ERROR_INVALID_REQUEST,
				 "the file may have %zu words at most", pls->max);
	if (dictionary_message_check_entry(&entry, pls->fault) != 0) {
		memcpy(detail, pls->fault->detail, sizeof(detail));
		return pls_refuse(pls, detail);
	}
	return dictionary_message_add_entry(pls->message, &entry);
}

static int pls_end_lexeme(struct pls *pls)
{
	int err = 0;

	if (pls->graphemes_count == 0)
		return pls_refuse(pls, "a lexeme has no grapheme");
	if (!pls->alias && !pls->phoneme)
		return pls_refuse(pls, "a lexeme has neither phoneme nor alias");
	if (pls->phoneme && !pls->phoneme_is_ipa)
		return pls_refuse(pls, "the alphabet of phonemes must be ipa");
	for (size_t i = 0; !err && i < pls->graphemes_count; ++i)
		err = pls_add(pls, pls->graphemes[i]);
	pls->graphemes_count = 0;
	pls->phoneme = pls->alias = NULL;
	return err;
}

/* Reads the text of an element, which must not contain other elements, up to its end tag. */
static int pls_take_text(struct pls *pls, enum element kind)
{
	struct slice text = {.text = pls->at};

	while (pls->at < pls->end && *pls->at != '<')
		++pls->at;
	text.len = (size_t)(pls->at - text.text);
	if (!pls_has(pls, "</"))
		return pls_refuse(pls, "a grapheme, phoneme or alias must have nothing but text");
	pls_trim(&text);
	/* The NUL overwrites white space or the '<' of the end tag, which was checked above. */
	if (pls_decode(pls, &text) != 0)
		return EINVAL;
	pls->at += 2;
	if (kind == ELEMENT_PHONEME && !pls->phoneme)
		pls->phoneme = text.text;
	else if (kind == ELEMENT_ALIAS && !pls->alias)
		pls->alias = text.text;
	else if (kind == ELEMENT_GRAPHEME && pls->graphemes_count == GRAPHEMES_MAX)
		return pls_refuse(pls, "a lexeme has too many graphemes");
	else if (kind == ELEMENT_GRAPHEME)
		pls->graphemes[pls->graphemes_count++] = text.text;
	return 0;
}

/* Reads an end tag; the position is after its "</". */
static int pls_end_element(struct pls *pls)
{
	struct slice name;
	enum element kind;

	if (pls_read_name(pls, &name) != 0)
		return EINVAL;
	pls_skip_blanks(pls);
	if (pls->depth == 0 || pls->at == pls->end || *pls->at != '>' ||
	    name.len != pls->open[pls->depth - 1].len ||
	    memcmp(name.text, pls->open[pls->depth - 1].text, name.len) != 0)
		return pls_refuse(pls, "an end tag does not match");
	++pls->at;
	kind = pls->kinds[--pls->depth];
	return kind == ELEMENT_LEXEME ? pls_end_lexeme(pls) : 0;
}

/* Reads a start tag, and the whole element if it contains text; the position is after its '<'. */
static int pls_begin_element(struct pls *pls)
{
	struct slice name, attribute, value;
	enum element kind;

	if (pls_read_name(pls, &name) != 0)
		return EINVAL;
	kind = pls_kind_here(pls, &name);
	if (pls->depth == 0 && (kind != ELEMENT_LEXICON || pls->was_lexicon))
		return pls_refuse(pls, "the file must be one lexicon element");
	if (pls->depth == DEPTH_MAX)
		return pls_refuse(pls, "too many elements inside each other");
	pls->was_lexicon = true;
	if (kind == ELEMENT_PHONEME && !pls->phoneme)
		pls->phoneme_is_ipa = pls->is_ipa;
	for (pls_skip_blanks(pls); pls->at < pls->end && *pls->at != '>' && *pls->at != '/';
	     pls_skip_blanks(pls)) {
		if (pls_read_name(pls, &attribute) != 0 || pls_read_value(pls, &value) != 0)
			return EINVAL;
		pls_take_attribute(pls, kind, &attribute, &value);
	}
	if (pls_has(pls, "/>")) { /* an empty element has no effect, except that a lexeme ends */
		pls->at += 2;
		return kind == ELEMENT_LEXEME ? pls_end_lexeme(pls) : 0;
	}
	if (!pls_has(pls, ">"))
		return pls_refuse(pls, "a tag is not closed");
	++pls->at;
	pls->open[pls->depth] = name;
	pls->kinds[pls->depth++] = kind;
	if (kind < ELEMENT_GRAPHEME)
		return 0;
	if (pls_take_text(pls, kind) != 0)
		return EINVAL;
	return pls_end_element(pls);
}

static int pls_read_markup(struct pls *pls)
{
	if (pls_has(pls, "<!--"))
		return pls_pass(pls, "-->");
	if (pls_has(pls, "<?"))
		return pls_pass(pls, "?>");
	if (pls_has(pls, "<!"))
		return pls_refuse(pls, "DOCTYPE and CDATA are not supported");
	if (pls_has(pls, "</")) {
		pls->at += 2;
		return pls_end_element(pls);
	}
	++pls->at;
	return pls_begin_element(pls);
}

static int pls_read(struct pls *pls)
{
	int err = 0;

	if (pls_has(pls, "\xef\xbb\xbf"))
		pls->at += 3;
	while (!err && pls->at < pls->end) {
		if (*pls->at == '<')
			err = pls_read_markup(pls);
		else if (pls->depth == 0 && !pls_is_blank(*pls->at))
			err = pls_refuse(pls, "it is not XML");
		else
			++pls->at; /* the text of elements that are ignored */
	}
	if (!err && (pls->depth > 0 || !pls->was_lexicon))
		err = pls_refuse(pls, "it has no whole lexicon element");
	return err;
}

int pls_parse(struct dictionary_entries_message *message, const char **language,
	      struct stream_fault *fault, char *text, size_t len, size_t max)
{
	struct pls pls = {.start = text,
			  .at = text,
			  .end = text + len,
			  .fault = fault,
			  .message = message,
			  .max = max,
			  .is_ipa = true};
	struct utf8_state state = {0};
	int err;

	*message = (struct dictionary_entries_message){0};
	*fault = (struct stream_fault){0};
	if (!utf8_check(&state, text, len) || !utf8_is_complete(&state) || memchr(text, '\0', len))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "the file must be UTF-8");
	err = pls_read(&pls);
	if (!err)
		err = dictionary_message_drop_twins(message);
	if (err)
		dictionary_message_reset_entries(message);
	else
		*language = pls.language;
	return err;
}

static int pls_write_text(struct buf *out, const char *text)
{
	int err = 0;

	for (; !err && *text; ++text) {
		switch (*text) {
		case '&':
			err = buf_append_str(out, "&amp;");
			break;
		case '<':
			err = buf_append_str(out, "&lt;");
			break;
		case '>':
			err = buf_append_str(out, "&gt;");
			break;
		case '"':
			err = buf_append_str(out, "&quot;");
			break;
		default: /* other control characters are not allowed in XML, even as references */
			err = buf_append(out, (unsigned char)*text < 0x20 ? " " : text, 1);
			break;
		}
	}
	return err;
}

static int pls_write_element(struct buf *out, const char *name, const char *text)
{
	int err = buf_printf(out, "<%s>", name);

	if (!err)
		err = pls_write_text(out, text);
	return err ? err : buf_printf(out, "</%s>", name);
}

int pls_write_begin(struct buf *out, const char *language)
{
	int err = buf_append_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				      "<lexicon version=\"1.0\" "
				      "xmlns=\"http://www.w3.org/2005/01/pronunciation-lexicon\" "
				      "alphabet=\"ipa\" xml:lang=\"");

	if (!err)
		err = pls_write_text(out, language ? language : "en");
	return err ? err : buf_append_str(out, "\">\n");
}

int pls_write_entry(struct buf *out, const struct dictionary_entry *entry)
{
	bool has_alias = !entry->ipa || strcmp(entry->replacement, entry->word) != 0;
	int err = buf_append_str(out, "  <lexeme>");

	if (!err)
		err = pls_write_element(out, "grapheme", entry->word);
	if (!err && entry->ipa)
		err = pls_write_element(out, "phoneme", entry->ipa);
	if (!err && has_alias)
		err = pls_write_element(out, "alias", entry->replacement);
	return err ? err : buf_append_str(out, "</lexeme>\n");
}

int pls_write_end(struct buf *out)
{
	return buf_append_str(out, "</lexicon>\n");
}
