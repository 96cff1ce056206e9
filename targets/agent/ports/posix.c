/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pins and an interrupt line on plain POSIX, which has neither: a stream socket stands for both. A
 * byte that arrives is an interrupt, a byte that leaves is a write of the pins (bit 0 the response).
 * Without a socket there are no interrupts and the pins go nowhere. It is the skeleton for a port to
 * another system: what is here is what a port needs.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../counters/counter.h"
#include "linux_environment.h"
#include "ports.h"
#include "system.h"

#define SEQUENCE_BITS 7

static int line = -1;

static bool attach(const struct arm_options *options, struct text *why)
{
    if (options->measurement != MEASURE_PERIOD && line < 0) {
        text_say(why, "port posix has no interrupts without --device SOCKET");
        return false;
    }
    return true;
}

static void detach(void)
{
}

static enum port_event wait_interrupt(uint64_t *interrupts)
{
    char bytes[256];
    ssize_t count;
    while ((count = read(line, bytes, sizeof bytes)) <= 0)
        if (count == 0 || errno != EINTR || system_stopping())
            return system_interrupted(count ? errno : 0);
    *interrupts = (uint64_t)count;
    return PORT_DUE;
}

static void write_pins(uint32_t pins, struct ticks *around)
{
    unsigned char byte = (unsigned char)pins;
    around->before = counter_before();
    if (line >= 0 && write(line, &byte, 1) != 1)
        byte = 0; /* whoever listened is gone: wait_interrupt will tell */
    around->after = counter_after();
}

/* A look at what has come and was not taken yet. */
static bool read_pins(struct ticks *around)
{
    unsigned char byte;
    around->before = counter_before();
    ssize_t count = line < 0 ? 0 : recv(line, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    around->after = counter_after();
    return line < 0 || count > 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

static void close_line(void)
{
    if (line >= 0)
        close(line);
    line = -1;
}

static bool open_line(const struct port_settings *settings, struct port *port, struct text *why)
{
    *port = (struct port){
        .name = "posix",
        .measurements = 1u << MEASURE_INTERRUPT_TO_TASK | 1u << MEASURE_PERIOD,
        .sequence_bits = SEQUENCE_BITS,
        .attach = attach,
        .detach = detach,
        .wait_interrupt = wait_interrupt,
        .write_pins = write_pins,
        .read_pins = read_pins,
#ifdef __linux__
        .environment = linux_environment,
#endif
        SYSTEM_MEMBERS,
    };
    if (!settings->device)
        return true;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(settings->device) >= sizeof address.sun_path)
        return system_refuse(why, settings->device, ENAMETOOLONG);
    strcpy(address.sun_path, settings->device);
    line = socket(AF_UNIX, SOCK_STREAM, 0);
    if (line >= 0 && connect(line, (struct sockaddr *)&address, sizeof address) == 0)
        return true;
    int error = errno;
    close_line();
    return system_refuse(why, settings->device, error);
}

const struct port_entry posix_entry = {
    "posix", "no pins: a Unix socket stands for them; period works without", open_line, close_line};
