/*
 * playback.c: plays or saves the audio that a command receives (see playback.h).
 */
#include "cli/playback.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audio/wav.h"
#include "base/base64.h"
#include "base/count.h"
#include "base/json.h"
#include "base/mem.h"

struct playback {
	FILE *out; /* NULL until the first audio arrives */
	const char *file; /* NULL if the audio is played by `player` */
	const char *player; /* the command that plays the audio */
	const char *otherwise; /* added to the error if there is no player: what to do instead */
	bool show_progress;
	struct audio_format format;
	bool has_header;
	uint64_t bytes;
	uint64_t samples;
	unsigned chunks;
	bool closed;
	char error[256]; /* "" if there is none */
};

/* Audio players, best first; all read WAV from a pipe. Their own messages about sound cards are
 * hidden, because ours says what to do. */
static const char *const players[] = {
	"pw-play -",
	"paplay",
	"aplay -q -",
	"play -q -t wav -",
	"ffplay -nodisp -autoexit -v quiet -",
};

static bool playback_is_on_path(const char *command)
{
	char check[128];

	snprintf(check, sizeof(check), "command -v %.*s >/dev/null 2>&1",
		 (int)strcspn(command, " "), command);
	return system(check) == 0;
}

static void playback_destroy(void *object)
{
	struct playback *playback = object;

	if (!playback->out || playback->out == stdout)
		return;
	if (playback->file)
		fclose(playback->out);
	else
		pclose(playback->out);
}

static void playback_choose_player(struct playback *playback)
{
	signal(SIGPIPE, SIG_IGN); /* a player may exit at any time */
	for (size_t i = 0; i < COUNT(players) && !playback->player; ++i) {
		if (playback_is_on_path(players[i]))
			playback->player = players[i];
	}
	if (!playback->player)
		snprintf(playback->error, sizeof(playback->error),
			 "no player found (aplay, paplay, pw-play, play or ffplay)%s",
			 playback->otherwise);
}

int playback_alloc(struct playback **playbackp, const char *file, bool show_progress)
{
	struct playback *playback = mem_zalloc(sizeof(*playback), playback_destroy);

	if (!playback)
		return ENOMEM;
	playback->file = file;
	playback->show_progress = show_progress && isatty(STDERR_FILENO);
	playback->otherwise = "; write a file with -o FILE.wav";
	if (!file)
		playback_choose_player(playback);
	else if (strcmp(file, "-") == 0)
		playback->out = stdout;
	if (playback->error[0] != '\0') {
		fprintf(stderr, "syrinx: %s\n", playback->error);
		mem_deref(playback);
		return EIO;
	}
	*playbackp = playback;
	return 0;
}

int playback_alloc_silent(struct playback **playbackp)
{
	struct playback *playback = mem_zalloc(sizeof(*playback), playback_destroy);

	if (!playback)
		return ENOMEM;
	playback->otherwise = "";
	playback_choose_player(playback);
	*playbackp = playback;
	return 0;
}

static void playback_write_header(struct playback *playback, uint32_t len)
{
	uint8_t header[WAV_HEADER_MAX];
	size_t n = wav_write_header(header, &playback->format, len);

	fwrite(header, 1, n, playback->out);
	playback->has_header = true;
}

static void playback_show_progress(const struct playback *playback)
{
	if (playback->show_progress)
		fprintf(stderr, "\r%.1f s of speech in %u chunks ",
			(double)playback->samples / playback->format.sample_rate, playback->chunks);
}

/* The player is started, or the file created, when the first audio arrives: earlier errors are
 * not the player's fault, and leave an existing file unchanged. */
static bool playback_is_open(struct playback *playback)
{
	char command[128];

	if (playback->out)
		return true;
	if (playback->file) {
		playback->out = fopen(playback->file, "wbe");
		return playback->out;
	}
	snprintf(command, sizeof(command), "%s 2>/dev/null", playback->player);
	playback->out = popen(command, "we");
	return playback->out;
}

static void playback_describe_failure(struct playback *playback)
{
	if (playback->file)
		snprintf(playback->error, sizeof(playback->error), "cannot write %s: %s",
			 playback->file, strerror(errno));
	else
		snprintf(playback->error, sizeof(playback->error),
			 "the player (%.*s) failed; there may be no sound card%s",
			 (int)strcspn(playback->player, " "), playback->player,
			 playback->otherwise);
}

