/*
 * Traces that begin in the middle of the run: from a cut on (trace_options.from_cut), or because
 * the oldest chunks were dropped (--keep).  doc/TRACE_FORMAT.md section 9.
 *
 * Here is decided where such a trace begins, and which events stand at its start for what the past
 * has left behind: threads that run, locks that are held, waits that have begun.  Which events are past in the
 * end is found by merging (merge/merge_past.c).
 *
 * Ownership: the caller owns the structs; blocks and control are borrowed.
 */
#ifndef MERGE_LATE_H
#define MERGE_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"

struct blocks;
struct blocks_thread;
struct control;
struct stacks;

/* Of each place in blocks.threads. */
struct late_start {
	uint32_t chunk; /* number of the first one to read */
	uint64_t end;	/* last event to use; UINT64_MAX: no limit */
};

struct late_base {
	uint64_t cut; /* what was done before it was begun is past; 0: nothing is */
	bool ends;    /* to_cut: it ends before the recording does */
	VEC(struct late_start) at;
};

/* from_cut and to_cut are those of trace_options. */
void late_base_choose(struct late_base *l, struct blocks *b, const struct control *c,
		      uint64_t from_cut, uint64_t to_cut);
void late_base_release(struct late_base *l);

/* A thread, when the past is over. */
struct late_thread {
	const struct blocks_thread *src;
	uint64_t past;	/* its last event that is past; 0 none */
	uint64_t end;	/* the last to use */
	bool over;	/* THREAD_END is past */
	bool cancelled; /* somebody's CANCEL of it is past */
	bool has_last;
	struct event last; /* the last past one, if it was read */
	bool unseen;	   /* it runs code that is not instrumented, since: */
	struct event opaque;
	uint64_t stack_low, stack_len; /* len 0: not known */
	bool rooted;		       /* its first function was called by nothing unseen */
};

struct late {
	struct blocks *blocks;
	struct stacks *stacks;
	/* Is the event past? */
	bool (*is_past)(const void *arg, struct version v);
	const void *arg;
	/* Made by late_add: first all of `before', then all of `after'. */
	VEC(struct event) before, after;
	VEC(uint32_t) ended;	  /* threads that ended in the past and are joined */
	struct map joined;	  /* the same, to find them */
	VEC(struct event) handed; /* acquires of locks that other threads give back */
	struct map handed_at;
	VEC(uint64_t) onces; /* addresses */
	struct map onces_at;
};

/* Calls for each thread in turn, then late_finish: l->before has the whole start. */
void late_add(struct late *l, const struct late_thread *t);
void late_finish(struct late *l);
void late_release(struct late *l);

/* What the thread's beginning told, or the first chunk that is left of it. */
struct late_root {
	uint64_t low, len; /* the stack; 0: not known */
	bool rooted;	   /* as in late_thread */
	char *name;	   /* by the end of that chunk (mem_free; may be NULL) */
};

/* False: nothing is left. */
bool late_root(struct blocks *b, const struct blocks_thread *src, struct late_root *r);

#endif /* MERGE_LATE_H */
