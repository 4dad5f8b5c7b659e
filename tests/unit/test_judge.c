/*
 * The checker's own evaluator against the monitors: random formulas, expressions, machines and plain
 * arithmetic over random runs.  They share no code, so each is held to the other.
 */
#include <foresee_monitor.h>
#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "monitor/config.h"
#include "monitor/eval.h"
#include "monitor/monitor.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"
#include "witness/judge.h"
#include "witness/value.h"

/* Expressions are many small allocations: the address sanitizer makes each round fifty times as long. */
#ifdef __SANITIZE_ADDRESS__
#define USUAL 600
#else
#define USUAL 3000
#endif

#define VARS 3
#define EVENTS 3
#define LENGTH 14

/* The same step for both. */
struct step {
	struct watch_item item;
	struct watch_write writes[VARS];
};

static struct value value_as(const struct monitor_value *v)
{
	struct value out = { .known = v->known };

	for (unsigned i = 0; i < 8; i++)
		out.byte[i] = (uint8_t)(v->known >> i & 1 ? v->raw >> 8 * i : 0);
	return out;
}

static void random_value(struct trees *t, struct monitor_value *v)
{
	v->raw = (uint32_t)((int)trees_random(t, 5) - 1);
	v->known = trees_random(t, 30) ? 15 : (uint8_t)trees_random(t, 15);
	for (unsigned i = 0; i < 4; i++)
		if (!(v->known >> i & 1))
			v->raw &= ~(UINT64_C(0xff) << 8 * i);
}

static void random_step(struct trees *t, struct step *s)
{
	*s = (struct step){ .item = { .pos = 1, .thread = 1 + trees_random(t, 3) } };
	s->item.events = trees_random(t, 3) ? trees_random(t, 1 << EVENTS) : 0;
	s->item.reads = trees_random(t, 4) ? 0 : trees_random(t, 1 << VARS);
	for (uint32_t i = 0; i < VARS; i++) {
		struct monitor_value v;

		if (trees_random(t, 3))
			continue;
		random_value(t, &v);
		s->item.written |= UINT64_C(1) << i;
		s->writes[s->item.nwrites++] = (struct watch_write){
			.variable = i, .raw = v.raw, .mask = UINT32_MAX, .known = v.known == 15
		};
	}
}

struct tally {
	uint64_t differ, capped, verdicts[4];
};

static enum judge_verdict verdict_of(const struct configs *c, uint32_t config)
{
	return config_bad(c, config)	   ? JUDGE_BAD
	       : config_error(c, config)   ? JUDGE_ERROR
	       : config_unknown(c, config) ? JUDGE_UNKNOWN
					   : JUDGE_GOOD;
}

/* One run of one property, until its last word. */
static void follow(struct trees *t, const struct monitors *m, struct tally *all)
{
	struct monitor_value initial[VARS];
	struct value values[VARS];
	struct judge *j = judge_new(m->spec, m->at[0].name, NULL);
	enum judge_verdict is, want;
	struct configs *c;
	uint32_t config;

	for (uint32_t i = 0; i < VARS; i++) {
		random_value(t, &initial[i]);
		values[i] = value_as(&initial[i]);
	}
	c = configs_new(m, initial);
	config = config_initial(c);
	is = judge_begin(j, values);
	for (unsigned n = 0;; n++) {
		struct step s;

		want = verdict_of(c, config);
		all->verdicts[want]++;
		/* Both may give up, at limits of their own. */
		if (configs_trouble(c, 0) && strstr(configs_trouble(c, 0), "too many states")) {
			all->capped++;
			break;
		}
		all->differ += is != want;
		all->differ += (judge_trouble(j) != NULL) !=
			       (want == JUDGE_ERROR || want == JUDGE_UNKNOWN);
		if (want != JUDGE_GOOD || is != want || n == LENGTH)
			break;
		random_step(t, &s);
		config = config_step(c, config, &s.item, s.writes, n, 0);
		for (uint32_t i = 0; i < VARS; i++)
			values[i] = value_as(&config_values(c, config)[i]);
		is = judge_take(j, &(struct judge_step){ values, s.item.events, s.item.written,
							 s.item.reads, s.item.thread });
	}
	configs_free(c);
	judge_free(j);
}

static void random_steps(struct trees *t, struct spec_property *p)
{
	p->step = (enum spec_step)trees_random(t, 3);
	p->variables &= 1 + trees_random(t, 7);
	if (trees_random(t, 4) == 0)
		t->spec.relevant_variables = trees_random(t, 1 << VARS);
	if (trees_random(t, 4) == 0)
		t->spec.relevant_events = trees_random(t, 1 << EVENTS);
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct spec_event *e = &t->spec.events[i];

		if (trees_random(t, 4) == 0)
			e->when = trees_random_truth(t, 1);
		if (trees_random(t, 3) == 0) { /* may be together with others */
			e->op = trees_random(t, 2) ? SPEC_WRITE : SPEC_ANY;
			e->nargs = 0;
			e->variable = e->op == SPEC_WRITE ? (int32_t)trees_random(t, VARS) : -1;
		}
	}
}

