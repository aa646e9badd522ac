/*
 * normalize_phone.c: phone numbers, postcodes and IBANs (see normalize_private.h).
 *
 * A phone number has a plus before it, begins with a zero, or has groups of the sizes that
 * are usual in the language.
 */
#include <string.h>

#include "text/normalize_private.h"

#define GROUPS_MAX 8
#define DIGITS_LEAST 7 /* of a number that is recognized only by its leading zero */

struct phone {
	size_t groups[GROUPS_MAX]; /* tokens */
	size_t count;
	size_t digits;
	bool has_plus;
	bool has_word; /* after a hyphen: "1-800-FLOWERS" */
	size_t next;
};

static bool normalize_phone_is_separator(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	if (token->kind == TOKEN_BLANK)
		return token->end - token->begin <= 3;
	return token->kind == TOKEN_SIGN && token->c < 128 && strchr("-./", (int)token->c);
}

/* "088 - 123 45 67", "089 / 12 34 56" */
static bool normalize_phone_is_spaced_dash(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_BLANK &&
	       (token_is(n, i + 1, '-') || token_is(n, i + 1, '/')) &&
	       token_at(n, i + 2)->kind == TOKEN_BLANK;
}

static bool normalize_phone_take_group(const struct normalizer *n, struct phone *phone, size_t i)
{
	bool is_closed =
		token_is(n, i, '(') && token_is_digits(n, i + 1) && token_is(n, i + 2, ')');

	if (phone->count == GROUPS_MAX || (!is_closed && !token_is_digits(n, i)))
		return false;
	phone->groups[phone->count++] = is_closed ? i + 1 : i;
	phone->digits += token_len(n, is_closed ? i + 1 : i);
	phone->next = is_closed ? i + 3 : i + 1;
	return true;
}

static void normalize_phone_take_groups(const struct normalizer *n, struct phone *phone)
{
	for (;;) {
		size_t i = phone->next;

		if (token_is_digits(n, i) && token_is(n, i - 1, ')'))
			; /* "(11)98765" */
		else if (normalize_phone_is_spaced_dash(n, i))
			i += 3;
		else if (normalize_phone_is_separator(n, i))
			++i;
		else if (!token_is(n, i, '('))
			return;
		if (!normalize_phone_take_group(n, phone, i))
			return;
	}
}

/* Compares the sizes of the groups with phone_shapes, including the word after them. */
static bool normalize_phone_has_shape(const struct normalizer *n, const struct phone *phone,
				      bool with_word)
{
	char shape[GROUPS_MAX + 1];
	size_t len = phone->count;

	for (size_t k = 0; k < phone->count; ++k) {
		size_t digits = token_len(n, phone->groups[k]);

		if (digits > 9)
			return false;
		shape[k] = (char)('0' + digits);
	}
	if (with_word)
		shape[len++] = 'w';
	return reading_lists(n->reading->phone_shapes, shape, len);
}

/* "1990-1995" */
static bool normalize_phone_are_years(const struct normalizer *n, const struct phone *phone)
{
	for (size_t k = 0; k < phone->count; ++k) {
		uint64_t year = token_value(n, phone->groups[k]);

		if (token_len(n, phone->groups[k]) != 4 || year < n->reading->year_least ||
		    year > n->reading->year_most)
			return false;
	}
	return phone->count == 2;
}

/* Whether this sign precedes every group except the first. */
static bool normalize_phone_are_all(const struct normalizer *n, const struct phone *phone,
				    uint32_t sign)
{
	for (size_t k = 1; k < phone->count; ++k) {
		if (!token_is(n, phone->groups[k] - 1, sign))
			return false;
	}
	return true;
}

/* "123.456.789" where dots separate thousands. */
static bool normalize_phone_are_thousands(const struct normalizer *n, const struct phone *phone)
{
	if (!n->reading->thousands || !strchr(n->reading->thousands, '.') ||
	    !normalize_phone_are_all(n, phone, '.') || token_len(n, phone->groups[0]) > 3)
		return false;
	for (size_t k = 1; k < phone->count; ++k) {
		if (token_len(n, phone->groups[k]) != 3)
			return false;
	}
	return true;
}

