#include "report/explain.h"

#include <inttypes.h>
#include <string.h>

#include "report/columns.h"
#include "report/report.h"
#include "report/story.h"
#include "report/summary.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define TITLE_WIDTH 80
#define PLACE_WIDTH 44
#define FRAMES 8 /* shown of a stack */
#define LOCKS 8	 /* shown of those held */
#define TAINTED 3

struct explain {
	const struct report *r;
	const struct evidence *ev;
	const struct trace *t;
	struct story *story; /* made for the first schedule */
	bool color;
	struct strbuf out;
};

static void paint(struct explain *x, const char *code)
{
	if (x->color)
		strbuf_adds(&x->out, code);
}

/* Blanks up to a width, counted from `start'; at least two. */
static void pad(struct strbuf *b, size_t start, size_t width)
{
	size_t n = b->n - start;

	strbuf_addf(b, "%*s", n + 2 < width ? (int)(width - n) : 2, "");
}

/* ---- title ---- */

/* "4 bytes", "heap object" ...: what can be said besides the name. */
static void object_format(const struct explain *x, const struct finding *f, struct strbuf *out)
{
	struct evidence_object o;
	struct evidence_event e;
	struct trace_info info;

	trace_info(x->t, &info);
	evidence_get(x->ev, f->events[0], &e);
	if (info.form != TRACE_BINARY || !evidence_object(x->ev, f->events[0], &o))
		return;
	strbuf_addf(out, " (%" PRIu64 " byte%s, ", e.len, WORDS_PLURAL(e.len));
	if (o.heap)
		strbuf_addf(out, "in %.*s of %" PRIu64 " bytes)", (int)strcspn(o.name, "+"), o.name,
			    o.size);
	else if (strncmp(o.name, "stack", 5) == 0)
		strbuf_addf(out, "%s)", o.name);
	else if (strncmp(o.name, "0x", 2) == 0)
		strbuf_addf(out, "at %s)", o.name);
	else
		strbuf_adds(out, "global)");
}

static const char *sureness(const struct finding *f)
{
	if (f->status == FINDING_WARNING)
		return "warning";
	if (f->status == FINDING_REPLAYED)
		return "replayed";
	return f->certified ? "predicted, certified" : "predicted";
}

static void title(struct explain *x, const struct finding *f)
{
	size_t start = x->out.n;

	strbuf_addf(&x->out, "%" PRIu32 "  %s on ", f->id, finding_kind_title(f->kind));
	words_subject(x->ev, f, &x->out);
	object_format(x, f, &x->out);
	pad(&x->out, start, TITLE_WIDTH);
	paint(x, f->status == FINDING_WARNING ? "\033[33m" : "\033[31m");
	strbuf_adds(&x->out, sureness(f));
	paint(x, "\033[0m");
	strbuf_adds(&x->out, "\n");
}

/* ---- the accesses ---- */

static void held_format(const struct explain *x, uint64_t pos, struct strbuf *out)
{
	uint64_t acquires[LOCKS];
	size_t n = evidence_held(x->ev, pos, acquires, LOCKS);
	struct evidence_event e;

	if (n == 0) {
		strbuf_adds(out, "no lock held");
		return;
	}
	for (size_t i = 0; i < n && i < LOCKS; i++) {
		evidence_get(x->ev, acquires[i], &e);
		strbuf_addf(out, "%s%s", i ? ", " : "holds ",
			    e.name ? words_brief(e.name) : "a lock");
		if (e.op == EVENT_RACQ)
			strbuf_adds(out, " for reading");
		if (e.site) {
			strbuf_adds(out, " (");
			words_line(x->t, e.site, out);
			strbuf_adds(out, ")");
		}
	}
	if (n > LOCKS)
		strbuf_addf(out, " and %zu more", n - LOCKS);
}

/* The frames of an event, one a line; beside the first one `beside'. */
static void frames_format(struct explain *x, uint32_t site, uint32_t stack, size_t indent,
			  const char *beside)
{
	struct words_frames frames = { 0 };
	size_t start;

	words_frames(x->t, site, stack, &frames);
	for (size_t i = 0; i < frames.at.n && i < FRAMES; i++) {
		if (i > 0)
			strbuf_addf(&x->out, "%*s", (int)indent, "");
		start = x->out.n;
		words_place(&frames.at.at[i], &x->out);
		if (i == 0 && *beside) {
			pad(&x->out, start, PLACE_WIDTH);
			strbuf_adds(&x->out, beside);
		}
		strbuf_adds(&x->out, "\n");
	}
	if (frames.at.n == 0)
		strbuf_addf(&x->out, "place not known  %s\n", beside);
	if (frames.at.n > FRAMES)
		strbuf_addf(&x->out, "%*s... %zu more frames\n", (int)indent, "",
			    frames.at.n - FRAMES);
	VEC_RELEASE(&frames.at);
}

struct widths {
	size_t thread, op;
};

