#include "launch/feed.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/side.h"

#define PIECE 65536u
#define END_MS 1000 /* for the process, which has nothing to do but to see that it is over */

static struct {
	bool known;
	off_t where; /* of a file: where it began */
	int kept;    /* what has come so far; 0: nothing is kept */
	int now;     /* the run's; 0 none */
	struct side side;
} feed;

/* ---- in the process ---- */

/* Sends what is kept from `at' on, as much as goes.  False: nobody reads any more. */
static bool give(int to, off_t *at)
{
	char piece[PIECE];
	ssize_t n = pread(feed.kept, piece, sizeof(piece), *at);

	n = n > 0 ? write(to, piece, (size_t)n) : 0;
	if (n > 0)
		*at += n;
	return n >= 0 || errno == EAGAIN;
}

/* Keeps what has come.  False: that was all. */
static bool take(off_t *size)
{
	char piece[PIECE];
	ssize_t n = read(STDIN_FILENO, piece, sizeof(piece));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0 || pwrite(feed.kept, piece, (size_t)n, *size) != n)
		return false;
	*size += n;
	return true;
}

/* What is kept first, and only then what comes: no more is taken than the run asks for, and a pipe holds. */
static int work(void *arg, int stop, int say)
{
	int to = *(const int *)arg;
	off_t at = 0, size = lseek(feed.kept, 0, SEEK_END);
	bool open = true;

	(void)say;
	close(feed.now);
	while (to >= 0) {
		struct pollfd p[] = { { .fd = stop, .events = POLLIN },
				      { .fd = to, .events = at < size ? POLLOUT : 0 },
				      { .fd = at < size ? -1 : STDIN_FILENO, .events = POLLIN } };

		if (poll(p, 3, -1) < 0)
			continue;
		if (p[0].revents)
			return 0;
		if (p[2].revents)
			open = take(&size);
		if ((p[1].revents && !give(to, &at)) || (at == size && !open)) {
			close(to);
			to = -1;
		}
	}
	side_is_over(stop, -1);
	return 0;
}

/* ---- in us ---- */

static int make_kept(void)
{
	const char *where = getenv("TMPDIR");
	int fd = open(where && *where ? where : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd > 0 ? fd : memfd_create("input", MFD_CLOEXEC);
}

static void look(void)
{
	struct stat st;

	if (feed.known)
		return;
	feed.known = true;
	feed.where = -1;
	if (fstat(STDIN_FILENO, &st) != 0)
		return;
	if (S_ISREG(st.st_mode))
		feed.where = lseek(STDIN_FILENO, 0, SEEK_CUR);
	else if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		feed.kept = make_kept();
}

/* Its own place in the file; where it cannot be opened again, ours is set back. */
static int begin_file(void)
{
	int fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);

	if (lseek(fd > 0 ? fd : STDIN_FILENO, feed.where, SEEK_SET) < 0 && fd > 0) {
		close(fd);
		fd = 0;
	}
	return fd > 0 ? fd : 0;
}

static int begin_pipe(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return 0;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	feed.now = ends[0];
	if (!side_start(&feed.side, work, &ends[1])) {
		close(ends[0]);
		ends[0] = 0;
	}
	close(ends[1]);
	return ends[0];
}

int feed_begin(void)
{
	look();
	feed.now = feed.where >= 0 ? begin_file() : feed.kept > 0 ? begin_pipe() : 0;
	return feed.now;
}

void feed_end(void)
{
	side_end(&feed.side, END_MS);
	if (feed.now > 0)
		close(feed.now);
	feed.now = 0;
}
