/*
 * Brief evidence says of the wanted events what full evidence says, on random traces: the event,
 * what it is of and who allocated that, the locks held, which objects are the same.
 */
#include "base/strbuf.h"
#include "base/vec.h"
#include "tap.h"
#include "tiny.h"
#include "trace/event.h"
#include "witness_text.h"

#include <string.h>

#define THREADS 3
#define LOCKS 3
#define ROUNDS 2000

struct wanted {
	VEC(uint64_t) at;
};

struct maker {
	struct tiny_rng rng;
	int owner[LOCKS], depth[LOCKS]; /* owner -1: nobody */
	int readers[LOCKS][THREADS];
	struct strbuf text;
	uint64_t pos;
	struct wanted wanted;
};

static void add_marked(struct maker *m, int thread, const char *op, const char *operand,
		       const char *marks)
{
	m->pos++;
	strbuf_addf(&m->text, "T%d|%s(%s)%s|a.c:%u\n", thread, op, operand, marks,
		    tiny_below(&m->rng, 9));
}

static void add(struct maker *m, int thread, const char *op, const char *operand)
{
	add_marked(m, thread, op, operand, "");
}

static void want(struct maker *m, unsigned percent)
{
	if (tiny_chance(&m->rng, percent))
		*VEC_PUSH(&m->wanted.at) = m->pos;
}

/* A condition wait from end to end, now and then with its middle missing; the lock is held once. */
static void add_wait(struct maker *m, int thread, const char *lock)
{
	char operand[20];

	snprintf(operand, sizeof(operand), "c%u,%s", tiny_below(&m->rng, 2), lock);
	add_marked(m, thread, "rel", lock, "!wait");
	want(m, 50);
	if (tiny_chance(&m->rng, 80)) {
		add(m, thread, "park", operand);
		want(m, 30);
		operand[2] = '\0';
		add(m, thread, "wake", operand);
	}
	add_marked(m, thread, "acq", lock, "!wait");
}

/* The same thread may take a lock again; readers share it. */
static void add_lock(struct maker *m, int thread)
{
	int lock = (int)tiny_below(&m->rng, LOCKS), all = 0;
	char name[8];

	snprintf(name, sizeof(name), "m%d", lock);
	for (int i = 0; i < THREADS; i++)
		all += m->readers[lock][i];
	if (m->owner[lock] == thread && m->depth[lock] == 1 && tiny_chance(&m->rng, 20)) {
		add_wait(m, thread, name);
	} else if (all == 0 && m->owner[lock] < 0 && tiny_chance(&m->rng, 20)) {
		add(m, thread, tiny_chance(&m->rng, 50) ? "lockinit" : "lockdestroy", name);
		return;
	} else if (m->owner[lock] == thread && tiny_below(&m->rng, 2)) {
		m->owner[lock] = --m->depth[lock] ? thread : -1;
		add(m, thread, "rel", name);
	} else if (m->readers[lock][thread]) {
		m->readers[lock][thread] = 0;
		add(m, thread, "rrel", name);
	} else if (all == 0 && (m->owner[lock] < 0 || m->owner[lock] == thread)) {
		m->owner[lock] = thread;
		m->depth[lock]++;
		add(m, thread, "acq", name);
	} else if (m->owner[lock] < 0) {
		m->readers[lock][thread] = 1;
		add(m, thread, "racq", name);
	} else {
		add(m, thread, "req", name);
	}
	want(m, 30);
}

static void add_memory(struct maker *m, int thread)
{
	static const char *const ops[] = { "r", "w", "w", "alloc", "free" };
	uint32_t op = tiny_below(&m->rng, 5);
	char range[40];

	snprintf(range, sizeof(range), "x%u+%u:%u", tiny_below(&m->rng, 2), tiny_below(&m->rng, 40),
		 1 + tiny_below(&m->rng, op > 2 ? 60 : 12));
	add(m, thread, ops[op], range);
	if (op != 3)
		want(m, 50);
}

