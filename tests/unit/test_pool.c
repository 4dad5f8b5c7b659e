/* base/pool: each piece once, by a worker that exists, and the first worker is the caller. */
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/pool.h"

#define PIECES 5000

struct work {
	atomic_int done[PIECES];
	atomic_int wrong;
	unsigned jobs;
	pthread_t caller;
	atomic_int meet;      /* pieces that have begun */
	atomic_int worker[4]; /* pieces of each worker */
};

static void piece(void *arg, size_t i, unsigned worker)
{
	struct work *w = arg;
	bool is_caller = pthread_equal(pthread_self(), w->caller) != 0;

	atomic_fetch_add(&w->done[i], 1);
	if (worker >= w->jobs || (worker == 0) != is_caller)
		atomic_fetch_add(&w->wrong, 1);
}

static void test_run(unsigned jobs, size_t n)
{
	static struct work w;
	bool once = true;

	memset(&w, 0, sizeof(w));
	w.jobs = jobs;
	w.caller = pthread_self();
	pool_run(jobs, n, piece, &w);
	for (size_t i = 0; i < PIECES; i++)
		once &= atomic_load(&w.done[i]) == (i < n);
	TAP_OK(once && atomic_load(&w.wrong) == 0, "%zu pieces, %u jobs", n, jobs);
}

/* Waits until all pieces have begun: needs as many threads as pieces. */
static void wait_for_all(void *arg, size_t i, unsigned worker)
{
	struct work *w = arg;

	(void)i;
	atomic_fetch_add(&w->worker[worker], 1);
	atomic_fetch_add(&w->meet, 1);
	while (atomic_load(&w->meet) < (int)w->jobs)
		sched_yield();
}

int main(void)
{
	static struct work w = { .jobs = 4 };

	test_run(1, PIECES);
	test_run(2, PIECES);
	test_run(7, PIECES);
	test_run(16, 3);
	test_run(4, 1);
	test_run(4, 0);
	pool_run(4, 4, wait_for_all, &w);
	TAP_EQ(atomic_load(&w.meet), 4, "jobs run at the same time");
	for (int i = 0; i < 4; i++)
		TAP_EQ(atomic_load(&w.worker[i]), 1, "worker %d had its piece", i);
	return tap_done();
}
