/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's tracers, in an instance of their own. Documentation/trace/hwlat_detector.rst and
 * ftrace.rst say what the files mean. Window, width and threshold of hwlat belong to the whole kernel:
 * they are put back.
 */
#define _GNU_SOURCE
#include "linux_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSTANCE "instances/latency-rig"
#define PATH_BYTES 128
#define NUMBER_BYTES 32

static const char *places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
static const char *place;

struct settings {
    unsigned long long window_us, width_us, threshold_us;
};

/* The first place whose tracers can be read, or asked for in vain for want of permission. */
static const char *find_tracefs(void)
{
    char path[PATH_BYTES];
    const char *lacks = "no-tracefs";
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/available_tracers", places[i]);
        if (access(path, R_OK) == 0) {
            place = places[i];
            return NULL;
        }
        if (errno == EACCES)
            lacks = "not-root";
    }
    return lacks;
}

static const char *path_of(const char *name)
{
    static char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

static bool has_tracer(const char *tracer)
{
    char name[40];
    bool found = false;
    FILE *file = fopen(path_of("available_tracers"), "re");
    while (file && !found && fscanf(file, "%39s", name) == 1)
        found = strcmp(name, tracer) == 0;
    if (file)
        fclose(file);
    return found;
}

const char *tracer_lacks(const char *tracer)
{
    const char *lacks = find_tracefs();
    if (lacks)
        return lacks;
    if (!has_tracer(tracer))
        return "no-tracer";
    return access(path_of("current_tracer"), W_OK) == 0 ? NULL : "not-root";
}

static bool put(const char *name, const char *text)
{
    int file = open(path_of(name), O_WRONLY | O_CLOEXEC);
    bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (!good)
        fprintf(stderr, "%s/%s: %s\n", place, name, strerror(errno));
    if (file >= 0)
        close(file);
    return good;
}

static bool put_number(const char *name, unsigned long long number)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%llu", number);
    return put(name, text);
}

static bool get_number(const char *name, unsigned long long *number)
{
    FILE *file = fopen(path_of(name), "re");
    bool good = file && fscanf(file, "%llu", number) == 1;
    if (file)
        fclose(file);
    return good;
}

static bool get(struct settings *settings)
{
    return get_number("hwlat_detector/window", &settings->window_us) &&
           get_number("hwlat_detector/width", &settings->width_us) &&
           get_number("tracing_thresh", &settings->threshold_us);
}

/* The width must be below the window at each step. */
static bool set(const struct settings *settings)
{
    return put_number("hwlat_detector/width", 1) &&
           put_number("hwlat_detector/window", settings->window_us) &&
           put_number("hwlat_detector/width", settings->width_us) &&
           put_number("tracing_thresh", settings->threshold_us);
}

/* Until the time is over, or someone asks for the end. */
static void wait_for(uint32_t seconds, int signals)
{
    struct pollfd asked = {.fd = signals, .events = POLLIN};
    poll(&asked, 1, (int)(seconds * 1000));
}

static bool print_trace(void)
{
    char bytes[4096];
    size_t count;
    FILE *file = fopen(path_of(INSTANCE "/trace"), "re");
    while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
        fwrite(bytes, 1, count, stdout);
    if (file)
        fclose(file);
    return file && fflush(stdout) == 0;
}

static int signals_as_file(void)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGTERM);
    sigprocmask(SIG_BLOCK, &wanted, NULL);
    return signalfd(-1, &wanted, SFD_CLOEXEC);
}

static bool make_instance(void)
{
    rmdir(path_of(INSTANCE)); /* one that was killed has left it */
    if (mkdir(path_of(INSTANCE), 0700) == 0)
        return true;
    fprintf(stderr, "%s: %s\n", path_of(INSTANCE), strerror(errno));
    return false;
}

static bool trace(const char *tracer, uint32_t seconds, int signals)
{
    bool good = put(INSTANCE "/current_tracer", tracer);
    if (good) {
        wait_for(seconds, signals);
        good = put(INSTANCE "/tracing_on", "0") && print_trace();
    }
    put(INSTANCE "/current_tracer", "nop");
    return good;
}

int hwlat_run(const struct tool_options *options)
{
    struct settings before;
    const struct settings wanted = {options->window_us, options->width_us, options->threshold_us};
    int signals = signals_as_file();
    if (tracer_lacks("hwlat") || !get(&before) || !make_instance())
        return 1;
    bool good = set(&wanted) && trace("hwlat", options->duration_s, signals);
    good = set(&before) && good;
    rmdir(path_of(INSTANCE));
    return good ? 0 : 1;
}

int tracer_run(const char *tracer, const struct tool_options *options)
{
    int signals = signals_as_file();
    if (tracer_lacks(tracer) || !make_instance())
        return 1;
    /* To trace each function too would make every latency longer. */
    if (access(path_of(INSTANCE "/options/function-trace"), W_OK) == 0)
        put(INSTANCE "/options/function-trace", "0");
    bool good = put(INSTANCE "/tracing_max_latency", "0") &&
                trace(tracer, options->duration_s, signals);
    rmdir(path_of(INSTANCE));
    return good ? 0 : 1;
}
