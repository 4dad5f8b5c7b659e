/*
 * Statements that synchronise, and the blocks they guard.
 *
 * Locks have ranks and are taken upwards only, so no set of threads can wait
 * for each other in a circle.  Under a spin lock nothing blocks.
 */
#include "gen.h"

#include <string.h>

struct lock {
	int rank;
	const char *object;
	const char *lock, *try, *unlock; /* try returns 0 when it got the lock */
	bool again;			 /* the owner may take it again */
	bool leaf;			 /* nothing may block while it is held */
};

#define PTHREAD(kind, mode)                                                  \
	"pthread_" kind "_" mode "lock", "pthread_" kind "_try" mode "lock", \
		"pthread_" kind "_unlock"
#define SEMAPHORE "sem_wait", "sem_trywait", "sem_post"
#define C11 "mtx_lock", "mtx_trylock", "mtx_unlock"

/* In the order of their ranks. */
static const struct lock locks[] = {
	{ 0, "normal[0]", PTHREAD("mutex", ""), false, false },
	{ 1, "rw[0]", PTHREAD("rwlock", "rd"), false, false },
	{ 1, "rw[0]", PTHREAD("rwlock", "wr"), false, false },
	{ 2, "recursive[0]", PTHREAD("mutex", ""), true, false },
	{ 3, "binary[0]", SEMAPHORE, false, false },
	{ 4, "normal[1]", PTHREAD("mutex", ""), false, false },
	{ 5, "c11", C11, false, false },
	{ 6, "c11rec", C11, true, false },
	{ 7, "rw[1]", PTHREAD("rwlock", "rd"), false, false },
	{ 7, "rw[1]", PTHREAD("rwlock", "wr"), false, false },
	{ 8, "checked", PTHREAD("mutex", ""), false, false },
	{ 9, "recursive[1]", PTHREAD("mutex", ""), true, false },
	{ 10, "binary[1]", SEMAPHORE, false, false },
	{ 11, "normal[2]", PTHREAD("mutex", ""), false, false },
	{ 12, "spin[0]", PTHREAD("spin", ""), false, true },
	{ 13, "spin[1]", PTHREAD("spin", ""), false, true },
};

#define LOCKS ((int)(sizeof(locks) / sizeof(locks[0])))

/* Who reads under a lock for reading may look at its region, and keeps to another one. */
static bool is_shared(const struct lock *l)
{
	return strstr(l->lock, "rdlock") != NULL;
}

static void region_enter(struct gen *g, const struct lock *l)
{
	if (is_shared(l))
		gen_line(g, "acc += regions[%d].g64_[acc & 7] ^ regions[%d].raw_[tmp & 63];",
			 l->rank, l->rank);
	else
		gen_region_enter(g, l->rank);
}

static void region_leave(struct gen *g, const struct lock *l)
{
	if (!is_shared(l))
		gen_region_leave(g);
}

static void section(struct gen *g, const struct lock *l)
{
	int before = g->held, n = 1 + (int)gen_below(g, 3);
	bool trying = gen_chance(g, 25), again = l->again && gen_chance(g, 60);

	gen_charge(g, again ? 4 : 2);
	if (trying)
		gen_line(g, "if (%s(&%s) == 0) {", l->try, l->object);
	else
		gen_line(g, "%s(&%s);", l->lock, l->object);
	g->held = l->rank;
	g->indent += trying;
	if (again)
		gen_line(g, "%s(&%s);", gen_chance(g, 50) ? l->lock : l->try, l->object);
	if (g->clean)
		region_enter(g, l);
	gen_statements(g, l->leaf ? GEN_LEAF : GEN_BLOCK, n);
	if (g->clean)
		region_leave(g, l);
	if (again)
		gen_line(g, "%s(&%s);", l->unlock, l->object);
	gen_line(g, "%s(&%s);", l->unlock, l->object);
	g->indent -= trying;
	if (trying)
		gen_line(g, "}");
	g->held = before;
}

