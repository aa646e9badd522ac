/*
 * leaks.c: what libsndfile forgets to free when it cannot open a Vorbis file is not reported as a leak
 * of ours.  It is a few kilobytes, and the server replaces decoders from time to time.
 */
const char *__lsan_default_suppressions(void); /* called by the sanitizer, if there is one */

const char *__lsan_default_suppressions(void)
{
	return "leak:vorbis_info_init\nleak:libvorbis\n";
}
