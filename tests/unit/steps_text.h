/*
 * Steps as text, one word for each:
 *
 *	write:0,1	an access and its cells		split:0>2   drop:0
 *	acquire:0	a lock				put:0 get:0 forget:0
 *	fork:1		a chain				after:3   guard:5:2<4	(when: from < to)
 *
 * with flags behind: ~ free, a atomic, A acquires, R releases, ! stop, t tainted, s shadow,
 * y try; then <1,2 feeds.  Events are separated by blanks; what has STEP_MORE stands behind a '+'.
 */
#ifndef TESTS_STEPS_TEXT_H
#define TESTS_STEPS_TEXT_H

struct strbuf;
struct trace;

/* All steps of t.  An error of the trace ends the text. */
void steps_text(struct trace *t, struct strbuf *out);

#endif /* TESTS_STEPS_TEXT_H */