/* "150 000 000 zł" where blanks separate thousands: round, or something is counted. */
static bool normalize_phone_is_amount(const struct normalizer *n, const struct phone *phone)
{
	size_t last = phone->groups[phone->count - 1];

	if (!n->reading->thousands || !strchr(n->reading->thousands, ' ') ||
	    token_len(n, phone->groups[0]) > 3 ||
	    n->text[token_at(n, phone->groups[0])->begin] == '0')
		return false;
	for (size_t k = 1; k < phone->count; ++k) {
		if (token_len(n, phone->groups[k]) != 3 ||
		    token_at(n, phone->groups[k] - 1)->kind != TOKEN_BLANK)
			return false;
	}
	return token_value(n, last) == 0 || normalize_amount_is_counted(n, phone->next);
}

static bool normalize_phone_fits(const struct normalizer *n, const struct phone *phone, size_t i)
{
	bool begins_with_zero = n->text[token_at(n, phone->groups[0])->begin] == '0';

	if (phone->has_word)
		return true;
	if (phone->has_plus)
		return phone->digits >= DIGITS_LEAST;
	if (phone->count < 2)
		return (n->reading->phone_in_pairs && begins_with_zero && phone->digits == 10) ||
		       (phone->digits >= DIGITS_LEAST &&
			token_follows(n, i, n->reading->phone_words));
	if (token_follows(n, i, n->reading->phone_words))
		return true;
	if (normalize_phone_are_years(n, phone) || normalize_phone_are_thousands(n, phone) ||
	    normalize_phone_is_amount(n, phone))
		return false;
	if (phone->count >= 3 && normalize_phone_are_all(n, phone, '-'))
		return true; /* an ISBN, an account */
	if (normalize_phone_has_shape(n, phone, false))
		return true;
	return begins_with_zero && (token_len(n, phone->groups[0]) >= 2 || phone->count >= 3) &&
	       phone->digits >= DIGITS_LEAST && !token_is(n, phone->groups[0] + 1, '.');
}

static bool normalize_phone_is_state(const struct normalizer *n, size_t i)
{
	return i > 1 && token_at(n, i - 1)->kind == TOKEN_BLANK && token_is_word(n, i - 2) &&
	       reading_lists(n->reading->postcode.before, n->text + token_at(n, i - 2)->begin,
			     token_len(n, i - 2));
}

static bool normalize_phone_is_capital_word(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_BLANK && token_is_word(n, i + 1) &&
	       token_at(n, i + 1)->flags & TOKEN_CAPITAL;
}

/* "1017 GC Amsterdam", but "1000 GB" */
static bool normalize_phone_are_letters_after(const struct normalizer *n, size_t i)
{
	const struct measure_unit *unit = NULL;

	return normalize_phone_is_capital_word(n, i) && token_len(n, i + 1) == 2 &&
	       token_at(n, i + 1)->flags & TOKEN_UPPER &&
	       normalize_phone_is_capital_word(n, i + 2) &&
	       !normalize_amount_match_unit(n, i + 1, false, &unit);
}

/* "Weg 3, 10115 Berlin", "Weg 3a, 10115 Berlin" */
static bool normalize_phone_follows_house(const struct normalizer *n, size_t i)
{
	size_t comma = i > 2 ? i - 2 : 0;

	if (!comma || token_at(n, i - 1)->kind != TOKEN_BLANK || !token_is(n, comma, ','))
		return false;
	if (token_is_word(n, comma - 1) && token_len(n, comma - 1) == 1)
		--comma;
	return token_is_digits(n, comma - 1) && normalize_phone_is_capital_word(n, i + 1);
}

/* "10118-0110": in languages with states before postcodes, four more digits may follow. */
static bool normalize_phone_are_four_after(const struct normalizer *n, size_t i)
{
	return n->reading->postcode.before && token_is(n, i, '-') && token_is_digits(n, i + 1) &&
	       token_len(n, i + 1) == 4 && !token_is_dash(n, i + 2) && !token_is_word(n, i + 2);
}

size_t normalize_phone_read_postcode(struct normalizer *n, size_t i)
{
	const struct postcode *postcode = &n->reading->postcode;

	if (postcode->digits == 0 || token_len(n, i) != postcode->digits ||
	    normalize_quantity_is_bound(n, i))
		return 0;
	if (!normalize_phone_are_four_after(n, i + 1) &&
	    !(postcode->before && normalize_phone_is_state(n, i)) &&
	    !(postcode->letters && normalize_phone_are_letters_after(n, i + 1)) &&
	    !(postcode->after_house && normalize_phone_follows_house(n, i)))
		return 0;
	normalize_write_digits(n, n->text + token_at(n, i)->begin, token_len(n, i));
	if (!normalize_phone_are_four_after(n, i + 1))
		return i + 1;
	normalize_write_text(n, ",");
	normalize_write_digits(n, n->text + token_at(n, i + 2)->begin, 4);
	return i + 3;
}

