/*
 * State machines: random ones against an interpreter that walks the states as written, `fsm' as
 * the set of the one state it is in.
 */
#include <stdlib.h>

#include "base/diag.h"
#include "monitor/monitor.h"
#include "unit/spec_naive.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"

#define VARS 2
#define EVENTS 3
#define LENGTH 12

struct machine {
	const struct spec_property *p;
	bool in[16];
};

static bool is_bad(const struct machine *m)
{
	for (uint32_t i = 0; i < m->p->nstates; i++)
		if (m->in[i] && m->p->states[i].bad)
			return true;
	return false;
}

static enum naive_truth fits(const struct spec_move *v, uint64_t events,
			     const struct naive_state *s)
{
	if (!(events >> v->event & 1))
		return NAIVE_NO;
	return v->when != NULL ? naive_truth(s, v->when) : NAIVE_YES;
}

static enum monitor_verdict interpret(struct machine *m, uint64_t events,
				      const struct naive_state *s)
{
	bool before[16], met[4] = { 0 };

	memcpy(before, m->in, sizeof(before));
	memset(m->in, 0, sizeof(m->in));
	for (uint32_t i = 0; i < m->p->nstates; i++) {
		const struct spec_state *from = &m->p->states[i];
		bool left = false;

		for (uint32_t k = 0; before[i] && k < from->nmoves; k++) {
			enum naive_truth t = fits(&from->moves[k], events, s);

			met[t] = true;
			if (t == NAIVE_NO || (left && !m->p->any))
				continue;
			left = true;
			if (t == NAIVE_YES)
				m->in[from->moves[k].to] = true;
			else if (!m->p->any)
				return t == NAIVE_DUNNO ? MONITOR_UNKNOWN : MONITOR_ERROR;
		}
		if (before[i] && !left)
			m->in[i] = true;
	}
	if (is_bad(m))
		return MONITOR_BAD;
	if (!m->p->any)
		return MONITOR_GOOD;
	return met[NAIVE_DUNNO]	    ? MONITOR_UNKNOWN
	       : met[NAIVE_TROUBLE] ? MONITOR_ERROR
				    : MONITOR_GOOD;
}

static void random_state(struct trees *t, struct naive_state *s, struct monitor_value *values)
{
	s->thread = 1 + trees_random(t, 2);
	for (uint32_t v = 0; v < VARS; v++) {
		s->small[v] = (int)trees_random(t, 5) - 1;
		s->known[v] = trees_random(t, 20) > 0;
		values[v].raw = s->known[v] ? (uint32_t)s->small[v] : 0;
		values[v].known = s->known[v] ? 15 : 0;
	}
}

static unsigned follow(struct trees *t, const struct spec_property *p, const struct monitor *m,
		       uint64_t *verdicts)
{
	struct monitor_value values[VARS];
	struct machine model = { .p = p };
	uint8_t state[2][16];
	struct naive_state s;

	for (uint32_t i = 0; i < p->nstates; i++)
		model.in[i] = p->states[i].initial;
	memset(state, 0xee, sizeof(state));
	for (unsigned n = 0; n <= LENGTH; n++) {
		struct monitor_input in = { .values = values };
		enum monitor_verdict got, want;

		random_state(t, &s, values);
		in.events = trees_random(t, 1 << EVENTS);
		in.thread = s.thread;
		got = n == 0 ? m->initial(m->self, values, state[0])
			     : m->step(m->self, state[(n + 1) % 2], &in, state[n % 2]);
		want = n > 0		? interpret(&model, in.events, &s)
		       : is_bad(&model) ? MONITOR_BAD
					: MONITOR_GOOD;
		verdicts[want]++;
		if (got != want)
			return 1;
		if (got != MONITOR_GOOD)
			return 0;
	}
	return 0;
}

int main(void)
{
	unsigned count = getenv("LONG") != NULL ? 400000 : 20000, differ = 0;
	uint64_t verdicts[4] = { 0 };

	for (unsigned i = 0; i < count; i++) {
		struct monitor m = { 0 };
		struct diag d = { 0 };
		struct spec_property *p;
		struct trees t;

		trees_init(&t, VARS, EVENTS, i);
		p = trees_property(&t, SPEC_FSM);
		trees_random_fsm(&t, p, 1 + i % 9);
		if (monitor_fsm_new(&t.spec, p, &m, &d) != ST_OK)
			abort();
		for (unsigned k = 0; k < 4; k++)
			differ += follow(&t, p, &m, verdicts);
		m.free(m.self);
		trees_release(&t);
	}
	TAP_EQ(differ, 0, "%u random machines: verdicts as interpreted", count);
	TAP_OK(verdicts[0] > count && verdicts[1] > count / 10 && verdicts[2] > count / 100 &&
		       verdicts[3] > count / 100,
	       "each verdict comes up");
	return tap_done();
}
