/*
 * sample_text.h: what a voice says of itself when nobody wrote it a text.
 */
#ifndef SERVER_SAMPLE_TEXT_H
#define SERVER_SAMPLE_TEXT_H

/* In the language of a code, else in English. */
const char *sample_text_of(const char *language);

#endif
