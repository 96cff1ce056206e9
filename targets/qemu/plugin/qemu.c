/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "qemu.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "fault.h"

struct qemu qemu;

struct symbol {
    const char *name;
    size_t place;
};

#define SYMBOL(name, member) {name, offsetof(struct qemu, member)}

static const struct symbol common_symbols[] = {
    SYMBOL("qemu_clock_get_ns", clock_get_ns),
    SYMBOL("timer_init_full", timer_init_full),
    SYMBOL("timer_mod_ns", timer_mod_ns),
    SYMBOL("qdev_get_gpio_in", qdev_get_gpio_in),
    SYMBOL("qemu_set_irq", set_irq),
    SYMBOL("qemu_mutex_iothread_locked", mutex_iothread_locked),
    SYMBOL("qemu_mutex_lock_iothread_impl", mutex_lock_iothread),
    SYMBOL("qemu_mutex_unlock_iothread", mutex_unlock_iothread),
    SYMBOL("qemu_plugin_register_vcpu_tb_trans_cb", register_translation),
    SYMBOL("qemu_plugin_tb_n_insns", block_instructions),
    SYMBOL("qemu_plugin_tb_get_insn", block_instruction),
    SYMBOL("qemu_plugin_insn_data", instruction_data),
    SYMBOL("qemu_plugin_insn_size", instruction_size),
    SYMBOL("qemu_plugin_register_vcpu_insn_exec_cb", register_execution),
    SYMBOL("qemu_plugin_register_vcpu_tb_exec_cb", register_block_execution),
    SYMBOL("qemu_get_cpu", get_cpu),
    SYMBOL("cpu_exit", cpu_exit),
    SYMBOL("icount_update", icount_update),
    {NULL, 0},
};

static const struct symbol x86_64_symbols[] = {
    SYMBOL("object_resolve_path", object_resolve_path),
    SYMBOL("get_system_io", get_system_io),
    SYMBOL("memory_region_init_io", memory_region_init_io),
    SYMBOL("memory_region_size", memory_region_size),
    SYMBOL("memory_region_add_subregion_overlap", memory_region_add_subregion_overlap),
    {NULL, 0},
};

static const struct symbol aarch64_symbols[] = {
    SYMBOL("object_resolve_path_type", object_resolve_path_type),
    SYMBOL("qemu_allocate_irqs", allocate_irqs),
    SYMBOL("qdev_connect_gpio_out", qdev_connect_gpio_out),
    {NULL, 0},
};

static const struct {
    enum qemu_guest guest;
    const char *target_name;
    const char *package;
    const struct symbol *symbols;
} guests[] = {
    {QEMU_GUEST_X86_64, "x86_64", "qemu-system-x86", x86_64_symbols},
    {QEMU_GUEST_AARCH64, "aarch64", "qemu-system-arm", aarch64_symbols},
};

static bool qemu_find(const struct symbol *symbol, const char *package)
{
    for (; symbol->name != NULL; symbol++) {
        void *found = dlsym(RTLD_DEFAULT, symbol->name);
        if (found == NULL) {
            fault_say("this QEMU does not export %s; install Debian 12's %s (7.2)", symbol->name,
                      package);
            return false;
        }
        memcpy((unsigned char *)&qemu + symbol->place, &found, sizeof found);
    }
    return true;
}

enum qemu_guest qemu_bind(const struct qemu_info *info)
{
    for (size_t i = 0; i < sizeof guests / sizeof guests[0]; i++) {
        if (!info->system_emulation || strcmp(info->target_name, guests[i].target_name) != 0)
            continue;
        if (!qemu_find(common_symbols, guests[i].package) ||
            !qemu_find(guests[i].symbols, guests[i].package))
            return QEMU_GUEST_NONE;
        return guests[i].guest;
    }
    fault_say("made for qemu-system-x86_64 and qemu-system-aarch64, not for %s", info->target_name);
    return QEMU_GUEST_NONE;
}
