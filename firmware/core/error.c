/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "error.h"

#include "flash.h"
#include "report.h"

#define QUEUE_SIZE 8
#define TEXT_SIZE 28

struct entry {
    int16_t number;
    uint8_t conflict;
};

struct meaning {
    int16_t number;
    char text[TEXT_SIZE];
};

static const struct meaning meanings[] FLASH = {
    {ERROR_NONE, "No error"},
    {ERROR_INVALID_CHARACTER, "Invalid character"},
    {ERROR_SYNTAX, "Syntax error"},
    {ERROR_INVALID_SEPARATOR, "Invalid separator"},
    {ERROR_DATA_TYPE, "Data type error"},
    {ERROR_PARAMETER_NOT_ALLOWED, "Parameter not allowed"},
    {ERROR_MISSING_PARAMETER, "Missing parameter"},
    {ERROR_UNDEFINED_HEADER, "Undefined header"},
    {ERROR_INVALID_NUMBER, "Invalid character in number"},
    {ERROR_TOO_MANY_DIGITS, "Too many digits"},
    {ERROR_INVALID_SUFFIX, "Invalid suffix"},
    {ERROR_SUFFIX_NOT_ALLOWED, "Suffix not allowed"},
    {ERROR_INIT_IGNORED, "Init ignored"},
    {ERROR_SETTINGS_CONFLICT, "Settings conflict"},
    {ERROR_OUT_OF_RANGE, "Data out of range"},
    {ERROR_ILLEGAL_VALUE, "Illegal parameter value"},
    {ERROR_QUEUE_OVERFLOW, "Queue overflow"},
    {ERROR_COMMUNICATION, "Communication error"},
    {ERROR_INPUT_OVERRUN, "Input buffer overrun"},
};

/* What is in conflict, after the text: SCPI's device-dependent information. */
static const char conflicts[][40] FLASH = {
    [CONFLICT_NONE] = "",
    [CONFLICT_RUNNING] = ";a train is running",
    [CONFLICT_WIDTH] = ";pulse and rest exceed the interval",
    [CONFLICT_INTERVAL] = ";interval too short for this pattern",
    [CONFLICT_ORDER] = ";INT:MIN is above INT:MAX or INT:MEAN",
    [CONFLICT_BURST] = ";burst does not fit in the period",
};

static struct entry queue[QUEUE_SIZE];
static uint8_t queued;

void error_clear(void)
{
    queued = 0;
}

static void push(enum error error, enum conflict conflict)
{
    if (queued == QUEUE_SIZE) {
        queue[QUEUE_SIZE - 1] = (struct entry){ERROR_QUEUE_OVERFLOW, CONFLICT_NONE};
        return;
    }
    queue[queued++] = (struct entry){(int16_t)error, (uint8_t)conflict};
}

void error_push(enum error error)
{
    push(error, CONFLICT_NONE);
}

void error_push_conflict(enum conflict conflict)
{
    push(ERROR_SETTINGS_CONFLICT, conflict);
}

static struct entry take(void)
{
    struct entry oldest = {ERROR_NONE, CONFLICT_NONE};
    if (queued == 0)
        return oldest;
    oldest = queue[0];
    queued--;
    for (uint8_t i = 0; i < queued; i++)
        queue[i] = queue[i + 1];
    return oldest;
}

void error_report(void)
{
    struct entry entry = take();
    const struct meaning *meaning = meanings;
    while ((int16_t)flash_word(&meaning->number) != entry.number)
        meaning++;
    report_signed(entry.number);
    report_text(FLASH_TEXT(",\""));
    report_text(meaning->text);
    report_text(conflicts[entry.conflict]);
    report_text(FLASH_TEXT("\""));
}
