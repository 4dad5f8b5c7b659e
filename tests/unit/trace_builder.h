/*
 * Writes recordings for tests, from doc/TRACE_FORMAT.md and the constants in
 * trace/format.h; shares no code with the recorder.
 *
 * Each thread has an open chunk; builder_close_chunk appends it to the file as
 * a closed one.  builder_finish closes all in good order; builder_slots instead
 * leaves them open in slots, as a killed program does.
 */
#ifndef TESTS_TRACE_BUILDER_H
#define TESTS_TRACE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/format.h"

struct builder;

struct builder *builder_new(uint32_t flags);
void builder_free(struct builder *b);

/* The thread's last event number. */
uint64_t builder_tseq(const struct builder *b, uint32_t tid);

/* READ and WRITE.  head_flags: FORMAT_READ_* / FORMAT_WRITE_FED1 / FORMAT_ATOMIC (order 5).
 * refs: one per word touched.  feeds (nfeeds event numbers) set FED.  Returns the event number. */
uint64_t builder_read(struct builder *b, uint32_t tid, uint32_t site, uint64_t addr, unsigned size,
		      const struct version *refs, uint64_t value, uint32_t head_flags);
uint64_t builder_write(struct builder *b, uint32_t tid, uint32_t site, uint64_t addr, unsigned size,
		       const struct version *refs, uint64_t value, uint32_t head_flags,
		       const uint64_t *feeds, unsigned nfeeds);

/* An OTHER record piece by piece: begin, put..., end.  `numbers': events it takes. */
void builder_begin(struct builder *b, uint32_t tid);
void builder_put(struct builder *b, uint64_t varint);
void builder_put_byte(struct builder *b, uint8_t byte);
void builder_put_bytes(struct builder *b, const void *bytes, size_t n);
void builder_put_addr(struct builder *b, uint32_t site, uint64_t addr); /* site and addr */
/* Only the address, predicted from the site. */
void builder_put_where(struct builder *b, uint32_t site, uint64_t addr);
/* own: the event number it counts from. */
void builder_put_ref(struct builder *b, struct version v, uint64_t own);
/* step: 1 when each word has its own number, 0 for ALLOC. */
void builder_put_runs(struct builder *b, const struct version *refs, size_t n, unsigned step);
uint64_t builder_end(struct builder *b, unsigned kind, unsigned aux, uint64_t numbers);

/* A short record, as it is in the file. */
uint64_t builder_short(struct builder *b, uint32_t tid, const void *bytes, size_t n,
		       uint64_t numbers);

/* site, addr, ref and up to two more varints; lean where that will do. */
uint64_t builder_sync(struct builder *b, uint32_t tid, unsigned kind, unsigned aux, uint32_t site,
		      uint64_t addr, struct version ref, unsigned nargs, uint64_t a, uint64_t c);
uint64_t builder_rmw(struct builder *b, uint32_t tid, uint32_t site, uint64_t addr, unsigned size,
		     struct version ref, uint64_t old, uint64_t value);
uint64_t builder_range(struct builder *b, uint32_t tid, bool write, unsigned aux, uint32_t site,
		       uint64_t addr, uint64_t len, const struct version *refs, const void *bytes);
/* ALLOC or FREE. */
uint64_t builder_block(struct builder *b, uint32_t tid, unsigned kind, unsigned aux, uint32_t site,
		       uint64_t addr, uint64_t len, const struct version *refs);
void builder_late(struct builder *b, uint32_t tid, uint64_t after, unsigned size, uint32_t site,
		  uint64_t addr, struct version ref, uint64_t value);
uint64_t builder_fork(struct builder *b, uint32_t tid, uint32_t child);
uint64_t builder_join(struct builder *b, uint32_t tid, uint32_t child, uint64_t end);
/* THREAD_BEGIN with no stack. */
uint64_t builder_thread(struct builder *b, uint32_t tid, uint32_t parent, uint64_t fork);
uint64_t builder_thread_end(struct builder *b, uint32_t tid);

/* Control stream. */
void builder_string(struct builder *b, uint32_t id, const char *s);
void builder_site(struct builder *b, uint32_t number, uint32_t file, uint32_t function,
		  uint32_t variable, uint32_t line);
void builder_global(struct builder *b, uint64_t addr, uint64_t size, uint32_t name, uint32_t type);
/* One pair. */
struct builder_pair {
	uint32_t tid;
	uint64_t tseq;
};
void builder_cut(struct builder *b, uint64_t number, const struct builder_pair *p, size_t n);

/* Appends the open chunk, closed, to the file; the thread's next one starts. */
void builder_close_chunk(struct builder *b, uint32_t tid, uint32_t more_flags);
/* A slot extent with a copy of every open chunk. */
void builder_slots(struct builder *b, uint32_t slot_size);
/* Closes every chunk as the last, with C_END. */
void builder_finish(struct builder *b, int status);

/* How it came about: records were added to a chunk, which had so many bytes then; 0: the one before
 * was closed. */
struct builder_moment {
	uint32_t tid, number, used;
};
const struct builder_moment *builder_history(const struct builder *b, size_t *n);

/* The file so far; good until the next call. */
const uint8_t *builder_bytes(const struct builder *b, size_t *n);
/* Writes n bytes to path. */
void builder_save(const char *path, const void *bytes, size_t n);

#endif /* TESTS_TRACE_BUILDER_H */
