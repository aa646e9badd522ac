/*
 * normalize_address.c: e-mail addresses, URLs, file names, versions, hashtags (see
 * normalize_private.h).
 *
 * All of these extend from one blank to the next. Such a run, a lump, is measured once, when
 * its first token is read.
 */
#include <string.h>

#include "base/utf8.h"
#include "text/normalize_private.h"

/* A longer lump is not read as an address. */
#define LUMP_MAX 400

/* Top-level domains, which show that dots separate the labels of a host and not sentences. */
static const char normalize_address_top_domains[] =
	" com org net edu gov mil int info biz io ai app dev co me tv cc xyz online site shop store "
	"blog cloud tech wiki eu uk us ca au nz ie de at ch fr be nl lu es pt br it pl cz sk se no dk "
	"fi ru ua gr tr mx ar cl pe jp cn in kr ";

/* File extensions in addition to those that a language spells. */
static const char normalize_address_file_endings[] =
	" pdf csv txt html htm css json xml yaml yml md zip tar gz tgz rar png jpg jpeg gif svg webp "
	"bmp tiff mp wav ogg flac avi mov mkv webm doc docx xls xlsx ppt pptx odt ods odp rtf js ts py "
	"rb rs go java cpp hpp sh bat exe dll iso img log ini conf cfg toml sql db bak epub ";

struct lump {
	size_t first, end; /* tokens */
};

static bool normalize_address_is_trailing(uint32_t c)
{
	return (c < 128 && strchr(".,;:!?)]}\"'>*_", (int)c)) || c == 0x2026 || c == 0x00bb ||
	       c == 0x201d || c == 0x201c || c == 0x2019;
}

/* Brackets, quotes and markdown's marks also end it. */
static bool normalize_address_is_inner(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	return token->kind == TOKEN_SIGN &&
	       !(token->c < 128 && strchr("()[]{}<>\"|`*", (int)token->c));
}

/* Extends to the next blank, without punctuation at its end; false when too long. */
static bool normalize_address_measure(const struct normalizer *n, struct lump *lump, size_t i)
{
	lump->first = lump->end = i;
	while (token_at(n, lump->end)->kind < TOKEN_BLANK ||
	       normalize_address_is_inner(n, lump->end)) {
		if (++lump->end - i > LUMP_MAX)
			return false;
	}
	while (lump->end > i + 1 && token_at(n, lump->end - 1)->kind == TOKEN_SIGN &&
	       normalize_address_is_trailing(token_at(n, lump->end - 1)->c))
		--lump->end;
	return true;
}

static bool normalize_address_lump_has(const struct normalizer *n, const struct lump *lump,
				       uint32_t c)
{
	for (size_t i = lump->first; i < lump->end; ++i) {
		if (token_is(n, i, c))
			return true;
	}
	return false;
}

static const char *normalize_address_spelled_sign(const struct normalizer *n, size_t i)
{
	for (const struct sign *sign = n->reading->spelled_signs; sign && sign->written; ++sign) {
		if (token_equals(n, i, sign->written))
			return sign->spoken;
	}
	return NULL;
}

static void normalize_address_write_upper(struct normalizer *n, size_t i)
{
	char upper[WORD_MAX];
	size_t len = 0;
	const struct token *token = token_at(n, i);

	for (size_t at = token->begin; at < token->end && len + 4 < sizeof(upper);) {
		uint32_t c;

		at += utf8_decode(&c, n->text + at, token->end - at);
		len += utf8_encode(upper + len, unicode_upper(c));
	}
	upper[len] = '\0';
	normalize_write_word(n, upper);
}

static void normalize_address_write_spelled(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	for (size_t at = token->begin; at < token->end;) {
		char letter[5] = {0};
		uint32_t c;

		at += utf8_decode(&c, n->text + at, token->end - at);
		utf8_encode(letter, unicode_upper(c));
		normalize_write_word(n, letter);
	}
}

/* Numbers in addresses: short ones as numbers, others digit by digit. */
static void normalize_address_write_digits(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	size_t len = token->end - token->begin;

	if (len > 2 || (len > 1 && n->text[token->begin] == '0'))
		normalize_write_digits(n, n->text + token->begin, len);
	else
		normalize_write_number(n, 'c', token_value(n, i));
}