static void playback_take_audio(struct playback *playback, const char *base64, size_t len)
{
	uint8_t *bytes = malloc(base64_decoded_max(len) + 1);
	size_t n;

	if (!playback_is_open(playback)) {
		playback_describe_failure(playback);
	} else if (bytes && base64_decode(bytes, &n, base64, len) == 0) {
		if (!playback->has_header)
			playback_write_header(playback, WAV_LEN_UNKNOWN);
		fwrite(bytes, 1, n, playback->out);
		playback->bytes += n;
	} else {
		snprintf(playback->error, sizeof(playback->error),
			 "the server sent an invalid audio frame");
	}
	free(bytes);
	playback_show_progress(playback);
}

struct reading {
	struct json_value audio;
	int64_t sample_rate, samples;
	struct audio_format format;
	bool has_audio, complete, closed;
};

static void playback_read_member(struct reading *r, struct playback *playback,
				 const struct json_value *key, const struct json_value *value)
{
	if (json_is(key, "audio") && value->kind == JSON_KIND_STRING) {
		r->audio = *value;
		r->has_audio = true;
	} else if (json_is(key, "sr")) {
		json_to_integer(&r->sample_rate, value);
	} else if (json_is(key, "samples")) {
		json_to_integer(&r->samples, value);
	} else if (json_is(key, "enc")) {
		r->format.encoding = json_is(value, "mulaw")  ? AUDIO_MULAW
				     : json_is(value, "alaw") ? AUDIO_ALAW
							      : AUDIO_PCM16;
	} else if (json_is(key, "chunk_complete")) {
		r->complete = true;
	} else if (json_is(key, "session_closed")) {
		r->closed = true;
	} else if (json_is(key, "error") && value->kind == JSON_KIND_STRING) {
		snprintf(playback->error, sizeof(playback->error), "%.*s", (int)value->len,
			 value->text);
	}
}

void playback_message(struct playback *playback, char *json, size_t len)
{
	struct json scan;
	struct json_value value;
	struct json_value key;
	struct reading r = {0};

	json_open(&scan, json, len);
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return;
	while (json_member(&scan, &key)) {
		if (json_value(&scan, &value) != 0)
			return;
		playback_read_member(&r, playback, &key, &value);
		json_skip(&scan, &value);
	}
	if (r.has_audio) {
		playback->format = r.format;
		playback->format.sample_rate = (unsigned)r.sample_rate;
		playback->samples += (uint64_t)r.samples;
		playback_take_audio(playback, r.audio.text, r.audio.len);
	}
	playback->chunks += r.complete;
	playback->closed |= r.closed;
}

bool playback_is_over(const struct playback *playback)
{
	return playback->closed || playback->error[0] != '\0';
}

void playback_interrupt(struct playback *playback)
{
	if (playback->error[0] == '\0' && !playback->closed)
		snprintf(playback->error, sizeof(playback->error), "interrupted");
}

/* Closes the file or waits for the player; false if that failed. */
static bool playback_close_out(struct playback *playback)
{
	FILE *out = playback->out;
	bool good = fflush(out) == 0 && !ferror(out);

	if (out == stdout)
		return good;
	playback->out = NULL;
	return (playback->file ? fclose(out) == 0 : pclose(out) == 0) && good;
}

const char *playback_end(struct playback *playback)
{
	bool is_file = playback->file && playback->out != stdout;

	if (playback->has_header && playback->bytes % 2 == 1)
		fputc(0, playback->out); /* RIFF chunks have an even size */
	if (playback->has_header && is_file && fseek(playback->out, 0, SEEK_SET) == 0)
		playback_write_header(playback, (uint32_t)playback->bytes);
	/* A player that was ended by a signal fails, too; then the earlier error is the reason. */
	if (playback->out && !playback_close_out(playback) && playback->error[0] == '\0')
		playback_describe_failure(playback);
	else if (!playback->closed && playback->error[0] == '\0')
		snprintf(playback->error, sizeof(playback->error),
			 "the connection was closed before the speech was complete");
	return playback->error;
}

int playback_finish(struct playback *playback)
{
	bool is_cut = playback->error[0] != '\0' && playback->bytes > 0;
	const char *error;

	if (playback->show_progress)
		fprintf(stderr, "\n");
	error = playback_end(playback);
	if (!playback->has_header && error[0] == '\0')
		error = "there is nothing to say";
	if (error[0] == '\0')
		return 0;
	fprintf(stderr, "syrinx: %s%s\n", error,
		is_cut ? " (only part of the text was spoken)" : "");
	return EIO;
}
