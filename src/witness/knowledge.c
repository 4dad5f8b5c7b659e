/*
 * A run of n events, in which threads have states: (i, k) is thread i after its first k events.  What comes before an
 * event is a down-set of the order that the run has by itself, kept as how many events of each thread are in it, and
 * how many writes of each variable, which that order has in a row:
 *
 *	past(e)	= past of the thread's event before, or of its fork
 *		+ pasts of what e takes from: earlier accesses in conflict, releases, gives, the signal ...
 *		+ e
 *
 * What threads may not do differently here than in the recorded run (a take has all gives that it had) is looked at
 * once more, for then past(e) is that of the recorded run's own rules; else the answer is UNKNOWN.
 */
#include "trace/format.h"
#include "witness/knowledge_priv.h"
#include "witness/view_priv.h"

#define ROOM (UINT64_C(1) << 25) /* counts in all pasts */

enum { CARRIER_PLACE, CARRIER_WORD, CARRIER_LOCK, CARRIER_ATOMIC, CARRIER_GIVES };

static void give_up(struct knowledge *k, const char *why)
{
	if (!k->why)
		k->why = why;
}

/* ---- pasts ---- */

static uint32_t past_new(struct knowledge *k)
{
	size_t had = k->pasts.n;

	VEC_RESERVE(&k->pasts, had + k->width);
	memset(&k->pasts.at[had], 0, k->width * sizeof(*k->pasts.at));
	k->pasts.n += k->width;
	return k->npasts++;
}

static void past_join(struct knowledge *k, uint32_t to, uint32_t from)
{
	for (uint32_t i = 0; from && i < k->width; i++)
		if (knowledge_past(k, to)[i] < knowledge_past(k, from)[i])
			knowledge_past(k, to)[i] = knowledge_past(k, from)[i];
}

static void posts_count(struct knowledge *k)
{
	MAP_SCOPED posts = { 0 }; /* by object */

	for (size_t pos = 1; pos < k->ev->items.n; pos++) {
		const struct evidence_item *it = &k->ev->items.at[pos];

		if (it->op == EVENT_SEM_POST)
			++*map_put(&posts, it->object, NULL);
		else if (it->op == EVENT_SEM_WAIT)
			*map_put(&k->posts_at, pos, NULL) = *map_put(&posts, it->object, NULL);
	}
}

struct knowledge *knowledge_new(const struct evidence *ev, const struct view *v, uint64_t events)
{
	struct knowledge *k = mem_zalloc(sizeof(*k));

	k->ev = ev;
	k->view = v;
	k->spec = v->spec;
	k->text = trace_info(ev->trace).form != TRACE_BINARY;
	k->nthreads = (uint32_t)ev->threads.n;
	k->width = k->nthreads + v->spec->nvariables;
	(void)past_new(k);
	*VEC_PUSH(&k->steps) = (struct knowledge_step){ 0 };
	if (!v->sight || trace_info(ev->trace).late)
		give_up(k, "what the spec sees is not known from the start");
	else if (ev->cut)
		give_up(k, "a part of the trace was read");
	posts_count(k);
	if (events * k->width > ROOM)
		give_up(k, "the run is too long for what threads know in it");
	return k;
}

void knowledge_free(struct knowledge *k)
{
	for (size_t i = 0; i < k->movers.n; i++)
		VEC_RELEASE(&k->movers.at[i].steps);
	for (uint32_t i = 0; i < SPEC_VARIABLES; i++)
		VEC_RELEASE(&k->writes[i]);
	VEC_RELEASE_ALL(&k->steps, &k->pasts, &k->locals, &k->movers, &k->carriers);
	MAP_RELEASE_ALL(&k->carrier_at, &k->step_at, &k->posts_at);
	mem_free(k);
}

uint64_t knowledge_work(const struct knowledge *k)
{
	return k->work + k->asked;
}

const char *knowledge_trouble(const struct knowledge *k)
{
	return k->why ? k->why : k->once;
}

/* ---- what an event takes, and leaves ---- */

struct taking {
	struct knowledge *k;
	const struct evidence_item *it;
	uint32_t step;
	VEC(uint32_t) replaced; /* carriers: what is left is a write; */
	VEC(uint32_t) added;	/* ... a read, */
	VEC(uint32_t) given;	/* ... or comes to what lies there */
	bool is_step;
};

static uint32_t carrier_of(struct knowledge *k, unsigned kind, uint64_t what)
{
	bool fresh;
	uint64_t *at = map_put(&k->carrier_at, what * 8 + kind, &fresh);

	if (fresh) {
		*at = k->carriers.n;
		*VEC_PUSH(&k->carriers) = (struct knowledge_carrier){ 0 };
	}
	return (uint32_t)*at;
}

