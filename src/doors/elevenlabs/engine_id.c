/*
 * engine_id.c: the ids of speech engines (see engine_id.h).
 */
#include "doors/elevenlabs/engine_id.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"

bool engine_id_read(char id[STORE_SPEECH_ENGINE_ID_LEN + 1], const char *text, size_t len)
{
	static const char *const prefixes[] = {"seng_", "agent_"};

	for (size_t i = 0; i < COUNT(prefixes); ++i) {
		size_t n = strlen(prefixes[i]);
		size_t letters = 0;

		if (len != n + STORE_SPEECH_ENGINE_ID_LEN || memcmp(text, prefixes[i], n) != 0)
			continue;
		while (letters < STORE_SPEECH_ENGINE_ID_LEN &&
		       isalnum((unsigned char)text[n + letters]))
			++letters;
		if (letters != STORE_SPEECH_ENGINE_ID_LEN)
			return false;
		memcpy(id, text + n, letters);
		id[letters] = '\0';
		return true;
	}
	return false;
}

void engine_id_show(char text[ENGINE_ID_SIZE], const char *id)
{
	snprintf(text, ENGINE_ID_SIZE, "seng_%s", id);
}

int engine_id_normalize(char text[ENGINE_ID_SIZE], const char *given, size_t len)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];

	if (engine_id_read(id, given, len)) {
		engine_id_show(text, id);
		return 0;
	}
	if (len == 0 || len >= ENGINE_ID_SIZE)
		return EINVAL;
	memcpy(text, given, len);
	text[len] = '\0';
	return 0;
}