static void test_kind(enum spec_body body, const char *name, unsigned many, unsigned least)
{
	struct tally all = { 0 };

	for (unsigned i = 0; i < many; i++) {
		struct monitors m = { 0 };
		struct diag d = { 0 };
		struct spec_property *p;
		struct trees t;

		trees_init(&t, VARS, EVENTS, 1000 * (unsigned)body + i);
		p = trees_property(&t, body);
		random_steps(&t, p);
		if (body == SPEC_PTLTL)
			p->form = trees_random_form(&t, 1 + i % 4);
		else if (body == SPEC_FSM)
			trees_random_fsm(&t, p, 1 + i % 5);
		else
			p->rx = trees_random_rx(&t, 1 + i % 5);
		if (monitors_new(&t.spec, &m, &d) != ST_OK)
			abort();
		for (unsigned k = 0; k < 6; k++)
			follow(&t, &m, &all);
		monitors_release(&m);
		trees_release(&t);
	}
	TAP_EQ(all.differ, 0, "%s: %u random ones, as the monitors say", name, many);
	TAP_OK(all.verdicts[JUDGE_GOOD] > many && all.verdicts[JUDGE_BAD] > many / 4 &&
		       all.verdicts[JUDGE_ERROR] >= least && all.verdicts[JUDGE_UNKNOWN] >= least,
	       "%s: each verdict comes up", name);
	printf("# good %lu, bad %lu, error %lu, unknown %lu; too large %lu\n",
	       (long)all.verdicts[0], (long)all.verdicts[1], (long)all.verdicts[2],
	       (long)all.verdicts[3], (long)all.capped);
}

/* ---- arithmetic at its edges ---- */

static struct spec_expr *random_edge(struct trees *t, unsigned depth)
{
	static const int64_t edges[] = { 0, 1, -1, INT64_MAX, INT64_MIN, UINT32_MAX, 3 };
	static const double reals[] = { 0.0, -0.0, 1.5, -2.0, 1e300, INFINITY, NAN, 0x1p63 };
	static const enum spec_expr_op ops[] = { SPEC_ADD, SPEC_SUB, SPEC_MUL,
						 SPEC_DIV, SPEC_MOD, SPEC_NEG };
	enum spec_expr_op op = ops[trees_random(t, 6)];
	struct spec_expr *e;

	if (depth == 0 || trees_random(t, 4) == 0) {
		switch (trees_random(t, 4)) {
		case 0:
			return trees_real(t, reals[trees_random(t, 8)]);
		case 1:
			e = trees_const(t, edges[trees_random(t, 7)]);
			e->number.is_big = e->number.i < 0 && trees_random(t, 2);
			return e;
		default:
			return trees_var(t, trees_random(t, t->spec.nvariables));
		}
	}
	e = random_edge(t, depth - 1);
	return trees_expr(t, op, e, op == SPEC_NEG ? NULL : random_edge(t, depth - 1));
}

static const struct spec_type types[] = {
	{ SPEC_INT, 1, true, "" },   { SPEC_INT, 1, false, "" },  { SPEC_INT, 2, true, "" },
	{ SPEC_INT, 4, false, "" },  { SPEC_INT, 8, true, "" },	  { SPEC_INT, 8, false, "" },
	{ SPEC_FLOAT, 4, true, "" }, { SPEC_FLOAT, 8, true, "" }, { SPEC_POINTER, 8, false, "" },
};
#define TYPES (sizeof(types) / sizeof(types[0]))

static uint64_t random_bits(struct trees *t)
{
	uint64_t bits = (uint64_t)trees_random(t, UINT32_MAX) << 32 | trees_random(t, UINT32_MAX);

	switch (trees_random(t, 4)) {
	case 0:
		return UINT64_MAX;
	case 1:
		return trees_random(t, 3);
	default:
		return bits;
	}
}

static void test_values(unsigned many)
{
	static const enum value_truth as[] = { [EVAL_FALSE] = VALUE_FALSE,
					       [EVAL_TRUE] = VALUE_TRUE,
					       [EVAL_ERROR] = VALUE_NONE,
					       [EVAL_UNKNOWN] = VALUE_OPEN };
	uint64_t differ = 0, met[4] = { 0 };
	struct trees t;

	for (unsigned i = 0; i < many; i++) {
		struct monitor_value old[TYPES];
		struct value new[TYPES];
		struct spec_expr *e;
		enum eval_truth want;

		trees_init(&t, TYPES, 0, i);
		for (uint32_t k = 0; k < TYPES; k++) {
			t.spec.variables[k].type = types[k];
			old[k].known = trees_random(&t, 9) ? 255 : 127;
			old[k].raw = random_bits(&t);
			new[k] = value_as(&old[k]);
		}
		e = random_edge(&t, i % 4);
		e = trees_expr(&t, SPEC_EQ + trees_random(&t, 6), e, random_edge(&t, i % 3));
		want = eval_truth(&t.spec, e, old, 7);
		differ += value_truth(&t.spec, e, new, 7, NULL) != as[want];
		met[want]++;
		trees_release(&t);
	}
	TAP_EQ(differ, 0, "%u expressions at the edges of types", many);
	TAP_OK(met[0] > 100 && met[1] > 100 && met[2] > 100 && met[3] > 100, "all answers come up");
}

