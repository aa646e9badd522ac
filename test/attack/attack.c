/*
 * attack.c: attempts to do what an engine must not (see attack.h).
 *
 * Each is made with the system call itself where the C library would do
 * something else first.  Descriptor 3 is a file that is open for reading and
 * writing where the name of an attempt ends in "_inherited".
 */
#include "attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/count.h"

#define INHERITED 3

/* Numbers of calls that are newer than the C library's headers. */
#define NR_FCHMODAT2 452
#define NR_SETXATTRAT 463
#define NR_FILE_SETATTR 469
#define NR_NOBODY_KNOWS 499
#define X32_BIT 0x40000000

static pid_t parent;

void attack_prepare(void)
{
	parent = getppid();
}

static int result_of(long value)
{
	return value < 0 ? errno : 0;
}

/* Files that are read */

static int read_file(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return errno;
	return read(fd, &byte, 1) < 0 ? errno : 0;
}

static int list(const char *path)
{
	DIR *dir = opendir(path);

	if (!dir)
		return errno;
	errno = 0;
	return readdir(dir) ? 0 : errno;
}

static const char *in(const char *folder, const char *name)
{
	static char paths[2][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 2];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static const char *of_parent(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)parent, name);
	return path;
}

#define READS(name, path)                                                                          \
	static int name(const char *argument)                                                      \
	{                                                                                          \
		(void)argument;                                                                    \
		return read_file(path);                                                            \
	}
#define LISTS(name, path)                                                                          \
	static int name(const char *argument)                                                      \
	{                                                                                          \
		(void)argument;                                                                    \
		return list(path);                                                                 \
	}
READS(read_key, in(argument, "local.key"))
READS(read_database, in(argument, "syrinx.db"))
LISTS(list_data, argument)
READS(read_shadow, "/etc/shadow")
READS(read_passwd, "/etc/passwd")
LISTS(list_root, "/root")
LISTS(list_var, "/var/lib")
READS(parent_mem, of_parent("mem"))
READS(parent_environ, of_parent("environ"))
READS(parent_maps, of_parent("maps"))
READS(parent_cmdline, of_parent("cmdline"))
READS(parent_status, of_parent("status"))
LISTS(parent_fd, of_parent("fd"))
LISTS(parent_root, of_parent("root"))
READS(other_cmdline, "/proc/1/cmdline")

/* A root directory of its own has a /proc in which nobody else is. */
static int list_proc(const char *argument)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;

	(void)argument;
	if (!dir)
		return errno;
	while ((entry = readdir(dir))) {
		if (strtol(entry->d_name, NULL, 10) == (long)parent)
			return 0;
	}
	return ENOENT;
}

static int parent_mem_write(const char *argument)
{
	(void)argument;
	return result_of(open(of_parent("mem"), O_RDWR));
}

static int parent_mem_path(const char *argument)
{
	int fd = open(of_parent("mem"), O_PATH);
	char path[64];

	(void)argument;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return read_file(path);
}

static int data_by_path_descriptor(const char *data)
{
	int dir = open(data, O_PATH | O_DIRECTORY);
	int fd;

	if (dir < 0)
		return errno;
	fd = openat(dir, "local.key", O_RDONLY);
	return result_of(fd);
}

/* Files that are changed */

static int create(const char *voices)
{
	return result_of(open(in(voices, "new.txt"), O_WRONLY | O_CREAT, 0600));
}

static int create_for_reading(const char *voices)
{
	return result_of(open(in(voices, "new.txt"), O_RDONLY | O_CREAT, 0600));
}

static int creat_call(const char *voices)
{
	return result_of(creat(in(voices, "new.txt"), 0600));
}

static int create_nameless(const char *voices)
{
	return result_of(open(voices, O_TMPFILE | O_RDWR, 0600));
}

static int open_for_writing(const char *voices)
{
	return result_of(open(in(voices, "old.txt"), O_WRONLY));
}

static int open_for_both(const char *voices)
{
	return result_of(open(in(voices, "old.txt"), O_RDWR));
}

static int open_truncating(const char *voices)
{
	return result_of(open(in(voices, "old.txt"), O_RDONLY | O_TRUNC));
}

static int openat2_call(const char *voices)
{
	const uint64_t how[3] = {O_RDWR, 0, 0};

	return result_of(syscall(SYS_openat2, AT_FDCWD, in(voices, "old.txt"), how, sizeof(how)));
}

