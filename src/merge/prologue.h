/*
 * The prologue of a trace that begins in the middle: the events, put at its start, that stand for
 * what the past has left behind.  Threads run, locks are held, waits have begun.
 *
 * Behind its prologue such a trace is an ordinary one.
 *
 * Ownership: the caller owns the structs; blocks and stacks are borrowed.
 */
#ifndef MERGE_PROLOGUE_H
#define MERGE_PROLOGUE_H

#include "trace/event.h"

struct blocks;
struct blocks_thread;
struct stacks;

/* A thread, when the past is over. */
struct prologue_thread {
	const struct blocks_thread *src;
	uint64_t upto;	/* its last event that is past; 0 none */
	uint64_t end;	/* the last to use */
	bool cancelled; /* somebody's CANCEL of it is past */
	bool has_last;
	struct event last; /* the last past one, if it was read */
	bool unseen;	   /* it runs code that is not instrumented, since: */
	struct event opaque;
	uint64_t stack_low, stack_len; /* len 0: not known */
	bool rooted;		       /* its first function was called by nothing unseen */
};

struct prologue {
	struct blocks *blocks;
	struct stacks *stacks;
	/* Is the event past? */
	bool (*is_past)(const void *arg, struct version v);
	const void *arg;
	VEC(struct event) events; /* what comes before the gate; all of it after prologue_finish */
	VEC(struct event) after;  /* behind the gate */
	VEC(uint32_t) ended;	  /* threads that ended in the past and are joined */
	struct map joined;	  /* the same, to find them */
	VEC(struct event) handed; /* acquires of locks that other threads give back */
	struct map handed_at;
	VEC(uint64_t) onces; /* addresses */
	struct map onces_at;
};

/* For each thread in turn, then prologue_finish. */
void prologue_add(struct prologue *p, const struct prologue_thread *t);
void prologue_finish(struct prologue *p);
void prologue_release(struct prologue *p);

#endif /* MERGE_PROLOGUE_H */
