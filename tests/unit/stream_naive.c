#include "stream_naive.h"

#include <string.h>

#define BIT(i) ((uint64_t)1 << (i))
#define LIVES 32

static bool is_access(const struct stream_event *e)
{
	return e->op >= STEP_READ && e->op <= STEP_FREE;
}

static bool writes(const struct stream_event *e)
{
	return is_access(e) && e->op != STEP_READ;
}

static bool is_target(const struct stream_event *e)
{
	return is_access(e) && !(e->flags & STEP_SHADOW);
}

static bool is_atomic(const struct stream_event *e)
{
	return (e->flags & STEP_ATOMIC) != 0;
}

static bool touch_same(const struct stream_event *a, const struct stream_event *b)
{
	return a->life == b->life && (a->bytes & b->bytes);
}

static bool conflict(const struct stream_event *a, const struct stream_event *b)
{
	return is_target(a) && is_target(b) && a->chain != b->chain && touch_same(a, b) &&
	       (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b));
}

/* --- direct edges: in[i] has the events that come right before i ------------- */

static uint64_t program_order(const struct stream_run *r, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (r->at[k].chain == r->at[i].chain)
			return BIT(k);
	return 0;
}

/* Forks of the chain before i; a fork that an earlier event of the chain has had adds nothing. */
static uint64_t threads(const struct stream_run *r, uint32_t i)
{
	const struct stream_event *e = &r->at[i];
	uint64_t in = 0;

	for (uint32_t k = 0; k < i; k++) {
		const struct stream_event *a = &r->at[k];

		if (a->op == STEP_FORK && a->obj == e->chain)
			in |= BIT(k);
		if (e->op == STEP_JOIN && a->chain == e->obj)
			in |= BIT(k);
		/* A thread that was forked and did nothing is joined all the same. */
		if (e->op == STEP_JOIN && a->op == STEP_FORK && a->obj == e->obj)
			in |= BIT(k);
	}
	return in;
}

static uint64_t channels(const struct stream_run *r, uint32_t i)
{
	uint64_t in = 0;

	for (uint32_t k = 0; k < i && r->at[i].op == STEP_GET; k++)
		if (r->at[k].op == STEP_PUT && r->at[k].obj == r->at[i].obj)
			in |= BIT(k);
	return in;
}

static uint64_t hard(const struct stream_run *r, uint32_t i)
{
	return program_order(r, i) | threads(r, i) | channels(r, i);
}

static uint64_t locks(const struct stream_run *r, uint32_t i)
{
	const struct stream_event *e = &r->at[i];
	uint64_t in = 0;

	for (uint32_t k = 0; k < i; k++) {
		const struct stream_event *a = &r->at[k];

		if (a->obj != e->obj)
			continue;
		if (a->op == STEP_REL && (e->op == STEP_ACQ || e->op == STEP_RACQ))
			in |= BIT(k);
		if (a->op == STEP_RREL && e->op == STEP_ACQ)
			in |= BIT(k);
	}
	return in;
}

/* The latest release fence of the chain before i, as a source of edges. */
static uint64_t release_fence(const struct stream_run *r, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (r->at[k].chain == r->at[i].chain && r->at[k].op == STEP_FENCE &&
		    (r->at[k].flags & STEP_RELEASE))
			return BIT(k);
	return 0;
}

static bool is_store_of(const struct stream_event *e, uint32_t life, uint8_t byte)
{
	return writes(e) && is_atomic(e) && e->life == life && (e->bytes & byte);
}

/* Where an acquire of the byte synchronises from when it sees what stands there before event i: the
 * stores (or the fences before them) since the last one that began anew. */
