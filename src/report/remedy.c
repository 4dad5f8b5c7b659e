
#include "report/explain_priv.h"

#define HELD 16	     /* locks looked at, of those that a thread holds */
#define LOOK 1000000 /* events looked at for a signal */
#define NEAR 64	     /* events looked at for a lock that was released too early */

static const char *thread(const struct evidence *ev, const struct evidence_event *e)
{
	return trace_thread_name(evidence_trace(ev), e->tid);
}

static const char *lock(const struct evidence_event *e)
{
	return e->name ? words_brief(e->name) : "the lock";
}

/* " (f.c:8)", or nothing. */
static void location_format(const struct evidence *ev, const struct evidence_event *e,
			    struct strbuf *out)
{
	STRBUF_SCOPED at = { 0 };

	frames_brief(evidence_trace(ev), e->site, e->stack, NULL, &at);
	if (at.n)
		strbuf_addf(out, " (%s)", at.at);
}

/* The place in the cycle of the condition wait; n: none. */
static uint32_t find_wait(const struct cycle *c)
{
	uint32_t i = 0;

	while (i < c->n && !cycle_is_wait(&c->at[i].request))
		i++;
	return i;
}

/* ---- did it happen? ---- */

/* Where the wait began that the thread has done nothing since; 0: it has. */
static uint64_t still_waits(const struct evidence *ev, const struct evidence_event *release)
{
	struct evidence_event park;

	if (!cycle_park(ev, release, &park) || evidence_find(ev, park.tid, park.index + 1) != 0)
		return 0;
	return park.pos;
}

bool remedy_happened(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		     bool whole)
{
	uint64_t signal = 0, wait = 0;

	if (!c->closed)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct evidence_event *e = &c->at[i].request;

		if (cycle_is_wait(e)) {
			wait = whole ? still_waits(ev, e) : 0;
			if (wait == 0)
				return false;
		} else if (f->kind == FINDING_LOST_WAKEUP) {
			signal = e->pos;
		} else if (!cycle_is_stuck(e)) {
			return false;
		}
	}
	return f->kind != FINDING_LOST_WAKEUP || signal < wait;
}

/* ---- what hid it ---- */

static void lost_hidden(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	uint32_t i = find_wait(c);
	const struct evidence_event *wait = &c->at[i % c->n].request;
	const struct evidence_event *signal = &c->at[(i + 1) % c->n].request;

	if (wait->pos < signal->pos)
		strbuf_addf(out, "in the observed run %s waited already when %s signalled",
			    thread(ev, wait), thread(ev, signal));
	else
		strbuf_addf(out, "in the observed run another signal woke %s", thread(ev, wait));
}

/* The lock was free again only after the wait had ended. */
static void holding_hidden(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	const struct evidence_event *request;
	uint32_t i = find_wait(c);

	assert(c->n > 0);
	i %= c->n;
	request = &c->at[cycle_after(c, i)].request;
	strbuf_addf(out, "in the observed run %s was woken before %s locked %s",
		    thread(ev, &c->at[i].request), thread(ev, request), lock(request));
}

/*
 * Some lock was taken by the one that waits for it here before the other had it.  There is one: if
 * each had been taken after the other gave it back, every thread would have got past its request
 * after the next of the circle had, all around.
 */
void remedy_hidden(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		   struct strbuf *out)
{
	if (f->kind == FINDING_LOST_WAKEUP) {
		lost_hidden(ev, c, out);
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		const struct evidence_event *request = &c->at[i].request;
		struct evidence_event held;

		if (c->at[i].held <= request->pos || cycle_is_stuck(request))
			continue;
		held = evidence_get(ev, c->at[i].held);
		strbuf_addf(out, "in the observed run %s locked %s before %s did",
			    thread(ev, request), lock(request), thread(ev, &held));
		return;
	}
	if (f->kind == FINDING_WAIT_HOLDING)
		holding_hidden(ev, c, out);
	else
		strbuf_adds(out, "in the observed run they did not meet");
}

/* ---- what would prevent it ---- */

bool remedy_signal(const struct evidence *ev, const struct cycle *c, struct evidence_event *out)
{
	uint32_t i = find_wait(c);
	const struct evidence_event *request;
	struct evidence_event park;

	if (i == c->n || evidence_count(ev) == 0 || !cycle_park(ev, &c->at[i].request, &park))
		return false;
	request = &c->at[cycle_after(c, i)].request;
	for (uint32_t k = 1; k < LOOK; k++) {
		uint64_t pos = evidence_find(ev, request->tid, request->index + k);

		if (pos == 0)
			return false;
		*out = evidence_get(ev, pos);
		if ((out->op == EVENT_SIGNAL || out->op == EVENT_BROADCAST) &&
		    cycle_is_same(out, &park))
			return true;
	}
	return false;
}

/* Somebody in the cycle waits for it. */
static bool is_wanted(const struct cycle *c, const struct evidence_event *e)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (cycle_is_lock(&c->at[i].request) && cycle_is_same(&c->at[i].request, e))
			return true;
	return false;
}

/* A lock that number i has held since before it took the one that matters.  (One taken after that
 * would make another deadlock of it.) */
static bool find_gate(const struct evidence *ev, const struct cycle *c, uint32_t i,
		      struct evidence_event *out)
{
	uint64_t acquires[HELD], taken = c->at[cycle_before(c, i)].held;
	size_t n = evidence_held(ev, c->at[i].request.pos, acquires, HELD);

	for (size_t k = 0; k < n && k < HELD; k++) {
		*out = evidence_get(ev, acquires[k]);
		if (acquires[k] < taken && out->op == EVENT_ACQ && !is_wanted(c, out))
			return true;
	}
	return false;
}

