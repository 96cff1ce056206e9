/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../core/measure.h"
#include "../ports/system.h"

/*
 * Bytes that a serial port's driver is given at a time while the target measures. A driver may pass
 * on all that it has within one interrupt, as Linux's does to a port that takes them at once, and no
 * task runs meanwhile.
 */
#define SERIAL_WRITE 64
#define SERIAL_PAUSE_NS 100000

static enum link kind;
static int listener = -1;
static int in = -1, out = -1;

/* --- serial ------------------------------------------------------------------------------------- */

static bool set_raw(int tty, speed_t speed)
{
    struct termios settings;
    if (tcgetattr(tty, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)CRTSCTS;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    cfsetispeed(&settings, speed);
    cfsetospeed(&settings, speed);
    return tcsetattr(tty, TCSAFLUSH, &settings) == 0;
}

static speed_t speed_of(uint32_t baud)
{
    static const struct {
        uint32_t baud;
        speed_t speed;
    } speeds[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},
                  {57600, B57600},   {115200, B115200}, {230400, B230400},
#ifdef B460800
                  {460800, B460800}, {921600, B921600}, {1000000, B1000000},
                  {2000000, B2000000}, {4000000, B4000000},
#endif
    };
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (speeds[i].baud == baud)
            return speeds[i].speed;
    return B0;
}

static bool open_serial(const struct options *options, struct text *why)
{
    speed_t speed = speed_of(options->baud);
    if (speed == B0) {
        text_say(why, "no such rate for --baud: ");
        text_add_u64(why, options->baud);
        return false;
    }
    in = out = open(options->link_name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (in >= 0 && set_raw(in, speed))
        return true;
    return system_refuse(why, options->link_name, errno);
}

/* --- TCP ---------------------------------------------------------------------------------------- */

static bool parse_address(const char *text, struct sockaddr_in *address, struct text *why)
{
    char host[INET_ADDRSTRLEN] = "127.0.0.1";
    const char *colon = strrchr(text, ':');
    const char *port_text = colon ? colon + 1 : text;
    uint64_t port;
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    if (colon && (size_t)(colon - text) < sizeof host) {
        memcpy(host, text, (size_t)(colon - text));
        host[colon - text] = '\0';
    } else if (colon) {
        host[0] = '\0';
    }
    if (parse_u64(port_text, strlen(port_text), &port) && port <= 65535 &&
        inet_pton(AF_INET, host, &address->sin_addr) == 1) {
        address->sin_port = htons((uint16_t)port);
        return true;
    }
    text_say(why, "--tcp must be PORT or ADDRESS:PORT with a numeric IPv4 address: ");
    text_add(why, text);
    return false;
}

static bool open_tcp(const struct options *options, struct text *why)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    int yes = 1;
    char host[INET_ADDRSTRLEN];
    if (!parse_address(options->link_name, &address, why))
        return false;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return system_refuse(why, "socket", errno);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return system_refuse(why, options->link_name, errno);
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    fprintf(stderr, "rig-agent: listening on %s:%u\n", host, ntohs(address.sin_port));
    return true;
}

/* --- all ---------------------------------------------------------------------------------------- */

bool link_open(const struct options *options, struct text *why)
{
    kind = options->link;
    if (kind == LINK_TCP)
        return open_tcp(options, why);
    if (kind == LINK_SERIAL)
        return open_serial(options, why);
    in = STDIN_FILENO;
    out = STDOUT_FILENO;
    return true;
}

/* A host whose cable is pulled says nothing: within a minute another may come. */
static void watch_for_lost_host(void)
{
    const int yes = 1, idle_s = 30, interval_s = 10, probes = 3;
    setsockopt(in, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(in, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(in, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(in, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

bool link_accept(void)
{
    int yes = 1;
    if (kind != LINK_TCP)
        return true;
    do
        in = out = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    while (in < 0 && errno == ECONNABORTED);
    if (in < 0)
        return false;
    setsockopt(in, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    watch_for_lost_host();
    return true;
}

ssize_t link_receive(char *bytes, size_t size)
{
    return read(in, bytes, size);
}

/* As write(2), but nothing that the target measures waits long for a serial port's driver. */
static ssize_t send_some(const char *bytes, size_t count)
{
    const struct timespec pause = {.tv_nsec = SERIAL_PAUSE_NS};
    int waiting;
    if (kind != LINK_SERIAL || !measure_armed())
        return write(out, bytes, count);
    while (ioctl(out, TIOCOUTQ, &waiting) == 0 && waiting > SERIAL_WRITE)
        if (nanosleep(&pause, NULL) != 0)
            return -1;
    return write(out, bytes, count < SERIAL_WRITE ? count : SERIAL_WRITE);
}

bool link_send(void *unused, const void *bytes, size_t count)
{
    const char *at = bytes;
    (void)unused;
    while (count) {
        ssize_t written = send_some(at, count);
        if (written <= 0)
            return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

void link_hang_up(void)
{
    if (kind == LINK_TCP && in >= 0) {
        close(in);
        in = out = -1;
    }
}

bool link_is_shared(void)
{
    return kind == LINK_SERIAL;
}

bool link_stays(void)
{
    return kind != LINK_STDIO;
}
