/*
 * voices_packages.h: the packages of neural voices.
 */
#ifndef CLI_VOICES_PACKAGES_H
#define CLI_VOICES_PACKAGES_H

#include "cli/pinned_package.h"

/* A model with 904 English speakers, twelve of which become voices. */
extern const struct pinned_package voices_package_libritts;

/* A model for seven languages, which is better and much slower. */
extern const struct pinned_package voices_package_kokoro;

#endif
