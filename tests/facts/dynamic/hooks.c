/*
 * Holds the facts to account by running the code.
 *
 * No memory is touched: every recorded read is given a made-up value, every
 * recorded write is swallowed.  A function runs once, and its events are kept.
 * Then it runs again with the same values, except that some executions of free
 * loads get another one.  If the facts are right, all is as before: the same
 * events at the same places and addresses, the same arguments and results, and
 * the same value in each write that does not list a changed read as its feed.
 * A load that is only compared with constants gets another value, too, but one of which its tests say
 * the same.  One that decides later may get any: where that is, the run ends, if it is not only compared there, or
 * comes out otherwise.
 *
 * Made-up values take the code to where real ones would not; a run that faults
 * or goes on for too long ends there, and must end there again.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/hooks.h"
#include "table.h"

#define EVENTS 400 /* a run is cut off here */
#define SEEDS 6	   /* first runs of a function */
#define ROUNDS 6   /* second runs for each */

struct event {
	char kind;
	uint32_t site;
	uintptr_t at;
	uint64_t n, value;
};

enum { END_RETURN, END_LIMIT, END_DIFFERS, END_USED, END_SIGNAL };

static struct event first[EVENTS];
static bool changed[EVENTS + 1]; /* by event number, from 1 */
static uint64_t was_given[EVENTS + 1], is_given[EVENTS + 1];
static size_t nfirst, now, nchanged, ntested, nused, nused_on;
static uint64_t seed, given_round;
static bool again;
static const struct foresee_site *sites;
static uint32_t frames[FORESEE_DEPTH];
static struct foresee_view view = { .frames = frames, .unseen = FORESEE_NOWHERE };
static char block[4096] __attribute__((aligned(16)));
static sigjmp_buf end;

__thread struct foresee_view *foresee_self = &view;

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a + 0x9e3779b97f4a7c15) ^ (b + 1) * 0xbf58476d1ce4e5b9;
	a = (a ^ a >> 30) * 0x94d049bb133111eb;
	a = (a ^ a >> 27) * 0xbf58476d1ce4e5b9;
	return a ^ a >> 31;
}

static void differs(const char *what, const struct event *e)
{
	const struct event *was = &first[now - 1];

	printf("# event %zu, %s: line %u %c at %#lx value %#lx, was line %u %c at %#lx value %#lx\n",
	       now, what, sites[e->site].line, e->kind, (unsigned long)e->at,
	       (unsigned long)e->value, sites[was->site].line, was->kind, (unsigned long)was->at,
	       (unsigned long)was->value);
	siglongjmp(end, END_DIFFERS);
}

/* One event; its number.  `loose': the value may differ the second time. */
static size_t event(char kind, uint32_t site, const void *at, uint64_t n, uint64_t value,
		    bool loose)
{
	struct event e = { kind, site, (uintptr_t)at, n, value };
	const struct event *was = &first[now];

	if (now == EVENTS)
		siglongjmp(end, END_LIMIT);
	now++;
	changed[now] = false;
	if (!again) {
		first[nfirst++] = e;
	} else if (now > nfirst) {
		printf("# one event more: line %u\n", sites[site].line);
		siglongjmp(end, END_DIFFERS);
	} else {
		if (was->kind != kind || was->site != site || was->n != n)
			differs("control flow", &e);
		if (was->at != e.at)
			differs("address", &e);
		if (!loose && was->value != value)
			differs("value", &e);
	}
	return now;
}

/* Is one of the feeds an execution that got another value? */
static bool is_loose(const uint64_t *keepers, uint64_t mask)
{
	for (unsigned i = 0; keepers && i < FORESEE_KEEPERS; i++)
		if (mask >> i & 1 && changed[keepers[i]])
			return true;
	return false;
}

/* ---- tests: "ge:30/32 ne:0/8&4" ---- */

struct test {
	char cmp[4];
	long long with;
	unsigned bits;
	unsigned long long mask;
};

