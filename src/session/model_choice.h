/*
 * model_choice.h: the model that transcribes for a caller, and the language that it is given.
 */
#ifndef SESSION_MODEL_CHOICE_H
#define SESSION_MODEL_CHOICE_H

#include "hearing/hearing.h"
#include "session/services.h"
#include "wire/fault.h"

/* Finds the model for a transcription: the one with this name, or the first that knows the language if
 * the name is "".  EINVAL with the fault: nothing listens on this server, there is no such model, or it
 * does not know the language.  The model must not be used after the current callback of the loop. */
int model_choice_find(const struct hearing_model **modelp, const struct session_services *services,
		      const char *name, const char *language, struct stream_fault *fault);

/* Engines know the part of a code before the hyphen, in lower case.  A model with a single language is
 * used for that. */
void model_choice_copy_language(char language[HEARING_LANGUAGE_MAX], const char *code,
				const struct hearing_model *model);

#endif
