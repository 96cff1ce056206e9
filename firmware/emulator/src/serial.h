// SPDX-License-Identifier: GPL-3.0-or-later
// UART 0 on a pseudo terminal of its own.
#ifndef RIG_EMULATOR_SERIAL_H
#define RIG_EMULATOR_SERIAL_H

#include <poll.h>

#include "mcu.h"

enum {
    SERIAL_QUEUE_MAX = 8192,
    SERIAL_QUEUE_HIGH =
        4096, // virtual time stops above this; the rest takes what a slice still adds
};

struct serial {
    struct mcu *mcu;
    int master;
    int slave; // kept open, so that a host may close and open the port as often as it likes
    char name[64];

    uint8_t input[SERIAL_QUEUE_MAX]; // from the host, from `taken` to `filled`
    size_t taken;
    size_t filled;
    uint8_t output[SERIAL_QUEUE_MAX]; // to the host
    size_t queued;

    uint64_t bytes_from_host;
    uint64_t bytes_to_host;
    uint64_t spoke_cycle;     // when the firmware sent its last byte
    bool firmware_spoke_last; // and no byte from the host has reached it since
};

// Makes the pseudo terminal. Returns false after saying why not.
bool serial_open(struct serial *serial, struct mcu *mcu);
void serial_close(struct serial *serial);

// What to wait for, and what to do when it came.
struct pollfd serial_interest(const struct serial *serial);
void serial_serve(struct serial *serial, short ready);

// Hands queued output to the host, as much as it takes now.
void serial_flush(struct serial *serial);

// The host does not read: virtual time must not go on.
bool serial_blocked(const struct serial *serial);

// The firmware is sending, or the host has not yet been given all it sent.
bool serial_transmitting(const struct serial *serial);

// The firmware has not yet read all that the host sent.
bool serial_pending_input(const struct serial *serial);

// The firmware has read all there is, has finished sending, and has spoken more recently than the
// host.
bool serial_host_turn(const struct serial *serial);

#endif
