/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads on this system, as processes of their own that end with the agent whatever ends it. */
#ifndef PORTS_LINUX_LOADS_H
#define PORTS_LINUX_LOADS_H

#include "../core/port.h"

extern const struct port_loads linux_loads;

/* `rig-agent --load NAME`: the process above a load's workers. Returns an exit code. */
int load_workers(const char *name);

/* Workers of a load on so many processors; 0: there is no such load. */
uint32_t load_worker_count(const char *name, uint32_t cpus);

#endif
