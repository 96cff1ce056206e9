/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A processor's frequency through Linux's cpufreq. */
#ifndef PORTS_LINUX_FREQUENCY_H
#define PORTS_LINUX_FREQUENCY_H

#include "../core/port.h"

extern const struct port_frequency linux_frequency;

/* Look for cpuN/cpufreq in this folder instead of the system's; for tests. */
void linux_frequency_folder(const char *folder);

#endif
