/*
 * The outer layer of a recording: which chunks there are, and their bytes.
 *
 * Opening scans the heads of all blocks once, as far as the file reached at
 * that moment; records are read chunk by chunk when asked for.  Whatever is
 * damaged is skipped and named in the notes.
 *
 * Ownership: the caller owns the struct; notes are borrowed and outlive it.
 */
#ifndef TRACE_BLOCKS_H
#define TRACE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/status.h"
#include "base/vec.h"
#include "trace/format.h"

struct diag;
struct notes;

#define BLOCKS_CHUNK_MAX (16u << 20) /* bytes of records; more is damage */

struct blocks_chunk {
	uint64_t offset; /* of its head in the file */
	uint64_t first_tseq, nevents, start_ns;
	uint32_t nitems;
	uint64_t sum;
	uint32_t number;
	uint32_t room; /* closed: bytes of records; open: bytes there may be */
	uint32_t nlate;
	bool closed, last;
};

struct blocks_thread {
	uint32_t tid;
	/* Sorted by number, a closed copy before one in a slot. */
	VEC(struct blocks_chunk) chunks;
	uint32_t count; /* chunks 0 .. count - 1 are there */
	bool gap;	/* more were found after a gap */
};

struct blocks {
	int fd;
	uint64_t size; /* of the file when it was opened */
	struct format_file head;
	struct notes *notes;
	bool damaged;
	VEC(struct blocks_thread) threads; /* sorted by tid; the control stream is tid 0 */
	struct map by_tid;		   /* tid to place in threads + 1, while scanning */
	uint8_t *cache;			   /* for scanning */
	uint64_t cache_at, cache_n;
};

/* Errors: no such file, not a recording, a newer version.  Damage is no error. */
enum status blocks_open(struct blocks *b, const char *path, struct notes *notes, struct diag *d)
	__attribute__((warn_unused_result));
void blocks_close(struct blocks *b);

/* NULL when nothing of the thread is in the file. */
struct blocks_thread *blocks_thread(struct blocks *b, uint32_t tid);

/*
 * The records of one chunk: its best copy in *which, its bytes (caller frees
 * with mem_free) in *bytes, *n of them.  False, with a note, when no copy is good.
 */
bool blocks_load(struct blocks *b, const struct blocks_thread *t, uint32_t number,
		 struct blocks_chunk *which, uint8_t **bytes, uint32_t *n);

#endif /* TRACE_BLOCKS_H */
