/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this firmware can do. The least intervals come from measurement (PROTOCOL.md, "Limits");
 * rig/stimulus/train.py holds the same numbers and a test compares them. */
#ifndef CORE_LIMITS_H
#define CORE_LIMITS_H

#define FIRMWARE_VERSION "0.1.0"
#define INTERFACE_LEVEL 1
#define CLOCK_HZ 16000000UL
#define TICKS_PER_MS (CLOCK_HZ / 1000)

#define WIDTH_MIN_TICKS 160UL
#define WIDTH_MAX_TICKS 32767UL /* one step of the pattern engine */
#define GAP_MIN_TICKS 160UL
#define DELAY_MIN_TICKS 1600UL
#define INTERVAL_MAX_TICKS 160000000UL /* 10 s */
#define RAMP_INTERVAL_MAX_TICKS 16000000UL /* 1 s: beyond it the rate words are too coarse */

#define PERIODIC_MIN_TICKS 320UL
#define BURST_MIN_TICKS 320UL
#define UNIFORM_MIN_TICKS 1280UL
#define POISSON_MIN_TICKS 1600UL
#define RAMP_MIN_TICKS 1600UL

#define COUNT_MAX 4294967295UL
#define CAPTURE_RING 128
#define FETCH_TIMEOUT_MAX_MS 60000UL

#endif
