/*
 * Decoding one record, for the cursors (decode.c).
 *
 *	decode_record	the table of kinds
 *	decode_access	other operations on memory; loads and stores before version 3
 *	decode_sync	synchronisation, threads, annotations
 *	decode_state	records that only change the cursor
 *	decode_habit	loads and stores
 *	decode_lean	the short form of lock records
 *	decode_parts	what several of them are made of
 */
#ifndef RECORDING_DECODE_PRIV_H
#define RECORDING_DECODE_PRIV_H

#include "recording/decode.h"

#define DECODE_TSEQ_MAX (((uint64_t)1 << FORMAT_TSEQ_BITS) - 1)

/* The record with this head, whose body is next in w.  item is clear.  False: damage. */
bool decode_record(struct decode_cursor *c, struct wire *w, uint32_t head,
		   struct decode_item *item);

/* A ref, as event number own of this thread names it.  False: damage. */
bool decode_ref(struct decode_cursor *c, uint64_t u, uint64_t own, struct version *out);

/* The next address of this site. */
static inline uint64_t decode_addr(struct decode_cursor *c, uint32_t site, uint64_t delta)
{
	uint64_t *last = &c->tables->predict[site & (FORMAT_PREDICT - 1)];

	*last += (uint64_t)format_unzigzag(delta);
	return *last;
}

static inline bool decode_span_is_sane(uint64_t addr, uint64_t len)
{
	return len <= UINT64_MAX - addr && format_words(addr, len) <= DECODE_RANGE_WORDS;
}

static inline void decode_value(struct decode_item *item, uint8_t *into, uint64_t v)
{
	memcpy(into, &v, 8);
	item->e.flags |= EVENT_HAS_VALUE;
}

/* A feed list of event number own; only an rmw may be fed by itself.  Fails the wire. */
void decode_feeds(struct wire *w, struct decode_item *item, uint64_t own);
/* Fed by event number tseq alone. */
void decode_feed(struct decode_item *item, uint64_t tseq);
/* Refs, at most max of them; step: each is of a word with a number of its own, counted from own.
 * Fails the wire. */
void decode_runs(struct decode_cursor *c, struct wire *w, struct decode_item *item, uint64_t max,
		 uint64_t own, unsigned step);

/* What an access is (FORMAT_READ, ...); address, refs and order are there already.  Checks them. */
bool decode_access_end(struct decode_cursor *c, struct wire *w, unsigned access, uint64_t value,
		       struct decode_item *item);

/* Forms 1 and 2 are short records, not READ and WRITE. */
static inline bool decode_has_short(const struct decode_chunk *k)
{
	return k->head.version >= 3;
}

/* More habits are remembered than there are seats. */
static inline bool decode_has_shelves(const struct decode_chunk *k)
{
	return k->head.version >= 6;
}

/* A read and a write may be one record. */
static inline bool decode_has_updates(const struct decode_chunk *k)
{
	return k->head.version >= 8;
}

/* The habit on a shelf; NULL: none is there. */
static inline struct decode_habit *decode_habit_at(const struct decode_tables *t, unsigned shelf)
{
	struct decode_habit *board = t->boards[shelf / DECODE_BOARD];

	return board && board[shelf % DECODE_BOARD].access ? &board[shelf % DECODE_BOARD] : NULL;
}

/* The write of the last record, an update; there are no bytes of it. */
bool decode_due(struct decode_cursor *c, struct decode_item *item);
/* A short record with this head. */
bool decode_short(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item);
/* A READ or WRITE with this head. */
bool decode_access(struct decode_cursor *c, struct wire *w, uint32_t head,
		   struct decode_item *item);

/* The rest of a payload, behind what the table of kinds says.  False: damage. */
typedef bool decode_rest(struct decode_cursor *c, struct wire *w, unsigned aux,
			 struct decode_item *item);
decode_rest decode_whole, decode_rmw, decode_casfail, decode_range_read, decode_range_write,
	decode_extent;
decode_rest decode_opaque, decode_use, decode_life, decode_sem_fail, decode_wake, decode_joining,
	decode_begin, decode_block, decode_user;
decode_rest decode_pad, decode_seat, decode_peer, decode_stack, decode_name, decode_input,
	decode_trailing_skip;

/* What aux says of an operation on a lock. */
void decode_lock(struct event *e, unsigned aux);

/* A lean record with this head; the bytes after it are next in w.  False: damage. */
bool decode_lean(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item);
/* An ACQ or REL that is not lean was decoded; its number is the one after c->tseq. */
void decode_lean_learn(struct decode_cursor *c, unsigned kind, unsigned aux,
		       const struct decode_item *item);

/* The payload of a TRAILING record. */
bool decode_trailing_take(struct decode_cursor *c, struct wire *w, unsigned aux,
			  struct decode_trailing *out);

#endif /* RECORDING_DECODE_PRIV_H */
