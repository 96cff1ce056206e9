/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the plugin uses of QEMU 7.2 beyond the plugin interface, declared by hand: Debian's binary
 * exports these functions, but no package has their headers. The layouts are those of 7.2 on a
 * 64-bit host; qemu_bind checks what can be checked. */
#ifndef RIG_QEMU_H
#define RIG_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QEMU_CLOCK_VIRTUAL = 1,
    QEMU_SCALE_NS = 1,
    QEMU_PLUGIN_NO_REGISTERS = 0,
    QEMU_TIMER_BYTES = 256, /* more than sizeof(QEMUTimer), 48 */
    QEMU_REGION_BYTES = 4096, /* more than sizeof(MemoryRegion), 272 */
};

struct qemu_timer {
    _Alignas(16) unsigned char bytes[QEMU_TIMER_BYTES];
};

struct qemu_region {
    _Alignas(16) unsigned char bytes[QEMU_REGION_BYTES];
};

/* MemoryRegionOps */
struct qemu_region_ops {
    uint64_t (*read)(void *context, uint64_t address, unsigned size);
    void (*write)(void *context, uint64_t address, uint64_t value, unsigned size);
    void *read_with_attributes;
    void *write_with_attributes;
    int endianness;
    struct {
        unsigned min_access_size;
        unsigned max_access_size;
        bool unaligned;
        void *accepts;
    } valid;
    struct {
        unsigned min_access_size;
        unsigned max_access_size;
        bool unaligned;
    } impl;
};

/* The beginning of qemu_info_t, interface version 1. */
struct qemu_info {
    const char *target_name;
    struct {
        int min;
        int cur;
    } version;
    bool system_emulation;
    struct {
        int processors;
        int processors_max;
    } system; /* if it is that */
};

struct qemu {
    int64_t (*clock_get_ns)(int clock);
    void (*timer_init_full)(struct qemu_timer *timer, void *group, int clock, int scale,
                            int attributes, void (*callback)(void *context), void *context);
    void (*timer_mod_ns)(struct qemu_timer *timer, int64_t expire_ns);
    void *(*qdev_get_gpio_in)(void *device, int line);
    void (*set_irq)(void *line, int level);
    bool (*mutex_iothread_locked)(void);
    void (*mutex_lock_iothread)(const char *file, int line);
    void (*mutex_unlock_iothread)(void);
    void (*register_translation)(uint64_t id, void (*callback)(uint64_t id, void *block));
    size_t (*block_instructions)(const void *block);
    void *(*block_instruction)(const void *block, size_t number);
    const void *(*instruction_data)(const void *instruction);
    size_t (*instruction_size)(const void *instruction);
    void (*register_execution)(void *instruction, void (*callback)(unsigned cpu, void *context),
                               int flags, void *context);
    void (*register_block_execution)(void *block, void (*callback)(unsigned cpu, void *context),
                                     int flags, void *context);
    void *(*get_cpu)(int number);
    void (*cpu_exit)(void *cpu);
    void (*icount_update)(void *cpu);

    /* With an x86_64 guest only: */
    void *(*object_resolve_path)(const char *path, bool *ambiguous);
    void *(*get_system_io)(void);
    void (*memory_region_init_io)(struct qemu_region *region, void *owner,
                                  const struct qemu_region_ops *ops, void *context,
                                  const char *name, uint64_t size);
    uint64_t (*memory_region_size)(struct qemu_region *region);
    void (*memory_region_add_subregion_overlap)(void *parent, uint64_t address,
                                                struct qemu_region *region, int priority);

    /* With an aarch64 guest only: */
    void *(*object_resolve_path_type)(const char *path, const char *type, bool *ambiguous);
    void **(*allocate_irqs)(void (*handler)(void *context, int line, int level), void *context,
                            int count);
    void (*qdev_connect_gpio_out)(void *device, int line, void *input);
};

extern struct qemu qemu;

enum qemu_guest { QEMU_GUEST_NONE, QEMU_GUEST_X86_64, QEMU_GUEST_AARCH64 };

/* Finds all that this guest needs in the running program and returns which guest it is. Returns
 * QEMU_GUEST_NONE after saying what is missing. */
enum qemu_guest qemu_bind(const struct qemu_info *info);

#endif
