/*
 * world.c: a session and everything that it uses, in memory (see world.h).
 */
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio/resample.h"
#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/scribe.h"
#include "doors/kugelaudio/kugelaudio.h"

#define QUERY_MAX 512

/* The default price, which gives the figures of the protocol's own examples. */
#define MICROCENTS_PER_MINUTE 5400000
#define HEARD_MICROCENTS_PER_MINUTE 600000

#define FIRST_MOMENT_US 1000000 /* a clock that runs is never 0 */

static int world_add_voice(struct voices *voices, const char *engine, const char *engine_voice)
{
	struct voice voice = {.language = "en"};

	snprintf(voice.engine, sizeof(voice.engine), "%s", engine);
	snprintf(voice.engine_voice, sizeof(voice.engine_voice), "%s", engine_voice);
	return voices_add(voices, &voice);
}

static int world_add_voices(struct world *world)
{
	int err = voices_alloc(&world->voices, true);

	if (!err)
		err = world_add_voice(world->voices, "tone", "tone");
	if (!err)
		err = world_add_voice(world->voices, "tone", "tone-low");
	if (!err)
		err = world_add_voice(world->voices, "espeak", "de");
	return err;
}

void world_rows(struct store_account *account, struct store_key *key)
{
	static const struct store_limits none = {STORE_LIMIT_NONE, STORE_LIMIT_NONE,
						 STORE_LIMIT_NONE, STORE_LIMIT_NONE,
						 STORE_LIMIT_NONE, STORE_LIMIT_NONE};

	*account = (struct store_account){.id = WORLD_ACCOUNT_ID, .limits = none};
	*key = (struct store_key){
		.id = WORLD_KEY_ID,
		.project_id = WORLD_PROJECT_ID,
		.account_id = WORLD_ACCOUNT_ID,
		.credit_cents = -1,
		.limits = none,
	};
}

int world_become(struct world *world, const struct store_account *account,
		 const struct store_key *key)
{
	world->caller = mem_deref(world->caller);
	return caller_alloc_standalone(&world->caller, &world->timers, account, key);
}

static int world_add_caller(struct world *world)
{
	struct store_account account;
	struct store_key key;

	world_rows(&account, &key);
	return world_become(world, &account, &key);
}

static void world_on_filled(void *arg)
{
	struct world *world = arg;

	if (world->session)
		world->session->ops->filled(world->session);
}

int world_open(struct world *world)
{
	int err;

	memset(world, 0, sizeof(*world));
	timers_init(&world->timers, FIRST_MOMENT_US);
	fake_peer_init(&world->peer);
	world->peer.filled = world_on_filled;
	world->peer.filled_arg = world;
	fake_ledger_init(&world->ledger);
	err = fake_speech_open(&world->speech);
	if (!err)
		err = fake_hearing_open(&world->hearing);
	if (!err)
		err = world_add_voices(world);
	if (!err)
		err = fake_dictionary_cache_open(&world->dictionaries, WORLD_PROJECT_ID);
	if (!err)
		err = world_add_caller(world);
	world->prices.microcents_per_minute = MICROCENTS_PER_MINUTE;
	world->prices.heard_microcents_per_minute = HEARD_MICROCENTS_PER_MINUTE;
	world->prices.currency = "eur";
	world->services = (struct session_services){
		.timers = &world->timers,
		.speech = &world->speech.speech,
		.hearing = &world->hearing.hearing,
		.voices = world->voices,
		.ledger = &world->ledger.ledger,
		.dictionaries = fake_dictionary_cache_get(&world->dictionaries),
		.prices = &world->prices,
	};
	return err;
}

static int world_connect_to(struct world *world, const struct socket_api *api)
{
	return session_alloc(&world->session, api, &world->services, &world->peer.peer,
			     WORLD_REQUEST_ID, world->caller);
}

int world_connect(struct world *world)
{
	return world_connect_to(world, &kugelaudio_sockets_stream);
}

int world_connect_multi(struct world *world)
{
	world->speech.running_max = TTS_MULTI_CONTEXTS_MAX;
	return world_connect_to(world, &kugelaudio_sockets_multi);
}

