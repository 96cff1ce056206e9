/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reply to FETCh?: captured edges as an IEEE 488.2 definite length block with a CRC. */
#ifndef CORE_BLOCK_H
#define CORE_BLOCK_H

#include <stdint.h>

#define BLOCK_VERSION 1
#define BLOCK_FLAG_RUNNING 0x01
#define BLOCK_FLAG_OVERRUN 0x02

/* Take all captured edges from the port and send them, with the newline. */
void block_send(void);

/* Put the edges of the last block back, as far as the port still has them: the next one has them. */
void block_return(void);

#endif
