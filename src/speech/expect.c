/*
 * expect.c: the voices that an engine will have once it has loaded.
 *
 * Its record says so (record.c), as far as the voices are still installed.  An engine without a
 * record, on its first run, is expected to have the voices of the built-in table.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "speech/pool_private.h"

static bool expect_is_installed(const struct fleet *fleet, const char *engine_voice)
{
	const struct pool_options *options = &fleet->pool->options;

	return options->is_installed(fleet->name, engine_voice, options->installed_arg);
}

/* Removes the voices that are not installed any more. */
static void expect_keep_installed(const struct fleet *fleet, struct greeting *greeting)
{
	size_t kept = 0;

	for (size_t i = 0; i < greeting->voice_count; ++i) {
		if (expect_is_installed(fleet, greeting->voices[i].engine_voice))
			greeting->voices[kept++] = greeting->voices[i];
	}
	greeting->voice_count = kept;
}

static int expect_row(struct greeting *greeting, const struct fleet *fleet,
		      const struct voice_row *row)
{
	int err = 0;

	for (size_t i = 0; i < VOICE_SPEAKERS_MAX && !err; ++i) {
		const struct voice_speaker *speaker = &row->speakers[i];

		if (speaker->engine && strcmp(speaker->engine, fleet->name) == 0 &&
		    expect_is_installed(fleet, speaker->engine_voice))
			err = greeting_expect_voice(greeting, fleet->name, speaker, row->language);
	}
	return err;
}

static int expect_from_table(struct greeting *greeting, const struct fleet *fleet)
{
	int err = 0;

	for (size_t i = 0; i < voice_table_len && !err; ++i)
		err = expect_row(greeting, fleet, &voice_table[i]);
	return err;
}

static int expect_from_record(struct greeting *greeting, struct fleet *fleet)
{
	struct message_ready ready;
	int err = record_load(greeting, &ready, fleet->pool->options.records_dir, fleet->name);

	if (err)
		return err;
	fleet->knows_capabilities = true;
	fleet->capabilities = ready.capabilities;
	expect_keep_installed(fleet, greeting);
	fleet->worked_before = greeting->voice_count > 0;
	return 0;
}

void expect_voices(struct fleet *fleet)
{
	const struct pool_options *options = &fleet->pool->options;
	struct greeting greeting = {0};
	int err = 0;

	if (!options->is_installed)
		return;
	if (!options->records_dir || expect_from_record(&greeting, fleet) != 0)
		err = expect_from_table(&greeting, fleet);
	if (!err)
		err = voices_expect(fleet->pool->voices, greeting.voices, greeting.voice_count);
	if (err)
		log_warn("speech", "no memory for the voices of %s before it has loaded",
			 fleet->name);
	greeting_reset(&greeting);
}