/* One from *at on; false: none is left. */
static bool test_next(const char **at, struct test *t)
{
	int n = 0;

	t->mask = ~0ull;
	while (**at == ' ')
		++*at;
	if (sscanf(*at, "%3[a-z]:%n", t->cmp, &n) != 1)
		return false;
	*at += n;
	t->with = **at == '-' ? strtoll(*at, (char **)at, 10)
			      : (long long)strtoull(*at, (char **)at, 10);
	t->bits = **at == '/' ? (unsigned)strtoul(*at + 1, (char **)at, 10) : 64;
	if (**at == '&')
		t->mask = strtoull(*at + 1, (char **)at, 10);
	return true;
}

/* -1, 0, 1: how they compare. */
static int order(const struct test *t, unsigned long long v)
{
	unsigned shift = 64 - t->bits;
	unsigned long long a = (v & t->mask) << shift, b = (unsigned long long)t->with << shift;
	bool by_sign = t->cmp[0] == 'l' || t->cmp[0] == 'g';

	if (a == b)
		return 0;
	return (by_sign ? (long long)a < (long long)b : a < b) ? -1 : 1;
}

static bool outcome(const struct test *t, unsigned long long v)
{
	const char *c = t->cmp + (t->cmp[0] == 'u');
	int o = order(t, v);

	if (!strcmp(c, "eq"))
		return o == 0;
	if (!strcmp(c, "ne"))
		return o != 0;
	return c[0] == 'l' ? o < (c[1] == 'e') : o > -(c[1] == 'e');
}

static bool is_same(const char *tests, uint64_t v, uint64_t w)
{
	struct test t;

	while (test_next(&tests, &t))
		if (outcome(&t, v) != outcome(&t, w))
			return false;
	return true;
}

#define TRIES 64u

/* Another value of n bytes, of which all tests say the same; v if none was found.  Many are near to the numbers
 * that are compared. */
static uint64_t near(const char *tests, uint64_t v, uint64_t n, size_t e)
{
	uint64_t ones = n >= 8 ? UINT64_MAX : (1ull << 8 * n) - 1;
	struct test t = { .with = 0 };

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t r = mix(mix(given_round, e), i), w;
		const char *at = tests;

		while (test_next(&at, &t) && r >> 60 & 1)
			r = mix(r, i);
		w = r & 1   ? v ^ 1ull << (r >> 8) % (8 * n)
		    : r & 2 ? (uint64_t)t.with + (r >> 8) % 5 - 2
		    : r & 4 ? v + (r >> 8) % 9 - 4
			    : r >> 3;
		w &= ones;
		if (w != (v & ones) && is_same(tests, v & ones, w))
			return w;
	}
	return v;
}

/* What read number e sees: often small, so that conditions go both ways. */
static uint64_t given(size_t e, bool free_read, uint64_t n, const char *tests)
{
	uint64_t v = mix(seed, e), was;

	v = v & 1 ? v >> 8 & 1 : v & 2 ? v >> 8 & 15 : v & 4 ? (uint64_t)(int8_t)(v >> 8) : v >> 3;
	if (again && (free_read || tests) && (given_round == 0 || mix(given_round, e) % 3 == 0)) {
		was = v;
		if (tests)
			v = near(tests, v, n, e);
		else
			v ^= given_round & 1 ? 1 + e : mix(v, given_round) | 1;
		changed[e] = v != was;
		nchanged += v != was;
		ntested += tests && v != was;
		was_given[e] = was;
		is_given[e] = v;
	}
	return v;
}

static uint64_t get(const void *p, uint64_t n, uint32_t site, uint64_t *keeper)
{
	size_t e = event('r', site, p, n, 0, false);

	if (keeper)
		*keeper = e;
	return given(e, keeper != NULL, n, sites[site].tests);
}

/* Without tests: no outcome can be another. */
static uint64_t get_tested(const void *p, uint64_t n, uint32_t site, uint64_t *keeper)
{
	uint64_t none;

	return get(p, n, site, keeper ? keeper : &none);
}

/* What a load has read decides here; what it was fed by is read before. */
void foresee_use(const uint64_t *keeper, uint32_t site)
{
	size_t e = *keeper;

	event('u', site, NULL, e, 0, false);
	if (!again || !changed[e])
		return;
	nused++;
	if (!sites[site].tests || !is_same(sites[site].tests, was_given[e], is_given[e]))
		siglongjmp(end, END_USED);
	nused_on++;
}

