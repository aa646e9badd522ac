/*
 * confine.c: what a worker process may do (see confine.h).
 */
#include "synth/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Socket, standard streams, and the few files that a library has open at a
 * time. */
#define FILES_MAX 64

/* Refused, not deadly: the C library asks a name service by itself, and a
 * confined launcher's program may confine itself once more. */
static const int network_calls[] = {
	SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind),    SCMP_SYS(listen),
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(unshare), SCMP_SYS(setns),
};

/* None of these has an innocent use in a program that makes samples. */
static const int hostile_calls[] = {
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(kcmp),
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(move_mount),
	SCMP_SYS(open_tree),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsmount),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(reboot),
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(keyctl),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(acct),
	SCMP_SYS(quotactl),
	SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime),
	SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex),
	SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname),
	SCMP_SYS(iopl),
	SCMP_SYS(ioperm),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(io_uring_setup), /* would go around this filter */
#if !SANITIZED
	SCMP_SYS(ptrace), /* the leak checker traces its own process */
#endif
};

/* What an open engine goes on doing.  Calls with conditions on their arguments
 * (open, mmap, mprotect, tgkill) are added one by one. */
static const int engine_calls[] = {
	/* the socket and the log */
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(sendmsg),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(shutdown),
	/* voices and dictionaries */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(pread64),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(fstat),
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(getdents64),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd),
	SCMP_SYS(fcntl),
	SCMP_SYS(fadvise64),
	/* memory */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	/* time, and threads that exist */
	SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(setitimer),
	SCMP_SYS(getrusage),
	SCMP_SYS(getrandom),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	/* signals and the end */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(pause),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* Tried by the C library and done without: ioctl to see whether a file is a
 * terminal, prctl to name memory, the rest when a thread is started. */
static const int missed_calls[] = {
	SCMP_SYS(ioctl), SCMP_SYS(prctl),           SCMP_SYS(clone), SCMP_SYS(clone3),
	SCMP_SYS(uname), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
};

static int add_rules(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; ++i)
		err = -seccomp_rule_add_array(filter, action, calls[i], 0, NULL);
	return err;
}

/* Calls made for another architecture would be numbered differently, and
 * threads that a library has started are under the filter too. */
static int load(scmp_filter_ctx filter)
{
	int err = -seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (!err)
		err = -seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!err)
		err = -seccomp_load(filter);
	return err;
}

static int load_outer_filter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int err;

	if (!filter)
		return ENOMEM;
	err = add_rules(filter, SCMP_ACT_ERRNO(EACCES), network_calls, COUNT(network_calls));
	if (!err)
		err = add_rules(filter, SCMP_ACT_KILL_PROCESS, hostile_calls, COUNT(hostile_calls));
	if (!err)
		err = load(filter);
	seccomp_release(filter);
	return err;
}

static int limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return errno;
	if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
		most = now.rlim_max; /* never widened */
	now = (struct rlimit){.rlim_cur = most, .rlim_max = most};
	return setrlimit(resource, &now) ? errno : 0;
}

static int set_limits(const struct confine_limits *limits)
{
	int err = limit(RLIMIT_CORE, 0);

	if (!err)
		err = limit(RLIMIT_NOFILE, FILES_MAX);
	if (!err)
		err = limit(RLIMIT_FSIZE, 0);
	/* The sanitizers' shadow is terabytes of address space. */
	if (!err && limits->memory_mb > 0 && !SANITIZED)
		err = limit(RLIMIT_AS, (rlim_t)limits->memory_mb << 20);
	return err;
}

/* A worker of a server that runs as root keeps of root's powers only that of
 * reading files, because a checkout may lie in somebody's private home.  With
 * no_new_privs set, executing a program does not bring the others back. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
	const uint32_t kept = CAP_TO_MASK(CAP_DAC_READ_SEARCH);

	if (syscall(SYS_capget, &header, sets))
		return errno;
	sets[0].effective &= kept;
	sets[0].permitted &= kept;
	sets[0].inheritable = 0;
	sets[1] = (struct __user_cap_data_struct){0};
	return syscall(SYS_capset, &header, sets) ? errno : 0;
}

/* A write past RLIMIT_FSIZE shall fail, not kill: it may be a log line.  And a
 * terminal or a service manager that ends the server signals its workers too:
 * they are needed until its last turn is spoken, and die with it. */
static int ignore_signals(void)
{
	static const int ignored[] = {SIGXFSZ, SIGINT, SIGTERM};

	for (size_t i = 0; i < COUNT(ignored); ++i) {
		if (signal(ignored[i], SIG_IGN) == SIG_ERR)
			return errno;
	}
	return 0;
}

int confine_outer(const struct confine_limits *limits)
{
	int err = set_limits(limits);

	if (!err)
		err = ignore_signals();
	if (err)
		return err;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return errno;
	(void)unshare(CLONE_NEWNET); /* for root only; the filter does without */
	err = drop_capabilities();
	return err ? err : load_outer_filter();
}

/* Whoever may not open for writing may not create, truncate or append either. */
static int allow_reading_files(scmp_filter_ctx filter)
{
	const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
	int err = -seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				    SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));

	if (!err)
		err = -seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
					SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
	return err;
}

static int allow_plain_memory(scmp_filter_ctx filter)
{
	int err = -seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));

	if (!err)
		err = -seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
					SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	return err;
}

/* abort() signals its own process, and that is as far as signals go. */
static int allow_abort(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp self = {
		.arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)getpid(), .datum_b = 0};

	return -seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &self);
}

static int load_engine_filter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int err;

	if (!filter)
		return ENOMEM;
	err = add_rules(filter, SCMP_ACT_ALLOW, engine_calls, COUNT(engine_calls));
	if (!err)
		err = add_rules(filter, SCMP_ACT_ERRNO(ENOSYS), missed_calls, COUNT(missed_calls));
	if (!err)
		err = allow_reading_files(filter);
	if (!err)
		err = allow_plain_memory(filter);
	if (!err)
		err = allow_abort(filter);
	if (!err)
		err = load(filter);
	seccomp_release(filter);
	return err;
}

bool confine_has_engine_filter(void)
{
	return !SANITIZED;
}

int confine_engine(void)
{
	if (!confine_has_engine_filter()) {
		log_info("confine", "built with a sanitizer: no engine filter");
		return 0;
	}
	return load_engine_filter();
}
