/*
 * late_key.c: a key that comes in the first message of a WebSocket (see
 * late_key.h).
 */
#include "server/late_key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wire/elevenlabs_message.h"

#define KEY_TEXT_MAX 256

/* What a token must be for. */
static const char door[] = "/v1/text-to-speech/{id}/stream-input";

struct late_key {
	struct server *server;
	unsigned scopes;
	const struct late_key_ops *ops;
	void *arg;
	struct buf kept; /* messages, each with its length before it */
	struct members_check *check;
	struct timer timer;
	bool is_known; /* its owner was told who the client is … */
	bool is_refused; /* … or that it must not continue */
};

static struct timers *timers_of(const struct late_key *late)
{
	return &late->server->loop->timers;
}

void late_key_refuse(struct late_key *late, enum wire_error_id id, const char *detail)
{
	if (late->is_refused)
		return;
	late->is_refused = true;
	timer_clear(timers_of(late), &late->timer);
	late->ops->refused(late->arg, id, detail);
}

static void on_late(void *arg)
{
	late_key_refuse(arg, WIRE_ERROR_MISSING_KEY, "no message came");
}

static void on_checked(int err, struct member *member, void *arg)
{
	struct late_key *late = arg;

	late->check = NULL;
	if (late->is_refused)
		return;
	if (err == EACCES) {
		late_key_refuse(late, WIRE_ERROR_WRONG_KEY, NULL);
	} else if (err) {
		late_key_refuse(late, WIRE_ERROR_NO_KEYS, NULL);
	} else if (!(member_key(member)->scopes & late->scopes)) {
		late_key_refuse(late, WIRE_ERROR_FORBIDDEN, "the key may not speak");
	} else {
		late->is_known = true;
		late->ops->known(late->arg, member);
	}
}

static int ask(struct late_key *late, const char *json, size_t len)
{
	char key[KEY_TEXT_MAX];
	char *copy = malloc(len > 0 ? len : 1);
	int err;

	if (!copy)
		return ENOMEM;
	memcpy(copy, json, len);
	elevenlabs_message_key(key, sizeof(key), copy, len);
	explicit_bzero(copy, len);
	free(copy);
	if (!key[0])
		return EACCES;
	err = members_check(&late->check, late->server->members, key, strlen(key), door, on_checked,
			    late);
	explicit_bzero(key, sizeof(key));
	return err;
}

static int keep(struct late_key *late, const char *json, size_t len)
{
	int err = buf_reserve(&late->kept, sizeof(len) + len);

	if (err)
		return err;
	buf_append(&late->kept, &len, sizeof(len));
	return buf_append(&late->kept, json, len);
}

void late_key_message(struct late_key *late, const char *json, size_t len)
{
	bool is_first = late->kept.len == 0 && !late->is_known;
	int err;

	if (late->is_refused)
		return; /* its owner is closing */
	err = keep(late, json, len);

	if (!err && is_first) {
		timer_clear(timers_of(late), &late->timer);
		err = ask(late, json, len);
	}
	if (err == EACCES)
		late_key_refuse(late, WIRE_ERROR_MISSING_KEY,
				"the first message has no xi_api_key");
	else if (err == ENOBUFS)
		late_key_refuse(late, WIRE_ERROR_TEXT_TOO_LONG, NULL);
	else if (err)
		late_key_refuse(late, WIRE_ERROR_INTERNAL, NULL);
}

size_t late_key_held_bytes(const struct late_key *late)
{
	return late->kept.size;
}

bool late_key_was_refused(const struct late_key *late)
{
	return late->is_refused;
}

void late_key_replay(struct late_key *late, void (*say)(void *arg, char *json, size_t len),
		     void *arg)
{
	size_t at = 0;

	while (at < late->kept.len) {
		size_t len;

		memcpy(&len, late->kept.bytes + at, sizeof(len));
		at += sizeof(len);
		say(arg, late->kept.bytes + at, len);
		at += len;
	}
	buf_reset(&late->kept);
}

static void late_key_destroy(void *object)
{
	struct late_key *late = object;

	timer_clear(timers_of(late), &late->timer);
	if (late->check)
		members_forget(late->check);
	buf_reset(&late->kept);
}

int late_key_alloc(struct late_key **latep, struct server *server, unsigned scopes,
		   const struct late_key_ops *ops, void *arg)
{
	struct late_key *late = mem_zalloc(sizeof(*late), NULL);

	if (!late)
		return ENOMEM;
	late->server = server;
	late->scopes = scopes;
	late->ops = ops;
	late->arg = arg;
	buf_init(&late->kept, LATE_KEY_KEPT_MAX + sizeof(size_t));
	mem_set_destructor(late, late_key_destroy);
	timer_set(timers_of(late), &late->timer, LATE_KEY_MS * UINT64_C(1000), on_late, late);
	*latep = late;
	return 0;
}