static void get_range(const void *p, void *into, size_t n, uint32_t site, uint64_t *keeper)
{
	uint64_t v = get(p, n, site, keeper);

	for (size_t i = 0; i < n; i++)
		((char *)into)[i] = (char)(v >> 8 * (i & 7));
}

static void put(void *p, uint64_t n, uint64_t value, uint32_t site, const uint64_t *keepers,
		uint64_t mask)
{
	event('w', site, p, n, value, is_loose(keepers, mask));
}

static void put_range(void *p, const void *from, size_t n, uint32_t site, const uint64_t *keepers,
		      uint64_t mask)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = mix(sum, ((const unsigned char *)from)[i]);
	put(p, n, sum, site, keepers, mask);
}

#define HOOKS(N, T)                                                                          \
	T foresee_read##N(const void *p, uint32_t site)                                      \
	{                                                                                    \
		return (T)get(p, N, site, NULL);                                             \
	}                                                                                    \
	T foresee_read##N##f(const void *p, uint32_t site, uint64_t *keeper)                 \
	{                                                                                    \
		return (T)get(p, N, site, keeper);                                           \
	}                                                                                    \
	T foresee_read##N##t(const void *p, uint32_t site, uint64_t *keeper)                 \
	{                                                                                    \
		return (T)get_tested(p, N, site, keeper);                                    \
	}                                                                                    \
	void foresee_write##N(void *p, T value, uint32_t site)                               \
	{                                                                                    \
		put(p, N, value, site, NULL, 0);                                             \
	}                                                                                    \
	void foresee_write##N##f(void *p, T value, uint32_t site, const uint64_t *keepers,   \
				 uint64_t mask)                                              \
	{                                                                                    \
		put(p, N, value, site, keepers, mask);                                       \
	}                                                                                    \
	T foresee_add##N(void *p, T addend, uint32_t site, uint32_t to)                      \
	{                                                                                    \
		T old = foresee_read##N(p, site);                                            \
                                                                                             \
		foresee_write##N(p, (T)(old + addend), to);                                  \
		return old;                                                                  \
	}                                                                                    \
	T foresee_add##N##f(void *p, T addend, uint32_t site, uint32_t to, uint64_t *keeper) \
	{                                                                                    \
		T old = foresee_read##N##f(p, site, keeper);                                 \
                                                                                             \
		foresee_write##N##f(p, (T)(old + addend), to, keeper, 1);                    \
		return old;                                                                  \
	}                                                                                    \
	T foresee_aread##N(const void *p, int order, uint32_t site, uint64_t *keeper)        \
	{                                                                                    \
		(void)order;                                                                 \
		return (T)get(p, N, site, keeper);                                           \
	}                                                                                    \
	void foresee_awrite##N(void *p, T value, int order, uint32_t site,                   \
			       const uint64_t *keepers, uint64_t mask)                       \
	{                                                                                    \
		(void)order;                                                                 \
		put(p, N, value, site, keepers, mask);                                       \
	}                                                                                    \
	T foresee_armw##N(void *p, T value, int op, int order, uint32_t site,                \
			  const uint64_t *keepers, uint64_t mask, uint64_t *keeper)          \
	{                                                                                    \
		(void)op, (void)order;                                                       \
		put(p, N, value, site, keepers, mask);                                       \
		return (T)get(p, N, site, keeper);                                           \
	}                                                                                    \
	bool foresee_acas##N(void *p, T *expected, T desired, int success, int failure,      \
			     uint32_t site)                                                  \
	{                                                                                    \
		T old;                                                                       \
                                                                                             \
		(void)success, (void)failure;                                                \
		put(p, N, *expected, site, NULL, 0);                                         \
		put(p, N, desired, site, NULL, 0);                                           \
		old = (T)get(p, N, site, NULL);                                              \
		if (old & 1)                                                                 \
			return true;                                                         \
		*expected = old;                                                             \
		return false;                                                                \
	}
