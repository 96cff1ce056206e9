/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line LOAD: loads of the port's own, and commands that the host names word by word. */
#ifndef CORE_LOAD_H
#define CORE_LOAD_H

#include "port.h"

/* What of them belongs into the greeting. */
void load_greet(const struct port_loads *loads, struct text *rest);

/* Execute what follows LOAD. True: `rest` is the answer after OK. False: it is why not. */
bool load_command(const struct port_loads *loads, const char *words, struct text *rest);

/* End the load, and forget the words of a command. */
void load_stop(const struct port_loads *loads);

#endif
