/*
 * confine_calls.c: the system calls that a worker may make.
 *
 * Both filters list what is allowed.  A list of what is forbidden would have to
 * be complete for kernels that do not exist yet: fchmodat2, setxattrat and
 * file_setattr change files and are newer than the libseccomp of Debian 12,
 * which cannot even name them.
 *
 * The outer filter is for programs in any language, so a call that it does not
 * allow fails with EPERM and does not kill the process: libraries try calls that
 * they can do without.  Calls that are newer than this file fail with ENOSYS,
 * because the C library has a fallback for each of them.  Calls that no program
 * makes by accident kill the process.
 *
 * The kernel uses only 32 bits of each argument that is compared below and
 * ignores the upper half of the register, and so do these comparisons.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/count.h"
#include "workers/confine_private.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_GET_MDWE 66
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* Numbers of system calls, which are the same on all architectures: from the first one that libseccomp
 * 2.5.4 does not know to somewhat beyond the last one of Linux 6.18 (470).  Each costs time when a
 * worker starts. */
#define CONFINE_NEW_CALLS 451
#define CONFINE_NEW_CALLS_END 500

#define CONFINE_LOW_HALF UINT64_C(0xffffffff)

/* These fail but do not kill the process: the C library calls a name service on its own, and a program
 * that its launcher has confined may confine itself again. */
static const int confine_network_calls[] = {
	SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind),    SCMP_SYS(listen),
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(unshare), SCMP_SYS(setns),
};

/* A program that makes samples has no legitimate use for any of these. */
static const int confine_hostile_calls[] = {
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(kcmp),
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(move_mount),
	SCMP_SYS(open_tree),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fspick),
	SCMP_SYS(fsmount),
	SCMP_SYS(mount_setattr),
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
	SCMP_SYS(modify_ldt),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(fanotify_init),
#if !CONFINE_SANITIZED
	SCMP_SYS(ptrace), /* the leak checker traces its own process */
#endif
};

/* These fail as if the kernel did not have them.  Libraries then use an older call, whose arguments a
 * filter can see, and ordinary reading in place of io_uring, which would bypass the filter. */
static const int confine_absent_calls[] = {
	SCMP_SYS(clone3),         SCMP_SYS(openat2),           SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
};

/* What programs need, in any language.  Calls that are allowed only with some arguments are added one
 * by one below.  Not allowed are, among others: everything that changes a file, its mode, owner, times
 * or attributes; locks on files, which could make `syrinx voices` wait; notification of changes and
 * extended attributes, which Landlock does not cover; shared memory, semaphores and queues of System V
 * and POSIX; memfd_create; splice and aio, which few programs need and whose code in the kernel has
 * had vulnerabilities; the kernel's log. */
static const int confine_outer_calls[] = {
	/* open descriptors; RLIMIT_FSIZE prevents writing to files */
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(readv),
	SCMP_SYS(writev),
	SCMP_SYS(pread64),
	SCMP_SYS(pwrite64),
	SCMP_SYS(preadv),
	SCMP_SYS(pwritev),
	SCMP_SYS(preadv2),
	SCMP_SYS(pwritev2),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(close_range),
	SCMP_SYS(dup),
	SCMP_SYS(dup2),
	SCMP_SYS(dup3),
	SCMP_SYS(pipe),
	SCMP_SYS(pipe2),
	SCMP_SYS(sendfile),
	SCMP_SYS(select),
	SCMP_SYS(pselect6),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(epoll_create),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(eventfd),
	SCMP_SYS(eventfd2),
	SCMP_SYS(signalfd),
	SCMP_SYS(signalfd4),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime),
	SCMP_SYS(timerfd_gettime),
	/* the socket to the server */
	SCMP_SYS(sendto),
	SCMP_SYS(sendmsg),
	SCMP_SYS(sendmmsg),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(recvmmsg),
	SCMP_SYS(shutdown),
	SCMP_SYS(getsockname),
	SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt),
	/* files that are read */
	SCMP_SYS(stat),
	SCMP_SYS(fstat),
	SCMP_SYS(lstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(statfs),
	SCMP_SYS(fstatfs),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(getdents),
	SCMP_SYS(getdents64),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd),
	SCMP_SYS(chdir),
	SCMP_SYS(fchdir),
	SCMP_SYS(umask),
	SCMP_SYS(fadvise64),
	SCMP_SYS(readahead),
	/* memory */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(mincore),
	SCMP_SYS(msync),
	SCMP_SYS(mlock),
	SCMP_SYS(mlock2),
	SCMP_SYS(munlock),
	SCMP_SYS(membarrier),
	SCMP_SYS(mbind),
	SCMP_SYS(get_mempolicy),
	SCMP_SYS(set_mempolicy),
	/* threads and time */
	SCMP_SYS(futex),
	SCMP_SYS(futex_waitv),
	SCMP_SYS(set_tid_address),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(arch_prctl),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_getscheduler),
	SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getattr),
	SCMP_SYS(sched_get_priority_max),
	SCMP_SYS(sched_get_priority_min),
	SCMP_SYS(sched_rr_get_interval),
	SCMP_SYS(getpriority),
	SCMP_SYS(getcpu),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(times),
	SCMP_SYS(alarm),
	SCMP_SYS(setitimer),
	SCMP_SYS(getitimer),
	SCMP_SYS(timer_create),
	SCMP_SYS(timer_settime),
	SCMP_SYS(timer_gettime),
	SCMP_SYS(timer_getoverrun),
	SCMP_SYS(timer_delete),
	SCMP_SYS(getrusage),
	SCMP_SYS(getrandom),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
	/* the identity of the process */
	SCMP_SYS(getpid),
	SCMP_SYS(getppid),
	SCMP_SYS(gettid),
	SCMP_SYS(getpgid),
	SCMP_SYS(getpgrp),
	SCMP_SYS(getsid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(getresuid),
	SCMP_SYS(getresgid),
	SCMP_SYS(getgroups),
	SCMP_SYS(getrlimit),
	/* its own signals, and exit */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigsuspend),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(pause),
	SCMP_SYS(wait4),
	SCMP_SYS(waitid),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	/* for scripts and wrappers; the program that is executed is confined in the same way */
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	/* to restrict itself further: without privileges, a process can do nothing else with these */
	SCMP_SYS(setrlimit),
	SCMP_SYS(capget),
	SCMP_SYS(capset),
	SCMP_SYS(seccomp),
	SCMP_SYS(landlock_create_ruleset),
	SCMP_SYS(landlock_add_rule),
	SCMP_SYS(landlock_restrict_self),
};

