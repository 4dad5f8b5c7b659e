#include "replay.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "trace/event.h"

#define WRONG(r, ...)                                                          \
	do {                                                                   \
		if (!(r)->wrong[0])                                            \
			snprintf((r)->wrong, sizeof((r)->wrong), __VA_ARGS__); \
	} while (0)

static void replay_words(struct replay *r, const struct event *e)
{
	bool writes = e->op == EVENT_WRITE || e->op == EVENT_RMW || e->op == EVENT_FREE;
	bool ranged = e->flags & EVENT_RANGE;
	const uint8_t *saw = e->op == EVENT_RMW ? e->old : e->value;

	for (uint32_t i = 0; i < e->nrefs; i++) {
		uint64_t addr = i == 0 ? e->addr : ((e->addr >> 3) + i) << 3;

		if (SIM_WORD(&r->m, addr)->tid != e->refs[i].tid ||
		    SIM_WORD(&r->m, addr)->tseq != e->refs[i].tseq)
			WRONG(r,
			      "pos %llu: T%u #%llu %s names T%u #%llu at %llx, current is T%u #%llu",
			      (unsigned long long)e->pos, e->tid, (unsigned long long)e->tseq,
			      event_op_name(e->op), e->refs[i].tid,
			      (unsigned long long)e->refs[i].tseq, (unsigned long long)addr,
			      SIM_WORD(&r->m, addr)->tid,
			      (unsigned long long)SIM_WORD(&r->m, addr)->tseq);
	}
	for (uint64_t k = 0; k < e->len && (e->op == EVENT_READ || e->op == EVENT_RMW); k++)
		if (saw[k] != SIM_WORD(&r->m, e->addr + k)->byte[(e->addr + k) & 7])
			WRONG(r, "pos %llu: T%u #%llu reads a wrong value",
			      (unsigned long long)e->pos, e->tid, (unsigned long long)e->tseq);
	for (uint64_t k = 0; k < e->len && writes && e->op != EVENT_FREE; k++)
		SIM_WORD(&r->m, e->addr + k)->byte[(e->addr + k) & 7] = e->value[k];
	for (uint32_t i = 0; i < e->nrefs && writes; i++) {
		uint64_t addr = i == 0 ? e->addr : ((e->addr >> 3) + i) << 3;

		SIM_WORD(&r->m, addr)->tid = e->tid;
		SIM_WORD(&r->m, addr)->tseq = e->tseq + (ranged ? i : 0);
	}
}

static void forget(struct replay *r, const struct event *e, bool bytes)
{
	for (uint64_t a = e->addr; a < e->addr + e->len; a += 8) {
		SIM_WORD(&r->m, a)->tid = 0;
		SIM_WORD(&r->m, a)->tseq = 0;
		if (bytes)
			memset(SIM_WORD(&r->m, a)->byte, 0, 8);
	}
}

static uint64_t numbers_of(const struct event *e)
{
	return e->flags & EVENT_RANGE ? e->nrefs : 1;
}

void replay_event(struct replay *r, const struct event *e)
{
	bool unknown = e->flags & EVENT_UNKNOWN; /* nothing is claimed of it */

	r->unknown += unknown;
	if (unknown && (e->flags & EVENT_REREAD))
		return; /* a read that may have been */
	if (e->op == EVENT_READ && (e->flags & EVENT_REREAD)) {
		r->late++;
		if (e->tseq > r->tseq[e->tid])
			WRONG(r, "a late read of T%u before its place", e->tid);
	} else {
		if (e->tseq != r->tseq[e->tid] + 1)
			WRONG(r, "pos %llu: T%u goes from #%llu to #%llu",
			      (unsigned long long)e->pos, e->tid,
			      (unsigned long long)r->tseq[e->tid], (unsigned long long)e->tseq);
		r->tseq[e->tid] = e->tseq + numbers_of(e) - 1;
		r->events += numbers_of(e);
	}
	if (unknown)
		return;
	switch (e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
	case EVENT_FREE:
		replay_words(r, e);
		if (e->op == EVENT_FREE && e->nrefs == 0)
			forget(r, e, true);
		break;
	case EVENT_ALLOC:
		if (e->nrefs == 0)
			forget(r, e, true);
		for (uint32_t i = 0; i < e->nrefs; i++)
			if (r->tseq[e->refs[i].tid] < e->refs[i].tseq)
				WRONG(r, "an alloc before what it names");
		break;
	case EVENT_ACQ:
	case EVENT_REL:
	case EVENT_TRYFAIL:
	case EVENT_REQ: {
		struct event one = *e;

		one.op = e->op == EVENT_TRYFAIL || e->op == EVENT_REQ ? EVENT_ALLOC : EVENT_FREE;
		one.len = 8;
		replay_words(r, &one);
		break;
	}
	case EVENT_THREAD_BEGIN:
		forget(r, e, false);
		if (e->peer && r->tseq[e->peer] < e->peer_tseq)
			WRONG(r, "T%u begins before its fork", e->tid);
		break;
	case EVENT_JOIN:
		if (r->tseq[e->peer] < e->peer_tseq)
			WRONG(r, "a join of T%u before its end", e->peer);
		break;
	default:
		break;
	}
}
