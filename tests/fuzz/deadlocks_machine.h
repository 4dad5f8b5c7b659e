/*
 * Any bytes as a run of a few threads, written as text; for fuzz_deadlocks.c.
 *
 * Two bytes drive one turn of one thread of a small machine, which knows who holds and awaits
 * what; so most bytes are a run that could have been recorded, and some end stuck.
 */
#ifndef FUZZ_DEADLOCKS_MACHINE_H
#define FUZZ_DEADLOCKS_MACHINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

/* ---- locks and waits ---- */

#define THREADS 6
#define LOCKS 5
#define RWLOCK 3 /* locks from here on have readers */
#define CONDITIONS 2
#define VARIABLES 3
#define HELD 8
#define EVENTS 200

enum state { NEW, RUNS, WANTS, PARKED, WOKEN, JOINS, OVER };

struct thread {
	enum state state;
	int lock, condition, joined; /* what it waits for */
	bool reads, tries;	     /* how it asked for the lock; tries: the wait is timed */
	int signal;		     /* that woke it; 0 none */
	int held[HELD], nheld;	     /* locks, + LOCKS in read mode; again when nested */
	int read;		     /* its latest free read; 0 none */
};

struct machine {
	struct thread thread[THREADS];
	int value[VARIABLES], posts;
	bool values; /* accesses tell theirs */
	int n;	     /* events */
	struct strbuf text;
};

/* One event.  Half of the places are of the operation, so that events have them in common. */
__attribute__((format(printf, 4, 5))) static int say(struct machine *m, int t, uint8_t b,
						     const char *format, ...)
{
	char what[60];
	unsigned place = 0;
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	for (const char *p = what; *p && *p != '<' && *p != '='; p++)
		place = place * 31 + (unsigned char)*p;
	m->n++;
	strbuf_addf(&m->text, "T%d|%s|%u\n", t + 1, what,
		    b & 128 ? 1000u + (unsigned)m->n : 1 + place % 900);
	return m->n;
}

static bool holds(const struct thread *x, int lock)
{
	for (int i = 0; i < x->nheld; i++)
		if (x->held[i] == lock)
			return true;
	return false;
}

/* Nothing that anybody holds forbids t to have it. */
static bool is_free(const struct machine *m, int t, int lock, bool reads)
{
	for (int u = 0; u < THREADS; u++)
		if ((u != t && holds(&m->thread[u], lock)) ||
		    (!reads && holds(&m->thread[u], lock + LOCKS)))
			return false;
	return !(reads && holds(&m->thread[t], lock));
}

static const char *kind(int lock, bool reads)
{
	return lock < RWLOCK ? "" : reads ? "!rwlock" : "!write!rwlock";
}

static void take(struct machine *m, int t, uint8_t b, const char *mark)
{
	struct thread *x = &m->thread[t];

	say(m, t, b, "%s(l%d)%s%s", x->reads ? "racq" : "acq", x->lock, kind(x->lock, x->reads),
	    mark);
	x->held[x->nheld++] = x->lock + (x->reads ? LOCKS : 0);
	x->state = RUNS;
}

static void lock(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[t];

	if (x->nheld == HELD)
		return;
	x->lock = b % LOCKS;
	x->reads = x->lock >= RWLOCK && (b & 32);
	x->tries = (b & 0x58) == 0x58;
	if (is_free(m, t, x->lock, x->reads)) {
		take(m, t, b, x->tries ? "!try" : "");
	} else if (x->tries && (b & 32)) {
		say(m, t, b, "tryfail(l%d)%s", x->lock, kind(x->lock, x->reads));
	} else {
		say(m, t, b, "%s(l%d)%s%s", x->reads ? "rreq" : "req", x->lock,
		    kind(x->lock, x->reads), x->tries ? "!try" : "");
		x->state = WANTS;
	}
}

