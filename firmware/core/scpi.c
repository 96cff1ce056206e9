/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scpi.h"

#include <ctype.h>
#include <string.h>

#include "command.h"
#include "flash.h"
#include "report.h"

static char line[LINE_SIZE];
static uint8_t length;
static enum error line_error; /* the first thing wrong with the line being received */

void scpi_reset(void)
{
    length = 0;
    line_error = ERROR_NONE;
    error_clear();
    command_reset();
    report_text(FLASH_TEXT("READY "));
    command_identify();
    report_char('\n');
}

static bool header_char(char character)
{
    return isalnum((unsigned char)character) || character == ':' || character == '*' ||
           character == '_';
}

/* Cut the parameters apart at their commas, blanks trimmed. */
static enum error split_parameters(char *text, struct request *request)
{
    while (text != NULL) {
        if (request->parameters == PARAMETERS_MAX)
            return ERROR_PARAMETER_NOT_ALLOWED;
        char *comma = strchr(text, ',');
        char *end = comma != NULL ? comma : text + strlen(text);
        while (*text == ' ')
            text++;
        while (end > text && end[-1] == ' ')
            end--;
        if (end == text)
            return request->parameters == 0 && comma == NULL ? ERROR_NONE : ERROR_SYNTAX;
        request->parameter[request->parameters++] = text;
        text = comma != NULL ? comma + 1 : NULL;
        *end = '\0';
    }
    return ERROR_NONE;
}

/* IEEE 488.2, 7.6: header, '?' for a query, blanks, parameters. One command a line. */
static enum error parse(struct request *request)
{
    char *text = line;
    while (*text == ' ')
        text++;
    if (*text == ':')
        text++;
    request->header = text;
    while (header_char(*text))
        text++;
    if (text == request->header)
        return ERROR_SYNTAX;

    char *header_end = text;
    request->query = *text == '?';
    if (request->query)
        text++;
    if (strchr(text, ';') != NULL)
        return ERROR_INVALID_SEPARATOR;
    if (*text != ' ' && *text != '\0')
        return ERROR_SYNTAX;
    char *parameters = *text == ' ' ? text + 1 : NULL;
    *header_end = '\0';
    request->flaw = split_parameters(parameters, request);
    return ERROR_NONE;
}

static bool blank(void)
{
    return line[strspn(line, " ")] == '\0';
}

static void execute_line(void)
{
    struct request request = {0};
    enum error error = line_error;

    line[length] = '\0';
    length = 0;
    line_error = ERROR_NONE;
    if (error == ERROR_NONE && blank())
        return;
    if (error == ERROR_NONE)
        error = parse(&request);
    if (error == ERROR_NONE)
        error = command_execute(&request);
    if (error != ERROR_NONE)
        error_push(error);
}

void scpi_input(uint8_t byte)
{
    if (byte == '\n') {
        command_end_wait();
        execute_line();
        return;
    }
    if (byte == '\r' || line_error != ERROR_NONE)
        return;
    if (byte == '\t')
        byte = ' ';
    if (byte < ' ' || byte > '~')
        line_error = ERROR_INVALID_CHARACTER;
    else if (length == LINE_SIZE - 1)
        line_error = ERROR_INPUT_OVERRUN;
    else
        line[length++] = (char)byte;
}

void scpi_input_fault(enum error error)
{
    if (line_error == ERROR_NONE)
        line_error = error;
}

void scpi_poll(void)
{
    command_poll();
}
