/*
 * The trace file: slots that chunks are written in, and the end of the file, or the areas
 * (--keep), where finished chunks go.
 *
 * Slots are mapped from the file, so what a killed program wrote in them is in
 * the file already.  A finished chunk is copied to the end with one pwrite:
 * twice as fast as mapping fresh pages for every chunk (0.35 against 0.8 s per
 * GiB on the machine this was built on), and the slot stays in the cache.
 *
 * Threads: file_slot_* and, with areas, file_append_chunk take a lock inside; file_append needs
 * none.
 */
#ifndef CAPTURE_FILE_H
#define CAPTURE_FILE_H

#include "capture/common.h"

/* Creates path with its header; it must not exist yet.  "": nothing is kept of what is recorded, and
 * children of fork may go on with it.  keep: bytes of chunks to keep, 0 all.
 * False, errno set: cannot. */
bool file_create(const char *path, uint32_t flags, uint64_t keep);
void file_close(void);
/* The process that writes it, for the head of the file; 0: between two processes. */
void file_owner(uint32_t pid);
/* exec is about to be called (true), or has failed. */
void file_became(bool became);
/* A signal is about to kill the process, in this thread; for handlers of signals. */
void file_fault(uint8_t signal, uint32_t tid);
/* In a forked child that goes on with the recording: free slots are not mapped in it. */
void file_follow(void);
/* Is it the descriptor of the trace, which the program does not know of? */
bool file_is_descriptor(int fd);

/* Slots have FILE_SIZES sizes, up to FORMAT_SLOT_SIZE: most threads record little. */
#define FILE_SIZES 3u
uint32_t file_slot_bytes(unsigned size);
/* A free slot of that size; NULL, errno set: the file cannot grow. */
struct format_chunk *file_slot_take(unsigned size);
/* The slot is free; its content stays until it is taken again, so the last chunks of threads are
 * there even if the end of the file gets lost.  With areas the content goes. */
void file_slot_give(struct format_chunk *slot, unsigned size);

/* Appends n bytes, padded to FORMAT_ALIGN, for good.  False, errno set: it cannot. */
bool file_append(const void *data, size_t n);
/* The same for a closed chunk of a thread, which goes to an area if there are any. */
bool file_append_chunk(const struct format_chunk *c);
/* Areas begun so far. */
uint32_t file_generation(void);
/* True once, after less than --keep asks for found room. */
bool file_is_short(void);

#endif /* CAPTURE_FILE_H */
