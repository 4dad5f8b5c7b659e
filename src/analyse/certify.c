#include "analyse/certify.h"

#include <fcntl.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "base/pool.h"
#include "report/frames.h"
#include "witness/evidence.h"
#include "witness/moves.h"
#include "witness/witness.h"

/* ---- reading ---- */

/* Ascending; some may come twice. */
static void targets(const struct findings *f, struct check_order *out)
{
	for (size_t i = 0; i < f->at.n; i++)
		VEC_APPEND(&out->at, f->at.at[i].events, f->at.at[i].nevents);
	SORT_VEC(&out->at, sort_order_u64);
}

/* The last position that is named; counts of a schedule may reach further. */
static uint64_t last_named(const struct findings *f)
{
	uint64_t last = 0;

	for (size_t i = 0; i < f->at.n; i++) {
		const struct finding *x = &f->at.at[i];

		for (uint32_t k = 0; k < x->nevents; k++)
			last = x->events[k] > last ? x->events[k] : last;
		for (size_t k = 0; k < x->schedule.tail.n; k++)
			last = x->schedule.tail.at[k] > last ? x->schedule.tail.at[k] : last;
	}
	return last;
}

static bool holds_all(const struct evidence *ev, const struct findings *f)
{
	for (size_t i = 0; i < f->at.n; i++) {
		const struct schedule *s = &f->at.at[i].schedule;

		for (uint32_t tid = 0; tid < s->count.n; tid++)
			if (s->count.at[tid] != 0 &&
			    evidence_find(ev, tid, (uint32_t)s->count.at[tid] - 1) == 0)
				return false;
	}
	return true;
}

static void event_take(void *arg, struct trace *t, const struct event *e)
{
	struct certify *c = arg;

	reading_see(&c->reading, t, e);
	view_see(&c->view, t, e);
}

/* The spec is bound anew: the analyses' watch has seen the whole trace. */
static enum status load(struct certify *c, const struct findings *f, struct evidence_options *opt,
			struct diag *d)
{
	const struct monitors *m =
		findings_any(f, finding_is_property) ? c->a->engine.monitors : NULL;
	const struct spec *spec = m ? m->spec : c->whole ? c->a->spec : NULL;
	enum status st = reading_open(&c->reading, c->path, &c->how, spec, d);

	if (st == ST_OK)
		opt->values =
			c->a->engine.values || c->a->html || trace_info(c->reading.trace).tests;
	if (m)
		c->seen = (struct states_watch){ .monitors = m, .items = &c->reading.items };
	if (st == ST_OK && spec) {
		view_bind(&c->view, spec, c->reading.trace);
		opt->each = event_take;
		opt->each_arg = c;
	}
	if (st == ST_OK)
		st = evidence_load(c->reading.trace, opt, &c->evidence, d);
	if (st == ST_OK && spec)
		c->seen.initial = watch_initial(c->reading.watch);
	return st;
}

const struct states_watch *certify_watch(const struct certify *c)
{
	return c->seen.monitors ? &c->seen : NULL;
}

static bool is_claimed(const struct finding *f)
{
	return f->claimed;
}

static bool is_checked(const struct finding *f)
{
	return f->claimed || finding_is_stale(f);
}

enum status certify_load(struct certify *c, const struct findings *f, struct diag *d)
{
	struct check_order wanted = { 0 };
	struct evidence_options opt = {
		.upto = c->whole || findings_any(f, finding_is_wait) ? 0 : last_named(f),
		.brief = !c->whole && !findings_any(f, is_checked), /* there is nothing to check */
		.path = frames_variable,
		.values = c->a->engine.values || c->a->html,
	};
	enum status st;

	opt.digest = c->a->witness_dir != NULL && !opt.brief;
	targets(f, &wanted);
	opt.wanted = wanted.at.at;
	opt.nwanted = wanted.at.n;
	st = load(c, f, &opt, d);
	if (st == ST_OK && !opt.brief &&
	    (!holds_all(c->evidence, f) || evidence_may_grow(c->evidence))) {
		certify_release(c);
		opt.upto = 0;
		st = load(c, f, &opt, d);
	}
	VEC_RELEASE(&wanted.at);
	return st;
}

void certify_release(struct certify *c)
{
	view_release(&c->view);
	c->seen = (struct states_watch){ 0 };
	evidence_free(c->evidence);
	c->evidence = NULL;
	reading_close(&c->reading);
}

/* ---- witnesses ---- */

