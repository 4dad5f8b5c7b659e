/* Engines asked about the trace of a trial. */
#ifndef TESTS_TRIAL_ENGINES_H
#define TESTS_TRIAL_ENGINES_H

#include <stdbool.h>
#include <stddef.h>

#include "predict/engine.h"
#include "trial.h"

struct trial_question {
	const struct engine *engine; /* NULL: no question */
	struct engine_options opt;   /* without jobs */
};

/* All answers with so many jobs, by one reading of the trace.  out: zeroed, n of them. */
void trial_ask(const struct trial *x, const struct trial_question *q, size_t n, unsigned jobs,
	       struct engine_result *out);

bool trial_same_findings(const struct findings *a, const struct findings *b);

/* Asks all, for half of the traces by three jobs too, and has each answer judged; same: the number
 * of jobs made no difference. */
void trial_try(const struct trial *x, const struct trial_question *q, size_t n,
	       void (*judge)(const struct trial *x, size_t i, struct engine_result *r, bool same));

/* The schedule of the finding leads where it says, by the checker and by the definition; of waits
 * in doubt: by both in doubt. */
bool trial_proves(const struct trial *x, const struct engine_options *opt, const struct finding *f);

/* ONLY=a,b in the environment leaves out all others. */
bool trial_is_wanted(const char *engine);

#endif /* TESTS_TRIAL_ENGINES_H */
