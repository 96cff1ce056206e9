/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tries the kernel module on a machine whose parallel port gets interrupts, or whose D6 is wired
 * to nACK. Runs as the only user of the device. Every check that fails is a line "FAIL ..." and
 * exit code 1.
 *
 *	lrig-test info				what LRIG_INFO says
 *	lrig-test refuse			all that must be refused, is
 *	lrig-test run KEY=VALUE...		arm, wait, stop, check the log
 *	lrig-test trigger KEY=VALUE...		the same, making the interrupts through D6
 *	lrig-test dispatch KEY=VALUE...		the same, spinning as the interrupted task
 *	lrig-test hold KEY=VALUE...		arm and wait; ends by close, not by LRIG_STOP
 *	lrig-test race KEY=VALUE...		all calls at once from four processes on one descriptor
 *
 * Keys: the members of struct lrig_arm; wait_ms; interval_us and triggers (trigger, dispatch);
 * expect (handled, exactly); dump=1 prints the log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "latency_rig.h"

struct job {
	struct lrig_arm arm;
	uint64_t wait_ms, interval_us, triggers, expect, dump;
	int expecting;
};

static int failures;

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...)
{
	va_list arguments;

	printf("FAIL ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	failures++;
}

static void die(const char *what)
{
	printf("FAIL %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_device(void)
{
	int fd = open(LRIG_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(LRIG_DEVICE);
	return fd;
}

static struct lrig_info get_info(int fd)
{
	struct lrig_info info;

	memset(&info, 0xff, sizeof(info));
	if (ioctl(fd, LRIG_INFO, &info))
		die("LRIG_INFO");
	return info;
}

static uint64_t ticks(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static void sleep_us(uint64_t us)
{
	struct timespec left = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* --- arguments -------------------------------------------------------------------------------- */

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end) {
		fprintf(stderr, "lrig-test: not a number: %s\n", text);
		exit(2);
	}
	return value;
}

static void set(struct job *job, const char *key, uint64_t value)
{
	if (!strcmp(key, "capacity"))
		job->arm.capacity = value;
	else if (!strcmp(key, "period_ns"))
		job->arm.period_ns = value;
	else if (!strcmp(key, "count"))
		job->arm.count = value;
	else if (!strcmp(key, "mode"))
		job->arm.mode = (uint32_t)value;
	else if (!strcmp(key, "sequence_bits"))
		job->arm.sequence_bits = (uint32_t)value;
	else if (!strcmp(key, "flags"))
		job->arm.flags = (uint32_t)value;
	else if (!strcmp(key, "priority"))
		job->arm.priority = (int32_t)value;
	else if (!strcmp(key, "cpu"))
		job->arm.cpu = (int32_t)value;
	else if (!strcmp(key, "wait_ms"))
		job->wait_ms = value;
	else if (!strcmp(key, "interval_us"))
		job->interval_us = value;
	else if (!strcmp(key, "triggers"))
		job->triggers = value;
	else if (!strcmp(key, "expect"))
		job->expect = value, job->expecting = 1;
	else if (!strcmp(key, "dump"))
		job->dump = value;
	else {
		fprintf(stderr, "lrig-test: unknown key %s\n", key);
		exit(2);
	}
}

static struct job parse(int argc, char **argv)
{
	struct job job = {.arm = {.capacity = 10000, .cpu = -1}, .interval_us = 1000};

	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value) {
			fprintf(stderr, "lrig-test: KEY=VALUE expected, got %s\n", argv[i]);
			exit(2);
		}
		*value++ = '\0';
		set(&job, argv[i], number(value));
	}
	return job;
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refused(const char *what, int result, int expected)
{
	if (result >= 0)
		fail("%s: accepted, expected %s", what, strerror(expected));
	else if (errno != expected)
		fail("%s: %s, expected %s", what, strerror(errno), strerror(expected));
}

static uint32_t some_mode(int fd)
{
	uint32_t modes = get_info(fd).modes;

	return modes & 1u << LRIG_MODE_PARPORT ? LRIG_MODE_PARPORT : LRIG_MODE_HARD;
}

static void refuse_values(int fd)
{
	static const struct {
		const char *what;
		struct lrig_arm arm;
	} bad[] = {
		{"capacity 0", {.capacity = 0, .cpu = -1}},
		{"capacity above the limit", {.capacity = LRIG_MAX_CAPACITY + 1, .cpu = -1}},
		{"capacity 2^64-1", {.capacity = UINT64_MAX, .cpu = -1}},
		{"unknown mode", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_TASKLET + 1}},
		{"mode 2^32-1", {.capacity = 1, .cpu = -1, .mode = UINT32_MAX}},
		{"unknown flag", {.capacity = 1, .cpu = -1, .flags = LRIG_ARM_STREAM << 1}},
		{"flag 31", {.capacity = 1, .cpu = -1, .flags = 1u << 31}},
		{"both edges", {.capacity = 1, .cpu = -1, .flags = 3}},
		{"8 sequence bits", {.capacity = 1, .cpu = -1, .sequence_bits = 8}},
		{"7 with dispatch", {.capacity = 1, .cpu = -1, .sequence_bits = 7,
				     .flags = LRIG_ARM_DISPATCH}},
		{"6 with trigger", {.capacity = 1, .cpu = -1, .sequence_bits = 6,
				    .flags = LRIG_ARM_SELF_TRIGGER}},
		{"dispatch of a thread", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_THREAD,
					  .flags = LRIG_ARM_DISPATCH}},
		{"parport via parport", {.capacity = 1, .cpu = -1, .flags = LRIG_ARM_VIA_PARPORT}},
		{"low without trigger", {.capacity = 1, .cpu = -1, .flags = LRIG_ARM_TRIGGER_LOW}},
		{"period without period", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_PERIOD}},
		{"period too short", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_PERIOD,
				      .period_ns = LRIG_MIN_PERIOD_NS - 1}},
		{"period too long", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_PERIOD,
				     .period_ns = LRIG_MAX_PERIOD_NS + 1}},
		{"edge of a period", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_PERIOD,
				      .period_ns = 1000000, .flags = LRIG_ARM_RISING}},
		{"period of an interrupt", {.capacity = 1, .cpu = -1, .period_ns = 1000000}},
		{"count of interrupts", {.capacity = 1, .cpu = -1, .count = 1}},
		{"priority of a handler", {.capacity = 1, .cpu = -1, .priority = 1}},
		{"priority of a work item", {.capacity = 1, .cpu = -1,
					     .mode = LRIG_MODE_WORKQUEUE, .priority = 1}},
		{"priority 100", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_THREAD,
				  .priority = 100}},
		{"priority -1", {.capacity = 1, .cpu = -1, .mode = LRIG_MODE_THREAD,
				 .priority = -1}},
		{"cpu -2", {.capacity = 1, .cpu = -2}},
		{"cpu 100000", {.capacity = 1, .cpu = 100000}},
		{"cpu INT_MAX", {.capacity = 1, .cpu = INT32_MAX}},
		{"reserved 0", {.capacity = 1, .cpu = -1, .reserved = {1}}},
		{"reserved 6", {.capacity = 1, .cpu = -1, .reserved = {[6] = 1}}},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused(bad[i].what, ioctl(fd, LRIG_ARM, &bad[i].arm), EINVAL);
}

