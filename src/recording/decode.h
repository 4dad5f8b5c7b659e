/*
 * From the bytes of a thread's chunks to its events, one at a time, in
 * program order (doc/TRACE_FORMAT.md section 3).
 *
 * A chunk is loaded once; any number of cursors may walk it, each with its
 * own prediction tables.  TRAILING records are found when the chunk is loaded and
 * delivered by the cursor where they belong.
 *
 * Ownership: an item belongs to the caller and is reused; what it points to
 * (values, names) lies in the item or in the chunk.
 */
#ifndef RECORDING_DECODE_H
#define RECORDING_DECODE_H

#include "recording/blocks.h"
#include "trace/event.h"

struct inputs;
struct stacks;
struct wire;

/* A ranged record may touch so many words; more is damage. */
#define DECODE_RANGE_WORDS (1u << 20)

struct decode_trailing {
	uint64_t after; /* the event number it follows */
	uint64_t addr, value;
	struct version ref;
	uint32_t site;
	uint32_t record; /* where it was */
	uint8_t size;
	bool atomic; /* relaxed */
	bool has_value;
	bool doubtful; /* it may or may not have happened: EVENT_UNKNOWN */
};

struct decode_chunk {
	struct decode_chunk *next; /* the thread's next chunk, when loaded */
	struct blocks_chunk head;
	uint8_t *bytes;
	uint32_t n;	/* bytes of good records; of one that grows, that are settled */
	uint32_t room;	/* one that grows: bytes there may be, else 0 */
	uint32_t whole; /* one that grows: bytes of whole records, settled or not */
	bool scanned;	/* TRAILING records were gathered */
	bool broken;	/* ends in damage: the thread ends here */
	VEC(struct decode_trailing) trailing; /* sorted by after */
};

/*
 * A thread that did not end in good order may have repeated reads that nobody recorded: the
 * record that closes a run of them never came.  What comes after such a read depends on it, so the
 * thread can be relied on up to it and no further.  Runs are closed at every synchronisation and,
 * now and then, between; reads are repeated without a record only if they were logged since the
 * last synchronisation.  So the first that may be missing comes after
 *
 *	... sync ... r ... settled ... end       settled, the last time that runs were closed
 *	... settled ... r ......... end          r, the first read that can be repeated
 */
struct decode_doubt {
	bool has_settled, has_sync, has_read;
	uint64_t settled;	      /* event number; has_settled: it is known */
	struct decode_trailing read;  /* r, `after' its own number */
	uint32_t settled_at, read_at; /* where the records after those two begin */
};

/* One event as the merger needs it. */
struct decode_item {
	struct event e;
	uint64_t numbers; /* event numbers it takes: words for ranges, 0 for TRAILING and NESTED */
	bool is_event;	  /* else a record that only changes the cursor */
	bool reads;	  /* names versions that others may not replace before it */
	bool replaces;	  /* replaces the versions it names */
	bool chained;	  /* its ref is an event, not the version of a word */
	bool divisible;	  /* may be placed word by word */
	bool sync;	  /* the record ends the filter's epoch */
	bool settled;	  /* at least it says that all runs of dropped reads are closed */
	uint32_t nbefore; /* further events it comes after: fork, end, signal, stack's owner */
	struct version before[2];

	/* Room behind e's pointers. */
	struct version ref[2];
	uint8_t value[8], old[8];
	VEC(struct version) refs;
	VEC(uint64_t) feeds;
	VEC(uint8_t) fill;
};

/* Most threads have few sites in a chunk, next to each other: shelves are made so many at a time. */
#define DECODE_BOARD 64u
#define DECODE_BOARDS (FORMAT_SHELVES / DECODE_BOARD)

/* What records of a chunk refer to: a part of a cursor, apart because of its size. */
struct decode_tables {
	uint64_t predict[FORMAT_PREDICT];
	/* Short ones: the last access of each habit, on shelves of which some boards are there, and which
	 * shelf has each seat. */
	struct decode_habit {
		uint64_t addr, stride, version, own, value, added;
		uint32_t site, to;     /* to: where an update writes */
		uint8_t access, order; /* access 0: none in this chunk */
	} * boards[DECODE_BOARDS];
	uint16_t seat[FORMAT_HABITS];
	struct version peer[FORMAT_PEERS];
	/* Lean ones. */
	struct {
		uint32_t site;
		uint8_t kind, aux; /* kind 0: none */
	} shape[FORMAT_SHAPES];
	struct {
		uint64_t addr, tseq; /* tseq 0: none */
	} held[FORMAT_HELD];
};

