/*
 * voice_sample.c: /v1/voices/{id}/generate-sample and /v1/voices/{id}/sample.
 *
 * A voice speaks its sample text once, and is booked like any other turn.  The audio
 * is kept as data/samples/ID.wav, written on the store's thread.  That there is one
 * stands in a derived voice's row; a voice of the catalogue has none, and says the same
 * whoever asks for it: its sample is everybody's.
 */
#include "server/voice_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audio/wav.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/sample_text.h"
#include "server/voice_view.h"
#include "session/tts_call.h"
#include "wire/raw_dialect.h"

/* Two thousand characters of the slowest voice are some minutes, at 48 kB a second. */
#define AUDIO_MAX (48u * 1024 * 1024)
#define PATH_SIZE 512
#define SAMPLE_RATE 24000
#define HEADER_LEN 44 /* of a WAV file of PCM16 */

struct sample {
	struct route_call call; /* holds its request; the key is gone */
	struct member *member;
	int64_t project_id;
	int64_t id;
	int64_t revision; /* of the derived voice that is heard */
	bool is_derived;
	struct peer peer;
	struct tts_call *tts; /* NULL: not begun, or over */
	struct buf audio; /* a header, and samples */
	char *text;
	int err; /* of collecting them */
	bool is_gone; /* the client is */
};

static int path_of(char path[PATH_SIZE], const struct server *server, int64_t id,
		   const char *ending)
{
	int len = snprintf(path, PATH_SIZE, "%s/samples/%lld%s", server->config->data_dir,
			   (long long)id, ending);

	return len < PATH_SIZE ? 0 : ENAMETOOLONG;
}

void voice_sample_remove(const struct server *server, int64_t id)
{
	char path[PATH_SIZE];

	if (path_of(path, server, id, ".wav") == 0 && unlink(path) != 0 && errno != ENOENT)
		log_warn("voices", "cannot remove %s: %s", path, strerror(errno));
}

static void sample_destroy(void *object)
{
	struct sample *sample = object;
	struct server *server = sample->call.server;

	mem_deref(sample->tts);
	http_on_gone(sample->call.request, NULL, NULL);
	mem_deref(sample->call.request);
	mem_deref(sample->text);
	buf_reset(&sample->audio);
	mem_deref(sample->member);
	--server->samples;
	drain_check(server);
}

static void fail(struct sample *sample, enum wire_error_id id, const char *detail)
{
	answer_error(&sample->call, id, detail);
	mem_deref(sample);
}

/* On the store's thread. */

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0)
			return errno;
		bytes += n;
		len -= (size_t)n;
	}
	return fsync(fd) == 0 ? 0 : errno;
}

/* Under another name first: whoever reads it reads a whole one. */
static int write_file(const char *path, const char *draft, const struct buf *audio)
{
	int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return errno;
	err = write_all(fd, audio->bytes, audio->len);
	close(fd);
	if (!err && rename(draft, path) != 0)
		err = errno;
	if (err)
		unlink(draft);
	return err;
}

static int keep(struct store *store, void *arg)
{
	struct sample *sample = arg;
	const struct server *server = sample->call.server;
	const struct store_voice row = {.sampled_ms = clock_wall_ms(),
					.updated_ms = clock_wall_ms()};
	char path[PATH_SIZE];
	char draft[PATH_SIZE];
	char *slash;
	int err = path_of(path, server, sample->id, ".wav");

	if (!err)
		err = path_of(draft, server, sample->id, ".new");
	if (err)
		return err;
	slash = strrchr(draft, '/');
	*slash = '\0';
	if (mkdir(draft, 0700) != 0 && errno != EEXIST)
		return errno;
	*slash = '/';
	err = write_file(path, draft, &sample->audio);
	if (err || !sample->is_derived)
		return err;
	err = store->ops->voice_change(store, sample->project_id, sample->id, STORE_VOICE_SAMPLED,
				       &row);
	if (err == ENOENT) /* it was removed meanwhile */
		voice_sample_remove(server, sample->id);
	return err;
}

/* On the loop. */

static void on_refreshed(int err, void *arg)
{
	struct sample *sample = arg;
	char json[160];
	int len = snprintf(json, sizeof(json),
			   "{\"sample_s3_path\":\"samples/%lld.wav\","
			   "\"sample_url\":\"/v1/voices/%lld/sample\"}",
			   (long long)sample->id, (long long)sample->id);

	(void)err; /* it is kept, and memory is tried again */
	answer_json(&sample->call, 200, json, (size_t)len);
	mem_deref(sample);
}