/* Waits that end by themselves, and calls that fail. */
static void timed(struct gen *g)
{
	uint32_t us = gen_chance(g, 60) ? 0 : 20;

	gen_charge(g, 5);
	gen_open(g);
	gen_line(g, "struct timespec t = deadline(%u);", us);
	switch (gen_below(g, 4)) {
	case 0:
		gen_line(g, "pthread_mutex_lock(&normal[2]);");
		gen_line(g, "if (pthread_cond_timedwait(&idle, &normal[2], &t) == 0)");
		gen_line(g, "\tacc++;");
		gen_line(g, "pthread_mutex_unlock(&normal[2]);");
		break;
	case 1:
		gen_line(g, "if (pthread_mutex_timedlock(&normal[2], &t) == 0)");
		gen_line(g, "\tpthread_mutex_unlock(&normal[2]);");
		break;
	case 2:
		gen_line(g, "if (sem_timedwait(&binary[1], &t) == 0)");
		gen_line(g, "\tsem_post(&binary[1]);");
		break;
	default:
		gen_line(g, "pthread_mutex_lock(&checked);");
		gen_line(g, "acc += (u64)pthread_mutex_lock(&checked) + (t.tv_sec == 0);");
		gen_line(g, "pthread_mutex_unlock(&checked);");
	}
	gen_close(g);
}

/* A child gets a pointer into its parent's stack; both work until the join, on the same memory
 * unless there are to be no races. */
static void child(struct gen *g)
{
	uint32_t n = gen_below(g, (uint32_t)g->children);
	bool outer = g->frame;

	gen_charge(g, 6 + g->child_cost[n]);
	gen_open(g);
	gen_line(g, "struct frame fr_ = { .q = { acc, tmp } }, *fr = &fr_;");
	gen_line(g, "pthread_t t = start(child%u, fr);", n);
	gen_line(g, "void *got;");
	gen_blank(g);
	g->frame = !g->clean;
	gen_statements(g, GEN_BLOCK, 1 + (int)gen_below(g, 3));
	g->frame = outer;
	gen_line(g, "pthread_join(t, &got);");
	gen_line(g, "acc += (u64)(uintptr_t)got + fr->q[0];");
	gen_close(g);
}

static void letters(struct gen *g)
{
	gen_charge(g, 8);
	switch (gen_below(g, 3)) {
	case 0:
		gen_line(g, "mail_put(acc, 1 + (acc & %u), %u);", gen_chance(g, 80) ? 15 : 127,
			 gen_below(g, 4));
		gen_charge(g, 10);
		break;
	case 1:
		gen_line(g, "acc += mail_get();");
		gen_charge(g, 15);
		break;
	default:
		gen_line(g,
			 "acc += letter_read(atomic_exchange_explicit(&courier, "
			 "letter_write(tmp, 1 + (acc & 7), %u), memory_order_acq_rel));",
			 gen_below(g, 4));
		gen_charge(g, 15);
	}
}

static void small(struct gen *g)
{
	static const char *const lines[] = {
		"pthread_cond_signal(&idle);",
		"pthread_cond_broadcast(&idle);",
		"pthread_cond_broadcast(&fifo.filled);",
		"pthread_once(&once[0], once_a);",
		"pthread_once(&once[1], once_b);",
		"call_once(&c11once, once_b);",
		"acc += sem_trywait(&binary[0]) == 0 ? (u64)sem_post(&binary[0]) + 1 : 0;",
		NULL,
	};

	gen_charge(g, 1);
	gen_line(g, "%s", gen_pick(g, lines));
}

void gen_sync(struct gen *g, enum gen_place place)
{
	uint32_t kind = gen_below(g, 16);
	int first = 0; /* the first lock above those held */

	while (first < LOCKS && locks[first].rank <= g->held)
		first++;
	if (place == GEN_TOP && g->children > 0 && g->depth <= 1 && kind == 0) {
		child(g);
	} else if (kind < 3) {
		letters(g);
	} else if (kind < 5) {
		small(g);
	} else if (kind == 5 && g->held < 0 && g->depth <= 2) {
		timed(g);
	} else if (first < LOCKS) {
		/* Mostly the next few, so that sections nest. */
		int span = LOCKS - first, near = span < 6 || gen_chance(g, 30) ? span : 6;

		section(g, &locks[first + (int)gen_below(g, (uint32_t)near)]);
	} else {
		gen_memory(g);
	}
}