struct decode_cursor {
	struct decode_chunk *chunk;
	/* Made for the first record.  NULL: nothing is in them.  A hundred thousand threads have a
	 * cursor or two each, and few are being read at a time. */
	struct decode_tables *tables;
	struct stacks *stacks; /* NULL: stacks are not followed */
	struct inputs *inputs; /* NULL: they are passed over */
	uint32_t tid;
	uint32_t at;	   /* offset of the next record */
	uint32_t trailing; /* next of chunk->trailing */
	uint32_t page;
	uint32_t stack;
	/* Frames of the stack; how many of them nobody has left since the event before. */
	uint32_t depth, stayed;
	uint64_t tseq; /* of the last event delivered */
	/* Times so far that the recorder had closed all runs of dropped reads, and that it had
	 * synchronised and forgotten what may be dropped. */
	uint64_t nsettled, nsynced;
	const uint8_t *name; /* last NAME record, in the chunk; NULL none since taken */
	uint32_t nname;
	uint64_t stack_low, stack_len; /* as restated in this chunk; 0 not */
	uint64_t root;		       /* FORMAT_ROOT_*, as restated */
	/* The last record, when it was a RANGE_READ: its bytes and number. */
	const uint8_t *copy;
	uint64_t copy_len, copy_tseq;
	bool copy_fresh;
	uint64_t last_pointer; /* before version 3: value of the last 8-byte READ */
	/* What short records refer to: the version named last, as one number (decode_habit.c), where
	 * that was, and the values of the last two reads. */
	uint64_t last_version, last_addr, last_read[2];
	/* The last record was an update, of which the write is still to come. */
	struct {
		bool is_due;
		uint8_t access;
		uint32_t site;
		uint64_t addr, value;
		struct version replaced;
	} write;
	uint32_t nheld; /* ever put into tables->held, less those taken out */
	uint64_t taken; /* address of the lock taken last */
};

/*
 * Takes bytes.  When the chunk is open or has TRAILING records, walks it once;
 * damage found is noted and cut off.  With `ends' (what should follow is lost) the first read that
 * may be missing of the chunk is put in, as one that is unknown.
 */
struct decode_chunk *decode_chunk_new(uint32_t tid, const struct blocks_chunk *head, uint8_t *bytes,
				      uint32_t n, bool ends, struct texts *notes);
/*
 * A chunk that is being written, of which n is cut to what is settled: no TRAILING record to come belongs
 * there.  carried: a read of an earlier chunk may be repeated in this one.  Bytes, taken, have room
 * for n of them.
 */
struct decode_chunk *decode_chunk_open(uint32_t tid, const struct blocks_chunk *head,
				       uint8_t *bytes, uint32_t n, bool carried);
/*
 * There is more of it, or all: head->closed, or `whole': nothing more comes.  c is the cursor that is
 * farthest in it; what it has seen stays as it is.  False: this is not the same chunk.
 */
bool decode_chunk_grow(const struct decode_cursor *c, const struct blocks_chunk *head,
		       const uint8_t *bytes, uint32_t n, bool carried, bool whole,
		       struct texts *notes);
/* A read that may be repeated without a record: of one word, and binding. */
bool decode_is_repeatable(const struct event *e);
/* What a chunk, of which there may be later ones, says of it.  Takes bytes. */
void decode_doubt_learn(uint32_t tid, const struct blocks_chunk *head, uint8_t *bytes, uint32_t n,
			struct decode_doubt *out);
/* Puts such a read where it belongs. */
void decode_chunk_doubt(struct decode_chunk *c, struct decode_trailing read);
void decode_chunk_free(struct decode_chunk *c);

/* Starts at a chunk's first record. */
void decode_cursor_begin(struct decode_cursor *c, struct decode_chunk *chunk);
void decode_cursor_copy(struct decode_cursor *c, const struct decode_cursor *from);
/* It reads no more of this chunk. */
void decode_cursor_release(struct decode_cursor *c);

/*
 * True and *item, or false at the chunk's end.  Damage is noted (notes may be
 * NULL when another cursor has been here), ends the chunk for every
 * cursor, and sets chunk->broken.
 */
bool decode_next(struct decode_cursor *c, struct decode_item *item, struct texts *notes);

void decode_item_release(struct decode_item *item);

/* A version as one number. */
static inline uint64_t decode_pack(struct version v)
{
	return (uint64_t)v.tid << FORMAT_TSEQ_BITS | v.tseq;
}

static inline struct version decode_unpack(uint64_t n)
{
	return (struct version){ (uint32_t)(n >> FORMAT_TSEQ_BITS),
				 n & (((uint64_t)1 << FORMAT_TSEQ_BITS) - 1) };
}

/* The kind of the OTHER record with this head; w is at its payload.  FORMAT_NKINDS: not known. */
unsigned decode_kind(uint32_t head, struct wire *w);

#endif /* RECORDING_DECODE_H */
