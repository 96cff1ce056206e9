/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts, watches and ends one tool of the system. Programs come from a fixed list, in fixed
 * folders, with arguments that are numbers; there is no shell. What a tool prints goes to a file in
 * memory of limited size.
 */
#define _GNU_SOURCE
#include "linux_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../core/tool.h"

#define FILES_MAX 1024
#define ARGUMENTS_MAX 24
#define ARGUMENT_BYTES 24
#define PROGRAM_BYTES 64
#define END_TRIES 300
#define END_TRY_NS 10000000

static const char *folders[] = {"/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin", "/sbin"};

static pid_t child; /* 0: none */
static int output = -1;
static int exit_code = -1;
static const char *running = "none";

/* --- programs ------------------------------------------------------------------------------------ */

static bool find_program(const char *program, char path[PROGRAM_BYTES])
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, PROGRAM_BYTES, "%s/%s", folders[i], program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* --- the arguments ------------------------------------------------------------------------------ */

static struct {
    char texts[ARGUMENTS_MAX][ARGUMENT_BYTES];
    char *words[ARGUMENTS_MAX + 1];
    size_t count;
} arguments;

static void add(const char *word)
{
    char *text = arguments.texts[arguments.count];
    snprintf(text, ARGUMENT_BYTES, "%s", word);
    arguments.words[arguments.count++] = text;
}

static void add_number(const char *option, const char *before, uint32_t number, const char *behind)
{
    char text[ARGUMENT_BYTES];
    snprintf(text, sizeof text, "%s%u%s", before, number, behind);
    add(option);
    add(text);
}

/* A thread on each processor, or one, or as many as the program has without being told. */
static void add_threads(const struct tool_options *o, const char *each, uint32_t number)
{
    if (o->all_cpus)
        add(each);
    else if (number)
        add_number("-t", "", number, "");
    if (!o->all_cpus && o->cpu >= 0)
        add_number("-a", "", (uint32_t)o->cpu, "");
}

/* What all of rt-tests have but pi_stress. */
static void add_common(const struct tool_options *o)
{
    add("-q");
    add("-m");
    add_number("-p", "", o->priority, "");
    add_number("-D", "", o->duration_s, "");
}

/* Threads that sleep until absolute times (the default). The bins of a histogram are as wide as its
 * unit: with ns it would be too long to print. */
static void add_cyclictest(const struct tool_options *o)
{
    add_common(o);
    add_number("-i", "", o->period_us, "");
    if (o->histogram_us)
        add_number("-h", "", o->histogram_us, "");
    else
        add("-N");
    add_threads(o, "-S", 1);
}

static void add_timerlat(const struct tool_options *o)
{
    add("timerlat");
    add("hist");
    add("-n");
    add_number("-b", "", 1000, "");
    add_number("-p", "", o->period_us, "");
    add_number("-d", "", o->duration_s, "s");
    add_number("-P", o->priority ? "f:" : "o:", o->priority, "");
    if (o->histogram_us)
        add_number("-E", "", o->histogram_us, "");
    if (!o->all_cpus && o->cpu >= 0)
        add_number("-c", "", (uint32_t)o->cpu, "");
}

/* Two threads in any case. */
static void add_signaltest(const struct tool_options *o)
{
    add_common(o);
    add_number("-t", "", 2, "");
    if (o->all_cpus || o->cpu < 0)
        add("-a");
    else
        add_number("-a", "", (uint32_t)o->cpu, "");
}

static void add_ptsematest(const struct tool_options *o)
{
    add("-q");
    add_number("-p", "", o->priority, "");
    add_number("-D", "", o->duration_s, "");
    add_number("-i", "", o->period_us, "");
    add_threads(o, "-S", 1);
}

/* Its threads have priorities of their own. */
static void add_pi_stress(const struct tool_options *o)
{
    add("-q");
    add("-m");
    add_number("-D", "", o->duration_s, "");
    if (!o->all_cpus) {
        add_number("-g", "", 1, "");
        add("-u");
    }
}

/* --- what there is ------------------------------------------------------------------------------ */

enum needs { NEEDS_NOTHING, NEEDS_PERIOD, NEEDS_WINDOW };

struct tool {
    const char *name, *program, *tracer;
    void (*add)(const struct tool_options *options);
    enum needs needs;
};

static const struct tool tools[] = {
    {"cyclictest", "cyclictest", NULL, add_cyclictest, NEEDS_PERIOD},
    {"timerlat", "rtla", "timerlat", add_timerlat, NEEDS_PERIOD},
    {"hwlat", NULL, "hwlat", NULL, NEEDS_WINDOW},
    {"signaltest", "signaltest", NULL, add_signaltest, NEEDS_NOTHING},
    {"ptsematest", "ptsematest", NULL, add_ptsematest, NEEDS_PERIOD},
    {"pi_stress", "pi_stress", NULL, add_pi_stress, NEEDS_NOTHING},
    {"irqsoff", NULL, "irqsoff", NULL, NEEDS_NOTHING},
    {"preemptoff", NULL, "preemptoff", NULL, NEEDS_NOTHING},
    {"preemptirqsoff", NULL, "preemptirqsoff", NULL, NEEDS_NOTHING},
    {"wakeup_rt", NULL, "wakeup_rt", NULL, NEEDS_NOTHING},
};
#define TOOLS (sizeof tools / sizeof *tools)

