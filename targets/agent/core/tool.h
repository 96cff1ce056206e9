/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line TOOL: programs and tracers of the system itself that measure it, one at a time. */
#ifndef CORE_TOOL_H
#define CORE_TOOL_H

#include "port.h"

#define TOOL_OUTPUT_MAX 262144u

/* Execute what follows TOOL, but for READ. True: `rest` is the answer after OK. False: it is why
 * not. */
bool tool_command(const struct port_tools *tools, const char *words, struct text *rest);

#endif
