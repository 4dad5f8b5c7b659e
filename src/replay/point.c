#include "replay/point.h"

#include "replay/plan.h"
#include "report/words.h"
#include "trace/format.h"

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE); /* pairs with what the program stores */
}

const struct plan_step *point_target(const struct plan_head *h, uint32_t thread)
{
	const struct plan_thread *t = &plan_threads(h)[thread];
	const struct plan_step *last = plan_steps(h) + t->step + t->nsteps - 1;

	return t->nsteps > 0 && (last->flags & PLAN_TARGET) ? last : NULL;
}

void point_find(const struct plan_head *h, const uint64_t *targets, uint32_t ntargets,
		struct point_seats *out)
{
	out->n = 0;
	for (uint32_t k = 0; k < ntargets; k++)
		for (uint32_t i = 0; i < h->nthreads && out->n < FINDING_EVENTS; i++) {
			const struct plan_step *s = point_target(h, i);

			if (s && s->pos == targets[k])
				out->at[out->n++] = i;
		}
}

/* ---- reached? ---- */

bool point_is_over(const struct plan_head *h, uint32_t thread)
{
	const struct plan_thread *t = &plan_threads(h)[thread];
	const struct plan_seat *s = &plan_seats(h)[thread];
	uint32_t state = load(&s->state);

	if (t->events == 0)
		return true; /* it is nowhere in the order */
	if (point_target(h, thread))
		return state == PLAN_STANDS;
	if (__atomic_load_n(&s->solids, __ATOMIC_ACQUIRE) < t->solids)
		return false;
	if (state == PLAN_STOPPED || state == PLAN_GONE)
		return true;
	/* It may be on its way to the next gate for long, in unseen code. */
	return state != PLAN_ABSENT && state != PLAN_GATED && state != PLAN_PAUSED &&
	       t->tail == 0 && !t->ends && load(&s->progress) + 1 >= 2 * t->nsteps;
}

bool point_is_reached(const struct plan_head *h)
{
	if (load(&h->arrived) < h->ntargets)
		return false;
	for (uint32_t i = 0; i < h->nthreads; i++)
		if (!point_is_over(h, i))
			return false;
	return true;
}

/* ---- a race ---- */

/* A call takes the whole object; how long that is may not be known. */
static uint64_t end_of(const struct plan_op *op)
{
	return op->addr + (op->len ? op->len : 1);
}

static bool changes(const struct plan_op *op)
{
	return op->writes || op->class == PLAN_FREE || op->kind == FORMAT_K_FREE ||
	       op->kind == FORMAT_K_LOCK_INIT || op->kind == FORMAT_K_LOCK_DESTROY;
}

static void add_range(struct point_words *w, const struct plan_head *h, uint32_t thread)
{
	const struct plan_op *op = &plan_seats(h)[thread].op;

	w->name(w->arg, thread, w->why);
	strbuf_addf(w->why, " %" PRIu64 " byte%s at 0x%" PRIx64, op->len, WORDS_PLURAL(op->len),
		    op->addr);
}

bool point_is_race(const struct plan_head *h, const struct point_seats *p, struct point_words *w)
{
	const struct plan_op *a, *b;

	if (p->n != 2) {
		strbuf_addf(w->why, "%" PRIu32 " threads stand there, not two", p->n);
		return false;
	}
	a = &plan_seats(h)[p->at[0]].op;
	b = &plan_seats(h)[p->at[1]].op;
	if (a->addr >= end_of(b) || b->addr >= end_of(a)) {
		strbuf_adds(w->why, "the two do not touch the same memory: ");
		add_range(w, h, p->at[0]);
		strbuf_adds(w->why, ", ");
		add_range(w, h, p->at[1]);
	} else if (!changes(a) && !changes(b)) {
		strbuf_adds(w->why, "neither of the two writes");
	} else if (a->atomic && b->atomic) {
		strbuf_adds(w->why, "both accesses are atomic");
	} else {
		return true;
	}
	return false;
}

/* ---- threads that wait for one another ---- */

bool point_is_join(const struct plan_op *op)
{
	return op->kind == FORMAT_K_JOIN || op->kind == FORMAT_K_JOINING;
}

bool point_holds(const struct plan_seat *s, uint64_t lock)
{
	for (uint32_t i = 0; i < s->nheld && i < PLAN_HELD; i++)
		if (s->held[i].addr == lock)
			return true;
	return false;
}

int point_holder(const struct plan_head *h, const struct point_seats *p, uint32_t thread)
{
	const struct plan_seat *seats = plan_seats(h);
	const struct plan_op *op = &seats[thread].op;
	bool join = point_is_join(op);

	for (uint32_t k = 0; k < p->n; k++) {
		const struct plan_seat *s = &seats[p->at[k]];

		/* One that has a lock already and wants it again waits for itself, if for nobody else. */
		if (p->at[k] != thread && (join ? s->handle == op->addr : point_holds(s, op->addr)))
			return (int)p->at[k];
	}
	return !join && point_holds(&seats[thread], op->addr) ? (int)thread : -1;
}

bool point_is_circle(const struct plan_head *h, const struct point_seats *p, struct point_words *w)
{
	if (p->n == 0) {
		strbuf_adds(w->why, "no thread of it stands there");
		return false;
	}
	for (uint32_t k = 0; k < p->n; k++) {
		if (point_holder(h, p, p->at[k]) >= 0)
			continue;
		w->name(w->arg, p->at[k], w->why);
		strbuf_adds(w->why, point_is_join(&plan_seats(h)[p->at[k]].op)
					    ? " waits for the end of a thread that is none of these"
					    : " waits for a lock that none of these threads holds");
		return false;
	}
	return true;
}

int point_waiter(const struct plan_head *h, const struct point_seats *p)
{
	const struct plan_seat *seats = plan_seats(h);

	for (uint32_t i = 0; i < h->nthreads; i++)
		for (uint32_t k = 0; k < p->n; k++)
			if (p->at[k] != i && load(&seats[i].state) == PLAN_WAITS &&
			    !(load(&seats[i].signalled) & PLAN_BY_SIGNAL) &&
			    !load(&seats[i].limited) &&
			    point_holds(&seats[i], seats[p->at[k]].op.addr))
				return (int)i;
	return -1;
}

bool point_is_wait_holding(const struct plan_head *h, const struct point_seats *p,
			   struct point_words *w)
{
	if (point_waiter(h, p) >= 0)
		return true;
	strbuf_adds(w->why,
		    "no thread that waits on a condition, without a time limit, holds the lock");
	return false;
}
