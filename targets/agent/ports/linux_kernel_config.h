/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PORTS_LINUX_KERNEL_CONFIG_H
#define PORTS_LINUX_KERNEL_CONFIG_H

#include "../core/json.h"

/* The options of the running kernel that latencies may depend on, and the CRC of all of them. */
void linux_kernel_config(struct json *json);

#endif
