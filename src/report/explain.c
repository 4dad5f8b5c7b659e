#include "report/ending.h"
#include "report/explain_priv.h"
#include "report/kept.h"
#include "report/source.h"

#define TITLE_WIDTH 100 /* at most: farther apart, its ends are not read together */
#define TAINTED 3

static void paint(struct explain *x, const char *code)
{
	if (x->opt->color)
		strbuf_adds(&x->out, code);
}

void explain_pad(struct strbuf *b, size_t start, size_t width)
{
	size_t n = b->n - start;

	strbuf_addf(b, "%*s", n + 2 < width ? (int)(width - n) : 2, "");
}

/* ---- what all kinds share ---- */

const char *explain_sureness(const struct finding *f)
{
	if (f->status == FINDING_WARNING)
		return "warning";
	if (f->status == FINDING_REPLAYED)
		return "replayed";
	if (f->status == FINDING_OBSERVED)
		return "it happened";
	if (f->observed)
		return "in the recorded order";
	return f->certified ? "predicted, certified" : "predicted";
}

void explain_sure(struct explain *x, const struct finding *f, size_t start)
{
	int width = x->opt->width < TITLE_WIDTH ? x->opt->width : TITLE_WIDTH;

	explain_pad(&x->out, start, (size_t)width - strlen("predicted, certified"));
	paint(x, f->status == FINDING_WARNING ? "\033[33m" : "\033[31m");
	strbuf_adds(&x->out, explain_sureness(f));
	paint(x, "\033[0m");
	strbuf_adds(&x->out, "\n");
}

void explain_stack(const struct explain *x, const struct evidence_event *e, size_t indent,
		   struct strbuf *out)
{
	STRBUF_SCOPED stack = { 0 }, line = { 0 };
	VEC_SCOPED struct frames frames = { 0 };
	size_t first;

	frames_stack(x->t, e->op, e->site, e->stack, (int)indent, &stack);
	if (stack.n == 0) {
		strbuf_adds(out, "place not known\n");
		return;
	}
	frames_get(x->t, e->site, e->stack, &frames);
	if (event_op_family(e->op) != 'A')
		frames_enter(&frames);
	explain_source(x, &frames.at.at[0], indent, &line);
	first = strcspn(stack.at, "\n") + 1;
	strbuf_add(out, stack.at, first);
	strbuf_adds(out, strbuf_str(&line));
	strbuf_adds(out, stack.at + first);
}

