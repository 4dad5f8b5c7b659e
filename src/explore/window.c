/*
 * The graph in one reading.  Of memory, and of every other object by which threads reach each other, it
 * is kept who takes and who gives there; whoever takes depends on whoever gives, be it before or
 * after: in another run it may be the other way round.
 */
#include "explore/window.h"

#include "order/step.h"
#include "trace/trace.h"

/* ---- edges ---- */

static void add_edge(struct window_graph *g, const struct window_edge *e)
{
	uint64_t key = hash_add(hash_pair(e->tid, e->on), e->why);
	bool fresh;
	uint64_t *at = map_put(&g->by_pair, key, &fresh);

	if (fresh) {
		*at = g->edges.n;
		*VEC_PUSH(&g->edges) = *e;
	} else {
		struct window_edge *old = &g->edges.at[*at];

		old->took = e->took < old->took ? e->took : old->took;
		old->gave = e->gave > old->gave ? e->gave : old->gave;
	}
}

static void touch(struct window_place *p, uint32_t tid, uint64_t pos, bool takes, bool gives)
{
	size_t i = 0;

	while (i < p->touches.n && p->touches.at[i].tid != tid)
		i++;
	if (i == p->touches.n)
		*VEC_PUSH(&p->touches) = (struct window_touch){ .tid = tid };
	if (takes && p->touches.at[i].took == 0)
		p->touches.at[i].took = pos;
	if (gives)
		p->touches.at[i].gave = pos;
}

/* Nobody will touch it any more. */
static void settle(struct window_graph *g, struct window_place *p)
{
	for (size_t i = 0; i < p->touches.n; i++) {
		const struct window_touch *taker = &p->touches.at[i];

		for (size_t k = 0; k < p->touches.n && taker->took != 0; k++) {
			const struct window_touch *giver = &p->touches.at[k];

			if (giver->tid != taker->tid && giver->gave != 0)
				add_edge(g, &(struct window_edge){ taker->tid, giver->tid, p->why,
								   taker->took, giver->gave });
		}
	}
	VEC_CLEAR(&p->touches);
}

/* ---- memory ---- */

static struct window_place *cell(struct window_graph *g, uint32_t number)
{
	VEC_REACH(&g->cells, number);
	g->cells.at[number].why = WINDOW_READS;
	return &g->cells.at[number];
}

static void take_step(struct window_graph *g, const struct step_batch *b, const struct step *s)
{
	if (s->op == STEP_SPLIT) {
		settle(g, cell(g, s->other));
		VEC_REACH(&g->cells, s->obj);
		VEC_APPEND(&g->cells.at[s->other].touches, g->cells.at[s->obj].touches.at,
			   g->cells.at[s->obj].touches.n);
	} else if (s->op == STEP_DROP) {
		settle(g, cell(g, s->obj));
	} else if (step_is_access(s)) {
		for (uint32_t i = 0; i < s->ncells; i++)
			touch(cell(g, step_cells(b, s)[i]), s->tid, s->pos,
			      s->op == STEP_READ || s->op == STEP_RMW, s->op != STEP_READ);
	}
}

/* ---- all else ---- */

static void touch_object(struct window_graph *g, const struct event *e, enum window_why why,
			 bool takes, bool gives)
{
	bool fresh;
	uint64_t *at = map_put(&g->by_object, hash_pair(e->addr, why), &fresh);

	if (fresh) {
		*at = g->objects.n;
		*VEC_PUSH(&g->objects) = (struct window_place){ .why = why };
	}
	touch(&g->objects.at[*at], e->tid, e->pos, takes, gives);
}

