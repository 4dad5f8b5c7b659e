/*
 * What threads know of each other: runs with known verdicts, and random formulas on random runs against the
 * definition.
 *
 *	test_mttl [ROUNDS [FIRST]]
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/common.h"
#include "monitor/mttl.h"
#include "mttl_naive.h"
#include "mttl_vectors.h"
#include "tap.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/knowledge.h"
#include "witness/view.h"

static char path[40]; /* of a file in memory */

struct told {
	struct strbuf violations, handlers;
	bool names; /* handlers are wanted with their threads */
};

static void tell(void *arg, const struct mttl_violation *v)
{
	struct told *t = arg;

	strbuf_addf(&t->violations, "%s%s@%" PRIu64, t->violations.n ? " " : "", v->property->name,
		    v->pos);
	if (v->begins && v->property->handler)
		strbuf_addf(&t->handlers, "%s%s@%" PRIu64, t->handlers.n ? " " : "",
			    v->property->handler, v->pos);
}

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

/* False: the message is what came of it. */
static bool judge(const struct spec *s, const char *trace, struct told *t, struct diag *d)
{
	strbuf_clear(&t->violations);
	strbuf_clear(&t->handlers);
	put(trace);
	return mttl_judge(s, path, &(struct trace_options){ 0 }, tell, t, d) == ST_OK;
}

/* ---- the checker ---- */

struct checked {
	struct trace *trace;
	struct view view;
	struct evidence *ev;
};

static void see(void *arg, struct trace *t, const struct event *e)
{
	view_see(&((struct checked *)arg)->view, t, e);
}

/* Of the trace at path. */
static bool checked_open(struct checked *c, const struct spec *s, struct diag *d)
{
	struct evidence_options opt = { .each = see, .each_arg = c };

	*c = (struct checked){ 0 };
	if (trace_open(path, &(struct trace_options){ 0 }, &c->trace, d) != ST_OK)
		return false;
	view_bind(&c->view, s, c->trace);
	return evidence_load(c->trace, &opt, &c->ev, d) == ST_OK && !c->view.trouble[0];
}

static void checked_close(struct checked *c)
{
	evidence_free(c->ev);
	view_release(&c->view);
	trace_close(c->trace);
}

/* Every run that the rules of witnesses allow, one event more at a time; in which property goes wrong at the end. */
struct tries {
	struct checked *c;
	struct checker *checker;
	const struct spec *s;
	uint64_t order[16], bad[SPEC_PROPERTIES]; /* bad: positions, a bit each */
	size_t n;
	unsigned runs;
	const struct naive_run *run; /* the same trace; or NULL */
	bool is_wrong;		     /* the checker says other than the definition */
};

/* The run in that order, and behind it what it has left out: nothing of that comes before anything. */
static struct naive_run reordered(const struct tries *t)
{
	struct naive_run r = *t->run;
	uint64_t used = 0;
	unsigned to[NAIVE_EVENTS + 1] = { 0 };

	r.n = 0;
	for (unsigned i = 0; i < t->run->n; i++) {
		unsigned next = 0;

		if (i < t->n)
			next = (unsigned)t->order[i] - 1;
		else
			while (used >> next & 1)
				next++;
		used |= UINT64_C(1) << next;
		to[next + 1] = r.n + 1;
		r.at[r.n++] = t->run->at[next];
	}
	for (unsigned i = 0; i < r.n; i++)
		if (r.at[i].op == NAIVE_WAKE)
			r.at[i].other = to[r.at[i].other];
	mttl_naive_order(&r);
	return r;
}

/* A take that has other gives than it had is of no run that the checker knows. */
static void compare(struct tries *t, const struct spec_property *p, const struct check_verdict *v)
{
	struct naive_run r = reordered(t);
	bool bad = mttl_naive_is_violated(&r, p, (unsigned)t->n - 1);

	if (v->certified != bad && !(bad && strstr(v->what, "than in the recorded run")))
		t->is_wrong = true;
}