/* NULL: nothing. */
static const char *lacks(const struct tool *tool)
{
    char path[PROGRAM_BYTES];
    if (tool->program && !find_program(tool->program, path))
        return "not-installed";
    return tool->tracer ? tracer_lacks(tool->tracer) : NULL;
}

static void list(struct text *rest)
{
    for (size_t i = 0; i < TOOLS; i++) {
        const char *missing = lacks(&tools[i]);
        text_add_word(rest, tools[i].name, missing ? missing : "ready");
    }
}

static void make_arguments(const struct tool *tool, const struct tool_options *options)
{
    arguments.count = 0;
    if (!tool->program)
        return;
    add(tool->program);
    tool->add(options);
    arguments.words[arguments.count] = NULL;
}

/* NULL: all that it needs was given. */
static const char *not_given(const struct tool *tool, const struct tool_options *options)
{
    if (tool->needs == NEEDS_PERIOD && !options->period_us)
        return "it needs period_us";
    if (tool->needs == NEEDS_WINDOW &&
        (!options->window_us || !options->width_us || !options->threshold_us))
        return "it needs window_us, width_us and threshold_us";
    return NULL;
}

/* --- start and stop ----------------------------------------------------------------------------- */

/* Tools look at those that they may use, and what is inherited leaves isolated ones out. */
static void allow_all_cpus(void)
{
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

/* In the child: what the agent has open or is allowed must not stay. SIGINT lets it end in order. */
static void become_tool(const struct tool *tool, const struct tool_options *options, const char *path,
                        pid_t agent)
{
    const struct sched_param ordinary = {0};
    const struct rlimit most = {TOOL_OUTPUT_MAX, TOOL_OUTPUT_MAX};
    char *const environment[] = {NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != agent)
        _exit(1); /* it died before that */
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    if (options->all_cpus)
        allow_all_cpus();
    setrlimit(RLIMIT_FSIZE, &most);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(1);
    for (int file = 3; file < FILES_MAX; file++)
        close(file);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (!tool->program)
        _exit(tool->needs == NEEDS_WINDOW ? hwlat_run(options) : tracer_run(tool->tracer, options));
    execve(path, arguments.words, environment);
    _exit(127);
}

/* True: it has ended. */
static bool has_ended(int options)
{
    int status;
    pid_t pid;
    if (!child)
        return true;
    while ((pid = waitpid(child, &status, options)) < 0 && errno == EINTR)
        ;
    if (pid != child)
        return false;
    exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    child = 0;
    return true;
}

static void stop(void)
{
    const struct timespec little = {.tv_nsec = END_TRY_NS};
    if (child)
        kill(child, SIGINT);
    for (int tries = 0; tries < END_TRIES && !has_ended(WNOHANG); tries++)
        nanosleep(&little, NULL);
    if (child) {
        kill(child, SIGKILL);
        has_ended(0);
    }
}

static bool refuse(const struct tool *tool, const char *missing, struct text *why)
{
    text_say(why, tool->name);
    text_add(why, " cannot be started: ");
    text_add(why, missing);
    return false;
}

static bool start(const char *name, const struct tool_options *options, struct text *why)
{
    char path[PROGRAM_BYTES] = "";
    const struct tool *tool = tools;
    while (tool < tools + TOOLS && strcmp(name, tool->name) != 0)
        tool++;
    if (tool == tools + TOOLS) {
        text_say(why, "no such tool; TOOL LIST tells the names");
        return false;
    }
    const char *missing = lacks(tool);
    if (!missing)
        missing = not_given(tool, options);
    if (missing)
        return refuse(tool, missing, why);
    stop();
    if (output >= 0)
        close(output);
    output = memfd_create("rig-tool", MFD_CLOEXEC);
    if (tool->program)
        find_program(tool->program, path);
    make_arguments(tool, options);
    running = tool->name;
    exit_code = -1;
    pid_t agent = getpid();
    child = output < 0 ? -1 : fork();
    if (!child)
        become_tool(tool, options, path, agent);
    if (child > 0)
        return true;
    child = 0;
    return refuse(tool, strerror(errno), why);
}

static void look(struct tool_state *state)
{
    struct stat status;
    bool alive = !has_ended(WNOHANG);
    uint64_t bytes = output >= 0 && fstat(output, &status) == 0 ? (uint64_t)status.st_size : 0;
    *state = (struct tool_state){running, alive, exit_code, bytes};
}

static size_t read_output(uint64_t at, void *bytes, size_t count)
{
    ssize_t found = pread(output, bytes, count, (off_t)at);
    return found > 0 ? (size_t)found : 0;
}

const struct port_tools linux_tools = {
    .list = list, .start = start, .stop = stop, .look = look, .read = read_output};
