#include "explore/aim.h"

#include <sys/wait.h>

#include "analyse/analyse.h"
#include "analyse/pass.h"
#include "witness/evidence.h"

/* ---- from a trace ---- */

struct finding_aims {
	struct aims *aims;
	const struct window_graph *graph;
	const struct steer *steer;
	size_t nchoices; /* of all courses */
	bool is_done;
};

static bool has_same_window(const struct aim *a, const struct aim *b, uint32_t nthreads)
{
	for (uint32_t tid = 1; tid <= nthreads; tid++)
		if (window_has(&a->window, tid) != window_has(&b->window, tid))
			return false;
	return true;
}

#define CHOICES_MOST (1u << 22) /* of all courses: what comes behind is looked for in windows */

static void add_course(struct finding_aims *x, const struct finding *f, struct aim *aim)
{
	if (x->steer == NULL || x->nchoices > CHOICES_MOST ||
	    !steer_along(x->steer, f, &aim->course))
		VEC_RELEASE(&aim->course.at);
	x->nchoices += aim->course.at.n;
}

static void add_aim(struct finding_aims *x, const struct report *r, const struct finding *f)
{
	struct aims *g = x->aims;
	struct aim aim = { .kind = f->kind, .status = f->status, .n = f->nevents };
	struct strbuf title = { 0 };

	explain_headline(r, f, &title);
	aim.title = title.at;
	for (uint32_t i = 0; i < f->nevents; i++) {
		struct evidence_event e = evidence_get(r->evidence, f->events[i]);

		aim.tids[i] = e.tid;
		aim.sites[i] = e.site;
		aim.events[i] = e.pos;
		aim.addrs[i] = e.addr;
		window_add(&aim.window, e.tid, e.pos);
	}
	window_extend(&aim.window, x->graph);
	for (uint32_t tid = 1; tid <= g->nthreads; tid++)
		aim.size += window_has(&aim.window, tid);
	while (aim.first < g->at.n && !has_same_window(&g->at.at[aim.first], &aim, g->nthreads))
		aim.first++;
	add_course(x, f, &aim);
	*VEC_PUSH(&g->at) = aim;
}

static int take_findings(void *arg, const struct pass *p)
{
	struct finding_aims *x = arg;

	x->is_done = true;
	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *f = &p->findings.at.at[i];

		if (!finding_is_property(f) && f->nevents > 0)
			add_aim(x, &p->report, f);
	}
	return EXIT_FINE;
}

bool aims_find(struct aims *g, struct analyse *a, const char *trace,
	       const struct window_graph *graph, const struct steer *steer)
{
	static const char *const hints[] = { "eraser", "goodlock" };
	struct finding_aims x = { .aims = g, .graph = graph, .steer = steer };
	char *path = mem_strdup(trace);

	g->nthreads = graph->nthreads;
	analyse_add_usual(a);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		analyse_add(a, engine_find(hints[i]));
	a->take = take_findings;
	a->take_arg = &x;
	if (analyse_begin(a, &path, 1)) {
		analyse_trace(a, trace);
		analyse_finish(a, EXIT_FINE);
	}
	mem_free(path);
	return x.is_done;
}

void aims_release(struct aims *g)
{
	for (size_t i = 0; i < g->at.n; i++) {
		mem_free(g->at.at[i].title);
		window_release(&g->at.at[i].window);
		VEC_RELEASE(&g->at.at[i].course.at);
	}
	VEC_RELEASE(&g->at);
}

struct baton_set aim_frozen(const struct aims *g, const struct aim *aim)
{
	struct baton_set frozen = { { 0 } };

	for (uint32_t tid = 1; tid <= g->nthreads && tid <= BATON_THREADS; tid++)
		if (!window_has(&aim->window, tid))
			baton_add(&frozen, tid - 1);
	return frozen;
}

/* ---- in runs ---- */

/* Does somebody wait where the warning says, and is it the same thread or object? */
static bool is_stuck_at(const struct aim *a, uint32_t i, const struct baton_head *h)
{
	for (uint32_t t = 0; t < h->nthreads; t++) {
		const struct baton_op *op = &h->pending[t];

		if (baton_has(&h->alive, t) && !baton_has(&h->frozen, t) &&
		    op->site == a->sites[i] &&
		    (t + 1 == a->tids[i] || op->object == a->addrs[i] || op->second == a->addrs[i]))
			return true;
	}
	return false;
}

/* Of a lost wakeup one waits, and the signal is gone; else all of them do. */
static bool shows_deadlock(const struct aim *a, const struct baton_head *h)
{
	uint32_t n = 0;

	if (h->outcome != BATON_DEADLOCK)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		n += is_stuck_at(a, i, h);
	return a->kind == FINDING_LOST_WAKEUP ? n > 0 : n == a->n;
}

static bool is_shown(const struct aim *g, const struct explore_runner *r)
{
	switch (g->kind) {
	case FINDING_DEADLOCK:
	case FINDING_JOIN_HOLDING:
	case FINDING_WAIT_HOLDING:
	case FINDING_LOST_WAKEUP:
		return shows_deadlock(g, r->head);
	case FINDING_HANG:
		return r->head->outcome == BATON_DEADLOCK;
	case FINDING_CRASH:
		return r->head->outcome == BATON_RAN && WIFSIGNALED(r->ended);
	default: /* races are told of, split blocks not; all else the recorded run has shown */
		return false;
	}
}

void aims_look(struct aims *g, const struct explore_runner *r, uint64_t number)
{
	for (size_t i = 0; i < g->at.n; i++)
		if (g->at.at[i].run == 0 && is_shown(&g->at.at[i], r))
			g->at.at[i].run = number;
}

void aims_race(struct aims *g, uint32_t site, uint32_t other, uint64_t number)
{
	for (size_t i = 0; i < g->at.n; i++) {
		struct aim *a = &g->at.at[i];

		if (a->run == 0 && a->kind == FINDING_RACE &&
		    ((a->sites[0] == site && a->sites[1] == other) ||
		     (a->sites[0] == other && a->sites[1] == site)))
			a->run = number;
	}
}