/* The reads that come last in their threads. */
static size_t last_reads(const struct tries *t, uint64_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct evidence_event e = evidence_get(t->c->ev, t->order[i]);
		uint64_t next = evidence_find(t->c->ev, e.tid, e.index + 1);
		bool is_last = e.op == EVENT_READ;

		for (size_t k = i + 1; k < t->n; k++)
			is_last &= t->order[k] != next;
		if (is_last)
			out[n++] = e.pos;
	}
	return n;
}

/* Is it a run?  Then which properties it violates is noted. */
static bool try_order(struct tries *t)
{
	uint64_t stray[16];
	struct check_claim claim = { .kind = FINDING_PROPERTY,
				     .targets = &t->order[t->n - 1],
				     .ntargets = 1,
				     .order = t->order,
				     .norder = t->n,
				     .stray = stray,
				     .nstray = last_reads(t, stray),
				     .strict = true,
				     .view = &t->c->view };
	bool is_run = false;

	for (uint32_t i = 0; i < t->s->nproperties; i++) {
		struct check_verdict v;

		claim.property = t->s->properties[i].name;
		checker_run(t->checker, &claim, &v);
		is_run = v.certified || strstr(v.what, "' holds here");
		if (v.certified)
			t->bad[i] |= UINT64_C(1) << t->order[t->n - 1];
		if (t->run && (is_run || strstr(v.what, "is not known")))
			compare(t, &t->s->properties[i], &v);
		check_verdict_release(&v);
	}
	t->runs += is_run;
	return is_run;
}

static void try_orders(struct tries *t)
{
	for (uint64_t pos = 1; pos <= evidence_count(t->c->ev); pos++) {
		bool used = false;

		for (size_t i = 0; i < t->n; i++)
			used |= t->order[i] == pos;
		if (used)
			continue;
		t->order[t->n++] = pos;
		if (try_order(t))
			try_orders(t);
		t->n--;
	}
}

/* All violations of all runs, sorted as words. */
static void predict(struct checked *c, const struct spec *s, struct strbuf *out)
{
	struct tries t = { .c = c, .s = s, .checker = checker_new(c->ev) };

	strbuf_clear(out);
	try_orders(&t);
	checker_free(t.checker);
	for (uint32_t i = 0; i < s->nproperties; i++)
		for (unsigned pos = 1; pos < 64; pos++)
			if (t.bad[i] >> pos & 1)
				strbuf_addf(out, "%s%s@%u", out->n ? " " : "",
					    s->properties[i].name, pos);
}

/* Both lists have the same words. */
static bool same_words(const char *a, const char *b)
{
	size_t n = strcspn(a, " ");
	const char *at;

	if (strlen(a) != strlen(b))
		return false;
	for (; *a; a += n, a += *a == ' ') {
		n = strcspn(a, " ");
		for (at = b; *at && (strcspn(at, " ") != n || strncmp(at, a, n) != 0);
		     at += *at == ' ')
			at += strcspn(at, " ");
		if (!*at)
			return false;
	}
	return true;
}

static void try_predicted(const struct mttl_vector *v, const struct spec *s)
{
	struct checked c;
	struct diag d = { 0 };
	struct strbuf got = { 0 };
	bool good = checked_open(&c, s, &d);

	if (good)
		predict(&c, s, &got);
	if (!TAP_OK(good && same_words(v->predicted, strbuf_str(&got)),
		    "%s: what the checker certifies of all its runs", v->name))
		printf("# %s%s\n# want %s\n# got  %s\n", d.message, c.view.trouble, v->predicted,
		       strbuf_str(&got));
	checked_close(&c);
	strbuf_release(&got);
}

