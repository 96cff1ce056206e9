/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "serial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "fault.h"
#include "registers.h"

/* Cycles of one frame as the registers have it. simavr counts a parity bit whether or not there is
 * one. */
static uint32_t serial_frame_cycles(const avr_t *avr)
{
    const uint8_t control = avr->data[REG_UCSR0C];
    const uint32_t divider = (avr->data[REG_UBRR0L] | (avr->data[REG_UBRR0H] & 0x0Fu) << 8) + 1;
    const uint32_t bit_cycles = divider * (avr->data[REG_UCSR0A] & BIT_U2X0 ? 8 : 16);
    const uint32_t data_bits = 5u + (control >> 1 & 3);
    const uint32_t parity_bits = control & 0x20 ? 1 : 0;
    const uint32_t stop_bits = control & 0x08 ? 2 : 1;

    return bit_cycles * (1 + data_bits + parity_bits + stop_bits);
}

/* One byte at a time and only into an empty receiver: the next starts when the firmware has read
 * the last, so that the UART never overruns. A real host would not wait. */
static void serial_feed(struct serial *serial)
{
    avr_uart_t *uart = serial->mcu->uart0;

    if (serial->taken == serial->filled || uart->input.read != uart->input.write ||
        !(serial->mcu->avr->data[REG_UCSR0B] & BIT_RXEN0))
        return;
    uart->cycles_per_byte = serial_frame_cycles(serial->mcu->avr);
    serial->firmware_spoke_last = false;
    avr_raise_irq(uart->io.irq + UART_IRQ_INPUT, serial->input[serial->taken++]);
}

static void serial_receiver_free(avr_irq_t *irq, uint32_t value, void *context)
{
    (void)irq;
    if (value)
        serial_feed(context);
}

static void serial_byte_sent(avr_irq_t *irq, uint32_t value, void *context)
{
    struct serial *serial = context;
    avr_uart_t *uart = serial->mcu->uart0;

    (void)irq;
    /* Datasheet 20.11.1: a byte written while the data register is not empty is ignored. */
    if (uart->tx_cnt > 1 || serial->queued == SERIAL_QUEUE_MAX)
        return;
    uart->cycles_per_byte = serial_frame_cycles(serial->mcu->avr);
    serial->output[serial->queued] = (uint8_t)value;
    serial->queued += line_faults_pass(&serial->faults, serial->output + serial->queued, 1);
    serial->spoke_cycle = mcu_cycle(serial->mcu);
    serial->firmware_spoke_last = true;
}

static bool serial_make_terminal(struct serial *serial)
{
    struct termios settings;

    serial->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (serial->master < 0 || grantpt(serial->master) != 0 || unlockpt(serial->master) != 0 ||
        ptsname_r(serial->master, serial->name, sizeof serial->name) != 0)
        return false;
    serial->slave = open(serial->name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (serial->slave < 0 || tcgetattr(serial->slave, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    cfsetspeed(&settings, B500000);
    return tcsetattr(serial->slave, TCSANOW, &settings) == 0;
}

bool serial_open(struct serial *serial, struct mcu *mcu)
{
    memset(serial, 0, sizeof *serial);
    serial->mcu = mcu;
    serial->master = -1;
    serial->slave = -1;
    if (!serial_make_terminal(serial)) {
        fault_say("cannot make a pseudo terminal: %s; is /dev/pts mounted?", strerror(errno));
        return false;
    }
    mcu->uart0->flags = 0; /* neither print what is sent nor sleep when the firmware polls */
    avr_irq_register_notify(mcu->uart0->io.irq + UART_IRQ_OUTPUT, serial_byte_sent, serial);
    avr_irq_register_notify(mcu->uart0->io.irq + UART_IRQ_OUT_XON, serial_receiver_free, serial);
    return true;
}

void serial_close(struct serial *serial)
{
    if (serial->slave >= 0)
        close(serial->slave);
    if (serial->master >= 0)
        close(serial->master);
    serial->slave = -1;
    serial->master = -1;
}

/* Between two bytes of a reply the firmware may pause for longer than a byte takes: then it goes out
 * in two pieces. */
static bool serial_due(const struct serial *serial)
{
    const bool sending = serial->mcu->uart0->tx_cnt > 0;

    return serial->queued > 0 && (!sending || serial->queued >= SERIAL_WHOLE_MAX);
}

struct pollfd serial_interest(const struct serial *serial)
{
    struct pollfd interest = {.fd = serial->master, .events = 0};

    if (serial->taken == serial->filled)
        interest.events |= POLLIN;
    if (serial_due(serial))
        interest.events |= POLLOUT;
    return interest;
}

static void serial_read(struct serial *serial)
{
    ssize_t count = read(serial->master, serial->input, sizeof serial->input);

    if (count <= 0)
        return; /* nothing there after all; the open slave rules out the end of the file */
    serial->taken = 0;
    serial->filled = line_faults_pass(&serial->faults, serial->input, (size_t)count);
    serial->bytes_from_host += (uint64_t)count;
    serial_feed(serial);
}

void serial_serve(struct serial *serial, short ready)
{
    if (ready & POLLOUT)
        serial_flush(serial);
    if (ready & POLLIN)
        serial_read(serial);
}

void serial_flush(struct serial *serial)
{
    if (!serial_due(serial))
        return;
    ssize_t count = write(serial->master, serial->output, serial->queued);
    if (count <= 0)
        return; /* the host's buffer is full */
    serial->queued -= (size_t)count;
    serial->bytes_to_host += (uint64_t)count;
    memmove(serial->output, serial->output + count, serial->queued);
}

bool serial_blocked(const struct serial *serial)
{
    return serial->queued > SERIAL_QUEUE_HIGH;
}

bool serial_transmitting(const struct serial *serial)
{
    return serial->mcu->uart0->tx_cnt > 0 || serial->queued > 0;
}

bool serial_pending_input(const struct serial *serial)
{
    const avr_uart_t *uart = serial->mcu->uart0;

    return serial->taken != serial->filled || uart->input.read != uart->input.write;
}

bool serial_host_turn(const struct serial *serial)
{
    return serial->firmware_spoke_last && !serial_transmitting(serial) &&
           !serial_pending_input(serial);
}
