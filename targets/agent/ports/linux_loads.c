/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts, watches and ends a load: a keeper, see linux_keeper.c, and a program below it, which is
 * this one, stress-ng or a command. The keeper is begun afresh from this program's file, so that it
 * has neither the agent's locked memory nor its open files.
 */
#define _GNU_SOURCE
#include "linux_loads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

#ifndef AGENT_VERSION
#define AGENT_VERSION "0"
#endif
#define NAME_MAX_BYTES 32
#define FILES_MAX 1024
#define OPTION_WORDS 2u /* of a keeper, before its program's */
#define OWN_WORDS 3u
#define TREE_DEPTH 4u /* a keeper, its program, that one's workers, and what they start */
#define LOOK_MS 10
#define END_LOOKS 700 /* longer than a keeper gives its program to end */

enum kind { OWN, STRESS, COMMAND };

static pid_t leader; /* 0: none */
static char running[NAME_MAX_BYTES]; /* what was started, also once it has died */
static enum kind kind;
static const char *version = "";
static uint32_t workers;
static uint32_t tasks; /* periodic ones */
static struct load_task *accounts; /* that they write; NULL: no memory for them */
static int accounts_file = -1;
static int ended; /* exit code of the leader; -1: it has not ended */
static bool commands_allowed;

/* In the child: what the agent has open or is allowed must not stay. */
static void become_load(char **words, pid_t agent)
{
    const struct sched_param ordinary = {0};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != agent)
        _exit(1); /* it died before that */
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    if (!load_go_to_place())
        _exit(1);
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0)
        for (int file = 0; file < 3; file++)
            dup2(nothing, file);
    bool tells = accounts_file >= 0 && dup2(accounts_file, LOAD_TASKS_FILE) >= 0;
    for (int file = LOAD_TASKS_FILE + tells; file < FILES_MAX; file++)
        close(file);
    execv("/proc/self/exe", words);
    _exit(1);
}

/* Exit code of a process, 128 and the signal that killed it. */
static int code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* True: the leader has ended, and what may be left of its group with it. */
static bool has_ended(int options)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(leader, &status, options)) < 0 && errno == EINTR)
        ;
    if (pid != leader)
        return false;
    kill(-leader, SIGKILL);
    leader = 0;
    ended = code_of(status);
    return true;
}

static void ask_to_end(void)
{
    const struct timespec little = {.tv_nsec = LOOK_MS * 1000000L};
    kill(leader, SIGTERM);
    for (int looks = 0; looks < END_LOOKS && !has_ended(WNOHANG); looks++)
        nanosleep(&little, NULL);
}

/* For the load that is begun next; without memory for them it has none. */
static void begin_accounts(uint32_t count)
{
    size_t size = LOAD_TASKS_MAX * sizeof *accounts;
    if (!count)
        return;
    accounts_file = memfd_create("rig-load-tasks", 0);
    if (accounts_file < 0 || ftruncate(accounts_file, (off_t)size) != 0)
        return;
    accounts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, accounts_file, 0);
    if (accounts == MAP_FAILED)
        accounts = NULL;
    else
        tasks = count;
}

static void end_accounts(void)
{
    if (accounts)
        munmap(accounts, LOAD_TASKS_MAX * sizeof *accounts);
    if (accounts_file >= 0)
        close(accounts_file);
    accounts = NULL;
    accounts_file = -1;
    tasks = 0;
}

static bool look_at_task(uint32_t number, struct load_task *task)
{
    if (number >= tasks)
        return false;
    *task = accounts[number];
    return true;
}

static void end(void)
{
    *running = '\0';
    end_accounts();
    if (leader)
        ask_to_end();
    if (!leader)
        return;
    kill(-leader, SIGKILL);
    kill(leader, SIGKILL); /* should it not have its group yet */
    has_ended(0);
}

static void stop(void)
{
    load_forget_place();
    end();
}

/* Run these words and a NULL, at most LOAD_WORDS_MAX, below a keeper. `task_count`: periodic tasks that it
 * tells of. */
static bool begin(const char *name, char *const *program, uint32_t task_count, struct text *why)
{
    char own[] = "rig-agent", keep[] = "--keep";
    char *words[OPTION_WORDS + LOAD_WORDS_MAX + 1] = {own, keep};
    for (size_t i = 0; i < LOAD_WORDS_MAX && program[i]; i++)
        words[OPTION_WORDS + i] = program[i];
    end();
    begin_accounts(task_count);
    pid_t agent = getpid(), child = fork();
    if (child < 0) {
        text_say(why, "no process for a load: ");
        text_add(why, strerror(errno));
        return false;
    }
    if (!child)
        become_load(words, agent);
    setpgid(child, child); /* both sides do it: whoever is first */
    leader = child;
    ended = -1;
    snprintf(running, sizeof running, "%s", name);
    return true;
}

