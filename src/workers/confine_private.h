/*
 * confine_private.h: the interfaces between the parts of the confinement.
 */
#ifndef WORKERS_CONFINE_PRIVATE_H
#define WORKERS_CONFINE_PRIVATE_H

#include "workers/confine.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONFINE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define CONFINE_SANITIZED 1
#endif
#endif
#ifndef CONFINE_SANITIZED
#define CONFINE_SANITIZED 0
#endif

/* A file or directory that may be read. */
struct confine_path {
	char *name; /* as the program knows it: absolute */
	char *real; /* without symbolic links */
	bool is_directory;
	bool executes; /* programs in it may be executed */
	bool is_private; /* not part of the system: perhaps readable by its owner alone */
};

struct confine_paths {
	struct confine_path *list;
	size_t count;
};

/* confine_files.c */
int confine_paths_find(struct confine_paths *paths, const struct confine_request *request);
void confine_paths_reset(struct confine_paths *paths);
bool confine_is_beneath(const char *path, const struct confine_path *directory);

/* The version of Landlock that can be used.  If it is 0, *err is the reason. */
unsigned confine_landlock_version(int *err);
int confine_landlock(const struct confine_paths *paths, unsigned version);

/* confine_mounts.c: *unavailable is the reason why mounts cannot be used, or 0; after an
 * error the process must not continue. */
int confine_mounts(const struct confine_paths *paths, const struct confine_request *request,
		   int *unavailable);

/* confine_user.c */
/* Whether this user could open everything that is not part of the system.  Needs root. */
bool confine_user_reaches(const struct confine_paths *paths, uid_t uid, gid_t gid);
int confine_user_switch(uid_t uid, gid_t gid);
int confine_drop_capabilities(void);

/* confine_calls.c */
int confine_filter_outer(bool jit);
int confine_filter_engine(void);

#endif