/* What the checker says of the recorded run; as naive_print. */
static bool check_print(const struct spec *s, struct strbuf *out, struct diag *d)
{
	struct checked c;
	struct knowledge *k;
	bool good = checked_open(&c, s, d);

	strbuf_clear(out);
	if (!good) {
		checked_close(&c);
		return false;
	}
	k = knowledge_new(c.ev, &c.view, evidence_count(c.ev));
	for (uint64_t pos = 1; pos <= evidence_count(c.ev); pos++) {
		knowledge_take(k, pos);
		for (uint32_t i = 0; i < s->nproperties; i++) {
			enum judge_verdict is = knowledge_ask(k, &s->properties[i]);

			if (is != JUDGE_GOOD)
				strbuf_addf(out, "%s%s@%" PRIu64 "%s%s", out->n ? " " : "",
					    s->properties[i].name, pos, is == JUDGE_BAD ? "" : "?",
					    is == JUDGE_BAD ? "" : knowledge_trouble(k));
		}
	}
	knowledge_free(k);
	checked_close(&c);
	return true;
}

/* "recover(T2)@9" without the thread. */
static void without_threads(const char *from, struct strbuf *out)
{
	strbuf_clear(out);
	for (; *from; from++) {
		if (*from == '(')
			from = strchr(from, ')');
		else
			strbuf_add(out, from, 1);
	}
}

static void try_vectors(void)
{
	struct told t = { 0 };
	struct strbuf want = { 0 };

	for (size_t i = 0; i < sizeof(mttl_vectors) / sizeof(mttl_vectors[0]); i++) {
		const struct mttl_vector *v = &mttl_vectors[i];
		struct diag d = { 0 };
		struct spec *s = NULL;

		if (!TAP_OK(spec_parse("spec", v->spec, strlen(v->spec), &s, &d) == ST_OK &&
				    judge(s, v->trace, &t, &d),
			    "%s: judged", v->name)) {
			printf("# %s\n", d.message);
			spec_free(s);
			continue;
		}
		TAP_STR(strbuf_str(&t.violations), v->violations, "%s: violations", v->name);
		without_threads(v->handlers ? v->handlers : "", &want);
		TAP_STR(strbuf_str(&t.handlers), strbuf_str(&want), "%s: handlers", v->name);
		if (v->predicted)
			try_predicted(v, s);
		spec_free(s);
	}
	strbuf_release(&t.violations);
	strbuf_release(&t.handlers);
	strbuf_release(&want);
}

/* ---- random runs ---- */

#define SMALL 8u
#define MOST_SMALL 400u

static uint64_t seed;

static unsigned pick(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((seed >> 33) % n);
}

struct maker {
	struct naive_run run;
	struct strbuf text;
	unsigned events;
	bool begun[NAIVE_THREADS], ended[NAIVE_THREADS], made[NAIVE_THREADS];
	int writer;		   /* of the lock; -1 */
	bool reads[NAIVE_THREADS]; /* it */
	unsigned blocks[NAIVE_THREADS];
	bool parked[NAIVE_THREADS];
	unsigned signal; /* event + 1 of the last */
	bool quiet;	 /* no locks, channels, atomics ... */
};

static void add(struct maker *m, unsigned thread, enum naive_op op, const char *object, int64_t v,
		unsigned other, const char *format, ...) __attribute__((format(printf, 7, 8)));

