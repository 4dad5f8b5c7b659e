/*
 * The checker against another statement of the same rules, on small random traces.
 *
 * Here a reordering is judged as a whole and without taint, by slices (doc/SEMANTICS.md 2.2): Need
 * is the set of binding reads and of reads that uses name, closed under "the feeds of the write
 * that it saw"; every read in Need must see, byte by byte, what it saw.  Locks are judged by
 * looking back over the whole order at each event.
 *
 *	all correct orders of a trace are walked: the checker certifies each race they lead to
 *	and no other pair; then orders are spoilt at random, and both must say the same
 */
#include <assert.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "tap.h"
#include "witness_text.h"

#define EVENTS 12
#define THREADS 3
#define VARS 2
#define BYTES (VARS * 8)
#define INIT (-1)

enum op { R, W, RMW, ACQ, REL, RACQ, RREL, TRYFAIL, FORK, JOIN, USE, POST, WAIT, ALLOC, FREE };

struct ev {
	enum op op;
	int tid, index, obj; /* obj: lock, other thread */
	int from, len;	     /* bytes */
	bool free, atomic, unknown;
	bool feed[EVENTS];
	int life[BYTES], rf[BYTES];
};

struct run {
	struct ev e[EVENTS];
	int n, first_sem;
	int fork[THREADS]; /* by thread; -1 none */
	bool strict;
};

static uint64_t seed;

static int rnd(int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)((seed >> 20) % (unsigned)n);
}

/* ---- making traces ---- */

struct maker {
	int owner[2], depth[2], readers[2][THREADS];
	bool forked[THREADS], joined[THREADS], ran[THREADS];
	int life[BYTES], last[BYTES], index[THREADS];
	int sem, least;
};

static int readers(const struct maker *m, int l)
{
	return m->readers[l][0] + m->readers[l][1] + m->readers[l][2];
}

/* One random operation of thread t; false: not possible now. */
static bool op_make(struct run *r, struct maker *m, int t, struct ev *e)
{
	static const enum op ops[] = { R,    R,	   R,	R,    W,    W,	   W,	 W,
				       RMW,  ACQ,  ACQ, REL,  REL,  RACQ,  RREL, TRYFAIL,
				       FORK, JOIN, USE, POST, WAIT, ALLOC, FREE };
	int l = rnd(2), width = 1 << rnd(4);

	memset(e, 0, sizeof(*e));
	e->op = ops[rnd(sizeof(ops) / sizeof(*ops))];
	e->tid = t;
	e->obj = l;
	switch (e->op) {
	case ACQ:
		if ((m->owner[l] >= 0 && m->owner[l] != t) || readers(m, l))
			return false;
		m->owner[l] = t;
		m->depth[l]++;
		return true;
	case REL:
		if (m->owner[l] != t)
			return false;
		if (--m->depth[l] == 0)
			m->owner[l] = -1;
		return true;
	case RACQ:
		if (m->owner[l] >= 0)
			return false;
		m->readers[l][t]++;
		return true;
	case RREL:
		return m->readers[l][t] > 0 && m->readers[l][t]-- > 0;
	case TRYFAIL:
		return m->owner[l] >= 0 || readers(m, l) > 0;
	case FORK:
		e->obj = rnd(THREADS);
		if (e->obj == t || m->forked[e->obj] || m->ran[e->obj] || m->joined[e->obj])
			return false;
		m->forked[e->obj] = true;
		r->fork[e->obj] = r->n;
		return true;
	case JOIN:
		e->obj = rnd(THREADS);
		if (e->obj == t || m->joined[e->obj] || (!m->forked[e->obj] && !m->ran[e->obj]))
			return false;
		m->joined[e->obj] = true;
		return true;
	case POST:
		m->sem++;
		return true;
	case WAIT:
		m->sem--;
		m->least = -m->sem > m->least ? -m->sem : m->least;
		return true;
	case USE:
		return true;
	default: /* memory */
		e->len = width;
		e->from = 8 * rnd(VARS) + width * rnd(8 / width);
		e->atomic = e->op <= RMW && rnd(4) == 0;
		e->free = (e->op == R || e->op == RMW) && rnd(2) == 0;
		e->unknown = (e->op == R || e->op == RMW) && rnd(15) == 0;
		return e->op <= RMW || rnd(3) == 0;
	}
}

