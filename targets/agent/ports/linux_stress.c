/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stress-ng, where the target has it: what it is called with for a load, and which version it is. */
#define _GNU_SOURCE
#include "linux_loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define MEMORY_MIB 8u /* a worker, as the agent's own; stress-ng is told the sum */
#define FILE_MIB 4u
#define SUM_MAX_MIB 1024u
#define TEXT_BYTES 24

static struct {
    char path[256], version[24];
    char count[2][TEXT_BYTES], bytes[TEXT_BYTES];
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

bool stress_offers(const char *name)
{
    return (strcmp(name, "cpu") == 0 || strcmp(name, "io") == 0) && find();
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

static uint32_t at_most(uint32_t mib)
{
    return mib < SUM_MAX_MIB ? mib : SUM_MAX_MIB;
}

void stress_words(const char *name, uint32_t cpus, char *words[STRESS_WORDS_MAX])
{
    bool cpu = strcmp(name, "cpu") == 0;
    uint32_t each = cpu ? 2 * cpus : cpus;
    uint32_t mib = at_most(each * (cpu ? MEMORY_MIB : FILE_MIB));
    size_t n = 0;
    for (int i = 0; i < 2; i++)
        snprintf(stress.count[i], TEXT_BYTES, "%u", each);
    snprintf(stress.bytes, TEXT_BYTES, "%um", mib);
    words[n++] = stress.path;
    words[n++] = "--quiet";
    words[n++] = "--temp-path"; /* the folder that is removed in the end */
    words[n++] = ".";
    words[n++] = cpu ? "--cpu" : "--io";
    words[n++] = stress.count[0];
    words[n++] = cpu ? "--vm" : "--hdd";
    words[n++] = stress.count[1];
    words[n++] = cpu ? "--vm-bytes" : "--hdd-bytes";
    words[n++] = stress.bytes;
    words[n] = NULL;
}