static uint64_t release_heads(const struct stream_run *r, uint32_t i, uint32_t life, uint8_t byte)
{
	uint64_t heads = 0, chains = 0;

	for (uint32_t k = 0; k < i; k++) {
		const struct stream_event *e = &r->at[k];
		uint64_t head = e->flags & STEP_RELEASE ? BIT(k) : release_fence(r, k);
		bool several = (chains & (chains - 1)) != 0;

		if (!is_store_of(e, life, byte))
			continue;
		if (e->op != STEP_RMW &&
		    ((e->flags & STEP_RELEASE) || !(several || chains == BIT(e->chain))))
			heads = chains = 0;
		heads |= head;
		chains |= head ? BIT(e->chain) : 0;
	}
	return heads;
}

/* The sources, unless all are of the chain itself and that is not asked for: what a chain gets back
 * from itself is no edge of WCP. */
static uint64_t sources(const struct stream_run *r, uint32_t chain, uint64_t from, bool own)
{
	for (uint32_t k = 0; k < r->n; k++)
		own |= (from >> k & 1) && r->at[k].chain != chain;
	return own ? from : 0;
}

static bool reads_atomic(const struct stream_event *e)
{
	return is_access(e) && is_atomic(e) && e->op != STEP_WRITE;
}

static uint64_t heads_of_read(const struct stream_run *r, uint32_t i, bool own)
{
	uint64_t in = 0;

	for (uint32_t b = 0; b < 8; b++)
		if (r->at[i].bytes >> b & 1)
			in |= sources(r, r->at[i].chain,
				      release_heads(r, i, r->at[i].life, (uint8_t)(1u << b)), own);
	return in;
}

static uint64_t atomics(const struct stream_run *r, uint32_t i, bool own)
{
	const struct stream_event *e = &r->at[i];
	uint64_t in = 0;

	if (reads_atomic(e) && (e->flags & STEP_ACQUIRE))
		return heads_of_read(r, i, own);
	if (e->op != STEP_FENCE || !(e->flags & STEP_ACQUIRE))
		return 0;
	for (uint32_t k = 0; k < i; k++)
		if (r->at[k].chain == e->chain && reads_atomic(&r->at[k]) &&
		    !(r->at[k].flags & STEP_ACQUIRE))
			in |= heads_of_read(r, k, true);
	return sources(r, e->chain, in, own);
}

/* --- happens-before --------------------------------------------------------- */

/* before[i]: all that happens before i. */
static void hb_order(const struct stream_run *r, uint64_t *before)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t in = hard(r, i) | locks(r, i) | atomics(r, i, true);

		before[i] = in;
		for (uint32_t k = 0; k < i; k++)
			if (in >> k & 1)
				before[i] |= before[k];
	}
}

static void races_of(const struct stream_run *r, const uint64_t *before, struct stream_races *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t j = 0; j < r->n; j++)
		for (uint32_t i = 0; i < j; i++)
			if (conflict(&r->at[i], &r->at[j]) && !(before[j] >> i & 1))
				out->race[j] |= BIT(i);
}

void naive_hb(const struct stream_run *r, struct stream_races *out)
{
	uint64_t before[STREAM_EVENTS];

	hb_order(r, before);
	races_of(r, before, out);
}

/* --- schedulable happens-before --------------------------------------------- */

#define NEVER UINT64_MAX /* no run has 64 events */

struct shb_state {
	uint64_t upto[STREAM_EVENTS];  /* the event and all it needs */
	uint64_t slice[STREAM_EVENTS]; /* free reads: what they need to see what they saw */
	uint64_t last[LIVES][8];       /* what the byte needs to have its value */
};

static uint64_t value_needs(const struct shb_state *s, const struct stream_event *e)
{
	uint64_t needs = 0;

	for (uint32_t b = 0; b < 8; b++)
		if (e->bytes >> b & 1)
			needs |= s->last[e->life][b];
	return needs;
}

static uint64_t feeds_need(const struct shb_state *s, const struct stream_event *e)
{
	uint64_t needs = 0;

	for (uint32_t k = 0; k < STREAM_EVENTS; k++)
		if (e->feeds >> k & 1)
			needs |= s->slice[k];
	return needs;
}

