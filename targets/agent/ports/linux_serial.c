/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handshake lines of a serial port: an input interrupts, RTS and DTR answer. Most industrial PCs have
 * a serial port and no parallel one.
 *
 * Levels are those at the UART or behind a receiver, which inverts as the driver does: a line that
 * the kernel calls set is low. To open the port sets RTS and DTR, so that all pins begin low.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../counters/counter.h"
#include "linux_environment.h"
#include "pin_list.h"
#include "ports.h"
#include "system.h"

#define DEVICE "/dev/ttyS0"
#define OUTPUTS 2 /* response_pin, sequence_pins and trigger_pin count them: RTS, DTR */
#define OUT1_AND_OUT2 0x6000 /* as in asm/termios.h, which does not go with termios.h */

static const int output_bits[OUTPUTS] = {TIOCM_RTS, TIOCM_DTR};

static const struct input {
    int bit;      /* of TIOCMGET and TIOCMIWAIT */
    size_t count; /* of its changes, in struct serial_icounter_struct */
} inputs[] = {
    {TIOCM_CTS, offsetof(struct serial_icounter_struct, cts)},
    {TIOCM_DSR, offsetof(struct serial_icounter_struct, dsr)},
    {TIOCM_CD, offsetof(struct serial_icounter_struct, dcd)},
    {TIOCM_RI, offsetof(struct serial_icounter_struct, rng)},
};
static const struct input *input;

static int file = -1;
static struct pin_list usual_pins;
static struct termios before_us;
static uint16_t output_pins[OUTPUTS]; /* response, then the bit of the sequence */
static int trigger_bit;
static int other_outputs; /* OUT1 and OUT2: without the second a PC's port does not interrupt */
static uint32_t last_count; /* the kernel's, of the input's changes */
static uint64_t changes;    /* since it was attached */
static bool rising;
static bool begins_active; /* the line was where the edge that interrupts leads */
static bool one_edge;      /* RI: the chip tells of rising edges alone */
static uint64_t reported;

/* --- arm ---------------------------------------------------------------------------------------- */

static bool refuse_pins(struct text *why)
{
    text_say(why, "port serial has two outputs, 0 RTS and 1 DTR: response_pin, sequence_pins and "
                  "trigger_pin must be different ones");
    return false;
}

static bool map_pins(const struct arm_options *options, struct text *why)
{
    unsigned taken = 0;
    output_pins[0] = options->response_pin;
    output_pins[1] = options->sequence_pins[0];
    for (unsigned i = 0; i <= options->sequence_bits; i++) {
        if (output_pins[i] >= OUTPUTS || taken >> output_pins[i] & 1)
            return refuse_pins(why);
        taken |= 1u << output_pins[i];
    }
    if (options->sequence_bits == 0)
        output_pins[1] = OUTPUTS;
    trigger_bit = 0;
    if (!options->self_trigger)
        return true;
    unsigned pin = options->trigger_pin == PIN_NONE ? 1 : options->trigger_pin;
    if (pin >= OUTPUTS || taken >> pin & 1)
        return refuse_pins(why);
    trigger_bit = output_bits[pin];
    return true;
}

static bool count_changes(uint32_t *count)
{
    struct serial_icounter_struct counts;
    int value;
    if (ioctl(file, TIOCGICOUNT, &counts) != 0)
        return false;
    memcpy(&value, (const char *)&counts + input->count, sizeof value);
    *count = (uint32_t)value;
    return true;
}

static bool is_active(int lines)
{
    return !(lines & input->bit) == rising;
}

static bool watch_input(const struct arm_options *options, struct text *why)
{
    unsigned pin = options->interrupt_pin == PIN_NONE ? 0 : options->interrupt_pin;
    int lines;
    if (pin >= sizeof inputs / sizeof *inputs) {
        text_say(why, "interrupt_pin of port serial must be 0 CTS, 1 DSR, 2 DCD or 3 RI");
        return false;
    }
    input = &inputs[pin];
    one_edge = input->bit == TIOCM_RI;
    if (one_edge && options->edge == EDGE_FALLING) {
        text_say(why, "edge must be rising on RI: a serial port tells of no other");
        return false;
    }
    if (!count_changes(&last_count) || ioctl(file, TIOCMGET, &lines) != 0)
        return system_refuse(why, "serial port", errno);
    rising = options->edge == EDGE_RISING;
    begins_active = is_active(lines);
    changes = 0;
    reported = 0;
    return true;
}

static bool attach(const struct arm_options *given, struct text *why)
{
    struct arm_options completed = *given;
    const struct arm_options *options = &completed;
    pin_list_complete(&usual_pins, &completed);
    return map_pins(options, why) &&
           (options->measurement == MEASURE_PERIOD || watch_input(options, why));
}

static void detach(void)
{
}

/* --- while armed -------------------------------------------------------------------------------- */

/*
 * A pulse that is over before the kernel reads the chip is one change, not two: then the level is not
 * the one that so many changes lead to. Returns false if the line must be looked at again.
 */
