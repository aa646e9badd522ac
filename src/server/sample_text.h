/*
 * sample_text.h: the text of a voice's sample if the voice has none of its own.
 */
#ifndef SERVER_SAMPLE_TEXT_H
#define SERVER_SAMPLE_TEXT_H

/* Returns a static text in the language with this code, or in English. */
const char *sample_text_of(const char *language);

#endif
