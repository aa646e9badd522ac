/*
 * fuzz_origin.c: who may use the server by its Host and Origin.
 *
 * An input is a byte that chooses the rules, a line that is the Host, and the Origin.  The results
 * are compared with those of a second implementation, which uses regular expressions and the C
 * library's functions for addresses.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "server/origin.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define NAME_MAX_LEN 253

enum fuzz_pattern { PATTERN_PLACE, PATTERN_SCHEME, PATTERN_HERE, PATTERN_NO_DOMAIN, PATTERNS };

static const char *const fuzz_patterns[PATTERNS] = {
	[PATTERN_PLACE] = "^(\\[([0-9a-f:.]+)\\]|[-a-z0-9._]+)(:([0-9]+))?$",
	[PATTERN_SCHEME] = "^[a-z][-a-z0-9+.]*://",
	[PATTERN_HERE] = "^(([-a-z0-9._]+\\.)?localhost|127\\.[0-9.]*|\\[::1\\]):[-0-9]+$",
	[PATTERN_NO_DOMAIN] = "^(\\[.*|[0-9.]+|[^.]*):[-0-9]+$",
};

static const struct origin_rules fuzz_rules[] = {
	{"127.0.0.1:8080", "", ""},
	{"[::1]:0", "", ""},
	{"0.0.0.0:80", "", ""},
	{"0.0.0.0:80", "tts.example a.example:81",
	 "https://app.example http://b.example:8080 null"},
	{"localhost:80", "tts.example",
	 "https://app.example:443 tauri://localhost http://[2001:db8::1]"},
	{"127.0.0.1:1", "", "*"},
};

static const bool fuzz_is_alone[COUNT(fuzz_rules)] = {true, true, false, false, true, true};

/* Writes "name:port" or "[address]:port" in one canonical form, always with the port. */
static bool fuzz_spell(char out[600], const char *text, const regmatch_t *match, int default_port)
{
	int host_len = (int)(match[1].rm_eo - match[1].rm_so);
	int port_len = (int)(match[4].rm_eo - match[4].rm_so);
	struct in6_addr address;
	char host[512];
	long port = default_port;

	if (host_len > NAME_MAX_LEN || port_len > 5)
		return false;
	snprintf(host, sizeof(host), "%.*s", host_len, text + match[1].rm_so);
	if (match[2].rm_so >= 0) {
		host[host_len - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &address) != 1)
			return false;
		inet_ntop(AF_INET6, &address, host, sizeof(host));
	}
	for (char *c = host; *c; ++c)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	if (port_len > 0)
		port = strtol(text + match[4].rm_so, NULL, 10);
	snprintf(out, 600, "%s%s%s:%ld", match[2].rm_so >= 0 ? "[" : "", host,
		 match[2].rm_so >= 0 ? "]" : "", port);
	return port <= 65535;
}

static bool fuzz_fits(enum fuzz_pattern pattern, const char *text, regmatch_t match[6])
{
	static regex_t regexes[PATTERNS];
	static bool are_made;

	for (size_t i = 0; !are_made && i < PATTERNS; ++i) {
		if (regcomp(&regexes[i], fuzz_patterns[i], REG_EXTENDED | REG_ICASE) != 0)
			abort();
	}
	are_made = true;
	return regexec(&regexes[pattern], text, 6, match, 0) == 0;
}

/* Reads a Host into its canonical form. */
static bool fuzz_read_host(char spelled[600], const char *host, int default_port)
{
	regmatch_t match[6];

	return fuzz_fits(PATTERN_PLACE, host, match) &&
	       fuzz_spell(spelled, host, match, default_port);
}