/* Before the event itself is looked at. */
static uint64_t shb_before(const struct stream_run *r, const struct shb_state *s, uint32_t i)
{
	uint64_t in = hard(r, i) | locks(r, i), before = in;

	for (uint32_t k = 0; k < i; k++)
		if (in >> k & 1)
			before |= s->upto[k];
	return before;
}

static void shb_event(const struct stream_run *r, struct shb_state *s, uint32_t i, uint64_t before,
		      bool strict)
{
	const struct stream_event *e = &r->at[i];
	bool reads = e->op == STEP_READ || e->op == STEP_RMW;
	bool is_free = (e->flags & STEP_FREE_READ) && !strict;
	uint64_t upto = before | BIT(i);

	if ((e->flags & STEP_STOP) || (strict && (e->flags & STEP_TAINTED)))
		upto = NEVER;
	if (reads && is_free)
		s->slice[i] = e->flags & STEP_TAINTED ? NEVER : value_needs(s, e);
	else if (reads)
		upto |= value_needs(s, e);
	if (e->op == STEP_USE && !strict)
		upto |= feeds_need(s, e);
	s->upto[i] = upto;
	if (writes(e))
		for (uint32_t b = 0; b < 8; b++)
			if (e->bytes >> b & 1)
				s->last[e->life][b] = upto | (strict ? 0 : feeds_need(s, e));
}

void naive_shb(const struct stream_run *r, bool strict, struct stream_races *out)
{
	uint64_t before[STREAM_EVENTS];
	struct shb_state s;

	memset(&s, 0, sizeof(s));
	memset(out, 0, sizeof(*out));
	for (uint32_t j = 0; j < r->n; j++) {
		before[j] = shb_before(r, &s, j);
		for (uint32_t i = 0; i < j; i++)
			if (conflict(&r->at[i], &r->at[j]) && before[i] != NEVER &&
			    before[j] != NEVER && !(before[j] >> i & 1))
				out->race[j] |= BIT(i);
		shb_event(r, &s, j, before[j], strict);
	}
}

/* --- weak causal precedence ------------------------------------------------- */

struct section {
	uint32_t acquire, release; /* events */
	bool shared;
	uint64_t events; /* of the chain, both ends too */
};

static uint32_t sections(const struct stream_run *r, struct section *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct stream_event *a = &r->at[i];
		uint64_t events = 0;

		if (a->op != STEP_ACQ && a->op != STEP_RACQ)
			continue;
		for (uint32_t k = i; k < r->n; k++) {
			const struct stream_event *e = &r->at[k];

			if (e->chain != a->chain)
				continue;
			events |= BIT(k);
			if ((e->op == STEP_REL || e->op == STEP_RREL) && e->obj == a->obj) {
				out[n++] = (struct section){ i, k, a->op == STEP_RACQ, events };
				break;
			}
			/* Still open: no release, but its events are in a section. */
			if (k + 1 == r->n)
				break;
		}
		if (n == 0 || out[n - 1].acquire != i)
			out[n++] = (struct section){ i, UINT32_MAX, a->op == STEP_RACQ, events };
	}
	return n;
}

static bool excludes(const struct stream_run *r, const struct section *a, const struct section *b)
{
	return r->at[a->acquire].obj == r->at[b->acquire].obj && a->release < b->acquire &&
	       !(a->shared && b->shared);
}

/* Rule (a) takes two atomic accesses for a conflict. */
static bool is_kept_apart(const struct stream_event *a, const struct stream_event *b)
{
	return is_target(a) && is_target(b) && a->chain != b->chain && touch_same(a, b) &&
	       (writes(a) || writes(b));
}

static void wcp_rule_a(const struct stream_run *r, const struct section *s, uint32_t n, uint64_t *w)
{
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			for (uint32_t i = 0; i < r->n && excludes(r, &s[a], &s[b]); i++)
				for (uint32_t k = 0; k < r->n; k++)
					if ((s[a].events >> i & 1) && (s[b].events >> k & 1) &&
					    is_kept_apart(&r->at[i], &r->at[k]))
						w[k] |= BIT(s[a].release);
}

