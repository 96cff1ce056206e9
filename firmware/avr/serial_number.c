/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The serial number, which each board has in its EEPROM. */
#include <avr/eeprom.h>

#include "../core/port.h"

/* The serial number is ASCII text from the first cell of the EEPROM, ended by any other byte; an
 * erased EEPROM means number 0. A comma would break the reply to *IDN?. */
void port_serial(char *text, uint8_t size)
{
    uint8_t length = 0;
    while (length < size - 1) {
        uint8_t byte = eeprom_read_byte((const uint8_t *)0 + length);
        if (byte <= ' ' || byte > '~' || byte == ',')
            break;
        text[length++] = (char)byte;
    }
    if (length == 0)
        text[length++] = '0';
    text[length] = '\0';
}
