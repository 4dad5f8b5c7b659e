/*
 * Bytes at an offset of a file, all of them: what a signal or the file system has cut short goes on.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/common.h"

/* Bytes read; fewer than n at the end of the file, or (errno set) after an error. */
size_t io_read_at(int fd, uint64_t at, void *into, size_t n);

/* False, errno set: not all of them. */
bool io_write_at(int fd, uint64_t at, const void *from, size_t n);

#endif /* BASE_IO_H */
