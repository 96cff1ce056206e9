/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short turns for the processors of a guest that has several.
 *
 * QEMU executes them one after the other on one time line, each until the next timer is due: a
 * processor that spins would keep the others, for which it may be waiting, from ever running. So a
 * turn is ended after some instructions, and the next processor has its own. */
#ifndef RIG_QEMU_TURNS_H
#define RIG_QEMU_TURNS_H

/* To be called for each block that QEMU has translated, if there are several processors. */
void turns_watch(void *block);

/* A processor halts: its next turn is a whole one, whatever came before. */
void turns_restart(void);

#endif
