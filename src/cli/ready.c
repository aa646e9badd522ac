/*
 * ready.c: `syrinx ready`: checks whether a server should get traffic; reports an exit status
 * and one line.
 *
 * For health checks of containers and load balancers, and for scripts that wait.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/json_list.h"
#include "cli/server_choice.h"
#include "cli/settings.h"

struct ready {
	const char *base;
	struct loop *loop;
	int64_t voices; /* -1 if the server does not report it */
	char reason[600]; /* why it is not ready; "" if it is ready */
};

/* Reads the server's answer; unexpected content is ignored. */
static void ready_read(struct ready *ready, char *body, size_t len)
{
	struct json scan;
	struct json_value key;
	struct json_value value;

	json_open(&scan, body, len);
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return;
	while (json_member(&scan, &key) && json_value(&scan, &value) == 0) {
		if (json_is(&key, "voices"))
			json_to_integer(&ready->voices, &value);
		else if (json_is(&key, "reason") && value.kind == JSON_KIND_STRING)
			snprintf(ready->reason, sizeof(ready->reason), "%.*s", (int)value.len,
				 value.text);
		json_skip(&scan, &value);
	}
}

static void ready_on_answer(const struct api_client_answer *answer, void *arg)
{
	struct ready *ready = arg;

	if (answer->why) {
		snprintf(ready->reason, sizeof(ready->reason), "%s", answer->why);
	} else if (answer->status == 200) {
		ready->reason[0] = '\0';
		ready_read(ready, answer->body, answer->len);
	} else if (answer->status == 503) {
		char reason[sizeof(ready->reason)];

		snprintf(ready->reason, sizeof(ready->reason), "it is starting or ending");
		ready_read(ready, answer->body, answer->len);
		memcpy(reason, ready->reason, sizeof(reason));
		snprintf(ready->reason, sizeof(ready->reason), "%.200s is not ready: %.300s",
			 ready->base, reason);
	} else {
		snprintf(ready->reason, sizeof(ready->reason), "%.200s answered %u: is it Syrinx?",
			 ready->base, answer->status);
	}
	loop_stop(ready->loop);
}

static void ready_ask(struct ready *ready, const struct command_call *call)
{
	const struct api_client_options server = {.base = ready->base,
						  .ca_file = command_value(call, "ca")};
	struct api_client *client = NULL;
	char why[300] = "out of memory";
	int err = loop_alloc(&ready->loop);

	if (!err)
		err = api_client_alloc(&client, ready->loop, &server, why, sizeof(why));
	if (!err)
		err = api_client_get(client, "/ready", ready_on_answer, ready);
	if (!err)
		loop_run(ready->loop);
	else
		snprintf(ready->reason, sizeof(ready->reason), "%.250s: %s", ready->base, why);
	mem_deref(client);
	mem_deref(ready->loop);
}

static void ready_print_json(const struct ready *ready)
{
	struct json_list out;

	json_list_open_object(&out);
	json_write_bool(&out.json, "ready", ready->reason[0] == '\0');
	json_write_string(&out.json, "server", ready->base, strlen(ready->base));
	if (ready->voices >= 0)
		json_write_signed(&out.json, "voices", ready->voices);
	else
		json_write_null(&out.json, "voices");
	if (ready->reason[0])
		json_write_string(&out.json, "reason", ready->reason, strlen(ready->reason));
	else
		json_write_null(&out.json, "reason");
	json_list_print_object(&out);
}

static void ready_print(const struct ready *ready)
{
	if (ready->reason[0])
		fprintf(stderr, "syrinx ready: %s\n", ready->reason);
	else if (ready->voices >= 0)
		printf("ready: %lld voices\n", (long long)ready->voices);
	else
		printf("ready\n");
}

static int ready_run(const struct command_call *call)
{
	static struct config config;
	char base[1024];
	struct ready ready = {.base = base, .voices = -1, .reason = "no answer"};
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	status = server_choice_find(base, sizeof(base), call, &config);
	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	ready_ask(&ready, call);
	if (command_value(call, "json"))
		ready_print_json(&ready);
	else
		ready_print(&ready);
	return ready.reason[0] ? COMMAND_FAILED : COMMAND_OK;
}

static const struct command_option ready_options[] = {
	{"server", 0, "URL", "the server's address (the server running on the data directory)"},
	{"json", 0, NULL, "print the answer as JSON"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory (data)"},
	{0},
};

const struct command command_ready = {
	.name = "ready",
	.summary = "Check whether a server is ready for traffic (status 0) or not (1), and why.",
	.options = ready_options,
	.run = ready_run,
	.examples = "  syrinx ready --server http://127.0.0.1:8080\n"
		    "  until syrinx ready; do sleep 1; done\n",
};
