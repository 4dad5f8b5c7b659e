#include "explore/window_print.h"

#include "report/frames.h"
#include "report/words.h"

#define WORDS_WIDTH 44 /* of what stands before the names of objects */

static bool is_shown(const struct window_print *p, const struct window_edge *e)
{
	return p->only == 0 || p->only == e->tid;
}

/* A thread is made, and joined, as a whole: there is no object. */
static bool has_object(const struct window_edge *e)
{
	return e->why != WINDOW_MADE && e->why != WINDOW_JOINS;
}

void window_print_init(struct window_print *p, const struct window_graph *g, const struct aims *a,
		       uint32_t only)
{
	size_t n = 0, lines = 0;

	*p = (struct window_print){ .graph = g, .aims = a, .only = only };
	for (size_t i = 0; i < g->edges.n && lines < WINDOW_PRINT_LINES; i++) {
		const struct window_edge *e = &g->edges.at[i];

		lines += is_shown(p, e);
		if (is_shown(p, e) && has_object(e))
			*VEC_PUSH(&p->wanted) = e->took;
	}
	SORT_VEC(&p->wanted, sort_order_u64);
	for (size_t i = 0; i < p->wanted.n; i++) /* each once */
		if (n == 0 || p->wanted.at[n - 1] != p->wanted.at[i])
			p->wanted.at[n++] = p->wanted.at[i];
	p->wanted.n = n;
}

void window_print_release(struct window_print *p)
{
	VEC_RELEASE(&p->wanted);
}

/* ---- the graph ---- */

static void edge_print(const struct window_edge *e, const struct evidence *ev, FILE *to)
{
	static const char *const words[][2] = {
#define X(id, before, behind) { before, behind },
		WINDOW_WHYS(X)
#undef X
	};
	STRBUF_SCOPED line = { 0 };

	strbuf_addf(&line, "  %s ", words[e->why][0]);
	words_thread(evidence_trace(ev), e->on, &line);
	strbuf_adds(&line, words[e->why][1]);
	if (has_object(e)) {
		struct evidence_event at = evidence_get(ev, e->took);

		strbuf_addf(&line, "%*s  ", line.n < WORDS_WIDTH ? (int)(WORDS_WIDTH - line.n) : 0,
			    "");
		words_object(ev, e->took, &line);
		strbuf_adds(&line, "  ");
		frames_location(evidence_trace(ev), at.site, at.stack, &line);
	}
	while (line.at[line.n - 1] == ' ')
		line.at[--line.n] = '\0';
	fprintf(to, "%s\n", line.at);
}

static void graph_print(const struct window_print *p, const struct evidence *ev, FILE *to)
{
	size_t lines = 0, missing = 0;
	uint32_t now = 0;

	for (size_t i = 0; i < p->graph->edges.n && !ferror(to); i++) {
		const struct window_edge *e = &p->graph->edges.at[i];
		STRBUF_SCOPED name = { 0 };

		if (!is_shown(p, e))
			continue;
		if (lines++ >= WINDOW_PRINT_LINES) {
			missing++;
			continue;
		}
		words_thread(evidence_trace(ev), e->tid, &name);
		if (now != e->tid)
			fprintf(to, "%s\n", strbuf_str(&name));
		now = e->tid;
		edge_print(e, ev, to);
	}
	if (missing)
		fprintf(to, "  ... %zu more\n", missing);
}

/* ---- windows ---- */

static bool is_of(const struct aim *a, uint32_t tid)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->tids[i] == tid)
			return true;
	return false;
}

/* The threads of the warning, or those that came in with them. */
static uint32_t add_threads(const struct trace *t, const struct aims *all, const struct aim *a,
			    bool own, struct strbuf *out)
{
	uint32_t n = 0;

	for (uint32_t tid = 1; tid <= all->nthreads; tid++) {
		if (!window_has(&a->window, tid) || is_of(a, tid) != own)
			continue;
		strbuf_adds(out, n++ > 0 ? ", " : "");
		words_thread(t, tid, out);
	}
	return n;
}

static void aim_print(const struct trace *t, const struct aims *all, const struct aim *a, FILE *to)
{
	STRBUF_SCOPED own = { 0 }, others = { 0 };

	fprintf(to, "  %s\n", a->title);
	add_threads(t, all, a, true, &own);
	fprintf(to, "    %s", strbuf_str(&own));
	if (add_threads(t, all, a, false, &others))
		fprintf(to, " and those whom they depend on: %s", strbuf_str(&others));
	fprintf(to, "; %" PRIu32 " of %" PRIu32 " thread%s\n", a->size, all->nthreads,
		WORDS_PLURAL(all->nthreads));
}

void window_print(const struct window_print *p, const struct evidence *ev, FILE *to)
{
	const struct trace *t = evidence_trace(ev);
	bool any = false;

	graph_print(p, ev, to);
	for (size_t i = 0; i < p->aims->at.n && !ferror(to); i++) {
		const struct aim *a = &p->aims->at.at[i];

		if (p->only && !is_of(a, p->only))
			continue;
		if (!any)
			fprintf(to, "%swindows\n", p->graph->edges.n ? "\n" : "");
		any = true;
		aim_print(t, p->aims, a, to);
	}
}
