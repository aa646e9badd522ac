/*
 * confine.c: the sequence of a worker's confinement (see confine.h).
 *
 * The order matters.  Mounts and switching the user need root's privileges, so they come
 * before those are dropped.  Switching the user clears the parent-death signal, so that is
 * set afterwards.  Landlock needs no_new_privs and the new root.  The filter, which forbids
 * most of this, is last.
 */
#include "workers/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "workers/confine_private.h"

/* Open files: the socket, the standard streams, and the few files that a library has open at a
 * time. */
#define CONFINE_FILES_MAX 64

/* Threads that a worker may start.  A neural engine has a few dozen; with
 * thousands one worker could use up the process ids of a small machine. */
#define CONFINE_THREADS_MAX 1024

#define CONFINE_LAST_FD 3 /* the socket */

static int confine_limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return errno;
	if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
		most = now.rlim_max; /* a limit is never raised */
	now = (struct rlimit){.rlim_cur = most, .rlim_max = most};
	return setrlimit(resource, &now) ? errno : 0;
}

/* The kernel counts all threads of a user; before this worker starts, the user has at most as
 * many as the machine has now. */
static int confine_limit_threads(void)
{
	struct sysinfo machine;

	if (sysinfo(&machine))
		return errno;
	return confine_limit(RLIMIT_NPROC, (rlim_t)machine.procs + CONFINE_THREADS_MAX);
}

static int confine_set_limits(uint32_t memory_mb)
{
	int err = confine_limit(RLIMIT_CORE, 0);

	if (!err)
		err = confine_limit(RLIMIT_NOFILE, CONFINE_FILES_MAX);
	if (!err)
		err = confine_limit(RLIMIT_FSIZE, 0);
	if (!err)
		err = confine_limit_threads();
	/* The user may be allowed to use high priorities, with which an engine could starve all other
	 * processes. */
	if (!err)
		err = confine_limit(RLIMIT_RTPRIO, 0);
	if (!err)
		err = confine_limit(RLIMIT_NICE, 0);
	/* The shadow memory of a sanitizer takes terabytes of address space. */
	if (!err && memory_mb > 0 && !CONFINE_SANITIZED)
		err = confine_limit(RLIMIT_AS, (rlim_t)memory_mb << 20);
	return err;
}

/* SIGXFSZ, because a write beyond RLIMIT_FSIZE must fail and not kill the worker: it may be a log
 * line.  SIGINT and SIGTERM, because a terminal or a service manager that ends the server signals its
 * workers, too: these are needed until the last turn is spoken, and die with the server. */
static int confine_ignore_signals(void)
{
	static const int ignored[] = {SIGXFSZ, SIGINT, SIGTERM};

	for (size_t i = 0; i < COUNT(ignored); ++i) {
		if (signal(ignored[i], SIG_IGN) == SIG_ERR)
			return errno;
	}
	return 0;
}

/* The kernel sends the signal when the thread that started the worker ends.  If the parent died
 * before the call, there is no signal, so that is checked. */
static int confine_die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return errno;
	return getppid() == parent ? 0 : ESRCH;
}

/* The server's descriptors are close-on-exec anyway; this also closes any that a library left
 * open. */
