/*
 * voice_sample.c: /v1/voices/{id}/generate-sample and /v1/voices/{id}/sample.
 *
 * POST makes the voice speak its sample text; this turn is booked like any other.  The audio is kept
 * in the file samples/ID.wav of the data directory, which GET returns.  The row of a derived voice in
 * the store says whether it has a sample.  A voice of the catalogue has no row; its sample is the
 * same for every project.
 *
 * Runs on the loop's thread except where a comment says otherwise.
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
#include "server/store_request.h"
#include "server/voice_view.h"
#include "session/immediate_peer.h"
#include "session/tts_call.h"
#include "wire/raw_dialect.h"

/* A quarter of an hour at 48 kB a second.  A sample text has at most 2000 characters, which the
 * slowest voice speaks in a few minutes. */
#define AUDIO_MAX (48u * 1024 * 1024)
#define PATH_SIZE 512
#define SAMPLE_RATE 24000
#define HEADER_LEN 44 /* the header of a WAV file with PCM16 */

struct voice_sample {
	struct route_call call; /* with a reference to its request; its key belongs to the caller */
	struct caller *caller;
	int64_t id;
	int64_t revision; /* the revision of the derived voice that is spoken */
	bool is_derived;
	struct peer peer;
	struct tts_call *tts; /* NULL: it has not begun, or has ended */
	struct buf audio; /* a WAV header and samples */
	char *text;
	int err; /* an error while collecting the samples */
	bool is_gone; /* the client has disconnected */
};

static int voice_sample_path_of(char path[PATH_SIZE], const struct server *server, int64_t id,
				const char *ending)
{
	int len = snprintf(path, PATH_SIZE, "%s/samples/%lld%s", server->config->data_dir,
			   (long long)id, ending);

	return len < PATH_SIZE ? 0 : ENAMETOOLONG;
}

void voice_sample_remove(const struct server *server, int64_t id)
{
	char path[PATH_SIZE];

	if (voice_sample_path_of(path, server, id, ".wav") == 0 && unlink(path) != 0 &&
	    errno != ENOENT)
		log_warn("voices", "cannot remove %s: %s", path, strerror(errno));
}

static void voice_sample_destroy(void *object)
{
	struct voice_sample *sample = object;
	struct server *server = sample->call.server;

	mem_deref(sample->tts);
	http_on_gone(sample->call.request, NULL, NULL);
	mem_deref(sample->call.request);
	mem_deref(sample->text);
	buf_reset(&sample->audio);
	mem_deref(sample->caller);
	--server->samples;
	drain_check(server);
}

static void voice_sample_fail(struct voice_sample *sample, enum wire_error_id id,
			      const char *detail)
{
	answer_error(&sample->call, id, detail);
	mem_deref(sample);
}

/* On the store's thread. */

static int voice_sample_write_all(int fd, const char *bytes, size_t len)
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

/* Writes the file under another name first, so that readers always see a complete one. */
static int voice_sample_write_file(const char *path, const char *draft, const struct buf *audio)
{
	int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return errno;
	err = voice_sample_write_all(fd, audio->bytes, audio->len);
	close(fd);
	if (!err && rename(draft, path) != 0)
		err = errno;
	if (err)
		unlink(draft);
	return err;
}

static int voice_sample_keep(struct store_request *request, struct store *store)
{
	const struct voice_sample *sample = request->object;
	const struct server *server = request->call.server;
	const struct store_voice row = {.sampled_ms = clock_wall_ms(),
					.updated_ms = clock_wall_ms()};
	char path[PATH_SIZE];
	char draft[PATH_SIZE];
	int err = voice_sample_path_of(path, server, sample->id, "");

	if (!err) {
		*strrchr(path, '/') = '\0';
		err = mkdir(path, 0700) != 0 && errno != EEXIST ? errno : 0;
	}
	if (!err)
		err = voice_sample_path_of(path, server, sample->id, ".wav");
	if (!err)
		err = voice_sample_path_of(draft, server, sample->id, ".new");
	if (!err)
		err = voice_sample_write_file(path, draft, &sample->audio);
	if (!err && sample->is_derived) {
		err = store->ops->voice_change(store, request->key.project_id, sample->id,
					       STORE_VOICE_SAMPLED, &row);
		if (err == ENOENT) /* the voice was removed meanwhile */
			voice_sample_remove(server, sample->id);
	}
	if (err == ENOENT)
		return store_request_refuse(request, WIRE_ERROR_VOICE_NOT_FOUND, "");
	if (err)
		log_error("voices", "cannot store a sample: %s", strerror(err));
	return err ? store_request_refuse(request, WIRE_ERROR_SAMPLE_FAILED, "") : 0;
}