/* "D-20095 Hamburg", "CH-8001 Zürich" */
size_t normalize_phone_read_country_postcode(struct normalizer *n, size_t i)
{
	const struct token *country = token_at(n, i);
	size_t digits = i + 2;

	if (!n->reading->postcode.countries || !token_is(n, i + 1, '-') ||
	    normalize_quantity_is_bound(n, i) ||
	    !reading_lists(n->reading->postcode.countries, n->text + country->begin,
			   token_len(n, i)))
		return 0;
	if (!token_is_digits(n, digits) || token_len(n, digits) < 4 || token_len(n, digits) > 5 ||
	    !normalize_phone_is_capital_word(n, digits + 1))
		return 0;
	for (size_t at = country->begin; at < country->end; ++at)
		normalize_write_bytes(n, n->text + at, 1);
	normalize_write_text(n, ",");
	normalize_write_digits(n, n->text + token_at(n, digits)->begin, token_len(n, digits));
	return digits + 1;
}

static const struct direction *normalize_phone_find_direction(const struct normalizer *n, size_t i)
{
	for (const struct direction *row = n->reading->directions; row && row->written; ++row) {
		if (token_equals(n, i, row->written))
			return row;
	}
	return NULL;
}

/* "7th", or a name and the kind of street: "Main St". */
static bool normalize_phone_is_street(const struct normalizer *n, size_t i)
{
	if (token_is_digits(n, i))
		return n->reading->ordinal_marks &&
		       token_match_spelling(n, i + 1, n->reading->ordinal_marks->written, 0);
	return token_is_word(n, i) && normalize_phone_is_capital_word(n, i + 1) &&
	       token_listed(n, i + 2, n->reading->street_words);
}

bool normalize_phone_is_direction(const struct normalizer *n, size_t i)
{
	size_t street = token_is(n, i + 1, '.') ? i + 2 : i + 1;

	return i > 1 && token_at(n, i - 1)->kind == TOKEN_BLANK && token_is_digits(n, i - 2) &&
	       token_at(n, street)->kind == TOKEN_BLANK && normalize_phone_find_direction(n, i) &&
	       normalize_phone_is_street(n, street + 1);
}

/* "1420 W. 7th St." */
size_t normalize_phone_read_direction(struct normalizer *n, size_t i)
{
	const struct direction *direction = normalize_phone_find_direction(n, i);

	if (!direction || !normalize_phone_is_direction(n, i))
		return 0;
	normalize_write_word(n, direction->spoken);
	return token_is(n, i + 1, '.') ? i + 2 : i + 1;
}

#define IBAN_LEAST 15
#define IBAN_MOST 34

static bool normalize_phone_is_iban_token(const struct normalizer *n, size_t i)
{
	return token_is_digits(n, i) ||
	       (token_is_word(n, i) &&
		(token_at(n, i)->flags & TOKEN_UPPER ||
		 (token_len(n, i) == 1 && token_at(n, i)->flags & TOKEN_CAPITAL)));
}

/* The end of the group of capitals and digits at token i, and its length. */
static size_t normalize_phone_iban_group(const struct normalizer *n, size_t i, size_t *len)
{
	*len = 0;
	while (normalize_phone_is_iban_token(n, i) && *len <= IBAN_MOST)
		*len += token_len(n, i++);
	return i;
}

/* Groups of four with a shorter last one, or a single group. */
static size_t normalize_phone_iban_end(const struct normalizer *n, size_t i)
{
	size_t len;
	size_t end = normalize_phone_iban_group(n, i, &len);
	size_t sum = len;

	while (len == 4 && sum <= IBAN_MOST && token_at(n, end)->kind == TOKEN_BLANK) {
		size_t next = normalize_phone_iban_group(n, end + 1, &len);

		if (len == 0 || len > 4 || token_is_word(n, next))
			break;
		sum += len;
		end = next;
	}
	return sum >= IBAN_LEAST && sum <= IBAN_MOST ? end : 0;
}

