/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What decides the latencies of a Linux system, as far as this process may read it. */
#ifndef PORTS_LINUX_ENVIRONMENT_H
#define PORTS_LINUX_ENVIRONMENT_H

#include "../core/json.h"

/* Keep the processor out of deep sleep while the agent runs. */
void linux_hold_dma_latency(int32_t latency_us);

void linux_environment(struct json *json);

#endif