/* Reads an Origin: its scheme, and its host in canonical form.  False if it is not an origin. */
static bool fuzz_read_origin(char scheme[64], char spelled[600], int *default_port,
			     const char *origin)
{
	const char *colon = strstr(origin, "://");
	regmatch_t match[6];

	if (!colon || colon - origin > 60 || !fuzz_fits(PATTERN_SCHEME, origin, match))
		return false;
	snprintf(scheme, 64, "%.*s", (int)(colon - origin), origin);
	*default_port = strcasecmp(scheme, "http") == 0    ? 80
			: strcasecmp(scheme, "https") == 0 ? 443
							   : -1;
	return fuzz_read_host(spelled, colon + 3, *default_port);
}

static bool fuzz_is_here(const char *spelled)
{
	regmatch_t match[6];

	return fuzz_fits(PATTERN_HERE, spelled, match);
}

static bool fuzz_is_domain(const char *spelled)
{
	regmatch_t match[6];

	return !fuzz_fits(PATTERN_NO_DOMAIN, spelled, match) && !fuzz_is_here(spelled);
}

/* Whether is_it returns true for any word of a list. */
static bool fuzz_any(const char *list, bool (*is_it)(const char *word, void *arg), void *arg)
{
	char copy[256];
	char *save = NULL;

	snprintf(copy, sizeof(copy), "%s", list);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (is_it(word, arg))
			return true;
	}
	return false;
}

static bool fuzz_names_host(const char *word, void *arg)
{
	const char *host = arg;
	size_t len = strlen(word);

	return strncasecmp(word, host, len) == 0 &&
	       (host[len] == '\0' || (host[len] == ':' && !strchr(word, ':')));
}

static bool fuzz_names_origin(const char *word, void *arg)
{
	const char *origin = arg;
	char schemes[2][64];
	char spelled[2][600];
	int port;

	if (strcasecmp(word, origin) == 0)
		return true;
	return fuzz_read_origin(schemes[0], spelled[0], &port, word) &&
	       fuzz_read_origin(schemes[1], spelled[1], &port, origin) &&
	       strcasecmp(schemes[0], schemes[1]) == 0 && strcmp(spelled[0], spelled[1]) == 0;
}

static bool fuzz_knows_host(size_t which, char *host)
{
	const struct origin_rules *rules = &fuzz_rules[which];
	char spelled[600];

	if (host[0] == '\0')
		return false;
	if (!fuzz_is_alone[which] && rules->hosts[0] == '\0')
		return true;
	if (!fuzz_read_host(spelled, host, -1))
		return false;
	return (fuzz_is_alone[which] && !fuzz_is_domain(spelled)) ||
	       fuzz_any(rules->hosts, fuzz_names_host, host);
}

static bool fuzz_is_welcome(size_t which, const char *host, char *origin)
{
	const struct origin_rules *rules = &fuzz_rules[which];
	char scheme[64];
	char page[600];
	char own[600];
	int port;

	if (strcmp(rules->origins, "*") == 0 || fuzz_any(rules->origins, fuzz_names_origin, origin))
		return true;
	if (!fuzz_read_origin(scheme, page, &port, origin) || port < 0)
		return false;
	if (fuzz_read_host(own, host, port) && strcmp(page, own) == 0)
		return true;
	return fuzz_is_here(page) && fuzz_is_alone[which];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *host;
	char *origin;
	size_t which;
	struct origin_claim claim;

	if (len == 0 || len > 700 || memchr(bytes, '\0', len))
		return 0;
	which = bytes[0] % COUNT(fuzz_rules);
	host = strndup((const char *)bytes + 1, len - 1);
	if (!host)
		return 0;
	origin = strchr(host, '\n');
	if (origin && !strchr(origin + 1, '\n')) {
		*origin++ = '\0';
		origin = strdup(origin);
		claim = (struct origin_claim){.host = host, .origin = origin};
		assert(origin);
		assert(origin_knows_host(&fuzz_rules[which], host) == fuzz_knows_host(which, host));
		assert(origin_is_allowed(&fuzz_rules[which], &claim) ==
		       fuzz_is_welcome(which, host, origin));
		free(origin);
	}
	free(host);
	return 0;
}
