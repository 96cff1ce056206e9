/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin of QEMU's code generator, for what it lets us do beside: run inside QEMU. It wires the
 * guest's pins to the virtual bench. Options: fd=N, the socket to the bench; then, if a pin of the
 * guest is wired to its interrupt line, trigger=N, the bit of that pin; then, if time is to be taken
 * from the guest, stall_every_us=N and stall_us=N; then, if the PC's parallel port is to interrupt by
 * another line than its own, irq=N; or, if a PC's pins are a serial port's, serial=1. */
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "fault.h"
#include "gpio.h"
#include "idle.h"
#include "lockstep.h"
#include "parallel.h"
#include "qemu.h"
#include "serial.h"
#include "stall.h"
#include "turns.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id,
                                                               const struct qemu_info *info,
                                                               int argc, char **argv);

static struct port port;
static enum qemu_guest guest;
static int parallel_irq = PARALLEL_IRQ;
static bool has_serial;
static int bench_socket = -1;
static bool begun, has_turns;

/* With the first translated block the machine is complete and virtual time is still 0. */
static void plugin_begin(uint64_t id, void *block)
{
    (void)id;
    idle_watch(block);
    if (has_turns)
        turns_watch(block);
    if (begun)
        return;
    begun = true;
    const bool locked = qemu.mutex_iothread_locked();
    if (!locked)
        qemu.mutex_lock_iothread(__FILE__, __LINE__);
    if (guest != QEMU_GUEST_X86_64)
        gpio_open(&port);
    else if (has_serial)
        serial_open(&port);
    else
        parallel_open(&port, parallel_irq);
    stall_open();
    lockstep_open(&port, bench_socket);
    if (!locked)
        qemu.mutex_unlock_iothread();
}

/* The number behind NAME=, or -1. */
static int plugin_number(const char *option, const char *name)
{
    const size_t size = strlen(name);
    char *end;

    if (strncmp(option, name, size) != 0 || option[size] < '0' || option[size] > '9')
        return -1;
    const long number = strtol(option + size, &end, 10);
    return *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

static bool plugin_socket(int argc, char **argv)
{
    socklen_t size = sizeof(int);
    int type;

    bench_socket = argc > 0 ? plugin_number(argv[0], "fd=") : -1;
    if (getsockopt(bench_socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
        fault_say("give fd=N, an open stream socket to the bench");
        return false;
    }
    return true;
}

/* The last two options, if they are these: takes them off. */
static void plugin_stall(int *argc, char **argv)
{
    if (*argc < 3)
        return;
    const int every_us = plugin_number(argv[*argc - 2], "stall_every_us=");
    const int length_us = plugin_number(argv[*argc - 1], "stall_us=");
    if (every_us <= 0 || length_us <= 0 || length_us >= every_us)
        return;
    stall_choose(every_us * INT64_C(1000), length_us * INT64_C(1000));
    *argc -= 2;
}

/* The last option, if it is one of these: takes it off. */
static void plugin_pc_port(int *argc, char **argv)
{
    const int irq = *argc > 1 ? plugin_number(argv[*argc - 1], "irq=") : -1;

    has_serial = *argc > 1 && plugin_number(argv[*argc - 1], "serial=") == 1;
    if (has_serial || (irq >= 0 && irq < PARALLEL_IRQS))
        --*argc;
    if (irq >= 0 && irq < PARALLEL_IRQS)
        parallel_irq = irq;
}

static bool plugin_trigger(int argc, char **argv)
{
    if (argc < 2)
        return true;
    const int bit = plugin_number(argv[1], "trigger=");
    if (argc > 2 || bit < 0 || bit > 7) {
        fault_say("after fd=N give nothing or trigger=N, a pin from 0 to 7");
        return false;
    }
    port.trigger_mask = (uint8_t)(1u << bit);
    return true;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* beside the socket's end: a guest alone is of no use */
    plugin_pc_port(&argc, argv);
    plugin_stall(&argc, argv);
    if (!plugin_socket(argc, argv) || !plugin_trigger(argc, argv))
        return -1;
    guest = qemu_bind(info);
    if (guest == QEMU_GUEST_NONE)
        return -1;
    has_turns = info->system.processors > 1;
    qemu.register_translation(id, plugin_begin);
    return 0;
}
