/*
 * config_machine.h: what of the machine the server can use: defaults of the configuration.
 */
#ifndef SERVER_CONFIG_MACHINE_H
#define SERVER_CONFIG_MACHINE_H

#include <stdint.h>

/* Cores this process may use: in a container fewer than the machine has. */
int64_t config_machine_cores(void);

/* Memory of the machine, or of the control group that the process is in if that allows less. */
int64_t config_machine_memory_mb(void);

/* The memory in bytes that the control groups named in a file like /proc/self/cgroup allow, with
 * their hierarchies mounted at `root`; UINT64_MAX: they set no limit. */
uint64_t config_machine_group_memory(const char *groups_file, const char *root);

#endif
