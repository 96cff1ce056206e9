/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROGRAM_EXITS_H
#define PROGRAM_EXITS_H

#define EXIT_GOOD 0
#define EXIT_USE 2    /* wrong use */
#define EXIT_DEVICE 3 /* port, counter or link not to be had */

#endif
