/*
 * The outer layer of a recording: which chunks there are, and their bytes.
 *
 * Opening scans the heads of all blocks once, as far as the file reached at
 * that moment; records are read chunk by chunk when asked for, those in slots
 * at once, for a live writer goes on to use them.  Whatever is damaged is
 * skipped and named in the notes; what is not written yet is just not there.
 *
 * Ownership: the caller owns the struct; notes are borrowed and outlive it.
 */
#ifndef RECORDING_BLOCKS_H
#define RECORDING_BLOCKS_H

#include "base/common.h"
#include "trace/format.h"

#define BLOCKS_CHUNK_MAX (16u << 20) /* bytes of records; more is damage */

struct blocks_chunk {
	uint64_t offset; /* of its head in the file */
	uint64_t first_tseq, nevents, start_ns;
	uint32_t nitems;
	uint64_t sum;
	uint32_t number;
	uint32_t room; /* closed: bytes of records; open: bytes there may be */
	uint32_t ntrailing;
	uint32_t version; /* of the format, which is the file's: blocks_load says it */
	bool closed, last, in_slot;
	/* In a slot: its records as they were, then zeros; a record that starts before `seen' is
	 * whole. */
	uint8_t *held;
	uint32_t nheld, seen;
};

struct blocks_thread {
	uint32_t tid;
	/* Sorted by number, a closed copy before one in a slot. */
	VEC(struct blocks_chunk) chunks;
	uint32_t first; /* > 0: earlier ones were dropped (--keep) */
	uint32_t count; /* chunks first .. count - 1 are there */
	bool gap;	/* more were found after a gap */
};

/* A stretch of zeros that the writer may still fill. */
struct blocks_gap {
	uint64_t from, to;
};

struct blocks_area {
	uint64_t offset, length;
	uint32_t generation;
};

struct blocks {
	int fd;
	uint64_t size; /* of the file when it was opened */
	struct format_file head;
	struct texts *notes;
	bool damaged;
	bool cut;	  /* the last block is not all there */
	uint64_t tail_at; /* the last head of a block that was cut */
	uint32_t tail_tid, tail_number;
	uint64_t nslots;	     /* extents of slots */
	VEC(struct blocks_gap) gaps; /* ascending */
	VEC(struct blocks_area) areas;
	bool inside;			   /* areas are being scanned: */
	size_t area;			   /* this one */
	uint64_t areas_end;		   /* where the last one in the file ends */
	VEC(struct blocks_thread) threads; /* sorted by tid; the control stream is tid 0 */
	struct map by_tid;		   /* tid to index in threads + 1, while scanning */
	uint8_t *cache;			   /* for scanning */
	uint64_t cache_at, cache_n;
};

/* Errors: no such file, not a recording, a newer version.  Damage is no error. */
enum status blocks_open(struct blocks *b, const char *path, struct texts *notes,
			struct diag *d) ST_CHECKED;
void blocks_close(struct blocks *b);

/* Nothing more will be written: a last block that is cut is damage.  ended: the run has ended. */
void blocks_end(struct blocks *b, bool ended);

/* May a chunk of the thread begin with that event? */
static inline bool blocks_tseq_is_sane(uint32_t tid, uint64_t tseq)
{
	return tid == FORMAT_CONTROL_TID || (tseq >= 1 && tseq < (uint64_t)1 << FORMAT_TSEQ_BITS);
}

/* May this be the head of a chunk? */
static inline bool blocks_head_is_sane(const struct format_chunk *c)
{
	return c->magic == FORMAT_CHUNK && c->tid < 1u << FORMAT_TID_BITS &&
	       blocks_tseq_is_sane(c->tid, c->first_tseq);
}

/* May this be the head of an extent of slots? */
static inline bool blocks_slots_are_sane(const struct format_slots *s)
{
	return s->magic == FORMAT_SLOTS && s->size >= 4096 && s->size % 4096 == 0 &&
	       s->size <= BLOCKS_CHUNK_MAX && s->first >= FORMAT_ALIGN &&
	       s->length % FORMAT_ALIGN == 0 &&
	       s->length >= s->first + (uint64_t)s->count * s->size;
}

/* NULL when nothing of the thread is in the file. */
struct blocks_thread *blocks_thread(struct blocks *b, uint32_t tid);

/* Index in t->chunks of the first copy of chunk `number', or of the next one there is. */
size_t blocks_find(const struct blocks_thread *t, uint32_t number);

/*
 * The records of one chunk: its best copy in *which, its bytes (caller frees
 * with mem_free) in *bytes, *n of them.  False, with a note, when no copy is good.
 */
bool blocks_load(struct blocks *b, const struct blocks_thread *t, uint32_t number,
		 struct blocks_chunk *which, uint8_t **bytes, uint32_t *n);

#endif /* RECORDING_BLOCKS_H */
