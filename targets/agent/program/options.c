/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exits.h"

#ifndef AGENT_VERSION
#define AGENT_VERSION "0"
#endif

enum { KEY_HELP = 256, KEY_VERSION, KEY_PORT, KEY_DEVICE, KEY_EDGE, KEY_STDIO, KEY_SERIAL, KEY_BAUD,
       KEY_TCP, KEY_COUNTER, KEY_VARIANT, KEY_UNLOCKED, KEY_COMMANDS, KEY_LATENCY, KEY_PINS,
       KEY_LEVEL, KEY_FLUSH };

static const struct option known[] = {
    {"help", no_argument, NULL, KEY_HELP},
    {"version", no_argument, NULL, KEY_VERSION},
    {"port", required_argument, NULL, KEY_PORT},
    {"device", required_argument, NULL, KEY_DEVICE},
    {"edge", required_argument, NULL, KEY_EDGE},
    {"flush", required_argument, NULL, KEY_FLUSH},
    {"level", no_argument, NULL, KEY_LEVEL},
    {"pins", required_argument, NULL, KEY_PINS},
    {"stdio", no_argument, NULL, KEY_STDIO},
    {"serial", required_argument, NULL, KEY_SERIAL},
    {"baud", required_argument, NULL, KEY_BAUD},
    {"tcp", required_argument, NULL, KEY_TCP},
    {"counter", required_argument, NULL, KEY_COUNTER},
    {"allow-variant", no_argument, NULL, KEY_VARIANT},
    {"allow-unlocked", no_argument, NULL, KEY_UNLOCKED},
    {"allow-commands", no_argument, NULL, KEY_COMMANDS},
    {"cpu-dma-latency", required_argument, NULL, KEY_LATENCY},
    {NULL, 0, NULL, 0},
};

static void help(void)
{
    puts("rig-agent - answers interrupts and periods on a target and logs each answer\n"
         "\n"
         "usage: rig-agent --port PORT LINK [options]\n"
         "\n"
         "ports:");
    for (size_t i = 0; port_entries[i]; i++)
        printf("  %-22s %s\n", port_entries[i]->name, port_entries[i]->about);
    puts("\n"
         "links, to which the host speaks the line protocol:\n"
         "  --stdio                standard input and output, as through ssh\n"
         "  --serial TTY           a serial line, raw\n"
         "  --tcp [ADDRESS:]PORT   listen; on 127.0.0.1 if no address is given, any port for 0\n"
         "\n"
         "options:\n"
         "  --device PATH          the port's device, if not its usual one\n"
         "  --edge rising|falling  of nACK at which this parallel port interrupts (rising)\n"
         "  --flush on|off         read a GPIO chip's line back behind each write, which may be under\n"
         "                         way still (on where the chip is an RP1, behind PCI Express)\n"
         "  --level                use a parallel port whose interrupt is level-triggered\n"
         "  --pins LIST            lines of a GPIO chip where the host names none, such as\n"
         "                         response=4,interrupt=5,trigger=6,sequence=0:1:2; of a serial port\n"
         "                         0 RTS, 1 DTR and interrupt= 0 CTS (usual), 1 DSR, 2 DCD, 3 RI\n"
         "  --baud N               of the serial line (115200)\n"
         "  --counter NAME         cycle counter: the processor's (default) or monotonic_raw\n"
         "  --allow-variant        use a cycle counter whose rate may change\n"
         "  --allow-unlocked       measure though memory cannot be locked\n"
         "  --allow-commands       run loads that the host names: whoever reaches the agent can\n"
         "                         then run any program as this user\n"
         "  --cpu-dma-latency US   allow idle states that wake within US (0); off: leave it\n"
         "  --version, --help\n"
         "\n"
         "exit codes: 0 the host said QUIT or went away, or a signal ended it; 2 wrong use;\n"
         "3 port, counter or link not to be had");
    exit(EXIT_GOOD);
}

