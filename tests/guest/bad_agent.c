/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of the guest's agent: answers the first line, and then, as the next one says, hangs,
 * panics the kernel, storms the port with interrupts, or ends. */
#define _GNU_SOURCE
#include <fcntl.h>
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
            fputs("OK bad-agent\n", host);
        else if (strncmp(line, "PANIC", 5) == 0)
            panic();
        else if (strncmp(line, "STORM", 5) == 0)
            storm();
        else if (strncmp(line, "END", 3) == 0) {
            fputs("enough of this\n", stderr);
            return 6;
        }
    }
    return 0;
}
