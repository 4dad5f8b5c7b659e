#include "base/io.h"

#include <unistd.h>

size_t io_read_at(int fd, uint64_t at, void *into, size_t n)
{
	size_t got = 0;

	errno = 0;
	while (got < n) {
		ssize_t k = pread(fd, (char *)into + got, n - got, (off_t)(at + got));

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		got += (size_t)k;
	}
	return got;
}

bool io_write_at(int fd, uint64_t at, const void *from, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = pwrite(fd, (const char *)from + done, n - done, (off_t)(at + done));

		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = ENOSPC;
		if (k <= 0)
			return false;
		done += (size_t)k;
	}
	return true;
}
