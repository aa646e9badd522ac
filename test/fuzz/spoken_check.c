/*
 * spoken_check.c: what must be true of everything that is read (see spoken_check.h).
 */
#include "spoken_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const char *const fragments[32] = {
	[0x01] = "<spell>",
	[0x02] = "</spell>",
	[0x03] = "<spell group=\"2\">",
	[0x04] = "<break/>",
	[0x05] = "<break time=\"1s\"/>",
	[0x06] = "<prosody rate=\"0.9\">",
	[0x07] = "</prosody>",
	[0x08] = "<b>",
	[0x0b] = "/t\u0259\u02c8m\u0251/",
	[0x0c] = "[\u0283\u026a]",
	[0x0e] = "\u20ac",
	[0x0f] = "\u00a3",
	[0x10] = "\u00a0",
	[0x11] = "\u202f",
	[0x12] = "\u2013",
	[0x13] = "\u00b0C",
	[0x14] = "km/h",
	[0x15] = "www.",
	[0x16] = "https://",
	[0x17] = "@x.com",
	[0x18] = "Dr. ",
	[0x19] = "z. B. ",
	[0x1a] = "2:30 PM",
	[0x1b] = "12.05.2024",
	[0x1c] = "1,234.56",
	[0x1d] = "**",
	[0x1e] = "](http://",
	[0x1f] = "\u0301",
};

size_t spoken_check_text(char *out, const uint8_t *bytes, size_t n)
{
	size_t len = 0;

	for (size_t at = 0; at < n;) {
		uint32_t c;

		at += utf8_decode(&c, (const char *)bytes + at, n - at);
		if (c < 0x20 && fragments[c]) {
			len = (size_t)(stpcpy(out + len, fragments[c]) - out);
			continue;
		}
		len += utf8_encode(out + len, c ? c : 0xfffd); /* as src/wire does */
	}
	return len;
}

struct chunk {
	const char *text;
	size_t len;
	size_t *places; /* the byte of each code point, and the end */
	uint32_t count;
};

static void spoken_check_index_chunk(struct chunk *chunk)
{
	chunk->places = malloc((chunk->len + 1) * sizeof(*chunk->places));
	assert(chunk->places);
	for (size_t at = 0; at < chunk->len;) {
		uint32_t c;

		chunk->places[chunk->count++] = at;
		at += utf8_decode(&c, chunk->text + at, chunk->len - at);
	}
	chunk->places[chunk->count] = chunk->len;
}

static void spoken_check_utf8(const char *text, size_t len)
{
	struct utf8_state utf8 = {0};

	assert(strlen(text) == len);
	assert(utf8_check(&utf8, text, len) && utf8_is_complete(&utf8));
	for (size_t at = 0; at < len;) {
		uint32_t c;

		at += utf8_decode(&c, text + at, len - at);
		assert(c >= 0x20 && !(c >= 0x7f && c < 0xa0));
	}
}

static void spoken_check_piece(const struct spoken_piece *piece, const char *bytes, size_t n,
			       const struct chunk *chunk)
{
	size_t begin = chunk->places[piece->from];

	assert(n > 0);
	if (piece->is_verbatim) {
		assert(chunk->places[piece->to] - begin == n);
		assert(memcmp(chunk->text + begin, bytes, n) == 0);
	}
}

/* Returns the position in the chunk that the last piece came from. */
static uint32_t spoken_check_pieces(const struct spoken_part *part, const struct chunk *chunk,
				    uint32_t from)
{
	uint32_t at = 0;

	for (size_t i = 0; i < part->pieces_len; ++i) {
		const struct spoken_piece *piece = &part->pieces[i];

		assert(piece->end > at && piece->end <= part->len);
		assert(piece->from >= from && piece->from <= piece->to);
		assert(piece->to <= chunk->count);
		spoken_check_piece(piece, part->text + at, piece->end - at, chunk);
		at = piece->end;
		from = piece->from;
	}
	assert(at == part->len);
	return from;
}

static void spoken_check_phonemes(const struct spoken_part *part)
{
	uint32_t at = 0;

	for (size_t i = 0; i < part->phonemes_len; ++i) {
		const struct spoken_phonemes *phonemes = &part->phonemes[i];

		assert(phonemes->begin >= at && phonemes->end > phonemes->begin);
		assert(phonemes->end <= part->len && phonemes->ipa[0]);
		spoken_check_utf8(phonemes->ipa, strlen(phonemes->ipa));
		at = phonemes->end;
	}
}

size_t spoken_check(const struct spoken *spoken, const char *text, size_t len)
{
	struct chunk chunk = {.text = text, .len = len};
	uint32_t from = 0;
	size_t total = 0;

	spoken_check_index_chunk(&chunk);
	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		spoken_check_utf8(part->text, part->len);
		from = spoken_check_pieces(part, &chunk, from);
		spoken_check_phonemes(part);
		total += part->len;
	}
	free(chunk.places);
	return total;
}
