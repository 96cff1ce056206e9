/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of a GPIO chip through the character device, version 2 of its interface (Linux 5.10): one
 * request for the interrupt line, one for all answering pins, which change in one call, and one for
 * the trigger. Pins are numbered by their offset on the chip.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../counters/counter.h"
#include "linux_environment.h"
#include "linux_interrupt.h"
#include "pin_list.h"
#include "ports.h"
#include "system.h"

#define DEVICE "/dev/gpiochip0"
#define CONSUMER "latency-rig"
#define SEQUENCE_BITS 7
#define EVENTS_AT_A_TIME 64
#define NS_PER_S UINT64_C(1000000000)

static int chip = -1, interrupt_line = -1, answer_lines = -1, trigger_line = -1;
static struct pin_list usual_pins;
static uint32_t last_event; /* the kernel numbers a line's events; a hole is its buffer run over */
static uint64_t newest_event_ns; /* the kernel's handler was entered, by CLOCK_MONOTONIC */
static uint64_t answer_mask;
static uint64_t answer_levels; /* outlive a measurement */
static bool flushes; /* each write is followed by a read, which waits until it has arrived */

static void close_line(int *line)
{
    if (*line >= 0)
        close(*line);
    *line = -1;
}

static void detach(void)
{
    close_line(&interrupt_line);
    close_line(&answer_lines);
    close_line(&trigger_line);
}

static bool request(struct gpio_v2_line_request *lines, const char *what, int *line,
                    struct text *why)
{
    strcpy(lines->consumer, CONSUMER);
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, lines) != 0) {
        int error = errno;
        system_refuse(why, what, error);
        if (error == EBUSY)
            text_add(why, "; another program or driver has the line");
        return false;
    }
    *line = lines->fd;
    return true;
}

static bool request_interrupt(const struct arm_options *options, struct text *why)
{
    struct gpio_v2_line_request lines = {.num_lines = 1, .event_buffer_size = 1024};
    lines.offsets[0] = options->interrupt_pin;
    lines.config.flags =
        GPIO_V2_LINE_FLAG_INPUT | (options->edge == EDGE_RISING ? GPIO_V2_LINE_FLAG_EDGE_RISING
                                                                : GPIO_V2_LINE_FLAG_EDGE_FALLING);
    last_event = 0;
    return request(&lines, "interrupt_pin", &interrupt_line, why);
}

static void set_initial(struct gpio_v2_line_request *lines, uint64_t levels)
{
    lines->config.num_attrs = 1;
    lines->config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    lines->config.attrs[0].attr.values = levels;
    lines->config.attrs[0].mask = (UINT64_C(1) << lines->num_lines) - 1;
}

static bool request_answers(const struct arm_options *options, struct text *why)
{
    struct gpio_v2_line_request lines = {.num_lines = 1u + options->sequence_bits};
    lines.offsets[0] = options->response_pin;
    for (unsigned i = 0; i < options->sequence_bits; i++)
        lines.offsets[i + 1] = options->sequence_pins[i];
    lines.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
    set_initial(&lines, answer_levels);
    answer_mask = (UINT64_C(1) << lines.num_lines) - 1;
    return request(&lines, "response_pin or sequence_pins", &answer_lines, why);
}

static bool request_trigger(const struct arm_options *options, struct text *why)
{
    struct gpio_v2_line_request lines = {.num_lines = 1};
    lines.offsets[0] = options->trigger_pin;
    lines.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
    /* Idle so that the pulse begins with the edge that interrupts. */
    if (options->edge == EDGE_FALLING)
        lines.config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
    set_initial(&lines, 0);
    return request(&lines, "trigger_pin", &trigger_line, why);
}

static const char *missing_pin(const struct arm_options *options)
{
    if (!(options->given & GIVEN_RESPONSE_PIN))
        return "port gpio needs response_pin, the offset of the line on the chip, here or in --pins";
    if (options->sequence_bits && !(options->given & GIVEN_SEQUENCE_PINS))
        return "port gpio needs a pin for each sequence bit: sequence_pins, the offsets of the lines "
               "on the chip, here or in --pins";
    if (options->measurement != MEASURE_PERIOD && options->interrupt_pin == PIN_NONE)
        return "port gpio needs interrupt_pin, the offset of the line on the chip, here or in --pins";
    if (options->self_trigger && options->trigger_pin == PIN_NONE)
        return "self_trigger needs trigger_pin, the offset of the line on the chip, here or in --pins";
    return NULL;
}