static void memory_make(struct run *r, struct maker *m, struct ev *e)
{
	for (int b = e->from; b < e->from + e->len; b++) {
		if (e->op == ALLOC) {
			m->life[b]++;
			m->last[b] = INIT;
			continue;
		}
		e->life[b] = m->life[b];
		e->rf[b] = m->last[b];
		if (e->op != R)
			m->last[b] = r->n;
	}
}

static void feeds_make(struct run *r, struct ev *e)
{
	if (e->op != W && e->op != USE && e->op != RMW)
		return;
	for (int i = 0; i < r->n; i++)
		if (r->e[i].tid == e->tid && r->e[i].free && rnd(2))
			e->feed[i] = true;
	if (e->op == RMW && e->free && rnd(2))
		e->feed[r->n] = true;
}

static void run_make(struct run *r)
{
	struct maker m = { .owner = { -1, -1 } };
	int want = 5 + rnd(EVENTS - 5);

	memset(r, 0, sizeof(*r));
	for (int b = 0; b < BYTES; b++)
		m.last[b] = INIT;
	for (int t = 0; t < THREADS; t++)
		r->fork[t] = -1;
	for (int tries = 0; r->n < want && tries < 500; tries++) {
		int t = rnd(THREADS);
		struct ev *e = &r->e[r->n];

		if (m.joined[t] || !op_make(r, &m, t, e))
			continue;
		m.ran[t] = true;
		e->index = m.index[t]++;
		memory_make(r, &m, e);
		feeds_make(r, e);
		r->n++;
	}
	r->first_sem = m.least;
	r->strict = rnd(4) == 0;
}

static void run_format(const struct run *r, struct strbuf *out)
{
	static const char *const names[] = { "r",    "w",	"rmw",	   "acq",   "rel",
					     "racq", "rrel",	"tryfail", "fork",  "join",
					     "use",  "sempost", "semwait", "alloc", "free" };

	strbuf_clear(out);
	strbuf_adds(out, "#fmt 1\n");
	for (int i = 0; i < r->n; i++) {
		const struct ev *e = &r->e[i];
		char sep = '<';

		strbuf_addf(out, "T%d|%s", e->tid, names[e->op]);
		if (e->len)
			strbuf_addf(out, "(x%d+%d:%d)", e->from / 8, e->from % 8, e->len);
		else if (e->op == FORK || e->op == JOIN)
			strbuf_addf(out, "(T%d)", e->obj);
		else if (e->op == POST || e->op == WAIT)
			strbuf_adds(out, "(s)");
		else if (e->op != USE)
			strbuf_addf(out, "(m%d)%s", e->obj,
				    e->op == TRYFAIL ? "!write!rwlock" : "");
		strbuf_addf(out, "%s%s%s", e->free ? "~" : "", e->atomic ? "@relaxed" : "",
			    e->unknown ? "!unknown" : "");
		for (int k = 0; k < r->n; k++) {
			if (!e->feed[k])
				continue;
			strbuf_addf(out, "%c%d", sep, k + 1);
			sep = ',';
		}
		strbuf_addf(out, "|%d\n", i + 1);
	}
}

/* ---- the rules, as a whole ---- */

struct order {
	int at[EVENTS + 4], n;
};

static bool is_read(const struct ev *e)
{
	return e->op == R || e->op == RMW;
}

static bool is_write(const struct ev *e)
{
	return e->op == W || e->op == RMW || e->op == FREE;
}

static bool is_binding(const struct run *r, const struct ev *e)
{
	return is_read(e) && (r->strict || !e->free);
}

