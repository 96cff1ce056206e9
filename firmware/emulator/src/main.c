/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "bench.h"
#include "events.h"
#include "fault.h"
#include "lockstep.h"

enum { CLOCK_MIN_HZ = 1000000, CLOCK_MAX_HZ = 100000000 };
enum mode { MODE_FAST, MODE_PACED, MODE_LOCKSTEP };

static const char *const mode_names[] = {"fast", "paced", "lockstep"};

struct options {
    const char *firmware;
    const char *chip;
    uint64_t clock_hz;
    const char *edge_log;
    enum mode mode;
    int control_fd;
    uint64_t duration_ms; /* 0 for no end */
    uint64_t echo_cycles;
    uint64_t response_delay_cycles;
    struct line_faults faults;
};

static const char usage[] =
    "usage: rig-emulator --firmware FILE.hex [--mode fast|paced|lockstep] [--control-fd N]\n"
    "                    [--edge-log FILE] [--duration-ms N] [--echo-cycles N]\n"
    "                    [--response-delay-cycles N] [--mcu NAME] [--clock-hz N]\n"
    "                    [--lose-ppb N] [--damage-ppb N] [--line-seed N]\n"
    "Runs the firmware on an emulated AVR chip, an ATmega328P at 16 MHz unless told otherwise, and\n"
    "prints \"PTY NAME\", its serial port.\n";

static bool options_mode(const char *text, enum mode *mode)
{
    for (size_t i = 0; i < sizeof mode_names / sizeof mode_names[0]; i++) {
        if (strcmp(text, mode_names[i]) == 0) {
            *mode = (enum mode)i;
            return true;
        }
    }
    fault_say("--mode %s: unknown; give fast, paced or lockstep", text);
    return false;
}

static bool options_number(const char *name, const char *text, uint64_t max, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0' && *number <= max)
        return true;
    fault_say("--%s %s: give a whole number from 0 to %" PRIu64, name, text, max);
    return false;
}

static bool options_check(const struct options *options)
{
    int type;
    socklen_t size = sizeof type;

    if (options->firmware == NULL) {
        fault_say("no firmware; give an Intel hex file with --firmware");
        return false;
    }
    if (options->clock_hz < CLOCK_MIN_HZ) {
        fault_say("--clock-hz %" PRIu64 ": give a whole number from %d to %d", options->clock_hz,
                  CLOCK_MIN_HZ, CLOCK_MAX_HZ);
        return false;
    }
    if ((options->mode == MODE_LOCKSTEP) != (options->control_fd >= 0)) {
        fault_say("--control-fd belongs to --mode lockstep, and lockstep cannot do without it");
        return false;
    }
    if (options->control_fd >= 0 &&
        (getsockopt(options->control_fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
         type != SOCK_STREAM)) {
        fault_say("--control-fd %d: not an open stream socket; pass one to the emulator",
                  options->control_fd);
        return false;
    }
    return true;
}

static bool options_parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"firmware", required_argument, NULL, 'f'},
        {"mode", required_argument, NULL, 'm'},
        {"control-fd", required_argument, NULL, 'c'},
        {"edge-log", required_argument, NULL, 'l'},
        {"duration-ms", required_argument, NULL, 'd'},
        {"echo-cycles", required_argument, NULL, 'e'},
        {"response-delay-cycles", required_argument, NULL, 'r'},
        {"mcu", required_argument, NULL, 'u'},
        {"clock-hz", required_argument, NULL, 'h'},
        {"lose-ppb", required_argument, NULL, 'o'},
        {"damage-ppb", required_argument, NULL, 'a'},
        {"line-seed", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    uint64_t number;
    bool good = true;
    int choice;

    while (good && (choice = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (choice) {
        case 'f':
            options->firmware = optarg;
            break;
        case 'm':
            good = options_mode(optarg, &options->mode);
            break;
        case 'c':
            good = options_number("control-fd", optarg, INT32_MAX, &number);
            options->control_fd = (int)number;
            break;
        case 'l':
            options->edge_log = optarg;
            break;
        case 'd':
            good = options_number("duration-ms", optarg, UINT32_MAX, &options->duration_ms);
            break;
        case 'e':
            good = options_number("echo-cycles", optarg, UINT32_MAX, &options->echo_cycles);
            break;
        case 'r':
            good = options_number("response-delay-cycles", optarg, RESPONSE_DELAY_MAX_CYCLES,
                                  &options->response_delay_cycles);
            break;
        case 'u':
            options->chip = optarg;
            break;
        case 'h':
            good = options_number("clock-hz", optarg, CLOCK_MAX_HZ, &options->clock_hz);
            break;
        case 'o':
            good = options_number("lose-ppb", optarg, LINE_FAULTS_PARTS, &number);
            options->faults.lose = (uint32_t)number;
            break;
        case 'a':
            good = options_number("damage-ppb", optarg, LINE_FAULTS_PARTS, &number);
            options->faults.damage = (uint32_t)number;
            break;
        case 's':
            good = options_number("line-seed", optarg, UINT64_MAX, &options->faults.random);
            break;
        default:
            good = false; /* getopt has said which option is wrong */
        }
    }
    if (good && optind < argc) {
        fault_say("%s: not an option", argv[optind]);
        good = false;
    }
    return good && options_check(options);
}

static void main_pace(struct bench *bench, int64_t start_ns)
{
    const uint64_t cycle = mcu_cycle(&bench->mcu), clock_hz = bench->mcu.clock_hz;
    const int64_t due_ns = start_ns + (int64_t)(cycle / clock_hz * 1000000000 +
                                                cycle % clock_hz * 1000000000 / clock_hz);
    int64_t left_ns;

    while (!events_ending() && (left_ns = due_ns - events_now_ns()) > 0)
        bench_wait(bench, 0, left_ns);
}

static int main_run_free(struct bench *bench, const struct options *options)
{
    const uint64_t end_cycle =
        options->duration_ms > 0 ? options->duration_ms * (bench->mcu.clock_hz / 1000) : UINT64_MAX;
    const int64_t start_ns = events_now_ns();

    while (!events_ending() && mcu_cycle(&bench->mcu) < end_cycle) {
        if (!bench_run(bench, end_cycle))
            return EXIT_FAULT;
        bench->edge_count = 0; /* nobody asks for a report */
        bench_serve(bench);
        if (options->mode == MODE_PACED)
            main_pace(bench, start_ns);
    }
    return EXIT_CLEAN;
}

int main(int argc, char **argv)
{
    static struct bench bench; /* too much for a stack */
    struct options options = {
        .chip = "atmega328p", .clock_hz = 16000000, .mode = MODE_FAST, .control_fd = -1};

    if (!options_parse(&options, argc, argv)) {
        fputs(usage, stderr);
        return EXIT_BAD_INPUT;
    }
    events_open();
    /* In lockstep the end of the socket says that the partner is gone. The kernel's signal would
     * also come when only the thread ends that started this program. */
    if (options.mode != MODE_LOCKSTEP)
        prctl(PR_SET_PDEATHSIG, SIGTERM);

    int status = bench_open(&bench, options.chip, (uint32_t)options.clock_hz, options.firmware,
                            options.edge_log);
    if (status == EXIT_CLEAN) {
        bench.echo_cycles = options.echo_cycles;
        bench.serial.faults = options.faults;
        bench.response.delay_cycles = options.response_delay_cycles;
        printf("PTY %s\n", bench.serial.name);
        fflush(stdout);
        status = options.mode == MODE_LOCKSTEP ? lockstep_run(&bench, options.control_fd)
                                               : main_run_free(&bench, &options);
    }
    bench_close(&bench);
    return status;
}