static int truncate_call(const char *voices)
{
	return result_of(truncate(in(voices, "old.txt"), 0));
}

static int truncate_inherited(const char *argument)
{
	(void)argument;
	return result_of(ftruncate(INHERITED, 0));
}

static int write_inherited(const char *argument)
{
	(void)argument;
	return result_of(write(INHERITED, "x", 1));
}

static int allocate_inherited(const char *argument)
{
	(void)argument;
	return result_of(fallocate(INHERITED, 0, 0, 4096));
}

static int map_inherited(const char *argument)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, INHERITED, 0);

	(void)argument;
	return map == MAP_FAILED ? errno : 0;
}

static int chmod_inherited(const char *argument)
{
	(void)argument;
	return result_of(fchmod(INHERITED, 0777));
}

static int lock_inherited(const char *argument)
{
	(void)argument;
	return result_of(flock(INHERITED, LOCK_EX | LOCK_NB));
}

static int lock_a_region_inherited(const char *argument)
{
	struct flock whole = {.l_type = F_RDLCK};

	(void)argument;
	return result_of(fcntl(INHERITED, F_SETLK, &whole));
}

static int map_shared(const char *voices)
{
	int fd = open(in(voices, "old.txt"), O_RDWR);

	if (fd < 0)
		return errno;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? errno
											 : 0;
}

static int rename_call(const char *voices)
{
	return result_of(rename(in(voices, "old.txt"), in(voices, "new.txt")));
}

static int rename_exchanging(const char *voices)
{
	return result_of(syscall(SYS_renameat2, AT_FDCWD, in(voices, "old.txt"), AT_FDCWD,
				 in(voices, "other.txt"), 2));
}

static int unlink_call(const char *voices)
{
	return result_of(unlink(in(voices, "old.txt")));
}

static int mkdir_call(const char *voices)
{
	return result_of(mkdir(in(voices, "new"), 0700));
}

static int rmdir_call(const char *voices)
{
	return result_of(rmdir(in(voices, "empty")));
}

static int mknod_call(const char *voices)
{
	return result_of(mkfifo(in(voices, "new"), 0600));
}

static int link_call(const char *voices)
{
	return result_of(link(in(voices, "old.txt"), in(voices, "new.txt")));
}

static int symlink_call(const char *voices)
{
	return result_of(symlink("old.txt", in(voices, "new.txt")));
}

static int chmod_call(const char *voices)
{
	return result_of(chmod(in(voices, "old.txt"), 0777));
}

static int chmod_folder(const char *voices)
{
	return result_of(chmod(voices, 0777));
}

static int fchmod_call(const char *voices)
{
	int fd = open(in(voices, "old.txt"), O_RDONLY);

	return fd < 0 ? errno : result_of(fchmod(fd, 0777));
}

static int fchmodat2_call(const char *voices)
{
	return result_of(syscall(NR_FCHMODAT2, AT_FDCWD, in(voices, "old.txt"), 0777, 0));
}

static int chown_call(const char *voices)
{
	return result_of(chown(in(voices, "old.txt"), getuid(), getgid()));
}

static int utimes_call(const char *voices)
{
	return result_of(utimensat(AT_FDCWD, in(voices, "old.txt"), NULL, 0));
}

static int setxattr_call(const char *voices)
{
	return result_of(setxattr(in(voices, "old.txt"), "user.a", "b", 1, 0));
}

static int getxattr_call(const char *voices)
{
	char value[8];

	return result_of(getxattr(in(voices, "old.txt"), "user.kept", value, sizeof(value)));
}

static int setxattrat_call(const char *voices)
{
	const uint64_t arguments[2] = {(uint64_t)(uintptr_t) "b", 1};

	return result_of(syscall(NR_SETXATTRAT, AT_FDCWD, in(voices, "old.txt"), 0, "user.a",
				 arguments, sizeof(arguments)));
}

static int file_setattr_call(const char *voices)
{
	const uint64_t attributes[4] = {0};

	return result_of(syscall(NR_FILE_SETATTR, AT_FDCWD, in(voices, "old.txt"), attributes,
				 sizeof(attributes), 0));
}

static int inotify_call(const char *voices)
{
	int fd = inotify_init1(0);

	return fd < 0 ? errno : result_of(inotify_add_watch(fd, voices, IN_ALL_EVENTS));
}

/* Other processes */

static int signal_parent(const char *argument)
{
	(void)argument;
	return result_of(kill(parent, 0));
}

