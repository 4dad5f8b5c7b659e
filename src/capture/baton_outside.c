/*
 * Runs are to have nothing to do with each other, but files and sockets outlast them.  That a run has
 * written to some is noted, so that the explorer can say so.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "capture/baton.h"
#include "capture/sys.h"

static bool is_written(int fd)
{
	long flags = syscall(SYS_fcntl, fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* A pair of sockets that nobody else can find is the run's own. */
static bool has_name(int fd)
{
	const int calls[] = { SYS_getsockname, SYS_getpeername };

	for (unsigned i = 0; i < 2; i++) {
		struct sockaddr_un at = { .sun_family = AF_UNSPEC };
		socklen_t n = sizeof(at);

		if (syscall(calls[i], fd, &at, &n) == 0 &&
		    (at.sun_family != AF_UNIX || n > offsetof(struct sockaddr_un, sun_path)))
			return true;
	}
	return false;
}

void baton_outside(int fd)
{
	struct stat st;
	SYS_KEEPS_ERRNO;

	if (fd <= STDERR_FILENO || syscall(SYS_fstat, fd, &st) != 0)
		return;
	if (S_ISREG(st.st_mode) && !(baton_head->outside & BATON_OUTSIDE_FILES) && is_written(fd))
		baton_head->outside |= BATON_OUTSIDE_FILES;
	if (S_ISSOCK(st.st_mode) && !(baton_head->outside & BATON_OUTSIDE_SOCKETS) && has_name(fd))
		baton_head->outside |= BATON_OUTSIDE_SOCKETS;
}
