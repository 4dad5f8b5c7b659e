/*
 * The rules of a correct reordering (doc/WITNESS.md, section 2), tried on one order event by event.
 *
 *	prefix	the events of each thread come as in the trace, without gaps
 *	hard	fork before the child, the child before its join (here);
 *		signals, barriers, semaphores, once (check_sync.c)
 *	locks	a lock has one holder, or readers (check_sync.c)
 *	reads	a binding read sees its write, and that one its value; so do repeated ones that are
 *		not in the trace (check_memory.c)
 *
 * At the end the targets must be the next events of their threads and conflict, or wait for one another, or
 * wait for a signal (check_targets.c).  Or a property is violated by the last event of the order
 * (check_property.c).
 *
 * A thread whose last read saw another write has stopped: what it would do next is not known.  So
 * nothing of it may follow, it is no target, and it cannot be joined.
 */
#include "witness/check_priv.h"

struct checker *checker_new(const struct evidence *ev)
{
	struct checker *c = mem_zalloc(sizeof(*c));

	c->ev = ev;
	c->when = mem_zalloc(ev->items.n * sizeof(*c->when));
	c->mark = mem_zalloc(ev->items.n);
	c->last = mem_zalloc(ev->cells.n * sizeof(*c->last));
	c->objects = mem_zalloc(ev->objects.n * sizeof(*c->objects));
	c->threads = mem_zalloc(ev->threads.n * sizeof(*c->threads));
	c->ins = mem_zalloc(ev->groups.n * sizeof(*c->ins));
	return c;
}

void checker_free(struct checker *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->ev->objects.n; i++)
		VEC_RELEASE(&c->objects[i].readers);
	MEM_FREE_ALL(c->when, c->mark, c->last, c->objects, c->threads, c->ins);
	MAP_RELEASE_ALL(&c->stray, &c->given, &c->shown, &c->initial, &c->initial_known);
	VEC_RELEASE_ALL(&c->lasts.at, &c->cells, &c->synced);
	mem_free(c);
}

void check_verdict_release(struct check_verdict *v)
{
	VEC_RELEASE_ALL(&v->stray, &v->tainted);
}

/* Undoes what the first n events of the order did. */
static void reset(struct checker *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t pos = c->claim->order[i];

		c->when[pos] = 0;
		c->mark[pos] = 0;
		if (evidence_item(c->ev, pos)->op == EVENT_BAR_IN)
			c->ins[evidence_item(c->ev, pos)->group] = 0;
	}
	for (size_t i = 0; i < c->cells.n; i++)
		c->last[c->cells.at[i]] = 0;
	for (size_t i = 0; i < c->synced.n; i++) {
		struct check_object *o = &c->objects[c->synced.at[i]];

		VEC_RELEASE(&o->readers);
		memset(o, 0, sizeof(*o));
	}
	memset(c->threads, 0, c->ev->threads.n * sizeof(*c->threads));
	VEC_CLEAR(&c->lasts.at);
	VEC_CLEAR(&c->cells);
	VEC_CLEAR(&c->synced);
	map_clear(&c->stray);
	map_clear(&c->given);
	map_clear(&c->shown);
	c->tainted_bytes = 0;
}

const char *check_thread_name(const struct checker *c, uint32_t tid)
{
	return trace_thread_name(c->ev->trace, tid);
}

/* "event 12 (T2 rel, a.c:30): " */
static int describe(const struct checker *c, uint64_t pos, char *out, size_t size)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct trace_site place;
	int n;

	n = snprintf(out, size, "event %" PRIu64 " (%.40s %s", pos, check_thread_name(c, it->tid),
		     event_op_name(it->op));
	if (it->site != 0 && trace_site(c->ev->trace, it->site, &place) && place.file)
		n += snprintf(out + n, size - (size_t)n, ", %.80s:%u", place.file, place.line);
	else if (it->site != 0 && trace_site(c->ev->trace, it->site, &place) && place.line)
		n += snprintf(out + n, size - (size_t)n, ", line %u", place.line);
	n += snprintf(out + n, size - (size_t)n, "): ");
	return n;
}

bool check_fail(struct checker *c, uint64_t pos, const char *format, ...)
{
	struct check_verdict *v = c->out;
	va_list ap;
	int n = 0;

	v->certified = false;
	v->pos = pos;
	if (pos >= 1 && pos <= evidence_count(c->ev))
		n = describe(c, pos, v->what, sizeof(v->what));
	va_start(ap, format);
	vsnprintf(v->what + n, sizeof(v->what) - (size_t)n, format, ap);
	va_end(ap);
	return false;
}

