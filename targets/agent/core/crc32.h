/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32 as zlib computes it (ISO 3309, reflected polynomial 0xEDB88320). */
#ifndef CORE_CRC32_H
#define CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continue a CRC; the first call takes 0. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t count);

#endif
