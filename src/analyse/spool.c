#include "analyse/spool.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int spool_nameless(void)
{
	const char *where = getenv("TMPDIR");
	STRBUF_SCOPED b = { 0 };
	int fd;

	strbuf_addf(&b, "%s/foresee-input.XXXXXX", where && *where ? where : "/tmp");
	fd = mkostemp(b.at, O_CLOEXEC);
	if (fd >= 0)
		unlink(b.at);
	return fd;
}

static bool copy(int from, int to)
{
	char piece[1 << 16];
	ssize_t n;

	while ((n = read(from, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || !strbuf_write(to, piece, (size_t)n))
			return false;
	}
	return true;
}

/* What to copy from; -1: it can be read twice as it is, or not at all. */
static int source(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return STDIN_FILENO;
	if (stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* It is read from the copy from now on. */
static bool copy_take(struct spool *s, int fd)
{
	s->fd = fd;
	snprintf(s->name, sizeof(s->name), "/proc/self/fd/%d", fd);
	s->path = s->name;
	return true;
}

bool spool_open(struct spool *s, const char *path)
{
	int from = source(path);
	bool good;

	s->path = s->given = path;
	s->fd = -1;
	if (from < 0)
		return true;
	s->fd = spool_nameless();
	good = s->fd >= 0 && copy(from, s->fd);
	if (!good)
		talk_error("cannot keep '%s' in a temporary file: %s", path, strerror(errno));
	if (from != STDIN_FILENO)
		close(from);
	if (!good) {
		spool_close(s);
		return false;
	}
	return copy_take(s, s->fd);
}

bool spool_shorten(struct spool *s, uint64_t bytes)
{
	int from = open(s->path, O_RDONLY | O_CLOEXEC), fd = -1;
	struct stat st;
	bool good = from >= 0 && fstat(from, &st) == 0 && S_ISREG(st.st_mode) &&
		    (uint64_t)st.st_size > bytes && (fd = spool_nameless()) >= 0;

	for (off_t at = 0; good && (uint64_t)at < bytes;)
		good = sendfile(fd, from, &at, bytes - (uint64_t)at) > 0;
	if (from >= 0)
		close(from);
	if (!good) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	spool_close(s);
	return copy_take(s, fd);
}

void spool_close(struct spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void spool_mend(const struct spool *s, struct diag *d)
{
	const char *known = strcmp(s->given, "-") == 0 ? "(standard input)" : s->given;
	char *at = s->fd < 0 ? NULL : strstr(d->message, s->name);
	struct diag mended = { 0 };

	if (!at)
		return;
	diag_set(&mended, "%.*s%s%s", (int)(at - d->message), d->message, known,
		 at + strlen(s->name));
	*d = mended;
}
