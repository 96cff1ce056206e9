/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin of QEMU's code generator, for what it lets us do beside: run inside QEMU. It wires the
 * guest's parallel port to the virtual bench. Options: fd=N, the socket to the bench. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "fault.h"
#include "lockstep.h"
#include "port.h"
#include "qemu.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id,
                                                               const struct qemu_info *info,
                                                               int argc, char **argv);

static struct port port;
static int bench_socket = -1;
static bool begun;

/* With the first translated block the machine is complete and virtual time is still 0. */
static void plugin_begin(uint64_t id, void *block)
{
    (void)id;
    (void)block;
    if (begun)
        return;
    begun = true;
    const bool locked = qemu.mutex_iothread_locked();
    if (!locked)
        qemu.mutex_lock_iothread(__FILE__, __LINE__);
    port_open(&port);
    lockstep_open(&port, bench_socket);
    if (!locked)
        qemu.mutex_unlock_iothread();
}

static bool plugin_socket(int argc, char **argv)
{
    socklen_t size = sizeof(int);
    char *end = NULL;
    int type;

    if (argc == 1 && strncmp(argv[0], "fd=", 3) == 0)
        bench_socket = (int)strtol(argv[0] + 3, &end, 10);
    if (end == NULL || end == argv[0] + 3 || *end != '\0' ||
        getsockopt(bench_socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
        fault_say("give fd=N, an open stream socket to the bench");
        return false;
    }
    return true;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* beside the socket's end: a guest alone is of no use */
    if (!plugin_socket(argc, argv) || !qemu_bind(info))
        return -1;
    qemu.register_translation(id, plugin_begin);
    return 0;
}
