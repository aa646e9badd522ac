/*
 * expect.c: the voices that an engine will have once it has loaded.
 *
 * These are the voices in its record (workers/record.c) that are still installed.  An engine that has
 * no record, because it has never run, is expected to have those of the built-in table that are
 * installed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "speech/pool_private.h"

static bool expect_is_installed(const struct synthesizer *synthesizer, const char *engine_voice)
{
	const struct pool_options *options = &synthesizer->pool->options;

	return options->is_installed(synthesizer->name, engine_voice, options->installed_arg);
}

/* Removes the voices that are not installed any more. */
static void expect_keep_installed(const struct synthesizer *synthesizer, struct greeting *greeting)
{
	size_t kept = 0;

	for (size_t i = 0; i < greeting->voice_count; ++i) {
		if (expect_is_installed(synthesizer, greeting->voices[i].engine_voice))
			greeting->voices[kept++] = greeting->voices[i];
	}
	greeting->voice_count = kept;
}

static int expect_row(struct greeting *greeting, const struct synthesizer *synthesizer,
		      const struct voice_row *row)
{
	int err = 0;

	for (size_t i = 0; i < VOICE_SPEAKERS_MAX && !err; ++i) {
		const struct voice_speaker *speaker = &row->speakers[i];

		if (speaker->engine && strcmp(speaker->engine, synthesizer->name) == 0 &&
		    expect_is_installed(synthesizer, speaker->engine_voice))
			err = greeting_expect_voice(greeting, synthesizer->name, speaker,
						    row->language);
	}
	return err;
}

static int expect_from_table(struct greeting *greeting, const struct synthesizer *synthesizer)
{
	int err = 0;

	for (size_t i = 0; i < voice_table_len && !err; ++i)
		err = expect_row(greeting, synthesizer, &voice_table[i]);
	return err;
}

static int expect_from_record(struct greeting *greeting, struct synthesizer *synthesizer)
{
	struct buf said;
	int err;

	buf_init(&said, FLEET_SAID_MAX);
	err = fleet_load_record(synthesizer->fleet, &said);
	if (!err)
		err = greeting_read(greeting, synthesizer->name, &said);
	buf_reset(&said);
	if (err)
		return err;
	synthesizer->knows_capabilities = true;
	synthesizer->capabilities = greeting->capabilities;
	expect_keep_installed(synthesizer, greeting);
	synthesizer->worked_before = greeting->voice_count > 0;
	return 0;
}

void expect_voices(struct synthesizer *synthesizer)
{
	const struct pool_options *options = &synthesizer->pool->options;
	struct greeting greeting = {0};
	int err = 0;

	if (!options->is_installed)
		return;
	if (expect_from_record(&greeting, synthesizer) != 0)
		err = expect_from_table(&greeting, synthesizer);
	if (!err)
		err = voices_expect(synthesizer->pool->voices, greeting.voices,
				    greeting.voice_count);
	if (err)
		log_warn("speech", "no memory for the voices of %s before it has loaded",
			 synthesizer->name);
	greeting_reset(&greeting);
}
