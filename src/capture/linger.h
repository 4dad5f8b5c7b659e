/* Threads that still run when the program ends may go on for a moment (linger.c). */
#ifndef CAPTURE_LINGER_H
#define CAPTURE_LINGER_H

#include <stdint.h>

/* For at most so long; 0: not at all.  Before the program runs. */
void linger_set(uint64_t ms);
/* For quick_exit, which has its own way from there. */
void linger_quick(void);

#endif /* CAPTURE_LINGER_H */
