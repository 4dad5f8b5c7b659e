/*
 * A directory for the files of one replay: private, and gone at every end of ours, also by a signal;
 * only SIGKILL leaves it.  There is one at a time.
 */
#ifndef REPLAY_SCRATCH_H
#define REPLAY_SCRATCH_H

#include "base/common.h"

struct trace;

/* Made in TMPDIR, or /tmp. */
enum status scratch_open(struct diag *d) ST_CHECKED;
void scratch_close(void);

/* The path of a file in it; the caller's to free.  A signal removes those with these names:
 * plan, trace, out and err, and with a digit behind. */
char *scratch_path(const char *name, int number);

/* A file or directory in it, with all that is in there.  False: something is left. */
bool scratch_drop(const char *path);

/* The recording of a run, not read yet; NULL: there is none that can be. */
struct trace *scratch_trace(const char *path);
/* The same, read up to its end for the names that come on the way. */
struct trace *scratch_read(const char *path);
/* Reads the rest of it, if what lies at addr may depend on that. */
void scratch_learn(struct trace *t, uint64_t addr);
/* A copy of the recording in it, for the user. */
enum status scratch_keep(const char *from, const char *to, struct diag *d) ST_CHECKED;

#endif /* REPLAY_SCRATCH_H */
