/*
 * voice_pairs.c: names that are mapped to voices in the configuration (see voice_pairs.h).
 */
#include "server/voice_pairs.h"

#include <string.h>

#define SEPARATORS " \t,"

bool voice_pairs_next(struct voice_pair *pair, const char **at)
{
	size_t len;

	*at += strspn(*at, SEPARATORS);
	len = strcspn(*at, SEPARATORS);
	if (len == 0)
		return false;
	pair->id = *at;
	pair->id_len = strcspn(*at, ":" SEPARATORS);
	pair->voice = pair->id_len < len ? *at + pair->id_len + 1 : *at + len;
	pair->voice_len = (size_t)(*at + len - pair->voice);
	*at += len;
	return true;
}

static bool voice_pairs_has_again(const struct voice_pair *pair, const char *rest)
{
	struct voice_pair other;

	while (voice_pairs_next(&other, &rest)) {
		if (pair->id_len == other.id_len && memcmp(pair->id, other.id, pair->id_len) == 0)
			return true;
	}
	return false;
}

const char *voice_pairs_check(const char *value)
{
	struct voice_pair pair;

	while (voice_pairs_next(&pair, &value)) {
		if (pair.id_len == 0 || pair.voice_len == 0 ||
		    memchr(pair.voice, ':', pair.voice_len))
			return "must be pairs ID:VOICE with commas or blanks between them, such as "
			       "21m00Tcm4TlvDq8ikWAM:1071";
		if (voice_pairs_has_again(&pair, value))
			return "has an id twice";
	}
	return NULL;
}
