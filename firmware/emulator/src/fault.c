// SPDX-License-Identifier: GPL-3.0-or-later
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

void fault_say(const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "rig-emulator: %s\n", line);
}
