/* Decoding one record (decode_record.c, decode_lean.c), for the cursors (decode.c). */
#ifndef TRACE_DECODE_PRIV_H
#define TRACE_DECODE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/decode.h"

struct wire;

#define DECODE_TSEQ_MAX (((uint64_t)1 << FORMAT_TSEQ_BITS) - 1)

/* The record with this head, whose body is next in w.  item is clear.  False: damage. */
bool decode_record(struct decode_cursor *c, struct wire *w, uint32_t head,
		   struct decode_item *item);

/* A ref, as event number own of this thread names it.  False: damage. */
bool decode_ref(struct decode_cursor *c, uint64_t u, uint64_t own, struct version *out);

/* What aux says of an operation on a lock. */
void decode_lock(struct event *e, unsigned aux);

/* A lean record with this head; the bytes after it are next in w.  False: damage. */
bool decode_lean(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item);
/* An ACQ or REL that is not lean was decoded; its number is the one after c->tseq. */
void decode_lean_learn(struct decode_cursor *c, unsigned kind, unsigned aux,
		       const struct decode_item *item);

/* The payload of a LATE record. */
bool decode_late_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_late *out);

/* Does a record with this head end the filter's epoch? */
bool decode_is_sync(uint32_t head);

#endif /* TRACE_DECODE_PRIV_H */
