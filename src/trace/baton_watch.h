/*
 * What a property of the user's is about, and what a run did of it: a table of the file that explorer and
 * program share (trace/baton.h).
 *
 * The explorer says which memory and which kinds of events count.  Of these a run makes steps, which
 * depend on each other, for a property minds their order; and notes them one by one, as they happen, with
 * what memory holds then.
 */
#ifndef TRACE_BATON_WATCH_H
#define TRACE_BATON_WATCH_H

#include <stdint.h>

#define BATON_RANGES 256u
#define BATON_NOTES 16384u
#define BATON_NOTE_VALUE 64u /* bytes of memory in a note */
#define BATON_NOTE_NAME 128u
#define BATON_NOTE_WORDS 8u

/* What counts of a range. */
#define BATON_RANGE_WRITES 1u
#define BATON_RANGE_READS 2u
#define BATON_RANGE_LOCK 4u /* it is a lock: who takes and who gives it back */

struct baton_range {
	uint64_t from, to;
	uint32_t what;
};

/* Events that count, of whatever object. */
#define BATON_WATCH_LOCKS 1u
#define BATON_WATCH_FORKS 2u
#define BATON_WATCH_JOINS 4u
#define BATON_WATCH_WORDS 8u /* of the program: user events, calls, blocks */

enum baton_note_kind {
	BATON_NOTE_FIRST, /* what memory held when the run began */
	BATON_NOTE_READ,
	BATON_NOTE_WRITE,
	BATON_NOTE_UPDATE, /* reads and writes */
	BATON_NOTE_FREE,
	BATON_NOTE_ACQ,
	BATON_NOTE_REL,
	BATON_NOTE_FORK,
	BATON_NOTE_JOIN,
	BATON_NOTE_BLOCK,
	BATON_NOTE_USER,
	BATON_NOTE_KINDS
};

struct baton_note {
	uint64_t at;	 /* memory or object */
	uint32_t kind;	 /* enum baton_note_kind */
	uint32_t aux;	 /* BLOCK, USER: FORMAT_BLOCK_..., FORMAT_USER_... */
	uint32_t thread; /* from 0 */
	uint32_t peer;	 /* FORK, JOIN: the other thread's id in a trace */
	uint32_t site;
	uint32_t step; /* that was under way, from 1 */
	uint32_t size; /* of memory; BLOCK, USER: words */
	union {
		struct {
			uint8_t now[BATON_NOTE_VALUE], old[BATON_NOTE_VALUE]; /* old: of UPDATE */
		} value;
		char name[BATON_NOTE_NAME];
	};
	uint64_t words[BATON_NOTE_WORDS];
};

struct baton_watch {
	/* In. */
	uint32_t is_on;
	uint32_t events; /* BATON_WATCH_... */
	uint32_t nranges;
	struct baton_range ranges[BATON_RANGES];

	/* Out. */
	uint32_t nnotes;
	uint32_t is_lost; /* there was no room for all */
	struct baton_note notes[BATON_NOTES];
};

#endif /* TRACE_BATON_WATCH_H */