static void add(struct maker *m, unsigned thread, enum naive_op op, const char *object, int64_t v,
		unsigned other, const char *format, ...)
{
	char words[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	strbuf_addf(&m->text, "T%u|%s|%u\n", thread + 1, words, m->run.n + 1);
	m->run.at[m->run.n++] = (struct naive_event){
		.op = op, .thread = thread, .object = object, .value = v, .other = other
	};
	m->begun[thread] = true;
}

static void add_access(struct maker *m, unsigned t)
{
	static const char *const plain[] = { "x", "x", "y", "z" };
	const char *name = plain[pick(4)];
	unsigned v = pick(4), how = pick(8);

	if (how == 0)
		add(m, t, NAIVE_AREAD, "q", 0, 0, "ar(q)");
	else if (how == 1)
		add(m, t, NAIVE_AWRITE, "q", v, 0, "aw(q)=%u", v);
	else if (how == 2)
		add(m, t, NAIVE_RMW, "q", v, 0, "rmw(q)=0>%u", v);
	else if (how < 6)
		add(m, t, NAIVE_READ, name, 0, 0, "r(%s)", name);
	else
		add(m, t, NAIVE_WRITE, name, v, 0, "w(%s)=%u", name, v);
}

static void add_lock(struct maker *m, unsigned t)
{
	bool others = false;

	for (unsigned i = 0; i < NAIVE_THREADS; i++)
		others |= m->reads[i];
	if (m->writer == (int)t) {
		m->writer = -1;
		add(m, t, NAIVE_REL, "l", 0, 0, "rel(l)");
	} else if (m->reads[t]) {
		m->reads[t] = false;
		add(m, t, NAIVE_RREL, "l", 0, 0, "rrel(l)");
	} else if (m->writer < 0 && pick(2)) {
		m->reads[t] = true;
		add(m, t, NAIVE_RACQ, "l", 0, 0, "racq(l)");
	} else if (m->writer < 0 && !others) {
		m->writer = (int)t;
		add(m, t, NAIVE_ACQ, "l", 0, 0, "acq(l)");
	}
}

static void add_condition(struct maker *m, unsigned t)
{
	if (m->parked[t]) {
		m->parked[t] = false;
		add(m, t, NAIVE_WAKE, "c", 0, m->signal, m->signal ? "wake(c)<%u" : "wake(c)",
		    m->signal);
	} else if (pick(2)) {
		add(m, t, NAIVE_SIGNAL, "c", 0, 0, "signal(c)");
		m->signal = m->run.n;
	}
}

static void add_thread(struct maker *m, unsigned t)
{
	unsigned u = pick(m->run.nthreads);

	if (u != t && !m->begun[u] && !m->made[u] && u != 0) {
		m->made[u] = true;
		add(m, t, NAIVE_FORK, NULL, 0, u, "fork(T%u)", u + 1);
	} else if (u != t && m->made[u] && m->begun[u] && !m->parked[u] && m->writer != (int)u &&
		   !m->reads[u] && !m->ended[u] && m->blocks[u] == 0 && pick(2)) {
		m->ended[u] = true;
		if (pick(2))
			add(m, u, NAIVE_THREADEND, NULL, 0, 0, "threadend");
		if (m->run.n < m->events)
			add(m, t, NAIVE_JOIN, NULL, 0, u, "join(T%u)", u + 1);
	}
}

static void add_block(struct maker *m, unsigned t)
{
	if (m->blocks[t] && pick(2)) {
		m->blocks[t]--;
		add(m, t, NAIVE_END, NULL, 0, 0, "end");
	} else if (m->blocks[t] < 2) {
		m->blocks[t]++;
		add(m, t, NAIVE_BEGIN, NULL, 0, 0, "begin");
	}
}

static void add_one(struct maker *m, unsigned t)
{
	unsigned v = pick(4);

	switch (pick(12)) {
	case 0:
	case 1:
	case 2:
		add_access(m, t);
		break;
	case 3:
	case 4:
		add_lock(m, t);
		break;
	case 5:
		if (pick(2))
			add(m, t, NAIVE_GIVE, "ch", 0, 0, "give(ch)");
		else
			add(m, t, NAIVE_TAKE, "ch", 0, 0, "take(ch)");
		break;
	case 6:
		add_condition(m, t);
		break;
	case 7:
		add_thread(m, t);
		break;
	case 8:
		add_block(m, t);
		break;
	case 9:
		add(m, t, NAIVE_USER, "tick", 0, 0, "user(tick)");
		break;
	default:
		add(m, t, NAIVE_INTERNAL, "a", v, 0, "user(a,%u)!internal", v);
	}
}

static void run_make(struct maker *m, const struct spec *s)
{
	bool shy = pick(2); /* the last thread only when somebody has made it */

	strbuf_clear(&m->text);
	strbuf_adds(&m->text, "#fmt 1\n");
	memset(&m->run, 0, sizeof(m->run));
	memset(m->begun, 0, sizeof(*m) - offsetof(struct maker, begun));
	m->writer = -1;
	m->run.s = s;
	m->run.nthreads = 2 + pick(3);
	m->events = 6 + pick(14);
	for (unsigned tries = 0; m->run.n < m->events && tries < 400; tries++) {
		unsigned t = pick(m->run.nthreads);

		if (m->ended[t] || (shy && t == m->run.nthreads - 1 && !m->made[t]))
			continue;
		add_one(m, t);
	}
	mttl_naive_order(&m->run);
}

/* ---- random formulas ---- */

static void formula(struct strbuf *out, unsigned depth, const char *bound, bool remote);

static const char *own_name; /* of the thread that the property is about */

static void thread_put(struct strbuf *out, const char *bound)
{
	const char *const names[] = { "t1", "t2", "t3", own_name, own_name };

	strbuf_adds(out, bound && pick(3) ? bound : names[pick(5)]);
}

static void term(struct strbuf *out, unsigned depth, const char *bound)
{
	static const char *const plain[] = { "a", "a", "x", "y", "block" };

	if (depth && pick(2)) {
		strbuf_adds(out, "@");
		thread_put(out, bound);
		strbuf_adds(out, ".");
		term(out, depth - 1, pick(2) ? bound : NULL);
		return;
	}
	strbuf_adds(out, plain[pick(5)]);
}

static void comparison(struct strbuf *out, unsigned depth, const char *bound)
{
	static const char *const ops[] = { "==", "==", "!=", "<", "<=", ">", ">=" };

	term(out, depth, bound);
	strbuf_addf(out, " %s ", ops[pick(7)]);
	if (pick(2))
		strbuf_addf(out, "%u", pick(4));
	else
		term(out, depth, bound);
}

static void quantifier(struct strbuf *out, unsigned depth)
{
	static const char *const classes[] = { "any", "any", "t2" };

	strbuf_addf(out, "%s(o : %s, ", pick(2) ? "some" : "all", classes[pick(3)]);
	formula(out, depth - 1, "o", false);
	strbuf_adds(out, ")");
}

static void formula(struct strbuf *out, unsigned depth, const char *bound, bool remote)
{
	static const char *const ones[] = { "!", "prev", "once", "hist", "start", "end" };
	static const char *const twos[] = { "&&", "||", "->", "since", "wsince", "<->" };

	switch (depth ? pick(9) : pick(3)) {
	case 0:
	case 1:
		comparison(out, remote ? 1 : 2, bound);
		break;
	case 2:
		strbuf_adds(out, pick(3) ? (pick(2) ? "w()" : "tick()") : "r()");
		break;
	case 3:
	case 4:
		strbuf_addf(out, "%s(", ones[pick(6)]);
		formula(out, depth - 1, bound, remote);
		strbuf_adds(out, ")");
		break;
	case 5:
		strbuf_adds(out, "(");
		formula(out, depth - 1, bound, remote);
		strbuf_addf(out, ") %s (", twos[pick(6)]);
		formula(out, depth - 1, bound, remote);
		strbuf_adds(out, ")");
		break;
	case 6:
		strbuf_adds(out, "[");
		formula(out, depth - 1, bound, remote);
		strbuf_adds(out, ", ");
		formula(out, depth - 1, bound, remote);
		strbuf_adds(out, pick(2) ? ")" : ")w");
		break;
	case 7:
		strbuf_adds(out, "@");
		thread_put(out, bound);
		strbuf_adds(out, "(");
		formula(out, depth - 1, pick(2) ? bound : NULL, true);
		strbuf_adds(out, ")");
		break;
	default:
		if (bound)
			comparison(out, 2, bound);
		else
			quantifier(out, depth);
	}
}

static void spec_make(struct strbuf *out)
{
	static const char *const own[] = { "any", "t1", "t2", "any" };

	strbuf_clear(out);
	strbuf_adds(out, pick(4) ? "" : "flow all;\n");
	strbuf_adds(out, "local int a = 1; shared int x; shared int y = 2;\n"
			 "thread t1 = \"T1\"; thread t2 = \"T2\"; thread t3 = \"T3\";\n"
			 "event w = write(x); event r = read(y); event tick = user(tick);\n");
	for (unsigned i = 0; i < 2; i++) {
		own_name = own[pick(4)];
		strbuf_addf(out, "property p%u: mttl @%s(", i, own_name);
		formula(out, 1 + pick(3), NULL, false);
		strbuf_adds(out, ");\n");
	}
}

static void naive_print(const struct naive_run *r, struct strbuf *out)
{
	strbuf_clear(out);
	for (unsigned i = 0; i < r->n; i++)
		for (uint32_t k = 0; k < r->s->nproperties; k++)
			if (mttl_naive_is_violated(r, &r->s->properties[k], i))
				strbuf_addf(out, "%s%s@%u", out->n ? " " : "",
					    r->s->properties[k].name, i + 1);
}

static struct {
	unsigned judged, violated, refused, small, runs;
} counts;

/* All runs of a small trace. */
static bool try_runs(const struct maker *m, const struct spec *s, struct diag *d)
{
	struct checked c;
	struct tries t = { .c = &c, .s = s, .run = &m->run };

	if (checked_open(&c, s, d)) {
		t.checker = checker_new(c.ev);
		try_orders(&t);
		checker_free(t.checker);
	}
	checked_close(&c);
	counts.runs += t.runs;
	return t.runs > 0 && !t.is_wrong;
}

static bool try_one(struct maker *m, struct strbuf *text, struct strbuf *want, struct told *t)
{
	struct diag d = { 0 };
	struct spec *s = NULL;
	bool good;

	spec_make(text);
	good = spec_parse("spec", text->at, text->n, &s, &d) == ST_OK;
	if (good) {
		run_make(m, s);
		good = judge(s, m->text.at, t, &d);
	}
	if (!good && strstr(d.message, "depends on two threads")) {
		counts.refused++;
		spec_free(s);
		return true;
	}
	if (good) {
		naive_print(&m->run, want);
		counts.judged++;
		counts.violated += want->n != 0;
		good = strcmp(strbuf_str(want), strbuf_str(&t->violations)) == 0;
	}
	if (good) {
		good = check_print(s, &t->violations, &d) &&
		       strcmp(strbuf_str(want), strbuf_str(&t->violations)) == 0;
	}
	if (good && m->run.n <= SMALL && ++counts.small <= MOST_SMALL)
		good = try_runs(m, s, &d);
	if (!good)
		printf("# %s\n# want %s\n# got  %s\n%s%s\n", d.message, strbuf_str(want),
		       strbuf_str(&t->violations), text->at, strbuf_str(&m->text));
	spec_free(s);
	return good;
}

static void try_random(uint64_t rounds, uint64_t first)
{
	struct maker *m = mem_zalloc(sizeof(*m));
	struct strbuf text = { 0 }, want = { 0 };
	struct told t = { 0 };
	bool good = true;

	for (uint64_t i = 0; i < rounds && good; i++) {
		seed = (first + i) * 7919;
		pick(1);
		good = try_one(m, &text, &want, &t);
		if (!good)
			TAP_OK(false, "seed %" PRIu64, first + i);
	}
	TAP_OK(good && counts.violated > counts.judged / 4 && counts.refused < rounds / 4,
	       "%" PRIu64
	       " random runs: judged %u, violated %u, refused %u; %u runs of %u that are "
	       "small",
	       rounds, counts.judged, counts.violated, counts.refused, counts.runs,
	       counts.small < MOST_SMALL ? counts.small : MOST_SMALL);
	strbuf_release(&m->text);
	strbuf_release(&text);
	strbuf_release(&want);
	strbuf_release(&t.violations);
	strbuf_release(&t.handlers);
	mem_free(m);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : getenv("LONG") ? 200000 : 10000;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd_create("run", 0));
	try_vectors();
	try_random(rounds, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
	return tap_done();
}
