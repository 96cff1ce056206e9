/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linux_parport.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/parport.h>
#include <linux/ppdev.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "system.h"

#define DEVICE "/dev/parport0"
#define DATA_PINS 8
#define USUAL_TRIGGER_PIN 6 /* the kernel module's, too */

int parport_file = -1;
static uint8_t trigger_mask;
static bool falling;
static int number; /* the N of /dev/parportN */
static uint8_t data_of[1 << DATA_PINS];

/* Both tasks write the data pins: the one that triggers must not undo an answer. */
static _Atomic uint8_t answer_byte; /* what the answering task wrote last */
static _Atomic uint64_t answers;
static _Atomic uint64_t answer_ticks; /* just before its last write */

/* First number in /proc/sys/dev/parport/parportN/WHAT, or `fallback`. */
static long setting(const char *what, long fallback)
{
    char path[64];
    long value = fallback;
    snprintf(path, sizeof path, "/proc/sys/dev/parport/parport%d/%s", number, what);
    FILE *file = fopen(path, "r");
    if (!file)
        return fallback;
    if (fscanf(file, "%ld", &value) != 1)
        value = fallback;
    fclose(file);
    return value;
}

unsigned parport_base(void)
{
    long base = setting("base-addr", 0);
    return base > 0 && base < 0x10000 - 8 ? (unsigned)base : 0;
}

static bool refuse(struct text *why, const char *device, int error)
{
    system_refuse(why, device, error);
    if (error == ENOENT || error == ENXIO)
        text_add(why, "; is there a parallel port, and are parport_pc and ppdev loaded?");
    if (error == EACCES || error == EPERM)
        text_add(why, "; run as root, or add the user to the group of the device (lp)");
    if (error == ENOTTY)
        text_add(why, "; is it a parallel port?");
    if (error == EBUSY)
        text_add(why, "; another program or driver (lp?) has the port");
    return false;
}

/*
 * To claim the port is to switch its interrupt on. While nACK is active a level-triggered line then
 * interrupts without end, and the kernel's driver takes each for its own: one processor hangs.
 */
static bool refuse_level(const char *device, struct text *why)
{
    char path[48], type[8] = "";
    long irq = setting("irq", -1);
    snprintf(path, sizeof path, "/sys/kernel/irq/%ld/type", irq);
    FILE *file = irq < 0 ? NULL : fopen(path, "r");
    if (!file)
        return false;
    bool level = fgets(type, sizeof type, file) && strncmp(type, "level", 5) == 0;
    fclose(file);
    if (!level)
        return false;
    text_say(why, device);
    text_add(why, ": its interrupt is level-triggered, as of a PCI card, and may hang a processor; use "
                  "a port on the main board, or the kernel module with handler=hard; --level if nACK "
                  "is sure to rest at its passive level");
    return true;
}