/* "DE89 3704 0044 0532 0130 00" */
size_t normalize_phone_read_iban(struct normalizer *n, size_t i)
{
	size_t end;

	if (token_len(n, i) != 2 || !(token_at(n, i)->flags & TOKEN_UPPER) ||
	    !token_is_digits(n, i + 1) || token_len(n, i + 1) < 2 ||
	    normalize_quantity_is_bound(n, i))
		return 0;
	end = normalize_phone_iban_end(n, i);
	for (; i < end; ++i) {
		const struct token *token = token_at(n, i);

		if (token->kind == TOKEN_BLANK)
			normalize_write_text(n, ",");
		for (size_t at = token->begin; token->kind == TOKEN_WORD && at < token->end; ++at)
			normalize_write_bytes(n, n->text + at, 1);
		if (token->kind == TOKEN_DIGITS)
			normalize_write_digits(n, n->text + token->begin,
					       token->end - token->begin);
	}
	return end;
}

/* "05": zéro cinq; "12": douze */
static void normalize_phone_say_pair(struct normalizer *n, const char *digits, size_t len)
{
	uint64_t value = 0;

	while (len > 1 && *digits == '0') {
		normalize_write_digits(n, digits, 1);
		++digits;
		--len;
	}
	for (size_t i = 0; i < len; ++i)
		value = value * 10 + (uint64_t)(digits[i] - '0');
	normalize_write_number(n, 'c', value);
}

/* With an odd count, one digit is read alone: after the two of the country code, else at the
 * beginning. */
static void normalize_phone_say_pairs(struct normalizer *n, const char *digits, size_t len,
				      bool has_plus)
{
	size_t odd = has_plus ? 2 : 0;
	size_t taken;

	for (size_t at = 0; at < len; at += taken) {
		taken = at == odd && (len - at) % 2 == 1 ? 1 : 2;
		if (at > 0)
			normalize_write_text(n, ",");
		normalize_phone_say_pair(n, digits + at, taken);
	}
}

static void normalize_phone_say_group(struct normalizer *n, size_t i, bool in_pairs, bool has_plus)
{
	const struct token *token = token_at(n, i);
	size_t len = token->end - token->begin;
	const char *digits = n->text + token->begin;

	if (!in_pairs) {
		normalize_write_digits(n, digits, len);
	} else if (len <= 3) {
		normalize_phone_say_pair(n, digits, len);
	} else {
		normalize_phone_say_pairs(n, digits, len, has_plus);
	}
}

/* Numbers with longer groups are read digit by digit, except for those written without groups. */
static bool normalize_phone_is_in_pairs(const struct normalizer *n, const struct phone *phone)
{
	if (!n->reading->phone_in_pairs)
		return false;
	for (size_t k = 0; k < phone->count; ++k) {
		if (token_len(n, phone->groups[k]) > 3 && phone->count > 1)
			return false;
	}
	return true;
}

size_t normalize_phone_read(struct normalizer *n, size_t i)
{
	struct phone phone = {.has_plus = token_is(n, i, '+')};

	if (normalize_quantity_is_bound(n, i))
		return 0;
	if (token_is(n, i, '(') && token_is(n, i + 1, '+') && token_is_digits(n, i + 2) &&
	    token_is(n, i + 3, ')')) { /* "(+34) 91" */
		phone = (struct phone){.groups = {i + 2},
				       .count = 1,
				       .has_plus = true,
				       .digits = token_len(n, i + 2),
				       .next = i + 4};
	} else if (!normalize_phone_take_group(n, &phone, phone.has_plus ? i + 1 : i)) {
		return 0;
	}
	normalize_phone_take_groups(n, &phone);
	phone.has_word = token_is(n, phone.next, '-') && token_is_word(n, phone.next + 1) &&
			 token_at(n, phone.next + 1)->flags & TOKEN_UPPER &&
			 normalize_phone_has_shape(n, &phone, true);
	if (!normalize_phone_fits(n, &phone, i))
		return 0;
	if (phone.has_plus)
		normalize_write_word(n, n->reading->plus);
	for (size_t k = 0; k < phone.count; ++k) {
		if (k > 0)
			normalize_write_text(n, ",");
		normalize_phone_say_group(n, phone.groups[k],
					  normalize_phone_is_in_pairs(n, &phone), phone.has_plus);
	}
	if (phone.has_word)
		normalize_write_text(n, ", ");
	return phone.has_word ? phone.next + 1 : phone.next;
}
