/* A condition wait, for POSIX and C11 names alike. */
#ifndef CAPTURE_COND_PRIV_H
#define CAPTURE_COND_PRIV_H

#include <pthread.h>
#include <time.h>

struct cond_wait {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	const struct timespec *until; /* NULL: for ever */
	clockid_t clock;
	/* The real wait; returns an error number. */
	int (*wait)(const struct cond_wait *w);
};

int cond_wait(struct cond_wait *w);
/* kind: FORMAT_K_SIGNAL or FORMAT_K_BROADCAST.  Called before the real one. */
void cond_wake(pthread_cond_t *c, unsigned kind);

#endif /* CAPTURE_COND_PRIV_H */