/* ---- threads ---- */

static bool fork_check(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	uint32_t fork = c->ev->threads.at[it->tid].fork;

	if (it->index != 0 || fork == 0)
		return true;
	if (fork == EVIDENCE_NO_FORK)
		return check_fail(c, pos, "the fork of its thread is not in the trace");
	if (c->when[fork] == 0)
		return check_fail(c, pos, "comes before the fork of its thread, event %u", fork);
	return true;
}

bool check_over(struct checker *c, uint32_t pos, uint32_t tid, bool known)
{
	const struct evidence_thread *t = &c->ev->threads.at[tid];
	const struct check_thread *s = &c->threads[tid];

	if (s->done < t->events.n)
		return check_fail(c, pos, "%.40s has not ended: its event %u is to come",
				  check_thread_name(c, tid), t->events.at[s->done]);
	if (s->frozen != 0)
		return check_fail(
			c, pos,
			"%.40s has stopped at event %u, which sees another write than observed",
			check_thread_name(c, tid), s->frozen);
	if (c->ev->cut && !known && !t->ended)
		return check_fail(c, pos, "the end of %.40s is not in the part of the trace used",
				  check_thread_name(c, tid));
	return true;
}

bool check_refused(struct checker *c, uint32_t pos)
{
	if (c->out->observed)
		return true;
	return check_fail(c, pos,
			  "was refused, for a reason that is not recorded: nothing of its thread "
			  "can be used from here on");
}

/* A join that came too early must do so here as well. */
static bool join_fail_check(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct evidence_thread *t = &c->ev->threads.at[it->object];

	if (it->flags & EVENT_REFUSED)
		return check_refused(c, pos);
	if (!t->ended || c->threads[it->object].done < t->events.n)
		return true;
	return check_fail(c, pos, "found that %.40s had not ended; here it has",
			  check_thread_name(c, it->object));
}

static bool next_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct check_thread *t = &c->threads[it->tid];

	if (c->when[pos] != 0)
		return check_fail(c, pos, "comes twice");
	if (t->frozen != 0)
		return check_fail(
			c, pos,
			"its thread has stopped at event %u, a read that sees another write than observed",
			t->frozen);
	if (it->index != t->done)
		return check_fail(c, pos, "comes before event %u of its thread",
				  c->ev->threads.at[it->tid].events.at[t->done]);
	return fork_check(c, (uint32_t)pos) && check_nobody_inside(c, (uint32_t)pos);
}

void check_guess_doubt(struct checker *c, uint64_t pos)
{
	check_doubt(c, pos, "a read in it saw what code that was not recorded had written",
		    "goes by bytes that no recorded write had stored, so code that is not "
		    "recorded wrote them");
}

static bool feeds_check(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct evidence_test *test = check_tests(c, pos);

	if (test)
		return check_fail(
			c, pos, "compares what event %u read, and that may come out otherwise here",
			test->read);
	for (uint32_t i = 0; i < it->nfeeds; i++) {
		uint32_t read = c->ev->feeds.at[it->feeds + i];

		if (c->mark[read] & CHECK_READ_TAINTED)
			return check_fail(c, pos,
					  "decides by what event %u read, which may differ here",
					  read);
		if (c->mark[read] & CHECK_READ_GUESSED)
			check_guess_doubt(c, pos);
	}
	if (it->lost_feed)
		return check_fail(c, pos, "decides by a read that is not in the trace");
	return true;
}

/* Its thread may have read again, without a record, what another has overwritten meanwhile. */
static bool stay_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	uint32_t write = c->threads[it->tid].moved;

	if (write == 0 || (it->flags & EVENT_REREAD)) /* which is held to what it saw itself */
		return true;
	return check_fail(c, pos,
			  "comes after event %u has written what its thread may still read: "
			  "repeated reads are not all recorded",
			  write);
}

/* ---- one event ---- */

static bool event_check(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	switch (it->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
	case EVENT_FREE:
		return check_memory_event(c, pos);
	case EVENT_USE:
		return feeds_check(c, pos);
	case EVENT_JOIN_FAIL:
		return join_fail_check(c, pos);
	case EVENT_JOIN:
		return check_over(c, pos, it->object, it->known);
	default:
		return event_op_family(it->op) == 'T' || check_sync_event(c, pos);
	}
}

