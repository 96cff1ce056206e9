/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent as a program: a port, a counter, a link, and the session between them. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/measure.h"
#include "../core/session.h"
#include "../counters/counter.h"
#include "../ports/linux_disturbances.h"
#include "../ports/linux_environment.h"
#include "../ports/linux_frequency.h"
#include "../ports/linux_interrupt.h"
#include "../ports/linux_loads.h"
#include "../ports/linux_tools.h"
#include "../ports/system.h"
#include "exits.h"
#include "link.h"
#include "options.h"

#define WHY_SIZE 400
#define ENVIRONMENT_SIZE (128u * 1024)

static volatile sig_atomic_t end_asked;
static char environment[ENVIRONMENT_SIZE];

static void on_end(int number)
{
    (void)number;
    end_asked = 1;
    alarm(1);
}

/*
 * Whatever the agent waits for, the call ends and the loops below see why. A signal that comes just
 * before the call would be lost on it: another follows in a second.
 */
static void watch_signals(void)
{
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action = {.sa_handler = on_end};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

static int give_up(const struct text *why)
{
    fprintf(stderr, "rig-agent: %s\n", why->bytes);
    return EXIT_DEVICE;
}

/* A serial line has no end of its own: what follows QUIT is the next host's. */
static void take(struct session *session, const char *bytes, size_t count)
{
    size_t taken = session_input(session, bytes, count);
    while (session->state == SESSION_QUIT && link_is_shared()) {
        session_end(session);
        session_begin(session);
        bytes += taken;
        count -= taken;
        taken = session_input(session, bytes, count);
    }
}

static void talk(struct session *session)
{
    char bytes[4096];
    ssize_t count;
    session_begin(session);
    while (!end_asked && session->state == SESSION_OPEN &&
           (count = link_receive(bytes, sizeof bytes)) > 0)
        take(session, bytes, (size_t)count);
    session_end(session);
}

static void serve(const struct port *port)
{
    struct session session = {.port = port,
                              .send = link_send,
                              .environment = environment,
                              .environment_size = sizeof environment};
    do {
        if (!link_accept())
            break;
        talk(&session);
        link_hang_up();
    } while (!end_asked && link_stays());
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "--load") == 0)
        return load_workers(words[2]); /* started so by the agent itself, as is a keeper */
    if (count >= 3 && strcmp(words[1], "--keep") == 0)
        return load_keep(words + 2);
    struct options options = options_parse(count, words);
    struct port port;
    struct port_counter counter;
    char buffer[WHY_SIZE];
    struct text why;
    text_begin(&why, buffer, sizeof buffer);
    watch_signals();
    system_begin();
    if (options.allow_unlocked)
        system_allow_unlocked();
    if (options.allow_commands)
        linux_loads_allow_commands();
    if (!counter_choose(options.counter, options.allow_variant, &counter, &why) ||
        !options.port->open(&options.settings, &port, &why))
        return give_up(&why);
    port.counter = counter;
    port.loads = &linux_loads;
    port.frequency = &linux_frequency;
    port.disturbances = &linux_disturbances;
    port.interrupt = &linux_interrupt;
    port.tools = &linux_tools;
    if (options.dma_latency_us != DMA_LATENCY_OFF)
        linux_hold_dma_latency(options.dma_latency_us);
    if (!link_open(&options, &why)) {
        options.port->close();
        return give_up(&why);
    }
    serve(&port);
    measure_forget();
    options.port->close();
    return EXIT_GOOD;
}
