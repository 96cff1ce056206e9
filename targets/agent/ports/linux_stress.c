/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stress-ng, where the target has it: what it is called with for a load, and which version it is. */
#define _GNU_SOURCE
#include "linux_loads.h"

#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define MEMORY_MIB 8u /* a worker, as the agent's own; stress-ng is told the sum */
#define FILE_MIB 4u
#define SUM_MAX_MIB 1024u
#define STREAM_TIMES 12u /* its workers together take three arrays, each of four times the size */
#define TEXT_BYTES 24
#define LOAD_NAME_BYTES 34 /* with a space on either side */
#define STRESSORS 6u

/* What each load calls for, so many workers a processor; those with a size get it of the sum. */
static const struct {
    const char *loads; /* between spaces */
    char *option;
    uint32_t a_cpu, mib;
    char *size_option;
    uint32_t times; /* what is taken, by the size that is told */
} stressors[STRESSORS] = {
    {" cpu cpu-io ", "--cpu", 2, 0, NULL, 1},
    {" cpu cpu-io ", "--vm", 2, MEMORY_MIB, "--vm-bytes", 1},
    {" io cpu-io ", "--io", 1, 0, NULL, 1},
    {" io cpu-io ", "--hdd", 1, FILE_MIB, "--hdd-bytes", 1},
    {" memory ", "--stream", 1, SUM_MAX_MIB, "--stream-l3-size", STREAM_TIMES},
    {" cache ", "--cache", 1, 0, NULL, 1},
};

static struct {
    char path[256], version[24];
    char count[STRESSORS][TEXT_BYTES], bytes[STRESSORS][TEXT_BYTES];
} stress;

/* The first of the folders that has it. */
static bool find(void)
{
    const char *place = getenv("PATH");
    for (place = place && *place ? place : PLACES; *place;) {
        int size = (int)strcspn(place, ":");
        int used = snprintf(stress.path, sizeof stress.path, "%.*s/stress-ng", size, place);
        if (size && used < (int)sizeof stress.path && access(stress.path, X_OK) == 0)
            return true;
        place += size + (place[size] == ':');
    }
    *stress.path = '\0';
    return false;
}

/* Whether one of the stressors, by its number, is part of a load. */
static bool is_part(size_t stressor, const char *name)
{
    char word[LOAD_NAME_BYTES];
    int size = snprintf(word, sizeof word, " %s ", name);
    return size < (int)sizeof word && strstr(stressors[stressor].loads, word);
}

bool stress_offers(const char *name)
{
    bool known = false;
    for (size_t i = 0; i < STRESSORS; i++)
        known = known || is_part(i, name);
    return known && find();
}

/* "stress-ng, version 0.15.06 (gcc ...": the third word, if it is one of a version's. */
static void take_version(const char *said)
{
    static const char valid[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-~_";
    const char *word = strstr(said, "version ");
    size_t size = word ? strspn(word += strlen("version "), valid) : 0;
    snprintf(stress.version, sizeof stress.version, "%.*s", (int)size, size ? word : "");
}

const char *stress_version(void)
{
    char said[128] = "";
    int ends[2];
    size_t used = 0;
    ssize_t count = 1;
    *stress.version = '\0';
    if (pipe(ends) != 0)
        return stress.version;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(stress.path, "stress-ng", "--version", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    while (child > 0 && used < sizeof said - 1 && count > 0)
        if ((count = read(ends[0], said + used, sizeof said - 1 - used)) > 0)
            used += (size_t)count;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    take_version(said);
    return stress.version;
}

/* Half of the memory that there is stays with the others, as with the log. */
static uint32_t at_most(uint32_t mib)
{
    uint64_t half = system_memory_available() >> 21;
    uint64_t most = half && half < SUM_MAX_MIB ? half : SUM_MAX_MIB;
    return mib < most ? mib : (uint32_t)most;
}

void stress_words(const char *name, uint32_t cpus, char *words[STRESS_WORDS_MAX])
{
    size_t n = 0;
    words[n++] = stress.path;
    words[n++] = "--quiet";
    words[n++] = "--temp-path"; /* the folder that is removed in the end */
    words[n++] = ".";
    for (size_t i = 0; i < STRESSORS; i++) {
        uint32_t each = stressors[i].a_cpu * cpus;
        if (!is_part(i, name))
            continue;
        snprintf(stress.count[i], TEXT_BYTES, "%u", each);
        words[n++] = stressors[i].option;
        words[n++] = stress.count[i];
        if (!stressors[i].size_option)
            continue;
        uint32_t kib = at_most(each * stressors[i].mib) * 1024 / stressors[i].times;
        snprintf(stress.bytes[i], TEXT_BYTES, "%uk", kib);
        words[n++] = stressors[i].size_option;
        words[n++] = stress.bytes[i];
    }
    words[n] = NULL;
}
