/*
 * figures.c: prints the number of records in a store (see figures.h).
 */
#include "cli/figures.h"

#include <inttypes.h>
#include <stdio.h>

void figures_print(const struct migrate_figures *figures)
{
	printf("accounts       %16" PRId64 "\n", figures->accounts);
	printf("projects       %16" PRId64 "\n", figures->projects);
	printf("keys           %16" PRId64 "\n", figures->keys);
	printf("dictionaries   %16" PRId64 "\n", figures->dictionaries);
	printf("  entries      %16" PRId64 "\n", figures->entries);
	printf("voices         %16" PRId64 "\n", figures->voices);
	printf("speech engines %16" PRId64 "\n", figures->speech_engines);
	printf("top-ups        %16" PRId64 "\n", figures->top_ups);
	printf("  microcents   %16" PRId64 "\n", figures->credit_microcents);
	printf("turns          %16" PRId64 "\n", figures->turns);
	printf("  microcents   %16" PRId64 "\n", figures->spent_microcents);
	printf("  microseconds %16" PRIu64 "\n", figures->audio_us);
	printf("  characters   %16" PRIu64 "\n", figures->characters);
	printf("model answers  %16" PRId64 "\n", figures->answers);
	printf("  tokens in    %16" PRIu64 "\n", figures->tokens_in);
	printf("  tokens out   %16" PRIu64 "\n", figures->tokens_out);
}
