/*
 * The runtime's own life: switched on by `foresee record' through the
 * environment, silent otherwise.
 *
 *	FORESEE_TRACE    where to write; absent: record nothing
 *	FORESEE_PID      the one process that may
 *	FORESEE_OPTIONS  lines: full, only=PATTERN, ignore=PATTERN
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/file.h"
#include "capture/log.h"
#include "capture/module.h"
#include "capture/real.h"
#include "capture/sync.h"
#include "capture/sys.h"

static pid_t recorded; /* the process */

static void parse_options(const char *s, struct log_options *opt)
{
	while (s != NULL && *s != '\0') {
		const char *end = strchrnul(s, '\n');
		size_t n = (size_t)(end - s);

		if (n == 4 && memcmp(s, "full", 4) == 0) {
			opt->full = true;
		} else if (n > 5 && memcmp(s, "only=", 5) == 0) {
			module_pattern(s + 5, n - 5, true);
			opt->partial = true;
		} else if (n > 7 && memcmp(s, "ignore=", 7) == 0) {
			module_pattern(s + 7, n - 7, false);
			opt->partial = true;
		}
		s = *end == '\0' ? end : end + 1;
	}
}

/* Shadow for where Linux puts programs, heaps, libraries and stacks. */
static bool cover_everything(void)
{
	const uintptr_t block = (uintptr_t)1 << 40;
	const void *places[] = {
		(void *)0x10000,	&foresee_self, sbrk(0), &places, (void *)(uintptr_t)&strlen,
		getenv("FORESEE_TRACE")
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uintptr_t at = (uintptr_t)places[i];

		if (!cell_cover(places[i], 1))
			return false;
		/* Mappings grow downwards from the libraries, heaps upwards from the program. */
		if (at > 2 * block && !cell_cover((void *)(at - block), 1))
			return false;
	}
	return cell_cover((void *)((uintptr_t)sbrk(0) + block), 1) || sbrk(0) == (void *)-1;
}

static void put_process(void)
{
	static uint8_t buffer[8192];
	uint8_t *p = log_varint(buffer, (uint64_t)getpid());
	ssize_t n = readlink("/proc/self/exe", (char *)p, 4000);
	int fd;

	if (n > 0)
		p += n;
	*p++ = '\0';
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = syscall(SYS_read, fd, p, 4000);
		if (n > 0)
			p += n;
		syscall(SYS_close, fd);
	}
	log_control(FORMAT_K_C_PROCESS, buffer, (size_t)(p - buffer));
}

/* The child of a fork runs on unrecorded; the parent's file is not its to touch. */
static void in_child(void)
{
	foresee_self = &thread_gone.view;
	thread_scratch.view.live = THREAD_QUIET;
	log_abandon();
}

static void finish(int status)
{
	struct thread *t = thread_self();

	if (t != &thread_scratch && t != &thread_gone)
		thread_end(t, FORMAT_END_PROCESS);
	log_finish(status);
}

/* Registered before the C library registers the destructors of all objects, so it
 * runs after them: what they do is recorded. */
static void at_exit(int status, void *unused)
{
	(void)unused;
	finish(status & 0xff);
}

static bool begin(void)
{
	const char *path = getenv("FORESEE_TRACE"), *pid = getenv("FORESEE_PID");
	struct log_options opt = { 0 };

	if (path == NULL || (pid != NULL && strtol(pid, NULL, 10) != getpid()))
		return false;
	parse_options(getenv("FORESEE_OPTIONS"), &opt);
	if (!log_start(path, &opt))
		return false;
	put_process();
	if (!cover_everything()) {
		log_trouble("cannot reserve the shadow of the program's memory", errno);
		return false;
	}
	recorded = getpid();
	pthread_atfork(NULL, NULL, in_child);
	on_exit(at_exit, NULL);
	module_start();
	thread_adopt();
	return true;
}

__attribute__((constructor(101))) static void start(void)
{
	if (!begin())
		thread_scratch.view.live = THREAD_QUIET;
}

/* Leaves without destructors.  The child of a vfork does it in our memory. */
static _Noreturn void leave(int status)
{
	if (getpid() == recorded)
		finish(status & 0xff);
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT void _exit(int status)
{
	leave(status);
}

EXPORT void _Exit(int status)
{
	leave(status);
}
