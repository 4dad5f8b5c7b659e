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
 *
 * A formula in (i, k): recursion; `@j' goes to (j, past(i, k) of j), temporal operators ask the states before, one by
 * one.  That takes long where formulas are nested and runs are long, so there is a budget.
 */
#include "witness/knowledge.h"

#include "trace/format.h"
#include "witness/evidence_priv.h"
#include "witness/view_priv.h"

#define ROOM (UINT64_C(1) << 25) /* counts in all pasts */
#define QUESTIONS 20000000u	 /* of one verdict: formulas, each in a state */
#define NAMES 16u		 /* threads that are bound at one place */
#define LARGEST ((__int128)1 << 100)

enum { CARRIER_PLACE, CARRIER_WORD, CARRIER_LOCK, CARRIER_ATOMIC, CARRIER_GIVES };

struct step {
	uint64_t pos, events;
	uint32_t tid;
	uint32_t count; /* it is the thread's event number count */
	int64_t block;
};

/* What carries the pasts of others: of those who have written it (or released ...), and of those who have read it. */
struct carrier {
	uint32_t writes, reads; /* indices in pasts; 0: nobody */
	uint64_t count,
		latest; /* gives so far, and the position that is latest in the recorded run of them */
};

struct mover {
	VEC(uint32_t) steps;
	struct value locals[SPEC_VARIABLES];
	uint32_t depth;
	int64_t blocks;
};

struct knowledge {
	const struct evidence *ev;
	const struct view *view;
	const struct spec *spec;
	bool text;
	uint32_t nthreads, width; /* width: of a past, threads and then variables */
	VEC(struct step) steps;	  /* [0] unused */
	VEC(uint32_t) pasts;	  /* by step, then of carriers: width each */
	uint32_t npasts;
	VEC(struct value) locals; /* by step: of all variables */
	VEC(struct value) writes[SPEC_VARIABLES];
	VEC(struct mover) movers;
	VEC(struct carrier) carriers;
	struct map carrier_at, step_at;
	struct map posts_at; /* waits of semaphores: posts before them in the recorded run */
	uint32_t last;	     /* step of the last event; 0: it was none */
	uint64_t asked;	     /* of the present verdict */
	uint64_t work;	     /* of those before */
	bool is_open;	     /* something in it is not known */
	const char *why;     /* nothing can be said any more */
	const char *once;    /* of this verdict */
};

static void give_up(struct knowledge *k, const char *why)
{
	if (!k->why)
		k->why = why;
}

/* ---- pasts ---- */

static uint32_t *past_at(struct knowledge *k, uint32_t index)
{
	return &k->pasts.at[(size_t)index * k->width];
}

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
		if (past_at(k, to)[i] < past_at(k, from)[i])
			past_at(k, to)[i] = past_at(k, from)[i];
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
	*VEC_PUSH(&k->steps) = (struct step){ 0 };
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
		*VEC_PUSH(&k->carriers) = (struct carrier){ 0 };
	}
	return (uint32_t)*at;
}

/* An access: a read is in conflict with writes, a write with both. */
static void carry(struct taking *t, unsigned kind, uint64_t what, bool writes)
{
	uint32_t number = carrier_of(t->k, kind, what);
	const struct carrier *c = &t->k->carriers.at[number];

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
	const struct carrier *c = &t->k->carriers.at[number];

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
	const struct carrier *c = &t->k->carriers.at[number];

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

static uint32_t step_of(const struct knowledge *k, uint64_t pos)
{
	const uint64_t *at = pos ? map_get(&k->step_at, pos) : NULL;

	return at ? (uint32_t)*at : 0;
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
		past_join(t->k, t->step, step_of(t->k, t->it->signal));
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
		k->carriers.at[t->replaced.at[i]] = (struct carrier){ t->step, t->step, 0, 0 };
	for (size_t i = 0; i < t->added.n; i++) {
		uint32_t both = past_new(k);
		struct carrier *c = &k->carriers.at[t->added.at[i]];

		past_join(k, both, c->reads);
		past_join(k, both, t->step);
		c->reads = both;
	}
	for (size_t i = 0; i < t->given.n; i++) {
		uint32_t all = k->carriers.at[t->given.at[i]].writes;
		struct carrier *c = &k->carriers.at[t->given.at[i]];
		uint64_t pos = (uint64_t)(t->it - k->ev->items.at);

		c->writes = all ? all : past_new(k);
		past_join(k, c->writes, t->step);
		c->count++;
		c->latest = pos > c->latest ? pos : c->latest;
	}
}

/* ---- what it changes ---- */

static void write(struct knowledge *k, struct mover *m, uint32_t step, const struct view_event *e)
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
		past_at(k, step)[k->nthreads + i] = (uint32_t)k->writes[i].n;
	}
}

static struct mover *mover_of(struct knowledge *k, uint32_t tid)
{
	struct mover *m;

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
	struct mover *m;

	k->last = 0;
	if (k->why)
		return;
	m = mover_of(k, it->tid);
	/* Step and past have one number: those of carriers take one as well. */
	t.step = past_new(k);
	if (m->steps.n)
		past_join(k, t.step, m->steps.at[m->steps.n - 1]);
	else
		past_join(k, t.step, step_of(k, k->ev->threads.at[it->tid].fork));
	if (!touch(&t) && !k->text &&
	    !(e && e->events && it->op != EVENT_READ && it->op != EVENT_WRITE &&
	      it->op != EVENT_RMW)) {
		k->pasts.n -= k->width;
		k->npasts--;
		return;
	}
	VEC_REACH(&k->steps, t.step);
	*VEC_PUSH(&m->steps) = t.step;
	past_at(k, t.step)[it->tid] = (uint32_t)m->steps.n;
	*map_put(&k->step_at, pos, NULL) = t.step;
	if (e)
		write(k, m, t.step, e);
	m->blocks += it->op == EVENT_BEGIN && m->depth++ == 0;
	m->depth -= it->op == EVENT_END && m->depth > 0;
	k->steps.at[t.step] = (struct step){ .pos = pos,
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

/* ---- states ---- */

/* Of thread tid, after so many of its events; tid 0: a thread that is not there. */
struct state {
	uint32_t tid, count;
};

/* Who the names of a formula are: its own thread, then those of the quantifiers around. */
struct question {
	struct knowledge *k;
	const struct spec_property *p;
	uint32_t names[NAMES];
};

static void *open_set(struct knowledge *k, const char *why)
{
	k->is_open = true;
	k->once = why;
	return NULL;
}

static uint32_t step_in(const struct knowledge *k, struct state at)
{
	return at.count ? k->movers.at[at.tid].steps.at[at.count - 1] : 0;
}

/* How much of a thread, or variable, is before the state. */
static uint32_t known_of(struct knowledge *k, struct state at, uint32_t what)
{
	return past_at(k, step_in(k, at))[what]; /* of step 0: nothing */
}

static struct state newest(struct knowledge *k, struct state at, uint32_t tid)
{
	if (tid == at.tid)
		return at;
	return (struct state){ tid, tid ? known_of(k, at, tid) : 0 };
}

static bool is_of(const struct knowledge *k, uint32_t tid, uint32_t class)
{
	return class == SPEC_WHO_ANY || view_is_of(k->view, k->ev->trace, class, tid);
}

static bool exists(const struct knowledge *k, uint32_t tid)
{
	return k->ev->threads.at[tid].events.n || k->ev->threads.at[tid].fork;
}

/* Nobody makes it. */
static bool is_root(const struct knowledge *k, uint32_t tid)
{
	return k->text ? k->ev->threads.at[tid].fork == 0 : tid == 1;
}

static bool is_known(struct knowledge *k, struct state at, uint32_t tid)
{
	uint32_t fork = step_of(k, k->ev->threads.at[tid].fork);
	const struct step *by = &k->steps.at[fork];

	return is_root(k, tid) || known_of(k, at, tid) > 0 ||
	       (fork && known_of(k, at, by->tid) >= by->count);
}

static uint32_t who(struct question *q, uint32_t index)
{
	uint32_t found = 0;

	if (index >= SPEC_WHO_BOUND)
		return q->names[index - SPEC_WHO_BOUND + 1];
	if (index == q->p->at)
		return q->names[0];
	for (uint32_t tid = 1; tid < q->k->nthreads; tid++) {
		if (!exists(q->k, tid) || !is_of(q->k, tid, index))
			continue;
		if (found)
			open_set(q->k, "a thread's name in it is several threads");
		found = tid;
	}
	return found;
}

/* ---- values ---- */

static __int128 variable(struct question *q, struct state at, uint32_t index)
{
	struct knowledge *k = q->k;
	const struct spec_variable *v = &k->spec->variables[index];
	const struct value *raw = &k->view->initial[index];
	uint32_t n = known_of(k, at, k->nthreads + index);
	struct spec_number number;

	if (v->local && at.count)
		raw = &k->locals.at[(size_t)step_in(k, at) * k->spec->nvariables + index];
	else if (!v->local && n)
		raw = &k->writes[index].at[n - 1];
	if (value_number(&v->type, raw, &number) && !number.is_float)
		return number.is_big ? (__int128)(uint64_t)number.i : number.i;
	/* Text says nothing of first values, and they are 0. */
	if (!v->local && k->text && n == 0)
		return 0;
	open_set(k, "what a variable of the spec holds is not known");
	return 0;
}

static __int128 value(struct question *q, struct state at, const struct spec_expr *e);

static __int128 calculate(struct question *q, struct state at, const struct spec_expr *e)
{
	__int128 a = value(q, at, e->a), b = e->b ? value(q, at, e->b) : 0;

	if (a > LARGEST || a < -LARGEST || b > LARGEST || b < -LARGEST ||
	    (e->op == SPEC_MUL && (a > INT64_MAX || a < INT64_MIN)) ||
	    (e->op == SPEC_MUL && (b > INT32_MAX || b < INT32_MIN)) ||
	    ((e->op == SPEC_DIV || e->op == SPEC_MOD) && b == 0)) {
		open_set(q->k, "a number in it is too large, or has no value");
		return 0;
	}
	switch (e->op) {
	case SPEC_NEG:
		return -a;
	case SPEC_ADD:
		return a + b;
	case SPEC_SUB:
		return a - b;
	case SPEC_MUL:
		return a * b;
	case SPEC_DIV:
		return a / b;
	case SPEC_MOD:
		return a % b;
	case SPEC_EQ:
		return a == b;
	case SPEC_NE:
		return a != b;
	case SPEC_LT:
		return a < b;
	case SPEC_LE:
		return a <= b;
	case SPEC_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static __int128 value(struct question *q, struct state at, const struct spec_expr *e)
{
	switch (e->op) {
	case SPEC_CONST:
		return e->number.is_big ? (__int128)(uint64_t)e->number.i : e->number.i;
	case SPEC_VARIABLE:
		return variable(q, at, e->index);
	case SPEC_BLOCK:
		return q->k->steps.at[step_in(q->k, at)].block;
	case SPEC_TID:
		return at.tid;
	case SPEC_REMOTE:
		return value(q, newest(q->k, at, who(q, e->index)), e->a);
	default:
		return calculate(q, at, e);
	}
}

/* ---- formulas ---- */

/* depth: quantifiers around it. */
static bool holds(struct question *q, struct state at, const struct spec_form *f, uint32_t depth);

static bool held(struct question *q, struct state at, const struct spec_form *f, uint32_t depth,
		 uint32_t count)
{
	return holds(q, (struct state){ at.tid, count }, f, depth);
}

/* In all states of the thread from number `from' up to this one f is what it is asked to be. */
static bool always(struct question *q, struct state at, const struct spec_form *f, uint32_t depth,
		   uint32_t from, bool is)
{
	for (uint32_t n = from; n <= at.count; n++)
		if (held(q, at, f, depth, n) != is)
			return false;
	return true;
}