/* Whether files of loads lie in memory, which has no disk to write to. */
static bool in_memory(void)
{
    struct statfs found;
    return statfs(load_place(), &found) == 0 &&
           (found.f_type == TMPFS_MAGIC || found.f_type == RAMFS_MAGIC);
}

static bool start(const char *name, struct text *why)
{
    char program[] = "/proc/self/exe", option[] = "--load", word[NAME_MAX_BYTES];
    char *own[OWN_WORDS + 1] = {program, option, word}, *words[STRESS_WORDS_MAX];
    uint32_t count = strlen(name) < NAME_MAX_BYTES ? load_worker_count(name, load_processors()) : 0;
    if (!count) {
        text_say(why, "no such load");
        return false;
    }
    if (strcmp(name, "disk") == 0 && in_memory()) {
        text_say(why, "files lie in memory; start rig-agent with TMPDIR on a disk");
        return false;
    }
    bool stress = stress_offers(name);
    snprintf(word, sizeof word, "%s", name);
    if (stress)
        stress_words(name, load_processors(), words);
    if (!begin(name, stress ? words : own, stress ? 0 : load_task_count(name), why))
        return false;
    kind = stress ? STRESS : OWN;
    version = stress ? stress_version() : AGENT_VERSION;
    workers = count;
    return true;
}

static bool allows_commands(void)
{
    return commands_allowed;
}

void linux_loads_allow_commands(void)
{
    commands_allowed = true;
}

static bool run(const char *name, char *const *command, struct text *why)
{
    if (!begin(name, command, 0, why))
        return false;
    kind = COMMAND;
    version = "";
    workers = 1;
    return true;
}

/* How many children a process has, and the last one; -1 where the kernel has no list of them. */
static int children_of(pid_t parent, int *last)
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (fscanf(file, "%d", last) == 1)
        count++;
    fclose(file);
    return count;
}

/* Workers that are alive: the children of the keeper's child. Of a command nothing more is known
 * than that its keeper has not ended. */
static uint32_t alive(void)
{
    int child = 0, count;
    if (!leader || has_ended(WNOHANG))
        return 0;
    if (kind == COMMAND)
        return 1;
    count = children_of(leader, &child);
    if (count > 0)
        count = children_of(child, &child);
    return count < 0 ? workers : (uint32_t)count;
}

/* Processor time that a process and all below it have used, in the unit of /proc/stat; false where
 * the kernel has no list of children. */
static bool add_time(pid_t pid, uint32_t depth, uint64_t *ticks)
{
    char path[64], text[512];
    unsigned long long times[4] = {0};
    const char *behind;
    int child;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true; /* it has just ended */
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    behind = strrchr(text, ')'); /* its name may hold anything */
    if (behind && sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
                         &times[0], &times[1], &times[2], &times[3]) == 4)
        *ticks += times[0] + times[1] + times[2] + times[3];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    if (!(file = fopen(path, "r")))
        return kill(pid, 0) != 0; /* it has just ended */
    bool whole = true;
    while (depth < TREE_DEPTH && fscanf(file, "%d", &child) == 1)
        whole = add_time(child, depth + 1, ticks) && whole;
    fclose(file);
    return whole;
}

static void read_load(struct load_state *state)
{
    unsigned long long ticks[8] = {0};
    double average = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file) {
        int found = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                           &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
        for (int i = 0; i < found; i++) {
            state->total_ticks += ticks[i];
            state->busy_ticks += i == 3 || i == 4 ? 0 : ticks[i]; /* idle, and waiting for disks */
        }
        fclose(file);
    }
    if ((file = fopen("/proc/loadavg", "r"))) {
        if (fscanf(file, "%lf", &average) == 1)
            state->average_permille = (uint64_t)(average * 1000);
        fclose(file);
    }
}

static void look(struct load_state *state)
{
    static const char *const programs[] = {"rig-agent", "stress-ng", "command"};
    *state = (struct load_state){.name = "idle", .alive = alive(), .exit_code = -1};
    if (*running) {
        state->name = running;
        state->workers = workers;
        state->program = programs[kind];
        state->version = version;
        state->exit_code = ended;
        state->cpus = leader ? load_place_of(leader) : NULL;
        state->tells_ticks = leader && add_time(leader, 0, &state->load_ticks);
    }
    state->tasks = tasks;
    read_load(state);
}

static const char *program(void)
{
    return stress_offers("cpu") ? "stress-ng" : "rig-agent";
}

const struct port_loads linux_loads = {
    .names = "cpu,io,cpu-io,cpu-nice,half,copy,rt-tasks,network,disk,memory,cache",
    .program = program,
    .start = start,
    .place = load_set_place,
    .allows_commands = allows_commands,
    .run = run,
    .stop = stop,
    .look = look,
    .look_at_task = look_at_task,
};
