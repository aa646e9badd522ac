/*
 * kugelaudio_models.c: the models that clients may name (see wire/settings.h).
 *
 * KugelAudio's names are the native ones, which prices and the ledger use too.  The voice, not the
 * model, determines which engine speaks.
 */
#include <stddef.h>

#include "wire/settings.h"

const char settings_model_default[] = "kugel-3";

const char *const settings_model_ids[] = {
	settings_model_default, "kugel-3.5", "kugel-2.5", "kugel-2-turbo", "kugel-2", "kugel-1",
	"kugel-1-turbo",        NULL,
};
