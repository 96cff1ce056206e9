/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FREQUENCY: a processor looked at, held at one frequency for one measurement, given back. */
#ifndef CORE_FREQUENCY_H
#define CORE_FREQUENCY_H

#include "port.h"

/* The words after FREQUENCY. True: `rest` is the answer; false: it is why not. */
bool frequency_answer(const struct port *port, const char *words, struct text *rest);

/* Watch the frequency of a processor, -1: of all, from ARM on; what became of it, for STOP. */
void frequency_watch(const struct port *port, int32_t cpu);
bool frequency_watched(const struct port *port, struct frequency_course *course);
void frequency_add(const struct frequency_course *course, struct text *rest);

/* Give back what is held; nothing if nothing is. What fails is tried again the next time. */
void frequency_release(const struct port *port);

#endif