HOOKS(1, uint8_t)
HOOKS(2, uint16_t)
HOOKS(4, uint32_t)
HOOKS(8, uint64_t)

void foresee_read_range(const void *p, void *into, size_t n, uint32_t site, uint64_t *keeper)
{
	get_range(p, into, n, site, keeper);
}

void foresee_write_range(void *p, const void *from, size_t n, uint32_t site,
			 const uint64_t *keepers, uint64_t mask)
{
	put_range(p, from, n, site, keepers, mask);
}

void foresee_aread16(const void *p, void *into, int order, uint32_t site)
{
	(void)order;
	get_range(p, into, 16, site, NULL);
}

void foresee_awrite16(void *p, const void *from, int order, uint32_t site)
{
	(void)order;
	put_range(p, from, 16, site, NULL, 0);
}

void foresee_touch_range(const void *p, size_t n, uint32_t site)
{
	event('t', site, p, n, 0, false);
}

void foresee_copy(void *to, const void *from, size_t n, uint32_t site)
{
	event('r', site, from, n, 0, false);
	event('w', site, to, n, 0, false);
}

void foresee_move(void *to, const void *from, size_t n, uint32_t site)
{
	foresee_copy(to, from, n, site);
}

void foresee_fill(void *to, int byte, size_t n, uint32_t site, const uint64_t *keepers,
		  uint64_t mask)
{
	put(to, n, (uint64_t)byte, site, keepers, mask);
}

/* ---- loops on a buffer, in portions of a few iterations; now and then the ordinary way ---- */

#define PORTION 3u

static uint8_t lanes[FORESEE_LANES][PORTION * FORESEE_LANE_SIZE];
static bool loop_changed; /* has a free read of the portion got another value? */

static uint8_t *lane_bytes(const struct foresee_lane *l, uint64_t i)
{
	return l->flags & FORESEE_LANE_DOWN ? l->buffer - i * l->size : l->buffer + i * l->size;
}

static uint64_t loop_read(struct foresee_loop *l)
{
	uint64_t k = l->portion = l->left < PORTION ? l->left : PORTION, keeper = 0;

	loop_changed = false;
	for (unsigned n = 0; n < l->nlanes; n++) {
		struct foresee_lane *lane = &l->lanes[n];
		bool free_read = lane->flags & FORESEE_LANE_FREE;

		lane->buffer = lanes[n] +
			       (lane->flags & FORESEE_LANE_DOWN && k ? (k - 1) * lane->size : 0);
		for (uint64_t i = 0; i < k && !(lane->flags & FORESEE_LANE_WRITES); i++) {
			get_range(lane->p + (int64_t)i * lane->stride, lane_bytes(lane, i),
				  lane->size, lane->site, free_read ? &keeper : NULL);
			loop_changed |= free_read && changed[keeper];
		}
	}
	return k;
}

uint64_t foresee_loop_begin(struct foresee_loop *l)
{
	return l->left >= FORESEE_LOOP_LEAST && mix(seed, now) & 3 ? loop_read(l) : 0;
}

uint64_t foresee_loop_next(struct foresee_loop *l)
{
	for (unsigned n = 0; n < l->nlanes; n++) {
		struct foresee_lane *lane = &l->lanes[n];

		for (uint64_t i = 0; i < l->portion && (lane->flags & FORESEE_LANE_WRITES); i++) {
			const uint8_t *from = lane_bytes(lane, i);
			uint64_t sum = 0;

			for (uint32_t b = 0; b < lane->size; b++)
				sum = mix(sum, from[b]);
			event('w', lane->site, lane->p + (int64_t)i * lane->stride, lane->size, sum,
			      is_loose(l->keepers, lane->mask) ||
				      (lane->flags & FORESEE_LANE_FED && loop_changed));
		}
		lane->p += (int64_t)l->portion * lane->stride;
	}
	l->left -= l->portion;
	return loop_read(l);
}

void foresee_fence(int order, uint32_t site)
{
	event('f', site, NULL, 0, (uint64_t)order, false);
}

void foresee_frame(void *p, size_t n, uint32_t site)
{
	event('l', site, p, n, 0, false);
}

