/*
 * How a process ended, said by the one who waited for it.  A process that is killed can say nothing
 * itself; what is written here goes to the head of its trace, which nothing else changes by then.
 */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/trace.h"

_Static_assert(offsetof(struct format_file, end_signal) == offsetof(struct format_file, ended) + 2,
	       "three bytes in a row");

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
		*became = said[0] & FORMAT_ENDED_BECAME;
	}
	close(fd);
	return good;
}
