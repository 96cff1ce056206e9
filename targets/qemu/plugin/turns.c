/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "turns.h"

#include <stddef.h>
#include <stdint.h>

#include "qemu.h"

enum { TURN_INSTRUCTIONS = 250 }; /* 1 us */

static struct {
    unsigned processor;
    intptr_t left;
} turn = {.left = TURN_INSTRUCTIONS};

/* QEMU leaves the processor before its next block, and takes the next processor. */
static void turns_account(unsigned processor, void *instructions)
{
    if (processor != turn.processor) {
        turn.processor = processor;
        turn.left = TURN_INSTRUCTIONS;
    }
    turn.left -= (intptr_t)instructions;
    if (turn.left > 0)
        return;
    turn.left = TURN_INSTRUCTIONS;
    qemu.cpu_exit(qemu.get_cpu((int)processor));
}

void turns_restart(void)
{
    turn.left = TURN_INSTRUCTIONS;
}

void turns_watch(void *block)
{
    const intptr_t count = (intptr_t)qemu.block_instructions(block);

    qemu.register_block_execution(block, turns_account, QEMU_PLUGIN_NO_REGISTERS, (void *)count);
}
