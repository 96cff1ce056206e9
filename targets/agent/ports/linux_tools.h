/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linux's own means to measure itself: rt-tests, rtla, and the kernel's tracers. */
#ifndef PORTS_LINUX_TOOLS_H
#define PORTS_LINUX_TOOLS_H

#include "../core/port.h"

extern const struct port_tools linux_tools;

/* --- tracers of the kernel, linux_tracers.c */

/* NULL: it can be used; else what is missing: `no-tracefs`, `not-root`, `no-tracer`. */
const char *tracer_lacks(const char *tracer);

/* In a process of its own: run hwlat, print its samples, leave the tracer as it was. Returns an
 * exit code. */
int hwlat_run(const struct tool_options *options);

/* The same with a tracer that keeps the longest latency: print the trace of that. */
int tracer_run(const char *tracer, const struct tool_options *options);

#endif