static void normalize_address_say_part(struct normalizer *n, size_t i)
{
	switch ((enum token_kind)token_at(n, i)->kind) {
	case TOKEN_WORD:
		if (token_at(n, i)->flags & TOKEN_UPPER &&
		    normalize_word_write_letters(n, n->text + token_at(n, i)->begin,
						 token_len(n, i)))
			return;
		normalize_write_token(n, i);
		break;
	case TOKEN_DIGITS:
		normalize_address_write_digits(n, i);
		break;
	case TOKEN_SIGN:
		normalize_write_word(n, normalize_address_spelled_sign(n, i));
		break;
	case TOKEN_BLANK:
	case TOKEN_LINE:
	case TOKEN_DROP:
	case TOKEN_FIXED:
	case TOKEN_END:
		break;
	}
}

static void normalize_address_say_parts(struct normalizer *n, size_t i, size_t end)
{
	for (; i < end; ++i)
		normalize_address_say_part(n, i);
}

/* Where the host's name ends. */
static size_t normalize_address_host_end(const struct normalizer *n, size_t i, size_t end)
{
	while (i < end && !token_is(n, i, '/') && !token_is(n, i, ':') && !token_is(n, i, '?') &&
	       !token_is(n, i, '#'))
		++i;
	return i;
}

static void normalize_address_say_host(struct normalizer *n, size_t i, size_t end)
{
	size_t last = end - 1;

	normalize_address_say_parts(n, i, last);
	if (token_listed(n, last, n->reading->domains))
		normalize_address_write_spelled(n, last);
	else
		normalize_address_say_part(n, last);
}

static size_t normalize_address_skip_www(const struct normalizer *n, size_t i)
{
	return token_listed(n, i, " www ") && token_is(n, i + 1, '.') ? i + 2 : i;
}

static size_t normalize_address_say_url(struct normalizer *n, const struct lump *lump, size_t i)
{
	size_t host = normalize_address_skip_www(n, i);
	size_t path = normalize_address_host_end(n, host, lump->end);
	size_t end = lump->end;

	if (host >= path)
		return 0;
	if (token_is(n, end - 1, '/'))
		--end; /* a final slash is not spoken */
	normalize_address_say_host(n, host, path);
	if (path < end)
		normalize_address_say_parts(n, path, end);
	return lump->end;
}

static size_t normalize_address_read_url(struct normalizer *n, const struct lump *lump)
{
	size_t i = lump->first;

	if (token_is(n, i + 1, ':') && token_is(n, i + 2, '/') && token_is(n, i + 3, '/') &&
	    token_listed(n, i, " http https ftp ws wss ") && i + 4 < lump->end)
		return normalize_address_say_url(n, lump, i + 4);
	if (normalize_address_skip_www(n, i) > i && normalize_address_skip_www(n, i) < lump->end)
		return normalize_address_say_url(n, lump, i);
	return 0;
}

static bool normalize_address_is_host(const struct normalizer *n, size_t i, size_t end)
{
	size_t dots = 0;
	size_t last = end - 1;

	if (end <= i + 2 || !token_is_word(n, last) || !token_is(n, last - 1, '.') ||
	    !token_listed(n, last, normalize_address_top_domains) ||
	    token_at(n, last)->flags & TOKEN_CAPITAL)
		return false;
	for (; i < end; ++i) {
		enum token_kind kind = (enum token_kind)token_at(n, i)->kind;

		if (token_is(n, i, '.'))
			++dots;
		else if (kind == TOKEN_SIGN && !token_is(n, i, '-') && !token_is(n, i, '_'))
			return false;
	}
	return dots > 0 && dots < 6;
}

static size_t normalize_address_read_domain(struct normalizer *n, const struct lump *lump)
{
	size_t end = normalize_address_host_end(n, lump->first, lump->end);

	if (!normalize_address_is_host(n, lump->first, end) ||
	    token_at(n, lump->first)->kind == TOKEN_SIGN)
		return 0;
	return normalize_address_say_url(n, lump, lump->first);
}

