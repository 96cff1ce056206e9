/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load.h"

#include <string.h>

#define BYTES_MAX 4096u
#define NAME_MAX_BYTES 31u

/* The words of a command, one behind the other. */
static struct {
    char bytes[BYTES_MAX];
    char *words[LOAD_WORDS_MAX + 1];
    uint32_t count;
    size_t used;
} command;

static void add_state(const struct port_loads *loads, struct text *rest)
{
    struct load_state state;
    loads->look(&state);
    text_add_word(rest, "name", state.name);
    text_add_field(rest, "workers", state.workers);
    text_add_field(rest, "alive", state.alive);
    text_add_field(rest, "busy_ticks", state.busy_ticks);
    text_add_field(rest, "total_ticks", state.total_ticks);
    text_add_field(rest, "average_permille", state.average_permille);
    if (state.cpus && *state.cpus)
        text_add_word(rest, "cpus", state.cpus);
    if (state.tells_ticks)
        text_add_field(rest, "load_ticks", state.load_ticks);
    if (state.program)
        text_add_word(rest, "program", state.program);
    if (state.version && *state.version)
        text_add_word(rest, "version", state.version);
    if (state.exit_code >= 0)
        text_add_field(rest, "exit", (uint64_t)state.exit_code);
    if (state.tasks)
        text_add_field(rest, "tasks", state.tasks);
}

static bool say(struct text *rest, const char *why)
{
    text_say(rest, why);
    return false;
}

static bool may_command(const struct port_loads *loads)
{
    return loads->run && loads->allows_commands && loads->allows_commands();
}

static void forget_command(void)
{
    command.count = 0;
    command.used = 0;
}

/* --- a word: its number from 0, its length, and the word as %XX and plain characters */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Length of what was decoded; more than `size` if it is false or does not fit. */
static size_t decode(const char *text, char *bytes, size_t size)
{
    size_t used = 0;
    for (; *text; text++, used++) {
        char c = *text;
        if (used == size)
            return size + 1;
        if (c == '%') {
            int high = digit(text[1]), low = high < 0 ? -1 : digit(text[2]);
            if (low < 0 || !(high | low))
                return size + 1;
            c = (char)(high << 4 | low);
            text += 2;
        }
        bytes[used] = c;
    }
    return used;
}

static const char *next(const char *words, uint64_t *number)
{
    size_t size = strcspn(words, " ");
    if (!parse_u64(words, size, number))
        return NULL;
    return words + size + (words[size] == ' ');
}

static bool take_word(const char *words, struct text *rest)
{
    uint64_t number = 0, length = 0;
    const char *text = next(words, &number);
    text = text ? next(text, &length) : NULL;
    if (!text)
        return say(rest, "LOAD WORD needs its number, its length and the word");
    if (number == 0)
        forget_command();
    if (number != command.count || number >= LOAD_WORDS_MAX)
        return say(rest, "LOAD WORD has another number than the next one, or there are over 32");
    size_t room = BYTES_MAX - command.used - 1;
    char *bytes = command.bytes + command.used;
    if (decode(text, bytes, room) != length || length > room)
        return say(rest, "LOAD WORD is not as long as it says, or all are too long");
    bytes[length] = '\0';
    command.words[command.count++] = bytes;
    command.used += length + 1;
    text_add_field(rest, "words", command.count);
    return true;
}

/* --- the rest ---------------------------------------------------------------------------------- */

static bool is_name(const char *name, size_t size)
{
    return size && size <= NAME_MAX_BYTES &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") >= size;
}

/* NAME COUNT: exactly the words that were sent. */
static bool run(const struct port_loads *loads, const char *words, struct text *rest)
{
    char name[NAME_MAX_BYTES + 1];
    size_t size = strcspn(words, " ");
    uint64_t count = 0;
    if (!is_name(words, size) || !words[size] || !next(words + size + 1, &count))
        return say(rest, "LOAD RUN needs a name and how many words there are");
    if (!count || count != command.count)
        return say(rest, "LOAD RUN has another count than words were sent");
    memcpy(name, words, size);
    name[size] = '\0';
    command.words[command.count] = NULL;
    bool good = loads->run(name, command.words, rest);
    forget_command();
    return good;
}

/* NUMBER, from 0. */
static bool tell_task(const struct port_loads *loads, const char *words, struct text *rest)
{
    struct load_task task;
    uint64_t number = 0;
    if (!parse_u64(words, strlen(words), &number) || number > UINT32_MAX || !loads->look_at_task ||
        !loads->look_at_task((uint32_t)number, &task))
        return say(rest, "the load has no such periodic task");
    text_add_field(rest, "period_ns", task.period_ns);
    text_add_field(rest, "work_ns", task.work_ns);
    text_add_field(rest, "priority", task.priority);
    text_add_field(rest, "starts", task.starts);
    text_add_field(rest, "overruns", task.overruns);
    text_add_field(rest, "late_ns", task.late_ns);
    text_add_field(rest, "late_max_ns", task.late_max_ns);
    return true;
}

static const char *after(const char *words, const char *name)
{
    size_t size = strlen(name);
    return strncmp(words, name, size) == 0 ? words + size : NULL;
}

void load_greet(const struct port_loads *loads, struct text *rest)
{
    text_add_word(rest, "loads", loads->names);
    if (loads->program)
        text_add_word(rest, "load_program", loads->program());
    text_add_field(rest, "commands", may_command(loads));
    text_add_field(rest, "places", loads->place != NULL);
}

bool load_command(const struct port_loads *loads, const char *words, struct text *rest)
{
    const char *name = after(words, "START "), *word = after(words, "WORD ");
    const char *to_run = after(words, "RUN "), *task = after(words, "TASK ");
    const char *place = after(words, "PLACE ");
    if ((word || to_run) && !may_command(loads))
        return say(rest, "commands are not allowed; start rig-agent with --allow-commands");
    if (word)
        return take_word(word, rest);
    if (task)
        return tell_task(loads, task, rest);
    if (place)
        return loads->place ? loads->place(place, rest) : say(rest, "loads run anywhere here");
    if (name && !loads->start(name, rest)) {
        text_add(rest, "; valid: ");
        text_add(rest, loads->names);
        return false;
    }
    if (to_run && !run(loads, to_run, rest))
        return false;
    if (strcmp(words, "STOP") == 0)
        load_stop(loads);
    else if (!name && !to_run && strcmp(words, "STATE") != 0)
        return say(rest, "LOAD needs START and a name, STATE or STOP");
    add_state(loads, rest);
    return true;
}

void load_stop(const struct port_loads *loads)
{
    forget_command();
    loads->stop();
}
