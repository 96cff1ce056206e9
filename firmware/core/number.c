/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "number.h"

#include <ctype.h>
#include <stdbool.h>

#include "flash.h"
#include "limits.h"

/* Twelve digits times the ticks of a second stay below 2^64. */
#define DIGITS_MAX 12

struct decimal {
    uint64_t mantissa; /* all digits, without the point */
    uint64_t divisor; /* 10 to the number of digits after the point */
    bool fractional; /* a point was given */
    const char *rest; /* what follows the number and blanks */
};

struct unit {
    char name[5];
    uint32_t ticks; /* this many ticks ... */
    uint16_t units; /* ... are this many units */
};

static const struct unit units[] FLASH = {
    {"", 1, 1},
    {"TICK", 1, 1},
    {"NS", CLOCK_HZ / 1000000, 1000},
    {"US", CLOCK_HZ / 1000000, 1},
    {"MS", CLOCK_HZ / 1000, 1},
    {"S", CLOCK_HZ, 1},
};

static enum error read_decimal(const char *text, struct decimal *decimal)
{
    uint8_t digits = 0;
    bool any = false;

    *decimal = (struct decimal){0, 1, false, text};
    if (isalpha((unsigned char)*text) || *text == '"' || *text == '\'')
        return ERROR_DATA_TYPE;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !decimal->fractional); text++) {
        if (*text == '.') {
            decimal->fractional = true;
            continue;
        }
        any = true;
        decimal->mantissa = decimal->mantissa * 10 + (uint8_t)(*text - '0');
        if (decimal->fractional)
            decimal->divisor *= 10;
        if (decimal->mantissa != 0 || decimal->fractional)
            digits++;
        if (digits > DIGITS_MAX)
            return ERROR_TOO_MANY_DIGITS;
    }
    if (!any)
        return ERROR_INVALID_NUMBER;
    while (*text == ' ')
        text++;
    decimal->rest = text;
    return isalpha((unsigned char)*text) || *text == '\0' ? ERROR_NONE : ERROR_INVALID_NUMBER;
}

static bool same_name(const char *text, const char *name)
{
    while (*name && toupper((unsigned char)*text) == *name) {
        text++;
        name++;
    }
    return *name == '\0' && *text == '\0';
}

enum error number_ticks(const char *text, uint32_t *ticks)
{
    struct decimal decimal;
    enum error error = read_decimal(text, &decimal);
    if (error != ERROR_NONE)
        return error;

    for (uint8_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct unit unit;
        flash_copy(&unit, &units[i], sizeof unit);
        if (!same_name(decimal.rest, unit.name))
            continue;
        uint64_t divisor = decimal.divisor * unit.units;
        uint64_t scaled = decimal.mantissa * unit.ticks;
        uint64_t quotient = scaled / divisor + (scaled % divisor >= divisor - divisor / 2);
        *ticks = quotient > 0xFFFFFFFFUL ? 0xFFFFFFFFUL : (uint32_t)quotient;
        return ERROR_NONE;
    }
    return ERROR_INVALID_SUFFIX;
}

enum error number_integer(const char *text, uint32_t *value)
{
    struct decimal decimal;
    enum error error = read_decimal(text, &decimal);
    if (error != ERROR_NONE)
        return error;
    if (decimal.fractional)
        return ERROR_DATA_TYPE;
    if (*decimal.rest != '\0')
        return ERROR_SUFFIX_NOT_ALLOWED;
    if (decimal.mantissa > 0xFFFFFFFFUL)
        return ERROR_OUT_OF_RANGE;
    *value = (uint32_t)decimal.mantissa;
    return ERROR_NONE;
}
