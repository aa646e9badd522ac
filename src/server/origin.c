/*
 * origin.c: decides which web pages may use this server (see origin.h).
 *
 * Two origins are both parsed before they are compared, by the grammar of an origin: a scheme,
 * "://", a host, optionally a port, and nothing else.  Names are compared ignoring case, IPv6
 * addresses by value, and a missing port counts as the default of its scheme.  A dot at the end is
 * part of a name, as in browsers.
 */
#include "server/origin.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ORIGIN_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define ORIGIN_DIGITS "0123456789"

/* Internationalized names also consist of these characters (RFC 5890). */
#define ORIGIN_NAME ORIGIN_LETTERS ORIGIN_DIGITS "-._"

#define ORIGIN_NAME_MAX 253 /* characters of a DNS name */
#define ORIGIN_PORT_NONE (-1)

/* A host and a port, as in a Host header. */
struct origin_place {
	const char *host;
	size_t host_len; /* with the brackets of an IPv6 address */
	bool is_ipv6;
	struct in6_addr address; /* for IPv6 */
	int port; /* ORIGIN_PORT_NONE where none is given */
};

struct origin {
	const char *scheme;
	size_t scheme_len;
	struct origin_place place;
};

/* Parses "" or ":PORT", with nothing after it. */
static int origin_read_port(int *port, const char *text)
{
	size_t digits;

	*port = ORIGIN_PORT_NONE;
	if (text[0] == '\0')
		return 0;
	digits = strspn(text + 1, ORIGIN_DIGITS);
	if (text[0] != ':' || digits == 0 || digits > 5 || text[1 + digits] != '\0')
		return EINVAL;
	*port = 0;
	for (size_t i = 1; i <= digits; ++i)
		*port = *port * 10 + (text[i] - '0');
	return *port <= 65535 ? 0 : EINVAL;
}

/* Parses "[ADDRESS]", without a zone, which is only meaningful on one machine. */
static int origin_read_ipv6(struct origin_place *place, const char *text)
{
	char address[INET6_ADDRSTRLEN];
	size_t len = strcspn(text, "]");

	if (text[len] != ']' || len - 1 >= sizeof(address))
		return EINVAL;
	memcpy(address, text + 1, len - 1);
	address[len - 1] = '\0';
	place->is_ipv6 = true;
	place->host_len = len + 1;
	return inet_pton(AF_INET6, address, &place->address) == 1 ? 0 : EINVAL;
}

static int origin_read_place(struct origin_place *place, const char *text)
{
	*place = (struct origin_place){.host = text};
	if (text[0] == '[') {
		if (origin_read_ipv6(place, text) != 0)
			return EINVAL;
	} else {
		place->host_len = strspn(text, ORIGIN_NAME);
		if (place->host_len == 0 || place->host_len > ORIGIN_NAME_MAX)
			return EINVAL;
	}
	return origin_read_port(&place->port, text + place->host_len);
}

static int origin_read(struct origin *origin, const char *text)
{
	*origin = (struct origin){.scheme = text};
	origin->scheme_len = strspn(text, ORIGIN_LETTERS ORIGIN_DIGITS "+-.");
	if (origin->scheme_len == 0 || !strchr(ORIGIN_LETTERS, text[0]) ||
	    strncmp(text + origin->scheme_len, "://", 3) != 0)
		return EINVAL;
	return origin_read_place(&origin->place, text + origin->scheme_len + 3);
}

static bool origin_text_is(const char *text, size_t len, const char *other)
{
	return strlen(other) == len && strncasecmp(text, other, len) == 0;
}

/* The default port of a page's scheme; ORIGIN_PORT_NONE for other schemes. */
static int origin_default_port(const struct origin *origin)
{
	if (origin_text_is(origin->scheme, origin->scheme_len, "http"))
		return 80;
	if (origin_text_is(origin->scheme, origin->scheme_len, "https"))
		return 443;
	return ORIGIN_PORT_NONE;
}

static bool origin_same_place(const struct origin_place *a, const struct origin_place *b,
			      int default_port)
{
	int a_port = a->port == ORIGIN_PORT_NONE ? default_port : a->port;
	int b_port = b->port == ORIGIN_PORT_NONE ? default_port : b->port;

	if (a_port != b_port || a->is_ipv6 != b->is_ipv6)
		return false;
	if (a->is_ipv6)
		return memcmp(&a->address, &b->address, sizeof(a->address)) == 0;
	return a->host_len == b->host_len && strncasecmp(a->host, b->host, a->host_len) == 0;
}