static int drop(struct thread *x, int i)
{
	int lock = x->held[i];

	memmove(x->held + i, x->held + i + 1, (size_t)(x->nheld - i - 1) * sizeof(x->held[0]));
	x->nheld--;
	return lock;
}

static void unlock(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[t];
	int i = b & 1 && x->nheld ? b / 2 % x->nheld : x->nheld - 1, held;

	if (i < 0)
		return;
	held = drop(x, i);
	say(m, t, b, "%s(l%d)%s", held < LOCKS ? "rel" : "rrel", held % LOCKS,
	    kind(held % LOCKS, held >= LOCKS));
}

/* Waits with a mutex that is held once. */
static void begin_wait(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[t];

	for (int i = x->nheld; i-- > 0;) {
		int held = x->held[i];

		if (held >= RWLOCK)
			continue;
		drop(x, i);
		if (holds(x, held))
			return;
		x->state = PARKED;
		x->lock = held;
		x->reads = false;
		x->condition = b % CONDITIONS;
		x->tries = (b & 12) == 12;
		x->signal = 0;
		say(m, t, b, "rel(l%d)!wait", held);
		say(m, t, b, "park(c%d,l%d)%s", x->condition, held, x->tries ? "!try" : "");
		return;
	}
}

static void end_wait(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[t];
	bool early = x->tries ? (b & 3) == 3 : b == 77; /* its time is over; woken for nothing */

	if (!x->signal && !early)
		return;
	if (x->signal)
		say(m, t, b, "wake(c%d)<%d", x->condition, x->signal);
	else
		say(m, t, b, "wake(c%d)%s", x->condition, x->tries ? "!timeout" : "");
	x->state = WOKEN;
}

static void notify(struct machine *m, int t, uint8_t b, bool all)
{
	int c = b % CONDITIONS, e = say(m, t, b, "%s(c%d)", all ? "broadcast" : "signal", c);

	for (int i = 0; i < THREADS; i++) {
		struct thread *x = &m->thread[(b / 2 + i) % THREADS];

		if (x->state != PARKED || x->condition != c || x->signal)
			continue;
		x->signal = e;
		if (!all)
			return;
	}
}

static void forks(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[b % THREADS];

	if (x->state != NEW || b % THREADS == t)
		return;
	say(m, t, b, "fork(T%d)", b % THREADS + 1);
	x->state = RUNS;
}

static void end_join(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[t];

	if (m->thread[x->joined].state != OVER)
		return;
	say(m, t, b, "join(T%d)%s", x->joined + 1, x->tries ? "!try" : "");
	x->state = RUNS;
	m->thread[x->joined].state = JOINS; /* of itself: it never comes back */
	m->thread[x->joined].joined = x->joined;
}

static void begin_join(struct machine *m, int t, uint8_t b)
{
	struct thread *x = &m->thread[t];
	int u = b % THREADS;

	if (u == t || m->thread[u].state == NEW || m->thread[u].state == JOINS)
		return;
	x->joined = u;
	x->tries = (b & 96) == 96;
	if (m->thread[u].state != OVER) {
		say(m, t, b, "joining(T%d)%s", u + 1, x->tries ? "!try" : "");
		x->state = JOINS;
	} else {
		end_join(m, t, b);
	}
}

/* ---- accesses ---- */

static void access_variable(struct machine *m, int t, uint8_t b, char op)
{
	struct thread *x = &m->thread[t];
	int v = b % VARIABLES, stored = b >> 4 & 1, e;
	const char *order = (b & 96) == 96 ? "@seq_cst" : "";
	bool free = op != 'w' && (b & 12) == 12;
	char seen[24] = "", feed[24] = "";

	if (m->values && op == 'm')
		snprintf(seen, sizeof(seen), "=%d>%d", m->value[v], stored);
	else if (m->values)
		snprintf(seen, sizeof(seen), "=%d", op == 'r' ? m->value[v] : stored);
	if (op == 'w' && x->read && (b & 8))
		snprintf(feed, sizeof(feed), "<%d", x->read);
	e = say(m, t, b, "%s(x%d)%s%s%s%s",
		op == 'm'   ? "rmw"
		: op == 'r' ? "r"
			    : "w",
		v, free ? "~" : "", order, feed, seen);
	if (op != 'r')
		m->value[v] = stored;
	if (free)
		x->read = e;
}

