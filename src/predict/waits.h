/*
 * Condition variables: waits that nobody ends.
 *
 *	lost-wakeup		the signal comes when nobody waits yet, and then the wait begins
 *	wait-holding-lock	a thread waits, or is about to, with a second lock held, which the
 *				thread that is to signal asks for first
 *
 * Sound as far as `claimed' goes: then the schedule leads there, every signal that another thread
 * sent is part of it, and none of those threads can come to send one more.  Where that is not so
 * the finding has reasons against it in `why', or the checker gives them.
 */
#ifndef PREDICT_WAITS_H
#define PREDICT_WAITS_H

#include "predict/engine.h"

/* Adds findings and counts (by signature) to out, in the name of e. */
void waits_search(const struct engine *e, struct engine_run *run, const struct engine_options *opt,
		  struct engine_result *out);

/* These two kinds alone. */
extern const struct engine engine_waits;

#endif /* PREDICT_WAITS_H */
