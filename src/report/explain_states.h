/*
 * What a spec's variables hold after each look of a run, as a table beside its picture:
 *
 *	approved  landing  radio
 *	0         0        1
 *	1*        0        1
 *	1         1*       0        <-- violated
 *
 * A star marks what the event has changed.  Only the variables that the property is about have a
 * column.
 */
#ifndef REPORT_EXPLAIN_STATES_H
#define REPORT_EXPLAIN_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "spec/spec.h"
#include "monitor/states.h"

struct columns;
struct finding;

/* All borrowed. */
struct explain_states {
	const struct states_watch *watch;
	const struct states *states;
	const struct finding *f;
	uint64_t shown; /* variables */
	int widths[SPEC_VARIABLES];
	const char *names[SPEC_VARIABLES]; /* as they are written */
};

void explain_states_init(struct explain_states *t, const struct states_watch *w,
			 const struct states *s, const struct finding *f);
/* From now on, names by their last part where no other variable has it: `valid' of `store::entry.valid'. */
void explain_states_shorten(struct explain_states *t);
/* The head of the table, if there is one. */
void explain_states_head(const struct explain_states *t, struct columns *c);
/* The state as the note of the latest row; before: the one that it follows, or itself.  Where the table
 * has no room what an event writes is in its row, and is not said again. */
void explain_states_note(const struct explain_states *t, size_t before, size_t state,
			 struct columns *c);

/* "open, use": the spec's events that led there. */
void explain_states_events(const struct explain_states *t, size_t state, struct strbuf *out);
/* " x = 1, y = 2": what was written to get there.  False: nothing. */
bool explain_states_written(const struct explain_states *t, size_t state, struct strbuf *out);
/* " x": variables of the spec that the event reads or writes. */
void explain_states_read(const struct explain_states *t, uint64_t pos, struct strbuf *out);

/* The variables of the property, by number; of a plug-in's all. */
uint64_t explain_states_variables(const struct states_watch *w, const char *property);

#endif /* REPORT_EXPLAIN_STATES_H */