static void refuse_calls(int fd)
{
	void *nowhere = (void *)8;
	struct lrig_summary summary;
	struct lrig_answer answer = {1, ticks()};
	char buffer[2 * sizeof(struct lrig_record)];

	refused("unknown ioctl", ioctl(fd, _IO(LRIG_IOC_MAGIC, 0xaf)), ENOTTY);
	refused("LRIG_ARM of another size", ioctl(fd, _IOW(LRIG_IOC_MAGIC, 0xa1, char[64]), buffer),
		ENOTTY);
	refused("LRIG_INFO to nowhere", ioctl(fd, LRIG_INFO, nowhere), EFAULT);
	refused("LRIG_ARM from nowhere", ioctl(fd, LRIG_ARM, nowhere), EFAULT);
	refused("LRIG_ANSWER from nowhere", ioctl(fd, LRIG_ANSWER, nowhere), EFAULT);
	refused("LRIG_STOP unarmed", ioctl(fd, LRIG_STOP, &summary), EINVAL);
	refused("LRIG_TRIGGER unarmed", ioctl(fd, LRIG_TRIGGER), EINVAL);
	refused("LRIG_ANSWER unarmed", ioctl(fd, LRIG_ANSWER, &answer), EINVAL);
	refused("second open", open(LRIG_DEVICE, O_RDWR), EBUSY);
	refused("read of half a record", (int)pread(fd, buffer, 20, 0), EINVAL);
	refused("read at half a record", (int)pread(fd, buffer, 40, 20), EINVAL);
	refused("read before the log", (int)pread(fd, buffer, 40, -40), EINVAL);
	refused("write", (int)pwrite(fd, buffer, 40, 0), EINVAL);
	if (pread(fd, buffer, 80, 0) != 0 || pread(fd, buffer, 40, 40ll << 50) != 0)
		fail("the log is not empty");
}

