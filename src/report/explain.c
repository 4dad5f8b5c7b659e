#include "report/explain.h"

#include <inttypes.h>
#include <string.h>

#include "base/intern.h"
#include "report/columns.h"
#include "report/frames.h"
#include "report/report.h"
#include "report/story.h"
#include "report/summary.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define PLACE_WIDTH 44
#define TITLE_WIDTH 100 /* at most: farther apart, its ends are not read together */
#define LOCKS 8		/* shown of those held */
#define TAINTED 3

struct explain {
	const struct report *r;
	const struct explain_options *opt;
	const struct evidence *ev;
	const struct trace *t;
	struct story *story;  /* made for the first schedule */
	struct intern *names; /* of what was told in full */
	VEC(uint32_t) times;  /* [id in names] */
	uint32_t full, lines; /* findings told so far, each way */
	struct strbuf out;
};

static void paint(struct explain *x, const char *code)
{
	if (x->opt->color)
		strbuf_adds(&x->out, code);
}

/* Blanks up to a width, counted from `start'; at least two. */
static void pad(struct strbuf *b, size_t start, size_t width)
{
	size_t n = b->n - start;

	strbuf_addf(b, "%*s", n + 2 < width ? (int)(width - n) : 2, "");
}

/* ---- title ---- */

/* " at +8": where in its object. */
static void offset_format(const struct evidence_object *o, uint64_t addr, struct strbuf *out)
{
	const char *plus = o->local || o->heap ? NULL : strrchr(o->name, '+');

	if (plus)
		strbuf_addf(out, " at %s", plus);
	else if ((o->local || o->heap) && addr != o->alloc_addr)
		strbuf_addf(out, " at +%" PRIu64, addr - o->alloc_addr);
}

/* "4 bytes at +8, global": what can be said besides the name. */
static void object_format(const struct explain *x, const struct finding *f, struct strbuf *out)
{
	struct evidence_object o;
	struct evidence_event e;
	struct trace_info info;

	trace_info(x->t, &info);
	evidence_get(x->ev, f->events[0], &e);
	if (info.form != TRACE_BINARY || !evidence_object(x->ev, f->events[0], &o))
		return;
	strbuf_addf(out, "%" PRIu64 " byte%s", e.len, WORDS_PLURAL(e.len));
	offset_format(&o, e.addr, out);
	if (o.heap)
		strbuf_addf(out, " in %.*s of %" PRIu64 " bytes", (int)strcspn(o.name, "+"), o.name,
			    o.size);
	else if (o.local)
		strbuf_addf(out, ", local of %s", trace_thread_name(x->t, o.alloc_tid));
	else if (strncmp(o.name, "stack", 5) == 0)
		strbuf_addf(out, " in the %.*s", (int)strcspn(o.name, "+"), o.name);
	else if (strncmp(o.name, "0x", 2) == 0)
		strbuf_addf(out, " at %s", o.name);
	else
		strbuf_adds(out, ", global");
}

static const char *sureness(const struct finding *f)
{
	if (f->status == FINDING_WARNING)
		return "warning";
	if (f->status == FINDING_REPLAYED)
		return "replayed";
	return f->certified ? "predicted, certified" : "predicted";
}

/* How sure, at the right end of a line that began at start. */
static void sure_format(struct explain *x, const struct finding *f, size_t start)
{
	int width = x->opt->width < TITLE_WIDTH ? x->opt->width : TITLE_WIDTH;

	pad(&x->out, start, (size_t)width - strlen("predicted, certified"));
	paint(x, f->status == FINDING_WARNING ? "\033[33m" : "\033[31m");
	strbuf_adds(&x->out, sureness(f));
	paint(x, "\033[0m");
	strbuf_adds(&x->out, "\n");
}

static void title(struct explain *x, const struct finding *f, const char *subject)
{
	struct strbuf about = { 0 };
	size_t start = x->out.n;
	bool fits;

	strbuf_addf(&x->out, "%" PRIu32 "  %s on %s", f->id, finding_kind_title(f->kind), subject);
	object_format(x, f, &about);
	fits = x->out.n - start + about.n + strlen(" ()  predicted, certified") <=
	       (size_t)x->opt->width;
	if (about.n && fits)
		strbuf_addf(&x->out, " (%s)", about.at);
	sure_format(x, f, start);
	if (about.n && !fits)
		strbuf_addf(&x->out, "   %s\n", about.at);
	strbuf_release(&about);
}

/* ---- the accesses ---- */

/* "holds m (:31)"; places in `file' by their line alone. */
static void held_format(const struct explain *x, uint64_t pos, const char *file, struct strbuf *out)
{
	uint64_t acquires[LOCKS];
	size_t n = evidence_held(x->ev, pos, acquires, LOCKS), before;
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
		strbuf_adds(out, " (");
		before = out->n;
		frames_brief(x->t, e.site, e.stack, file, out);
		if (out->n > before)
			strbuf_adds(out, ")");
		else
			out->at[out->n -= 2] = '\0';
	}
	if (n > LOCKS)
		strbuf_addf(out, " and %zu more", n - LOCKS);
}

