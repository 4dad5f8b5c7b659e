/*
 * The secret that a recording and an observer share where a connection says nothing of who is at
 * its other end.
 */
#ifndef LINK_TOKEN_H
#define LINK_TOKEN_H

#include "base/common.h"

#define TOKEN_BYTES 256 /* with the NUL */

/*
 * From the command line, the first line of a file, or FORESEE_TOKEN, in this order; NULL: not
 * given.  `into' is empty when there is none.  A file that others may read is told of, unless quiet.
 * 0, or 2 after a message.
 */
int token_find(const char *given, const char *file, bool quiet, char into[TOKEN_BYTES]);

/* A new one, that nobody can guess.  0, or 2 after a message. */
int token_make(char into[TOKEN_BYTES]);

#endif /* LINK_TOKEN_H */
