/*
 * pls.h: dictionaries as files in the W3C's Pronunciation Lexicon Specification (PLS).
 *
 *	<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon"
 *		 alphabet="ipa" xml:lang="en-US">
 *	  <lexeme><grapheme>tomato</grapheme><phoneme>təˈmɑːtəʊ</phoneme></lexeme>
 *	  <lexeme><grapheme>UN</grapheme><alias>United Nations</alias></lexeme>
 *	</lexicon>
 *
 * The parser knows the parts of XML that such files use: elements, attributes, comments,
 * processing instructions, the five predefined entities and character references, in UTF-8.
 * DOCTYPE (which can define entities) and CDATA are refused.  Elements that are not about
 * pronunciation are ignored.
 */
#ifndef DOORS_ELEVENLABS_PLS_H
#define DOORS_ELEVENLABS_PLS_H

#include "base/buf.h"
#include "wire/dictionary_message.h"

/* Parses a file with at most `max` entries.  Each grapheme of a lexeme becomes an entry with the
 * lexeme's first phoneme and alias; if a word occurs several times, its first entry is used.
 * Strings point into the text, which is overwritten; *language is NULL if the file names none.
 * EINVAL with the fault filled in, or ENOMEM.  Release the entries with
 * dictionary_message_reset_entries. */
int pls_parse(struct dictionary_entries_message *message, const char **language,
	      struct stream_fault *fault, char *text, size_t len, size_t max);

/* Write a file: its beginning, each of its entries, its end. */
int pls_write_begin(struct buf *out, const char *language);
int pls_write_entry(struct buf *out, const struct dictionary_entry *entry);
int pls_write_end(struct buf *out);

#endif
