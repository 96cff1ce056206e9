/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>

#include "block.h"
#include "description.h"
#include "flash.h"
#include "limits.h"
#include "number.h"
#include "patterns.h"
#include "port.h"
#include "report.h"
#include "setting.h"

#define SERIAL_SIZE 17
#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

/* Any other command. */
struct action {
    char header[HEADER_SIZE];
    bool query;
    uint8_t parameters; /* at most */
    enum error (*run)(const struct request *request);
};

static const char polarity_names[][NAME_SIZE] FLASH = {
    [POLARITY_POSITIVE] = "POSitive",
    [POLARITY_NEGATIVE] = "NEGative",
};

static const struct setting setting_table[] FLASH = {
    {"SOURce:PATTern", KIND_PATTERN, OFFSET(pattern), 0, 0},
    {"SOURce:PULSe:WIDTh", KIND_TIME, OFFSET(width_ticks), WIDTH_MIN_TICKS, WIDTH_MAX_TICKS},
    {"SOURce:COUNt", KIND_INTEGER, OFFSET(count), 1, COUNT_MAX},
    {"SOURce:SEED", KIND_INTEGER, OFFSET(seed), 0, 0xFFFFFFFFUL},
    {"SOURce:POLarity", KIND_POLARITY, OFFSET(polarity), 0, 0},
    {"SOURce:DELay", KIND_TIME, OFFSET(delay_ticks), DELAY_MIN_TICKS, INTERVAL_MAX_TICKS},
    {"", 0, 0, 0, 0},
};

static struct train_settings settings;

/* A FETCh? that waits for edges or time. */
static struct {
    bool active;
    uint8_t edges;
    uint32_t since_ticks;
    uint32_t limit_ticks;
} wait;

void command_reset(void)
{
    port_abort();
    port_forget();
    train_defaults(&settings);
    port_rest(POLARITY_POSITIVE);
    wait.active = false;
}

void command_identify(void)
{
    char serial[SERIAL_SIZE];
    port_serial(serial, sizeof serial);
    report_text(FLASH_TEXT("Latency Rig,Stimulus " CHIP_TITLE ","));
    report_string(serial);
    report_text(FLASH_TEXT("," FIRMWARE_VERSION));
}

/* Compare with a header or name in its long or short form, node by node. */
static bool matches(const char *text, const char *flash_full)
{
    for (;;) {
        char full = flash_char(flash_full);
        for (; full != '\0' && full != ':' && !islower(full); full = flash_char(++flash_full))
            if (toupper(*text++) != full)
                return false;
        bool is_short = *text == ':' || *text == '\0';
        for (; islower(full); full = flash_char(++flash_full))
            if (!is_short && tolower(*text++) != full)
                return false;
        if (*text != full)
            return false;
        if (full == '\0')
            return true;
        text++;
        flash_full++;
    }
}

/* --- values ---------------------------------------------------------------------------------- */

static uint32_t *value_of(const struct setting *setting)
{
    return (uint32_t *)((uint8_t *)&settings + setting->offset);
}

/* The name that the next row of names has; NULL behind the last. */
typedef const char *name_of(uint32_t row);

static const char *pattern_name(uint32_t row)
{
    const char *name = pattern_table[row].name;
    return flash_char(name) == '\0' ? NULL : name;
}

static const char *polarity_name(uint32_t row)
{
    return row < COUNT_OF(polarity_names) ? polarity_names[row] : NULL;
}

static enum error read_name(const char *text, name_of *flash_names, uint32_t *value)
{
    if (!isalpha((unsigned char)*text))
        return ERROR_DATA_TYPE;
    const char *name;
    for (uint8_t i = 0; (name = flash_names(i)) != NULL; i++) {
        if (matches(text, name)) {
            *value = i;
            return ERROR_NONE;
        }
    }
    return ERROR_ILLEGAL_VALUE;
}

static enum error read_value(const struct setting *setting, const char *text, uint32_t *value)
{
    enum error error;

