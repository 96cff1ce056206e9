// SPDX-License-Identifier: GPL-3.0-or-later
// How the program says that something is wrong: one line on standard error, and an exit status.
#ifndef RIG_EMULATOR_FAULT_H
#define RIG_EMULATOR_FAULT_H

enum {
    EXIT_CLEAN = 0,
    EXIT_BAD_INPUT = 2, // options or firmware file
    EXIT_FAULT = 3,     // the firmware crashed, the partner broke the protocol, the system refused
};

// Prints "rig-emulator: " and the message, one line.
void fault_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