void check_doubt(struct checker *c, uint64_t pos, const char *why, const char *what)
{
	if (c->out->doubtful)
		return;
	c->out->doubtful = true;
	c->out->doubt = why;
	(void)check_fail(c, pos, "%s: no more than a warning", what);
	c->out->certified = true; /* the rest of the claim is still open */
}

/* Bytes that the call may read are here by other writes than in the recorded run. */
static bool reach_differs(const struct checker *c, const struct evidence_reach *r)
{
	for (unsigned k = 0; k < 8; k++)
		if ((r->mask >> k & 1) && evidence_last(&c->lasts, c->last[r->cell], k) !=
						  evidence_last(&c->ev->reach_lasts, r->seen, k))
			return true;
	return false;
}

static void reach_note(struct checker *c, uint32_t pos)
{
	static const char why[] = "code that was not recorded runs in it and may see other values";
	size_t from, to;

	if (c->out->observed)
		return;
	if (c->ev->reach_end != 0 && pos >= c->ev->reach_end)
		check_doubt(c, pos, why,
			    "code that is not recorded may read more than was looked at");
	for (evidence_reach_range(c->ev, pos, &from, &to); from < to; from++) {
		const struct evidence_reach *r = &c->ev->reach.at[from];

		if (r->unsure)
			check_doubt(
				c, pos, why,
				"code that is not recorded was given memory that another thread "
				"wrote meanwhile");
		else if (reach_differs(c, r))
			check_doubt(c, pos, why,
				    "code that is not recorded was given memory that other writes "
				    "have left here");
	}
}

static void unseen_note(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	if (it->unseen && c->tainted_bytes != 0)
		check_doubt(
			c, pos,
			"code that was not recorded runs in it while memory may hold other values",
			"code that is not recorded runs here and may read memory whose value may "
			"differ");
	if (it->op == EVENT_OPAQUE)
		reach_note(c, pos);
	if (it->strange && !(c->mark[pos] & (CHECK_READ_TAINTED | CHECK_READ_GUESSED)))
		check_guess_doubt(c, pos);
}

size_t check_events(struct checker *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t pos = c->claim->order[i];

		if (pos == 0 || pos > evidence_count(c->ev)) {
			check_fail(c, pos,
				   "event %" PRIu64 " is not in the trace, which has %" PRIu64, pos,
				   evidence_count(c->ev));
			return i;
		}
		if (!next_check(c, pos) || !stay_check(c, pos) || !event_check(c, (uint32_t)pos))
			return i;
		unseen_note(c, (uint32_t)pos);
		check_inside_note(c, (uint32_t)pos);
		c->when[pos] = (uint32_t)i + 1;
		c->threads[evidence_item(c->ev, pos)->tid].done++;
	}
	return n;
}

/* ---- the targets ---- */

bool check_exists(struct checker *c, uint64_t pos)
{
	if (pos != 0 && pos <= evidence_count(c->ev))
		return true;
	return check_fail(c, pos,
			  "target %" PRIu64 " is not in the trace, which has %" PRIu64 " events",
			  pos, evidence_count(c->ev));
}

bool check_is_next(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct check_thread *t = &c->threads[it->tid];

	if (c->when[pos] != 0)
		return check_fail(c, pos, "is a target and in the order as well");
	if (t->frozen == 0 && t->done < it->index)
		return check_fail(c, pos,
				  "is not the next event of its thread after the order: event "
				  "%u is",
				  c->ev->threads.at[it->tid].events.at[t->done]);
	return next_check(c, pos);
}

/* The order may go on to the targets of a race; first gets the one that then comes first. */
static size_t targets_strip(const struct check_claim *claim, uint64_t *first, uint64_t *second)
{
	size_t n = claim->norder;

	*first = claim->targets[0];
	*second = claim->targets[1];
	if (n < 2)
		return n;
	if (claim->order[n - 2] == *second && claim->order[n - 1] == *first) {
		*first = claim->targets[1];
		*second = claim->targets[0];
		return n - 2;
	}
	return claim->order[n - 2] == *first && claim->order[n - 1] == *second ? n - 2 : n;
}

/* What a cancelled thread does from some event on, cleaning up, it does because of that; the
 * recording does not show from which. */
