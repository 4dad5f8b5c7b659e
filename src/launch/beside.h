/*
 * A command that runs beside the program, because that needs somebody else: a client that asks, a
 * signal that comes.  It begins with the program and ends with it at the latest.
 */
#ifndef LAUNCH_BESIDE_H
#define LAUNCH_BESIDE_H

#include "launch/side.h"

/* `sh -c command', with the program's number in FORESEE_TARGET; no input, output to standard error. */
void beside_start(struct side *s, const char *command, pid_t program);
/* With all it started. */
void beside_end(struct side *s);

#endif /* LAUNCH_BESIDE_H */