static int signal_group(const char *argument)
{
	(void)argument;
	return result_of(kill(0, 0));
}

static int signal_everybody(const char *argument)
{
	(void)argument;
	return result_of(kill(-1, 0));
}

static int signal_parent_thread(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_tgkill, parent, parent, 0));
}

static int signal_parent_task(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_tkill, parent, 0));
}

static int signal_parent_queue(const char *argument)
{
	(void)argument;
	return result_of(sigqueue(parent, 0, (union sigval){0}));
}

/* The kernel would signal the owner of a descriptor when it can be read. */
static int signal_by_owner(const char *argument)
{
	int fds[2];

	(void)argument;
	if (pipe(fds))
		return errno;
	return result_of(fcntl(fds[0], F_SETOWN, parent));
}

static int signal_by_async(const char *argument)
{
	int fds[2];

	(void)argument;
	if (pipe(fds))
		return errno;
	return result_of(fcntl(fds[0], F_SETFL, O_ASYNC));
}

static int signal_by_pidfd(const char *argument)
{
	int fd = (int)syscall(SYS_pidfd_open, parent, 0);

	(void)argument;
	return fd < 0 ? errno : result_of(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
}

static int pidfd_getfd_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_pidfd_getfd, 0, 0, 0));
}

static int limit_parent(const char *argument)
{
	struct rlimit now;

	(void)argument;
	return result_of(prlimit(parent, RLIMIT_NOFILE, NULL, &now));
}

static int raise_own_limit(const char *argument)
{
	const struct rlimit wide = {.rlim_cur = 4096, .rlim_max = 4096};

	(void)argument;
	return result_of(setrlimit(RLIMIT_FSIZE, &wide));
}

static int nice_parent(const char *argument)
{
	(void)argument;
	return result_of(setpriority(PRIO_PROCESS, (id_t)parent, 19));
}

static int nice_user(const char *argument)
{
	(void)argument;
	return result_of(setpriority(PRIO_USER, 0, 19));
}

static int pin_parent(const char *argument)
{
	cpu_set_t one;

	(void)argument;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	return result_of(sched_setaffinity(parent, sizeof(one), &one));
}

static int idle_parent(const char *argument)
{
	const struct sched_param none = {0};

	(void)argument;
	return result_of(sched_setscheduler(parent, SCHED_IDLE, &none));
}

static int outlive_parent(const char *argument)
{
	(void)argument;
	return result_of(prctl(PR_SET_PDEATHSIG, 0));
}

static int adopt_orphans(const char *argument)
{
	(void)argument;
	return result_of(prctl(PR_SET_CHILD_SUBREAPER, 1));
}

/* New processes */

static int after_fork(long pid)
{
	if (pid == 0)
		_exit(0);
	return result_of(pid);
}

static int fork_call(const char *argument)
{
	(void)argument;
	return after_fork(fork());
}

static int fork_syscall(const char *argument)
{
	(void)argument;
	return after_fork(syscall(SYS_fork));
}

static int vfork_call(const char *argument)
{
	pid_t pid = vfork(); /* NOLINT: it is what is tried */

	(void)argument;
	if (pid == 0)
		_exit(0);
	return result_of(pid);
}

static int clone_syscall(const char *argument)
{
	(void)argument;
	return after_fork(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0UL));
}

static int clone3_syscall(const char *argument)
{
	const uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD};

	(void)argument;
	return after_fork(syscall(SYS_clone3, arguments, sizeof(arguments)));
}

static int spawn_call(const char *argument)
{
	static char name[] = "true";
	char *argv[] = {name, NULL};
	pid_t pid;

	(void)argument;
	return posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1);
}

static int execute_unlisted(const char *data)
{
	static char name[] = "program";
	char *argv[] = {name, NULL};

	execve(in(data, "program"), argv, argv + 1);
	return errno;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* One more than its limit allows; with the smallest stacks there are. */
static int too_many_threads(const char *argument)
{
	struct rlimit limit;
	pthread_attr_t small;
	pthread_t thread;
	int err = 0;

	(void)argument;
	if (getrlimit(RLIMIT_NPROC, &limit) || limit.rlim_cur > 100000)
		return 0; /* as good as none */
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN);
	for (rlim_t i = 0; i <= limit.rlim_cur && !err; ++i)
		err = pthread_create(&thread, &small, wait_for_ever, NULL);
	return err;
}

/* Memory */

