/*
 * Are the variables of a finding what the replayed program touched?  The plan holds it to places and
 * values: at those it may have touched others, and code that is not seen may have changed them since.
 */
#ifndef REPLAY_LOOKS_H
#define REPLAY_LOOKS_H

#include <sys/types.h>

#include "base/common.h"

struct plan_head;
struct replay_result;
struct trace;

/* Is what lies at addr in `now' the variable that was recorded, `was' (NULL: one without a name)?  If
 * not, `why' says so, as a clause. */
bool looks_same(const char *was, struct trace *now, uint64_t addr, struct strbuf *why);
/* The same of all that a property looks at. */
bool looks_same_all(const struct replay_result *r, struct trace *now, const struct plan_head *h,
		    struct strbuf *why);

/* As supervise.check; arg: struct replay_result. */
bool looks_hold(void *arg, pid_t pid, const struct plan_head *h, struct strbuf *why);

#endif /* REPLAY_LOOKS_H */
