/* One-time initialisation, for POSIX and C11 names alike. */
#ifndef CAPTURE_ONCE_PRIV_H
#define CAPTURE_ONCE_PRIV_H

/* call(control, routine) is the real function. */
int once_run(void *control, void (*routine)(void), int (*call)(void *, void (*)(void)));

#endif /* CAPTURE_ONCE_PRIV_H */
