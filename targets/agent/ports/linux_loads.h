/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads on this system, as processes of their own that end with the agent whatever ends it. */
#ifndef PORTS_LINUX_LOADS_H
#define PORTS_LINUX_LOADS_H

#include <sys/types.h>

#include "../core/port.h"

extern const struct port_loads linux_loads;

/* Commands that a host names may be run; without it they are refused. */
void linux_loads_allow_commands(void);

/* `rig-agent --load NAME`: the process above a load's workers. Returns an exit code. */
int load_workers(const char *name);

/* What its periodic tasks write of themselves is in memory that this open file is. */
#define LOAD_TASKS_FILE 3
#define LOAD_TASKS_MAX 15u

/* Periodic tasks of a load; 0: it has none. */
uint32_t load_task_count(const char *name);

/* `rig-agent --keep WORD...`: the process above another program. Returns that one's exit code, or
 * 128 and the signal that ended it; 127: there is no such program, 126: it cannot be run. */
int load_keep(char **words);

/* The folder in which each load gets one of its own for its files. */
const char *load_place(void);

/* Workers of a load on so many processors; 0: there is no such load. */
uint32_t load_worker_count(const char *name, uint32_t cpus);

/* --- processors, linux_load_place.c */

/* From now on loads run on these, "0,2-3", until the place is forgotten. */
bool load_set_place(const char *cpus, struct text *why);
void load_forget_place(void);

/* In a load's own process. */
bool load_go_to_place(void);

/* Where a load runs, as the kernel says, valid until the next call; NULL: not known. */
const char *load_place_of(pid_t load);

/* How many processors the next load has; in a load's own process, how many that one has. */
uint32_t load_processors(void);

/* --- stress-ng, linux_stress.c */

#define STRESS_WORDS_MAX 20

/* It is here, and has this load. */
bool stress_offers(const char *name);

/* What it is called with; the words are valid until the next call. */
void stress_words(const char *name, uint32_t cpus, char *words[STRESS_WORDS_MAX]);

/* Of the one that was found; "" if it does not tell. */
const char *stress_version(void);

#endif
