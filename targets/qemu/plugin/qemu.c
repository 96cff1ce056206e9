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

static const struct symbol symbols[] = {
    SYMBOL("qemu_clock_get_ns", clock_get_ns),
    SYMBOL("timer_init_full", timer_init_full),
    SYMBOL("timer_mod_ns", timer_mod_ns),
    SYMBOL("object_resolve_path", object_resolve_path),
    SYMBOL("qdev_get_gpio_in", qdev_get_gpio_in),
    SYMBOL("qemu_set_irq", set_irq),
    SYMBOL("get_system_io", get_system_io),
    SYMBOL("memory_region_init_io", memory_region_init_io),
    SYMBOL("memory_region_size", memory_region_size),
    SYMBOL("memory_region_add_subregion_overlap", memory_region_add_subregion_overlap),
    SYMBOL("qemu_mutex_iothread_locked", mutex_iothread_locked),
    SYMBOL("qemu_mutex_lock_iothread_impl", mutex_lock_iothread),
    SYMBOL("qemu_mutex_unlock_iothread", mutex_unlock_iothread),
    SYMBOL("qemu_plugin_register_vcpu_tb_trans_cb", register_translation),
};

bool qemu_bind(const struct qemu_info *info)
{
    if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
        fault_say("made for qemu-system-x86_64, not for %s", info->target_name);
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(RTLD_DEFAULT, symbols[i].name);
        if (found == NULL) {
            fault_say("this QEMU does not export %s; install Debian 12's qemu-system-x86 (7.2)",
                      symbols[i].name);
            return false;
        }
        memcpy((unsigned char *)&qemu + symbols[i].place, &found, sizeof found);
    }
    return true;
}