void foresee_given(uint32_t site, uint32_t n, const void *a, const void *b, const void *c,
		   const void *d, const void *e)
{
	(void)site, (void)n, (void)a, (void)b, (void)c, (void)d, (void)e;
}

uint32_t foresee_opaque(uint8_t *byte, const void *callee, uint32_t site, uint32_t n, const void *a,
			const void *b, const void *c, const void *d, const void *e)
{
	(void)byte, (void)n, (void)a, (void)b, (void)c, (void)d, (void)e;
	event('o', site, callee, 0, 0, false);
	return FORESEE_CALLEE_QUIET;
}

void foresee_returned(uint32_t site)
{
	(void)site;
}

void foresee_callback(void)
{
}

void foresee_callback_end(void)
{
}

void foresee_module_register(const struct foresee_module *m)
{
	sites = m->sites;
	*m->base = 0;
}

void foresee_module_unregister(const struct foresee_module *m)
{
	(void)m;
}

/* What the functions under test call. */

struct large {
	int at[32];
};

void sink(int v);
void drain(int v);
int source(void);
void escape(int *p);
void take(struct large l);
int pthread_mutex_unlock(char *mutex);

int pthread_mutex_unlock(char *mutex)
{
	event('c', 0, mutex, 0, 0, false);
	return 0;
}

void sink(int v)
{
	event('c', 0, NULL, 0, (uint64_t)v, false);
}

void drain(int v)
{
	sink(v);
}

int source(void)
{
	return 7;
}

void escape(int *p)
{
	event('c', 0, p, 0, 0, false);
}

void take(struct large l)
{
	event('c', 0, NULL, 0, sizeof(l), false);
}

static void nothing(void)
{
}

static void on_signal(int sig)
{
	siglongjmp(end, END_SIGNAL + sig);
}

static uint64_t argument(char type, unsigned i)
{
	if (type == 'f')
		return (uintptr_t)nothing;
	if (type == 'p')
		return (uintptr_t)(block + 1024 + 64 * i);
	return mix(seed, i + 1000) % 7;
}

static uint64_t narrowed(char type, uint64_t result)
{
	return type == 'v' ? 0 : type == 'b' ? result & 1 : type == 'i' ? (uint32_t)result : result;
}

/* One run; how it ended. */
static int run(const struct subject *s, uint64_t *result)
{
	const char *a = s->types + 1;
	int how = sigsetjmp(end, 1);

	if (how != END_RETURN)
		return how;
	now = 0;
	view.depth = 0;
	*result = s->call(argument(a[0], 0), argument(a[1], 1), argument(a[2], 2));
	*result = narrowed(s->types[0], *result);
	return END_RETURN;
}

static bool subject_holds(const struct subject *s)
{
	for (seed = 1; seed <= SEEDS; seed++) {
		uint64_t before = 0, after = 0;
		int how, then;

		nfirst = 0;
		again = false;
		how = run(s, &before);
		again = true;
		for (given_round = 0; given_round < ROUNDS; given_round++) {
			then = run(s, &after);
			if (then == END_DIFFERS)
				return false;
			if (then == END_USED)
				continue;
			if (then != how || now != nfirst || before != after) {
				printf("# ended otherwise: %d after %zu events, result %lu;"
				       " was %d after %zu, %lu\n",
				       then, now, (unsigned long)after, how, nfirst,
				       (unsigned long)before);
				return false;
			}
		}
	}
	return true;
}

/* Prints what failed, then a line of totals. */
int main(void)
{
	unsigned failed = 0;

	for (int sig = SIGILL; sig <= SIGSEGV; sig++)
		if (sig != SIGKILL)
			signal(sig, on_signal);
	for (unsigned i = 0; i < nsubjects; i++) {
		if (!subject_holds(&subjects[i])) {
			printf("# %s does not hold\n", subjects[i].name);
			failed++;
		}
	}
	printf("# %u functions, %zu values changed, %zu of what is compared, %zu used later, %zu of those as before\n",
	       nsubjects, nchanged, ntested, nused, nused_on);
	return failed > 0 || nchanged == 0;
}