int world_connect_once(struct world *world)
{
	return world_connect_to(world, &kugelaudio_sockets_once);
}

static int world_connect_to_elevenlabs(struct world *world, const struct socket_api *api)
{
	struct address_settings said;
	struct session_opening opening = {.settings = &said.settings};
	int err = world_connect_to(world, api);

	if (err)
		return err;
	elevenlabs_address_init(&said);
	said.settings.format = (struct audio_format){AUDIO_PCM16, 24000, 0};
	said.settings.voice_id = 1;
	said.settings.set |= SETTING_VOICE_ID;
	opening.idle_ms = said.idle_ms;
	world->session->ops->open(world->session, &opening);
	return 0;
}

int world_connect_elevenlabs(struct world *world)
{
	return world_connect_to_elevenlabs(world, &elevenlabs_sockets_stream);
}

int world_connect_elevenlabs_multi(struct world *world)
{
	world->speech.running_max = TTS_MULTI_CONTEXTS_MAX;
	return world_connect_to_elevenlabs(world, &elevenlabs_sockets_multi);
}

/* Reads a query as server/socket_address.c does. */
static int world_read_listening(struct listen_settings *settings, struct stream_fault *fault,
				const char *query)
{
	char copy[QUERY_MAX];
	char *rest = copy;
	char *name;

	scribe_socket_init(settings);
	snprintf(copy, sizeof(copy), "%s", query ? query : "");
	while ((name = strsep(&rest, "&"))) {
		char *value = strchr(name, '=');

		if (!value)
			continue;
		*value++ = '\0';
		for (const struct listen_field *field = scribe_socket_fields; field->name;
		     ++field) {
			if (strcmp(field->name, name) == 0 &&
			    field->set(settings, fault, value) != 0)
				return EINVAL;
		}
	}
	return 0;
}

int world_connect_scribe(struct world *world)
{
	struct listen_settings settings;
	struct stream_fault fault;
	struct session_opening opening = {.listening = &settings};
	int err = world_connect_to(world, &elevenlabs_sockets_scribe);

	if (err)
		return err;
	if (world_read_listening(&settings, &fault, world->listen_query) != 0)
		opening.fault = &fault;
	world->session->ops->open(world->session, &opening);
	return 0;
}

void world_disconnect(struct world *world)
{
	world->session = mem_deref(world->session);
}

void world_close(struct world *world)
{
	world_disconnect(world);
	fake_speech_close(&world->speech);
	fake_hearing_close(&world->hearing);
	fake_dictionary_cache_close(&world->dictionaries);
	fake_peer_reset(&world->peer);
	mem_deref(world->caller);
	timers_reset(&world->timers);
	mem_deref(world->voices);
	resample_forget();
}

void world_say(struct world *world, const char *json, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, json, len);
	world->session->ops->message(world->session, copy, len);
	free(copy);
	world_settle(world);
}

static bool world_notify_drained(struct world *world)
{
	if (!world->session || !fake_peer_drains(&world->peer))
		return false;
	world->session->ops->drained(world->session);
	return true;
}

static bool world_notify_sent(struct world *world)
{
	uint64_t tag;

	if (!world->session || !fake_peer_take_sent(&world->peer, &tag))
		return false;
	world->session->ops->sent(world->session, tag);
	return true;
}

void world_settle(struct world *world)
{
	bool again;

	do {
		again = !world->speech.is_manual &&
			fake_speech_give(&world->speech, UINT64_MAX, NULL);
		again |= fake_hearing_give(&world->hearing);
		again |= world_notify_drained(world);
		again |= world_notify_sent(world);
		again |= fake_ledger_answer(&world->ledger);
	} while (again);
}

void world_pass(struct world *world, uint64_t us)
{
	uint64_t until = world->timers.now_us + us;

	while (timers_next_us(&world->timers) <= until) {
		timers_advance(&world->timers, timers_next_us(&world->timers));
		world_settle(world);
	}
	timers_advance(&world->timers, until);
	world_settle(world);
}
