/* What is to be reached, for promela.c; found in promela_goals.c.  Comments in models. */
#ifndef EXPORT_PROMELA_PRIV_H
#define EXPORT_PROMELA_PRIV_H

#include "export/promela.h"

#define PROMELA_CIRCLE 8 /* requests that wait for one another, at most */

/* All of its events are next. */
struct promela_goal {
	uint32_t event[PROMELA_CIRCLE]; /* ascending */
	uint32_t n;
	bool deadlock; /* else a race */
};

struct promela_goals {
	VEC(struct promela_goal) at;
	size_t deadlocks;
};

/* What the event is, as a comment that nothing in a name can end. */
void promela_comment(uint64_t number, const char *text, struct strbuf *out);

enum status promela_goals_find(const struct model *m, const struct promela_options *opt,
			       struct promela_goals *out, struct diag *d) ST_CHECKED;

#endif /* EXPORT_PROMELA_PRIV_H */
