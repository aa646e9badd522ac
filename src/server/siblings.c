/*
 * siblings.c: the servers that share one data directory (see siblings.h).
 *
 * The locks on slots belong to the open file (F_OFD_SETLK).  Ordinary locks belong to the process,
 * which would lose them as soon as it closes any descriptor of this file.
 */
#include "server/siblings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/params.h"

#define SIBLINGS_RECORD_SIZE 1024
#define SIBLINGS_ADDRESS_SIZE 512 /* as in net/handover.c */
#define SIBLINGS_PATH_SIZE (PARAM_STRING_SIZE + 16)

static int siblings_open_file(const struct siblings *siblings, const char *name, int flags)
{
	char path[SIBLINGS_PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", siblings->data_dir, name);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Returns the lock description of a slot's bytes for fcntl. */
static struct flock siblings_range(int slot, short type)
{
	return (struct flock){.l_type = type,
			      .l_whence = SEEK_SET,
			      .l_start = (off_t)slot * SIBLINGS_RECORD_SIZE,
			      .l_len = SIBLINGS_RECORD_SIZE};
}

/* Locks the byte for the store. */
static int siblings_lock_store(const struct siblings *siblings, short type)
{
	struct flock range = siblings_range(SIBLINGS_MAX, type);

	range.l_len = 1;
	if (fcntl(siblings->servers_fd, F_OFD_SETLK, &range) == 0)
		return 0;
	return errno == EAGAIN || errno == EACCES ? EBUSY : errno;
}

/* Whether another process holds the slot; our own lock does not count. */
static bool siblings_is_held(const struct siblings *siblings, int slot)
{
	struct flock range = siblings_range(slot, F_WRLCK);

	return fcntl(siblings->servers_fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

int siblings_open(struct siblings *siblings, const char *data_dir, const char *address)
{
	*siblings = (struct siblings){
		.data_dir = data_dir, .address = address, .lock_fd = -1, .slot = -1};
	siblings->servers_fd = siblings_open_file(siblings, "syrinx.servers", O_RDWR | O_CREAT);
	return siblings->servers_fd < 0 ? errno : 0;
}

void siblings_close(struct siblings *siblings)
{
	if (siblings->servers_fd >= 0)
		close(siblings->servers_fd);
	if (siblings->lock_fd >= 0)
		close(siblings->lock_fd);
	siblings->servers_fd = siblings->lock_fd = siblings->slot = -1;
}

static int siblings_write_record(const struct siblings *siblings, const char *text)
{
	char record[SIBLINGS_RECORD_SIZE] = {0};
	ssize_t n;

	snprintf(record, sizeof(record), "%s", text);
	n = pwrite(siblings->servers_fd, record, sizeof(record),
		   (off_t)siblings->slot * SIBLINGS_RECORD_SIZE);
	if (n < 0)
		return errno;
	return n == (ssize_t)sizeof(record) ? 0 : EIO;
}

int siblings_use_store(struct siblings *siblings)
{
	return siblings_lock_store(siblings, F_RDLCK);
}

/* If root has created the file, the user of the server must be able to open it. */
static void siblings_give_to_owner(const struct siblings *siblings, int fd)
{
	struct stat dir;

	if (geteuid() == 0 && stat(siblings->data_dir, &dir) == 0 && dir.st_uid != 0)
		(void)!fchown(fd, dir.st_uid, dir.st_gid);
}

int siblings_exclude(struct siblings *siblings)
{
	int err;

	siblings->lock_fd = siblings_open_file(siblings, "syrinx.lock", O_RDWR | O_CREAT);
	if (siblings->lock_fd < 0)
		return errno;
	siblings_give_to_owner(siblings, siblings->servers_fd);
	siblings_give_to_owner(siblings, siblings->lock_fd);
	err = siblings_lock_store(siblings, F_WRLCK);
	if (!err && flock(siblings->lock_fd, LOCK_EX | LOCK_NB) != 0)
		err = errno == EWOULDBLOCK ? EBUSY : errno;
	return err;
}

static int siblings_take_slot(struct siblings *siblings)
{
	for (int slot = 0; slot < SIBLINGS_MAX; ++slot) {
		struct flock range = siblings_range(slot, F_WRLCK);

		if (fcntl(siblings->servers_fd, F_OFD_SETLK, &range) == 0) {
			siblings->slot = slot;
			/* Clears the entry of the slot's last owner. */
			return siblings_write_record(siblings, "");
		}
		if (errno != EAGAIN && errno != EACCES)
			return errno;
	}
	return ENOSPC;
}

int siblings_join(struct siblings *siblings)
{
	int err = 0;

	if (siblings->lock_fd < 0)
		siblings->lock_fd = siblings_open_file(siblings, "syrinx.lock", O_RDWR | O_CREAT);
	if (siblings->lock_fd < 0 || flock(siblings->lock_fd, LOCK_SH | LOCK_NB) != 0)
		err = errno;
	if (siblings->slot < 0) {
		int err_slot = siblings_take_slot(siblings);

		err = err ? err : err_slot;
	}
	return err;
}

/* Writes "PID ADDRESS SLOT URL".  The previous release writes and reads only the first two
 * words. */
static int siblings_write_draft(const struct siblings *siblings, const char *name,
				const struct sibling *server)
{
	int fd = siblings_open_file(siblings, name, O_WRONLY | O_CREAT | O_TRUNC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file) {
		int err = errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	fprintf(file, "%ld %s", server->pid, siblings->address);
	if (server->slot >= 0)
		fprintf(file, " %d %s", server->slot, server->url);
	fputc('\n', file);
	return fclose(file) == 0 ? 0 : errno;
}

/* Writes the file under another name first, so that readers always see a complete one. */
static int siblings_write_pid(const struct siblings *siblings, const struct sibling *server)
{
	char name[32];
	char draft[SIBLINGS_PATH_SIZE];
	char path[SIBLINGS_PATH_SIZE];
	int err;

	snprintf(name, sizeof(name), "syrinx.pid.%ld", (long)getpid());
	snprintf(draft, sizeof(draft), "%s/%s", siblings->data_dir, name);
	snprintf(path, sizeof(path), "%s/syrinx.pid", siblings->data_dir);
	err = siblings_write_draft(siblings, name, server);
	if (!err && rename(draft, path) != 0)
		err = errno;
	if (err)
		unlink(draft);
	return err;
}

/* Reads syrinx.pid.  Returns how many of its first three words there are: three if the server has a
 * slot, two if it is of the previous release, fewer if the file is missing or damaged. */
static int siblings_read_pid(const struct siblings *siblings, long *pid, char *address, int *slot)
{
	char path[SIBLINGS_PATH_SIZE];
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "%s/syrinx.pid", siblings->data_dir);
	file = fopen(path, "re");
	if (!file)
		return 0;
	n = fscanf(file, "%ld %511s %d", pid, address, slot);
	fclose(file);
	return n;
}

bool siblings_had_address(const struct siblings *siblings)
{
	char address[SIBLINGS_ADDRESS_SIZE];
	long pid;
	int slot;

	return siblings_read_pid(siblings, &pid, address, &slot) >= 2 &&
	       strcmp(address, siblings->address) == 0;
}

void siblings_set_url(struct siblings *siblings, bool has_tls, unsigned port)
{
	int host_len = (int)(strrchr(siblings->address, ':') - siblings->address);

	snprintf(siblings->url, sizeof(siblings->url), "http%s://%.*s:%u", has_tls ? "s" : "",
		 host_len < 256 ? host_len : 256, siblings->address, port);
}

int siblings_note(struct siblings *siblings, bool is_draining)
{
	struct sibling self = {.pid = (long)getpid(), .slot = siblings->slot};
	char record[SIBLINGS_RECORD_SIZE];
	int err;

	if (strlen(siblings->address) >= SIBLINGS_ADDRESS_SIZE)
		return ENAMETOOLONG;
	snprintf(record, sizeof(record), "%ld %.511s %s %s\n", self.pid, siblings->address,
		 is_draining ? "draining" : "serving", siblings->url);
	err = siblings->slot >= 0 ? siblings_write_record(siblings, record) : 0;
	if (err)
		return err;
	memcpy(self.url, siblings->url, sizeof(self.url));
	return is_draining ? 0 : siblings_write_pid(siblings, &self);
}

bool siblings_leave(struct siblings *siblings, struct sibling *heir)
{
	struct flock range = siblings_range(siblings->slot, F_UNLCK);
	char address[SIBLINGS_ADDRESS_SIZE];
	bool has_heir = false;
	long pid = 0;
	int slot;

	if (siblings->slot < 0)
		return false;
	if (siblings_read_pid(siblings, &pid, address, &slot) == 3 && pid == (long)getpid() &&
	    slot == siblings->slot)
		has_heir = siblings_find_serving(heir, siblings) && heir->slot >= 0;
	if (has_heir)
		siblings_write_pid(siblings, heir);
	fcntl(siblings->servers_fd, F_OFD_SETLK, &range);
	siblings->slot = -1;
	return has_heir;
}

/* With port 0 every process gets a different port. */
static bool siblings_is_chosen_by_kernel(const char *address)
{
	const char *colon = strrchr(address, ':');

	return colon && strcmp(colon, ":0") == 0;
}

static bool siblings_read_slot(struct sibling *sibling, const struct siblings *siblings, int slot)
{
	char record[SIBLINGS_RECORD_SIZE + 1] = {0};
	char address[SIBLINGS_ADDRESS_SIZE];
	char state[16];

	if (!siblings_is_held(siblings, slot) ||
	    pread(siblings->servers_fd, record, SIBLINGS_RECORD_SIZE,
		  (off_t)slot * SIBLINGS_RECORD_SIZE) < 0 ||
	    sscanf(record, "%ld %511s %15s %299s", &sibling->pid, address, state, sibling->url) < 3)
		return false;
	sibling->slot = slot;
	sibling->is_draining = strcmp(state, "draining") == 0;
	return strcmp(address, siblings->address) == 0;
}

/* Whether another process holds the shared lock. */
static bool siblings_others_live(const struct siblings *siblings)
{
	int fd = siblings_open_file(siblings, "syrinx.lock", O_RDWR);
	bool live;

	if (fd < 0)
		return false;
	if (siblings->lock_fd >= 0)
		flock(siblings->lock_fd, LOCK_UN); /* our own lock does not count */
	live = flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	if (siblings->lock_fd >= 0)
		flock(siblings->lock_fd, LOCK_SH | LOCK_NB);
	return live;
}

/* Finds a server of the previous release: only syrinx.pid names it, without a slot. */
static bool siblings_read_previous(struct sibling *sibling, const struct siblings *siblings)
{
	char address[SIBLINGS_ADDRESS_SIZE];
	int slot;

	sibling->slot = -1;
	sibling->is_draining = false;
	return siblings_read_pid(siblings, &sibling->pid, address, &slot) == 2 &&
	       sibling->pid != (long)getpid() && strcmp(address, siblings->address) == 0 &&
	       siblings_others_live(siblings);
}

bool siblings_next(struct sibling *sibling, const struct siblings *siblings)
{
	if (siblings_is_chosen_by_kernel(siblings->address))
		return false;
	while (sibling->next < SIBLINGS_MAX) {
		if (siblings_read_slot(sibling, siblings, sibling->next++))
			return true;
	}
	return sibling->next++ == SIBLINGS_MAX && siblings_read_previous(sibling, siblings);
}

bool siblings_find_serving(struct sibling *sibling, const struct siblings *siblings)
{
	*sibling = (struct sibling){0};
	while (siblings_next(sibling, siblings)) {
		if (!sibling->is_draining)
			return true;
	}
	return false;
}
