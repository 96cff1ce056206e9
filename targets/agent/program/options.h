/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROGRAM_OPTIONS_H
#define PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../ports/ports.h"

enum link { LINK_NONE, LINK_STDIO, LINK_SERIAL, LINK_TCP };

#define DMA_LATENCY_OFF (-1)

struct options {
    const struct port_entry *port;
    struct port_settings settings;
    enum link link;
    const char *link_name; /* of the tty, or ADDRESS:PORT or PORT */
    uint32_t baud;
    const char *counter; /* NULL: the best there is */
    bool allow_variant, allow_unlocked, allow_commands;
    int32_t dma_latency_us;
};

/* Read the command line; --help and --version end the program, and so does a mistake. */
struct options options_parse(int count, char **words);

#endif