/* One access in words, before it is known how they line up. */
struct access {
	struct evidence_event e;
	struct strbuf thread, held, stack;
	size_t first; /* length of the stack's first line */
};

struct widths {
	size_t thread, op;
	bool below; /* no room for the locks beside the place */
};

static size_t longer(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The frames, one a line; all but the first are indented. */
static void stack_format(const struct explain *x, const struct evidence_event *e, size_t indent,
			 struct strbuf *out)
{
	struct frames frames = { 0 };

	frames_get(x->t, e->site, e->stack, &frames);
	if (frames.at.n)
		frames_format(&frames, (int)indent, out);
	else
		strbuf_adds(out, "place not known\n");
	frames_release(&frames);
}

static void access_init(const struct explain *x, uint64_t pos, struct access *a)
{
	struct trace_place own = { 0 };

	memset(a, 0, sizeof(*a));
	evidence_get(x->ev, pos, &a->e);
	words_thread(x->t, a->e.tid, &a->thread);
	frames_own(x->t, a->e.site, a->e.stack, &own);
	held_format(x, pos, own.file, &a->held);
}

static void access_release(struct access *a)
{
	strbuf_release(&a->thread);
	strbuf_release(&a->held);
	strbuf_release(&a->stack);
}

static void access_format(struct explain *x, const struct access *a, const struct widths *w)
{
	size_t start;

	strbuf_addf(&x->out, "   %-*s  %-*s  ", (int)w->thread, strbuf_str(&a->thread), (int)w->op,
		    words_op(&a->e));
	start = x->out.n;
	strbuf_add(&x->out, a->stack.at, a->first);
	if (!w->below) {
		pad(&x->out, start, PLACE_WIDTH);
		strbuf_adds(&x->out, strbuf_str(&a->held));
	}
	strbuf_adds(&x->out, a->stack.at + a->first);
	if (w->below)
		strbuf_addf(&x->out, "%*s%s\n", (int)(w->thread + w->op + 7), "",
			    strbuf_str(&a->held));
}

static void accesses_format(struct explain *x, const struct finding *f)
{
	struct access at[FINDING_EVENTS];
	struct widths w = { 0 };

	for (uint32_t i = 0; i < f->nevents; i++) {
		access_init(x, f->events[i], &at[i]);
		w.thread = longer(w.thread, at[i].thread.n);
		w.op = longer(w.op, strlen(words_op(&at[i].e)));
	}
	for (uint32_t i = 0; i < f->nevents; i++) {
		struct access *a = &at[i];
		size_t indent = w.thread + w.op + 7;

		stack_format(x, &a->e, indent, &a->stack);
		a->first = strcspn(a->stack.at, "\n");
		w.below |= indent + longer(a->first + 2, PLACE_WIDTH) + a->held.n >
			   (size_t)x->opt->width;
	}
	for (uint32_t i = 0; i < f->nevents; i++) {
		access_format(x, &at[i], &w);
		access_release(&at[i]);
	}
}

static void free_format(struct explain *x, const struct finding *f)
{
	struct evidence_event e;

	for (uint32_t i = 0; i < f->nevents; i++) {
		evidence_get(x->ev, f->events[i], &e);
		if (e.op != EVENT_FREE)
			continue;
		strbuf_adds(&x->out, "   if the free comes first, the other is a use after free\n");
		return;
	}
}

/* Who made the block, or where the variable is declared. */
static void origin_format(struct explain *x, const struct finding *f)
{
	struct evidence_object o;
	struct evidence_event e = { 0 };
	struct trace_place p;
	size_t start;

	if (!evidence_object(x->ev, f->events[0], &o) || !o.alloc_tid)
		return;
	e.site = o.alloc_site;
	e.stack = o.alloc_stack;
	strbuf_adds(&x->out, "   ");
	start = x->out.n;
	if (o.heap) {
		strbuf_addf(&x->out, "%.*s was allocated by ", (int)strcspn(o.name, "+"), o.name);
		words_thread(x->t, o.alloc_tid, &x->out);
		strbuf_adds(&x->out, " at ");
	} else {
		bool named = trace_site(x->t, o.alloc_site, &p) && p.variable;

		strbuf_addf(&x->out, "%s is a local variable of ", named ? p.variable : "it");
		words_thread(x->t, o.alloc_tid, &x->out);
		strbuf_adds(&x->out, ": ");
	}
	stack_format(x, &e, x->out.n - start + 3, &x->out);
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
		frames_brief(x->t, e.site, e.stack, NULL, &x->out);
		strbuf_adds(&x->out, "\n");
	}
	if (f->tainted.n > TAINTED)
		strbuf_adds(&x->out, "     ...\n");
}

static void run_format(struct explain *x, const struct finding *f, const struct check_order *order)
{
	struct columns c = { 0 };

	strbuf_adds(&x->out, "\n   The run that shows it (");
	story_hidden(x->ev, f, &x->out);
	strbuf_adds(&x->out, "):\n\n");
	if (!x->story)
		x->story = story_new(x->ev);
	story_columns(x->story, f, order->at.at, order->at.n, &c);
	columns_format(&c, 4, x->opt->width, &x->out);
	tainted_format(x, f);
	columns_release(&c);
}

