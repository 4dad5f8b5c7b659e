/*
 * How a process ended, said by the one who waited for it.  A process that is killed can say nothing
 * itself; what is written here goes to the head of its trace, which nothing else changes by then.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/trace.h"

_Static_assert(offsetof(struct format_file, end_signal) == offsetof(struct format_file, ended) + 2,
	       "three bytes in a row");

/*
 * Once nobody writes any more the file keeps its size, so the size is noted: a copy that was cut
 * short is then known, even if it was cut between two blocks.  The recorder allocates blocks ahead
 * of the end (capture/file.c); truncating the file to its own size gives them back.
 */
static void size_settle(int fd, pid_t writer)
{
	struct stat st;
	uint64_t size;

	if (writer <= 0 || kill(writer, 0) == 0 || errno != ESRCH || fstat(fd, &st) != 0)
		return;
	size = (uint64_t)st.st_size;
	(void)!ftruncate(fd, st.st_size);
	(void)!pwrite(fd, &size, sizeof(size), offsetof(struct format_file, end_size));
}

static bool fault_write(int fd, uint8_t signal, uint32_t tid)
{
	return pwrite(fd, &signal, 1, offsetof(struct format_file, fault_signal)) == 1 &&
	       pwrite(fd, &tid, 4, offsetof(struct format_file, fault_tid)) == 4;
}

bool trace_end_write(const char *path, const struct trace_end *end, bool *became)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct format_file head;
	uint8_t said[3];
	bool good;

	*became = false;
	if (fd < 0)
		return false;
	good = pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	       memcmp(head.magic, FORMAT_MAGIC, sizeof(head.magic)) == 0;
	if (good) {
		said[0] = (uint8_t)((head.ended & FORMAT_ENDED_BECAME) |
				    (end->signal ? FORMAT_ENDED_KILLED : FORMAT_ENDED_EXITED) |
				    (end->hung ? FORMAT_ENDED_HUNG : 0) |
				    (end->asked ? FORMAT_ENDED_ASKED : 0));
		said[1] = (uint8_t)(end->signal ? 0 : end->status);
		said[2] = (uint8_t)end->signal;
		good = pwrite(fd, said, sizeof(said), offsetof(struct format_file, ended)) ==
		       sizeof(said);
		if (good && end->fault_tid != 0)
			good = fault_write(fd, (uint8_t)end->signal, end->fault_tid);
		*became = said[0] & FORMAT_ENDED_BECAME;
		size_settle(fd, (pid_t)head.pid);
	}
	close(fd);
	return good;
}