static void on_kept(int err, void *arg)
{
	struct sample *sample = arg;

	if (err == ENOENT) {
		fail(sample, WIRE_ERROR_VOICE_NOT_FOUND, NULL);
		return;
	}
	if (err)
		log_error("voices", "a sample cannot be kept: %s", strerror(err));
	if (!err && !sample->is_derived)
		on_refreshed(0, sample);
	else if (err ||
		 derived_voices_refresh(sample->call.server->derived, on_refreshed, sample) != 0)
		fail(sample, WIRE_ERROR_SAMPLE_FAILED, NULL);
}

static void peer_append(void *arg, struct buf *message, uint64_t tag, uint32_t samples)
{
	struct sample *sample = arg;

	(void)tag;
	(void)samples;
	if (!sample->err)
		sample->err = buf_append(&sample->audio, message->bytes, message->len);
	buf_reset(message);
}

static uint64_t peer_drop(void *arg, uint64_t tag)
{
	(void)arg;
	(void)tag;
	return 0;
}

static bool peer_tell_when_sent(void *arg, uint64_t tag)
{
	(void)arg;
	(void)tag;
	return false;
}

static const struct peer_ops peer_ops = {
	.send = peer_append,
	.drop = peer_drop,
	.tell_when_sent = peer_tell_when_sent,
};

static void on_failed(void *arg, const struct stream_fault *fault, bool has_begun)
{
	struct sample *sample = arg;
	struct stream_fault own = *fault;

	(void)has_begun;
	if (own.id == WIRE_ERROR_GENERATION_FAILED)
		own.id = WIRE_ERROR_SAMPLE_FAILED;
	answer_fault(&sample->call, &own);
	mem_deref(sample);
}

static void write_header(struct sample *sample)
{
	static const struct audio_format format = {.encoding = AUDIO_PCM16,
						   .sample_rate = SAMPLE_RATE};

	wav_write_header((uint8_t *)sample->audio.bytes, &format,
			 (uint32_t)(sample->audio.len - HEADER_LEN));
}

static void on_done(void *arg, const struct reply_usage *usage)
{
	struct sample *sample = arg;
	struct server *server = sample->call.server;
	const struct store_voice *row = derived_voices_find(server->derived, sample->id);

	(void)usage;
	sample->tts = mem_deref(sample->tts);
	http_on_gone(sample->call.request, NULL, NULL); /* it is kept all the same */
	if (sample->is_derived && (!row || row->revision != sample->revision)) {
		fail(sample, WIRE_ERROR_SAMPLE_FAILED, "the voice has changed meanwhile");
		return;
	}
	if (!sample->err)
		write_header(sample);
	if (sample->err ||
	    account_ask_for(server->account, ACCOUNT_QUESTIONS, member_account(sample->member)->id,
			    keep, on_kept, sample) != 0)
		fail(sample, WIRE_ERROR_SAMPLE_FAILED, NULL);
}

static const struct tts_call_ops call_ops = {.failed = on_failed, .done = on_done};

static void on_gone(void *arg)
{
	struct sample *sample = arg;

	sample->is_gone = true;
	if (sample->tts) /* else its words are waited for */
		mem_deref(sample);
}

static void speak(struct sample *sample)
{
	struct settings settings = settings_default;
	const struct tts_call_request request = {
		.services = &sample->call.server->services,
		.peer = &sample->peer,
		.dialect = &dialect_raw,
		.request_id = sample->call.request_id,
		.member = sample->member,
		.settings = &settings,
		.text = sample->text,
		.text_len = strlen(sample->text),
	};

	settings.voice_id = sample->id;
	settings.sample_rate = SAMPLE_RATE;
	settings.set = SETTING_VOICE_ID | SETTING_SAMPLE_RATE;
	settings.set |= SETTING_SEED; /* every sample of a voice is the same */
	if (!sample->is_derived) /* no project's words are in what everybody hears */
		settings.set |= SETTING_DICTIONARY_IDS;
	if (tts_call_alloc(&sample->tts, &request, &call_ops, sample) != 0)
		fail(sample, WIRE_ERROR_INTERNAL, NULL);
	else
		tts_call_begin(sample->tts);
}

static void on_words_ready(int err, void *arg)
{
	struct sample *sample = arg;

	if (sample->is_gone)
		mem_deref(sample);
	else if (err)
		fail(sample, WIRE_ERROR_NO_DICTIONARIES, NULL);
	else
		speak(sample);
}

