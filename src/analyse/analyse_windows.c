/*
 * A recording that does not fit in memory, window by window.
 *
 * A finding is kept as text as soon as its window is done with; at the end those of all windows are
 * put together.  A finding in a window is as sure as any other: what comes before the window is
 * fixed, what comes after it has not happened yet.  For the same reason lost wakeups and the like
 * can be told in the last window alone: whether a wait ends depends on how the run goes on.
 *
 * Windows that were looked at while the program ran are not looked at again.
 *
 * Lattices stream, and a property is about the run from its start, as is what threads know: their analyses read the
 * recording as a whole, once, before the windows of the others.
 */

#include "analyse/analyse.h"
#include "analyse/pass.h"
#include "analyse/spool.h"
#include "recording/windows.h"
#include "report/report.h"
#include "report/show.h"

#define MODEL_EVENT_BYTES 200 /* measured: about 150 with all clocks and the evidence */
#define WINDOW_EVENTS 2000000u

/* Model, clocks and the checker's evidence together, in three quarters of it. */
uint32_t analyse_limit(void)
{
	uint64_t n = mem_share(3, 4) / MODEL_EVENT_BYTES;

	return n == 0 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

/* Others need memory too while the program runs, and want to hear of findings soon. */
uint32_t analyse_window(void)
{
	uint64_t n = mem_share(1, 8) / MODEL_EVENT_BYTES;
	bool given = getenv("FORESEE_MEMORY") != NULL;

	return n == 0 || (n > WINDOW_EVENTS && !given) ? WINDOW_EVENTS
	       : n > UINT32_MAX			       ? UINT32_MAX
						       : (uint32_t)n;
}

/* What all windows have come to. */
struct total {
	struct kept_list found;
	uint64_t windows, events, suppressed, benign, guesses;
	uint32_t threads, locks, variables, refused;
	struct texts truncated;
};

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Budgets run out in many windows in the same words. */
static void add_truncated(struct total *t, const char *words)
{
	for (size_t i = 0; i < t->truncated.n; i++)
		if (strcmp(t->truncated.at[i], words) == 0)
			return;
	if (t->truncated.n < 100)
		texts_add(&t->truncated, "%s", words);
}

static void total_add(struct total *t, const struct pass *p, bool last)
{
	struct explain_options how = analyse_style(p->a);

	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *f = &p->findings.at.at[i];
		struct kept k;

		if (!last && !pass_is_lasting(NULL, f))
			continue;
		kept_make(&p->report, &how, f, &k);
		kept_list_add(&t->found, &k);
	}
	for (size_t i = 0; i < p->truncated.n; i++)
		add_truncated(t, p->truncated.at[i]);
	t->windows += p->report.events > 0;
	t->suppressed += p->report.suppressed;
	t->benign += p->report.benign;
	t->guesses += p->report.guesses;
	t->refused += p->certify.refused;
	t->threads = larger(t->threads, p->report.threads);
	t->locks = larger(t->locks, p->report.locks);
	t->variables = larger(t->variables, p->report.variables);
}

/* Rows of the analyses that have seen it all, which goes on to own what they point to. */
static void add_whole(struct pass *p, const struct pass *whole)
{
	for (size_t i = 0; whole && i < whole->a->nengines; i++)
		p->analyses[p->report.nanalyses++] = whole->analyses[i];
	if (whole)
		p->report.properties = whole->report.properties;
}