/* Who wrote byte b, of that lifetime, last before place `before' of the order. */
static int writer(const struct run *r, const struct order *o, int before, int b, int life)
{
	for (int i = before - 1; i >= 0; i--) {
		const struct ev *e = &r->e[o->at[i]];

		if (is_write(e) && b >= e->from && b < e->from + e->len && e->life[b] == life)
			return o->at[i];
	}
	return INIT;
}

static int place(const struct order *o, int before, int event)
{
	for (int i = 0; i < before; i++)
		if (o->at[i] == event)
			return i;
	return -1;
}

/* The slice of a read is intact in the order: it and all that feeds it saw what they saw. */
static bool is_intact(const struct run *r, const struct order *o, int read)
{
	const struct ev *e = &r->e[read];
	int at = place(o, o->n, read);

	if (at < 0 || e->unknown)
		return false;
	for (int b = e->from; b < e->from + e->len; b++) {
		int w = writer(r, o, at, b, e->life[b]);

		if (w != e->rf[b])
			return false;
		for (int q = 0; w != INIT && q < r->n; q++)
			if (r->e[w].feed[q] && !(q == read && w == read) && !is_intact(r, o, q))
				return false;
	}
	return true;
}

static int held_by(const struct run *r, const struct order *o, int before, int l, int t, bool reads)
{
	int depth = 0;

	for (int i = 0; i < before; i++) {
		const struct ev *e = &r->e[o->at[i]];

		if (e->tid != t || e->obj != l)
			continue;
		depth +=
			reads ? (e->op == RACQ) - (e->op == RREL) : (e->op == ACQ) - (e->op == REL);
	}
	return depth;
}

static bool sync_rule(const struct run *r, const struct order *o, int i)
{
	const struct ev *e = &r->e[o->at[i]];
	int written = 0, read = 0, own = 0, sem = r->first_sem;

	for (int t = 0; t < THREADS; t++) {
		int w = held_by(r, o, i, e->obj, t, false);

		written += w;
		own += t == e->tid ? w : 0;
		read += held_by(r, o, i, e->obj, t, true);
	}
	for (int k = 0; k < i; k++)
		sem += (r->e[o->at[k]].op == POST) - (r->e[o->at[k]].op == WAIT);
	switch (e->op) {
	case ACQ:
		return written == own && read == 0;
	case RACQ:
		return written == 0;
	case TRYFAIL:
		return written + read > 0;
	case WAIT:
		return sem > 0;
	default:
		return true;
	}
}

/* Thread prefixes, forks, joins; stopped: threads that must not be joined. */
static bool thread_rule(const struct run *r, const struct order *o, int i, const bool *stopped)
{
	const struct ev *e = &r->e[o->at[i]];
	int before = 0;

	if (place(o, i, o->at[i]) >= 0)
		return false;
	for (int k = 0; k < i; k++)
		before += r->e[o->at[k]].tid == e->tid;
	if (before != e->index)
		return false;
	if (e->index == 0 && r->fork[e->tid] >= 0 && place(o, i, r->fork[e->tid]) < 0)
		return false;
	for (int k = 0; e->op == JOIN && k < r->n; k++)
		if (r->e[k].tid == e->obj && place(o, i, k) < 0)
			return false;
	return e->op != JOIN || !stopped[e->obj];
}

static bool read_rule(const struct run *r, const struct order *o, int i, bool loose)
{
	const struct ev *e = &r->e[o->at[i]];

	if (e->op == RMW && e->unknown)
		return false;
	if (loose) {
		for (int k = i + 1; k < o->n; k++)
			if (r->e[o->at[k]].tid == e->tid)
				return false;
	} else if (is_binding(r, e) && !is_intact(r, o, o->at[i])) {
		return false;
	}
	for (int q = 0; e->op == USE && q < r->n; q++)
		if (e->feed[q] && !is_intact(r, o, q))
			return false;
	return true;
}

