/* What exploration has found, in words. */
#ifndef EXPLORE_DESCRIBE_H
#define EXPLORE_DESCRIBE_H

#include "explore/explore.h"

/* "lock", "write" ... */
const char *describe_op(const struct baton_op *op);
/* "use after free", "double free". */
const char *describe_fault(const struct baton_fault *f);
/* Where it was, or what who judged it has said; nothing, if there was no fault. */
void describe_fault_print(const struct explore_failure *f, FILE *to);
/* "deadlock", "killed by signal 6 (Aborted)", "status 3". */
void describe_outcome(const struct explore_failure *f, struct strbuf *out);

/* T2 "worker"; what an operation is of. */
void describe_thread(const struct explore_failure *f, uint32_t thread, struct strbuf *out);
void describe_object(const struct explore_failure *f, const struct baton_op *op,
		     struct strbuf *out);

void describe_print(const struct explore_result *r, FILE *to);
void describe_json(const struct explore_result *r, FILE *to);
/* One failure: its schedule, side by side, and where everybody stands at its end. */
void describe_failure(const struct explore_failure *f, FILE *to);

#endif /* EXPLORE_DESCRIBE_H */