static void refuse_maps(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		die("mmap");
	refused("write access later", mprotect(map, page, PROT_READ | PROT_WRITE), EACCES);
	munmap(map, page);
	errno = 0;
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	refused("map for writing", map == MAP_FAILED ? -1 : 0, EPERM);
	map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	refused("map of two pages", map == MAP_FAILED ? -1 : 0, EINVAL);
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)page);
	refused("map of the second page", map == MAP_FAILED ? -1 : 0, EINVAL);
}

static void refuse_while_armed(int fd)
{
	struct lrig_arm arm = {.capacity = 1, .mode = some_mode(fd), .cpu = -1};
	struct lrig_summary summary;
	struct lrig_answer answer = {1, ticks()};
	char buffer[sizeof(struct lrig_record)];

	if (ioctl(fd, LRIG_ARM, &arm))
		die("LRIG_ARM");
	if (!(get_info(fd).flags & LRIG_INFO_ARMED) || get_info(fd).modes)
		fail("LRIG_INFO does not tell that it is armed");
	refused("second LRIG_ARM", ioctl(fd, LRIG_ARM, &arm), EBUSY);
	refused("read while armed", (int)pread(fd, buffer, 40, 0), EBUSY);
	refused("LRIG_ANSWER without dispatch", ioctl(fd, LRIG_ANSWER, &answer), EINVAL);
	refused("LRIG_TRIGGER without self-trigger", ioctl(fd, LRIG_TRIGGER), EINVAL);
	refused("LRIG_STOP to nowhere", ioctl(fd, LRIG_STOP, (void *)8), EFAULT);
	refused("LRIG_STOP again", ioctl(fd, LRIG_STOP, &summary), EINVAL);
}

static void refuse_line(int fd)
{
	struct lrig_info info = get_info(fd);
	struct lrig_arm arm = {.capacity = 1, .mode = LRIG_MODE_HARD, .cpu = -1};

	if (!(info.modes & 1u << LRIG_MODE_HARD))
		refused("own handler beside the parport driver's", ioctl(fd, LRIG_ARM, &arm), EBUSY);
	if (!(info.modes & 1u << LRIG_MODE_PARPORT)) {
		arm.mode = LRIG_MODE_PARPORT;
		refused("PARPORT without its interrupt", ioctl(fd, LRIG_ARM, &arm),
			info.flags & LRIG_INFO_PARPORT ? ENXIO : ENODEV);
	}
#if defined(__x86_64__)
	arm.mode = some_mode(fd);
	arm.flags = LRIG_ARM_FALLING;
	refused("falling edge of an ISA line", ioctl(fd, LRIG_ARM, &arm), EOPNOTSUPP);
#endif
}

/* A log as large as the memory must be refused without a process being killed for it. */
static void refuse_memory(int fd)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct lrig_arm arm = {.mode = some_mode(fd), .cpu = -1};

	arm.capacity = bytes / sizeof(struct lrig_record);
	if (arm.capacity <= LRIG_MAX_CAPACITY)
		refused("log as large as the memory", ioctl(fd, LRIG_ARM, &arm), ENOMEM);
}

/* --- measuring -------------------------------------------------------------------------------- */

static struct lrig_record *read_log(int fd, uint64_t records)
{
	size_t bytes = records * sizeof(struct lrig_record);
	struct lrig_record *log = malloc(bytes + 1);
	char beyond[sizeof(struct lrig_record)];

	if (!log)
		die("log");
	for (size_t done = 0; done < bytes;) {
		ssize_t got = pread(fd, (char *)log + done, bytes - done, (off_t)done);

		if (got <= 0)
			die("pread");
		done += (size_t)got;
	}
	if (pread(fd, beyond, sizeof(beyond), (off_t)bytes) != 0)
		fail("the log goes on after its end");
	return log;
}

