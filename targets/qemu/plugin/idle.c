/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "idle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "qemu.h"
#include "turns.h"

struct opcode {
    size_t size;
    uint8_t bytes[4];
};

/* One guest's opcode in the midst of another's code would only cost time. */
static const struct opcode opcodes[] = {
    {1, {0xF4}},                   /* x86: hlt */
    {3, {0x0F, 0x01, 0xC9}},       /* x86: mwait */
    {4, {0x7F, 0x20, 0x03, 0xD5}}, /* arm64: wfi */
};

static bool idle_halts(const void *instruction)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        if (qemu.instruction_size(instruction) == opcodes[i].size &&
            memcmp(qemu.instruction_data(instruction), opcodes[i].bytes, opcodes[i].size) == 0)
            return true;
    return false;
}

/* Runs on the processor's thread, whose instructions are counted when their block begins; the one
 * that halts is the last of its block. */
static void idle_account(unsigned processor, void *context)
{
    (void)context;
    qemu.icount_update(qemu.get_cpu((int)processor));
    turns_restart();
}

void idle_watch(void *block)
{
    const size_t count = qemu.block_instructions(block);
    void *last = count > 0 ? qemu.block_instruction(block, count - 1) : NULL;

    if (last != NULL && idle_halts(last))
        qemu.register_execution(last, idle_account, QEMU_PLUGIN_NO_REGISTERS, NULL);
}
