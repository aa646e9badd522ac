/*
 * greeting.c: the text for a person who starts a server (see greeting.h).
 */
#include "cli/greeting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The wildcard address can only be listened on, not connected to. */
int greeting_address(char *address, size_t size, const char *listening)
{
	const char *port = strrchr(listening, ':');
	int n;

	if (port && strncmp(listening, "0.0.0.0:", 8) == 0)
		n = snprintf(address, size, "127.0.0.1%s", port);
	else if (port && strncmp(listening, "[::]:", 5) == 0)
		n = snprintf(address, size, "[::1]%s", port);
	else
		n = snprintf(address, size, "%s", listening);
	return n > 0 && (size_t)n < size ? 0 : EINVAL;
}

/* The key is printed only once, because shared screens and scrolled-back terminals show it. */
int greeting_print(struct buf *out, const struct greeting *greeting)
{
	const char *s = greeting->tls ? "s" : "";
	char address[300];
	int err = greeting_address(address, sizeof(address), greeting->address);

	if (err)
		return err;
	return buf_printf(
		out,
		"\n"
		"  Syrinx listens on   http%s://%s\n"
		"  playground          http%s://%s/#key=%s\n"
		"  streaming clients   ws%s://%s/ws/tts/stream\n"
		"  several contexts    ws%s://%s/ws/tts/multi\n"
		"  API key             in %s/local.key\n"
		"\n"
		"  Hear it:\n"
		"    %s say \"Hello from Syrinx.\" --server http%s://%s --key-file "
		"%s/local.key\n"
		"\n"
		"  No loudspeaker?  The same into a file:\n"
		"    %s say \"Hello from Syrinx.\" -o hello.wav --server http%s://%s "
		"--key-file %s/local.key\n"
		"\n"
		"  Hold a conversation (you type, it speaks):\n"
		"    %s talk%s%s --data %s --server http%s://%s\n"
		"\n",
		s, address, s, address, greeting->key, s, address, s, address, greeting->data_dir,
		greeting->program, s, address, greeting->data_dir, greeting->program, s, address,
		greeting->data_dir, greeting->program, greeting->config_file ? " --config " : "",
		greeting->config_file ? greeting->config_file : "", greeting->data_dir, s, address);
}