static bool temporal(struct question *q, struct state at, const struct spec_form *f, uint32_t depth)
{
	bool since = f->op == SPEC_F_SINCE || f->op == SPEC_F_WSINCE;

	switch (f->op) {
	case SPEC_F_PREV:
		return held(q, at, f->a, depth, at.count ? at.count - 1 : 0);
	case SPEC_F_ONCE:
		return !always(q, at, f->a, depth, 0, false);
	case SPEC_F_HIST:
		return always(q, at, f->a, depth, 0, true);
	case SPEC_F_START:
	case SPEC_F_STOP:
		return at.count > 0 &&
		       held(q, at, f->a, depth, at.count) == (f->op == SPEC_F_START) &&
		       held(q, at, f->a, depth, at.count - 1) == (f->op == SPEC_F_STOP);
	default:
		break;
	}
	/* a since b: b was true once, and a ever after.  [a, b): a was, and b never since. */
	for (uint32_t n = 0; n <= at.count; n++)
		if (held(q, at, since ? f->b : f->a, depth, n) &&
		    (since ? always(q, at, f->a, depth, n + 1, true)
			   : always(q, at, f->b, depth, n, false)))
			return true;
	if (f->op == SPEC_F_WSINCE)
		return always(q, at, f->a, depth, 0, true);
	return f->op == SPEC_F_WINTERVAL && always(q, at, f->b, depth, 0, false);
}

