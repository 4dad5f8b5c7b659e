/*
 * Work in parallel: n independent pieces over a few threads.
 *
 * Pieces are handed out in order, so piece i starts no later than piece i + 1.  Results belong in
 * entries of their own (out[i]); what is made of them must not depend on who did what.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/common.h"

/* Calls work(arg, i, worker) once for each i in [0, n); worker is in [0, jobs).  Returns when all
 * are done.  With jobs 1 everything runs in the calling thread; worker 0 always does, so it alone
 * may report progress. */
void pool_run(unsigned jobs, size_t n, void (*work)(void *arg, size_t i, unsigned worker),
	      void *arg);

#endif /* BASE_POOL_H */
