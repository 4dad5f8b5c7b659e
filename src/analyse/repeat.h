/*
 * What several runs of a program, or of the tests of one, have shown, put together: a finding that came up before is no
 * news, unless it is surer now.
 *
 *	repeat_begin(&r, a, "run");
 *	each run:	if (repeat_news(&r, trace, analyse_trace(a, trace))) keep the trace
 *	repeat_report(&r, all)			prints all of them, and what each run has added
 */
#ifndef ANALYSE_REPEAT_H
#define ANALYSE_REPEAT_H

#include "base/texts.h"
#include "report/kept.h"

struct analyse;

struct repeat {
	struct analyse *a;
	const char *one; /* what it is of many, in words: "run", "trace" */
	struct kept_list found;
	struct texts traces; /* of each run that is over: where it is kept, if it is */
	VEC(uint32_t) added; /* by each run that is over */
	uint32_t news;	     /* of the run at hand */
	uint32_t quiet;	     /* runs since one has added something */
	bool is_short;	     /* a budget ran out in one of them */
	bool is_failed;	     /* one could not be analysed */
};

/* From now on analyse_trace adds to it, and reports nothing. */
void repeat_begin(struct repeat *r, struct analyse *a, const char *one);
void repeat_release(struct repeat *r);

/* The number of the next run. */
uint32_t repeat_next(const struct repeat *r);
/* A run has been analysed, with that status: how many findings it has added, or made surer. */
size_t repeat_news(struct repeat *r, const char *trace, int status);
/* Where the trace of a run is kept, from that of all: "a.foresee" of run 3 is "a.3.foresee". */
void repeat_path(const char *trace, uint32_t run, struct strbuf *out);

/* All of it, to the output of the analysis, under one name.  The status to leave with. */
int repeat_report(struct repeat *r, const char *all);

#endif /* ANALYSE_REPEAT_H */
