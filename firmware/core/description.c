/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "description.h"

#include <ctype.h>

#include "flash.h"
#include "limits.h"
#include "patterns.h"
#include "report.h"

/* `least` and `most` after the text. */
static void send_range(const char *flash_text, uint32_t least, uint32_t most)
{
    report_text(flash_text);
    report_unsigned(least);
    report_char(':');
    report_unsigned(most);
}

/* The name's short form is what the host sends. */
static void send_pattern(const struct pattern *pattern)
{
    report_text(FLASH_TEXT(",pattern="));
    for (const char *name = pattern->name; *name && !islower((unsigned char)*name); name++)
        report_char(*name);
    send_range(FLASH_TEXT(":"), pattern->least_ticks, pattern->most_ticks);
}

void description_send(void)
{
    struct pattern pattern;

    report_text(FLASH_TEXT("chip=" CHIP_NAME ",title=" CHIP_TITLE ",stimulus=" STIMULUS_PIN
                           ",response=" RESPONSE_PIN ",clock_hz="));
    report_unsigned(CLOCK_HZ);
    report_text(FLASH_TEXT(",captures="));
    report_unsigned(CAPTURE_RING);
    send_range(FLASH_TEXT(",delay="), DELAY_MIN_TICKS, INTERVAL_MAX_TICKS);
    send_range(FLASH_TEXT(",width="), WIDTH_MIN_TICKS, WIDTH_MAX_TICKS);
    report_text(FLASH_TEXT(",rest="));
    report_unsigned(GAP_MIN_TICKS);
    for (uint8_t number = 0; pattern_load(number, &pattern); number++)
        send_pattern(&pattern);
}