static void fill(const struct certify *c, const struct finding *f, const struct check_order *order,
		 struct witness *w)
{
	memset(w, 0, sizeof(*w));
	if (c->a->witness_dir)
		snprintf(w->digest, sizeof(w->digest), "%s", evidence_digest(c->evidence));
	w->kind = f->kind;
	w->dep = f->dep;
	w->values = c->a->engine.values;
	w->block = f->block;
	for (size_t i = 0; f->kind == FINDING_ATOMICITY && i < c->a->atomic.n; i++)
		texts_add(&w->atomic, "%s", c->a->atomic.at[i]);
	VEC_APPEND(&w->targets, f->events, f->nevents);
	w->has_stray = true;
	VEC_APPEND(&w->stray, f->stray.at, f->stray.n);
	VEC_APPEND(&w->order, order->at.at, order->at.n);
	if (!f->property)
		return;
	w->property = mem_strdup(f->property);
	if (c->a->spec)
		strbuf_add(&w->spec, c->a->spec->text, c->a->spec->ntext);
}

/* to NULL: it could not be opened, and errno says why. */
static bool write_witness(const struct certify *c, const struct finding *f,
			  const struct check_order *order, FILE *to, const char *path)
{
	STRBUF_SCOPED text = { 0 };
	struct witness w;
	bool good;

	fill(c, f, order, &w);
	witness_format(&w, c->evidence, &text);
	good = to && fwrite(strbuf_str(&text), 1, text.n, to) == text.n;
	if (to && fclose(to) != 0)
		good = false;
	if (!good)
		talk_error("cannot write '%s': %s", path, strerror(errno));
	witness_release(&w);
	return good;
}

bool certify_write(const struct certify *c, const struct findings *f)
{
	struct check_order order = { 0 };
	STRBUF_SCOPED path = { 0 };
	bool good = true;

	for (size_t i = 0; i < f->at.n && good; i++) {
		const struct finding *x = &f->at.at[i];

		VEC_CLEAR(&order.at);
		if (!x->certified || !check_expand(c->evidence, &x->schedule, &order))
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%u.witness", c->a->witness_dir, x->id);
		good = write_witness(c, x, &order, fopen(strbuf_str(&path), "we"),
				     strbuf_str(&path));
	}
	VEC_RELEASE(&order.at);
	return good;
}

/* ---- checking ---- */

/* Loud: somebody must mend an engine or the checker. */
static void refuse(struct certify *c, struct findings *f, struct finding *x,
		   const struct check_order *order, const struct check_verdict *v)
{
	const char *where = c->a->witness_dir;
	STRBUF_SCOPED path = { 0 };
	int fd;

	c->refused++;
	if (x->property)
		talk_error("internal error: the checker refuses a schedule of '%s' for '%s'",
			   x->engine->name, x->property);
	else
		talk_error("internal error: the checker refuses a schedule of '%s' for events "
			   "%" PRIu64 " and %" PRIu64,
			   x->engine->name, x->events[0], x->events[x->nevents - 1]);
	talk_more("%s", v->what);
	if (!where)
		where = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	/* A new file, whatever others may have put where they expect it. */
	strbuf_addf(&path, "%s/foresee-refused-XXXXXX.witness", where);
	fd = mkostemps(path.at, (int)strlen(".witness"), O_CLOEXEC);
	if (write_witness(c, x, order, fd >= 0 ? fdopen(fd, "w") : NULL, strbuf_str(&path)))
		talk_more("witness: %s", strbuf_str(&path));
	talk_more("please report it, with the trace; the finding is not to be trusted");
	x->claimed = false;
	x->why =
		texts_add(&f->words, "internal error: the checker refuses the schedule of '%s': %s",
			  x->engine->name, v->what);
}

/* Accesses that are missing may order these events, or change what the spec looks at; but in the
 * recorded run itself nothing of that matters to a spec without variables. */
static const char *gaps(const struct certify *c, const struct finding *x,
			const struct check_verdict *v)
{
	const struct spec *spec = c->seen.monitors ? c->seen.monitors->spec : NULL;
	struct trace_info info = trace_info(c->reading.trace);

	if (info.blind)
		return "no call that synchronises was seen, as of a statically linked program: its locks may "
		       "order these events";
	if (info.code && x->kind == FINDING_RACE && !c->a->plain_moves &&
	    moves_may_be_atomic(c->evidence, x->events[0]) &&
	    moves_may_be_atomic(c->evidence, x->events[1]))
		return "a plain move may be an atomic of the source, and the binary does not say "
		       "(--plain-moves: none is)";
	if (info.code && x->kind == FINDING_RACE &&
	    (moves_may_be_more(c->evidence, x->events[0]) ||
	     moves_may_be_more(c->evidence, x->events[1])))
		return "a function of the C library may read more than the program has asked for";
	if (info.code && x->kind == FINDING_RACE &&
	    (moves_may_be_wider(c->evidence, x->events[0], x->events[1]) ||
	     moves_may_be_wider(c->evidence, x->events[1], x->events[0])))
		return "the compiler may read more at once than the source asks for, here what the "
		       "other does not touch";
	if (!info.partial && !info.locks_only)
		return NULL;
	if (v->observed)
		return spec && spec->nvariables ? "accesses were not recorded, and they may change "
						  "the spec's variables"
						: NULL;
	return info.locks_only
		       ? "recorded with --locks-only: accesses that may order these were not seen"
		       : "accesses are missing by request, and they may order these events";
}

