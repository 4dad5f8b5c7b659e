#include "tiny.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tiny_conflict(const struct tiny *t, int a, int b)
{
	const struct tiny_event *x = &t->at[a], *y = &t->at[b];

	if (x->op == TINY_SEMINIT || y->op == TINY_SEMINIT)
		return x->thread != y->thread && x->obj == y->obj &&
		       (x->op == TINY_SEMINIT || tiny_counts(x)) &&
		       (y->op == TINY_SEMINIT || tiny_counts(y));
	if (tiny_renews(x) || tiny_renews(y))
		return x->thread != y->thread && x->obj == y->obj &&
		       (tiny_renews(x) || tiny_uses(x)) && (tiny_renews(y) || tiny_uses(y));
	return tiny_is_access(x) && tiny_is_access(y) && !x->reread && !y->reread &&
	       x->thread != y->thread && (x->cells & y->cells) != 0 &&
	       (tiny_writes(x) || tiny_writes(y)) &&
	       !(x->order != TINY_PLAIN && y->order != TINY_PLAIN);
}

bool tiny_exclude(const struct tiny *t, int a, int b)
{
	const struct tiny_event *x = &t->at[a], *y = &t->at[b];

	return tiny_acquires(x) && tiny_acquires(y) && x->obj == y->obj && x->life == y->life &&
	       (x->op == TINY_ACQ || y->op == TINY_ACQ);
}

int tiny_block(const struct tiny *t, int event)
{
	int depth = 0, first = TINY_NONE;

	for (int i = 0; i <= event; i++) {
		const struct tiny_event *e = &t->at[i];

		if (e->thread != t->at[event].thread)
			continue;
		if (e->op == TINY_BEGIN)
			depth++;
		if (depth > 0 && first == TINY_NONE)
			first = i;
		if (i == event)
			break;
		if (e->op == TINY_END)
			depth--;
		if (depth == 0 || e->op == TINY_PARK)
			first = TINY_NONE;
	}
	return first;
}

bool tiny_must_precede(const struct tiny *t, int e, int to)
{
	uint32_t seen = 1u << to, before = 0;

	while (seen != before) {
		before = seen;
		for (int i = 0; i < t->n; i++) {
			const int edges[] = { t->at[i].before, t->at[i].joins,
					      t->at[i].op == TINY_WAKE ? t->at[i].cause
								       : TINY_NONE };

			for (int k = 0; (seen >> i & 1) && k < 3; k++)
				seen |= edges[k] == TINY_NONE ? 0 : 1u << edges[k];
			seen |= seen >> i & 1 ? t->at[i].takes : 0;
			/* A signal that wakes somebody comes after he began to wait. */
			for (int w = 0; (seen >> i & 1) && w < t->n; w++)
				if (t->at[w].op == TINY_WAKE && t->at[w].cause == i &&
				    (seen >> w & 1))
					seen |= 1u << t->at[w].park;
		}
	}
	return seen >> e & 1;
}

static void settle_memory(struct tiny *t)
{
	int last[TINY_CELLS];

	for (int c = 0; c < TINY_CELLS; c++) {
		last[c] = TINY_INIT;
		t->init_known[c] = false;
	}
	for (int i = 0; i < t->n; i++) {
		struct tiny_event *e = &t->at[i];

		for (int c = 0; tiny_is_access(e) && c < TINY_CELLS; c++) {
			if (!(e->cells >> c & 1))
				continue;
			e->rf[c] = last[c];
			if (tiny_reads(e) && last[c] == TINY_INIT && t->values) {
				t->init_known[c] = true;
				t->init_value[c] = e->seen;
			}
			if (tiny_writes(e))
				last[c] = i;
		}
	}
}

static void settle_lives(struct tiny *t)
{
	int last[TINY_LOCKS];

	for (int l = 0; l < TINY_LOCKS; l++)
		last[l] = TINY_NONE;
	for (int i = 0; i < t->n; i++) {
		struct tiny_event *e = &t->at[i];

		if (!tiny_uses(e) && !tiny_renews(e))
			continue;
		e->life = last[e->obj];
		if (tiny_renews(e))
			last[e->obj] = i;
	}
}

static void settle_locks(struct tiny *t)
{
	for (int i = 0; i < t->n; i++) {
		struct tiny_event *e = &t->at[i];

		e->partner = TINY_NONE;
		if (e->op != TINY_REL && e->op != TINY_RREL)
			continue;
		for (int k = i - 1; k >= 0 && e->partner == TINY_NONE; k--)
			if (tiny_acquires(&t->at[k]) && t->at[k].thread == e->thread &&
			    t->at[k].obj == e->obj)
				e->partner = k;
		assert(e->partner != TINY_NONE && t->at[e->partner].partner == TINY_NONE);
		t->at[e->partner].partner = i;
	}
}