static void cancelled_doubt(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	char what[150];

	for (uint32_t tid = 0; tid < c->ev->threads.n; tid++) {
		bool is_part = c->threads[tid].done != 0;

		for (uint32_t i = 0; i < claim->ntargets; i++)
			is_part |= evidence_item(c->ev, claim->targets[i])->tid == tid;
		if (!is_part || !c->ev->threads.at[tid].cancelled || c->out->doubtful)
			continue;
		snprintf(what, sizeof(what),
			 "%.40s was cancelled, and what it did because of that cannot be told from "
			 "the rest",
			 check_thread_name(c, tid));
		check_doubt(
			c, 0,
			"a thread in it was cancelled, and what it did because of that cannot be "
			"told from the rest",
			what);
	}
}

static bool is_property(const struct check_claim *claim)
{
	return claim->kind == FINDING_PROPERTY || claim->kind == FINDING_PROPERTY_ERROR;
}

static bool claim_check(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	bool cycle = claim->kind == FINDING_DEADLOCK || claim->kind == FINDING_JOIN_HOLDING;
	uint32_t least = claim->kind == FINDING_DEADLOCK ? 1 : 2;

	if (is_property(claim))
		return true;
	if (claim->kind == FINDING_ATOMICITY) {
		if (claim->ntargets == 3 || claim->ntargets == 4)
			return true;
		return check_fail(c, 0, "atomicity is of three or four events; these are %u",
				  claim->ntargets);
	}
	if (!cycle && claim->ntargets != 2)
		return check_fail(c, 0, "%s is of two events; these are %u",
				  finding_kind_name(claim->kind), claim->ntargets);
	if (claim->ntargets < least || claim->ntargets > FINDING_EVENTS)
		return check_fail(c, 0, "%s is of %u to %d events; these are %u",
				  finding_kind_name(claim->kind), least, FINDING_EVENTS,
				  claim->ntargets);
	return true;
}

/* How many events of the order held. */
static size_t race_run(struct checker *c)
{
	uint64_t first, second;
	size_t n = targets_strip(c->claim, &first, &second);
	size_t held = check_events(c, n);

	if (held == n)
		c->out->certified = check_race(c, first, second);
	return held;
}

static size_t others_run(struct checker *c)
{
	size_t held = check_events(c, c->claim->norder);
	bool waits =
		c->claim->kind == FINDING_WAIT_HOLDING || c->claim->kind == FINDING_LOST_WAKEUP;

	if (held == c->claim->norder)
		c->out->certified = c->claim->kind == FINDING_ATOMICITY ? check_atomicity(c)
				    : waits				? check_wait(c)
									: check_deadlock(c);
	return held;
}

static void run_begin(struct checker *c, const struct check_claim *claim, struct check_verdict *out)
{
	memset(out, 0, sizeof(*out));
	c->claim = claim;
	c->out = out;
	if ((claim->values || c->ev->tests.n != 0) && c->ev->values && !c->learnt)
		check_initial_learn(c);
}

/* Targets that the order holds are among its events, so they must be named. */
static void stray_take(struct checker *c)
{
	const struct check_claim *claim = c->claim;

	for (size_t i = 0; claim->stray && i < claim->nstray; i++)
		*map_put(&c->stray, claim->stray[i], NULL) = 1;
	if (!claim->stray && claim->kind == FINDING_ATOMICITY)
		for (uint32_t i = 0; i < claim->ntargets; i++)
			*map_put(&c->stray, claim->targets[i], NULL) = 1;
}

void checker_run(struct checker *c, const struct check_claim *claim, struct check_verdict *out)
{
	size_t held;

	run_begin(c, claim, out);
	if (!claim_check(c))
		return;
	stray_take(c);
	out->certified = true;
	held = is_property(claim)	     ? check_property(c)
	       : claim->kind == FINDING_RACE ? race_run(c)
					     : others_run(c);
	if (out->certified && !out->observed)
		cancelled_doubt(c);
	if (!out->certified)
		out->dep = out->doubtful = out->observed = false;
	reset(c, held);
}

bool check_targets(struct checker *c, const struct check_claim *claim, struct check_verdict *out)
{
	run_begin(c, claim, out);
	out->certified = true;
	out->certified = check_race(c, claim->targets[0], claim->targets[1]);
	if (out->certified)
		cancelled_doubt(c);
	reset(c, 0);
	return out->certified;
}

bool check_stale(const struct evidence *ev, uint64_t free, uint64_t use)
{
	return free < use && use <= evidence_count(ev) &&
	       evidence_item(ev, free)->op == EVENT_FREE && evidence_overlap(ev, free, use);
}