/* The engine does not look at all that the checker does, and has said so. */
static void decline(struct certify *c, struct findings *f, struct finding *x,
		    const struct check_verdict *v)
{
	c->declined++;
	x->claimed = false;
	x->declined = true;
	x->why = texts_add(&f->words, "the order that '%s' gives does not hold: %s",
			   x->engine->name, v->what);
}

static void accept(const struct certify *c, struct finding *x, const struct check_verdict *v)
{
	const char *why = v->doubtful ? v->doubt : gaps(c, x, v);

	x->dep = v->dep;
	x->observed = v->observed;
	x->split = v->split;
	VEC_APPEND(&x->stray, v->stray.at, v->stray.n);
	VEC_APPEND(&x->tainted, v->tainted.at, v->tainted.n);
	if (why) {
		x->why = why;
		x->doubted = true;
	} else {
		x->status = FINDING_PREDICTED;
		x->certified = true;
	}
}

static uint64_t schedule_length(const struct schedule *s)
{
	uint64_t n = s->tail.n;

	for (size_t i = 0; i < s->count.n; i++)
		n += s->count.at[i];
	return n;
}

/* ---- rounds ---- */

const char certify_skipped[] = "not certified: the budget of the checker ran out";

/* One finding's turn. */
struct turn {
	struct finding *x;
	uint64_t length; /* of its schedule */
	bool walked;
	struct check_order order;
	struct check_verdict verdict;
};

struct round {
	const struct certify *c;
	struct check_cuts *cuts;
	struct checker **checkers; /* by worker; made when first needed */
	VEC(struct turn) turns;
};

static const struct foresee_monitor *plugin_of(const struct certify *c, const char *property)
{
	const struct states_watch *w = certify_watch(c);
	int number = w ? states_property(w, property) : -1;

	return number < 0 ? NULL : monitor_plugin(&w->monitors->at[number]);
}

static void turn_check(void *arg, size_t i, unsigned worker)
{
	struct round *r = arg;
	struct turn *t = &r->turns.at[i];
	struct check_claim claim = {
		.kind = t->x->kind,
		.targets = t->x->events,
		.ntargets = t->x->nevents,
		.block = t->x->block,
		.strict = r->c->a->engine.strict,
		.values = r->c->a->engine.values,
		.view = certify_watch(r->c) ? &r->c->view : NULL,
		.property = t->x->property,
		.plugin = plugin_of(r->c, t->x->property),
	};

	if (!r->checkers[worker])
		r->checkers[worker] = checker_new(r->c->evidence);
	if (checker_run_cut(r->checkers[worker], r->cuts, &claim, &t->x->schedule, &t->verdict))
		return;
	t->walked = true;
	if (!check_expand(r->c->evidence, &t->x->schedule, &t->order)) {
		snprintf(t->verdict.what, sizeof(t->verdict.what),
			 "the schedule names events that do not exist");
		return;
	}
	claim.order = t->order.at.at;
	claim.norder = t->order.at.n;
	checker_run(r->checkers[worker], &claim, &t->verdict);
	/* Only the witness of a refused one needs it again; those of the certified are written
	 * later, one at a time. */
	if (t->verdict.certified)
		VEC_RELEASE(&t->order.at);
}

/* At most so many steps of checking go at once: their orders are in memory together. */
#define ROUND_STEPS 50000000u

static uint64_t budget(struct certify *c)
{
	if (engine_stopped(&c->a->engine) && c->hasty == 0)
		c->hasty = c->spent < CERTIFY_BUDGET - CERTIFY_HASTE ? c->spent + CERTIFY_HASTE
								     : CERTIFY_BUDGET;
	return c->hasty != 0 ? c->hasty : CERTIFY_BUDGET;
}

/* The next findings in order from *next on, one for each signature that is not certified yet. */
static void round_fill(struct certify *c, struct findings *f, size_t *next, const struct map *sure,
		       struct round *r)
{
	struct map now = { 0 }; /* signatures of this round */
	uint64_t steps = 0;

