/*
 * model_choice.c: the model that transcribes (see model_choice.h).
 */
#include "session/model_choice.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Why there is no model at all. */
static int model_choice_refuse_state(struct stream_fault *fault, enum hearing_state state)
{
	switch (state) {
	case HEARING_NO_ENGINE:
		return fault_set(fault, WIRE_ERROR_NO_HEARING,
				 "the program syrinx-hear is not installed");
	case HEARING_NO_MODELS:
		return fault_set(fault, WIRE_ERROR_NO_HEARING,
				 "no models are installed; `syrinx models fetch` downloads them");
	case HEARING_BROKEN:
		return fault_set(fault, WIRE_ERROR_NO_HEARING,
				 "syrinx-hear does not start; the server's log has the reason");
	case HEARING_READY:
	case HEARING_LOADING:
		break;
	}
	fault_set(fault, WIRE_ERROR_UNAVAILABLE, "%s", "");
	fault->retry_s = wire_error_retry_s(WIRE_ERROR_UNAVAILABLE);
	return EINVAL;
}

int model_choice_find(const struct hearing_model **modelp, const struct session_services *services,
		      const char *name, const char *language, struct stream_fault *fault)
{
	const struct hearing *hearing = services->hearing;
	const struct hearing_model *model;

	if (!hearing)
		return model_choice_refuse_state(fault, HEARING_NO_ENGINE);
	if (hearing_models_count(hearing->models) == 0)
		return model_choice_refuse_state(fault, hearing->ops->state(hearing));
	model = name[0] ? hearing_models_find(hearing->models, name)
			: hearing_models_choose(hearing->models, language);
	if (!model && name[0])
		return fault_set(fault, WIRE_ERROR_MODEL_NOT_FOUND, "%.60s", name);
	if (!model)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "no installed model knows the language %.20s", language);
	if (!hearing_models_knows(model, language))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "the model %.60s does not know the language %.20s", model->name,
				 language);
	*modelp = model;
	return 0;
}

void model_choice_copy_language(char language[HEARING_LANGUAGE_MAX], const char *code,
				const struct hearing_model *model)
{
	size_t len;

	if (!code[0] && !strchr(model->languages, ' '))
		code = model->languages;
	len = strcspn(code, "-_");
	if (len >= HEARING_LANGUAGE_MAX)
		len = HEARING_LANGUAGE_MAX - 1;
	for (size_t i = 0; i < len; ++i)
		language[i] = (char)tolower((unsigned char)code[i]);
	language[len] = '\0';
}