static int memory_made_executable(const char *argument)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argument;
	return page == MAP_FAILED ? errno : result_of(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

static int memory_made_executable_by_key(const char *argument)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argument;
	return page == MAP_FAILED
		       ? errno
		       : result_of(syscall(SYS_pkey_mprotect, page, 4096, PROT_EXEC, -1));
}

static int memory_writable_and_executable(const char *argument)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argument;
	return page == MAP_FAILED ? errno : 0;
}

static int own_memory_by_proc(const char *argument)
{
	(void)argument;
	return result_of(open("/proc/self/mem", O_RDWR));
}

static int personality_call(const char *argument)
{
	(void)argument;
	return result_of(personality(READ_IMPLIES_EXEC));
}

static int memfd_call(const char *argument)
{
	(void)argument;
	return result_of(memfd_create("a", 0));
}

static int memfd_secret_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_memfd_secret, 0));
}

static int shm_open_call(const char *argument)
{
	(void)argument;
	return result_of(shm_open("/attack", O_RDWR | O_CREAT, 0600));
}

static int shmget_call(const char *argument)
{
	(void)argument;
	return result_of(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
}

static int msgget_call(const char *argument)
{
	(void)argument;
	return result_of(msgget(IPC_PRIVATE, IPC_CREAT | 0600));
}

static int semget_call(const char *argument)
{
	(void)argument;
	return result_of(semget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
}

static int mq_open_call(const char *argument)
{
	(void)argument;
	return result_of(mq_open("/attack", O_RDWR | O_CREAT, 0600, NULL));
}

/* Network */

#define SOCKET(name, domain, type, protocol)                                                       \
	static int name(const char *argument)                                                      \
	{                                                                                          \
		(void)argument;                                                                    \
		return result_of(socket(domain, type, protocol));                                  \
	}
SOCKET(socket_tcp, AF_INET, SOCK_STREAM, 0)
SOCKET(socket_tcp6, AF_INET6, SOCK_STREAM, 0)
SOCKET(socket_udp, AF_INET, SOCK_DGRAM, 0)
SOCKET(socket_unix, AF_UNIX, SOCK_STREAM, 0)
SOCKET(socket_unix_datagrams, AF_UNIX, SOCK_DGRAM, 0)
SOCKET(socket_netlink, AF_NETLINK, SOCK_RAW, 0)
SOCKET(socket_vsock, AF_VSOCK, SOCK_STREAM, 0)

/* Either end of such a pair can send to any socket with a name. */
static int socketpair_datagrams(const char *argument)
{
	int fds[2];

	(void)argument;
	return result_of(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
}

static int bind_abstract(const char *argument)
{
	const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0attack"};
	int fds[2];

	(void)argument;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return errno;
	return result_of(bind(fds[0], (const struct sockaddr *)&name, sizeof(name)));
}

static int connect_path(const char *voices)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return errno;
	snprintf(name.sun_path, sizeof(name.sun_path), "%.90s/socket", voices);
	return result_of(connect(fds[0], (const struct sockaddr *)&name, sizeof(name)));
}

/* The kernel */

static int io_uring_call(const char *argument)
{
	uint64_t parameters[16] = {0};

	(void)argument;
	return result_of(syscall(SYS_io_uring_setup, 1, parameters));
}

static int unshare_user(const char *argument)
{
	(void)argument;
	return result_of(unshare(CLONE_NEWUSER));
}

static int setns_call(const char *argument)
{
	(void)argument;
	return result_of(setns(-1, 0));
}

static int setuid_root(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_setresuid, 0, 0, 0));
}

static int read_kernel_log(const char *argument)
{
	(void)argument;
	return result_of(klogctl(10, NULL, 0));
}

static int type_into_terminal(const char *argument)
{
	(void)argument;
	return result_of(ioctl(2, TIOCSTI, "x"));
}

static int call_nobody_knows(const char *argument)
{
	(void)argument;
	return result_of(syscall(NR_NOBODY_KNOWS));
}

/* Those that end the process where a filter knows them */

static int ptrace_parent(const char *argument)
{
	(void)argument;
	return result_of(ptrace(PTRACE_SEIZE, parent, NULL, NULL));
}

static int read_parent_memory(const char *argument)
{
	char byte;
	struct iovec here = {&byte, 1};
	struct iovec there = {&byte, 1};

	(void)argument;
	return result_of(process_vm_readv(parent, &here, 1, &there, 1, 0));
}

static int mount_call(const char *argument)
{
	(void)argument;
	return result_of(mount("none", "/tmp", "tmpfs", 0, NULL));
}

