/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"

#include <stdbool.h>

#include "port.h"

/* Digits by subtraction: a 64-bit division takes an AVR longer than the shortest trains can wait,
 * while port_put keeps the train going between two digits. */
static const uint64_t powers_of_ten[] FLASH = {
    10000000000000000000ULL, 1000000000000000000ULL, 100000000000000000ULL, 10000000000000000ULL,
    1000000000000000ULL,     100000000000000ULL,     10000000000000ULL,     1000000000000ULL,
    100000000000ULL,         10000000000ULL,         1000000000ULL,         100000000ULL,
    10000000ULL,             1000000ULL,             100000ULL,             10000ULL,
    1000ULL,                 100ULL,                 10ULL,                 1ULL,
};

void report_char(char character)
{
    port_put((uint8_t)character);
}

void report_text(const char *flash_text)
{
    char character;
    while ((character = flash_char(flash_text++)) != '\0')
        report_char(character);
}

void report_string(const char *text)
{
    while (*text)
        report_char(*text++);
}

void report_unsigned(uint64_t value)
{
    bool begun = false;
    for (uint8_t i = 0; i < sizeof powers_of_ten / sizeof powers_of_ten[0]; i++) {
        uint64_t power;
        flash_copy(&power, &powers_of_ten[i], sizeof power);
        char digit = '0';
        while (value >= power) {
            value -= power;
            digit++;
        }
        begun = begun || digit != '0' || power == 1;
        if (begun)
            report_char(digit);
    }
}

void report_signed(int16_t value)
{
    if (value < 0)
        report_char('-');
    report_unsigned((uint64_t)(value < 0 ? -(int32_t)value : value));
}