/* What an engine still needs once it is open.  Calls that are allowed only with some arguments (open,
 * mmap, mprotect, tgkill) are added one by one. */
static const int confine_engine_calls[] = {
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
	SCMP_SYS(sysinfo), /* qsort asks how much memory there is; decoders of Vorbis sort */
	/* signals and exit */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(pause),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* The C library tries these and can do without them: ioctl to see whether a file is a terminal, prctl
 * to name memory, the rest when a thread is started. */
static const int confine_missed_calls[] = {
	SCMP_SYS(ioctl), SCMP_SYS(prctl),           SCMP_SYS(clone), SCMP_SYS(clone3),
	SCMP_SYS(uname), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
};

/* A filter that is being written: after the first error nothing more is added. */
struct confine_filter {
	scmp_filter_ctx rules;
	int err;
};

static void confine_calls_add_list(struct confine_filter *filter, uint32_t action, const int *calls,
				   size_t n)
{
	for (size_t i = 0; i < n && !filter->err; ++i)
		filter->err = -seccomp_rule_add_array(filter->rules, action, calls[i], 0, NULL);
}

static struct scmp_arg_cmp confine_calls_bits(unsigned arg, uint64_t mask, uint64_t value)
{
	return (struct scmp_arg_cmp){
		.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

static struct scmp_arg_cmp confine_calls_equal(unsigned arg, uint64_t value)
{
	return confine_calls_bits(arg, CONFINE_LOW_HALF, value & CONFINE_LOW_HALF);
}

/* Allows the call if one of its arguments meets the condition. */
static void confine_calls_allow_if(struct confine_filter *filter, int call, struct scmp_arg_cmp one)
{
	if (!filter->err)
		filter->err = -seccomp_rule_add_array(filter->rules, SCMP_ACT_ALLOW, call, 1, &one);
}

static void confine_calls_allow_if_both(struct confine_filter *filter, int call,
					struct scmp_arg_cmp one, struct scmp_arg_cmp two)
{
	const struct scmp_arg_cmp both[] = {one, two};

	if (!filter->err)
		filter->err = -seccomp_rule_add_array(filter->rules, SCMP_ACT_ALLOW, call, 2, both);
}

/* Allows the call if the argument has one of these values. */
static void confine_calls_allow_values(struct confine_filter *filter, int call, unsigned arg,
				       const uint32_t *values, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		confine_calls_allow_if(filter, call, confine_calls_equal(arg, values[i]));
}

/* Allows files to be opened for reading only.  O_CREAT and O_TRUNC would change files even then. */
static void confine_calls_allow_reading(struct confine_filter *filter)
{
	const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;

	confine_calls_allow_if(filter, SCMP_SYS(openat), confine_calls_bits(2, writing, O_RDONLY));
	confine_calls_allow_if(filter, SCMP_SYS(open), confine_calls_bits(1, writing, O_RDONLY));
}

/* A library's code is mapped from its file and is never writable.  Memory that was writable cannot
 * become executable, except for an engine that the operator has listed as generating code.  A file
 * must not be mapped shared and writable, because RLIMIT_FSIZE does not apply to such writes. */
static void confine_calls_allow_memory(struct confine_filter *filter, bool jit)
{
	const uint64_t access = jit ? PROT_WRITE : PROT_WRITE | PROT_EXEC;
	const uint64_t anonymous = MAP_SHARED | MAP_ANONYMOUS;

	confine_calls_allow_if(filter, SCMP_SYS(mmap), confine_calls_bits(2, PROT_WRITE, 0));
	confine_calls_allow_if_both(filter, SCMP_SYS(mmap),
				    confine_calls_bits(2, access, PROT_WRITE),
				    confine_calls_bits(3, MAP_SHARED, 0));
	confine_calls_allow_if_both(filter, SCMP_SYS(mmap),
				    confine_calls_bits(2, access, PROT_WRITE),
				    confine_calls_bits(3, anonymous, anonymous));
	confine_calls_allow_if(filter, SCMP_SYS(mprotect), confine_calls_bits(2, PROT_EXEC, 0));
	if (jit)
		confine_calls_allow_if(filter, SCMP_SYS(mprotect),
				       confine_calls_bits(2, PROT_EXEC, PROT_EXEC));
}

/* Allows threads, but without new namespaces or a pidfd.  Not processes, which the server would not
 * know of. */
static void confine_calls_allow_threads(struct confine_filter *filter)
{
	const uint64_t wanted = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
	const uint64_t unwanted = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
				  CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PIDFD |
				  CLONE_PTRACE;

	confine_calls_allow_if(filter, SCMP_SYS(clone),
			       confine_calls_bits(0, wanted | unwanted, wanted));
}

/* abort() and raise() signal their own process; no other process may be signalled.  The
 * process keeps its ID when it executes the engine. */
static void confine_calls_allow_own_signals(struct confine_filter *filter)
{
	const struct scmp_arg_cmp self = confine_calls_equal(0, (uint64_t)getpid());

	confine_calls_allow_if(filter, SCMP_SYS(kill), self);
	confine_calls_allow_if(filter, SCMP_SYS(tkill), self);
	confine_calls_allow_if(filter, SCMP_SYS(tgkill), self);
	confine_calls_allow_if(filter, SCMP_SYS(rt_sigqueueinfo), self);
	confine_calls_allow_if(filter, SCMP_SYS(rt_tgsigqueueinfo), self);
}

/* Allowed for the calling thread (0) and the main thread.  A filter cannot know whether another number
 * is a thread of this process or another process. */
static void confine_calls_allow_own_scheduling(struct confine_filter *filter)
{
	static const int calls[] = {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity),
				    SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam),
				    SCMP_SYS(sched_setattr)};

	for (size_t i = 0; i < COUNT(calls); ++i) {
		confine_calls_allow_if(filter, calls[i], confine_calls_equal(0, 0));
		confine_calls_allow_if(filter, calls[i],
				       confine_calls_equal(0, (uint64_t)getpid()));
	}
	confine_calls_allow_if_both(filter, SCMP_SYS(setpriority),
				    confine_calls_equal(0, PRIO_PROCESS),
				    confine_calls_equal(1, 0));
}

/* Not F_SETOWN, F_SETSIG and O_ASYNC, with which the kernel would signal any process that the
 * caller names; nor locks. */
static void confine_calls_allow_descriptor_settings(struct confine_filter *filter)
{
	static const uint32_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,
					    F_SETFD, F_GETFL,         F_GETPIPE_SZ};
	static const uint32_t requests[] = {TCGETS,  TIOCGWINSZ, FIONREAD,
					    FIONBIO, FIOCLEX,    FIONCLEX};

	confine_calls_allow_values(filter, SCMP_SYS(fcntl), 1, commands, COUNT(commands));
	confine_calls_allow_if_both(filter, SCMP_SYS(fcntl), confine_calls_equal(1, F_SETFL),
				    confine_calls_bits(2, O_ASYNC, 0));
	confine_calls_allow_values(filter, SCMP_SYS(ioctl), 1, requests, COUNT(requests));
}

