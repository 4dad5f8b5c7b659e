/*
 * What a call has left in memory, looked at by code that is not recorded.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The first byte that is not as all were; -1: there is none. */
long watch_find(const void *p, size_t n, int fill);

/* The bytes, up to 4096, are kept; the first that is not any more as it was kept, or -1. */
void watch_keep(const void *p, size_t n);
long watch_changed(const void *p, size_t n);

uint64_t watch_word(const uint64_t *p);

/* Back to the beginning of files. */
void watch_rewind(FILE *f, int fd);

/* Tells the other thread by how many files may be open, which sysconf says and nobody takes for an order, and waits
 * until it has ended: there is no thread of that name. */
#define WATCH_FILES(i) (700L + (i) % 2)
#define WATCH_OTHER "other"
void watch_called(int i);

#endif /* WATCH_H */