bool parport_open(const struct port_settings *settings, struct text *why)
{
    const char *device = settings->device ? settings->device : DEVICE;
    const char *digits = device + strlen(device);
    while (digits > device && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    number = atoi(digits);
    falling = settings->falling;
    if (!settings->level && refuse_level(device, why))
        return false;
    parport_file = open(device, O_RDWR | O_CLOEXEC);
    if (parport_file < 0)
        return refuse(why, device, errno);
    unsigned char zero = 0;
    if (ioctl(parport_file, PPCLAIM) == 0 && ioctl(parport_file, PPWDATA, &zero) == 0)
        return true;
    int error = errno == ENXIO ? EBUSY : errno; /* ppdev says ENXIO when it cannot register */
    close(parport_file);
    parport_file = -1;
    return refuse(why, device, error);
}

void parport_close(void)
{
    if (parport_file < 0)
        return;
    ioctl(parport_file, PPRELEASE);
    close(parport_file);
    parport_file = -1;
}

/* --- arm ---------------------------------------------------------------------------------------- */

static bool refuse_pins(struct text *why)
{
    text_say(why, "response_pin, sequence_pins and trigger_pin must be different data pins, 0 to 7");
    return false;
}

static bool take_pin(uint8_t *taken, unsigned pin)
{
    if (pin >= DATA_PINS || *taken >> pin & 1)
        return false;
    *taken = (uint8_t)(*taken | 1u << pin);
    return true;
}

static bool map_pins(const struct arm_options *options, struct text *why)
{
    uint8_t taken = 0;
    uint16_t pins[DATA_PINS] = {options->response_pin};
    memcpy(pins + 1, options->sequence_pins, sizeof options->sequence_pins);
    for (unsigned i = 0; i <= options->sequence_bits; i++)
        if (!take_pin(&taken, pins[i]))
            return refuse_pins(why);
    trigger_mask = 0;
    if (options->self_trigger) {
        unsigned pin =
            options->trigger_pin == PIN_NONE ? USUAL_TRIGGER_PIN : options->trigger_pin;
        if (!take_pin(&taken, pin))
            return refuse_pins(why);
        trigger_mask = (uint8_t)(1u << pin);
    }
    for (unsigned word = 0; word < 1u << DATA_PINS; word++) {
        data_of[word] = 0;
        for (unsigned i = 0; i <= options->sequence_bits; i++)
            data_of[word] |= (uint8_t)((word >> i & 1) << pins[i]);
    }
    return true;
}

static bool check_line(const struct arm_options *options, struct text *why)
{
    if (setting("irq", 0) < 0) {
        text_say(why, "the parallel port has no interrupt; load parport_pc with io=0x378 irq=7 or "
                      "as the card is set");
        return false;
    }
    if ((options->edge == EDGE_FALLING) == falling)
        return true;
    text_say(why, falling ? "edge must be falling, as --edge falling says of this port"
                          : "edge must be rising: a parallel port interrupts on the rising edge of "
                            "nACK; if this one does not, start the agent with --edge falling");
    return false;
}

bool parport_attach(const struct arm_options *options, struct text *why)
{
    int ignored;
    if (options->measurement != MEASURE_PERIOD && !check_line(options, why))
        return false;
    if (!map_pins(options, why))
        return false;
    return ioctl(parport_file, PPCLRIRQ, &ignored) == 0 || system_refuse(why, "ppdev", errno);
}

void parport_detach(void)
{
}

int32_t parport_interrupt(void)
{
    return (int32_t)setting("irq", -1);
}

/* --- while armed -------------------------------------------------------------------------------- */

/*
 * The count is taken before the answer, not after it: an interrupt that comes later wakes the next
 * poll, so that none is both counted and forgotten, and the sequence pins tell the true count. It
 * costs one short system call in the measured path.
 */
enum port_event parport_wait_interrupt(uint64_t *interrupts)
{
    struct pollfd waiting = {.fd = parport_file, .events = POLLIN};
    int count = 0;
    do {
        if (poll(&waiting, 1, -1) < 0) {
            if (errno != EINTR || system_stopping())
                return system_interrupted(errno);
            continue;
        }
        if (waiting.revents & (POLLERR | POLLNVAL) || ioctl(parport_file, PPCLRIRQ, &count) != 0)
            return PORT_FAILED;
    } while (count <= 0);
    *interrupts = (uint64_t)count;
    return PORT_DUE;
}

void parport_answer(parport_write *write, uint32_t pins, struct ticks *around)
{
    uint8_t data = data_of[pins & 0xff];
    atomic_store_explicit(&answer_byte, data, memory_order_relaxed);
    write(data, around);
    atomic_store_explicit(&answer_ticks, around->before, memory_order_relaxed);
    atomic_fetch_add_explicit(&answers, 1, memory_order_release);
}

bool parport_pulse(parport_write *write, struct ticks *around)
{
    struct ticks end;
    uint64_t answered = answers;
    uint8_t data = answer_byte, now;
    write(data | trigger_mask, around);
    /* An answer that began before the pulse did was undone by it for a moment. */
    bool overlap = answers != answered && answer_ticks < around->before;
    do {
        now = answer_byte;
        write(now, &end);
    } while (answer_byte != now && (overlap = true));
    return overlap;
}