static void schedule_format(struct explain *x, const struct finding *f)
{
	struct check_order order = { 0 };

	if (f->status != FINDING_WARNING && check_expand(x->ev, &f->schedule, &order))
		run_format(x, f, &order);
	VEC_RELEASE(&order.at);
}

/* The trace, as the next command takes it. */
static void trace_format(const struct explain *x, struct strbuf *out)
{
	if (x->r->passing)
		strbuf_adds(out, "TRACE");
	else
		frames_path(x->r->path, out);
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
	if (x->r->witness_dir && f->certified) {
		strbuf_adds(&x->out, "   verify it:  foresee verify ");
		trace_format(x, &x->out);
		strbuf_addf(&x->out, " %s/%" PRIu32 ".witness\n", x->r->witness_dir, f->id);
	}
	strbuf_adds(&x->out, "\n");
}

/* ---- how much of it ---- */

static void full_format(struct explain *x, const struct finding *f, const char *subject)
{
	title(x, f, subject);
	accesses_format(x, f);
	free_format(x, f);
	origin_format(x, f);
	schedule_format(x, f);
	next_format(x, f);
	x->full++;
}

/* "7  data race on x: T2 write a.c:10, T3 read b.c:20    predicted, certified" */
static void line_format(struct explain *x, const struct finding *f, const char *subject)
{
	size_t start = x->out.n;
	struct evidence_event e;

	strbuf_addf(&x->out, "%" PRIu32 "  %s on %s", f->id, finding_kind_title(f->kind), subject);
	for (uint32_t i = 0; i < f->nevents; i++) {
		evidence_get(x->ev, f->events[i], &e);
		strbuf_addf(&x->out, "%s %s %s ", i ? "," : ":", trace_thread_name(x->t, e.tid),
			    words_op(&e));
		frames_brief(x->t, e.site, e.stack, NULL, &x->out);
	}
	sure_format(x, f, start);
	x->lines++;
}

/* Too many, or too many on the same variable, would bury the rest. */
static bool is_told_in_full(struct explain *x, const char *subject)
{
	uint32_t id = intern_add(x->names, subject, strlen(subject));

	VEC_REACH(&x->times, id);
	return x->opt->all || (x->full < EXPLAIN_FULL && x->times.at[id]++ < EXPLAIN_SAME_NAME);
}

static void findings_print(struct explain *x, FILE *to)
{
	struct strbuf whole = { 0 }, subject = { 0 };
	bool in_lines = false, full;

	for (size_t i = 0; i < x->r->findings->at.n; i++) {
		const struct finding *f = &x->r->findings->at.at[i];

		strbuf_clear(&whole);
		strbuf_clear(&subject);
		words_subject(x->ev, f, &whole);
		frames_name(strbuf_str(&whole), &subject);
		full = is_told_in_full(x, strbuf_str(&subject));
		if (full && in_lines)
			strbuf_adds(&x->out, "\n");
		in_lines = !full;
		if (full)
			full_format(x, f, strbuf_str(&subject));
		else
			line_format(x, f, strbuf_str(&subject));
		fwrite(x->out.at, 1, x->out.n, to);
		strbuf_clear(&x->out);
	}
	if (in_lines)
		putc('\n', to);
	strbuf_release(&whole);
	strbuf_release(&subject);
}

/* What to type next. */
static void hints_format(struct explain *x)
{
	struct strbuf path = { 0 };
	bool certified = false;

	for (size_t i = 0; i < x->r->findings->at.n; i++)
		certified |= x->r->findings->at.at[i].certified;
	if (x->lines)
		strbuf_addf(&x->out,
			    "%" PRIu32 " of them in one line each: -v tells all in full, -f json"
			    " has everything\n",
			    x->lines);
	if (x->r->findings->at.n == 0 || !x->opt->hints)
		return;
	trace_format(x, &path);
	strbuf_adds(&x->out, "\n");
	if (certified && !x->r->witness_dir) {
		strbuf_addf(&x->out, "keep the proofs:  foresee check --witness-dir DIR %s\n",
			    strbuf_str(&path));
		strbuf_addf(&x->out, "verify one:       foresee verify %s DIR/1.witness\n",
			    strbuf_str(&path));
	}
	strbuf_adds(&x->out, "how to read this: foresee help race\n");
	strbuf_release(&path);
}

void explain_print(const struct report *r, const struct explain_options *opt, FILE *to)
{
	struct explain x = { .r = r, .opt = opt, .ev = r->evidence, .t = r->trace };

	x.names = intern_new();
	findings_print(&x, to);
	summary_format(r, &x.out);
	hints_format(&x);
	fwrite(strbuf_str(&x.out), 1, x.out.n, to);
	if (x.story)
		story_free(x.story);
	intern_free(x.names);
	VEC_RELEASE(&x.times);
	strbuf_release(&x.out);
}
