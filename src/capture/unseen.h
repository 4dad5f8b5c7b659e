/*
 * Code that was not instrumented: which of it may order threads, and where a
 * thread enters and leaves it.
 */
#ifndef CAPTURE_UNSEEN_H
#define CAPTURE_UNSEEN_H

#include "capture/thread.h"

/* A new thread that begins in f.  If that is unseen code, t->unseen_root says so; functions of the
 * program that it runs are callbacks if it may order threads. */
void unseen_begin(struct thread *t, const void *f);

/* In a new thread, inside a hook: what it runs is unseen, and may write anything while it does. */
void unseen_runs(struct thread *t);

/* In a thread that is about to make another one, inside a hook: the same for the first thread,
 * if main is unseen code.  (Until then there was one thread, and what it wrote came before
 * everything.) */
void unseen_main(struct thread *t);

#endif /* CAPTURE_UNSEEN_H */
