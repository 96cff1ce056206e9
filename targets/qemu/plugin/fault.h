/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the plugin says that something is wrong: one line on standard error. */
#ifndef RIG_QEMU_FAULT_H
#define RIG_QEMU_FAULT_H

enum { EXIT_FAULT = 3 };

void fault_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says it and ends QEMU at once: its own way out would wait for the guest. */
_Noreturn void fault_end(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