/* Into the report of the last window, which has the trace's end. */
static int total_report(struct total *t, struct pass *p, const struct pass *whole)
{
	struct report *r = &p->report;

	texts_release(&p->truncated);
	texts_move(&p->truncated, &t->truncated);
	texts_add(&p->truncated,
		  "the recording is too long to fit in memory at once; it was looked at in %" PRIu64
		  " parts that overlap by half, and events farther apart than that only part "
		  "by part (FORESEE_MEMORY=MIB sets how much may be used)",
		  t->windows);
	findings_release(&p->findings);
	for (size_t i = 0; i < p->a->nengines; i++) {
		p->analyses[i].counted = false;
		p->analyses[i].complete = false;
	}
	add_whole(p, whole);
	p->certify.refused = t->refused;
	r->evidence = NULL;
	r->from_cut = r->to_cut = 0;
	r->events = t->events;
	r->threads = t->threads;
	r->locks = t->locks;
	r->variables = t->variables;
	r->suppressed = t->suppressed;
	r->benign = t->benign;
	r->guesses = t->guesses;
	kept_list_sort(&t->found);
	if (p->a->witness_dir && t->found.at.n)
		talk_error("no proofs are written for a recording that is looked at in parts: "
			   "record a shorter run, or set FORESEE_MEMORY");
	return analyse_report(p, &t->found);
}

/* One window; the last, or the one in which the user has lost patience, ends with the report. */
static enum status look_at(struct total *t, struct pass *p, const struct pass *whole, bool is_end,
			   int *status, struct diag *d)
{
	enum status st = pass_run(p, d);

	if (st != ST_OK)
		return st;
	total_add(t, p, is_end && !engine_stopped(&p->a->engine));
	if (!is_end && !engine_stopped(&p->a->engine) && !p->hurried)
		return ST_OK;
	if (!p->a->quiet && !p->a->shortened)
		show_notes(p->reading.trace);
	*status = total_report(t, p, whole);
	return ST_END;
}

static enum status look_through(struct analyse *a, const struct spool *file,
				const struct windows *w, struct total *t, const struct pass *whole,
				int *status, struct diag *d)
{
	uint64_t from = a->earlier.next_cut, to;
	uint32_t size = analyse_window();
	enum status st = ST_OK;

	while (st == ST_OK) {
		struct pass p;

		to = windows_end(w, from, size);
		pass_init(&p, a, file->path, file->given);
		p.certify.how.from_cut = from;
		p.certify.how.to_cut = to;
		p.limit = windows_room(w, from, to);
		p.report.passing = (file->fd >= 0 && !a->shortened) || a->passing;
		st = look_at(t, &p, whole, to == 0, status, d);
		pass_release(&p);
		from = to ? windows_next(w, from, to) : from;
	}
	return st;
}

/* The analyses that look at it as a whole, then the others; both add to what was found before. */
static int look_twice(struct analyse *a, const struct spool *file, const struct windows *w)
{
	struct analyse lattices, others;
	bool any = analyse_select(a, true, &lattices) != 0 || a->knowledge;
	enum status st = ST_OK;
	int status = EXIT_TROUBLE;
	struct diag d = { 0 };
	struct total t = { .windows = a->earlier.windows, .events = w->events };
	struct pass p;

	analyse_select(a, false, &others);
	for (size_t i = 0; i < a->earlier.found.at.n; i++)
		kept_list_add(&t.found, &a->earlier.found.at.at[i]);
	if (any) {
		pass_init(&p, &lattices, file->path, file->given);
		st = pass_run(&p, &d);
		if (st == ST_OK)
			total_add(&t, &p, true);
		t.windows = a->earlier.windows; /* that was none */
	}
	if (st == ST_OK)
		st = look_through(&others, file, w, &t, any ? &p : NULL, &status, &d);
	if (any)
		pass_release(&p);
	kept_list_release(&t.found);
	texts_release(&t.truncated);
	return st == ST_END ? status : analyse_failed(file, &d);
}

bool analyse_in_windows(struct analyse *a, const struct spool *file, int *status)
{
	uint32_t limit = analyse_limit();
	struct windows w;
	bool fits;

	if (a->from_cut || a->to_cut || limit == 0 || !pass_needs_model(a) ||
	    !windows_open(&w, file->path))
		return false;
	fits = w.events <= limit || windows_end(&w, 0, analyse_window()) == 0;
	if (!fits)
		*status = look_twice(a, file, &w);
	windows_close(&w);
	return !fits;
}