/* "T1 holds g here (f.c:8); if T2 took g as well before a, this could not happen" */
static bool gate_format(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct evidence_event *own = &c->at[i].request;
		const struct evidence_event *next = &c->at[cycle_after(c, i)].request;
		struct evidence_event gate;

		if (!find_gate(ev, c, i, &gate))
			continue;
		strbuf_addf(out, "%s holds %s here", thread(ev, own), lock(&gate));
		location_format(ev, &gate, out);
		strbuf_addf(out, "; if %s took %s as well before %s, this could not happen",
			    thread(ev, next), lock(&gate), lock(own));
		return true;
	}
	return false;
}

/* Both lie in one function of the program. */
static bool is_together(const struct evidence *ev, const struct evidence_event *a,
			const struct evidence_event *b)
{
	const struct trace *t = evidence_trace(ev);
	struct trace_site p, q;

	return frames_own(t, a->site, a->stack, &p) && frames_own(t, b->site, b->stack, &q) &&
	       p.function && q.function && strcmp(p.function, q.function) == 0;
}

/* The back-th event before number i took its lock of the cycle, when that is the acquire of another
 * lock in the same function. */
static bool find_past(const struct evidence *ev, const struct cycle *c, uint32_t i, uint32_t back,
		      struct evidence_event *out)
{
	uint64_t taken = c->at[cycle_before(c, i)].held, pos;
	struct evidence_event held;

	if (taken == 0)
		return false;
	held = evidence_get(ev, taken);
	pos = held.index >= back ? evidence_find(ev, held.tid, held.index - back) : 0;
	if (pos == 0)
		return false;
	*out = evidence_get(ev, pos);
	return out->op == EVENT_ACQ && !is_wanted(c, out) && is_together(ev, out, &held);
}

static bool takes(const struct evidence *ev, const struct cycle *c, uint32_t i,
		  const struct evidence_event *gate)
{
	struct evidence_event e;

	for (uint32_t back = 1; back <= NEAR; back++)
		if (find_past(ev, c, i, back, &e) && cycle_is_same(&e, gate))
			return true;
	return false;
}

/* A gate that all of them pass, and leave open. */
static bool past_gate_format(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	struct evidence_event gate;

	for (uint32_t back = 1; back <= NEAR && evidence_count(ev) > 0; back++) {
		bool all = find_past(ev, c, 0, back, &gate);

		for (uint32_t i = 1; i < c->n && all; i++)
			all = takes(ev, c, i, &gate);
		if (!all)
			continue;
		strbuf_addf(out, "%s take %s shortly before", c->n == 2 ? "both" : "all of them",
			    lock(&gate));
		location_format(ev, &gate, out);
		strbuf_adds(out, "; if they held it up to here, this could not happen");
		return true;
	}
	return false;
}

/* A lock that its holder asks for again. */
static void self_remedy(const struct evidence *ev, const struct cycle_wait *w, struct strbuf *out)
{
	struct evidence_event held = evidence_get(ev, w->held);

	if (held.op == EVENT_RACQ)
		strbuf_addf(out, "%s does not turn from reading to writing", lock(&held));
	else
		strbuf_addf(out, "%s is not recursive", lock(&held));
	strbuf_addf(out, "; if %s released it before, this could not happen", thread(ev, &held));
}

static void deadlock_remedy(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	if (c->n == 1) {
		self_remedy(ev, &c->at[0], out);
		return;
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].request.flags & EVENT_IN_WAIT)
			return; /* the order of these two is not for the program to choose */
	if (gate_format(ev, c, out) || past_gate_format(ev, c, out))
		return;
	if (c->n == 2)
		strbuf_addf(out, "if both took %s and %s in the same order, this could not happen",
			    lock(&c->at[0].request), lock(&c->at[1].request));
	else
		strbuf_addf(out,
			    "if all %" PRIu32
			    " took these locks in one common order, this could not happen",
			    c->n);
}

static void join_remedy(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct evidence_event *e = &c->at[i].request;
		struct evidence_event held;

		if (!cycle_is_join(e) || c->at[cycle_before(c, i)].held == 0)
			continue;
		held = evidence_get(ev, c->at[cycle_before(c, i)].held);
		strbuf_addf(out, "if %s released %s before it joins %s, this could not happen",
			    thread(ev, e), lock(&held),
			    trace_thread_name(evidence_trace(ev), e->peer));
		return;
	}
}

static void wait_remedy(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	uint32_t i = find_wait(c);
	struct evidence_event held;

	if (c->at[cycle_before(c, i)].held == 0)
		return;
	held = evidence_get(ev, c->at[cycle_before(c, i)].held);
	strbuf_addf(out,
		    "a wait gives up its own mutex alone; if %s released %s before, this could not "
		    "happen",
		    thread(ev, &held), lock(&held));
}

static void lost_remedy(const struct evidence *ev, const struct cycle *c, struct strbuf *out)
{
	const struct evidence_event *wait = &c->at[find_wait(c) % c->n].request;

	strbuf_addf(out, "what %s waits for must be tested right before, and changed, with %s held",
		    thread(ev, wait), lock(wait));
}

void remedy_format(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		   struct strbuf *out)
{
	if (!c->closed)
		return;
	if (f->kind == FINDING_DEADLOCK)
		deadlock_remedy(ev, c, out);
	else if (f->kind == FINDING_JOIN_HOLDING)
		join_remedy(ev, c, out);
	else if (f->kind == FINDING_WAIT_HOLDING)
		wait_remedy(ev, c, out);
	else if (f->kind == FINDING_LOST_WAKEUP)
		lost_remedy(ev, c, out);
}
