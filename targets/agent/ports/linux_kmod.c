/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel module latency_rig: its handlers and threads answer and log, this port arms it and
 * fetches the log. For interrupt_dispatch the interrupted task is one of the agent's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../module/latency_rig.h"
#include "../counters/counter.h"
#include "linux_environment.h"
#include "linux_parport.h"
#include "ports.h"
#include "system.h"

_Static_assert(sizeof(struct lrig_record) == LOG_RECORD_SIZE, "one record, two names");

static int device = -1;
static bool falling, level;
static struct lrig_info info;
static const volatile struct lrig_state *state;
static uint64_t seen;

static bool attach(const struct arm_options *options, struct text *why)
{
    (void)options;
    (void)why;
    return true;
}

static void detach(void)
{
}

static bool of_serial(void)
{
    return info.flags & LRIG_INFO_SERIAL;
}

static bool of_parport(void)
{
    return !(info.flags & (LRIG_INFO_GPIO | LRIG_INFO_SERIAL));
}

/* While nothing is armed the module has let go of the port, and ppdev writes the same pins. */
static bool take_pins(const struct arm_options *options, struct text *why)
{
    if (!of_parport()) {
        text_say(why, "the kernel module has no parallel port's pins, and pulses none by itself: "
                      "start the agent with --port ");
        text_add(why, of_serial() ? "serial for it, after setserial /dev/ttySN uart 16550A"
                                  : "gpio for it");
        return false;
    }
    const struct port_settings usual = {.level = level};
    if (!parport_open(&usual, why))
        return false;
    if (parport_attach(options, why))
        return true;
    parport_close();
    return false;
}

/* --- arm ---------------------------------------------------------------------------------------- */

static uint32_t mode_of(const struct arm_options *options)
{
    static const uint32_t handlers[] = {[HANDLER_PARPORT] = LRIG_MODE_PARPORT,
                                        [HANDLER_HARD] = LRIG_MODE_HARD,
                                        [HANDLER_DEFAULT] = LRIG_MODE_DEFAULT};
    static const uint32_t second_levels[] = {[SECOND_LEVEL_THREAD] = LRIG_MODE_THREAD,
                                             [SECOND_LEVEL_WORKQUEUE] = LRIG_MODE_WORKQUEUE,
                                             [SECOND_LEVEL_TASKLET] = LRIG_MODE_TASKLET};
    if (options->measurement == MEASURE_PERIOD)
        return LRIG_MODE_PERIOD;
    if (options->measurement == MEASURE_INTERRUPT_TO_TASK)
        return second_levels[options->second_level];
    /* Only a parallel port has a driver whose handler could be joined. */
    if (!of_parport() && !(options->given & GIVEN_HANDLER))
        return LRIG_MODE_DEFAULT;
    return handlers[options->handler];
}

/* Tasks in the kernel are woken by the parallel port's driver unless an own handler is asked for. */
static uint32_t flags_of(const struct arm_options *options)
{
    uint32_t flags = 0;
    if (options->measurement == MEASURE_INTERRUPT_DISPATCH)
        flags |= LRIG_ARM_DISPATCH;
    if (options->measurement == MEASURE_INTERRUPT_TO_TASK && options->handler == HANDLER_PARPORT &&
        of_parport())
        flags |= LRIG_ARM_VIA_PARPORT;
    bool low = of_parport() ? falling : options->edge == EDGE_FALLING;
    if (!of_parport() && options->measurement != MEASURE_PERIOD)
        flags |= low ? LRIG_ARM_FALLING : LRIG_ARM_RISING;
    if (options->stream)
        flags |= LRIG_ARM_STREAM;
    if (options->self_trigger)
        flags |= LRIG_ARM_SELF_TRIGGER | (low ? LRIG_ARM_TRIGGER_LOW : 0);
    return flags;
}

