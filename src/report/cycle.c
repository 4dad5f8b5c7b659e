#include "report/cycle.h"

#define HELD 64	      /* locks looked at, of those that a thread holds */
#define STEPS 100000u /* looked at, for a way round */

bool cycle_is_lock(const struct evidence_event *e)
{
	return e->op == EVENT_ACQ || e->op == EVENT_RACQ || e->op == EVENT_REQ ||
	       e->op == EVENT_RREQ;
}

bool cycle_is_join(const struct evidence_event *e)
{
	return e->op == EVENT_JOIN || e->op == EVENT_JOINING;
}

bool cycle_is_wait(const struct evidence_event *e)
{
	return e->op == EVENT_REL || e->op == EVENT_RREL;
}

bool cycle_is_stuck(const struct evidence_event *e)
{
	return e->op == EVENT_REQ || e->op == EVENT_RREQ || e->op == EVENT_JOINING;
}

bool cycle_is_same(const struct evidence_event *a, const struct evidence_event *b)
{
	return a->object == b->object;
}

bool cycle_park(const struct evidence *ev, const struct evidence_event *release,
		struct evidence_event *park)
{
	uint64_t pos = evidence_park(ev, release->pos);

	if (pos != 0)
		*park = evidence_get(ev, pos);
	return pos != 0;
}

uint32_t cycle_before(const struct cycle *c, uint32_t i)
{
	return (i + c->n - 1) % c->n;
}

uint32_t cycle_after(const struct cycle *c, uint32_t i)
{
	return (i + 1) % c->n;
}

/* ---- the search ---- */

/* Targets by number, as the finding has them. */
struct search {
	const struct evidence *ev;
	uint32_t n;
	struct evidence_event targets[FINDING_EVENTS];
	bool waits[FINDING_EVENTS][FINDING_EVENTS];
	uint64_t held[FINDING_EVENTS][FINDING_EVENTS];
	uint32_t order[FINDING_EVENTS];
	uint32_t steps; /* left */
};

/* The acquire by which `holder' keeps `asker' out; 0: it does not. */
static uint64_t find_held(const struct evidence *ev, const struct evidence_event *asker,
			  const struct evidence_event *holder)
{
	bool reads = asker->op == EVENT_RACQ || asker->op == EVENT_RREQ;
	uint64_t acquires[HELD];
	size_t n = evidence_held(ev, holder->pos, acquires, HELD);
	struct evidence_event e;

	for (size_t i = n < HELD ? n : HELD; i-- > 0;) {
		e = evidence_get(ev, acquires[i]);
		if (cycle_is_same(&e, asker) && !(reads && e.op == EVENT_RACQ))
			return acquires[i];
	}
	return 0;
}

/* Does a wait for b? */
static void look(struct search *s, uint32_t a, uint32_t b)
{
	const struct evidence_event *asker = &s->targets[a];

	if (cycle_is_join(asker))
		s->waits[a][b] = asker->peer == s->targets[b].tid;
	else if (!cycle_is_lock(asker))
		s->waits[a][b] = true; /* for a signal, which the other one sends */
	else
		s->waits[a][b] = (s->held[a][b] = find_held(s->ev, asker, &s->targets[b])) != 0;
}

/* Completes order[], whose first `done' are fixed, to a circle.  A lock has one holder, so there is
 * one way; only readers, of whom one waits for several, make more. */
static bool complete(struct search *s, uint32_t done, uint64_t used)
{
	uint32_t last = s->order[done - 1];

	if (done == s->n)
		return s->waits[last][s->order[0]];
	if (s->steps == 0)
		return false;
	s->steps--;
	for (uint32_t next = 0; next < s->n; next++) {
		if (used >> next & 1 || !s->waits[last][next])
			continue;
		s->order[done] = next;
		if (complete(s, done + 1, used | UINT64_C(1) << next))
			return true;
	}
	return false;
}

void cycle_find(const struct evidence *ev, const struct finding *f, struct cycle *out)
{
	struct search s;

	assert(f->nevents > 0 && f->nevents <= FINDING_EVENTS);
	memset(&s, 0, sizeof(s));
	s.ev = ev;
	s.steps = STEPS;
	s.n = f->nevents;
	for (uint32_t i = 0; i < s.n; i++)
		s.targets[i] = evidence_get(ev, f->events[i]);
	for (uint32_t a = 0; a < s.n; a++)
		for (uint32_t b = 0; b < s.n; b++)
			if (a != b || s.n == 1) /* one alone waits for itself */
				look(&s, a, b);
	out->n = s.n;
	out->closed = complete(&s, 1, 1);
	for (uint32_t i = 0; i < s.n && !out->closed; i++)
		s.order[i] = i;
	for (uint32_t i = 0; i < s.n; i++) {
		uint32_t now = s.order[i], next = s.order[(i + 1) % s.n];

		out->at[i] = (struct cycle_wait){ s.targets[now], s.held[now][next] };
	}
}
