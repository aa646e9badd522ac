/*
 * voices.c: `syrinx voices`: the voices of the engines that are installed.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/local_speech.h"
#include "cli/settings.h"

static const char *const sexes[] = {"-", "female", "male"};
static const char *const qualities[] = {"low", "mid", "high"};

static void print(const struct voices *voices, const char *language)
{
	printf("%-8s  %-8s  %-7s  %-7s  %-8s  %s\n", "ID", "LANGUAGE", "SEX", "QUALITY", "ENGINE",
	       "NAME");
	for (size_t i = 0; i < voices_count(voices); ++i) {
		const struct voice *voice = voices_at(voices, i);

		if (language && strcmp(language, voice->language) != 0)
			continue;
		printf("%-8lld  %-8s  %-7s  %-7s  %-8s  %s\n", (long long)voice->id,
		       voice->language, sexes[voice->sex], qualities[voice->quality], voice->engine,
		       voice->name);
	}
}

static int run(const struct command_call *call)
{
	static struct config config;
	struct local_speech speech = {0};
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	if (local_speech_open(&speech, &config) != 0)
		return COMMAND_FAILED;
	print(pool_voices(speech.pool), command_value(call, "language"));
	local_speech_close(&speech);
	return COMMAND_OK;
}

static const struct command_option options[] = {
	{"config", 0, "FILE", "read this configuration"},
	{"language", 0, "CODE", "only voices of this language"},
	{0},
};

const struct command command_voices = {
	.name = "voices",
	.summary = "List the voices of the engines that are installed.",
	.options = options,
	.run = run,
};