/* An access: a read is in conflict with writes, a write with both. */
static void carry(struct taking *t, unsigned kind, uint64_t what, bool writes)
{
	uint32_t number = carrier_of(t->k, kind, what);
	const struct knowledge_carrier *c = &t->k->carriers.at[number];

	past_join(t->k, t->step, c->writes);
	if (writes)
		past_join(t->k, t->step, c->reads);
	if (writes)
		*VEC_PUSH(&t->replaced) = number;
	else
		*VEC_PUSH(&t->added) = number;
	t->is_step = true;
}

static void lock(struct taking *t)
{
	uint8_t op = t->it->op;
	uint32_t number = carrier_of(t->k, CARRIER_LOCK, t->it->object);
	const struct knowledge_carrier *c = &t->k->carriers.at[number];

	if (op == EVENT_ACQ || op == EVENT_RACQ)
		past_join(t->k, t->step, c->writes);
	if (op == EVENT_ACQ)
		past_join(t->k, t->step, c->reads);
	if (op == EVENT_REL)
		*VEC_PUSH(&t->replaced) = number;
	else if (op == EVENT_RREL)
		*VEC_PUSH(&t->added) = number;
}

static bool overlaps(const struct evidence_item *it, const struct view_object *o)
{
	return it->addr < o->at.to && it->addr + it->len > o->at.from;
}

/* A place that the spec names.  One that comes and goes (FORESEE_VARIABLE) is not followed. */
static void place(struct taking *t, const struct view_object *o)
{
	if (o->said && !t->k->text)
		give_up(t->k, "the program itself says where a variable of the spec is");
	else if (overlaps(t->it, o))
		carry(t, CARRIER_PLACE, o->at.from, t->it->op != EVENT_READ);
}

static void access(struct taking *t)
{
	const struct spec *s = t->k->spec;
	const struct view_sight *sight = t->k->view->sight;
	const struct evidence_item *it = t->it;
	bool writes = it->op != EVENT_READ;

	for (uint32_t i = 0; i < s->nvariables; i++)
		if (!s->variables[i].local)
			place(t, &sight->variable[i]);
	for (uint32_t i = 0; i < s->nevents; i++)
		if ((s->events[i].op == SPEC_READ || s->events[i].op == SPEC_WRITE) &&
		    s->events[i].variable < 0 && s->events[i].nargs)
			place(t, &sight->object[i]);
	if (t->is_step)
		return;
	if (s->flow_all)
		for (uint64_t word = it->addr >> 3; word <= (it->addr + it->len - 1) >> 3; word++)
			carry(t, CARRIER_WORD, word, writes);
	else if ((it->flags & EVENT_ATOMIC || (t->k->text && it->op == EVENT_RMW)) &&
		 !(it->flags & EVIDENCE_RELAXED && !t->k->text))
		carry(t, CARRIER_ATOMIC, it->addr, writes);
}

static void give(struct taking *t, uint64_t what)
{
	*VEC_PUSH(&t->given) = carrier_of(t->k, CARRIER_GIVES, what);
}

/* Of all gives that came before it in the recorded run, and of no other.  The rules see to it that those are here; not
 * so with semaphores. */
static void take(struct taking *t, uint64_t what)
{
	uint64_t pos = (uint64_t)(t->it - t->k->ev->items.at), *posts;
	uint32_t number = carrier_of(t->k, CARRIER_GIVES, what);
	const struct knowledge_carrier *c = &t->k->carriers.at[number];

	posts = t->it->op == EVENT_SEM_WAIT ? map_get(&t->k->posts_at, pos) : NULL;
	if (c->latest > pos || (posts && *posts != c->count))
		give_up(t->k, "others have posted or given than in the recorded run");
	past_join(t->k, t->step, c->writes);
}

/* The object of a channel, a semaphore, a round of a barrier. */
static uint64_t meeting(const struct evidence_item *it)
{
	return it->op == EVENT_BAR_IN || it->op == EVENT_BAR_OUT ? (uint64_t)it->group << 32
								 : it->object;
}

static void join_thread(struct taking *t)
{
	const struct knowledge *k = t->k;

	if (t->it->object < k->movers.n && k->movers.at[t->it->object].steps.n) {
		uint32_t n = (uint32_t)k->movers.at[t->it->object].steps.n;

		past_join(t->k, t->step, k->movers.at[t->it->object].steps.at[n - 1]);
	}
}

/* True: it is a step of its thread, whatever it takes. */
static bool touch(struct taking *t)
{
	switch (t->it->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		if (t->it->len)
			access(t);
		return t->is_step;
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
		lock(t);
		return true;
	case EVENT_BAR_IN:
	case EVENT_SEM_POST:
	case EVENT_ONCE_END:
	case EVENT_GIVE:
		give(t, meeting(t->it));
		return true;
	case EVENT_BAR_OUT:
	case EVENT_SEM_WAIT:
	case EVENT_ONCE_PASS:
	case EVENT_TAKE:
		take(t, meeting(t->it));
		return true;
	case EVENT_WAKE:
		past_join(t->k, t->step, knowledge_step_of(t->k, t->it->signal));
		return true;
	case EVENT_JOIN:
		join_thread(t);
		return true;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
	case EVENT_FORK:
	case EVENT_THREAD_END:
	case EVENT_BEGIN:
	case EVENT_END:
		return true;
	case EVENT_USER:
		return t->it->kind == FORMAT_USER_EVENT || t->it->kind == FORMAT_USER_CALL ||
		       t->it->kind == FORMAT_USER_INTERNAL;
	default:
		return false;
	}
}