static bool agrees_with_level(uint32_t count)
{
    uint32_t again;
    int lines;
    if (one_edge)
        return true;
    if (ioctl(file, TIOCMGET, &lines) != 0 || !count_changes(&again) || again != count)
        return false;
    bool active = begins_active ^ (changes & 1);
    if (active == is_active(lines))
        return true;
    changes++;
    return false;
}

/*
 * The kernel counts changes of the line, every second one into the edge that interrupts. They are
 * counted before the wait, for TIOCMIWAIT does not know what came earlier; a change between these two
 * calls is seen with the next one.
 */
static enum port_event wait_interrupt(uint64_t *interrupts)
{
    uint32_t count;
    for (;;) {
        if (!count_changes(&count))
            return PORT_FAILED;
        changes += (uint32_t)(count - last_count);
        last_count = count;
        uint64_t due = one_edge ? changes : (changes + !begins_active) / 2;
        if (due > reported) {
            *interrupts = due - reported;
            reported = due;
            return PORT_DUE;
        }
        if (!agrees_with_level(count))
            continue;
        if (ioctl(file, TIOCMIWAIT, input->bit) == 0)
            continue;
        if (errno != EINTR || system_stopping())
            return system_interrupted(errno);
    }
}

static void write_lines(int set, struct ticks *around)
{
    around->before = counter_before();
    ioctl(file, TIOCMSET, &set);
    around->after = counter_after();
}

/* The task that triggers must not undo an answer, nor the other way round: each sets its own lines. */
static void write_pins(uint32_t pins, struct ticks *around)
{
    int set = 0, clear = 0;
    for (unsigned i = 0; i < OUTPUTS && output_pins[i] < OUTPUTS; i++)
        *(pins >> i & 1 ? &clear : &set) |= output_bits[output_pins[i]];
    if (!trigger_bit) {
        write_lines(set | other_outputs, around);
        return;
    }
    around->before = counter_before();
    ioctl(file, set ? TIOCMBIS : TIOCMBIC, set ? &set : &clear);
    around->after = counter_after();
}

static bool read_pins(struct ticks *around)
{
    int lines;
    around->before = counter_before();
    bool good = ioctl(file, TIOCMGET, &lines) == 0;
    around->after = counter_after();
    return good;
}

static bool write_trigger(struct ticks *around)
{
    unsigned long first = TIOCMBIC, second = TIOCMBIS; /* a rising pulse */
    around->before = counter_before();
    ioctl(file, first, &trigger_bit);
    around->after = counter_after();
    ioctl(file, second, &trigger_bit);
    return false;
}

/* --- open --------------------------------------------------------------------------------------- */

static void close_port(void)
{
    if (file < 0)
        return;
    tcsetattr(file, TCSANOW, &before_us);
    close(file);
    file = -1;
}

/* Neither the kernel's own flow control nor a hang-up when DCD falls. */
static bool prepare(void)
{
    if (tcgetattr(file, &before_us) != 0)
        return false;
    struct termios ours = before_us;
    cfmakeraw(&ours);
    ours.c_cflag |= CLOCAL;
    ours.c_cflag &= ~(tcflag_t)CRTSCTS;
    int set = TIOCM_RTS | TIOCM_DTR, lines = 0;
    bool good = tcsetattr(file, TCSANOW, &ours) == 0 && ioctl(file, TIOCMBIS, &set) == 0 &&
                ioctl(file, TIOCMGET, &lines) == 0;
    other_outputs = lines & OUT1_AND_OUT2;
    return good;
}

static int32_t interrupt_number(void)
{
    struct serial_struct found = {0};
    return ioctl(file, TIOCGSERIAL, &found) == 0 && found.irq > 0 ? found.irq : -1;
}

static bool open_port(const struct port_settings *settings, struct port *port, struct text *why)
{
    const char *device = settings->device ? settings->device : DEVICE;
    *port = (struct port){
        .name = "serial",
        .measurements = 1u << MEASURE_INTERRUPT_TO_TASK | 1u << MEASURE_PERIOD,
        .sequence_bits = OUTPUTS - 1,
        .attach = attach,
        .detach = detach,
        .wait_interrupt = wait_interrupt,
        .interrupt_number = interrupt_number,
        .write_pins = write_pins,
        .read_pins = read_pins,
        .write_trigger = write_trigger,
        .environment = linux_environment,
        SYSTEM_MEMBERS,
    };
    uint32_t ignored;
    input = inputs;
    if (!pin_list_parse(settings->pins, &usual_pins, why))
        return false;
    file = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && prepare() && count_changes(&ignored))
        return true;
    int error = errno;
    close_port();
    system_refuse(why, device, error);
    if (error == EACCES)
        text_add(why, "; run as root, or add the user to the group of the device (dialout)");
    if (error == ENOTTY || error == EINVAL || error == EIO)
        text_add(why, "; is it a serial port with handshake lines?");
    return false;
}

const struct port_entry serial_entry = {
    "serial", "handshake lines of a serial port, /dev/ttySN", open_port, close_port};
