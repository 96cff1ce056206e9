/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void fault_print(const char *format, va_list arguments)
{
    char line[512];

    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, "rig-qemu: %s\n", line);
}

void fault_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fault_print(format, arguments);
    va_end(arguments);
}

void fault_end(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fault_print(format, arguments);
    va_end(arguments);
    _exit(EXIT_FAULT);
}