static void check_log(const struct lrig_record *log, uint64_t records, uint64_t handled)
{
	uint64_t entry = 0;

	for (uint64_t i = 0; i < records; i++) {
		const struct lrig_record *record = &log[i];

		if (record->sequence != i)
			fail("record %llu: sequence", (unsigned long long)i);
		if (!(record->flags & LRIG_RECORD_ENTRY) && record->lead_ticks)
			fail("record %llu: a lead without an entry", (unsigned long long)i);
		if (record->flags & LRIG_RECORD_ENTRY) {
			if (record->before_ticks - record->lead_ticks < entry)
				fail("record %llu: entered before the last one", (unsigned long long)i);
			entry = record->before_ticks - record->lead_ticks;
		}
		if (record->after_ticks <= record->before_ticks)
			fail("record %llu: no time in its write", (unsigned long long)i);
		if (record->handled > handled || (i && record->handled < log[i - 1].handled))
			fail("record %llu: handled", (unsigned long long)i);
		if (i && record->before_ticks < log[i - 1].after_ticks)
			fail("record %llu: before the last one's end", (unsigned long long)i);
	}
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void print_spread(const char *what, uint64_t *values, uint64_t n)
{
	if (!n)
		return;
	qsort(values, n, sizeof(*values), by_value);
	printf("SPREAD %s n=%llu min=%llu median=%llu p99=%llu max=%llu ticks\n", what,
	       (unsigned long long)n, (unsigned long long)values[0],
	       (unsigned long long)values[n / 2], (unsigned long long)values[n * 99 / 100],
	       (unsigned long long)values[n - 1]);
}

/* From a record with flag `from` to the next one with flag `to` (0: a plain answer). */
static void print_gaps(const char *what, const struct lrig_record *log, uint64_t records,
		       uint32_t from, uint32_t to)
{
	uint32_t kinds = LRIG_RECORD_SPAN | LRIG_RECORD_TASK | LRIG_RECORD_TRIGGER;
	uint64_t *values = malloc(records * sizeof(*values) + 1), n = 0;

	if (!values)
		die("gaps");
	for (uint64_t i = 1; i < records; i++)
		if ((log[i - 1].flags & kinds) == from && (log[i].flags & kinds) == to)
			values[n++] = log[i].before_ticks - log[i - 1].after_ticks;
	print_spread(what, values, n);
	free(values);
}

static void report(int fd, const struct job *job)
{
	struct lrig_summary summary;
	struct lrig_record *log;
	uint64_t flagged[6] = {0};

	if (ioctl(fd, LRIG_STOP, &summary))
		die("LRIG_STOP");
	log = read_log(fd, summary.records);
	check_log(log, summary.records, summary.handled);
	for (uint64_t i = 0; i < summary.records; i++)
		for (int bit = 0; bit < 6; bit++)
			flagged[bit] += log[i].flags >> bit & 1;
	printf("SUMMARY mode=%u handled=%llu records=%llu dropped=%llu flags=%llu missed=%llu "
	       "coalesced=%llu span=%llu task=%llu trigger=%llu of_task=%llu\n",
	       job->arm.mode, (unsigned long long)summary.handled,
	       (unsigned long long)summary.records, (unsigned long long)summary.dropped,
	       (unsigned long long)summary.flags, (unsigned long long)flagged[0],
	       (unsigned long long)flagged[1], (unsigned long long)flagged[2],
	       (unsigned long long)flagged[3], (unsigned long long)flagged[4],
	       (unsigned long long)flagged[5]);
	if (job->expecting && summary.handled != job->expect)
		fail("handled %llu, expected %llu", (unsigned long long)summary.handled,
		     (unsigned long long)job->expect);
	if (summary.records + summary.dropped > job->arm.capacity && !summary.dropped)
		fail("more records than capacity");
	if (summary.dropped && summary.records != job->arm.capacity)
		fail("dropped records of a log that is not full");
	print_gaps("trigger-to-answer", log, summary.records, LRIG_RECORD_TRIGGER, 0);
	print_gaps("dispatch", log, summary.records, LRIG_RECORD_SPAN, LRIG_RECORD_TASK);
	for (uint64_t i = 0; job->dump && i < summary.records; i++)
		printf("R %llu %llu %llu %llu %u\n", (unsigned long long)log[i].sequence,
		       (unsigned long long)log[i].handled,
		       (unsigned long long)log[i].before_ticks,
		       (unsigned long long)log[i].after_ticks, log[i].flags);
	free(log);
}

static void arm(int fd, const struct job *job)
{
	if (ioctl(fd, LRIG_ARM, &job->arm))
		die("LRIG_ARM");
}

static void measure_triggered(int fd, struct job *job)
{
	job->arm.flags |= LRIG_ARM_SELF_TRIGGER;
	arm(fd, job);
	for (uint64_t i = 0; i < job->triggers; i++) {
		if (ioctl(fd, LRIG_TRIGGER))
			die("LRIG_TRIGGER");
		sleep_us(job->interval_us);
	}
	sleep_us(job->wait_ms * 1000);
	report(fd, job);
}

/* Spins for wait_ms of the counter, or until `expect` interrupts were seen. */
static void measure_dispatch(int fd, struct job *job)
{
	const volatile struct lrig_state *state =
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	uint64_t seen = 0, end, changed = 0;

	if (state == MAP_FAILED)
		die("mmap");
	job->arm.flags |= LRIG_ARM_DISPATCH;
	arm(fd, job);
	end = ticks() + job->wait_ms * (get_info(fd).tick_hz / 1000);
	for (;;) {
		uint64_t handled = state->handled, now = ticks();
		struct lrig_answer told = {handled, now};

		if (now > end || (job->expecting && seen >= job->expect))
			break;
		if (handled == seen)
			continue;
		if (ioctl(fd, LRIG_ANSWER, &told))
			changed++;
		seen = handled;
	}
	report(fd, job);
	if (changed)
		printf("UNANSWERED %llu\n", (unsigned long long)changed);
}

static void measure(int fd, struct job *job)
{
	arm(fd, job);
	sleep_us(job->wait_ms * 1000);
	report(fd, job);
}

/* --- all at once ------------------------------------------------------------------------------ */

static void expect_only(const char *what, int result, int first, int second)
{
	if (result < 0 && errno != first && errno != second)
		fail("%s: %s", what, strerror(errno));
}

static void race_arm(int fd, const struct job *job)
{
	struct lrig_arm options = job->arm;

	options.flags |= LRIG_ARM_SELF_TRIGGER;
	expect_only("LRIG_ARM", ioctl(fd, LRIG_ARM, &options), EBUSY, EBUSY);
}

static void race_stop(int fd, const struct job *job)
{
	struct lrig_summary summary;

	(void)job;
	sleep_us(300);
	expect_only("LRIG_STOP", ioctl(fd, LRIG_STOP, &summary), EINVAL, EINVAL);
}

static void race_pins(int fd, const struct job *job)
{
	struct lrig_answer told = {1, ticks()};

	(void)job;
	expect_only("LRIG_TRIGGER", ioctl(fd, LRIG_TRIGGER), EINVAL, EINVAL);
	expect_only("LRIG_ANSWER", ioctl(fd, LRIG_ANSWER, &told), EINVAL, EINVAL);
}

static void race_read(int fd, const struct job *job)
{
	struct lrig_record log[100];
	ssize_t got = pread(fd, log, sizeof(log), 0);

	(void)job;
	get_info(fd);
	expect_only("pread", (int)got, EBUSY, EBUSY);
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*log); i++)
		if (log[i].sequence != (uint64_t)i || log[i].after_ticks <= log[i].before_ticks)
			fail("record %zd is not whole", i);
}