static void settle_threads(struct tiny *t)
{
	int fork[TINY_THREADS];

	for (int u = 0; u < TINY_THREADS; u++) {
		fork[u] = TINY_NONE;
		t->len[u] = 0;
	}
	for (int i = 0; i < t->n; i++) {
		struct tiny_event *e = &t->at[i];
		int u = e->thread;

		e->index = t->len[u];
		e->before = e->index ? t->thread_event[u][e->index - 1] : fork[u];
		e->joins = TINY_NONE;
		if (e->op == TINY_JOIN && t->len[e->obj])
			e->joins = t->thread_event[e->obj][t->len[e->obj] - 1];
		if (e->op == TINY_FORK)
			fork[e->obj] = i;
		e->takes = 0;
		for (int g = 0; e->op == TINY_TAKE && g < i; g++)
			if (t->at[g].op == TINY_GIVE && t->at[g].obj == e->obj)
				e->takes |= 1u << g;
		t->thread_event[u][t->len[u]++] = i;
	}
}

static void settle_waits(struct tiny *t)
{
	for (int i = 0; i < t->n; i++) {
		struct tiny_event *e = &t->at[i];
		int u = e->thread, next = e->index + 1, k = e->index;

		e->park = TINY_NONE;
		if (e->op == TINY_REL && e->in_wait && next < t->len[u])
			e->park = t->thread_event[u][next];
		while (e->op == TINY_WAKE && t->at[t->thread_event[u][k]].op != TINY_PARK)
			k--;
		if (e->op == TINY_WAKE)
			e->park = t->thread_event[u][k];
	}
}

static void settle_semaphores(struct tiny *t)
{
	int now[TINY_SEMS] = { 0 };

	for (int s = 0; s < TINY_SEMS; s++) {
		t->sem_init[s] = TINY_NONE;
		t->sem_value[s] = 0;
	}
	for (int i = 0; i < t->n; i++) {
		const struct tiny_event *e = &t->at[i];

		if (e->op == TINY_SEMINIT) {
			t->sem_init[e->obj] = i;
			t->sem_value[e->obj] = e->count;
		}
		if (!tiny_counts(e))
			continue;
		now[e->obj] += (e->op == TINY_SEMPOST) - (e->op == TINY_SEMWAIT);
		if (t->sem_init[e->obj] == TINY_NONE && -now[e->obj] > t->sem_value[e->obj])
			t->sem_value[e->obj] = -now[e->obj];
		assert(t->sem_value[e->obj] + now[e->obj] >= 0);
	}
}

static bool is_plain(const struct tiny_event *e)
{
	return !(e->op == TINY_RMW || e->op == TINY_FREE || e->op == TINY_RACQ ||
		 e->op == TINY_RREL || e->op >= TINY_USE || tiny_renews(e) || e->try ||
		 e->in_wait || e->spin || e->looks || e->free || e->reread || e->feeds ||
		 e->order != TINY_PLAIN) &&
	       (!tiny_is_access(e) || e->cells == 3u << 2 * e->obj);
}

static bool ends_runs(const struct tiny_event *e)
{
	return tiny_uses(e) || e->op == TINY_DESTROY || e->op == TINY_FORK || e->op == TINY_JOIN ||
	       e->op == TINY_PARK || e->op == TINY_SEMPOST || e->op == TINY_SEMWAIT;
}

int tiny_run_begins(const struct tiny *t, const struct tiny_event *c, int end)
{
	int seen = TINY_INIT, first = TINY_NONE;

	for (int k = 0; k < TINY_CELLS; k++)
		for (int i = 0; c->cells >> k & 1 && i < end; i++)
			if (tiny_writes(&t->at[i]) && t->at[i].cells >> k & 1 && i > seen)
				seen = i;
	for (int i = end - 1; i >= 0 && i >= seen; i--) {
		const struct tiny_event *e = &t->at[i];

		if (e->thread != c->thread)
			continue;
		if (ends_runs(e))
			break;
		if ((e->cells & c->cells) != 0 &&
		    (e->op == TINY_RMW || (e->op == TINY_READ && !e->free && i != seen)))
			first = i;
	}
	return first;
}

static void settle_runs(struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].reread)
			t->at[i].first = t->at[tiny_run_begins(t, &t->at[i], i)].index;
}