static const char *flaw_of(const struct arm_options *options)
{
    if (options->given & (GIVEN_RESPONSE_PIN | GIVEN_SEQUENCE_PINS))
        return of_parport()  ? "port kmod answers on D0 and the sequence on D1 and up; wire it so and "
                               "leave out response_pin and sequence_pins"
               : of_serial() ? "port kmod answers on RTS and the sequence on DTR; wire it so and "
                               "leave out response_pin and sequence_pins"
                             : "port kmod answers on the lines that the module was loaded with: "
                               "leave out response_pin and sequence_pins";
    if (!of_parport() && options->given & GIVEN_HANDLER && options->handler == HANDLER_PARPORT)
        return "handler must be hard or default: the kernel module has no parallel port's pins";
    if (of_serial() && options->sequence_bits + options->self_trigger +
                               (options->measurement == MEASURE_INTERRUPT_DISPATCH) > 1)
        return "a serial port has one output beside the response: DTR is the sequence's one bit, "
               "the trigger or the task's pin";
    if (options->measurement == MEASURE_PERIOD && options->given & GIVEN_TIMER)
        return "port kmod's periods are of a kernel thread and its own timer: leave out timer, or "
               "start the agent with --port ppdev or ioport";
    if (options->measurement == MEASURE_PERIOD && options->policy != POLICY_FIFO)
        return "port kmod's periods are of a kernel thread of policy fifo: leave out policy, or start "
               "the agent with --port ppdev or ioport";
    if (of_parport() && options->self_trigger && options->trigger_pin != PIN_NONE &&
        options->trigger_pin != 6)
        return "port kmod triggers on D6; wire it so and leave out trigger_pin";
    if (of_parport() && options->measurement != MEASURE_PERIOD &&
        (options->edge == EDGE_FALLING) != falling)
        return falling ? "edge must be falling, as --edge falling says of this port"
                       : "edge must be rising: a parallel port interrupts on the rising edge of "
                         "nACK; if this one does not, start the agent with --edge falling";
    if (options->measurement == MEASURE_INTERRUPT_DISPATCH && options->cpu < 0)
        return "interrupt_dispatch needs cpu, the one that takes the interrupt";
    if (options->count && options->measurement != MEASURE_PERIOD && !options->self_trigger)
        return "port kmod counts periods and triggers, not interrupts: leave out count";
    if (options->measurement == MEASURE_INTERRUPT_DISPATCH && options->sequence_bits > 6)
        return "sequence_bits must be 0 to 6 with interrupt_dispatch: D7 is the task's pin";
    if (options->self_trigger && options->sequence_bits > 5)
        return "sequence_bits must be 0 to 5 with self_trigger: D6 is the trigger";
    if (options->capacity > LRIG_MAX_CAPACITY)
        return "capacity is over the kernel module's limit of 16777216 records";
    return NULL;
}

static bool check(const struct arm_options *options, struct text *why)
{
    const char *flaw = flaw_of(options);
    if (flaw)
        text_say(why, flaw);
    return !flaw;
}

static bool refuse_arm(struct text *why, int error)
{
    system_refuse(why, "kernel module", error);
    bool absent = error == ENODEV || error == ENXIO;
    if (of_serial() && error == EBUSY)
        text_add(why, "; the serial port's driver has it: setserial /dev/ttySN uart none");
    else if (!of_parport() && error == EBUSY)
        text_add(why, "; another program or driver has the line");
    else if (error == EBUSY)
        text_add(why, "; port or interrupt is held by another driver: handler=parport needs "
                      "parport_pc, hard and default need it unloaded or with irq=none");
    if (of_serial() && absent)
        text_add(why, "; there is no serial port at the address that the module was loaded with");
    else if (of_serial() && error == EOPNOTSUPP)
        text_add(why, "; RI tells of rising edges alone, and not every interrupt goes to every cpu");
    else if (!of_parport() && absent)
        text_add(why, "; there is no GPIO chip of that label, or the module was loaded without a "
                      "line that this needs (interrupt=, sequence=, trigger=, task=)");
    else if (absent)
        text_add(why, "; there is no parallel port, or it has no interrupt");
    return false;
}

static bool map_state(struct text *why)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, device, 0);
    if (page == MAP_FAILED)
        return system_refuse(why, "kernel module", errno);
    state = page;
    seen = 0;
    return true;
}

static void unmap_state(void)
{
    if (state)
        munmap((void *)(uintptr_t)state, (size_t)sysconf(_SC_PAGESIZE));
    state = NULL;
}

static bool arm(const struct arm_options *options, struct text *why)
{
    if (!check(options, why))
        return false;
    bool threaded = options->measurement == MEASURE_PERIOD ||
                    (options->measurement == MEASURE_INTERRUPT_TO_TASK &&
                     options->second_level == SECOND_LEVEL_THREAD);
    bool period = options->measurement == MEASURE_PERIOD;
    struct lrig_arm request = {
        .capacity = options->capacity,
        .period_ns = period ? options->period_ns : 0,
        .count = period ? options->count : 0,
        .mode = mode_of(options),
        .sequence_bits = options->sequence_bits,
        .flags = flags_of(options),
        .priority = threaded ? options->priority : 0,
        .cpu = options->cpu,
    };
    if (threaded && options->priority == 0) {
        text_say(why, "the kernel module's threads are real-time: priority must be 1 to 99");
        return false;
    }
    if (ioctl(device, LRIG_ARM, &request) != 0)
        return refuse_arm(why, errno);
    if (options->measurement != MEASURE_INTERRUPT_DISPATCH || map_state(why))
        return true;
    struct lrig_summary ignored;
    ioctl(device, LRIG_STOP, &ignored);
    return false;
}

