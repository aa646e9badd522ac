/*
 * metrics_page.c: GET /metrics, for Prometheus and `syrinx top`.
 *
 * Counters are incremented where things happen; gauges are set here, when the page is requested.
 * Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account/registry.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "server/agents.h"
#include "server/server_private.h"
#include "server/speech_engine.h"

#define TYPE "text/plain; version=0.0.4; charset=utf-8"

/* In the order of the values in config.c. */
enum metrics_readers { READERS_LOCAL, READERS_KEY, READERS_ALL };

/* The second number of /proc/self/statm is the number of pages in memory. */
static uint64_t metrics_page_resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long size = 0, resident = 0;
	int n = 0;

	if (file) {
		n = fscanf(file, "%llu %llu", &size, &resident);
		fclose(file);
	}
	return n == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void metrics_page_refresh(const struct server *server)
{
	struct pool_stats stats;
	struct hearing_pool_stats hearing;
	struct decoding_pool_stats decoding;

	pool_stats(server->pool, &stats);
	hearing_pool_stats(server->hearing_pool, &hearing);
	decoding_pool_stats(server->decoding_pool, &decoding);
	metrics_set(METRIC_CONNECTIONS, server->sockets.count);
	metrics_set(METRIC_CONVERSATIONS, server->conversations.count);
	metrics_set(METRIC_CALLS, server->calls.count);
	metrics_set(METRIC_JOBS_QUEUED, stats.jobs_queued);
	metrics_set(METRIC_JOBS_RUNNING, stats.jobs_running + stats.jobs_parked + stats.jobs_held);
	metrics_set(METRIC_WORKERS, stats.workers + hearing.workers + decoding.workers);
	metrics_set(METRIC_HEARING_STREAMS, hearing.streams);
	metrics_set(METRIC_HEARING_WAITING, hearing.pieces_waiting);
	metrics_set(METRIC_DECODING_JOBS, decoding.jobs);
	metrics_set(METRIC_DECODING_WAITING, decoding.jobs_queued);
	metrics_set(METRIC_VOICES, voices_count(pool_voices(server->pool)));
	metrics_set(METRIC_LEDGER_WAITING, async_store_waiting(server->async_store));
	metrics_set(METRIC_LEDGER_SPOOLED, async_store_spooled(server->async_store));
	metrics_set(METRIC_MEMORY, metrics_page_resident_bytes());
	metrics_set(METRIC_OBJECTS, mem_live());
	metrics_set(METRIC_STARTED, (uint64_t)(server->started_ms / 1000));
}

static uint64_t metrics_page_agent_number(enum metric metric, const struct agent_totals *totals)
{
	const struct conversation_figures *figures = &totals->figures;

	if (metric == METRIC_AGENT_CONVERSATIONS)
		return totals->conversations;
	if (metric == METRIC_AGENT_TURNS)
		return figures->turns;
	if (metric == METRIC_AGENT_CANCELS)
		return figures->cancels;
	if (metric == METRIC_AGENT_TOKENS)
		return figures->tokens_out;
	if (metric == METRIC_AGENT_ERRORS)
		return figures->llm_errors;
	if (metric == METRIC_AGENT_FALLBACKS)
		return figures->fallbacks;
	return metric == METRIC_AGENT_FIRSTS ? figures->firsts
					     : figures->first_ms_sum * UINT64_C(1000);
}

/* Agents are defined by the operator, so the table of metrics does not contain them. */
static bool metrics_page_agent_value(enum metric metric, size_t i, const char **value,
				     uint64_t *number, void *arg)
{
	const struct server *server = arg;
	struct agent_totals totals;

	if (!speech_engine_totals(server, i, &totals))
		return false;
	*value = agents_totals(server->agents, i)->name;
	*number = metrics_page_agent_number(metric, &totals);
	return true;
}

static void metrics_page_answer(const struct route_call *call)
{
	struct buf *scratch = &call->server->scratch;

	metrics_page_refresh(call->server);
	scratch->len = 0;
	if (metrics_print(scratch, metrics_page_agent_value, call->server) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	answer_head(call);
	http_reply(call->request, 200, TYPE, scratch->bytes, scratch->len);
}

/*
 * Names or prefixes of headers that reverse proxies, load balancers, content delivery networks and
 * tunnels add to forwarded requests.  A request with one of them originates elsewhere than in the
 * process that connected, whatever its value is, and a program on this machine has no reason to
 * send one.  These are the names that widely used products document; a proxy that adds none of them
 * cannot be recognized, as docs/metrics.md says.
 */
static const char *const metrics_page_proxy_headers[] = {
	"forwarded", /* RFC 7239; also Forwarded-For */
	"via", /* RFC 9110, 7.6.3 */
	"x-forwarded", /* -For, -Host, -Proto, -Port, -Server, -Prefix, ... */
	"x-original-", /* -Forwarded-For, -Host, -URL: ingress controllers, IIS */
	"x-real-", /* -IP, -Port: nginx */
	"x-client-ip",
	"client-ip",
	"x-cluster-client-ip",
	"x-proxyuser-ip",
	"proxy-client-ip",
	"wl-proxy-client-ip",
	"x-remote-ip",
	"x-remote-addr",
	"x-originating-ip",
	"true-client-ip", /* Akamai, Cloudflare */
	"cdn-loop", /* RFC 8586 */
	"cf-", /* Cloudflare and its tunnel: CF-Connecting-IP, CF-Ray */
	"fastly-",
	"fly-", /* Fly-Client-IP, Fly-Forwarded-Port */
	"x-envoy-", /* External-Address, ... */
	"x-azure-", /* Azure Front Door */
	"x-arr-", /* Azure App Service */
	"x-amzn-", /* load balancers of AWS */
	"x-amz-cf-", /* CloudFront */
	"x-appengine-",
	"x-cloud-trace-context", /* Google */
	"tailscale-", /* tailscale serve and funnel */
};

/* Whether the request comes from a program on this machine, and not through a proxy. */
static bool metrics_page_is_local(const struct http_request *request)
{
	char peer[HTTP_PEER_SIZE];

	http_peer(request, peer);
	if (strncmp(peer, "127.", 4) != 0 && strcmp(peer, "::1") != 0 &&
	    strncmp(peer, "::ffff:127.", 11) != 0)
		return false;
	for (size_t i = 0; i < COUNT(metrics_page_proxy_headers); ++i) {
		if (http_has_header_from(request, metrics_page_proxy_headers[i]))
			return false;
	}
	return true;
}

/* The figures are sums over all accounts and name the operator's agents, so the administrator
 * of one account must not see them. */
static void metrics_page_answer_operator(const struct route_call *call)
{
	if (registry_is_master(call->key))
		metrics_page_answer(call);
	else
		answer_error(call, WIRE_ERROR_FORBIDDEN,
			     "only the operator's key reads metrics of the whole server: one "
			     "with the scope admin, of the default account");
}

void metrics_page_get(const struct route_call *call)
{
	int readers = call->server->config->metrics_readers;

	if (readers == READERS_ALL ||
	    (readers == READERS_LOCAL && metrics_page_is_local(call->request)))
		metrics_page_answer(call);
	else
		auth_request(call, STORE_SCOPE_ADMIN, metrics_page_answer_operator);
}