/* `loose': the last reads, one bit an event, that may see anything. */
static bool order_holds(const struct run *r, const struct order *o, unsigned loose, bool *stopped)
{
	memset(stopped, 0, THREADS);
	for (int i = 0; i < o->n; i++)
		if (loose >> o->at[i] & 1)
			stopped[r->e[o->at[i]].tid] = true;
	for (int i = 0; i < o->n; i++)
		if (!thread_rule(r, o, i, stopped) || !sync_rule(r, o, i) ||
		    !read_rule(r, o, i, loose >> o->at[i] & 1))
			return false;
	return true;
}

static bool is_next(const struct run *r, const struct order *o, int target, const bool *stopped)
{
	const struct ev *e = &r->e[target];
	int before = 0;

	for (int i = 0; i < o->n; i++)
		before += r->e[o->at[i]].tid == e->tid;
	return !stopped[e->tid] && before == e->index && place(o, o->n, target) < 0 &&
	       (e->index > 0 || r->fork[e->tid] < 0 || place(o, o->n, r->fork[e->tid]) >= 0);
}

static bool conflicts(const struct ev *a, const struct ev *b)
{
	if (a->tid == b->tid || (!is_write(a) && !is_write(b)) ||
	    ((a->atomic || a->op == RMW) && (b->atomic || b->op == RMW)))
		return false;
	if ((!is_read(a) && !is_write(a)) || (!is_read(b) && !is_write(b)))
		return false;
	for (int k = a->from; k < a->from + a->len; k++)
		if (k >= b->from && k < b->from + b->len && a->life[k] == b->life[k])
			return true;
	return false;
}

static bool race_holds(const struct run *r, const struct order *o, unsigned relaxed, int a, int b)
{
	bool stopped[THREADS];

	if (!conflicts(&r->e[a], &r->e[b]))
		return false;
	for (unsigned loose = relaxed;; loose = (loose - 1) & relaxed) {
		if (order_holds(r, o, loose, stopped) && is_next(r, o, a, stopped) &&
		    is_next(r, o, b, stopped))
			return true;
		if (loose == 0)
			return false;
	}
}

/* The order may go on to the targets. */
static struct order without(const struct order *o, int a, int b)
{
	struct order cut = *o;

	if (o->n >= 2 && ((o->at[o->n - 2] == a && o->at[o->n - 1] == b) ||
			  (o->at[o->n - 2] == b && o->at[o->n - 1] == a)))
		cut.n -= 2;
	return cut;
}

/* ---- comparing ---- */

static struct {
	unsigned long runs, claims, certified, dep, relaxed;
	unsigned bad;
} tally;

static bool tainted_agree(const struct run *r, const struct order *o, const struct check_verdict *v)
{
	size_t n = 0;

	for (int i = 0; i < o->n; i++)
		n += r->e[o->at[i]].free && !r->strict && is_read(&r->e[o->at[i]]) &&
		     !is_intact(r, o, o->at[i]);
	return n == v->tainted.n && v->dep == (n > 0);
}

static void compare(const struct run *r, struct case_trace *t, const struct order *o,
		    unsigned relaxed, int a, int b)
{
	uint64_t at[EVENTS + 4], target[2] = { (uint64_t)a + 1, (uint64_t)b + 1 }, loose[EVENTS];
	struct check_claim c = { .kind = FINDING_RACE, .targets = target, .ntargets = 2 };
	struct order cut = without(o, a, b);
	bool want = race_holds(r, &cut, relaxed, a, b);
	struct check_verdict v;

	for (int i = 0; i < o->n; i++)
		at[i] = (uint64_t)o->at[i] + 1;
	for (int i = 0; i < r->n; i++)
		if (relaxed >> i & 1)
			loose[c.nstray++] = (uint64_t)i + 1;
	c.order = at;
	c.norder = (size_t)o->n;
	c.stray = relaxed ? loose : NULL;
	c.strict = r->strict;
	checker_run(t->checker, &c, &v);
	tally.claims++;
	tally.certified += v.certified;
	tally.dep += v.certified && v.dep;
	tally.relaxed += v.certified && relaxed;
	if (v.certified != want || (want && !tainted_agree(r, &cut, &v))) {
		struct strbuf text = { 0 };

		if (tally.bad++ == 0) {
			run_format(r, &text);
			printf("# want %d, got %d (%s), strict %d\n# order", want, v.certified,
			       v.what, r->strict);
			for (int i = 0; i < o->n; i++)
				printf(" %d", o->at[i] + 1);
			printf("; targets %d %d; relaxed %x\n%s", a + 1, b + 1, relaxed,
			       strbuf_str(&text));
			strbuf_release(&text);
		}
	}
	check_verdict_release(&v);
}