static bool quantified(struct question *q, struct state at, const struct spec_form *f,
		       uint32_t depth)
{
	bool some = f->op == SPEC_F_SOME;

	if (depth + 1 >= NAMES) {
		open_set(q->k, "it has too many quantifiers");
		return false;
	}
	for (uint32_t tid = 1; tid < q->k->nthreads; tid++) {
		if (tid == at.tid || !exists(q->k, tid) || !is_of(q->k, tid, f->index) ||
		    !is_known(q->k, at, tid))
			continue;
		q->names[depth + 1] = tid;
		if (holds(q, at, f->a, depth + 1) == some)
			return some;
	}
	return !some;
}

static bool holds(struct question *q, struct state at, const struct spec_form *f, uint32_t depth)
{
	if (q->k->asked++ > QUESTIONS) {
		open_set(q->k, "it takes too long to say");
		return true;
	}
	switch (f->op) {
	case SPEC_F_TRUE:
	case SPEC_F_FALSE:
		return f->op == SPEC_F_TRUE;
	case SPEC_F_EXPR:
		return value(q, at, f->expr) != 0;
	case SPEC_F_EVENT:
		return q->k->steps.at[step_in(q->k, at)].events >> f->index & 1;
	case SPEC_F_NOT:
		return !holds(q, at, f->a, depth);
	case SPEC_F_AND:
		return holds(q, at, f->a, depth) && holds(q, at, f->b, depth);
	case SPEC_F_OR:
		return holds(q, at, f->a, depth) || holds(q, at, f->b, depth);
	case SPEC_F_IMPLIES:
		return !holds(q, at, f->a, depth) || holds(q, at, f->b, depth);
	case SPEC_F_IFF:
		return holds(q, at, f->a, depth) == holds(q, at, f->b, depth);
	case SPEC_F_AT:
		return holds(q, newest(q->k, at, who(q, f->index)), f->a, depth);
	case SPEC_F_SOME:
	case SPEC_F_ALL:
		return quantified(q, at, f, depth);
	default:
		return temporal(q, at, f, depth);
	}
}

enum judge_verdict knowledge_ask(struct knowledge *k, const struct spec_property *p)
{
	const struct step *s = &k->steps.at[k->last];
	struct question q = { .k = k, .p = p, .names = { s->tid } };
	bool good;

	k->once = NULL;
	k->is_open = false;
	k->work += k->asked;
	k->asked = 0;
	if (k->why)
		return JUDGE_UNKNOWN;
	if (k->last == 0 || !is_of(k, s->tid, p->at))
		return JUDGE_GOOD;
	good = holds(&q, (struct state){ s->tid, s->count }, p->form, 0);
	if (k->is_open)
		return JUDGE_UNKNOWN;
	return good ? JUDGE_GOOD : JUDGE_BAD;
}
