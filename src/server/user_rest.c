/*
 * user_rest.c: what ElevenLabs' clients ask about their user when they start.
 *
 * There are no users, tiers or histories here: the answers say that everything
 * is allowed, and that nothing was kept.
 */
#include <stdio.h>
#include <string.h>

#include "server/server_private.h"

#define SUBSCRIPTION                                                                               \
	"{\"tier\":\"self_hosted\",\"status\":\"active\",\"character_count\":0,"                   \
	"\"character_limit\":1000000000,\"max_credit_limit_extension\":0,"                         \
	"\"can_extend_character_limit\":false,"                                                    \
	"\"allowed_to_extend_character_limit\":false,\"next_character_count_reset_unix\":0,"       \
	"\"voice_slots_used\":0,\"professional_voice_slots_used\":0,"                              \
	"\"professional_voice_slots_used_in_workspace\":0,\"voice_limit\":1000,"                   \
	"\"voice_add_edit_counter\":0,\"professional_voice_limit\":0,"                             \
	"\"can_extend_voice_limit\":false,\"can_use_instant_voice_cloning\":false,"                \
	"\"can_use_professional_voice_cloning\":false,"                                            \
	"\"current_overage\":{\"amount\":\"0\",\"currency\":\"usd\"},\"open_invoices\":[],"        \
	"\"has_open_invoices\":false}"

static void answer(const struct route_call *call, const char *json)
{
	answer_json(call, 200, json, strlen(json));
}

void user_rest_subscription(const struct route_call *call)
{
	answer(call, SUBSCRIPTION);
}

void user_rest_get(const struct route_call *call)
{
	char json[1536];

	snprintf(json, sizeof(json),
		 "{\"user_id\":\"project-%lld\",\"workspace_id\":\"local\",\"is_new_user\":false,"
		 "\"seat_type\":\"workspace_admin\",\"xi_api_key\":null,"
		 "\"can_use_delayed_payment_methods\":false,\"is_onboarding_completed\":true,"
		 "\"is_onboarding_checklist_completed\":true,\"first_name\":null,"
		 "\"created_at\":%lld,\"subscription\":%s}",
		 (long long)call->key->project_id, (long long)(call->key->created_ms / 1000),
		 SUBSCRIPTION);
	answer(call, json);
}

void user_rest_history(const struct route_call *call)
{
	answer(call, "{\"history\":[],\"has_more\":false,\"last_history_item_id\":null,"
		     "\"scanned_until\":null}");
}