static bool attach(const struct arm_options *given, struct text *why)
{
    struct arm_options completed = *given;
    const struct arm_options *options = &completed;
    pin_list_complete(&usual_pins, &completed);
    const char *flaw = missing_pin(options);
    if (flaw) {
        text_say(why, flaw);
        return false;
    }
    if (request_answers(options, why) &&
        (!options->self_trigger || request_trigger(options, why)) &&
        (options->measurement == MEASURE_PERIOD || request_interrupt(options, why)))
        return true;
    detach();
    return false;
}

static enum port_event wait_interrupt(uint64_t *interrupts)
{
    struct gpio_v2_line_event events[EVENTS_AT_A_TIME];
    ssize_t size;
    while ((size = read(interrupt_line, events, sizeof events)) < (ssize_t)sizeof *events)
        if (size >= 0 || errno != EINTR || system_stopping())
            return system_interrupted(size < 0 ? errno : 0);
    const struct gpio_v2_line_event *newest = &events[(size_t)size / sizeof *events - 1];
    *interrupts = (uint32_t)(newest->line_seqno - last_event);
    last_event = newest->line_seqno;
    newest_event_ns = newest->timestamp_ns;
    return PORT_DUE;
}

static bool interrupt_age(uint64_t *ns, uint64_t *now_ticks)
{
    struct timespec now;
    *now_ticks = counter_before();
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return false;
    *ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec - newest_event_ns;
    return *ns <= NS_PER_S; /* unsigned: not of an event to come either */
}

static int32_t interrupt_number(void)
{
    return linux_interrupt_of(CONSUMER);
}

static void write_pins(uint32_t pins, struct ticks *around)
{
    struct gpio_v2_line_values values = {.bits = pins, .mask = answer_mask};
    around->before = counter_before();
    ioctl(answer_lines, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
    if (flushes)
        ioctl(answer_lines, GPIO_V2_LINE_GET_VALUES_IOCTL, &values);
    around->after = counter_after();
    answer_levels = pins;
}

static bool read_pins(struct ticks *around)
{
    struct gpio_v2_line_values values = {.mask = answer_mask};
    around->before = counter_before();
    bool good = ioctl(answer_lines, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) == 0;
    around->after = counter_after();
    return good;
}

static bool write_trigger(struct ticks *around)
{
    struct gpio_v2_line_values high = {.bits = 1, .mask = 1}, low = {.bits = 0, .mask = 1},
                               read_back = {.mask = 1};
    around->before = counter_before();
    ioctl(trigger_line, GPIO_V2_LINE_SET_VALUES_IOCTL, &high);
    if (flushes)
        ioctl(trigger_line, GPIO_V2_LINE_GET_VALUES_IOCTL, &read_back);
    around->after = counter_after();
    ioctl(trigger_line, GPIO_V2_LINE_SET_VALUES_IOCTL, &low);
    return false;
}

static void close_chip(void)
{
    detach();
    close_line(&chip);
}

static void environment(struct json *json)
{
    linux_environment(json);
    json_bool(json, "gpio_writes_read_back", flushes);
}

static bool open_chip(const struct port_settings *settings, struct port *port, struct text *why)
{
    const char *device = settings->device ? settings->device : DEVICE;
    *port = (struct port){
        .name = "gpio",
        .measurements = 1u << MEASURE_INTERRUPT_TO_TASK | 1u << MEASURE_PERIOD,
        .sequence_bits = SEQUENCE_BITS,
        .attach = attach,
        .detach = detach,
        .wait_interrupt = wait_interrupt,
        .interrupt_age = interrupt_age,
        .interrupt_number = interrupt_number,
        .write_pins = write_pins,
        .read_pins = read_pins,
        .write_trigger = write_trigger,
        .environment = environment,
        SYSTEM_MEMBERS,
    };
    if (!pin_list_parse(settings->pins, &usual_pins, why))
        return false;
    chip = open(device, O_RDWR | O_CLOEXEC);
    if (chip < 0) {
        int error = errno;
        system_refuse(why, device, error);
        if (error == EACCES)
            text_add(why, "; run as root, or add the user to the group of the device (gpio)");
        return false;
    }
    struct gpiochip_info info;
    if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) == 0) {
        flushes = settings->flush ? settings->flush[1] == 'n' : strstr(info.label, "rp1") != NULL;
        return true;
    }
    int error = errno;
    close_chip();
    system_refuse(why, device, error);
    text_add(why, "; is it a GPIO chip?");
    return false;
}

const struct port_entry gpio_entry = {"gpio", "lines of a GPIO chip, /dev/gpiochipN", open_chip,
                                      close_chip};