	for (; *next < f->at.n && steps < ROUND_STEPS; ++*next) {
		struct finding *x = &f->at.at[*next];
		uint64_t signature = finding_signature(x), length;
		bool fresh = true;

		if (!x->claimed || x->certified || x->doubted || x->why == certify_skipped)
			continue;
		if (finding_is_property(x) && r->turns.n > 0)
			break; /* one at a time: monitors are not made for several threads */
		if (!c->a->engine.all_pairs) {
			if (map_get(sure, signature))
				continue; /* another one at the same places stands for it */
			map_put(&now, signature, &fresh);
			if (!fresh)
				break; /* wait for the verdict on that one */
		}
		length = schedule_length(&x->schedule) + 1;
		c->spent += length;
		steps += length;
		if (c->spent > budget(c)) {
			c->skipped++;
			x->why = certify_skipped;
			continue;
		}
		*VEC_PUSH(&r->turns) = (struct turn){ .x = x, .length = length };
		if (finding_is_property(x)) {
			++*next;
			break;
		}
	}
	map_release(&now);
}

static void round_settle(struct certify *c, struct findings *f, struct map *sure, struct round *r)
{
	for (size_t i = 0; i < r->turns.n; i++) {
		struct turn *t = &r->turns.at[i];

		if (!t->walked)
			c->spent -= t->length; /* it cost next to nothing */
		if (t->verdict.certified)
			accept(c, t->x, &t->verdict);
		else if (t->x->engine->proof == ENGINE_TRIES && !t->x->declined)
			decline(c, f, t->x, &t->verdict);
		else
			refuse(c, f, t->x, &t->order, &t->verdict);
		if (t->x->certified)
			map_put(sure, finding_signature(t->x), NULL);
		check_verdict_release(&t->verdict);
		VEC_RELEASE(&t->order.at);
	}
	VEC_CLEAR(&r->turns);
}

/* It happened, as anybody can see who looks at the trace. */
static bool is_observed(struct certify *c, const struct finding *x)
{
	if (!finding_is_stale(x))
		return finding_is_end(x) || x->judged;
	if (check_stale(c->evidence, x->events[0], x->events[1]))
		return true;
	c->refused++;
	talk_error("internal error: the checker finds no use after free in events %" PRIu64
		   " and %" PRIu64,
		   x->events[0], x->events[1]);
	talk_more("please report it, with the trace; the finding is not to be trusted");
	return false;
}

bool certify_order(struct certify *c, struct finding *x, const struct check_order *order,
		   const uint64_t *stray, size_t nstray)
{
	struct check_claim claim = {
		.kind = x->kind,
		.targets = x->events,
		.ntargets = x->nevents,
		.order = order->at.at,
		.norder = order->at.n,
		.stray = stray,
		.nstray = nstray,
		.strict = c->a->engine.strict,
		.values = c->a->engine.values,
		.view = &c->view,
		.property = x->property,
	};
	struct checker *checker = checker_new(c->evidence);
	struct check_verdict v;

	checker_run(checker, &claim, &v);
	if (v.certified && !v.doubtful && !v.observed)
		accept(c, x, &v);
	x->claimed = x->certified;
	if (x->certified)
		VEC_APPEND(&x->schedule.tail, order->at.at, order->at.n);
	check_verdict_release(&v);
	checker_free(checker);
	return x->certified;
}

void certify_findings(struct certify *c, struct findings *f)
{
	for (size_t i = 0; i < f->at.n; i++) {
		struct finding *x = &f->at.at[i];

		x->status = is_observed(c, x) ? FINDING_OBSERVED : FINDING_WARNING;
		if (x->status == FINDING_WARNING && !x->claimed && !x->why)
			x->why = texts_add(&f->words, "%s gives no run in which it happens",
					   x->engine->name);
	}
	certify_claims(c, f);
}

void certify_claims(struct certify *c, struct findings *f)
{
	unsigned jobs = c->a->engine.jobs ? c->a->engine.jobs : 1;
	struct round r = { .c = c, .checkers = mem_zalloc(jobs * sizeof(struct checker *)) };
	struct map sure = { 0 }; /* signatures of what is certified already */
	size_t next = 0;

	r.cuts = findings_any(f, is_claimed) ? check_cuts_new(c->evidence) : NULL;
	for (size_t i = 0; i < f->at.n; i++)
		if (f->at.at[i].certified)
			map_put(&sure, finding_signature(&f->at.at[i]), NULL);
	while (next < f->at.n) {
		round_fill(c, f, &next, &sure, &r);
		pool_run(jobs, r.turns.n, turn_check, &r);
		round_settle(c, f, &sure, &r);
	}
	for (unsigned i = 0; i < jobs; i++)
		checker_free(r.checkers[i]);
	mem_free(r.checkers);
	check_cuts_free(r.cuts);
	VEC_RELEASE(&r.turns);
	map_release(&sure);
}
