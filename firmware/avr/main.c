/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stimulus firmware for AVR chips with a 16-bit timer 1; which of them, chip.h says. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "../core/scpi.h"
#include "engine.h"
#include "uart.h"

/* Sleep until an interrupt, unless one has left work meanwhile: sei takes effect only after the
 * instruction that follows it, so none can slip in between. */
static void rest(void)
{
    cli();
    if (!uart_received() && engine_settled()) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

int main(void)
{
    engine_begin();
    uart_begin();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    scpi_reset();
    for (;;) {
        engine_refill();
        enum error fault = uart_fault();
        if (fault != ERROR_NONE)
            scpi_input_fault(fault);
        if (uart_received())
            scpi_input(uart_take());
        scpi_poll();
        rest();
    }
}