static void make(struct maker *m, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	m->rng.state = seed;
	for (int i = 0; i < LOCKS; i++)
		m->owner[i] = -1;
	strbuf_adds(&m->text, "#fmt 1\n");
	for (int i = 0; i < 60; i++) {
		int thread = (int)tiny_below(&m->rng, THREADS);

		if (tiny_below(&m->rng, 2))
			add_lock(m, thread);
		else
			add_memory(m, thread);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_event(const struct evidence *a, const struct evidence *b, uint64_t pos)
{
	struct evidence_event x, y;

	x = evidence_get(a, pos);
	y = evidence_get(b, pos);
	return x.pos == y.pos && x.tid == y.tid && x.index == y.index && x.op == y.op &&
	       x.flags == y.flags && x.addr == y.addr && x.len == y.len && x.site == y.site &&
	       x.stack == y.stack && x.peer == y.peer && same_text(x.name, y.name);
}

static bool same_park(const struct evidence *a, const struct evidence *b, uint64_t pos)
{
	uint64_t park = evidence_park(a, pos);

	return park == evidence_park(b, pos) && (park == 0 || same_event(a, b, park));
}

/* Two events are of one object by both, or by neither. */
static bool same_identity(const struct evidence *a, const struct evidence *b, uint64_t p,
			  uint64_t q)
{
	struct evidence_event x[2], y[2];

	x[0] = evidence_get(a, p);
	x[1] = evidence_get(a, q);
	y[0] = evidence_get(b, p);
	y[1] = evidence_get(b, q);
	return (x[0].object != 0) == (y[0].object != 0) &&
	       (x[0].object == x[1].object) == (y[0].object == y[1].object);
}

static bool same_object(const struct evidence *a, const struct evidence *b, uint64_t pos)
{
	struct evidence_object x = { 0 }, y = { 0 };
	struct evidence_event e = evidence_get(a, pos);

	if (e.op > EVENT_FREE)
		return true;
	if (!evidence_object(a, pos, &x) || !evidence_object(b, pos, &y))
		return false;
	return same_text(x.name, y.name) && x.heap == y.heap && x.local == y.local &&
	       x.alloc.pos == y.alloc.pos && x.alloc.addr == y.alloc.addr &&
	       x.alloc.len == y.alloc.len && x.alloc.tid == y.alloc.tid &&
	       x.alloc.site == y.alloc.site && x.alloc.stack == y.alloc.stack;
}

static bool same_locks(const struct evidence *a, const struct evidence *b, uint64_t pos)
{
	uint64_t x[LOCKS] = { 0 }, y[LOCKS] = { 0 };
	size_t n = evidence_held(a, pos, x, LOCKS);

	if (n != evidence_held(b, pos, y, LOCKS) || memcmp(x, y, sizeof(x)) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_event(a, b, x[i]) || !same_identity(a, b, x[i], pos))
			return false;
	return true;
}

static bool same_objects(const struct evidence *a, const struct evidence *b,
			 const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->at.n; i++)
		for (size_t k = 0; k < wanted->at.n; k++)
			if (!same_identity(a, b, wanted->at.at[i], wanted->at.at[k]))
				return false;
	return true;
}

/* Where they differ, or 0; *held, *made and *parks count what there was to compare. */
static uint64_t compare(uint64_t seed, uint64_t *held, uint64_t *made, uint64_t *parks)
{
	struct evidence_options opt = { 0 };
	struct case_trace full, brief;
	struct evidence_object o;
	uint64_t bad = 0, first;
	struct maker m;

	make(&m, seed);
	opt.wanted = m.wanted.at.at;
	opt.nwanted = m.wanted.at.n;
	case_open(&full, strbuf_str(&m.text), &opt);
	opt.brief = true;
	case_open(&brief, strbuf_str(&m.text), &opt);
	for (size_t i = 0; i < m.wanted.at.n && !bad; i++) {
		uint64_t pos = m.wanted.at.at[i];

		if (!same_event(full.ev, brief.ev, pos) || !same_object(full.ev, brief.ev, pos) ||
		    !same_locks(full.ev, brief.ev, pos) || !same_park(full.ev, brief.ev, pos))
			bad = pos;
		*parks += evidence_park(full.ev, pos) != 0;
		*held += evidence_held(full.ev, pos, &first, 1) > 0;
		*made += evidence_object(full.ev, pos, &o) && o.heap;
	}
	if (!bad && !same_objects(full.ev, brief.ev, &m.wanted))
		bad = m.pos;
	if (bad)
		printf("# seed %llu, event %llu\n%s", (unsigned long long)seed,
		       (unsigned long long)bad, strbuf_str(&m.text));
	case_close(&full);
	case_close(&brief);
	strbuf_release(&m.text);
	VEC_RELEASE(&m.wanted.at);
	return bad;
}

int main(void)
{
	uint64_t bad = 0, held = 0, made = 0, parks = 0;

	for (uint64_t seed = 1; seed <= ROUNDS && !bad; seed++)
		bad = compare(seed, &held, &made, &parks);
	TAP_OK(!bad, "the same answers on %d traces", ROUNDS);
	TAP_OK(held > ROUNDS && made > ROUNDS && parks > ROUNDS / 10,
	       "with locks held, blocks allocated and waits");
	return tap_done();
}
