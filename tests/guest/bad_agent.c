/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of the guest's agent: answers the first lines, and then, as the next one says, hangs,
 * panics the kernel, storms the port with interrupts, or ends. Compiled with TROUBLE, one of these
 * words, it does so by itself 50 ms after it was armed: in the midst of a measurement. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <termios.h>
#include <unistd.h>

enum { DATA = 0x378, CONTROL = DATA + 2, IRQ_ENABLE = 0x10 };

static void panic(void)
{
    int trigger = open("/proc/sysrq-trigger", O_WRONLY);

    if (write(trigger, "c", 1) != 1)
        _exit(4);
}

static void storm(void)
{
    ioperm(DATA, 3, 1);
    for (;;) {
        outb(IRQ_ENABLE, CONTROL);
        outb(0, CONTROL);
    }
}

/* Returns false if the agent is to end. */
static bool trouble(const char *word)
{
    if (strncmp(word, "PANIC", 5) == 0)
        panic();
    else if (strncmp(word, "STORM", 5) == 0)
        storm();
    else if (strncmp(word, "END", 3) == 0) {
        fputs("enough of this\n", stderr);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct termios raw;
    char line[64];
    FILE *host = NULL;

    for (int i = 1; i < argc - 1; i++) {
        if (strcmp(argv[i], "--serial") == 0)
            host = fopen(argv[i + 1], "r+");
    }
    if (host == NULL)
        return 5;
    setbuf(host, NULL);
    tcgetattr(fileno(host), &raw);
    cfmakeraw(&raw);
    tcsetattr(fileno(host), TCSANOW, &raw);
    while (fgets(line, sizeof line, host) != NULL) {
        if (strncmp(line, "HELLO", 5) == 0)
            fputs("OK bad-agent version=0 log=1 tick_hz=1000000000\n", host);
        else if (strncmp(line, "ENV", 3) == 0)
            fputs("OK 2\n{}", host);
#ifdef TROUBLE
        else if (strncmp(line, "ARM", 3) == 0) {
            fputs("OK\n", host);
            usleep(50000);
            if (!trouble(TROUBLE))
                return 6;
        }
#endif
        else if (!trouble(line))
            return 6;
    }
    return 0;
}
