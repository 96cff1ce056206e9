/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frequency.h"

#include <string.h>

#define CPU_MAX 4095u
#define NOT_GIVEN UINT64_MAX
#define NEEDS "FREQUENCY needs STATE cpu=N, HOLD cpu=N khz=F, or RELEASE"

struct wanted {
    uint64_t cpu, khz;
};

static bool refuse(struct text *why, const char *what)
{
    text_say(why, what);
    return false;
}

static bool take_number(const char *word, size_t size, const char *name, uint64_t *number)
{
    size_t length = strlen(name);
    return *number == NOT_GIVEN && size > length && strncmp(word, name, length) == 0 &&
           parse_u64(word + length, size - length, number);
}

/* Words name=value, each once and no others. */
static bool parse(const char *words, struct wanted *wanted)
{
    *wanted = (struct wanted){NOT_GIVEN, NOT_GIVEN};
    while (*(words += strspn(words, " "))) {
        size_t size = strcspn(words, " ");
        if (!take_number(words, size, "cpu=", &wanted->cpu) &&
            !take_number(words, size, "khz=", &wanted->khz))
            return false;
        words += size;
    }
    return true;
}

static void add_list(struct text *rest, const char *name, const char *value)
{
    if (*value)
        text_add_word(rest, name, value);
}

static bool add_state(const struct port_frequency *frequency, uint32_t cpu, struct text *rest)
{
    struct frequency_state state = {.governor = "", .governors = "", .steps_khz = ""};
    if (!frequency->look(cpu, &state, rest))
        return false;
    text_add_field(rest, "cpu", cpu);
    text_add_field(rest, "minimum_khz", state.minimum_khz);
    text_add_field(rest, "maximum_khz", state.maximum_khz);
    text_add_field(rest, "held_khz", state.held_khz);
    if (state.current_khz)
        text_add_field(rest, "current_khz", state.current_khz);
    add_list(rest, "governor", state.governor);
    add_list(rest, "governors", state.governors);
    add_list(rest, "steps_khz", state.steps_khz);
    return true;
}

/* What follows a verb; NULL if it is another one. */
static const char *after(const char *words, const char *verb)
{
    size_t size = strlen(verb);
    return strncmp(words, verb, size) == 0 && (!words[size] || words[size] == ' ') ? words + size
                                                                                   : NULL;
}

bool frequency_answer(const struct port *port, const char *words, struct text *rest)
{
    const struct port_frequency *frequency = port->frequency;
    const char *state = after(words, "STATE"), *hold = after(words, "HOLD");
    struct wanted wanted;
    if (!frequency)
        return refuse(rest, "this system's agent cannot change a processor's frequency");
    if (strcmp(words, "RELEASE") == 0)
        return frequency->release(rest);
    if ((!state && !hold) || !parse(state ? state : hold, &wanted) ||
        (wanted.khz == NOT_GIVEN) != !hold)
        return refuse(rest, NEEDS);
    if (wanted.cpu > CPU_MAX)
        return refuse(rest, NEEDS "; cpu is from 0 to 4095");
    uint32_t cpu = (uint32_t)wanted.cpu;
    return (!hold || frequency->hold(cpu, wanted.khz, rest)) && add_state(frequency, cpu, rest);
}

void frequency_release(const struct port *port)
{
    char buffer[8];
    struct text ignored;
    text_begin(&ignored, buffer, sizeof buffer);
    if (port->frequency)
        port->frequency->release(&ignored);
}

void frequency_watch(const struct port *port, int32_t cpu)
{
    if (port->frequency && port->frequency->watch)
        port->frequency->watch(cpu);
}

bool frequency_watched(const struct port *port, struct frequency_course *course)
{
    return port->frequency && port->frequency->watched && port->frequency->watched(course);
}

void frequency_add(const struct frequency_course *course, struct text *rest)
{
    text_add_field(rest, "frequency_cpu", course->cpu);
    text_add_field(rest, "frequency_first_khz", course->first_khz);
    text_add_field(rest, "frequency_last_khz", course->last_khz);
    if (course->changes != UINT64_MAX)
        text_add_field(rest, "frequency_changes", course->changes);
}
