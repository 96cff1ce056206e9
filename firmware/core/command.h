/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command tree: what each line does. */
#ifndef CORE_COMMAND_H
#define CORE_COMMAND_H

#include <stdbool.h>

#include "error.h"

#define PARAMETERS_MAX 2

/* A line taken apart; the texts are within the line and without blanks around them. */
struct request {
    const char *header; /* without the question mark and a leading colon */
    bool query;
    unsigned char parameters;
    const char *parameter[PARAMETERS_MAX];
    enum error flaw; /* of the parameters; counts once the header is known */
};

/* Settings to their defaults, the pin at rest; a running train is stopped. */
void command_reset(void);

/* Send maker, model, serial number and version, without the newline. */
void command_identify(void);

/* Do it, or change nothing and say why. */
enum error command_execute(const struct request *request);

/* The waiting FETCh?: reply if it is due, or at once. */
void command_poll(void);
void command_end_wait(void);

#endif