static void measure(const struct explain *x, const struct finding *f, struct widths *w)
{
	struct strbuf b = { 0 };
	struct evidence_event e;

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < f->nevents; i++) {
		evidence_get(x->ev, f->events[i], &e);
		strbuf_clear(&b);
		words_thread(x->t, e.tid, &b);
		w->thread = b.n > w->thread ? b.n : w->thread;
		w->op = strlen(words_op(&e)) > w->op ? strlen(words_op(&e)) : w->op;
	}
	strbuf_release(&b);
}

static void access_format(struct explain *x, uint64_t pos, const struct widths *w)
{
	struct strbuf held = { 0 };
	struct evidence_event e;
	size_t start;

	evidence_get(x->ev, pos, &e);
	strbuf_adds(&x->out, "   ");
	start = x->out.n;
	words_thread(x->t, e.tid, &x->out);
	pad(&x->out, start, w->thread + 2);
	strbuf_addf(&x->out, "%-*s  ", (int)w->op, words_op(&e));
	held_format(x, pos, &held);
	frames_format(x, e.site, e.stack, x->out.n - start + 3, strbuf_str(&held));
	strbuf_release(&held);
}

static void allocation_format(struct explain *x, const struct finding *f)
{
	struct evidence_object o;
	size_t start;

	if (!evidence_object(x->ev, f->events[0], &o) || !o.heap || !o.alloc_tid)
		return;
	strbuf_adds(&x->out, "   ");
	start = x->out.n;
	strbuf_addf(&x->out, "%.*s was allocated by ", (int)strcspn(o.name, "+"), o.name);
	words_thread(x->t, o.alloc_tid, &x->out);
	strbuf_adds(&x->out, " at ");
	frames_format(x, o.alloc_site, o.alloc_stack, x->out.n - start + 3, "");
}

/* ---- the run that shows it ---- */

static void tainted_format(struct explain *x, const struct finding *f)
{
	struct evidence_event e;

	if (f->tainted.n == 0)
		return;
	strbuf_addf(&x->out,
		    "   %zu read%s may see another value than in the observed run, and"
		    " nothing up to here depends on it:\n",
		    f->tainted.n, WORDS_PLURAL(f->tainted.n));
	for (size_t i = 0; i < f->tainted.n && i < TAINTED; i++) {
		evidence_get(x->ev, f->tainted.at[i], &e);
		strbuf_addf(&x->out, "     event %" PRIu64 ", ", e.pos);
		words_thread(x->t, e.tid, &x->out);
		strbuf_adds(&x->out, ": read of ");
		words_object(x->ev, e.pos, &x->out);
		strbuf_adds(&x->out, "  ");
		words_line(x->t, e.site, &x->out);
		strbuf_adds(&x->out, "\n");
	}
	if (f->tainted.n > TAINTED)
		strbuf_adds(&x->out, "     ...\n");
}

static void schedule_format(struct explain *x, const struct finding *f)
{
	struct check_order order = { 0 };
	struct columns c = { 0 };

	if (f->status == FINDING_WARNING || !check_expand(x->ev, &f->schedule, &order))
		return;
	strbuf_adds(&x->out, "\n   The run that shows it (");
	story_hidden(x->ev, f, &x->out);
	strbuf_adds(&x->out, "):\n\n");
	if (!x->story)
		x->story = story_new(x->ev);
	story_columns(x->story, f, order.at.at, order.at.n, &c);
	columns_format(&c, 4, &x->out);
	tainted_format(x, f);
	columns_release(&c);
	VEC_RELEASE(&order.at);
}

static void next_format(struct explain *x, const struct finding *f)
{
	if (x->r->nanalyses > 1)
		strbuf_addf(&x->out, "   found by %s\n", f->analysis);
	if (f->why)
		strbuf_addf(&x->out, "   only a warning: %s\n", f->why);
	if (f->more)
		strbuf_addf(&x->out, "   %" PRIu64 " more pair%s of events at the same places\n",
			    f->more, WORDS_PLURAL(f->more));
	if (x->r->witness_dir && f->certified)
		strbuf_addf(&x->out, "   verify it:  foresee verify %s %s/%" PRIu32 ".witness\n",
			    x->r->path, x->r->witness_dir, f->id);
	strbuf_adds(&x->out, "\n");
}

void explain_print(const struct report *r, bool color, FILE *to)
{
	struct explain x = { .r = r, .ev = r->evidence, .t = r->trace, .color = color };
	struct widths w;

	for (size_t i = 0; i < r->findings->at.n; i++) {
		const struct finding *f = &r->findings->at.at[i];

		title(&x, f);
		measure(&x, f, &w);
		for (uint32_t k = 0; k < f->nevents; k++)
			access_format(&x, f->events[k], &w);
		allocation_format(&x, f);
		schedule_format(&x, f);
		next_format(&x, f);
		fwrite(x.out.at, 1, x.out.n, to);
		strbuf_clear(&x.out);
	}
	if (x.story)
		story_free(x.story);
	summary_format(r, &x.out);
	fwrite(strbuf_str(&x.out), 1, x.out.n, to);
	strbuf_release(&x.out);
}
