/*
 * server_setup.c: verbs that need no server (see server_play.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/engine_token.h"
#include "account/scopes.h"
#include "base/base64.h"
#include "base/clock.h"
#include "doors/doors_local.h"
#include "server_play.h"

bool setup_config(struct play *play, char *rest)
{
	char *settings = play->world.settings;
	size_t len = strlen(settings);
	char *section = checks_word(&rest);
	char *key = strchr(section, '.');

	*key++ = '\0';
	snprintf(settings + len, WORLD_CONFIG_MAX - len, "[%s]\n%s %s\n", section, key, rest);
	return true;
}

bool setup_agent(struct play *play, char *rest)
{
	char *settings = play->world.settings;
	size_t len = strlen(settings);
	char *word = checks_word(&rest);

	len += (size_t)snprintf(settings + len, WORLD_CONFIG_MAX - len, "[agent %s]\nllm = echo\n",
				word);
	while ((word = checks_word(&rest))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		len += (size_t)snprintf(settings + len, WORLD_CONFIG_MAX - len, "%s = %s\n", word,
					value);
	}
	return true;
}

static void server_setup_key_option(struct world_key *key, const char *word)
{
	const char *value = strchr(word, '=');
	int64_t number = value ? atoll(value + 1) : 0;

	if (strncmp(word, "account=", 8) == 0)
		snprintf(key->account, sizeof(key->account), "%s", value + 1);
	else if (strcmp(word, "prepaid") == 0)
		key->is_prepaid = true;
	else if (strncmp(word, "credit=", 7) == 0)
		key->row.credit_cents = number;
	else if (strncmp(word, "turns=", 6) == 0)
		key->row.limits.turns = number;
	else if (strncmp(word, "connections=", 12) == 0)
		key->row.limits.connections = number;
	else if (strncmp(word, "requests=", 9) == 0)
		key->row.limits.requests_per_minute = number;
	else if (strncmp(word, "characters=", 11) == 0)
		key->row.limits.characters_per_minute = number;
	else if (strncmp(word, "text=", 5) == 0)
		key->row.limits.text_max = number;
	else if (strncmp(word, "expires=", 8) == 0)
		key->row.expires_ms = clock_wall_ms() + number * 1000;
	else
		abort();
}

bool setup_key(struct play *play, char *rest)
{
	struct world_key *key = &play->world.keys[play->world.keys_count++];
	const char *bad;
	char *word;

	*key = (struct world_key){.row = {.credit_cents = -1, .limits = STORE_LIMITS_PLAN}};
	snprintf(key->name, sizeof(key->name), "%s", checks_word(&rest));
	word = checks_word(&rest);
	if (scopes_parse(&key->row.scopes, word, &bad) != 0)
		return play_fail(play, "no scopes: %s", bad);
	while ((word = checks_word(&rest)))
		server_setup_key_option(key, word);
	return true;
}

bool setup_token(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	char *key = checks_word(&rest);
	int64_t now = clock_wall_ms() / 1000;
	int64_t from = atoll(checks_word(&rest));
	int64_t to = atoll(checks_word(&rest));
	struct engine_token_keys keys;
	char token[ENGINE_TOKEN_SIZE];
	int err = engine_token_keys(&keys, doors_local_engine_tokens, key);

	if (!err)
		err = engine_token_make(token, &keys, now + from, now + to);
	if (err)
		return play_fail(play, "no token: %s", strerror(err));
	variables_set(&play->variables, name, token);
	return true;
}

bool setup_long(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	size_t len = strtoul(checks_word(&rest), NULL, 10);
	char *text = calloc(1, len + 1);

	if (!text)
		abort();
	memset(text, 'a', len);
	variables_set(&play->variables, name, text);
	free(text);
	return true;
}

/* `form NAME FIELD=VALUE…`: $NAME is a form (multipart/form-data; boundary=b) with these fields. */
bool setup_form(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	char *out = NULL;
	size_t len;
	FILE *stream = open_memstream(&out, &len);
	char *field;

	while ((field = checks_word(&rest))) {
		char *value = strchr(field, '=');

		if (!value)
			abort();
		*value++ = '\0';
		fprintf(stream,
			"--b\r\nContent-Disposition: form-data; name=\"%s\"%s\r\n\r\n%s\r\n", field,
			strcmp(field, "file") == 0 ? "; filename=\"a.wav\"" : "", value);
	}
	fputs("--b--\r\n", stream);
	fclose(stream);
	variables_set(&play->variables, name, out);
	free(out);
	return true;
}

/* `audio NAME WORDS`: $NAME is audio with these words (fake_hearing.h), in base64. */
bool setup_audio(struct play *play, char *rest)
{
	size_t max = 30 * HEARING_RATE;
	char *name = checks_word(&rest);
	int16_t *samples = malloc(max * sizeof(*samples));
	char *text = malloc(base64_encoded_len(2 * max) + 1);
	size_t count;

	if (!samples || !text)
		abort();
	count = fake_hearing_say(samples, max, rest);
	text[base64_encode(text, samples, count * sizeof(*samples))] = '\0';
	variables_set(&play->variables, name, text);
	free(samples);
	free(text);
	return true;
}

/* `listen WORD`: how the engines that listen and decode behave. */
bool setup_listen(struct play *play, char *rest)
{
	struct fake_hearing *hearing = &play->world.hearing;
	struct fake_decoding *decoding = &play->world.decoding;
	const char *word = checks_word(&rest);

	if (strcmp(word, "none") == 0) {
		hearing->state = HEARING_NO_MODELS;
		return fake_hearing_install(hearing, false) == 0;
	}
	if (strcmp(word, "loading") == 0) {
		hearing->state = HEARING_LOADING;
		return fake_hearing_install(hearing, false) == 0;
	}
	hearing->mood = strcmp(word, "full") == 0     ? FAKE_HEARING_FULL
			: strcmp(word, "breaks") == 0 ? FAKE_HEARING_BREAKS
						      : FAKE_HEARING_WELL;
	hearing->is_deaf = strcmp(word, "deaf") == 0;
	decoding->is_missing = strcmp(word, "no-decoder") == 0;
	decoding->is_full = strcmp(word, "busy-decoder") == 0;
	decoding->room = strcmp(word, "slow-decoder") == 0 ? 7 : 0;
	return true;
}
