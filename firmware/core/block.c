/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "block.h"

#include "crc.h"
#include "port.h"
#include "report.h"

#define HEADER_BYTES 16
#define CAPTURE_BYTES 4
#define CRC_BYTES 2

static uint8_t sent; /* edges in the last block */

static void put_little_endian(uint16_t *crc, uint64_t value, uint8_t bytes)
{
    for (; bytes != 0; bytes--) {
        uint8_t byte = (uint8_t)value;
        *crc = crc_xmodem(*crc, byte);
        port_put(byte);
        value >>= 8;
    }
}

/* IEEE 488.2, 8.7.9: '#', the number of digits, then that many digits of the length in bytes. */
static void put_length(uint16_t length)
{
    report_char('#');
    report_char(length >= 100 ? '3' : '2'); /* never below the header's two digits */
    report_unsigned(length);
}

void block_send(void)
{
    struct engine_status status;
    uint16_t crc = 0;

    /* The count is read first: edges captured from here on belong to the next block, and now_ticks
     * is then later than any edge in this one. */
    uint8_t count = port_captures();
    port_status(&status);
    uint8_t flags = (uint8_t)((status.state == ENGINE_RUNNING ? BLOCK_FLAG_RUNNING : 0) |
                              (status.overruns != 0 ? BLOCK_FLAG_OVERRUN : 0));

    put_length((uint16_t)(HEADER_BYTES + count * CAPTURE_BYTES + CRC_BYTES));
    put_little_endian(&crc, BLOCK_VERSION, 1);
    put_little_endian(&crc, flags, 1);
    put_little_endian(&crc, count, 2);
    put_little_endian(&crc, status.fetched, 4);
    put_little_endian(&crc, status.now_ticks, 8);
    for (uint8_t i = 0; i < count; i++)
        put_little_endian(&crc, port_take_capture(), CAPTURE_BYTES);
    put_little_endian(&(uint16_t){0}, crc, CRC_BYTES);
    report_char('\n');
    sent = count;
}

void block_return(void)
{
    port_return_captures(sent);
    sent = 0;
}
