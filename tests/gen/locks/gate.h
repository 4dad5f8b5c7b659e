/*
 * Operations in an order that the recorder cannot see: every one has a number, its line, and waits
 * for its turn.  The order comes from the file that $GATE_ORDER names; without one they just run.
 *
 *	17		this one next; it is to come to its end
 *	target 23	when all of those are over: this one is to wait for ever
 *
 * Operations that are not in the file run when the order is over.  With targets, gate_begin looks
 * on: exit 0 when none of them came to its end in a while, 1 when one did, 2 when the order did.
 */
#ifndef GATE_H
#define GATE_H

#include <pthread.h>
#include <time.h>

extern struct timespec gate_deadline; /* a tenth of a second after the beginning */

void gate_begin(void);
void gate_at(int n);
void gate_go(int n); /* it begins; past comes much later */
void gate_past(int n);

/* Statements and expressions of one operation each. */
/* clang-format off */
#define GATE(n, e) { gate_at(n); e; gate_past(n); }
#define WAIT(n, e) { gate_at(n); gate_go(n); e; gate_past(n); }
#define GATED(n, e) ({ gate_at(n); __typeof__(e) v_ = (e); gate_past(n); v_; })
/* clang-format on */

#define TRY(lock) pthread_mutex_trylock(lock)
#define TIMED(lock) pthread_mutex_timedlock(lock, &gate_deadline)

#endif /* GATE_H */