static void confine_close_others(void)
{
	if (syscall(SYS_close_range, CONFINE_LAST_FD + 1, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	for (int fd = CONFINE_LAST_FD + 1; fd < 1024; ++fd) /* a kernel before 5.11 */
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* A worker of root runs as another user and needs the mounts to reach its program; the
 * workers of other users need them where there is no Landlock. */
static int confine_root(const struct confine_paths *paths, const struct confine_request *request,
			struct confine_report *report)
{
	bool switches = request->switch_user && geteuid() == 0;
	int err = 0;

	if (switches || !report->landlock) {
		err = confine_mounts(paths, request, &report->mounts_err);
		report->mounts = !err && report->mounts_err == 0;
	}
	/* Works for root and in a user namespace; otherwise the filter alone blocks the
	 * network. */
	if (!err)
		report->network_namespace = unshare(CLONE_NEWNET) == 0;
	/* In a container or a chroot, mounts may be impossible, so that another user could not
	 * reach the voices.  Where Landlock limits what can be read anyway, an engine that runs as
	 * root, without any capability, is better than one that does not work. */
	if (!err && switches && !report->mounts && report->landlock &&
	    !confine_user_reaches(paths, request->uid, request->gid)) {
		report->switch_err = EACCES;
		switches = false;
	}
	if (!err && switches) {
		report->switch_err = confine_user_switch(request->uid, request->gid);
		report->switched = report->switch_err == 0;
		if (geteuid() != 0 && !report->switched)
			err = report->switch_err; /* it was only partly done */
	}
	return err;
}

int confine_outer(const struct confine_request *request, struct confine_report *report)
{
	const pid_t parent = request->parent ? request->parent : getppid();
	struct confine_report own = {0};
	struct confine_paths paths = {0};
	int err = confine_paths_find(&paths, request);

	if (!err)
		err = confine_ignore_signals();
	own.landlock = confine_landlock_version(&own.landlock_err);
	if (!err)
		err = confine_root(&paths, request, &own);
	if (!err)
		err = confine_drop_capabilities();
	if (!err)
		err = confine_die_with(parent);
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = errno;
	if (!err)
		err = confine_set_limits(request->memory_mb);
	if (!err && own.landlock)
		err = confine_landlock(&paths, own.landlock);
	confine_paths_reset(&paths);
	if (!err && request->program)
		confine_close_others();
	if (!err)
		err = confine_filter_outer(request->jit);
	if (report)
		*report = own;
	return err;
}

bool confine_has_engine_filter(void)
{
	return !CONFINE_SANITIZED;
}

int confine_engine(void)
{
	if (!confine_has_engine_filter()) {
		log_info("confine", "built with a sanitizer: no engine filter");
		return 0;
	}
	return confine_filter_engine();
}

int confine_hide_memory(void)
{
	if (CONFINE_SANITIZED)
		return 0;
	return prctl(PR_SET_DUMPABLE, 0) ? errno : 0;
}

/* Names the mechanisms that limit which files the engine can read. */
static void confine_name_layers(char *words, size_t size, const struct confine_report *report)
{
	char landlock[48] = "";

	if (report->landlock)
		snprintf(landlock, sizeof(landlock), "Landlock %u", report->landlock);
	snprintf(words, size, "%s%s%s", landlock, report->landlock && report->mounts ? " and " : "",
		 report->mounts ? "a root directory of its own" : "");
}

static void confine_explain_missing(const struct confine_report *report, confine_explain_h *handler,
				    void *arg)
{
	char text[320];

	if (!report->landlock && !report->mounts) {
		snprintf(text, sizeof(text),
			 "engines can read every file that their user can, and what /proc shows "
			 "everybody: there is no Landlock (%s) and no mount namespace (%s)",
			 strerror(report->landlock_err), strerror(report->mounts_err));
		handler(false, text, arg);
	}
	if (geteuid() == 0) {
		if (report->switch_err == EACCES)
			snprintf(text, sizeof(text),
				 "engines run as root: another user cannot reach their program or "
				 "voices, and there is no mount namespace (%s)",
				 strerror(report->mounts_err));
		else
			snprintf(text, sizeof(text), "engines run as root: %s%s",
				 report->switch_err ? "cannot switch the user: "
						    : "no other user was named",
				 report->switch_err ? strerror(report->switch_err) : "");
		handler(false, text, arg);
	}
	if (report->switched && !report->mounts) {
		snprintf(text, sizeof(text),
			 "engines reach their program and voices only where user %ld can: there "
			 "is no mount namespace (%s)",
			 (long)geteuid(), strerror(report->mounts_err));
		handler(false, text, arg);
	}
	if (!confine_has_engine_filter())
		handler(false,
			"engines can change files, start processes and signal others: this build "
			"has a sanitizer, which does all that",
			arg);
}

void confine_explain(const struct confine_report *report, confine_explain_h *handler, void *arg)
{
	const char *filtered =
		confine_has_engine_filter()
			? "; no changes to files, new processes, signals or limits for "
			  "others, or executable memory (system call filter)"
			: "";
	char layers[96];
	char text[480];

	confine_name_layers(layers, sizeof(layers), report);
	snprintf(text, sizeof(text),
		 "user %ld without capabilities; reading limited by %s; no network (system call "
		 "filter%s)%s",
		 (long)geteuid(), layers[0] ? layers : "file permissions alone",
		 report->network_namespace ? ", network namespace" : "", filtered);
	handler(true, text, arg);
	confine_explain_missing(report, handler, arg);
}
