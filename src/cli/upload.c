/*
 * upload.c: sends a file to an HTTP server as a form (see upload.h).
 */
#include "cli/upload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/dial.h"
#include "net/http_client_parse.h"

/* How long to wait for the server's word that it wants the file. A proxy in between may not know the
 * question, and then nobody answers. */
#define UPLOAD_CONTINUE_S 2

/* How long the server may work on the file, or pause the upload, without a sign of life. */
#define UPLOAD_SILENCE_S 600

#define PIECE_LEN (64u * 1024u)
#define HEAD_MAX (16u * 1024u)

/* 128 random bits: the file does not contain them by chance. */
#define BOUNDARY_SIZE 33

struct transfer {
	const struct upload *upload;
	struct dial dial;
	char boundary[BOUNDARY_SIZE];
	bool is_chunked; /* the length of the file is not known */
	struct http_client_parse parse;
	unsigned *status;
	struct buf *answer;
	int err; /* of storing the answer */
};

static void upload_on_head(const struct http_client_parse *head, void *arg)
{
	struct transfer *transfer = arg;

	*transfer->status = head->status;
}

static void upload_on_body(const char *bytes, size_t n, void *arg)
{
	struct transfer *transfer = arg;

	if (!transfer->err)
		transfer->err = buf_append(transfer->answer, bytes, n);
}