/* PR_SET_PDEATHSIG is allowed with SIGKILL only, because the worker must die with the server. */
static void confine_calls_allow_process_settings(struct confine_filter *filter)
{
	static const uint32_t options[] = {
		PR_SET_NAME,        PR_GET_NAME,       PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
		PR_GET_SECCOMP,     PR_SET_SECCOMP,    PR_GET_DUMPABLE,     PR_SET_DUMPABLE,
		PR_GET_PDEATHSIG,   PR_SET_TIMERSLACK, PR_GET_TIMERSLACK,   PR_SET_THP_DISABLE,
		PR_GET_THP_DISABLE, PR_SET_VMA,        PR_CAPBSET_READ,     PR_CAPBSET_DROP,
		PR_CAP_AMBIENT,     PR_SET_MDWE,       PR_GET_MDWE,
	};

	confine_calls_allow_values(filter, SCMP_SYS(prctl), 0, options, COUNT(options));
	confine_calls_allow_if_both(filter, SCMP_SYS(prctl),
				    confine_calls_equal(0, PR_SET_PDEATHSIG),
				    confine_calls_equal(1, SIGKILL));
}

/* Event loops wake themselves through a pair of stream sockets.  Datagram pairs are not
 * allowed: either end can send to every socket in the file system, including the service
 * manager's. */