void explain_lock(const struct explain *x, uint64_t acquire, const char *file, struct strbuf *out)
{
	size_t before;
	struct evidence_event e = evidence_get(x->ev, acquire);

	strbuf_adds(out, e.name ? words_brief(e.name) : "a lock");
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

/* ---- the run that shows it ---- */

const struct story *explain_story(struct explain *x)
{
	if (!x->story)
		x->story = story_new(x->ev);
	return x->story;
}

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
		e = evidence_get(x->ev, f->tainted.at[i]);
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

void explain_picture(struct explain *x, const struct finding *f, struct columns *c)
{
	columns_format(c, EXPLAIN_INDENT, x->opt->width, &x->out);
	tainted_format(x, f);
	columns_release(c);
}

/* What has the same places was found once. */
static void more_format(const struct finding *f, struct strbuf *out)
{
	if (f->property)
		return; /* it is violated once */
	if (f->more && (f->kind == FINDING_DEADLOCK || f->kind == FINDING_JOIN_HOLDING))
		strbuf_addf(out,
			    "   %" PRIu64 " more cycle%s at the same places, of these locks or"
			    " others\n",
			    f->more, WORDS_PLURAL(f->more));
	else if (f->more)
		strbuf_addf(out, "   %" PRIu64 " more %s%s at the same places\n", f->more,
			    f->kind == FINDING_ATOMICITY ? "time" : "pair",
			    f->kind == FINDING_ATOMICITY || f->more != 1 ? "s" : "");
}

/* Which part of the recording shows it: a search through all of it may not fit in memory. */
static void part_format(struct explain *x)
{
	if (x->r->from_cut == 0 && x->r->to_cut == 0)
		return;
	strbuf_addf(&x->out, "   found in the part of the recording from cut %" PRIu64 " to ",
		    x->r->from_cut);
	if (x->r->to_cut)
		strbuf_addf(&x->out, "cut %" PRIu64 "\n", x->r->to_cut);
	else
		strbuf_adds(&x->out, "the end\n");
}

static void next_format(struct explain *x, const struct finding *f)
{
	if (f->status != FINDING_OBSERVED && scope_is_shared(x->r, f->engine))
		strbuf_addf(&x->out, "   found by %s\n", f->engine->name);
	if (f->also)
		strbuf_addf(&x->out, "   %s\n", f->also);
	if (f->why)
		strbuf_addf(&x->out, "   %s: %s\n",
			    f->status == FINDING_REPLAYED ? "predicted as a warning only"
							  : "only a warning",
			    f->why);
	more_format(f, &x->out);
	if (f->replay)
		strbuf_addf(&x->out, "   %s: %s\n",
			    f->status == FINDING_REPLAYED ? "replayed" : "not replayed", f->replay);
	part_format(x);
	if (x->r->witness_dir && f->certified) {
		strbuf_adds(&x->out, "   verify it:  foresee verify ");
		if (f->property)
			explain_plugins(x, &x->out);
		explain_trace(x, &x->out);
		strbuf_addf(&x->out, " %s/%" PRIu32 ".witness\n", x->r->witness_dir, f->id);
	}
	strbuf_adds(&x->out, "\n");
}

/* ---- how much of it ---- */

/* How the run ended: no order of events is to be shown. */
static void ending_explain(struct explain *x, const struct finding *f)
{
	size_t start = x->out.n;

	strbuf_addf(&x->out, "%" PRIu32 "  ", f->id);
	ending_title(x->r->ending, x->r->trace, f, &x->out);
	explain_sure(x, f, start);
	ending_format(x->r->ending, x->r->trace, &x->out);
}

static void full_format(struct explain *x, const struct finding *f, const char *subject)
{
	if (f->kind == FINDING_RACE)
		explain_race(x, f, subject);
	else if (finding_is_stale(f))
		explain_stale(x, f, subject);
	else if (f->kind == FINDING_ATOMICITY)
		explain_atomicity(x, f, subject);
	else if (f->property)
		explain_property(x, f);
	else if (finding_is_end(f))
		ending_explain(x, f);
	else
		explain_wait(x, f, subject);
	next_format(x, f);
	x->full++;
}

/* "7  data race on x" */
static void short_title(struct explain *x, const struct finding *f, const char *subject)
{
	if (f->kind == FINDING_RACE)
		strbuf_addf(&x->out, "%s on %s", finding_kind_title(f->kind), subject);
	else if (finding_is_stale(f))
		strbuf_addf(&x->out, "%s of %s", finding_kind_title(f->kind), subject);
	else if (f->kind == FINDING_ATOMICITY)
		explain_atomicity_title(x, f, subject, &x->out);
	else if (f->property)
		explain_property_title(f, &x->out);
	else if (finding_is_end(f))
		ending_title(x->r->ending, x->r->trace, f, &x->out);
	else
		explain_wait_title(x, f, subject, &x->out);
}

/* "7  data race on x: T2 write a.c:10, T3 read b.c:20    predicted, certified" */
static void line_format(struct explain *x, const struct finding *f, const char *subject)
{
	size_t start = x->out.n;
	struct evidence_event e;

	strbuf_addf(&x->out, "%" PRIu32 "  ", f->id);
	short_title(x, f, subject);
	for (uint32_t i = 0; i < f->nevents; i++) {
		e = evidence_get(x->ev, f->events[i]);
		strbuf_addf(&x->out, "%s %s %s ", i ? "," : ":", trace_thread_name(x->t, e.tid),
			    finding_is_about_memory(f) || f->property ? words_op(&e)
								      : words_target(&e));
		frames_brief(x->t, e.site, e.stack, NULL, &x->out);
	}
	explain_sure(x, f, start);
	x->lines++;
}

/* Too many, or too many on the same variable, would bury the rest. */
static bool is_told_in_full(struct explain *x, const char *subject)
{
	uint32_t id = intern_add(x->names, subject, strlen(subject));

	VEC_REACH(&x->times, id);
	return x->opt->all || (x->full < EXPLAIN_FULL && x->times.at[id]++ < EXPLAIN_SAME_NAME);
}

/* What a finding is about, as the report names it. */
static void subject_get(const struct explain *x, const struct finding *f, struct strbuf *out)
{
	STRBUF_SCOPED whole = { 0 };

	strbuf_clear(out);
	words_subject(x->ev, f, &whole);
	frames_name(strbuf_str(&whole), out);
}

/* The i-th, of the report's own and then those that were kept. */
static bool format_one(struct explain *x, size_t i, bool in_lines)
{
	const struct findings *own = x->r->findings;
	const struct kept *k = i < own->at.n ? NULL : &x->r->kept->at.at[i - own->at.n];
	STRBUF_SCOPED subject = { 0 };
	bool full, known;

	if (k)
		frames_name(k->object, &subject);
	else
		subject_get(x, &own->at.at[i], &subject);
	known = k ? k->known : own->at.at[i].known;
	full = (x->opt->all || !known) && is_told_in_full(x, strbuf_str(&subject));
	if (full && in_lines)
		strbuf_adds(&x->out, "\n");
	if (k) {
		strbuf_addf(&x->out, "%zu%s", i + 1, full ? k->text : k->line);
		x->full += full;
		x->lines += !full;
	} else if (full) {
		full_format(x, &own->at.at[i], strbuf_str(&subject));
	} else {
		line_format(x, &own->at.at[i], strbuf_str(&subject));
	}
	return full;
}

static void findings_print(struct explain *x, FILE *to)
{
	size_t n = x->r->findings->at.n + (x->r->kept ? x->r->kept->at.n : 0);
	bool in_lines = false;

	for (size_t i = 0; i < n; i++) {
		in_lines = !format_one(x, i, in_lines);
		fwrite(x->out.at, 1, x->out.n, to);
		strbuf_clear(&x->out);
	}
	if (in_lines)
		putc('\n', to);
}

struct explain explain_begin(const struct report *r, const struct explain_options *opt)
{
	return (struct explain){
		.r = r,
		.opt = opt,
		.ev = r->evidence,
		.t = r->trace,
		.sources = opt->source ? sources_new(r->trace, r->passing ? NULL : r->path, true)
				       : NULL,
		.names = intern_new(),
	};
}

void explain_end(struct explain *x)
{
	if (x->story)
		story_free(x->story);
	sources_free(x->sources);
	intern_free(x->names);
	VEC_RELEASE(&x->times);
	strbuf_release(&x->out);
}

void explain_print(const struct report *r, const struct explain_options *opt, FILE *to)
{
	struct explain x = explain_begin(r, opt);

	findings_print(&x, to);
	summary_format(r, &x.out);
	explain_first(&x);
	explain_source_missing(&x, &x.out);
	explain_hints(&x);
	fwrite(strbuf_str(&x.out), 1, x.out.n, to);
	explain_end(&x);
}

/* ---- one alone ---- */

void explain_title(struct explain *x, const struct finding *f)
{
	STRBUF_SCOPED subject = { 0 };

	subject_get(x, f, &subject);
	short_title(x, f, strbuf_str(&subject));
}

void explain_full(struct explain *x, const struct finding *f)
{
	STRBUF_SCOPED subject = { 0 };

	subject_get(x, f, &subject);
	full_format(x, f, strbuf_str(&subject));
}

void explain_finding(const struct report *r, const struct explain_options *opt,
		     const struct finding *f, struct strbuf *full, struct strbuf *line)
{
	struct finding unnumbered = *f;
	STRBUF_SCOPED subject = { 0 };
	struct explain x = explain_begin(r, opt);

	unnumbered.id = 0;
	subject_get(&x, f, &subject);
	full_format(&x, &unnumbered, strbuf_str(&subject));
	strbuf_adds(full, strbuf_str(&x.out) + 1);
	strbuf_clear(&x.out);
	line_format(&x, &unnumbered, strbuf_str(&subject));
	strbuf_adds(line, strbuf_str(&x.out) + 1);
	explain_end(&x);
}

/* In a line: of a circle of many threads, some. */
#define HEADLINE_PLACES 8

void explain_headline(const struct report *r, const struct finding *f, struct strbuf *out)
{
	STRBUF_SCOPED subject = { 0 };
	struct evidence_event e;
	uint32_t shown;
	struct explain x = explain_begin(r, &(struct explain_options){ 0 });

	subject_get(&x, f, &subject);
	short_title(&x, f, strbuf_str(&subject));
	strbuf_adds(out, strbuf_str(&x.out));
	shown = f->nevents > HEADLINE_PLACES ? HEADLINE_PLACES / 2 : f->nevents;
	for (uint32_t i = 0; i < shown; i++) {
		e = evidence_get(x.ev, f->events[i]);
		strbuf_clear(&x.out);
		frames_location(x.t, e.site, e.stack, &x.out);
		strbuf_addf(out, "%s%s", i > 0 && i + 1 == f->nevents ? " and " : ", ",
			    x.out.n ? strbuf_str(&x.out) : "a place not known");
	}
	if (shown < f->nevents)
		strbuf_addf(out, " and %" PRIu32 " more places", f->nevents - shown);
	if (f->property && f->nevents == 0)
		strbuf_adds(out, ", in the initial state");
	strbuf_addf(out, " (%s)", explain_sureness(f));
	explain_end(&x);
}
