/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why something cannot be had of the system, in its own words. */
#include <string.h>

#include "system.h"

bool system_refuse(struct text *why, const char *what, int error)
{
    text_say(why, what);
    text_add(why, ": ");
    text_add(why, strerror(error));
    return false;
}

bool system_refuse_priority(struct text *why, int32_t priority)
{
    text_say(why, "real-time priority ");
    text_add_u64(why, (uint64_t)priority);
    text_add(why, " is not permitted: run as root or with CAP_SYS_NICE, or arm with priority=0 to "
                  "measure without");
    return false;
}
