/* The parts of the self-check: memory, synchronisation objects, threads. */
#ifndef WITNESS_SELFCHECK_PRIV_H
#define WITNESS_SELFCHECK_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"
#include "trace/trace.h"
#include "witness/selfcheck.h"

struct selfcheck_word {
	struct version v; /* latest write */
	uint64_t object;  /* trace_object_id when last touched */
	uint64_t opaque;  /* unseen code runs counted when last touched */
	uint8_t byte[8];
	uint8_t known; /* mask of bytes */
};

struct selfcheck_memory {
	struct map at; /* word, to place in words */
	VEC(struct selfcheck_word) words;
	struct map zeroed; /* ids of objects that began as zeros */
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
	bool was_held;
	/* Semaphore value, barrier count; once. */
	bool known;
	uint64_t value;
	bool done;
};

struct selfcheck_sync {
	struct map at; /* address, to place in objects */
	VEC(struct selfcheck_object) objects;
	struct map barriers; /* object << 32 | generation, to ins << 32 | outs */
};

struct selfcheck_thread {
	bool forked, ran, ended, joined;
};

struct selfcheck {
	struct trace *trace;
	const struct event *e;
	struct selfcheck_result *out;
	struct selfcheck_memory memory;
	struct selfcheck_sync sync;
	VEC(struct selfcheck_thread) threads;
	bool binary;
};

/* The first contradiction stays.  The message gets thread and place in front. */
void selfcheck_fail(struct selfcheck *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct selfcheck_thread *selfcheck_thread(struct selfcheck *s, uint32_t tid);

void selfcheck_memory_event(struct selfcheck *s, const struct event *e);
void selfcheck_memory_release(struct selfcheck_memory *m);

void selfcheck_sync_event(struct selfcheck *s, const struct event *e);
void selfcheck_sync_release(struct selfcheck_sync *y);

#endif /* WITNESS_SELFCHECK_PRIV_H */