static void other(struct machine *m, int t, uint8_t b)
{
	static const char *const whim[] = { "lockinit", "lockdestroy", "rel", "lockinit" };
	struct thread *x = &m->thread[t];

	switch (b % 8) {
	case 0:
	case 1:
		if (x->read)
			say(m, t, b, "use<%d", x->read);
		return;
	case 2:
		m->posts++;
		say(m, t, b, "sempost(s)");
		return;
	case 3:
		if (m->posts > 0) {
			m->posts--;
			say(m, t, b, "semwait(s)");
		}
		return;
	case 4:
		if (b & 8)
			m->posts = 1;
		say(m, t, b, b & 8 ? "seminit(s:1)" : "give(h)");
		return;
	case 5:
		say(m, t, b, "take(h)");
		return;
	case 6:
		say(m, t, b, b & 8 ? "opaque" : "fence@seq_cst");
		return;
	default:
		/* What no machine does: lenient readers meet it. */
		say(m, t, b, "%s(l%d)", whim[b >> 3 & 3], b / 32 % LOCKS);
		return;
	}
}

/* ---- turns ---- */

static void act(struct machine *m, int t, uint8_t what, uint8_t b)
{
	switch (what) {
	case 0 ... 10:
		lock(m, t, b);
		return;
	case 11 ... 17:
		unlock(m, t, b);
		return;
	case 18 ... 20:
		begin_wait(m, t, b);
		return;
	case 21 ... 22:
		notify(m, t, b, what == 22);
		return;
	case 23 ... 24:
		access_variable(m, t, b, 'w');
		return;
	case 25 ... 26:
		access_variable(m, t, b, 'r');
		return;
	case 27:
		access_variable(m, t, b, 'm');
		return;
	case 28:
		forks(m, t, b);
		return;
	case 29 ... 30:
		begin_join(m, t, b);
		return;
	default:
		if (b < 96 && m->thread[t].nheld == 0)
			m->thread[t].state = OVER;
		else
			other(m, t, b);
		return;
	}
}

static void turn(struct machine *m, int t, uint8_t what, uint8_t b)
{
	struct thread *x = &m->thread[t];

	switch (x->state) {
	case RUNS:
		act(m, t, what, b);
		return;
	case WANTS:
		if (is_free(m, t, x->lock, x->reads))
			take(m, t, b, x->tries ? "!try" : "");
		else if (x->tries && (b & 3) == 3)
			x->state = RUNS;
		return;
	case PARKED:
		end_wait(m, t, b);
		return;
	case WOKEN:
		if (is_free(m, t, x->lock, false))
			take(m, t, b, "!wait");
		return;
	case JOINS:
		if (x->joined != t)
			end_join(m, t, b);
		return;
	case NEW:
	case OVER:
		return;
	}
}

/* The first byte says what runs from the start, and more. */
static void run_make(struct machine *m, const uint8_t *data, size_t size)
{
	memset(m, 0, sizeof(*m));
	m->values = data[0] & 64;
	strbuf_adds(&m->text, "#fmt 1\n");
	for (int t = 0; t < THREADS; t++)
		m->thread[t].state = t == 0 || data[0] & 1u << (t - 1) ? RUNS : NEW;
	for (size_t i = 1; i + 1 < size && m->n < EVENTS; i += 2)
		turn(m, (data[i] & 7) % THREADS, data[i] >> 3, data[i + 1]);
}

#endif /* FUZZ_DEADLOCKS_MACHINE_H */
