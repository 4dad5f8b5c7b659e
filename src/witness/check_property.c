/*
 * Properties: the order is a run by the rules of all others, and along it the property, evaluated here
 * by code of its own (view.h, judge.h), goes wrong at the last event and no sooner.
 *
 *	order    e1 e2 ... en            n >= 1, en is the target
 *	states   s0 s1 s2 ... sn         the property is good in s0 .. s(n-1), violated in sn
 *
 * Without a target the order is empty, and the property is violated in the initial state, which is
 * that of every run.
 *
 * The recorded run itself, 1 2 ... n, may hold what no other order may, such as reads of writes that
 * were not recorded.  It is what the threads did, but where nothing recorded orders two events the
 * trace has them in an order of its own: past such a read it is no more than a warning.
 */

#include "witness/check_priv.h"
#include "witness/judge.h"
#include "witness/knowledge.h"
#include "witness/view.h"

static bool target_check(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	uint64_t last = claim->norder ? claim->order[claim->norder - 1] : 0;

	if (!claim->view || (!claim->view->spec && !claim->plugin))
		return check_fail(c, 0, "there is no spec to check the property by");
	if (claim->view->trouble[0])
		return check_fail(c, 0, "%.200s", claim->view->trouble);
	if (claim->ntargets > 1)
		return check_fail(c, 0, "a property is violated at one event; these are %u",
				  claim->ntargets);
	if (claim->ntargets == 0 && last != 0)
		return check_fail(c, 0,
				  "without a target the property is violated in the initial state; "
				  "the order must be empty");
	if (claim->ntargets == 1 && !check_exists(c, claim->targets[0]))
		return false;
	if (claim->ntargets == 1 && claim->targets[0] != last)
		return check_fail(c, claim->targets[0],
				  "is the target, so the order must end with it");
	return true;
}

static bool is_recorded(const struct check_claim *claim)
{
	for (size_t i = 0; i < claim->norder; i++)
		if (claim->order[i] != i + 1)
			return false;
	return true;
}

/* ---- values that may differ ---- */

/* What a thread hands over may come from anything that it has read. */
static bool has_arguments(uint8_t op)
{
	return event_op_family(op) != 'A' && event_op_family(op) != 'L' &&
	       event_op_family(op) != 'S';
}

/* Its thread has read what may differ, or was guessed. */
static bool arguments_check(struct checker *c, uint64_t pos, uint64_t marks)
{
	if (marks & CHECK_READ_TAINTED)
		return check_fail(c, pos,
				  "is an event of the spec, and its thread has read what may "
				  "differ here");
	check_guess_doubt(c, pos);
	return true;
}

/* No tainted value may reach what the spec looks at. */
static bool taint_check(struct checker *c)
{
	const unsigned guesses = CHECK_READ_GUESSED | CHECK_WRITE_GUESSED;
	struct map tainted = { 0 }; /* threads that have read one, to CHECK_READ_* */
	bool good = true;

	for (size_t i = 0; i < c->claim->norder && good; i++) {
		uint64_t pos = c->claim->order[i];
		const struct evidence_item *it = evidence_item(c->ev, pos);
		const struct view_event *item = view_at(c->claim->view, pos);

		if (c->mark[pos] & (CHECK_READ_TAINTED | CHECK_READ_GUESSED))
			*map_put(&tainted, it->tid, NULL) |= c->mark[pos];
		if (!item)
			continue;
		if ((c->mark[pos] & guesses) && (item->written || item->events))
			check_guess_doubt(c, pos);
		else if (c->mark[pos] && item->written)
			good = check_fail(
				c, pos, "may store another value here, in a variable of the spec");
		else if (c->mark[pos] && item->events)
			good = check_fail(
				c, pos, "may read another value here, and is an event of the spec");
		else if (item->events && has_arguments(it->op) && map_get(&tainted, it->tid))
			good = arguments_check(c, pos, *map_get(&tainted, it->tid));
	}
	map_release(&tainted);
	return good;
}

/* The recorded run: a variable of the spec held what no recorded write had stored. */
static void surprise_doubt(struct checker *c)
{
	for (size_t i = 0; i < c->claim->norder && !c->out->doubtful; i++) {
		uint64_t pos = c->claim->order[i];
		const struct view_event *item = view_at(c->claim->view, pos);

		if (item && item->reads &&
		    (evidence_item(c->ev, pos)->surprise || evidence_item(c->ev, pos)->strange))
			check_doubt(c, pos,
				    "code that was not recorded writes a variable of the spec",
				    "reads from a variable of the spec what no recorded write had "
				    "stored");
	}
}

static bool is_of_one_thread(const struct checker *c)
{
	const struct check_claim *claim = c->claim;

	for (size_t i = 1; i < claim->norder; i++)
		if (evidence_item(c->ev, claim->order[i])->tid !=
		    evidence_item(c->ev, claim->order[0])->tid)
			return false;
	return true;
}

/* The recorded run breaks a rule only by what was not recorded.  What a single thread did it did in
 * that order, whatever it saw. */