static void test_fits(unsigned many)
{
	uint64_t differ = 0, fits = 0;
	struct trees t;

	trees_init(&t, 1, 0, 1);
	for (unsigned i = 0; i < many; i++) {
		struct spec_number n = { .i = (int64_t)random_bits(&t) >> trees_random(&t, 64) };
		const struct spec_type *type = &types[i % TYPES];
		uint64_t raw = 0;
		struct value v, want;
		bool good;

		n.is_big = n.i < 0 && trees_random(&t, 2);
		if (trees_random(&t, 8) == 0)
			n = (struct spec_number){ .is_float = true, .f = 2.5 };
		good = eval_raw(type, &n, &raw);
		fits += good;
		want = value_as(&(struct monitor_value){ raw, (uint8_t)((1u << type->size) - 1) });
		if (value_of(type, &n, &v) != good)
			differ++;
		else if (good)
			differ += memcmp(&v, &want, sizeof(v)) != 0;
	}
	TAP_EQ(differ, 0, "%u numbers as variables", many);
	TAP_OK(fits > many / 10 && fits < many, "some fit, some do not");
	trees_release(&t);
}

/* ---- plug-ins ---- */

struct counter {
	int64_t steps;
};

static int64_t reach;

static void counter_start(const struct foresee_input *in, void *state)
{
	((struct counter *)state)->steps = in->values[0].integer - in->values[0].integer;
}

static void counter_step(const struct foresee_input *in, void *state)
{
	((struct counter *)state)->steps += in->events == 1 && in->written == 1;
}

static void counter_astray(const struct foresee_input *in, void *state)
{
	(void)in;
	((struct counter *)state)[2].steps = 1;
}

static int counter_is_bad(const void *state)
{
	return ((const struct counter *)state)->steps >= reach ? FORESEE_BAD : FORESEE_GOOD;
}

static void test_plugin(void)
{
	static const char *const variables[] = { "x1", NULL }, *const events[] = { "e2", NULL };
	struct foresee_monitor monitor = {
		"count",      sizeof(struct counter), 0, variables, events, counter_start,
		counter_step, counter_is_bad
	};
	struct value values[VARS] = { { .known = 255 }, { .known = 255 }, { .known = 255 } };
	struct judge_step own = { values, 4, 2, 0, 1 }, other = { values, 1, 1, 0, 1 };
	struct judge *j;
	struct trees t;

	trees_init(&t, VARS, EVENTS, 1);
	reach = 2;
	j = judge_new(&t.spec, "count", &monitor);
	TAP_EQ(judge_begin(j, values), JUDGE_GOOD, "a plug-in begins well");
	TAP_EQ(judge_take(j, &other), JUDGE_GOOD, "what it does not name is no step");
	TAP_EQ(judge_take(j, &own), JUDGE_GOOD, "a step, by its own numbers");
	TAP_EQ(judge_take(j, &own), JUDGE_BAD, "and its own verdict");
	TAP_EQ(judge_begin(j, values), JUDGE_GOOD, "it can begin again");
	values[1].known = 0;
	TAP_EQ(judge_take(j, &own), JUDGE_UNKNOWN, "it is not called with a value nobody knows");
	judge_free(j);
	values[1].known = 255;
	monitor.step = counter_astray;
	j = judge_new(&t.spec, "count", &monitor);
	judge_begin(j, values);
	TAP_EQ(judge_take(j, &own), JUDGE_UNKNOWN, "one that writes elsewhere is not believed");
	TAP_STR(judge_trouble(j), "the plug-in wrote outside its state", "and that is said");
	judge_free(j);
	trees_release(&t);
}

int main(void)
{
	unsigned many = (unsigned)tap_rounds(USUAL, 40000);

	test_kind(SPEC_PTLTL, "ptltl", many, many / 20);
	test_kind(SPEC_FSM, "fsm", many, many / 20);
	test_kind(SPEC_ERE_NEVER, "ere never", many, 1);
	test_kind(SPEC_ERE_MUST, "ere must", many, 1);
	test_values(10 * many);
	test_fits(10 * many);
	test_plugin();
	return tap_done();
}