static int chroot_call(const char *argument)
{
	(void)argument;
	return result_of(chroot("/"));
}

static int open_tree_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_open_tree, AT_FDCWD, "/", 1));
}

static int open_by_handle(const char *argument)
{
	uint64_t handle[4] = {0};

	(void)argument;
	return result_of(syscall(SYS_open_by_handle_at, AT_FDCWD, handle, O_RDONLY));
}

static int userfaultfd_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_userfaultfd, 1));
}

static int bpf_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_bpf, 0, NULL, 0));
}

static int perf_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static int keyctl_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_keyctl, 0, -3, 0));
}

static int fanotify_call(const char *argument)
{
	(void)argument;
	return result_of(fanotify_init(0, O_RDONLY));
}

static int kexec_call(const char *argument)
{
	(void)argument;
	return result_of(syscall(SYS_kexec_load, 0, 0, NULL, 0));
}

static int x32_call(const char *argument)
{
	(void)argument;
#ifdef __x86_64__
	return result_of(syscall(X32_BIT | SYS_getpid));
#else
	return ENOSYS;
#endif
}

static int call_of_32_bits(const char *argument)
{
	(void)argument;
#ifdef __x86_64__
	long number = 20; /* getpid */

	__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
	return number < 0 ? (int)-number : 0;
#else
	return ENOSYS;
#endif
}

/* What an engine needs and must be able to do */

static void *thread_main(void *arg)
{
	return arg;
}

static int need_thread(const char *argument)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, thread_main, NULL);

	(void)argument;
	return err ? err : pthread_join(thread, NULL);
}

static int need_memory(const char *argument)
{
	void *page = malloc(64 << 20);

	(void)argument;
	free(page);
	return page ? 0 : ENOMEM;
}

static int need_abort_signal(const char *argument)
{
	(void)argument;
	return result_of(kill(getpid(), 0));
}

READS(need_voice, in(argument, "old.txt"))
LISTS(need_voices, argument)
READS(need_linked_voice, in(argument, "linked.txt"))
READS(need_random, "/dev/urandom")
READS(need_processors, "/proc/cpuinfo")
READS(need_own_maps, "/proc/self/maps")
LISTS(need_libraries, "/usr/lib")