static void leave(struct taking *t)
{
	struct knowledge *k = t->k;

	for (size_t i = 0; i < t->replaced.n; i++)
		k->carriers.at[t->replaced.at[i]] =
			(struct knowledge_carrier){ t->step, t->step, 0, 0 };
	for (size_t i = 0; i < t->added.n; i++) {
		uint32_t both = past_new(k);
		struct knowledge_carrier *c = &k->carriers.at[t->added.at[i]];

		past_join(k, both, c->reads);
		past_join(k, both, t->step);
		c->reads = both;
	}
	for (size_t i = 0; i < t->given.n; i++) {
		uint32_t all = k->carriers.at[t->given.at[i]].writes;
		struct knowledge_carrier *c = &k->carriers.at[t->given.at[i]];
		uint64_t pos = (uint64_t)(t->it - k->ev->items.at);

		c->writes = all ? all : past_new(k);
		past_join(k, c->writes, t->step);
		c->count++;
		c->latest = pos > c->latest ? pos : c->latest;
	}
}

/* ---- what it changes ---- */

static void write(struct knowledge *k, struct knowledge_mover *m, uint32_t step,
		  const struct view_event *e)
{
	struct value now[SPEC_VARIABLES];

	for (uint32_t i = 0; i < k->spec->nvariables; i++)
		now[i] = k->spec->variables[i].local ? m->locals[i]
			 : k->writes[i].n	     ? k->writes[i].at[k->writes[i].n - 1]
						     : k->view->initial[i];
	view_apply(k->view, e, now);
	for (uint32_t i = 0; i < k->spec->nvariables; i++) {
		if (!(e->written >> i & 1))
			continue;
		if (k->spec->variables[i].local) {
			m->locals[i] = now[i];
			continue;
		}
		*VEC_PUSH(&k->writes[i]) = now[i];
		knowledge_past(k, step)[k->nthreads + i] = (uint32_t)k->writes[i].n;
	}
}

static struct knowledge_mover *mover_of(struct knowledge *k, uint32_t tid)
{
	struct knowledge_mover *m;

	VEC_REACH(&k->movers, tid);
	m = &k->movers.at[tid];
	if (m->steps.n == 0 && m->blocks == 0)
		for (uint32_t i = 0; i < k->spec->nvariables; i++)
			m->locals[i] = k->view->initial[i];
	return m;
}

void knowledge_take(struct knowledge *k, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	const struct view_event *e = view_at(k->view, pos);
	struct taking t = { .k = k, .it = it };
	struct knowledge_mover *m;

	k->last = 0;
	if (k->why)
		return;
	m = mover_of(k, it->tid);
	/* Step and past have one number: those of carriers take one as well. */
	t.step = past_new(k);
	if (m->steps.n)
		past_join(k, t.step, m->steps.at[m->steps.n - 1]);
	else
		past_join(k, t.step, knowledge_step_of(k, k->ev->threads.at[it->tid].fork));
	if (!touch(&t) && !k->text &&
	    !(e && e->events && it->op != EVENT_READ && it->op != EVENT_WRITE &&
	      it->op != EVENT_RMW)) {
		k->pasts.n -= k->width;
		k->npasts--;
		return;
	}
	VEC_REACH(&k->steps, t.step);
	*VEC_PUSH(&m->steps) = t.step;
	knowledge_past(k, t.step)[it->tid] = (uint32_t)m->steps.n;
	*map_put(&k->step_at, pos, NULL) = t.step;
	if (e)
		write(k, m, t.step, e);
	m->blocks += it->op == EVENT_BEGIN && m->depth++ == 0;
	m->depth -= it->op == EVENT_END && m->depth > 0;
	k->steps.at[t.step] = (struct knowledge_step){ .pos = pos,
						       .events = e ? e->events : 0,
						       .tid = it->tid,
						       .count = (uint32_t)m->steps.n,
						       .block = m->depth ? m->blocks : 0 };
	VEC_REACH(&k->locals, (size_t)t.step * k->spec->nvariables + k->spec->nvariables);
	memcpy(&k->locals.at[(size_t)t.step * k->spec->nvariables], m->locals,
	       k->spec->nvariables * sizeof(*m->locals));
	leave(&t);
	VEC_RELEASE_ALL(&t.replaced, &t.added, &t.given);
	k->last = t.step;
}
