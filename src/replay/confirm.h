/*
 * Every finding of a report is tried on the program (--replay).  What the program does is proven;
 * what it could not be brought to stays predicted, and says why.
 */
#ifndef REPLAY_CONFIRM_H
#define REPLAY_CONFIRM_H

struct pass;

/* For each finding, in seconds, at most: a program that must be waited for. */
#define CONFIRM_TIME 5.0

/* arg: nothing (struct analyse: confirm). */
void confirm_findings(void *arg, struct pass *p);

#endif /* REPLAY_CONFIRM_H */
