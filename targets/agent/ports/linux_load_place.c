/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which processors a load runs. */
#define _GNU_SOURCE

#include "linux_loads.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "system.h"

#define WHERE_BYTES 120

static cpu_set_t wanted; /* where the next load runs */
static bool placed;
static char where[WHERE_BYTES]; /* where one runs, as the kernel says */

uint32_t load_processors(void)
{
    cpu_set_t own;
    if (placed)
        return (uint32_t)CPU_COUNT(&wanted);
    return sched_getaffinity(0, sizeof own, &own) == 0 ? (uint32_t)CPU_COUNT(&own) : 1;
}

/* 0,2-3: one number, or two with a hyphen, between commas. */
static bool read_list(const char *list, cpu_set_t *set)
{
    CPU_ZERO(set);
    for (;;) {
        uint64_t first, last;
        size_t size = strspn(list, "0123456789");
        if (!parse_u64(list, size, &first))
            return false;
        last = first;
        list += size;
        if (*list == '-') {
            size = strspn(++list, "0123456789");
            if (!parse_u64(list, size, &last))
                return false;
            list += size;
        }
        if (last < first || last >= CPU_SETSIZE)
            return false;
        for (; first <= last; first++)
            CPU_SET((size_t)first, set);
        if (*list != ',')
            return !*list;
        list++;
    }
}

static void write_list(const cpu_set_t *set)
{
    size_t used = 0;
    *where = '\0';
    for (int first = 0; first < CPU_SETSIZE && used < sizeof where - 24; first++) {
        int last = first;
        if (!CPU_ISSET((size_t)first, set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, set))
            last++;
        used += (size_t)snprintf(where + used, sizeof where - used, last > first ? "%s%d-%d" : "%s%d",
                                 used ? "," : "", first, last);
        first = last;
    }
}

bool load_set_place(const char *cpus, struct text *why)
{
    cpu_set_t asked, allowed, both;
    if (!read_list(cpus, &asked)) {
        text_say(why, "processors are numbers such as 0,2-3");
        return false;
    }
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return system_refuse(why, "processors", errno);
    CPU_AND(&both, &asked, &allowed);
    if (!CPU_EQUAL(&both, &asked)) {
        text_say(why, "not all of these processors are there, or the agent may not use them");
        return false;
    }
    wanted = asked;
    placed = true;
    return true;
}

void load_forget_place(void)
{
    placed = false;
}

bool load_go_to_place(void)
{
    return !placed || sched_setaffinity(0, sizeof wanted, &wanted) == 0;
}

const char *load_place_of(pid_t load)
{
    cpu_set_t own;
    if (sched_getaffinity(load, sizeof own, &own) != 0)
        return NULL;
    write_list(&own);
    return where;
}
