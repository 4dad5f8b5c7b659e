/*
 * State machines as they are written.
 *
 * `fsm': the state is a number; the first move that fits is taken, where none does it stays.
 * `fsm any': the state is a set of states, a bit each; from each of them every move that fits is
 * taken.  Bad as soon as one of them is.
 *
 * A condition without a value: with `fsm' nobody can say where the machine is, so the verdict is
 * that of the condition.  With `any' a bad state that is reached by another move is bad whatever
 * the condition would have been.
 */
#include "monitor/monitor.h"

#include "monitor/eval.h"

struct fsm {
	const struct spec *spec;
	const struct spec_property *property;
	uint32_t initial;
	struct strbuf trouble;
};

static enum eval_truth fits(struct fsm *f, const struct spec_move *m,
			    const struct monitor_input *in)
{
	enum eval_truth t;

	if (!(in->events >> m->event & 1))
		return EVAL_FALSE;
	if (m->when == NULL)
		return EVAL_TRUE;
	t = eval_truth(f->spec, m->when, in->values, in->thread);
	if (t == EVAL_ERROR || t == EVAL_UNKNOWN) {
		strbuf_clear(&f->trouble);
		eval_explain(f->spec, m->when, in->values, in->thread, &f->trouble);
	}
	return t;
}

/* ---- one state ---- */

static enum monitor_verdict one_step(void *self, const uint8_t *before,
				     const struct monitor_input *in, uint8_t *after)
{
	struct fsm *f = self;
	const struct spec_state *s;
	uint32_t at;

	memcpy(&at, before, sizeof(at));
	s = &f->property->states[at];
	for (uint32_t i = 0; i < s->nmoves; i++) {
		enum eval_truth t = fits(f, &s->moves[i], in);

		if (t == EVAL_FALSE)
			continue;
		if (t != EVAL_TRUE)
			return t == EVAL_ERROR ? MONITOR_ERROR : MONITOR_UNKNOWN;
		at = s->moves[i].to;
		break;
	}
	memcpy(after, &at, sizeof(at));
	return f->property->states[at].bad ? MONITOR_BAD : MONITOR_GOOD;
}

/* ---- sets of states ---- */

static void set_add(uint8_t *set, uint32_t state)
{
	set[state / 8] |= (uint8_t)(1u << state % 8);
}

static bool set_has(const uint8_t *set, uint32_t state)
{
	return set[state / 8] >> state % 8 & 1;
}

static uint32_t set_bytes(const struct fsm *f)
{
	return (f->property->nstates + 7) / 8;
}

static bool set_is_bad(const struct fsm *f, const uint8_t *set)
{
	for (uint32_t i = 0; i < f->property->nstates; i++)
		if (f->property->states[i].bad && set_has(set, i))
			return true;
	return false;
}

/* What comes of one state; adds to `after', and to error and unknown. */
static void any_moves(struct fsm *f, uint32_t at, const struct monitor_input *in, uint8_t *after,
		      bool *error, bool *unknown)
{
	const struct spec_state *s = &f->property->states[at];
	bool moved = false;

	for (uint32_t i = 0; i < s->nmoves; i++) {
		enum eval_truth t = fits(f, &s->moves[i], in);

		*error |= t == EVAL_ERROR;
		*unknown |= t == EVAL_UNKNOWN;
		if (t == EVAL_TRUE)
			set_add(after, s->moves[i].to);
		moved |= t != EVAL_FALSE;
	}
	if (!moved)
		set_add(after, at);
}

static enum monitor_verdict any_step(void *self, const uint8_t *before,
				     const struct monitor_input *in, uint8_t *after)
{
	struct fsm *f = self;
	bool error = false, unknown = false;

	memset(after, 0, set_bytes(f));
	for (uint32_t i = 0; i < f->property->nstates; i++)
		if (set_has(before, i))
			any_moves(f, i, in, after, &error, &unknown);
	if (set_is_bad(f, after))
		return MONITOR_BAD;
	/* With both, the unknown one may lead to a bad state: the error need not be what counts. */
	if (unknown)
		return MONITOR_UNKNOWN;
	return error ? MONITOR_ERROR : MONITOR_GOOD;
}

/* ---- both ---- */

static enum monitor_verdict fsm_initial(void *self, const struct monitor_value *values,
					uint8_t *state)
{
	const struct fsm *f = self;

	(void)values;
	if (f->property->any) {
		memset(state, 0, set_bytes(f));
		set_add(state, f->initial);
	} else {
		memcpy(state, &f->initial, sizeof(f->initial));
	}
	return f->property->states[f->initial].bad ? MONITOR_BAD : MONITOR_GOOD;
}

static void fsm_free(void *self)
{
	struct fsm *f = self;

	MEM_FREE_ALL(f->trouble.at, f);
}

static void fsm_describe(const void *self, struct strbuf *out)
{
	const struct fsm *f = self;

	strbuf_addf(out, "%u state%s%s", f->property->nstates, f->property->nstates == 1 ? "" : "s",
		    f->property->any ? ", any number at once" : "");
}

enum status monitor_fsm_new(const struct spec *s, const struct spec_property *p,
			    struct monitor *out, struct diag *d)
{
	struct fsm *f = mem_zalloc(sizeof(*f));

	f->spec = s;
	f->property = p;
	while (!p->states[f->initial].initial)
		f->initial++;
	out->self = f;
	out->size = p->any ? set_bytes(f) : sizeof(f->initial);
	out->initial = fsm_initial;
	out->step = p->any ? any_step : one_step;
	out->free = fsm_free;
	out->describe = fsm_describe;
	out->trouble = &f->trouble;
	if (out->size <= MONITOR_STATE)
		return ST_OK;
	fsm_free(f);
	return spec_complain(s, p->spot, d, "property '%s' has %u states, and may have %u", p->name,
			     p->nstates, 8 * MONITOR_STATE);
}