static bool stop(struct recorder_summary *summary, struct text *why)
{
    struct lrig_summary end;
    unmap_state();
    if (ioctl(device, LRIG_STOP, &end) != 0)
        return system_refuse(why, "kernel module", errno);
    *summary = (struct recorder_summary){
        .handled = end.handled,
        .records = end.records,
        .dropped = end.dropped,
        .throttled = end.flags >> LRIG_SUMMARY_CLOSINGS_SHIFT,
    };
    return true;
}

static bool read_records(uint64_t first, uint32_t count, struct log_record *records)
{
    while (count) { /* more than once where the ring begins anew */
        size_t size = (size_t)count * LOG_RECORD_SIZE;
        ssize_t done = pread(device, records, size, (off_t)(first * LOG_RECORD_SIZE));
        if (done < LOG_RECORD_SIZE)
            return false;
        uint32_t got = (uint32_t)((size_t)done / LOG_RECORD_SIZE);
        first += got;
        records += got;
        count -= got;
    }
    return true;
}

static uint64_t release(uint64_t first)
{
    struct lrig_progress progress = {.released = first};
    return ioctl(device, LRIG_PROGRESS, &progress) == 0 ? progress.records : 0;
}

/* --- while armed -------------------------------------------------------------------------------- */

static void trigger(void)
{
    ioctl(device, LRIG_TRIGGER);
}

/*
 * The count goes first: read after the tick, it could be of an interrupt that came in between. An
 * answer is refused if the next interrupt has come already; the next look finds that one.
 */
static void look(void)
{
    struct lrig_answer answer = {.handled = state->handled};
    if (answer.handled == seen)
        return;
    answer.continued_ticks = counter_before();
    seen = answer.handled;
    while (ioctl(device, LRIG_ANSWER, &answer) != 0 && errno == EINTR)
        ;
}

/* --- open --------------------------------------------------------------------------------------- */

static const struct port_recorder recorder_all = {
    .measurements = 1u << MEASURE_INTERRUPT | 1u << MEASURE_INTERRUPT_TO_TASK |
                    1u << MEASURE_INTERRUPT_DISPATCH | 1u << MEASURE_PERIOD,
    .capacity_max = LRIG_MAX_CAPACITY,
    .check = check,
    .arm = arm,
    .stop = stop,
    .read = read_records,
    .release = release,
    .trigger = trigger,
    .look = look,
};

static int32_t interrupt_number(void)
{
    return (int32_t)info.irq;
}

static void close_device(void)
{
    unmap_state();
    if (device >= 0)
        close(device);
    device = -1;
}

static bool refuse_open(const char *path, int error, struct text *why)
{
    system_refuse(why, path, error);
    if (error == ENOENT)
        text_add(why, "; load the kernel module latency_rig");
    if (error == EACCES)
        text_add(why, "; run as root, or add the user to the group of the device");
    if (error == EBUSY)
        text_add(why, "; another agent has it");
    return false;
}

/* What the agent counts by, in the module's words: one log must not mix two counters. */
static uint32_t own_counter(void)
{
#if defined __x86_64__ || defined __i386__
    return counter_is_clock ? LRIG_COUNTER_MONOTONIC_RAW : LRIG_COUNTER_TSC;
#else
    return counter_is_clock ? LRIG_COUNTER_MONOTONIC_RAW : 0;
#endif
}

static bool open_device(const struct port_settings *settings, struct port *port, struct text *why)
{
    const char *path = settings->device ? settings->device : LRIG_DEVICE;
    falling = settings->falling;
    level = settings->level;
    *port = (struct port){
        .name = "kmod",
        .sequence_bits = LRIG_MAX_SEQUENCE_BITS,
        .attach = attach,
        .detach = detach,
        .take_pins = take_pins,
        .give_pins = parport_close,
        .interrupt_number = interrupt_number,
        .write_pins = ppdev_write_pins,
        .read_pins = ppdev_read_pins,
        .environment = linux_environment,
        .recorder = &recorder_all,
        SYSTEM_MEMBERS,
    };
    device = open(path, O_RDWR | O_CLOEXEC);
    if (device < 0)
        return refuse_open(path, errno, why);
    if (ioctl(device, LRIG_INFO, &info) != 0) {
        int error = errno;
        close_device();
        return refuse_open(path, error, why);
    }
    if (info.version == LRIG_VERSION && info.counter == own_counter())
        return true;
    close_device();
    text_say(why, info.version != LRIG_VERSION
                      ? "the kernel module is of another version; load the one that came with this "
                        "agent"
                      : info.counter == LRIG_COUNTER_MONOTONIC_RAW
                            ? "the kernel module counts by the clock; give --counter monotonic_raw"
                            : "the kernel module counts by the processor's counter; leave out "
                              "--counter");
    return false;
}

const struct port_entry kmod_entry = {
    "kmod", "kernel module latency_rig: handlers and tasks in the kernel", open_device,
    close_device};