static void see_event(void *graph, struct trace *t, const struct event *e)
{
	struct window_graph *g = graph;

	(void)t;
	if (e->tid > g->nthreads)
		g->nthreads = e->tid;
	switch (e->op) {
	case EVENT_FORK:
		add_edge(g, &(struct window_edge){ e->peer, e->tid, WINDOW_MADE, 1, e->pos });
		break;
	case EVENT_JOIN:
	case EVENT_JOINING:
		add_edge(g, &(struct window_edge){ e->tid, e->peer, WINDOW_JOINS, e->pos,
						   UINT64_MAX });
		break;
	case EVENT_COND_REQ:
	case EVENT_PARK:
		touch_object(g, e, WINDOW_SIGNALLED, true, false);
		break;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		touch_object(g, e, WINDOW_SIGNALLED, false, true);
		break;
	case EVENT_BAR_IN:
		touch_object(g, e, WINDOW_BARRIER, true, true);
		break;
	case EVENT_SEM_WAIT:
	case EVENT_SEM_REQ:
	case EVENT_SEM_FAIL:
		touch_object(g, e, WINDOW_POSTED, true, false);
		break;
	case EVENT_SEM_POST:
		touch_object(g, e, WINDOW_POSTED, false, true);
		break;
	case EVENT_ONCE_PASS:
		touch_object(g, e, WINDOW_ONCE, true, false);
		break;
	case EVENT_ONCE_END:
		touch_object(g, e, WINDOW_ONCE, false, true);
		break;
	case EVENT_TAKE:
		touch_object(g, e, WINDOW_CHANNEL, true, false);
		break;
	case EVENT_GIVE:
		touch_object(g, e, WINDOW_CHANNEL, false, true);
		break;
	default: /* locks: one who is left out holds none */
		break;
	}
}

/* ---- the graph ---- */

static int order_edges(const void *one, const void *other)
{
	const struct window_edge *a = one, *b = other;

	return SORT_ORDER(a->tid, b->tid) ?: SORT_ORDER(a->on, b->on) ?: SORT_ORDER(a->why, b->why);
}

static void finish(struct window_graph *g)
{
	for (size_t i = 0; i < g->cells.n; i++) {
		settle(g, &g->cells.at[i]);
		VEC_RELEASE(&g->cells.at[i].touches);
	}
	for (size_t i = 0; i < g->objects.n; i++) {
		settle(g, &g->objects.at[i]);
		VEC_RELEASE(&g->objects.at[i].touches);
	}
	VEC_RELEASE_ALL(&g->cells, &g->objects);
	MAP_RELEASE_ALL(&g->by_object, &g->by_pair);
	SORT_VEC(&g->edges, order_edges);
}

enum status window_graph_read(struct window_graph *g, struct trace *t, struct diag *d)
{
	struct steps *steps;
	struct step_batch b;
	enum status st;

	*g = (struct window_graph){ 0 };
	steps = steps_new(
		t, &(struct step_options){
			   .recycle = true, .trusting = true, .see = see_event, .see_arg = g });
	while ((st = steps_next(steps, &b, d)) == ST_OK)
		for (size_t i = 0; i < b.n; i++)
			take_step(g, &b, &b.at[i]);
	steps_free(steps);
	finish(g);
	return st == ST_END ? ST_OK : st;
}

void window_graph_release(struct window_graph *g)
{
	VEC_RELEASE(&g->edges);
}

/* ---- windows ---- */

void window_add(struct window *w, uint32_t tid, uint64_t pos)
{
	VEC_REACH(&w->upto, tid);
	if (w->upto.at[tid] < pos)
		w->upto.at[tid] = pos;
}

void window_extend(struct window *w, const struct window_graph *g)
{
	bool grew = true;

	while (grew) {
		grew = false;
		for (size_t i = 0; i < g->edges.n; i++) {
			const struct window_edge *e = &g->edges.at[i];

			if (!window_has(w, e->tid) || e->took > w->upto.at[e->tid] ||
			    (window_has(w, e->on) && w->upto.at[e->on] >= e->gave))
				continue;
			window_add(w, e->on, e->gave);
			grew = true;
		}
	}
}

void window_release(struct window *w)
{
	VEC_RELEASE(&w->upto);
}