    switch (setting->kind) {
    case KIND_PATTERN:
        return read_name(text, pattern_name, value);
    case KIND_POLARITY:
        return read_name(text, polarity_name, value);
    case KIND_TIME:
        error = number_ticks(text, value);
        break;
    default:
        error = number_integer(text, value);
        break;
    }
    if (error == ERROR_NONE && (*value < setting->least || *value > setting->most))
        return ERROR_OUT_OF_RANGE;
    return error;
}

static enum error set(const struct setting *setting, const struct request *request)
{
    uint32_t value;

    if (request->parameters == 0)
        return ERROR_MISSING_PARAMETER;
    if (request->parameters > 1)
        return ERROR_PARAMETER_NOT_ALLOWED;
    if (port_state() == ENGINE_RUNNING) {
        error_push_conflict(CONFLICT_RUNNING);
        return ERROR_NONE;
    }
    enum error error = read_value(setting, request->parameter[0], &value);
    if (error != ERROR_NONE)
        return error;
    *value_of(setting) = value;
    if (setting->kind == KIND_POLARITY)
        port_rest((enum polarity)value);
    return ERROR_NONE;
}

static void report_short(const char *flash_name)
{
    char character;
    while ((character = flash_char(flash_name++)) != '\0' && !islower(character))
        report_char(character);
}

static enum error get(const struct setting *setting, const struct request *request)
{
    if (request->parameters != 0)
        return ERROR_PARAMETER_NOT_ALLOWED;
    uint32_t value = *value_of(setting);
    if (setting->kind == KIND_PATTERN)
        report_short(pattern_name(value));
    else if (setting->kind == KIND_POLARITY)
        report_short(polarity_name(value));
    else
        report_unsigned(value);
    report_char('\n');
    return ERROR_NONE;
}

/* --- commands -------------------------------------------------------------------------------- */

static enum error run_fetch(const struct request *request)
{
    uint32_t edges = 0;
    uint32_t timeout_ms = 0;
    enum error error = ERROR_NONE;

    if (request->parameters == 1 && matches(request->parameter[0], FLASH_TEXT("AGAIN")))
        block_return();
    else if (request->parameters > 0)
        error = number_integer(request->parameter[0], &edges);
    if (error == ERROR_NONE && request->parameters > 1)
        error = number_integer(request->parameter[1], &timeout_ms);
    if (error != ERROR_NONE)
        return error;
    if (edges > CAPTURE_RING || timeout_ms > FETCH_TIMEOUT_MAX_MS)
        return ERROR_OUT_OF_RANGE;
    wait.active = true;
    wait.edges = (uint8_t)edges;
    wait.since_ticks = port_now_ticks();
    wait.limit_ticks = timeout_ms * TICKS_PER_MS;
    command_poll();
    return ERROR_NONE;
}

static enum error run_status(const struct request *request)
{
    static const char states[][5] FLASH = {
        [ENGINE_IDLE] = "IDLE",
        [ENGINE_RUNNING] = "RUN",
        [ENGINE_DONE] = "DONE",
        [ENGINE_ABORTED] = "ABOR",
    };
    struct engine_status status;
    (void)request;

    port_status(&status);
    const uint64_t fields[] = {
        status.state == ENGINE_IDLE ? 0 : settings.count,
        status.sent,
        status.late,
        status.late_max_ticks,
        status.captured,
        status.overruns,
        status.now_ticks,
    };
    report_text(states[status.state]);
    for (uint8_t i = 0; i < COUNT_OF(fields); i++) {
        report_char(',');
        report_unsigned(fields[i]);
    }
    report_char('\n');
    return ERROR_NONE;
}

static enum error run_initiate(const struct request *request)
{
    (void)request;
    if (port_state() == ENGINE_RUNNING)
        return ERROR_INIT_IGNORED;
    enum conflict conflict = train_check(&settings);
    if (conflict != CONFLICT_NONE)
        error_push_conflict(conflict);
    else
        port_start(&settings);
    return ERROR_NONE;
}

static enum error run_abort(const struct request *request)
{
    (void)request;
    port_abort();
    return ERROR_NONE;
}

