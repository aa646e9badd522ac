/*
 * pls.h: dictionaries as files: the W3C's Pronunciation Lexicon Specification.
 *
 *	<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon"
 *		 alphabet="ipa" xml:lang="en-US">
 *	  <lexeme><grapheme>tomato</grapheme><phoneme>təˈmɑːtəʊ</phoneme></lexeme>
 *	  <lexeme><grapheme>UN</grapheme><alias>United Nations</alias></lexeme>
 *	</lexicon>
 *
 * What is read of XML is what such files have: elements, attributes, comments, processing
 * instructions, the five entities and character references, in UTF-8.  DOCTYPE (which can define
 * entities) and CDATA are refused.  Elements that are not about pronunciation are ignored.
 */
#ifndef WIRE_PLS_H
#define WIRE_PLS_H

#include "base/buf.h"
#include "wire/dictionary_message.h"

/* A file with at most `max` entries: each grapheme of a lexeme with the lexeme's first phoneme
 * and alias.  Of a word that comes again the first counts.  Strings point into the text, which is
 * overwritten; *language is NULL when the file names none.  EINVAL with the fault filled in, ENOMEM;
 * what was taken is ended by dictionary_message_reset_entries. */
int pls_parse(struct dictionary_entries_message *message, const char **language,
	      struct stream_fault *fault, char *text, size_t len, size_t max);

/* A file: its head, entries, and its end. */
int pls_write_begin(struct buf *out, const char *language);
int pls_write_entry(struct buf *out, const struct dictionary_entry *entry);
int pls_write_end(struct buf *out);

#endif