static void race(int fd, const struct job *job)
{
	static void (*const racers[])(int, const struct job *) = {race_arm, race_stop, race_pins,
								  race_read};
	uint64_t end = ticks() + job->wait_ms * (get_info(fd).tick_hz / 1000);
	unsigned long turns = 0;

	for (int i = 0; i < 4; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (child)
			continue;
		for (; ticks() < end; turns++)
			racers[i](fd, job);
		printf("RACER %d turns=%lu\n", i, turns);
		fflush(stdout);
		_exit(failures != 0);
	}
	for (int i = 0; i < 4; i++) {
		int status;

		if (wait(&status) < 0 || status)
			fail("a racer failed");
	}
}

static void print_info(int fd)
{
	struct lrig_info info = get_info(fd);

	for (int i = 0; i < 8; i++)
		if (info.reserved[i])
			fail("reserved field %d is not zero", i);
	printf("INFO version=%u flags=%#x tick_hz=%llu base=%#x irq=%d line=%.32s counter=%u "
	       "modes=%#x\n",
	       info.version, info.flags, (unsigned long long)info.tick_hz, info.base, info.irq,
	       info.line, info.counter, info.modes);
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	struct job job = parse(argc > 2 ? argc - 2 : 0, argv + 2);
	int fd = open_device();

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!strcmp(command, "info")) {
		print_info(fd);
	} else if (!strcmp(command, "refuse")) {
		refuse_calls(fd);
		refuse_values(fd);
		refuse_maps(fd);
		refuse_line(fd);
		refuse_memory(fd);
		refuse_while_armed(fd);
		printf("REFUSE %s\n", failures ? "not all" : "all");
	} else if (!strcmp(command, "run")) {
		measure(fd, &job);
	} else if (!strcmp(command, "trigger")) {
		measure_triggered(fd, &job);
	} else if (!strcmp(command, "dispatch")) {
		measure_dispatch(fd, &job);
	} else if (!strcmp(command, "race")) {
		race(fd, &job);
	} else if (!strcmp(command, "hold")) {
		arm(fd, &job);
		printf("HOLDING\n");
		fflush(stdout);
		sleep_us(job.wait_ms * 1000);
	} else {
		fprintf(stderr, "usage: lrig-test info|refuse|run|trigger|dispatch|hold|race "
				"[KEY=VALUE ...]\n");
		return 2;
	}
	close(fd);
	return failures != 0;
}