/* (b) once over; true when something is new. */
static bool wcp_rule_b(const struct stream_run *r, const struct section *s, uint32_t n, uint64_t *w)
{
	bool grew = false;

	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = 0; b < n; b++) {
			uint64_t before = 0;

			if (!excludes(r, &s[a], &s[b]) || s[b].release == UINT32_MAX ||
			    r->at[s[a].acquire].chain == r->at[s[b].acquire].chain ||
			    (w[s[b].release] >> s[a].release & 1))
				continue;
			for (uint32_t k = 0; k < r->n; k++)
				if (s[b].events >> k & 1)
					before |= w[k];
			if (before & s[a].events) {
				w[s[b].release] |= BIT(s[a].release);
				grew = true;
			}
		}
	}
	return grew;
}

/* (c) once over: HB before, WCP after, and the other way round. */
static bool wcp_rule_c(const struct stream_run *r, const uint64_t *hb, uint64_t *w)
{
	bool grew = false;

	for (uint32_t j = 0; j < r->n; j++) {
		uint64_t more = w[j];

		for (uint32_t k = 0; k < r->n; k++) {
			if (w[j] >> k & 1)
				more |= hb[k];
			if (hb[j] >> k & 1)
				more |= w[k];
		}
		grew |= more != w[j];
		w[j] = more;
	}
	return grew;
}

void naive_wcp(const struct stream_run *r, struct stream_races *out)
{
	uint64_t hb[STREAM_EVENTS], w[STREAM_EVENTS];
	struct section s[STREAM_EVENTS];
	uint32_t n = sections(r, s);

	hb_order(r, hb);
	for (uint32_t i = 0; i < r->n; i++)
		w[i] = threads(r, i) | sources(r, r->at[i].chain, channels(r, i), false) |
		       atomics(r, i, false);
	wcp_rule_a(r, s, n, w);
	while (wcp_rule_c(r, hb, w) || wcp_rule_b(r, s, n, w))
		;
	races_of(r, w, out);
}

/* --- lock sets -------------------------------------------------------------- */

struct eraser_byte {
	char state; /* 0 virgin, E, S, M */
	uint32_t tid;
	uint32_t set; /* bits of locks */
	bool warned;
};

static bool eraser_byte(struct eraser_byte *x, const struct stream_event *e, uint32_t held)
{
	if (x->state == 0) {
		x->state = 'E';
		x->tid = e->tid;
		return false;
	}
	if (x->state == 'E') {
		if (x->tid == e->tid)
			return false;
		x->set = held;
		x->state = writes(e) ? 'M' : 'S';
	} else {
		x->set &= held;
		if (writes(e))
			x->state = 'M';
	}
	if (x->state != 'M' || x->set || x->warned)
		return false;
	return x->warned = true;
}

uint64_t naive_eraser(const struct stream_run *r)
{
	uint32_t all[STREAM_CHAINS] = { 0 }, exclusive[STREAM_CHAINS] = { 0 };
	struct eraser_byte x[LIVES][8];
	uint64_t warn = 0;

	memset(x, 0, sizeof(x));
	for (uint32_t i = 0; i < r->n; i++) {
		const struct stream_event *e = &r->at[i];

		if (e->op == STEP_ACQ || e->op == STEP_RACQ)
			all[e->chain] |= 1u << e->obj;
		if (e->op == STEP_ACQ)
			exclusive[e->chain] |= 1u << e->obj;
		if (e->op == STEP_REL || e->op == STEP_RREL) {
			all[e->chain] &= ~(1u << e->obj);
			exclusive[e->chain] &= ~(1u << e->obj);
		}
		if (!is_target(e) || is_atomic(e))
			continue;
		for (uint32_t b = 0; b < 8; b++)
			if ((e->bytes >> b & 1) &&
			    eraser_byte(&x[e->life][b], e,
					writes(e) ? exclusive[e->chain] : all[e->chain]))
				warn |= BIT(i);
	}
	return warn;
}
