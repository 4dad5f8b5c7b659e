/*
 * Parts of the merging reader: a thread's stream with its two cursors
 * (merge_stream.c) and the pending reads (merge_reads.c).
 */
#ifndef TRACE_MERGE_PRIV_H
#define TRACE_MERGE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/decode.h"

struct blocks;
struct blocks_thread;
struct notes;
struct stacks;

/* Pending reads; more between two cuts is ST_LIMIT. */
#define MERGE_READS_MAX (1u << 25)

/* What a thread may have done, but not counted, when a cut was begun: records. */
#define MERGE_EXTRA 4

struct merge_stream {
	struct blocks *blocks;
	const struct blocks_thread *src;
	struct notes *notes;
	bool ended;   /* the run ended in good order */
	bool damaged; /* events of this thread are known to be lost */
	bool over;    /* scanned to its end */
	struct decode_cursor emit, scan;
	uint64_t nfetched, nscanned; /* items */
	uint64_t limit, load;	     /* emit up to, scan past: event numbers */
	uint32_t extra;		     /* records scanned past load */
	uint64_t stack_low, stack_high;
	uint64_t bytes;
	/* The chunk after the scanned one, read early to know whether there is one. */
	struct blocks_chunk next_head;
	uint8_t *next_bytes;
	uint32_t next_n, next_number;
};

void merge_stream_init(struct merge_stream *s, struct blocks *b, const struct blocks_thread *src,
		       struct stacks *stacks, bool ended, struct notes *notes);
void merge_stream_release(struct merge_stream *s);

/* Scanning shall reach event number load, and what a cut may have missed. */
void merge_stream_load(struct merge_stream *s, uint64_t load);
bool merge_stream_is_short(const struct merge_stream *s);
/* The scanning cursor's next item; false at the end. */
bool merge_stream_scan(struct merge_stream *s, struct decode_item *item);
/* Is there something scanned that was not fetched? */
bool merge_stream_is_scanned(const struct merge_stream *s);
/* Is it within the limit? */
bool merge_stream_is_open(const struct merge_stream *s);
bool merge_stream_is_end(const struct merge_stream *s);
/* The emitting cursor's next item.  Precondition: merge_stream_is_scanned. */
void merge_stream_fetch(struct merge_stream *s, struct decode_item *item);

struct merge_stack {
	uint64_t low, high;
	uint32_t tid;
};

struct merge_reads {
	struct map count;		/* merge_reads_key, to pending reads */
	struct map own;			/* INIT only: word << 20 | tid, to its pending reads */
	VEC(struct merge_stack) stacks; /* as owned now, sorted, not overlapping */
};

void merge_reads_init(struct merge_reads *r);
void merge_reads_release(struct merge_reads *r);
uint64_t merge_reads_count(const struct merge_reads *r);

uint64_t merge_reads_key(struct version v, uint64_t word);
bool merge_reads_is_init(uint64_t key);

/* A read, by the thread of s, of version v of a word. */
void merge_reads_add(struct merge_reads *r, const struct merge_stream *s, struct version v,
		     uint64_t word);
void merge_reads_remove(struct merge_reads *r, const struct merge_stream *s, struct version v,
			uint64_t word);
/* Must the thread of s wait before it replaces v? */
bool merge_reads_block(const struct merge_reads *r, const struct merge_stream *s, struct version v,
		       uint64_t word);
/* From now on [low, low + len) is the stack of tid. */
void merge_reads_own_stack(struct merge_reads *r, uint32_t tid, uint64_t low, uint64_t len);

#endif /* TRACE_MERGE_PRIV_H */
