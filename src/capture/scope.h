/*
 * Local variables that hold a synchronisation object: another thread may still use it when the
 * variable's scope ends, and that is a race like any other.
 *
 * A scope ends where its function says so, or with its thread: pthread_exit and cancellation leave
 * functions that say nothing.  Where a jump has left one, it ends when the memory is somebody else's.
 */
#ifndef CAPTURE_SCOPE_H
#define CAPTURE_SCOPE_H

#include <stddef.h>
#include <stdint.h>

#define SCOPES_MAX 16u /* of one thread; of more nobody is told that they end with it */

struct scope {
	void *at;
	size_t n;
	uint32_t site;
};

struct thread;

/* All inside a hook, or what stands for one. */
void scope_begin(struct thread *t, void *p, size_t n, uint32_t site);
void scope_end(struct thread *t, void *p, size_t n, uint32_t site);
/* The thread ends, and with it all that it has. */
#ifdef FORESEE_LOCKS /* which sees no variables */
static inline void scope_end_all(struct thread *t)
{
	(void)t;
}
#else
void scope_end_all(struct thread *t);
#endif

#endif /* CAPTURE_SCOPE_H */