static int upload_choose_boundary(char boundary[BOUNDARY_SIZE])
{
	unsigned char bytes[(BOUNDARY_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return errno ? errno : EIO;
	for (size_t i = 0; i < sizeof(bytes); ++i)
		snprintf(boundary + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Appends a name in quotes as browsers write it: characters that would end it or the line are
 * written as %XX. */
static int upload_append_name(struct buf *out, const char *name)
{
	int err = 0;

	for (; *name && !err; ++name) {
		if (*name == '"' || *name == '\r' || *name == '\n')
			err = buf_printf(out, "%%%02X", (unsigned)(unsigned char)*name);
		else
			err = buf_append(out, name, 1);
	}
	return err;
}

/* Writes what precedes the file in the body: the fields and the head of the file's part. */
static int upload_write_opening(struct buf *out, const struct transfer *transfer)
{
	const struct upload *upload = transfer->upload;
	int err = 0;

	for (size_t i = 0; i < upload->field_count && !err; ++i) {
		const struct upload_field *field = &upload->fields[i];

		if (field->value)
			err = buf_printf(out,
					 "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n"
					 "\r\n%s\r\n",
					 transfer->boundary, field->name, field->value);
	}
	if (!err)
		err = buf_printf(
			out, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"",
			transfer->boundary);
	if (!err)
		err = upload_append_name(out, upload->file_name);
	return err ? err
		   : buf_append_str(out, "\"\r\nContent-Type: application/octet-stream\r\n\r\n");
}

/* Finds how much of the file there is to send; false if it is a pipe or a device. */
static bool upload_find_len(uint64_t *len, int fd)
{
	struct stat status;
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (at < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	*len = status.st_size > at ? (uint64_t)(status.st_size - at) : 0;
	return true;
}

/* Sends the head. The key was checked for characters that would end its line. */
static int upload_send_head(struct transfer *transfer, const struct url *url, size_t around)
{
	const struct upload *upload = transfer->upload;
	char length[64];
	uint64_t len = 0;
	struct buf head;
	int err;

	transfer->is_chunked = !upload_find_len(&len, upload->fd);
	if (transfer->is_chunked)
		snprintf(length, sizeof(length), "Transfer-Encoding: chunked");
	else
		snprintf(length, sizeof(length), "Content-Length: %" PRIu64, len + around);
	buf_init(&head, HEAD_MAX);
	err = buf_printf(&head,
			 "POST %s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: syrinx\r\n"
			 "Authorization: Bearer %s\r\nExpect: 100-continue\r\nConnection: close\r\n"
			 "Content-Type: multipart/form-data; boundary=%s\r\n%s\r\n\r\n",
			 url->target, upload->path, url->authority, upload->key, transfer->boundary,
			 length);
	if (!err)
		err = dial_write(&transfer->dial, head.bytes, head.len);
	if (head.len > 0)
		explicit_bzero(head.bytes, head.len);
	buf_reset(&head);
	return err;
}

/* Sends a part of the body, as a chunk if the length of the body is not known. */
static int upload_send(struct transfer *transfer, const char *bytes, size_t n)
{
	char size[24];
	int err = 0;

	if (n == 0)
		return 0;
	if (transfer->is_chunked) {
		snprintf(size, sizeof(size), "%zx\r\n", n);
		err = dial_write(&transfer->dial, size, strlen(size));
	}
	if (!err)
		err = dial_write(&transfer->dial, bytes, n);
	if (!err && transfer->is_chunked)
		err = dial_write(&transfer->dial, "\r\n", 2);
	return err;
}

/* Reads once; ETIMEDOUT if nothing has arrived in time. */
static int upload_read(struct transfer *transfer, bool *is_interim)
{
	char bytes[4096];
	size_t count;
	int err = dial_read(&transfer->dial, &count, bytes, sizeof(bytes));

	if (err)
		return err;
	if (count > 0)
		http_client_parse_feed(&transfer->parse, bytes, count);
	else
		http_client_parse_end(&transfer->parse);
	/* The head of an interim answer is complete, and nothing of the answer has arrived. */
	*is_interim = transfer->parse.state == HTTP_CLIENT_PARSE_HEAD && count >= 4 &&
		      memcmp(bytes + count - 4, "\r\n\r\n", 4) == 0;
	return transfer->err;
}

/* Waits until the server wants the body, refuses the request, or has had time to do either. */
static int upload_await_word(struct transfer *transfer)
{
	bool is_wanted = false;
	int err = 0;

	dial_set_silence(&transfer->dial, UPLOAD_CONTINUE_S);
	while (!err && !is_wanted && transfer->parse.state == HTTP_CLIENT_PARSE_HEAD)
		err = upload_read(transfer, &is_wanted);
	dial_set_silence(&transfer->dial, UPLOAD_SILENCE_S);
	return err == ETIMEDOUT ? 0 : err;
}

/* Sends the file. A file that becomes shorter or longer meanwhile breaks the request, and the server
 * will say so. */
static int upload_send_file(struct transfer *transfer)
{
	static char piece[PIECE_LEN];
	int err = 0;

	while (!err) {
		ssize_t n = read(transfer->upload->fd, piece, sizeof(piece));

		if (n < 0)
			return errno;
		if (n == 0)
			break;
		err = upload_send(transfer, piece, (size_t)n);
	}
	return err;
}

static int upload_exchange(struct transfer *transfer, const struct url *url,
			   const struct buf *opening)
{
	char closing[BOUNDARY_SIZE + 16];
	bool is_interim;
	int err;

	snprintf(closing, sizeof(closing), "\r\n--%s--\r\n", transfer->boundary);
	err = upload_send_head(transfer, url, opening->len + strlen(closing));
	if (!err)
		err = upload_await_word(transfer);
	if (!err && transfer->parse.state == HTTP_CLIENT_PARSE_HEAD) {
		err = upload_send(transfer, opening->bytes, opening->len);
		if (!err)
			err = upload_send_file(transfer);
		if (!err)
			err = upload_send(transfer, closing, strlen(closing));
		if (!err && transfer->is_chunked)
			err = dial_write(&transfer->dial, "0\r\n\r\n", 5);
		/* A server that does not want more answers and closes the connection. */
		if (err == EPIPE || err == ECONNRESET)
			err = 0;
	}
	while (!err && transfer->parse.state < HTTP_CLIENT_PARSE_DONE)
		err = upload_read(transfer, &is_interim);
	return err;
}

/* A key may have been pasted together with characters that would make another header line. */
static bool upload_is_sendable(const char *key)
{
	for (; *key > ' ' && *key < 0x7f; ++key)
		;
	return *key == '\0';
}

static int upload_connect(struct transfer *transfer, const struct url *url,
			  char why[UPLOAD_WHY_SIZE])
{
	struct dial_options options = {0};
	char reason[DIAL_WHY_SIZE] = "";
	int err = 0;

	if (url->is_tls)
		err = tls_client_alloc(&options.tls, transfer->upload->ca_file, reason,
				       sizeof(reason));
	if (!err)
		err = dial_open(&transfer->dial, url, &options, reason);
	mem_deref(options.tls);
	if (err)
		snprintf(why, UPLOAD_WHY_SIZE, "%s", reason);
	return err;
}

int upload_run(const struct upload *upload, unsigned *status, struct buf *answer,
	       char why[UPLOAD_WHY_SIZE])
{
	static const struct http_client_parse_handlers handlers = {upload_on_head, upload_on_body};
	struct transfer transfer = {.upload = upload, .status = status, .answer = answer};
	struct buf opening;
	struct url url;
	int err;

	if (!upload_is_sendable(upload->key)) {
		snprintf(why, UPLOAD_WHY_SIZE, "this is not a valid key: it contains spaces");
		return EINVAL;
	}
	if (url_parse(&url, upload->base) != 0) {
		snprintf(why, UPLOAD_WHY_SIZE, "%.500s is not an http(s) address", upload->base);
		return EINVAL;
	}
	err = upload_connect(&transfer, &url, why);
	if (err)
		return err;
	buf_init(&opening, HEAD_MAX);
	http_client_parse_init(&transfer.parse, &handlers, &transfer);
	err = upload_choose_boundary(transfer.boundary);
	if (!err)
		err = upload_write_opening(&opening, &transfer);
	if (!err)
		err = upload_exchange(&transfer, &url, &opening);
	if (err)
		snprintf(why, UPLOAD_WHY_SIZE, "%s: %s", url.authority, strerror(err));
	if (!err && transfer.parse.state == HTTP_CLIENT_PARSE_FAILED) {
		snprintf(why, UPLOAD_WHY_SIZE, "%s: %s", url.authority, transfer.parse.reason);
		err = EPROTO;
	}
	http_client_parse_reset(&transfer.parse);
	buf_reset(&opening);
	dial_close(&transfer.dial);
	return err;
}