/* Only digits and dots, which cannot be a DNS name because no top-level domain is numeric. */
static bool origin_is_ipv4(const struct origin_place *place)
{
	return !place->is_ipv6 && strspn(place->host, ORIGIN_DIGITS ".") == place->host_len;
}

/* 127.0.0.0/8, ::1, localhost and its subdomains: browsers never ask a name server for these. */
static bool origin_is_this_machine(const struct origin_place *place)
{
	static const char local[] = ".localhost";
	size_t tail = strlen(local);

	if (place->is_ipv6)
		return memcmp(&place->address, &in6addr_loopback, sizeof(in6addr_loopback)) == 0;
	if (origin_is_ipv4(place))
		return strncmp(place->host, "127.", 4) == 0;
	return origin_text_is(place->host, place->host_len, "localhost") ||
	       (place->host_len > tail &&
		strncasecmp(place->host + place->host_len - tail, local, tail) == 0);
}

/* Whether it is a name that somebody can register and point to any address. */
static bool origin_is_domain(const struct origin_place *place)
{
	return !place->is_ipv6 && !origin_is_ipv4(place) && !origin_is_this_machine(place) &&
	       memchr(place->host, '.', place->host_len);
}

/* Whether only programs on this machine can reach the server. */
static bool origin_listens_alone(const struct origin_rules *rules)
{
	struct origin_place place;

	return origin_read_place(&place, rules->listen) == 0 && origin_is_this_machine(&place);
}

static bool origin_list_has(const char *list, const char *text, size_t len)
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
	bool is_alone = origin_listens_alone(rules);
	struct origin_place place;

	if (!host || host[0] == '\0')
		return false;
	if (!is_alone && !rules->hosts[0])
		return true;
	if (origin_read_place(&place, host) != 0)
		return false;
	if (is_alone && !origin_is_domain(&place))
		return true;
	return origin_list_has(rules->hosts, host, place.host_len) ||
	       origin_list_has(rules->hosts, host, strlen(host));
}

/* Reads the next word of a list and whether it is an origin; false at the end of the list. */
static bool origin_next(char word[ORIGIN_SIZE], const char **list, bool *is_origin,
			struct origin *origin)
{
	size_t len;

	*list += strspn(*list, " ");
	len = strcspn(*list, " ");
	if (len == 0)
		return false;
	snprintf(word, ORIGIN_SIZE, "%.*s", (int)len, *list);
	*is_origin = len < ORIGIN_SIZE && origin_read(origin, word) == 0;
	*list += len;
	return true;
}

/* Whether the list has this text, or the same origin in another spelling (`origin`; NULL: the text
 * is not an origin).  The text is compared too because some clients send values that are not origins
 * by the grammar, such as "null" and "file://". */
static bool origin_is_listed(const char *list, const char *text, const struct origin *origin)
{
	char word[ORIGIN_SIZE];
	struct origin other;
	bool is_origin;

	if (origin_list_has(list, text, strlen(text)))
		return true;
	while (origin && origin_next(word, &list, &is_origin, &other)) {
		if (is_origin && origin->scheme_len == other.scheme_len &&
		    strncasecmp(origin->scheme, other.scheme, other.scheme_len) == 0 &&
		    origin_same_place(&origin->place, &other.place, origin_default_port(origin)))
			return true;
	}
	return false;
}

bool origin_is_allowed(const struct origin_rules *rules, const struct origin_claim *claim)
{
	struct origin page;
	struct origin_place host;
	bool is_origin = origin_read(&page, claim->origin) == 0;

	if (strcmp(rules->origins, "*") == 0 ||
	    origin_is_listed(rules->origins, claim->origin, is_origin ? &page : NULL))
		return true;
	if (!is_origin || origin_default_port(&page) == ORIGIN_PORT_NONE)
		return false; /* not a page that was served by a server */
	if (claim->host && origin_read_place(&host, claim->host) == 0 &&
	    origin_same_place(&page.place, &host, origin_default_port(&page)))
		return true;
	return origin_is_this_machine(&page.place) && origin_listens_alone(rules);
}

bool origin_find_mistake(char word[ORIGIN_SIZE], const char *origins)
{
	struct origin origin;
	bool is_origin;

	while (origin_next(word, &origins, &is_origin, &origin)) {
		if (!is_origin && strcmp(word, "*") != 0 && strcmp(word, "null") != 0 &&
		    strcasecmp(word, "file://") != 0)
			return true;
	}
	return false;
}
