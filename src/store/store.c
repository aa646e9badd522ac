/*
 * store.c: selects a backend by its address (see store.h).
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool store_begins_with(const char *address, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncmp(address, scheme, len) == 0 && address[len] != '\0';
}

const char *store_sqlite_path(const char *address)
{
	static const char scheme[] = "sqlite:";

	return store_begins_with(address, scheme) ? address + strlen(scheme) : NULL;
}

static bool store_is_postgres(const char *address)
{
	return store_begins_with(address, "postgresql://") ||
	       store_begins_with(address, "postgres://");
}

bool store_is_permanent_error(int err)
{
	return err == EINVAL || err == EACCES || err == ENOTSUP || err == EPROTONOSUPPORT;
}

int store_open_patiently(struct store **storep, bool *is_away, const char *address)
{
	*is_away = false;
	if (store_is_postgres(address))
		return store_open_postgres_patiently(storep, is_away, address);
	return store_open(storep, address); /* a file exists or not: there is nothing to wait for */
}

int store_look(const char *address)
{
	const char *path = store_sqlite_path(address);

	if (path)
		return store_look_sqlite(path);
	if (store_is_postgres(address))
		return store_look_postgres(address);
	return strcmp(address, "memory:") == 0 ? ENOENT : EPROTONOSUPPORT;
}

int store_open(struct store **storep, const char *address)
{
	const char *path = store_sqlite_path(address);

	if (path)
		return store_open_sqlite(storep, path);
	if (store_is_postgres(address))
		return store_open_postgres(storep, address);
	if (strcmp(address, "memory:") == 0)
		return store_open_memory(storep);
	return EPROTONOSUPPORT;
}

/* A password is either before the @ or among the options after the path.  If there is another @,
 * the address is ambiguous, and nothing of it is shown. */
void store_show_address(char shown[STORE_ADDRESS_SHOWN], const char *address)
{
	const char *scheme_end = strstr(address, "://");
	const char *host = scheme_end ? scheme_end + 3 : address;
	const char *at = strrchr(host, '@');
	size_t len;

	if (!scheme_end) {
		snprintf(shown, STORE_ADDRESS_SHOWN, "%s", address);
		return;
	}
	if (at && (size_t)(at - host) < strcspn(host, "/?#"))
		host = at + 1;
	else if (at)
		host = "";
	len = strcspn(host, "?");
	snprintf(shown, STORE_ADDRESS_SHOWN, "%.*s%.*s", (int)(scheme_end + 3 - address), address,
		 (int)len, host);
}

uint64_t store_turn_quantity(const struct store_turn *turn)
{
	bool is_speech = turn->kind == STORE_KIND_SPEECH && turn->unit == STORE_UNIT_SAMPLES;

	return is_speech ? turn->samples : turn->quantity;
}

void store_usage_add(struct store_usage *sum, const struct store_usage *usage)
{
	sum->turns += usage->turns;
	sum->audio_us += usage->audio_us;
	sum->characters += usage->characters;
	sum->heard_us += usage->heard_us;
	sum->answers += usage->answers;
	sum->tokens_in += usage->tokens_in;
	sum->tokens_out += usage->tokens_out;
	sum->tokens_estimated += usage->tokens_estimated;
	sum->amount_microcents += usage->amount_microcents;
}