static void compare_all(const struct run *r, struct case_trace *t, const struct order *o)
{
	for (int a = 0; a < r->n; a++)
		for (int b = 0; b < r->n; b++)
			if (conflicts(&r->e[a], &r->e[b]) || rnd(20) == 0)
				compare(r, t, o, 0, a, b);
}

/* Depth first over all correct orders; each is judged with every pair. */
static void walk(const struct run *r, struct case_trace *t, struct order *o, int *budget)
{
	bool stopped[THREADS];

	if (--*budget < 0)
		return;
	for (int a = 0; a < r->n; a++)
		for (int b = a + 1; b < r->n; b++)
			if (conflicts(&r->e[a], &r->e[b]))
				compare(r, t, o, 0, a, b);
	for (int i = 0; i < r->n; i++) {
		o->at[o->n++] = i;
		if (order_holds(r, o, 0, stopped))
			walk(r, t, o, budget);
		o->n--;
	}
}

/* Swaps, drops, repeats and adds events. */
static void spoil(const struct run *r, struct order *o)
{
	int i = o->n ? rnd(o->n) : 0, k = o->n ? rnd(o->n) : 0, x;

	switch (rnd(4)) {
	case 0:
		if (o->n < 2)
			return;
		x = o->at[i];
		o->at[i] = o->at[k];
		o->at[k] = x;
		break;
	case 1:
		if (o->n == 0)
			return;
		memmove(o->at + i, o->at + i + 1, sizeof(int) * (size_t)(--o->n - i));
		break;
	default:
		if (o->n > EVENTS)
			return;
		memmove(o->at + i + 1, o->at + i, sizeof(int) * (size_t)(o->n++ - i));
		o->at[i] = rnd(r->n);
		break;
	}
}

static void spoil_all(const struct run *r, struct case_trace *t)
{
	for (int i = 0; i < 40; i++) {
		struct order o = { .n = rnd(r->n + 1) };
		unsigned relaxed = 0;

		for (int k = 0; k < o.n; k++)
			o.at[k] = k;
		for (int k = rnd(4); k > 0; k--)
			spoil(r, &o);
		for (int k = 0; k < r->n; k++)
			if (r->e[k].op == R && rnd(3) == 0)
				relaxed |= 1u << k;
		compare_all(r, t, &o);
		for (int a = 0; a < r->n; a++)
			for (int b = a + 1; b < r->n; b++)
				if (conflicts(&r->e[a], &r->e[b]))
					compare(r, t, &o, relaxed, a, b);
	}
}

int main(void)
{
	struct strbuf text = { 0 };
	unsigned long many = tap_rounds(700, 20000);

	seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) * 2 + 1 : 20250701;
	for (tally.runs = 0; tally.runs < many && tally.bad == 0; tally.runs++) {
		struct order o = { .n = 0 };
		struct case_trace t;
		struct run r;
		int budget = 150;

		run_make(&r);
		run_format(&r, &text);
		case_open(&t, strbuf_str(&text), NULL);
		walk(&r, &t, &o, &budget);
		spoil_all(&r, &t);
		case_close(&t);
	}
	strbuf_release(&text);
	printf("# %lu traces, %lu claims: %lu certified, %lu of them with taint, %lu with relaxed "
	       "reads allowed\n",
	       tally.runs, tally.claims, tally.certified, tally.dep, tally.relaxed);
	TAP_EQ(tally.bad, 0, "checker and slices agree");
	TAP_OK(tally.certified > many && tally.dep > many / 2 && tally.relaxed > many / 2,
	       "on claims of all kinds");
	return tap_done();
}