/* On the loop's thread again. */

static int voice_sample_refresh(struct store_request *request,
				void (*ready)(int err, void *request))
{
	return derived_voices_refresh(request->call.server->derived, ready, request);
}

static void voice_sample_kept(struct store_request *request, int err)
{
	long long id = ((const struct voice_sample *)request->object)->id;
	char json[160];
	int len = snprintf(json, sizeof(json),
			   "{\"sample_s3_path\":\"samples/%lld.wav\","
			   "\"sample_url\":\"/v1/voices/%lld/sample\"}",
			   id, id);

	(void)err; /* the sample is stored, and the refresh will be retried */
	answer_json(&request->call, 200, json, (size_t)len);
}

static const struct store_subject sample_subject = {
	.lane = ASYNC_STORE_QUERIES,
	.failure = WIRE_ERROR_SAMPLE_FAILED,
	.refresh = voice_sample_refresh,
	.answer = voice_sample_kept,
};

static void voice_sample_peer_send(void *arg, struct buf *message, uint64_t tag, uint32_t samples)
{
	struct voice_sample *sample = arg;

	(void)tag;
	(void)samples;
	if (!sample->err)
		sample->err = buf_append(&sample->audio, message->bytes, message->len);
	buf_reset(message);
}

static const struct peer_ops peer_ops = {
	.send = voice_sample_peer_send,
	.drop = immediate_peer_drop,
	.notify_when_sent = immediate_peer_notify_when_sent,
};

static void voice_sample_on_failed(void *arg, const struct stream_fault *fault, bool has_begun)
{
	struct voice_sample *sample = arg;
	struct stream_fault own = *fault;

	(void)has_begun;
	if (own.id == WIRE_ERROR_GENERATION_FAILED)
		own.id = WIRE_ERROR_SAMPLE_FAILED;
	answer_fault(&sample->call, &own);
	mem_deref(sample);
}

static void voice_sample_write_header(struct voice_sample *sample)
{
	static const struct audio_format format = {.encoding = AUDIO_PCM16,
						   .sample_rate = SAMPLE_RATE};

	wav_write_header((uint8_t *)sample->audio.bytes, &format,
			 (uint32_t)(sample->audio.len - HEADER_LEN));
}

static void voice_sample_on_done(void *arg, const struct reply_usage *usage)
{
	struct voice_sample *sample = arg;
	struct server *server = sample->call.server;
	const struct store_voice *row = derived_voices_find(server->derived, sample->id);

	(void)usage;
	sample->tts = mem_deref(sample->tts);
	/* From here on the sample is stored even if the client disconnects. */
	http_on_gone(sample->call.request, NULL, NULL);
	if (sample->is_derived && (!row || row->revision != sample->revision)) {
		voice_sample_fail(sample, WIRE_ERROR_SAMPLE_FAILED,
				  "the voice has changed meanwhile");
		return;
	}
	if (sample->err) {
		voice_sample_fail(sample, WIRE_ERROR_SAMPLE_FAILED, NULL);
		return;
	}
	voice_sample_write_header(sample);
	store_request_run(
		&sample->call, &sample_subject, voice_sample_keep,
		&(struct store_request_options){.is_change = sample->is_derived, .object = sample});
}

static const struct tts_call_ops call_ops = {.failed = voice_sample_on_failed,
					     .done = voice_sample_on_done};

static void voice_sample_on_gone(void *arg)
{
	struct voice_sample *sample = arg;

	sample->is_gone = true;
	if (sample->tts) /* otherwise voice_sample_on_dictionaries will release it */
		mem_deref(sample);
}

static void voice_sample_speak(struct voice_sample *sample)
{
	struct settings settings = settings_default;
	const struct tts_call_request request = {
		.services = &sample->call.server->services,
		.peer = &sample->peer,
		.dialect = &dialect_raw,
		.request_id = sample->call.request_id,
		.caller = sample->caller,
		.settings = &settings,
		.text = sample->text,
		.text_len = strlen(sample->text),
	};

	settings.voice_id = sample->id;
	settings.sample_rate = SAMPLE_RATE;
	settings.set = SETTING_VOICE_ID | SETTING_SAMPLE_RATE;
	settings.set |= SETTING_SEED; /* makes every sample of a voice the same */
	/* All projects share this sample, so no project's dictionaries apply: the list is empty. */
	if (!sample->is_derived)
		settings.set |= SETTING_DICTIONARY_IDS;
	if (tts_call_alloc(&sample->tts, &request, &call_ops, sample) != 0)
		voice_sample_fail(sample, WIRE_ERROR_INTERNAL, NULL);
	else
		tts_call_begin(sample->tts);
}

