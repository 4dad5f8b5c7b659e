/*
 * For tests of what a spec says of a run: a spec from text, and by hand what the events of a trace
 * are to it, so that nothing of the binding is needed.
 */
#ifndef TESTS_SPEC_TEXT_H
#define TESTS_SPEC_TEXT_H

#include "monitor/monitor.h"
#include "monitor/states.h"
#include "monitor/watch.h"
#include "spec/spec.h"
#include "witness/check.h"
#include "witness/view.h"

struct spec_text {
	struct spec *spec;
	struct monitors monitors;
	struct watch_items items;
	struct monitor_value initial[SPEC_VARIABLES]; /* as the spec says */
	struct states_watch watch;		      /* for reports */
	struct view view;			      /* the same, for the checker */
};

/* steps: words "3:x=1" (event 3 writes x), "4:x" (reads it), "5!e" (may be event e); several of one
 * position make one item.  Ends the test program on an error. */
void spec_text_open(struct spec_text *s, const char *spec, const char *steps);
void spec_text_close(struct spec_text *s);

#endif /* TESTS_SPEC_TEXT_H */