static int need_socket_pair(const char *argument)
{
	int fds[2];

	(void)argument;
	return result_of(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
}

static int need_to_execute(const char *argument)
{
	static char name[] = "true";
	char *argv[] = {name, NULL};

	(void)argument;
	execve("/bin/true", argv, argv + 1);
	return errno;
}

#define ATTACK(function)                                                                           \
	{                                                                                          \
#function, function, NULL                                                          \
	}
#define ATTACK_OF(function, what)                                                                  \
	{                                                                                          \
#function, function, what                                                          \
	}

const struct attack attack_table[] = {
	ATTACK_OF(read_key, "data"),
	ATTACK_OF(read_database, "data"),
	ATTACK_OF(list_data, "data"),
	ATTACK_OF(data_by_path_descriptor, "data"),
	ATTACK(read_shadow),
	ATTACK(read_passwd),
	ATTACK(list_root),
	ATTACK(list_var),
	ATTACK(list_proc),
	ATTACK(parent_mem),
	ATTACK(parent_mem_write),
	ATTACK(parent_mem_path),
	ATTACK(parent_environ),
	ATTACK(parent_maps),
	ATTACK(parent_cmdline),
	ATTACK(parent_status),
	ATTACK(parent_fd),
	ATTACK(parent_root),
	ATTACK(other_cmdline),
	ATTACK_OF(create, "voices"),
	ATTACK_OF(create_for_reading, "voices"),
	ATTACK_OF(creat_call, "voices"),
	ATTACK_OF(create_nameless, "voices"),
	ATTACK_OF(open_for_writing, "voices"),
	ATTACK_OF(open_for_both, "voices"),
	ATTACK_OF(open_truncating, "voices"),
	ATTACK_OF(openat2_call, "voices"),
	ATTACK_OF(truncate_call, "voices"),
	ATTACK(truncate_inherited),
	ATTACK(write_inherited),
	ATTACK(allocate_inherited),
	ATTACK(map_inherited),
	ATTACK(chmod_inherited),
	ATTACK(lock_inherited),
	ATTACK(lock_a_region_inherited),
	ATTACK_OF(map_shared, "voices"),
	ATTACK_OF(rename_call, "voices"),
	ATTACK_OF(rename_exchanging, "voices"),
	ATTACK_OF(unlink_call, "voices"),
	ATTACK_OF(mkdir_call, "voices"),
	ATTACK_OF(rmdir_call, "voices"),
	ATTACK_OF(mknod_call, "voices"),
	ATTACK_OF(link_call, "voices"),
	ATTACK_OF(symlink_call, "voices"),
	ATTACK_OF(chmod_call, "voices"),
	ATTACK_OF(chmod_folder, "voices"),
	ATTACK_OF(fchmod_call, "voices"),
	ATTACK_OF(fchmodat2_call, "voices"),
	ATTACK_OF(chown_call, "voices"),
	ATTACK_OF(utimes_call, "voices"),
	ATTACK_OF(setxattr_call, "voices"),
	ATTACK_OF(getxattr_call, "voices"),
	ATTACK_OF(setxattrat_call, "voices"),
	ATTACK_OF(file_setattr_call, "voices"),
	ATTACK_OF(inotify_call, "voices"),
	ATTACK(signal_parent),
	ATTACK(signal_group),
	ATTACK(signal_everybody),
	ATTACK(signal_parent_thread),
	ATTACK(signal_parent_task),
	ATTACK(signal_parent_queue),
	ATTACK(signal_by_owner),
	ATTACK(signal_by_async),
	ATTACK(signal_by_pidfd),
	ATTACK(limit_parent),
	ATTACK(raise_own_limit),
	ATTACK(nice_parent),
	ATTACK(nice_user),
	ATTACK(pin_parent),
	ATTACK(idle_parent),
	ATTACK(outlive_parent),
	ATTACK(adopt_orphans),
	ATTACK(fork_call),
	ATTACK(fork_syscall),
	ATTACK(vfork_call),
	ATTACK(clone_syscall),
	ATTACK(clone3_syscall),
	ATTACK(spawn_call),
	ATTACK_OF(execute_unlisted, "data"),
	ATTACK(too_many_threads),
	ATTACK(memory_made_executable),
	ATTACK(memory_made_executable_by_key),
	ATTACK(memory_writable_and_executable),
	ATTACK(own_memory_by_proc),
	ATTACK(personality_call),
	ATTACK(memfd_call),
	ATTACK(memfd_secret_call),
	ATTACK(shm_open_call),
	ATTACK(shmget_call),
	ATTACK(msgget_call),
	ATTACK(semget_call),
	ATTACK(mq_open_call),
	ATTACK(socket_tcp),
	ATTACK(socket_tcp6),
	ATTACK(socket_udp),
	ATTACK(socket_unix),
	ATTACK(socket_unix_datagrams),
	ATTACK(socket_netlink),
	ATTACK(socket_vsock),
	ATTACK(socketpair_datagrams),
	ATTACK(bind_abstract),
	ATTACK_OF(connect_path, "voices"),
	ATTACK(io_uring_call),
	ATTACK(unshare_user),
	ATTACK(setns_call),
	ATTACK(setuid_root),
	ATTACK(read_kernel_log),
	ATTACK(type_into_terminal),
	ATTACK(call_nobody_knows),
	ATTACK(ptrace_parent),
	ATTACK(read_parent_memory),
	ATTACK(mount_call),
	ATTACK(chroot_call),
	ATTACK(open_tree_call),
	ATTACK(open_by_handle),
	ATTACK(userfaultfd_call),
	ATTACK(bpf_call),
	ATTACK(perf_call),
	ATTACK(keyctl_call),
	ATTACK(fanotify_call),
	ATTACK(kexec_call),
	ATTACK(pidfd_getfd_call),
	ATTACK(x32_call),
	ATTACK(call_of_32_bits),
	ATTACK(need_thread),
	ATTACK(need_memory),
	ATTACK(need_abort_signal),
	ATTACK_OF(need_voice, "voices"),
	ATTACK_OF(need_voices, "voices"),
	ATTACK_OF(need_linked_voice, "voices"),
	ATTACK(need_random),
	ATTACK(need_processors),
	ATTACK(need_own_maps),
	ATTACK(need_libraries),
	ATTACK(need_socket_pair),
	ATTACK(need_to_execute),
};
const size_t attack_count = COUNT(attack_table);

const struct attack *attack_find(const char *name)
{
	for (size_t i = 0; i < attack_count; ++i) {
		if (strcmp(attack_table[i].name, name) == 0)
			return &attack_table[i];
	}
	return NULL;
}