void tiny_settle(struct tiny *t)
{
	t->fmt1 = t->values;
	for (int i = 0; i < t->n; i++)
		t->fmt1 |= !is_plain(&t->at[i]);
	settle_memory(t);
	settle_lives(t);
	settle_locks(t);
	settle_threads(t);
	settle_runs(t);
	settle_waits(t);
	settle_semaphores(t);
}

/* Text that grows within a fixed buffer. */
struct out {
	char *at;
	size_t n, max;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *format, ...)
{
	va_list ap;
	int k;

	va_start(ap, format);
	k = vsnprintf(o->at + o->n, o->max - o->n, format, ap);
	va_end(ap);
	assert(k >= 0 && (size_t)k < o->max - o->n);
	o->n += (size_t)k;
}

static void print_operand(const struct tiny_event *e, struct out *o)
{
	if (tiny_is_access(e)) {
		unsigned half = e->cells >> 2 * e->obj;

		put(o, "(%c%s)", "xyz"[e->obj], half == 3 ? "" : half == 1 ? ":4" : "+4:4");
	} else if (e->op == TINY_FORK || e->op == TINY_JOIN) {
		put(o, "(T%d)", e->obj + 1);
	} else if (e->op == TINY_PARK) {
		put(o, "(%c,%c)", "cd"[e->obj], "lmno"[e->lock]);
	} else if (e->op == TINY_SEMINIT) {
		put(o, "(%c:%d)", "st"[e->obj], e -> count);
	} else if (tiny_counts(e)) {
		put(o, "(%c)", "st"[e->obj]);
	} else if (e->op == TINY_GIVE || e->op == TINY_TAKE) {
		put(o, "(%c)", "gh"[e->obj]);
	} else if (e->op == TINY_AGAIN || e->op == TINY_LESS) {
		put(o, "(%c)", "lmno"[e->obj]);
	} else if (e->op == TINY_BEGIN || e->op == TINY_END) {
		return;
	} else if (e->op > TINY_PARK && e->op != TINY_TRYFAIL) {
		put(o, "(%c)", "cd"[e->obj]);
	} else if (e->op != TINY_USE) {
		put(o, "(%c)", "lmno"[e->obj]);
	}
}

static void print_marks(const struct tiny *t, const struct tiny_event *e, struct out *o)
{
	static const char *const orders[] = { "", "@relaxed", "@seq_cst" };
	static const char *const rwlock[] = { [TINY_RACQ] = "!rwlock", [TINY_RREL] = "!rwlock" };
	static const char *const cmps[] = { "", "eq", "ne", "lt", "le", "gt", "ge" };
	const char *sep = "<";

	if (e->free)
		put(o, "~");
	if (tiny_reads(e) && e->cmp != TINY_NO_TEST)
		put(o, "?%s:%d", cmps[e->cmp], e->with);
	if (tiny_is_access(e))
		put(o, "%s", orders[e->order]);
	else if (e->op <= TINY_RREL && rwlock[e->op])
		put(o, "%s", rwlock[e->op]);
	if (e->op == TINY_TRYFAIL)
		put(o, "%s", e->reads ? "!rwlock" : "!rwlock!write");
	if (e->op == TINY_AGAIN || e->op == TINY_LESS)
		put(o, "!nests");
	if (e->spin)
		put(o, "!spin");
	if (e->looks)
		put(o, "!looks");
	if (e->try)
		put(o, "!try");
	if (e->in_wait)
		put(o, "!wait");
	if (e->reread)
		put(o, "!reread");
	if (e->op == TINY_WAKE && e->cause != TINY_NONE)
		put(o, "<%d", e->cause + 1);
	for (int i = 0; i < t->n; i++) {
		if (e->feeds >> i & 1) {
			put(o, "%s%d", sep, i + 1);
			if (e->tested >> i & 1)
				put(o, ":%s:%d", cmps[e->cmp], e->with);
			sep = ",";
		}
	}
	if (t->values && e->op == TINY_RMW)
		put(o, "=%d>%d", e->seen, e->stored);
	else if (t->values && tiny_is_access(e))
		put(o, "=%d", e->op == TINY_READ ? e->seen : e->stored);
}

size_t tiny_print(const struct tiny *t, char *out, size_t max)
{
	static const char *const names[] = {
#define X(id, text) [TINY_##id] = text,
		TINY_OPS(X)
#undef X
	};
	struct out o = { .at = out, .max = max };

	put(&o, "%s", t->fmt1 ? "#fmt 1\n" : "");
	for (int i = 0; i < t->n; i++) {
		const struct tiny_event *e = &t->at[i];

		put(&o, "T%d|%s", e->thread + 1, names[e->op]);
		print_operand(e, &o);
		print_marks(t, e, &o);
		put(&o, "|%d\n", e->loc);
	}
	return o.n;
}
