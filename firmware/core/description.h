/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reply to SYSTem:CHIP?: what a host has to know of this chip and its firmware. */
#ifndef CORE_DESCRIPTION_H
#define CORE_DESCRIPTION_H

/* Send the line, without the newline. */
void description_send(void);

#endif