static void wrong_use(const char *what, const char *value)
{
    fprintf(stderr, "rig-agent: %s%s%s; see rig-agent --help\n", what, value ? ": " : "",
            value ? value : "");
    exit(EXIT_USE);
}

static const struct port_entry *find_port(const char *name)
{
    for (size_t i = 0; port_entries[i]; i++)
        if (strcmp(name, port_entries[i]->name) == 0)
            return port_entries[i];
    fprintf(stderr, "rig-agent: no port %s; valid:", name);
    for (size_t i = 0; port_entries[i]; i++)
        fprintf(stderr, " %s", port_entries[i]->name);
    fputc('\n', stderr);
    exit(EXIT_USE);
}

static uint32_t number(const char *option, const char *text, uint32_t maximum)
{
    uint64_t value;
    if (!parse_u64(text, strlen(text), &value) || value > maximum)
        wrong_use(option, text);
    return (uint32_t)value;
}

static bool is_falling(const char *text)
{
    if (strcmp(text, "rising") != 0 && strcmp(text, "falling") != 0)
        wrong_use("--edge must be rising or falling", text);
    return text[0] == 'f';
}

static const char *on_or_off(const char *option, const char *text)
{
    if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
        wrong_use(option, "must be on or off");
    return text;
}

static void set_link(struct options *options, enum link link, const char *name)
{
    if (options->link != LINK_NONE)
        wrong_use("give one of --stdio, --serial, --tcp", NULL);
    options->link = link;
    options->link_name = name;
}

static void take(struct options *options, int key, const char *value)
{
    switch (key) {
    case KEY_HELP: help(); break;
    case KEY_VERSION: puts("rig-agent " AGENT_VERSION); exit(EXIT_GOOD);
    case KEY_PORT: options->port = find_port(value); break;
    case KEY_DEVICE: options->settings.device = value; break;
    case KEY_EDGE: options->settings.falling = is_falling(value); break;
    case KEY_FLUSH: options->settings.flush = on_or_off("--flush", value); break;
    case KEY_LEVEL: options->settings.level = true; break;
    case KEY_PINS: options->settings.pins = value; break;
    case KEY_STDIO: set_link(options, LINK_STDIO, NULL); break;
    case KEY_SERIAL: set_link(options, LINK_SERIAL, value); break;
    case KEY_TCP: set_link(options, LINK_TCP, value); break;
    case KEY_BAUD: options->baud = number("--baud", value, 4000000); break;
    case KEY_COUNTER: options->counter = value; break;
    case KEY_VARIANT: options->allow_variant = true; break;
    case KEY_UNLOCKED: options->allow_unlocked = true; break;
    case KEY_COMMANDS: options->allow_commands = true; break;
    case KEY_LATENCY:
        options->dma_latency_us = strcmp(value, "off") == 0
                                      ? DMA_LATENCY_OFF
                                      : (int32_t)number("--cpu-dma-latency", value, 2000000000);
        break;
    default: exit(EXIT_USE); /* getopt has said why */
    }
}

struct options options_parse(int count, char **words)
{
    struct options options = {.baud = 115200};
    int key;
    while ((key = getopt_long(count, words, "", known, NULL)) != -1)
        take(&options, key, optarg);
    if (optind < count)
        wrong_use("not an option", words[optind]);
    if (!options.port)
        wrong_use("--port is missing", NULL);
    if (options.link == LINK_NONE)
        wrong_use("give one of --stdio, --serial, --tcp", NULL);
    if (options.settings.pins && strcmp(options.port->name, "gpio") != 0 &&
        strcmp(options.port->name, "serial") != 0)
        wrong_use("--pins names lines of a GPIO chip or a serial port: give --port gpio or serial, or "
                  "leave it out with --port",
                  options.port->name);
    if (options.settings.flush && strcmp(options.port->name, "gpio") != 0)
        wrong_use("--flush is of a GPIO chip's writes: leave it out with --port", options.port->name);
    return options;
}
