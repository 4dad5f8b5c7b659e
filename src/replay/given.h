/* What the recording gave to the threads of a draft of what differs in every run: clocks, random bytes. */
#ifndef REPLAY_GIVEN_H
#define REPLAY_GIVEN_H

#include "base/common.h"
#include "trace/plan.h"

struct draft;
struct trace;

struct given {
	VEC(struct plan_input)
	inputs; /* by thread of the draft, and in its order; bytes: from `bytes' on */
	VEC(uint32_t)
	first; /* thread of the draft: of its inputs; one more than there are threads */
	VEC(uint8_t) bytes;
	int64_t clocks[PLAN_CLOCKS]; /* as the head of a plan has them */
};

/* Identities are known (identity.h); the trace has been read as far as the draft reaches, with
 * trace_options.inputs. */
void given_find(const struct draft *d, const struct trace *t, struct given *out);
void given_release(struct given *g);

#endif /* REPLAY_GIVEN_H */
