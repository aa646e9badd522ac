/*
 * origin.c: which web pages may use this server (see origin.h).
 */
#include "server/origin.h"

#include <string.h>
#include <strings.h>

/* A host's name without its port; brackets stay. */
static size_t name_len(const char *host)
{
	const char *end = host[0] == '[' ? strchr(host, ']') : NULL;

	return end ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool name_is(const char *name, size_t len, const char *other)
{
	return strlen(other) == len && strncasecmp(name, other, len) == 0;
}

/* 127.0.0.0/8, ::1, localhost and what is below it: browsers never ask a name
 * server for these. */
static bool is_this_machine(const char *host)
{
	static const char local[] = ".localhost";
	size_t len = name_len(host);

	if (name_is(host, len, "localhost") || name_is(host, len, "[::1]"))
		return true;
	if (len > strlen(local) &&
	    strncasecmp(host + len - strlen(local), local, strlen(local)) == 0)
		return true;
	return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len;
}

/* An IPv6 address, or one of numbers alone. */
static bool is_address(const char *host)
{
	return host[0] == '[' || strspn(host, "0123456789.") == name_len(host);
}

static bool is_domain(const char *host)
{
	return memchr(host, '.', name_len(host)) && !is_address(host) && !is_this_machine(host);
}

static bool list_has(const char *list, const char *text, size_t len)
{
	while (*list) {
		size_t word;

		list += strspn(list, " ");
		word = strcspn(list, " ");
		if (word == len && word > 0 && strncasecmp(list, text, len) == 0)
			return true;
		list += word;
	}
	return false;
}

bool origin_knows_host(const struct origin_rules *rules, const char *host)
{
	if (!host || host[0] == '\0')
		return false;
	if (is_this_machine(rules->listen) && !is_domain(host))
		return true;
	if (rules->hosts[0])
		return list_has(rules->hosts, host, name_len(host)) ||
		       list_has(rules->hosts, host, strlen(host));
	return !is_this_machine(rules->listen);
}

/* "http://host:port" to "host:port"; NULL for what is no page's. */
static const char *host_of(const char *origin)
{
	if (strncasecmp(origin, "http://", 7) == 0)
		return origin + 7;
	if (strncasecmp(origin, "https://", 8) == 0)
		return origin + 8;
	return NULL;
}

bool origin_is_welcome(const struct origin_rules *rules, const struct origin_claim *claim)
{
	const char *host = host_of(claim->origin);

	if (strcmp(rules->origins, "*") == 0 ||
	    list_has(rules->origins, claim->origin, strlen(claim->origin)))
		return true;
	if (!host)
		return false;
	if (claim->host && strcasecmp(host, claim->host) == 0)
		return true;
	return is_this_machine(host) && is_this_machine(rules->listen);
}