static int choose_text(struct sample *sample, const struct voice *voice,
		       const struct store_voice *row)
{
	const char *text = row && row->sample_text && row->sample_text[0]
				   ? row->sample_text
				   : sample_text_of(voice->language);

	sample->text = mem_zalloc(strlen(text) + 1, NULL);
	if (!sample->text)
		return ENOMEM;
	memcpy(sample->text, text, strlen(text));
	return 0;
}

static int sample_alloc(struct sample **samplep, const struct route_call *call,
			const struct voice *voice)
{
	static const char header[HEADER_LEN];
	const struct store_voice *row = derived_voices_find(call->server->derived, voice->id);
	struct sample *sample = mem_zalloc(sizeof(*sample), NULL);
	int err;

	if (!sample)
		return ENOMEM;
	++call->server->samples;
	sample->call = *call;
	sample->member = mem_ref(call->member);
	sample->project_id = call->key->project_id;
	sample->id = voice->id;
	sample->is_derived = row != NULL;
	sample->revision = row ? row->revision : 0;
	sample->peer = (struct peer){.ops = &peer_ops, .peer = sample};
	buf_init(&sample->audio, AUDIO_MAX);
	mem_ref(call->request);
	mem_set_destructor(sample, sample_destroy);
	err = choose_text(sample, voice, row);
	if (!err)
		err = buf_append(&sample->audio, header, sizeof(header));
	if (err)
		mem_deref(sample);
	else
		*samplep = sample;
	return err;
}

void voice_sample_make(const struct route_call *call)
{
	struct dictionaries *dictionaries = call->server->dictionaries;
	const struct voice *voice = voice_view_to_change(call);
	struct sample *sample;

	if ((!voice || voice->base_id) && !voice_view_is_own(call, voice))
		return;
	if (sample_alloc(&sample, call, voice) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	http_on_gone(call->request, on_gone, sample);
	if (dictionaries_has(dictionaries, sample->project_id))
		speak(sample);
	else if (dictionaries_refresh(dictionaries, sample->project_id, on_words_ready, sample) !=
		 0)
		fail(sample, WIRE_ERROR_INTERNAL, NULL);
}

/* A file on its way to a client. */
struct reading {
	struct route_call call; /* holds its request; the key is gone */
	int64_t id;
	struct buf audio;
};

static void reading_destroy(void *object)
{
	struct reading *reading = object;

	mem_deref(reading->call.request);
	buf_reset(&reading->audio);
}

static int read_all(struct buf *audio, int fd)
{
	char piece[64 * 1024];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		int err = buf_append(audio, piece, (size_t)n);

		if (err)
			return err;
	}
	return n == 0 ? 0 : errno;
}

/* On the store's thread. */
static int read_file(struct store *store, void *arg)
{
	struct reading *reading = arg;
	char path[PATH_SIZE];
	int err = path_of(path, reading->call.server, reading->id, ".wav");
	int fd;

	(void)store;
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	err = read_all(&reading->audio, fd);
	close(fd);
	return err;
}

static void on_read(int err, void *arg)
{
	struct reading *reading = arg;
	const struct route_call *call = &reading->call;

	if (err) {
		answer_error(call, WIRE_ERROR_SAMPLE_NOT_FOUND, NULL);
	} else {
		answer_head(call);
		answer_mark_speech(call);
		http_reply(call->request, 200, "audio/wav", reading->audio.bytes,
			   reading->audio.len);
	}
	mem_deref(reading);
}

void voice_sample_get(const struct route_call *call)
{
	const struct voice *voice = voice_view_named(call);
	const struct store_voice *row =
		voice ? derived_voices_find(call->server->derived, voice->id) : NULL;
	struct reading *reading;

	if (!voice || (voice->base_id && (!row || !row->sampled_ms))) {
		answer_error(call,
			     voice ? WIRE_ERROR_SAMPLE_NOT_FOUND
				   : services_unknown_voice(&call->server->services),
			     NULL);
		return;
	}
	reading = mem_zalloc(sizeof(*reading), reading_destroy);
	if (!reading)
		return; /* unanswered: the HTTP server says 500 */
	reading->call = *call;
	reading->call.key = NULL;
	reading->id = voice->id;
	mem_ref(call->request);
	buf_init(&reading->audio, AUDIO_MAX);
	if (account_ask_for(call->server->account, ACCOUNT_QUESTIONS, call->key->account_id,
			    read_file, on_read, reading) != 0)
		on_read(ENOMEM, reading);
}