static enum error run_identify(const struct request *request)
{
    (void)request;
    command_identify();
    report_char('\n');
    return ERROR_NONE;
}

static enum error run_reset(const struct request *request)
{
    (void)request;
    command_reset();
    return ERROR_NONE;
}

static enum error run_clear(const struct request *request)
{
    (void)request;
    error_clear();
    return ERROR_NONE;
}

static enum error run_complete(const struct request *request)
{
    (void)request;
    report_text(FLASH_TEXT("1\n"));
    return ERROR_NONE;
}

static enum error run_error(const struct request *request)
{
    (void)request;
    error_report();
    report_char('\n');
    return ERROR_NONE;
}

static enum error run_version(const struct request *request)
{
    (void)request;
    report_text(FLASH_TEXT("1999.0\n"));
    return ERROR_NONE;
}

static enum error run_interface(const struct request *request)
{
    (void)request;
    report_unsigned(INTERFACE_LEVEL);
    report_char('\n');
    return ERROR_NONE;
}

static enum error run_clock(const struct request *request)
{
    (void)request;
    report_unsigned(CLOCK_HZ);
    report_char('\n');
    return ERROR_NONE;
}

static enum error run_chip(const struct request *request)
{
    (void)request;
    description_send();
    report_char('\n');
    return ERROR_NONE;
}

/* The commands of a running measurement come first: the search is linear. */
static const struct action action_table[] FLASH = {
    {"FETCh", true, 2, run_fetch},
    {"STATus", true, 0, run_status},
    {"INITiate", false, 0, run_initiate},
    {"ABORt", false, 0, run_abort},
    {"*IDN", true, 0, run_identify},
    {"*RST", false, 0, run_reset},
    {"*CLS", false, 0, run_clear},
    {"*OPC", true, 0, run_complete},
    {"SYSTem:ERRor", true, 0, run_error},
    {"SYSTem:VERSion", true, 0, run_version},
    {"SYSTem:INTerface", true, 0, run_interface},
    {"SYSTem:CLOCk", true, 0, run_clock},
    {"SYSTem:CHIP", true, 0, run_chip},
};

static enum error run_action(const struct action *flash_action, const struct request *request)
{
    struct action action;
    flash_copy(&action, flash_action, sizeof action);
    if (request->query != action.query)
        return ERROR_UNDEFINED_HEADER;
    if (request->flaw != ERROR_NONE)
        return request->flaw;
    if (request->parameters > action.parameters)
        return ERROR_PARAMETER_NOT_ALLOWED;
    return action.run(request);
}

static enum error run_setting(const struct setting *flash_setting, const struct request *request)
{
    struct setting setting;
    flash_copy(&setting, flash_setting, sizeof setting);
    if (request->flaw != ERROR_NONE)
        return request->flaw;
    return request->query ? get(&setting, request) : set(&setting, request);
}

static const struct setting *find_setting(const struct setting *flash_table, const char *header)
{
    for (; flash_char(flash_table->header) != '\0'; flash_table++)
        if (matches(header, flash_table->header))
            return flash_table;
    return NULL;
}

enum error command_execute(const struct request *request)
{
    for (uint8_t i = 0; i < COUNT_OF(action_table); i++)
        if (matches(request->header, action_table[i].header))
            return run_action(&action_table[i], request);
    const struct setting *setting = find_setting(setting_table, request->header);
    if (setting == NULL)
        setting = find_setting(pattern_settings, request->header);
    return setting == NULL ? ERROR_UNDEFINED_HEADER : run_setting(setting, request);
}

/* --- the waiting FETCh? ---------------------------------------------------------------------- */

void command_end_wait(void)
{
    if (!wait.active)
        return;
    wait.active = false;
    block_send();
}

void command_poll(void)
{
    if (!wait.active)
        return;
    uint32_t waited_ticks = port_now_ticks() - wait.since_ticks;
    if (port_captures() >= wait.edges || waited_ticks >= wait.limit_ticks)
        command_end_wait();
}
