/*
 * Start and end of the runtime.  `foresee record' switches it on through the
 * environment; otherwise it does nothing.
 */
#include "capture/create_priv.h"
#include "capture/guard.h"
#include "capture/process.h"
#include "capture/sync.h"

#define NAME_ROOM 4096u
#define ARGUMENTS_ROOM 32768u /* of a longer command line the end is missing */

/* The value of NAME= in a line of n bytes; kept: what it is in other lines. */
static uint64_t option_number(const char *line, size_t n, const char *name, uint64_t kept)
{
	size_t k = strlen(name);

	return n > k && memcmp(line, name, k) == 0 ? strtoull(line + k, NULL, 10) : kept;
}

void start_options(struct log_options *opt, const char *lines, const char *cut)
{
	size_t n;

	opt->asked = lines;
	opt->cut = cut != NULL ? strtoull(cut, NULL, 10) : 0;
	opt->partial = opt->locks;
	for (const char *s = lines; s != NULL && *s != '\0'; s += n, s += *s == '\n') {
		n = strcspn(s, "\n");
		opt->full |= !opt->locks && n == 4 && memcmp(s, "full", 4) == 0;
		opt->follow |= n == 11 && memcmp(s, "follow-fork", 11) == 0;
		opt->linger = option_number(s, n, "linger=", opt->linger);
		opt->keep = option_number(s, n, "keep=", opt->keep);
		opt->partial |= start_option(s, n);
	}
}

/* What somebody needs who wants to run it again. */
static void put_process(void)
{
	static uint8_t buffer[NAME_ROOM + ARGUMENTS_ROOM + 16];
	uint8_t *p = log_varint(buffer, (uint64_t)getpid());
	ssize_t n = readlink("/proc/self/exe", (char *)p, NAME_ROOM);
	int fd;

	if (n > 0)
		p += n;
	*p++ = '\0';
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = syscall(SYS_read, fd, p, ARGUMENTS_ROOM);
		if (n > 0)
			p += n;
		syscall(SYS_close, fd);
	}
	log_control(FORMAT_K_C_PROCESS, buffer, (size_t)(p - buffer));
}

/* Where it was started, and what was asked of the recorder. */
static void put_start(const char *options)
{
	static uint8_t buffer[2 * NAME_ROOM + 16];
	uint8_t *p = log_varint(buffer, format_kind_more(FORMAT_K_C_START));
	ssize_t n = readlink("/proc/self/cwd", (char *)p, NAME_ROOM);
	size_t most = options != NULL ? strlen(options) : 0;

	if (n > 0)
		p += n;
	*p++ = '\0';
	if (most <= NAME_ROOM && most != 0) {
		memcpy(p, options, most);
		p += most;
	}
	log_control(FORMAT_K_C_START, buffer, (size_t)(p - buffer));
}

static void finish(int status)
{
	struct thread *t = thread_self();

	if (control_on)
		control_exit();
	if (!thread_is_nobody(t))
		thread_end(t, FORMAT_END_PROCESS);
	if (guard_on)
		guard_finish();
	if (control_bare)
		return;
	fork_finish();
	log_finish(status);
}

/* Registered before the C library registers the destructors of all objects, so it
 * runs after them: what they do is recorded. */
static void at_exit(int status, void *unused)
{
	(void)unused;
	finish(status & 0xff);
}

#define PROGRAMS 99u /* that one process may become */

static char trace[NAME_ROOM];
static size_t ntrace; /* of its name as it was asked for; 0: too long for more than one */
static unsigned program = 1;

/* TRACE is the first program's, TRACE.2 that of what it became by exec. */
static void name_trace(unsigned n)
{
	char *end = trace + ntrace;

	*end = '\0';
	if (n == 1)
		return;
	*end++ = '.';
	if (n >= 10)
		*end++ = (char)('0' + n / 10);
	*end++ = (char)('0' + n % 10);
	*end = '\0';
}

/* If the file exists, it is the trace of the program that became this one by exec. */
static bool create_trace(const char *path, const struct log_options *opt)
{
	if (strlen(path) + 4 > NAME_ROOM)
		return log_start(path, opt);
	ntrace = strlen(path);
	memcpy(trace, path, ntrace);
	for (program = 1; program <= PROGRAMS; program++) {
		name_trace(program);
		if (log_start(trace, opt))
			return true;
		if (errno != EEXIST)
			break;
	}
	return false;
}

const char *start_next(void)
{
	if (ntrace != 0 && program < PROGRAMS) {
		name_trace(program + 1);
		(void)unlink(trace);
	}
	return trace;
}

extern void *__dso_handle __attribute__((visibility("hidden")));
extern int __cxa_at_quick_exit(void (*f)(void *), void *image);

/* A handler of at_quick_exit; it runs after those of the program, for it was registered first. */
static int quick_status;

static void at_quick(void *unused)
{
	(void)unused;
	if (fork_is_recorded())
		finish(quick_status & 0xff);
}

static bool begin(void)
{
	struct log_options opt = { 0 };
	const char *path = start_asked(&opt);
	const struct thread *first;

	if (path == NULL && guard_start()) {
		log_silent();
	} else {
		if (path == NULL || !create_trace(path, &opt))
			return false;
		put_process();
		put_start(opt.asked);
	}
	if (!start_prepare())
		return false;
	fork_start(opt.follow);
	signal_start();
	linger_set(opt.linger);
	REAL(on_exit)(at_exit, NULL); /* not as the program does: no thread is known yet */
	REAL(__cxa_at_quick_exit)(at_quick, &__dso_handle);
	first = thread_adopt();
	if (first != NULL)
		create_first(first);
	return true;
}

__attribute__((constructor(101))) static void start(void)
{
	if (!begin()) {
		thread_scratch.view.live = THREAD_QUIET;
		start_not();
	}
}

/* Ends without destructors.  Also called by the child of a vfork, in our memory. */
static _Noreturn void leave(int status)
{
	if (fork_is_recorded())
		finish(status & 0xff);
	for (;;)
		syscall(SYS_exit_group, status);
}

#define INTERPOSED_ENDS
#include "capture/interposed.def"
