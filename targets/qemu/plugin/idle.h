/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the guest's clock exact where the guest goes to sleep.
 *
 * When no processor runs, QEMU's main thread lets virtual time jump to the next timer. It may find
 * the processor halted while the instructions that led there are not yet in the clock, and then
 * time jumps by their duration too far. So they are put into the clock before the processor halts. */
#ifndef RIG_QEMU_IDLE_H
#define RIG_QEMU_IDLE_H

/* To be called for each block that QEMU has translated. */
void idle_watch(void *block);

#endif