static void voice_sample_on_dictionaries(int err, void *arg)
{
	struct voice_sample *sample = arg;

	if (sample->is_gone)
		mem_deref(sample);
	else if (err)
		voice_sample_fail(sample, WIRE_ERROR_NO_DICTIONARIES, NULL);
	else
		voice_sample_speak(sample);
}

static int voice_sample_choose_text(struct voice_sample *sample, const struct voice *voice,
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

static int voice_sample_alloc(struct voice_sample **samplep, const struct route_call *call,
			      const struct voice *voice)
{
	static const char header[HEADER_LEN];
	const struct store_voice *row = derived_voices_find(call->server->derived, voice->id);
	struct voice_sample *sample = mem_zalloc(sizeof(*sample), NULL);
	int err;

	if (!sample)
		return ENOMEM;
	++call->server->samples;
	sample->call = *call;
	sample->caller = mem_ref(call->caller);
	sample->call.key = caller_key(call->caller);
	sample->id = voice->id;
	sample->is_derived = row != NULL;
	sample->revision = row ? row->revision : 0;
	sample->peer = (struct peer){.ops = &peer_ops, .peer = sample};
	buf_init(&sample->audio, AUDIO_MAX);
	mem_ref(call->request);
	mem_set_destructor(sample, voice_sample_destroy);
	err = voice_sample_choose_text(sample, voice, row);
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
	struct dictionary_cache *dictionaries = call->server->dictionaries;
	const struct voice *voice = voice_view_find_to_change(call);
	struct voice_sample *sample;

	if (!voice) {
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
		return;
	}
	if (voice->base_id && !voice_view_is_own(call, voice))
		return;
	if (voice_sample_alloc(&sample, call, voice) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	http_on_gone(call->request, voice_sample_on_gone, sample);
	if (dictionary_cache_has(dictionaries, sample->call.key->project_id))
		voice_sample_speak(sample);
	else if (dictionary_cache_refresh(dictionaries, sample->call.key->project_id,
					  voice_sample_on_dictionaries, sample) != 0)
		voice_sample_fail(sample, WIRE_ERROR_INTERNAL, NULL);
}

static int voice_sample_read_all(struct buf *audio, int fd)
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

/* On the store's thread.  ids[0] is the id of the voice. */
static int voice_sample_read(struct store_request *request, struct store *store)
{
	char path[PATH_SIZE];
	int err = voice_sample_path_of(path, request->call.server, request->call.ids[0], ".wav");
	int fd = err ? -1 : open(path, O_RDONLY | O_CLOEXEC);

	(void)store;
	request->answer.len = 0;
	request->answer.max = AUDIO_MAX;
	request->type = "audio/wav";
	if (fd < 0 || voice_sample_read_all(&request->answer, fd) != 0)
		store_request_refuse(request, WIRE_ERROR_SAMPLE_NOT_FOUND, "");
	if (fd >= 0)
		close(fd);
	return request->fault.id == WIRE_ERROR_NONE ? 0 : EINVAL;
}

static void voice_sample_send(struct store_request *request, int err)
{
	const struct route_call *call = &request->call;

	(void)err;
	answer_head(call);
	answer_mark_speech(call);
	http_reply(call->request, 200, request->type, request->answer.bytes, request->answer.len);
}

void voice_sample_get(const struct route_call *call)
{
	static const struct store_subject subject = {
		.lane = ASYNC_STORE_QUERIES,
		.failure = WIRE_ERROR_SAMPLE_NOT_FOUND,
		.answer = voice_sample_send,
	};
	const struct voice *voice = voice_view_find(call);
	const struct store_voice *row =
		voice ? derived_voices_find(call->server->derived, voice->id) : NULL;
	struct route_call named = *call;

	if (!voice) {
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
		return;
	}
	if (voice->base_id && (!row || !row->sampled_ms)) {
		answer_error(call, WIRE_ERROR_SAMPLE_NOT_FOUND, NULL);
		return;
	}
	named.ids[0] = voice->id;
	store_request_run(&named, &subject, voice_sample_read, NULL);
}