static void confine_calls_allow_socket_pairs(struct confine_filter *filter)
{
	const uint64_t type = (uint64_t) ~(SOCK_CLOEXEC | SOCK_NONBLOCK) & CONFINE_LOW_HALF;
	static const uint32_t settings[] = {SO_RCVTIMEO, SO_SNDTIMEO, SO_RCVBUF, SO_SNDBUF};

	confine_calls_allow_if_both(filter, SCMP_SYS(socketpair), confine_calls_equal(0, AF_UNIX),
				    confine_calls_bits(1, type, SOCK_STREAM));
	for (size_t i = 0; i < COUNT(settings); ++i)
		confine_calls_allow_if_both(filter, SCMP_SYS(setsockopt),
					    confine_calls_equal(1, SOL_SOCKET),
					    confine_calls_equal(2, settings[i]));
}

/* Loads the filter.  It kills a process that makes calls of another architecture, which have other
 * numbers.  It applies to threads that a library has started (TSYNC), and the kernel searches its
 * rules as a binary tree (OPTIMIZE 2). */
static int confine_calls_load(struct confine_filter *filter)
{
	if (!filter->err)
		filter->err = -seccomp_attr_set(filter->rules, SCMP_FLTATR_ACT_BADARCH,
						SCMP_ACT_KILL_PROCESS);
	if (!filter->err)
		filter->err = -seccomp_attr_set(filter->rules, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!filter->err)
		filter->err = -seccomp_attr_set(filter->rules, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!filter->err)
		filter->err = -seccomp_load(filter->rules);
	seccomp_release(filter->rules);
	return filter->err;
}

static void confine_calls_add_outer(struct confine_filter *filter, bool jit)
{
	confine_calls_add_list(filter, SCMP_ACT_ERRNO(ENOSYS), confine_absent_calls,
			       COUNT(confine_absent_calls));
	for (int call = CONFINE_NEW_CALLS; call < CONFINE_NEW_CALLS_END; ++call)
		confine_calls_add_list(filter, SCMP_ACT_ERRNO(ENOSYS), &call, 1);
	confine_calls_add_list(filter, SCMP_ACT_ALLOW, confine_outer_calls,
			       COUNT(confine_outer_calls));
	confine_calls_allow_reading(filter);
	confine_calls_allow_memory(filter, jit);
	confine_calls_allow_threads(filter);
	confine_calls_allow_own_signals(filter);
	confine_calls_allow_own_scheduling(filter);
	confine_calls_allow_descriptor_settings(filter);
	confine_calls_allow_process_settings(filter);
	confine_calls_allow_socket_pairs(filter);
}

int confine_filter_outer(bool jit)
{
	struct confine_filter filter = {
		.rules = seccomp_init(CONFINE_SANITIZED ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM))};

	if (!filter.rules)
		return ENOMEM;
	confine_calls_add_list(&filter, SCMP_ACT_ERRNO(EACCES), confine_network_calls,
			       COUNT(confine_network_calls));
	confine_calls_add_list(&filter, SCMP_ACT_KILL_PROCESS, confine_hostile_calls,
			       COUNT(confine_hostile_calls));
	if (!CONFINE_SANITIZED)
		confine_calls_add_outer(&filter, jit);
	return confine_calls_load(&filter);
}

int confine_filter_engine(void)
{
	struct confine_filter filter = {.rules = seccomp_init(SCMP_ACT_KILL_PROCESS)};

	if (!filter.rules)
		return ENOMEM;
	confine_calls_add_list(&filter, SCMP_ACT_ALLOW, confine_engine_calls,
			       COUNT(confine_engine_calls));
	confine_calls_add_list(&filter, SCMP_ACT_ERRNO(ENOSYS), confine_missed_calls,
			       COUNT(confine_missed_calls));
	confine_calls_allow_reading(&filter);
	confine_calls_allow_if(&filter, SCMP_SYS(mmap), confine_calls_bits(2, PROT_EXEC, 0));
	confine_calls_allow_if(&filter, SCMP_SYS(mprotect), confine_calls_bits(2, PROT_EXEC, 0));
	confine_calls_allow_if(&filter, SCMP_SYS(tgkill),
			       confine_calls_equal(0, (uint64_t)getpid()));
	return confine_calls_load(&filter);
}
