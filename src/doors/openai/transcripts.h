/*
 * transcripts.h: POST /v1/audio/transcriptions.
 *
 *   transcript_body.c    the fields of the form
 *   transcript_json.c    the answers json, verbose_json and text
 *   transcript_events.c  the answer as a stream of events
 *   subtitles.c          the answers srt and vtt
 *   language_names.c     English names of languages
 *
 * KugelAudio's SDK sends its recordings to the same path, so the JSON has KugelAudio's members beside
 * OpenAI's: transcript, language, duration_s, word_timestamps, model and processing_ms.
 */
#ifndef DOORS_OPENAI_TRANSCRIPTS_H
#define DOORS_OPENAI_TRANSCRIPTS_H

#include "session/transcript_form.h"

/* transcript_wish.parts */
enum { TRANSCRIPTS_WORDS = 1 << 0, TRANSCRIPTS_SEGMENTS = 1 << 1 };

/* Reads the form of either vendor's client.  For KugelAudio's, words with times are part of every
 * answer. */
transcript_read_h transcript_body_read, transcript_body_read_timed;

extern const struct transcript_form transcript_json, transcript_json_verbose, transcript_json_text;
extern const struct transcript_form transcript_events;
extern const struct transcript_form subtitles_srt, subtitles_vtt;

/* "german" for "de"; the code itself if it is not in the table. */
const char *language_names_find(const char *code);

#endif
