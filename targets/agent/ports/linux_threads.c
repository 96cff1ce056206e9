/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "linux_threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux_files.h"

#define KINDS_MAX 128
#define THREADS_MAX 20000 /* looked at */
#define NAME_BYTES 64
/* Fields of /proc/PID/stat, proc(5): the state behind the name is number 3. */
#define STATE_FIELD 3
#define PRIORITY_FIELD 40
#define POLICY_FIELD 41

struct thread {
    char name[NAME_BYTES];
    int policy, priority;
};

/* Threads of one name, policy and priority; kernel threads of each processor have one name. */
struct kind {
    struct thread thread;
    uint64_t count;
};

struct walk {
    struct json *json;
    struct kind kinds[KINDS_MAX];
    size_t kind_count;
    int looked_at;
    bool has_irqbalance;
};

/* "PID (NAME) STATE ...": a name may have any character, so it ends with the last parenthesis. */
static bool parse_stat(char *stat, struct thread *thread)
{
    char *name = strchr(stat, '('), *end = strrchr(stat, ')');
    if (!name || !end || end < name)
        return false;
    *end = '\0';
    snprintf(thread->name, sizeof thread->name, "%s", name + 1);
    thread->policy = thread->priority = -1;
    int field = STATE_FIELD;
    for (char *word = strtok(end + 1, " "); word; word = strtok(NULL, " "), field++) {
        if (field == PRIORITY_FIELD)
            thread->priority = atoi(word);
        if (field == POLICY_FIELD)
            thread->policy = atoi(word);
    }
    return thread->policy >= 0;
}

static const char *policy_name(int policy)
{
    switch (policy) {
    case SCHED_FIFO: return "fifo";
    case SCHED_RR: return "rr";
    case SCHED_DEADLINE: return "deadline";
    default: return "other";
    }
}

static void describe(struct json *json, const struct thread *thread)
{
    json_open_object(json, NULL);
    json_string(json, "thread", thread->name);
    json_string(json, "policy", policy_name(thread->policy));
    json_i64(json, "priority", thread->priority);
}

/* Threads of interrupts: kernel threads named irq/N-name. */
static void add_irq_thread(struct json *json, const struct thread *thread, const char *pid)
{
    char path[300], status[FILE_TEXT_MAX];
    describe(json, thread);
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    bool is_there = linux_file_read(path, status, sizeof status);
    char *list = is_there ? strstr(status, "Cpus_allowed_list:") : NULL;
    if (list) {
        list += strcspn(list, "\t\n");
        list += *list == '\t';
        list[strcspn(list, "\n")] = '\0';
        json_string(json, "affinity", list);
    }
    json_close(json);
}

static void count_kind(struct walk *walk, struct thread *thread)
{
    char *slash = strrchr(thread->name, '/');
    if (slash && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1))
        *slash = '\0'; /* such as migration/0 */
    for (size_t i = 0; i < walk->kind_count; i++) {
        struct kind *kind = &walk->kinds[i];
        if (kind->thread.policy == thread->policy && kind->thread.priority == thread->priority &&
            strcmp(kind->thread.name, thread->name) == 0) {
            kind->count++;
            return;
        }
    }
    if (walk->kind_count < KINDS_MAX)
        walk->kinds[walk->kind_count++] = (struct kind){*thread, 1};
}

static void look_at(struct walk *walk, const char *pid, const char *tid)
{
    char path[600], stat[FILE_TEXT_MAX];
    struct thread thread;
    snprintf(path, sizeof path, "/proc/%s/task/%s/stat", pid, tid);
    if (!linux_file_read(path, stat, sizeof stat) || !parse_stat(stat, &thread))
        return;
    walk->has_irqbalance |= strcmp(thread.name, "irqbalance") == 0;
    if (strncmp(thread.name, "irq/", 4) == 0)
        add_irq_thread(walk->json, &thread, pid);
    else if (strcmp(policy_name(thread.policy), "other") != 0)
        count_kind(walk, &thread);
}

static void look_at_process(struct walk *walk, const char *pid)
{
    char path[300];
    struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%s/task", pid);
    DIR *folder = linux_folder(path);
    if (!folder)
        return;
    while (walk->looked_at < THREADS_MAX && (entry = linux_folder_next(folder))) {
        walk->looked_at++;
        look_at(walk, pid, entry->d_name);
    }
    closedir(folder);
}

void linux_threads(struct json *json)
{
    static struct walk walk;
    struct dirent *entry;
    DIR *folder = linux_folder("/proc");
    if (!folder)
        return;
    walk = (struct walk){.json = json};
    json_open_array(json, "irq_threads");
    while ((entry = linux_folder_next(folder)))
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name))
            look_at_process(&walk, entry->d_name);
    json_close(json);
    closedir(folder);
    json_open_array(json, "realtime_threads");
    for (size_t i = 0; i < walk.kind_count; i++) {
        describe(json, &walk.kinds[i].thread);
        json_u64(json, "count", walk.kinds[i].count);
        json_close(json);
    }
    json_close(json);
    json_bool(json, "irqbalance", walk.has_irqbalance);
}
