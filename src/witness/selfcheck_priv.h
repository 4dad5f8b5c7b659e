/* The self-check (selfcheck.c) and its memory (selfcheck_memory.c). */
#ifndef WITNESS_SELFCHECK_PRIV_H
#define WITNESS_SELFCHECK_PRIV_H

#include "trace/event.h"
#include "trace/trace.h"
#include "witness/selfcheck.h"

struct selfcheck_word {
	struct version v; /* latest write */
	uint64_t object;  /* trace_object_id when last touched */
	uint64_t opaque;  /* unseen code runs counted when last touched */
	uint8_t byte[8];
	uint8_t known; /* mask of bytes */
	bool foreign;  /* others write to it, unseen: a library's object, a mapped file */
};

struct selfcheck_memory {
	struct map at; /* word, to index in words */
	VEC(struct selfcheck_word) words;
	struct map zeroed; /* ids of objects that began as zeros */
	struct map shared; /* ids of mappings that others may write to */
	uint64_t opaque;
	bool lenient; /* writes are missing by request */
};

struct selfcheck_reader {
	uint32_t tid, count;
};

struct selfcheck_object {
	uint64_t id; /* trace_object_id: another one means reuse */
	/* Locks. */
	uint32_t owner, depth, nreaders;
	VEC(struct selfcheck_reader) readers;
	/* Semaphore value, barrier count; once. */
	bool known;
	uint64_t value;
	bool done;
};

struct selfcheck_sync {
	struct map at; /* address, to index in objects */
	VEC(struct selfcheck_object) objects;
	struct map barriers; /* object << 32 | generation, to ins << 32 | outs */
};

struct selfcheck_thread {
	bool forked, ran, ended, joined;
	uint64_t last; /* number of its last event */
	/* A call of unseen code has not ended: its site, and the frames below it. */
	bool unseen;
	uint32_t unseen_site, unseen_depth;
};

/* What is a contradiction unless somebody ran unrecorded, by who that would have to be. */
enum selfcheck_doubt {
	SELFCHECK_HANDLER, /* a signal handler in the middle of a hook */
	SELFCHECK_STRANGER, /* that, or a thread of unseen code: its posts are recorded, not its writes */
	SELFCHECK_DOUBTS
};

struct selfcheck {
	struct trace *trace;
	const struct event *e;
	struct selfcheck_result *out;
	struct selfcheck_memory memory;
	struct selfcheck_sync sync;
	VEC(struct selfcheck_thread) threads;
	uint32_t nunseen;	    /* threads inside unseen code */
	bool ran[SELFCHECK_DOUBTS]; /* somebody who would explain such a doubt */
	struct selfcheck_result doubts[SELFCHECK_DOUBTS]; /* the first of each kind */
	bool binary;
	bool late; /* it begins in the middle of the run */
};

/* The first contradiction stays.  The message gets thread and location in front. */
void selfcheck_fail(struct selfcheck *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Like selfcheck_fail, unless the trace turns out to have somebody who explains it. */
void selfcheck_doubt(struct selfcheck *s, enum selfcheck_doubt kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void selfcheck_memory_event(struct selfcheck *s, const struct event *e);
void selfcheck_memory_release(struct selfcheck_memory *m);

#endif /* WITNESS_SELFCHECK_PRIV_H */
