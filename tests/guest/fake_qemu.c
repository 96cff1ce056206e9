/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for qemu-system-x86_64: loads the plugin, exports what it uses of QEMU, and runs a guest
 * that is a script. Options as QEMU's; only -plugin and --version are looked at.
 *
 * FAKE_SCRIPT: actions separated by ';', each "TIME_NS w REGISTER VALUE" (a port write),
 * "TIME_NS r COUNT" (as many writes to the pins) or "TIME_NS p TEXT" (a line on the console), in
 * order of time.
 * FAKE_BLOCK: bytes of the only instruction of a block that is translated and run before.
 * FAKE_PROCESSORS: how many there are; with several the first executes that block 600 times.
 * FAKE_LOG: a file that gets a line "TIME_NS LEVEL" for each change of the interrupt line, and
 * "accounted" where executed instructions are put into the clock, "left N" where the processor is
 * left after so many blocks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION "7.2.22"
#endif

struct region_ops {
    uint64_t (*read)(void *context, uint64_t address, unsigned size);
    void (*write)(void *context, uint64_t address, uint64_t value, unsigned size);
};

static int64_t now_ns;
static int64_t expire_ns = INT64_MAX;
static void (*timer_callback)(void *);
static void *timer_context;
static const struct region_ops *region_ops;
static void *region_context;
static uint64_t region_size;
static void (*translated)(uint64_t, void *);
static FILE *irq_log;
static int locked;
static int blocks;

int64_t qemu_clock_get_ns(int clock)
{
    return clock == 1 ? now_ns : -1;
}

void timer_init_full(void *timer, void *group, int clock, int scale, int attributes,
                     void (*callback)(void *), void *context)
{
    (void)timer, (void)group, (void)attributes;
    if (clock != 1 || scale != 1)
        abort();
    timer_callback = callback;
    timer_context = context;
}

void timer_mod_ns(void *timer, int64_t at_ns)
{
    (void)timer;
    expire_ns = at_ns;
}

void *object_resolve_path(const char *path, bool *ambiguous)
{
    (void)ambiguous;
    return strcmp(path, "/machine/i440fx/ioapic") == 0 ? &now_ns : NULL;
}

void *qdev_get_gpio_in(void *device, int line)
{
    return device == &now_ns && line == 7 ? &region_size : NULL;
}

#ifndef FAKE_WITHOUT_SET_IRQ
void qemu_set_irq(void *line, int level)
{
    if (line != &region_size || !locked)
        abort();
    fprintf(irq_log, "%lld %d\n", (long long)now_ns, level);
    fflush(irq_log);
}
#endif

void *get_system_io(void)
{
    return &region_ops;
}

void memory_region_init_io(void *region, void *owner, const struct region_ops *ops, void *context,
                           const char *name, uint64_t size)
{
    (void)region, (void)owner, (void)name;
    region_ops = ops;
    region_context = context;
    region_size = size;
}

uint64_t memory_region_size(void *region)
{
    (void)region;
    return region_size;
}

void memory_region_add_subregion_overlap(void *parent, uint64_t address, void *region, int priority)
{
    (void)region;
    if (parent != &region_ops || address != 0x378 || priority <= 0)
        abort();
}

bool qemu_mutex_iothread_locked(void)
{
    return locked;
}

void qemu_mutex_lock_iothread_impl(const char *file, int line)
{
    (void)file, (void)line;
    locked++;
}

void qemu_mutex_unlock_iothread(void)
{
    locked--;
}

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*callback)(uint64_t, void *))
{
    (void)id;
    translated = callback;
}

/* What is translated: a block that ends with the instruction at `block`. */
size_t qemu_plugin_tb_n_insns(const void *block)
{
    return block != NULL;
}

void *qemu_plugin_tb_get_insn(void *block, size_t number)
{
    return number == 0 ? block : NULL;
}

const void *qemu_plugin_insn_data(const void *instruction)
{
    return instruction;
}

size_t qemu_plugin_insn_size(const void *instruction)
{
    return strlen(instruction);
}

void qemu_plugin_register_vcpu_insn_exec_cb(void *instruction, void (*callback)(unsigned, void *),
                                            int flags, void *context)
{
    (void)instruction, (void)flags;
    callback(0, context);
}

void qemu_plugin_register_vcpu_tb_exec_cb(void *block, void (*callback)(unsigned, void *), int flags,
                                          void *context)
{
    (void)flags;
    for (blocks = 1; block != NULL && blocks <= 600; blocks++)
        callback(0, context);
}

void cpu_exit(void *cpu)
{
    if (cpu != &now_ns)
        abort();
    fprintf(irq_log, "left %d\n", blocks);
    fflush(irq_log);
}

void *qemu_get_cpu(int number)
{
    return number == 0 ? &now_ns : NULL;
}

void icount_update(void *cpu)
{
    if (cpu != &now_ns)
        abort();
    fprintf(irq_log, "accounted\n");
    fflush(irq_log);
}

static bool load(const char *option)
{
    struct {
        const char *target_name;
        int min, cur;
        bool system_emulation;
        int processors, processors_max;
    } info = {"x86_64", 0, 1, true, 1, 1};
    char *text = strdup(option);
    char *file = strtok(text, ",");
    char *arguments[4];
    int n_arguments = 0;
    void *plugin = dlopen(file + strlen("file="), RTLD_NOW);
    int (*install)(uint64_t, void *, int, char **);

    if (getenv("FAKE_PROCESSORS"))
        info.processors = atoi(getenv("FAKE_PROCESSORS"));
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    while (n_arguments < 4 && (arguments[n_arguments] = strtok(NULL, ",")) != NULL)
        n_arguments++;
    *(void **)&install = dlsym(plugin, "qemu_plugin_install");
    return install(1, &info, n_arguments, arguments) == 0;
}

static void act(char *action)
{
    char kind;
    int used = 0;
    unsigned place, value;
    long long at;

    if (sscanf(action, "%lld %c %n", &at, &kind, &used) < 2)
        abort();
    while (expire_ns <= at) { /* whoever is due first; the lock is held, as in QEMU */
        now_ns = expire_ns;
        expire_ns = INT64_MAX;
        timer_callback(timer_context);
    }
    now_ns = at;
    if (kind == 'p')
        printf("%s\n", action + used), fflush(stdout);
    else if (kind == 'w' && sscanf(action + used, "%u %u", &place, &value) == 2)
        region_ops->write(region_context, place, value, 1);
    else if (kind == 'r' && sscanf(action + used, "%u", &value) == 1)
        while (value-- > 0)
            region_ops->write(region_context, 0, value & 1, 1);
}

int main(int argc, char **argv)
{
    const char *plugin = NULL;
    char *script = strdup(getenv("FAKE_SCRIPT") ? getenv("FAKE_SCRIPT") : "");

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0)
            return printf("QEMU emulator version " FAKE_VERSION "\n") < 0;
        if (strcmp(argv[i], "-plugin") == 0)
            plugin = argv[i + 1];
    }
    irq_log = fopen(getenv("FAKE_LOG") ? getenv("FAKE_LOG") : "/dev/null", "w");
    if (plugin == NULL || !load(plugin))
        return 1;
    translated(1, NULL);
    if (getenv("FAKE_BLOCK"))
        translated(1, getenv("FAKE_BLOCK"));
    locked++;
    for (char *action = strtok(script, ";"); action != NULL; action = strtok(NULL, ";"))
        act(action);
    char never[] = "9223372036854775806 -"; /* until the bench ends it */
    act(never);
    return 0;
}
