/*
 * A loop over pieces, run by `jobs' threads at once: a common counter says which piece is next.
 *
 * A machine that refuses more threads makes it slower, not wrong: the caller is worker 0 and
 * does what nobody else does.
 */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>

struct pool {
	size_t n;
	void (*work)(void *arg, size_t i, unsigned worker);
	void *arg;
	/* Relaxed: it only hands out numbers.  What a piece wrote is seen through pthread_join. */
	atomic_size_t next;
};

struct worker {
	struct pool *pool;
	unsigned id;
	pthread_t thread;
};

static void work_off(struct pool *p, unsigned worker)
{
	size_t i;

	while ((i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->n)
		p->work(p->arg, i, worker);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	work_off(w->pool, w->id);
	return NULL;
}

void pool_run(unsigned jobs, size_t n, void (*work)(void *arg, size_t i, unsigned worker),
	      void *arg)
{
	struct pool p = { .n = n, .work = work, .arg = arg };
	unsigned want = jobs > n ? (unsigned)n : jobs;
	struct worker *workers;
	unsigned started = 0;

	if (want <= 1) {
		work_off(&p, 0);
		return;
	}
	workers = mem_zalloc((want - 1) * sizeof(*workers));
	for (; started < want - 1; started++) {
		struct worker *w = &workers[started];

		w->pool = &p;
		w->id = started + 1;
		if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
			break;
	}
	work_off(&p, 0);
	for (unsigned i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	mem_free(workers);
}