static void recorded_doubt(struct checker *c)
{
	bool broken = !c->out->certified;

	c->out->certified = true;
	if (broken && !is_of_one_thread(c)) {
		check_doubt(c, c->out->pos,
			    "code that was not recorded takes part in it, so how its threads "
			    "come after one another is not proven",
			    "sees what code that was not recorded did, so how threads come after "
			    "one another from here on is not proven");
	}
	surprise_doubt(c);
}

/* ---- the property ---- */

static const char *state_name(uint64_t pos, char *out, size_t size)
{
	if (pos == 0)
		snprintf(out, size, "in the initial state");
	else
		snprintf(out, size, "at event %" PRIu64, pos);
	return out;
}

/* The state after the whole order, where nothing has gone wrong before. */
static bool end_check(struct checker *c, const struct judge *j, enum judge_verdict is)
{
	const struct check_claim *claim = c->claim;
	bool error = claim->kind == FINDING_PROPERTY_ERROR;
	uint64_t pos = claim->ntargets ? claim->targets[0] : 0;
	const char *why = judge_trouble(j), *name = claim->property;
	char where[60];

	if (is == (error ? JUDGE_ERROR : JUDGE_BAD))
		return true;
	state_name(pos, where, sizeof(where));
	switch (is) {
	case JUDGE_UNKNOWN:
		return check_fail(c, pos, "whether '%.60s' holds %s is not known%s%.100s", name,
				  where, why ? ": " : "", why ? why : "");
	case JUDGE_ERROR:
		return check_fail(c, pos, "'%.60s' has no value %s%s%.100s; violated it is not",
				  name, where, why ? ": " : "", why ? why : "");
	case JUDGE_BAD:
		return check_fail(c, pos, "'%.60s' is violated %s; it has a value", name, where);
	default:
		return check_fail(c, pos, "'%.60s' holds %s and all before", name, where);
	}
}

static bool already_fail(struct checker *c, uint64_t next, uint64_t pos, enum judge_verdict is)
{
	char where[60];

	return check_fail(c, next, "'%.60s' has its verdict %s already: %s", c->claim->property,
			  state_name(pos, where, sizeof(where)),
			  is == JUDGE_BAD     ? "violated"
			  : is == JUDGE_ERROR ? "without a value"
					      : "not known");
}

static bool run_check(struct checker *c, struct judge *j)
{
	const struct check_claim *claim = c->claim;
	struct value values[SPEC_VARIABLES];
	enum judge_verdict is;
	uint64_t pos = 0;

	memcpy(values, claim->view->initial, sizeof(values));
	is = judge_begin(j, values);
	for (size_t i = 0; i < claim->norder; i++) {
		const struct view_event *e = view_at(claim->view, claim->order[i]);

		if (is != JUDGE_GOOD)
			return already_fail(c, claim->order[i], pos, is);
		if (!e)
			continue;
		view_apply(claim->view, e, values);
		is = judge_take(j, &(struct judge_step){ values, e->events, e->written, e->reads,
							 e->thread });
		pos = claim->order[i];
	}
	return end_check(c, j, is);
}

/* The property, if it is about knowledge; or NULL. */
static const struct spec_property *knowledge_property(const struct checker *c)
{
	const struct spec *s = c->claim->view->spec;
	int number =
		s && c->claim->property ? spec_find(s, SPEC_USE_PROPERTY, c->claim->property) : -1;

	return number >= 0 && s->properties[number].body == SPEC_MTTL ? &s->properties[number]
								      : NULL;
}

/* What a thread knows goes wrong with news, again and again: it is asked where the order ends, and nowhere before. */
static bool knowledge_check(struct checker *c, const struct spec_property *p)
{
	const struct check_claim *claim = c->claim;
	struct knowledge *k = knowledge_new(c->ev, claim->view, claim->norder);
	enum judge_verdict is;
	bool good = false;

	for (size_t i = 0; i < claim->norder; i++)
		knowledge_take(k, claim->order[i]);
	is = claim->norder ? knowledge_ask(k, p) : JUDGE_GOOD;
	if (is == JUDGE_BAD && claim->kind == FINDING_PROPERTY)
		good = true;
	else if (is == JUDGE_UNKNOWN)
		check_fail(c, claim->targets[0], "whether '%.60s' holds is not known: %.100s",
			   p->name, knowledge_trouble(k));
	else
		check_fail(c, claim->norder ? claim->targets[0] : 0, "'%.60s' %s here", p->name,
			   is == JUDGE_BAD ? "is violated" : "holds");
	knowledge_free(k);
	return good;
}

static bool property_check(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	const struct spec_property *p = claim->plugin ? NULL : knowledge_property(c);
	struct judge *j;
	bool good;

	if (p)
		return knowledge_check(c, p);
	j = judge_new(claim->view->spec, claim->property, claim->plugin);
	if (!j)
		return check_fail(c, 0, "the spec has no property '%.60s'",
				  claim->property ? claim->property : "");
	good = run_check(c, j);
	judge_free(j);
	return good;
}

size_t check_property(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	size_t held = 0;

	if (!target_check(c))
		return 0;
	c->out->observed = is_recorded(claim);
	held = check_events(c, claim->norder);
	if (c->out->observed)
		recorded_doubt(c);
	if (!c->out->certified)
		return held;
	if (c->out->dep && !taint_check(c))
		return held;
	(void)property_check(c);
	return held;
}