static size_t normalize_address_read_email(struct normalizer *n, const struct lump *lump)
{
	size_t at = lump->first;

	while (at < lump->end && !token_is(n, at, '@'))
		++at;
	if (at == lump->first || at + 1 >= lump->end)
		return 0;
	for (size_t i = at + 1; i < lump->end; ++i) {
		if (token_is(n, i, '@') || token_is(n, i, '/'))
			return 0;
	}
	if (!token_is_word(n, lump->end - 1))
		return 0;
	normalize_address_say_parts(n, lump->first, at + 1);
	normalize_address_say_host(n, at + 1, lump->end);
	return lump->end;
}

/* Divides joined words where a capital begins: "WorldCup". */
static void normalize_address_write_parted(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	size_t begin = token->begin;
	bool was_lower = false;

	for (size_t at = token->begin; at < token->end;) {
		uint32_t c;
		size_t len = utf8_decode(&c, n->text + at, token->end - at);
		bool is_upper = unicode_kind(c) == UNICODE_UPPER;
		uint32_t after = 0;

		if (at + len < token->end)
			utf8_decode(&after, n->text + at + len, token->end - at - len);
		/* "AIModel": the last capital of a run begins a word */
		if (is_upper && at > begin && (was_lower || unicode_kind(after) == UNICODE_LOWER)) {
			normalize_write_bytes(n, n->text + begin, at - begin);
			begin = at;
		}
		was_lower = !is_upper;
		at += len;
	}
	normalize_write_bytes(n, n->text + begin, token->end - begin);
}

static void normalize_address_say_tag_part(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	if (token->kind == TOKEN_DIGITS) {
		normalize_word_write_shown_number(n, i);
	} else if (token->kind == TOKEN_WORD) {
		if (!(token->flags & TOKEN_UPPER) ||
		    !normalize_word_write_letters(n, n->text + token->begin, token_len(n, i)))
			normalize_address_write_parted(n, i);
	}
}

static size_t normalize_address_read_hashtag(struct normalizer *n, const struct lump *lump)
{
	if (!token_is(n, lump->first, '#') || !token_is_word(n, lump->first + 1) ||
	    !n->reading->hashtag)
		return 0;
	normalize_write_word(n, n->reading->hashtag);
	for (size_t i = lump->first + 1; i < lump->end; ++i) {
		if (token_at(n, i)->kind == TOKEN_SIGN && !token_is(n, i, '_')) {
			return i;
		}
		normalize_address_say_tag_part(n, i);
	}
	return lump->end;
}

static size_t normalize_address_read_handle(struct normalizer *n, const struct lump *lump)
{
	size_t i = lump->first + 1;

	if (!token_is(n, lump->first, '@') || !token_is_word(n, i))
		return 0;
	normalize_address_say_part(n, lump->first);
	while (i < lump->end && (token_at(n, i)->kind != TOKEN_SIGN || token_is(n, i, '_')))
		normalize_address_say_part(n, i++);
	return i;
}

/* ":8080" with nothing after it. */
static bool normalize_address_is_port(const struct normalizer *n, const struct lump *lump, size_t i)
{
	return token_is(n, i, ':') && token_is_digits(n, i + 1) && i + 2 == lump->end;
}

/* "8.8.8.8": the count of numbers between dots, 0 when it is something else. */
static size_t normalize_address_count_numbers(const struct normalizer *n, const struct lump *lump)
{
	size_t count = 0;

	for (size_t i = lump->first; i < lump->end; i += 2) {
		if (!token_is_digits(n, i) || token_len(n, i) > 5)
			return 0;
		++count;
		if (i + 1 < lump->end && !token_is(n, i + 1, '.'))
			return count == 4 && normalize_address_is_port(n, lump, i + 1) ? count : 0;
	}
	return count;
}

/* "1.234.567" where dots separate thousands. */
static bool normalize_address_are_thousands(const struct normalizer *n, const struct lump *lump)
{
	if (!n->reading->thousands || !strchr(n->reading->thousands, '.') ||
	    token_len(n, lump->first) > 3 || n->text[token_at(n, lump->first)->begin] == '0')
		return false;
	for (size_t i = lump->first + 2; i < lump->end; i += 2) {
		if (token_len(n, i) != 3)
			return false;
	}
	return true;
}

