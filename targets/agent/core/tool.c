/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tool.h"

#include <string.h>

#define NAME_MAX_BYTES 31u

struct word {
    const char *name;
    uint32_t minimum, maximum;
    void (*take)(struct tool_options *options, uint32_t value);
};

/* clang-format off */
static void take_duration(struct tool_options *o, uint32_t v) { o->duration_s = v; }
static void take_period(struct tool_options *o, uint32_t v) { o->period_us = v; }
static void take_priority(struct tool_options *o, uint32_t v) { o->priority = v; }
static void take_cpu(struct tool_options *o, uint32_t v) { o->cpu = (int32_t)v; }
static void take_all_cpus(struct tool_options *o, uint32_t v) { o->all_cpus = v; }
static void take_histogram(struct tool_options *o, uint32_t v) { o->histogram_us = v; }
static void take_window(struct tool_options *o, uint32_t v) { o->window_us = v; }
static void take_width(struct tool_options *o, uint32_t v) { o->width_us = v; }
static void take_threshold(struct tool_options *o, uint32_t v) { o->threshold_us = v; }

static const struct word words_known[] = {
    {"duration_s", 1, 86400, take_duration},
    {"period_us", 1, 100000000, take_period},
    {"priority", 0, 99, take_priority},
    {"cpu", 0, 4095, take_cpu},
    {"all_cpus", 0, 1, take_all_cpus},
    {"histogram_us", 1, 10000, take_histogram},
    {"window_us", 2, 100000000, take_window},
    {"width_us", 1, 99999999, take_width},
    {"threshold_us", 1, 10000000, take_threshold},
};
/* clang-format on */
#define WORDS (sizeof words_known / sizeof *words_known)

static bool say(struct text *rest, const char *why)
{
    text_say(rest, why);
    return false;
}

static bool refuse_word(const struct word *word, struct text *rest)
{
    if (!word) {
        text_say(rest, "TOOL START takes name");
        for (size_t i = 0; i < WORDS; i++) {
            text_add(rest, " ");
            text_add(rest, words_known[i].name);
        }
        return false;
    }
    text_say(rest, word->name);
    text_add(rest, " must be a number from ");
    text_add_u64(rest, word->minimum);
    text_add(rest, " to ");
    text_add_u64(rest, word->maximum);
    text_add(rest, ", given once");
    return false;
}

static bool take_word(struct tool_options *options, const char *text, size_t size, uint32_t *seen,
                      struct text *rest)
{
    const char *equals = memchr(text, '=', size);
    size_t name = equals ? (size_t)(equals - text) : size, i = 0;
    uint64_t value;
    while (i < WORDS && !(strlen(words_known[i].name) == name &&
                          memcmp(words_known[i].name, text, name) == 0))
        i++;
    if (i == WORDS || !equals)
        return refuse_word(NULL, rest);
    if (!parse_u64(equals + 1, size - name - 1, &value) || value < words_known[i].minimum ||
        value > words_known[i].maximum || *seen & 1u << i)
        return refuse_word(&words_known[i], rest);
    *seen |= 1u << i;
    words_known[i].take(options, (uint32_t)value);
    return true;
}

static bool start(const struct port_tools *tools, const char *words, struct text *rest)
{
    struct tool_options options = {.cpu = -1};
    char name[NAME_MAX_BYTES + 1];
    uint32_t seen = 0;
    size_t size = strcspn(words, " ");
    if (size <= 5 || size - 5 > NAME_MAX_BYTES || strncmp(words, "name=", 5) != 0)
        return say(rest, "TOOL START needs name first; TOOL LIST tells the names");
    memcpy(name, words + 5, size - 5);
    name[size - 5] = '\0';
    while (*(words += size + strspn(words + size, " "))) {
        size = strcspn(words, " ");
        if (!take_word(&options, words, size, &seen, rest))
            return false;
    }
    if (!options.duration_s)
        return say(rest, "TOOL START needs duration_s");
    if (options.window_us && options.width_us >= options.window_us)
        return say(rest, "width_us must be less than window_us");
    return tools->start(name, &options, rest);
}

static void add_state(const struct port_tools *tools, struct text *rest)
{
    struct tool_state state;
    tools->look(&state);
    text_add_word(rest, "name", state.name);
    text_add_field(rest, "running", state.running);
    if (state.exit_code >= 0)
        text_add_field(rest, "exit", (uint64_t)state.exit_code);
    text_add_field(rest, "bytes", state.bytes);
}

bool tool_command(const struct port_tools *tools, const char *words, struct text *rest)
{
    if (strcmp(words, "LIST") == 0) {
        tools->list(rest);
        return true;
    }
    if (strncmp(words, "START ", 6) == 0) {
        if (!start(tools, words + 6, rest))
            return false;
    } else if (strcmp(words, "STOP") == 0) {
        tools->stop();
    } else if (strcmp(words, "STATE") != 0) {
        return say(rest, "TOOL needs LIST, START and words, STATE, STOP or READ");
    }
    add_state(tools, rest);
    return true;
}
