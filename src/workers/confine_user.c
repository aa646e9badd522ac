/*
 * confine_user.c: switches a worker to another user and drops its capabilities.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workers/confine_private.h"

/* Drops the capabilities that the file of a program executed later could grant.  Must run
 * while the process is still root, because dropping them needs a capability itself. */
static void confine_user_bound(void)
{
	/* EINVAL: the kernel has no further capabilities.  EPERM: this process is not allowed
	 * to, and no_new_privs has the same effect. */
	for (unsigned long capability = 0; capability < 64; ++capability) {
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0))
			break;
	}
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

/* The kernel checks access to files with the file system ids, and root's right to read everything
 * does not apply while these are another user's. */
bool confine_user_reaches(const struct confine_paths *paths, uid_t uid, gid_t gid)
{
	bool reaches = true;

	setfsgid(gid);
	setfsuid(uid);
	for (size_t i = 0; i < paths->count && reaches; ++i) {
		int fd;

		if (!paths->list[i].is_private)
			continue;
		fd = open(paths->list[i].name, O_RDONLY | O_CLOEXEC);
		reaches = fd >= 0 || errno != EACCES;
		if (fd >= 0)
			close(fd);
	}
	setfsuid(geteuid());
	setfsgid(getegid());
	return reaches;
}

int confine_user_switch(uid_t uid, gid_t gid)
{
	confine_user_bound();
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return errno;
	/* The kernel should not allow switching back; if it did, nothing here could be relied
	 * on. */
	if (uid != 0 && setuid(0) == 0)
		return EPERM;
	return 0;
}

int confine_drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	confine_user_bound();
	return syscall(SYS_capset, &header, none) ? errno : 0;
}
