/*
 * client.h: the server's end of the worker protocol, for tests of engines.
 *
 * Everything blocks, and whatever takes longer than CLIENT_TIMEOUT_MS fails
 * the test.
 */
#ifndef TEST_ENGINE_CLIENT_H
#define TEST_ENGINE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "workers/message.h"

#define CLIENT_TIMEOUT_MS 30000
#define CLIENT_VOICES_MAX 1024
#define CLIENT_WORDS_MAX 8192
#define CLIENT_MODELS_MAX 64

struct client_voice {
	char name[80];
	char language[16];
	char title[128];
	char licence[256];
	uint32_t sample_rate;
};

struct client_model {
	char name[80];
	uint32_t capabilities;
	uint32_t piece_max;
};

struct client {
	pid_t pid;
	int fd;
	struct buf in;
	size_t in_used; /* of the message that was handed out last */
	uint32_t made_samples; /* of the last MADE */
	char engine[32];
	uint32_t capabilities;
	uint16_t jobs_max;
	struct client_voice *voices;
	size_t voice_count;
	struct client_model models[CLIENT_MODELS_MAX]; /* of an engine that listens */
	size_t model_count;
	size_t note_count;
	char note[256]; /* the last one's text */
};

/* What came of one job. */
struct client_job {
	bool is_done;
	int16_t *samples;
	size_t count;
	uint32_t sample_rate;
	struct message_word *words;
	size_t word_count;
	struct message_done_report done; /* without its detail */
};

/* Starts the program with the socket as descriptor 3; argv ends with NULL. */
void client_start(struct client *client, char *const argv[]);

/* Programs started from now on are confined before they are executed, as the
 * server does it with programs in any language. */
void client_confine(void);

/* HELLO, and all that answers it. */
void client_greet(struct client *client);

/* Closes the socket and gives the wait status. */
int client_end(struct client *client);

/* Only waits, for a worker that ends by itself. */
int client_wait(struct client *client);

void client_send(struct client *client, const struct message *message);
void client_send_bytes(struct client *client, const void *bytes, size_t n);

/* A SPEAK with speed 1, words wanted and all credit there is, which is a turn by itself. */
struct message client_speak(uint32_t job, const char *voice, const char *text);

/* The next message, valid until the next call; false at the end. */
bool client_next(struct client *client, struct message *message);

/* True when there is nothing to read for so long. */
bool client_is_silent(struct client *client, int ms);

/* Reads until a job's DONE, or until it has so many samples. */
void client_read_job(struct client *client, struct client_job *job, uint32_t id, size_t until);
void client_job_reset(struct client_job *job);

/* For n jobs at once, with ids from first_id on: reads one message and gives it
 * to its job, which is returned; or reads until all of them are done. */
struct client_job *client_read_any(struct client *client, struct client_job *jobs,
				   uint32_t first_id, size_t n);
void client_read_all(struct client *client, struct client_job *jobs, uint32_t first_id, size_t n);

/* Ends the test as skipped, with the reason that tools/run-tests shows. */
void client_skip(const char *reason);

/* The first voice of a language, or the first of all. */
const struct client_voice *client_voice_of(const struct client *client, const char *language);

#endif
