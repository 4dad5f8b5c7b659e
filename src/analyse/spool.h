/*
 * A trace that can be read twice: standard input and pipes are copied to a file that has no name.
 */
#ifndef ANALYSE_SPOOL_H
#define ANALYSE_SPOOL_H

#include "base/common.h"

struct spool {
	const char *path; /* to open */
	const char *given;
	int fd; /* -1: path is what was given */
	char name[64];
};

/* path is borrowed; "-" is standard input.  False after a message. */
bool spool_open(struct spool *s, const char *path);
void spool_close(struct spool *s);

/* In a message: the name that the user knows, for that of the copy. */
void spool_mend(const struct spool *s, struct diag *d);

/* The first bytes of a recording instead of it, if there are more: they can be read like one that was cut.
 * True: it is so now. */
bool spool_shorten(struct spool *s, uint64_t bytes);

/* A new file without a name, which goes away with its descriptor; -1, errno set. */
int spool_nameless(void);

#endif /* ANALYSE_SPOOL_H */