static const char *normalize_address_point(const struct normalizer *n)
{
	return n->reading->decimal == '.' ? n->reading->decimal_word
					  : n->reading->other_decimal_word;
}

static size_t normalize_address_read_dotted_numbers(struct normalizer *n, const struct lump *lump)
{
	size_t count = normalize_address_count_numbers(n, lump);

	if (count < 3 || normalize_address_are_thousands(n, lump))
		return 0;
	for (size_t i = lump->first; i < lump->end; i += 2) {
		if (i > lump->first)
			normalize_write_word(n, count == 4
							? normalize_address_spelled_sign(n, i - 1)
							: normalize_address_point(n));
		if (i > lump->first && token_is(n, i - 1, ':'))
			normalize_address_write_digits(n, i);
		else
			normalize_write_number(n, 'c', token_value(n, i));
	}
	return lump->end;
}

/* The token of a file extension, 0 when there is none. */
static size_t normalize_address_find_ending(const struct normalizer *n, const struct lump *lump)
{
	size_t i = lump->end - 1;

	if (token_is_digits(n, i) && i > lump->first)
		--i; /* "mp3" */
	if (i < lump->first + 2 || !token_is_word(n, i) || !token_is(n, i - 1, '.'))
		return 0;
	if (!token_listed(n, i, normalize_address_file_endings) &&
	    !token_listed(n, i, n->reading->extensions))
		return 0;
	return i;
}

static size_t normalize_address_read_file(struct normalizer *n, const struct lump *lump)
{
	size_t ending = normalize_address_find_ending(n, lump);

	if (!ending || normalize_address_lump_has(n, lump, '@'))
		return 0;
	if (token_at(n, lump->first)->kind == TOKEN_SIGN && !token_is(n, lump->first, '/') &&
	    !token_is(n, lump->first, '~') && !token_is(n, lump->first, '.'))
		return 0;
	normalize_address_say_parts(n, lump->first, ending);
	if (ending + 1 < lump->end) {
		normalize_address_write_spelled(n, ending);
		normalize_write_number(n, 'c', token_value(n, ending + 1));
	} else if (token_listed(n, ending, n->reading->extensions)) {
		normalize_address_write_upper(n, ending);
	} else {
		normalize_write_token(n, ending);
	}
	return lump->end;
}

/* "/api/v1/users", but not "/kg" */
static size_t normalize_address_read_path(struct normalizer *n, const struct lump *lump)
{
	const struct lump rest = {.first = lump->first + 1, .end = lump->end};

	if (!token_is(n, lump->first, '/') || !token_is_word(n, rest.first) ||
	    !normalize_address_lump_has(n, &rest, '/'))
		return 0;
	normalize_address_say_parts(n, lump->first, lump->end);
	if (token_is(n, lump->end, '{'))
		normalize_write_text(n, " ");
	return lump->end;
}

/* Numbers that have their own readers. */
static bool normalize_address_is_for_others(struct normalizer *n, size_t i)
{
	bool is_theirs =
		token_is_digits(n, i) && (normalize_phone_read(n, i) || normalize_date_read(n, i));

	n->words.len = 0;
	return is_theirs;
}

size_t normalize_address_read(struct normalizer *n, size_t i)
{
	typedef size_t(lump_reader)(struct normalizer * n, const struct lump *lump);
	static lump_reader *const readers[] = {
		normalize_address_read_url,     normalize_address_read_email,
		normalize_address_read_hashtag, normalize_address_read_handle,
		normalize_address_read_domain,  normalize_address_read_file,
		normalize_address_read_path,    normalize_address_read_dotted_numbers,
	};
	struct lump lump;

	if (!normalize_address_measure(n, &lump, i) || normalize_address_is_for_others(n, i))
		return 0;
	for (size_t k = 0; k < sizeof(readers) / sizeof(readers[0]); ++k) {
		size_t next = readers[k](n, &lump);

		if (next)
			return next;
		n->words.len = 0;
	}
	return 0;
}
