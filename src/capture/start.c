/*
 * The runtime's own life: switched on by `foresee record' through the
 * environment, silent otherwise.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/file.h"
#include "capture/log.h"
#include "capture/real.h"
#include "capture/start.h"
#include "capture/sync.h"
#include "capture/sys.h"

static pid_t recorded; /* the process */

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
	struct log_options opt = { 0 };
	const char *path = start_asked(&opt);

	if (path == NULL || !log_start(path, &opt))
		return false;
	put_process();
	if (!start_prepare())
		return false;
	recorded = getpid();
	pthread_atfork(NULL, NULL, in_child);
	on_exit(at_exit, NULL);
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
