/*
 * What the kinds of properties have in common (judge.c, with state machines), and what each does
 * (judge_KIND.c).
 */
#ifndef WITNESS_JUDGE_PRIV_H
#define WITNESS_JUDGE_PRIV_H

#include "witness/judge.h"

struct judge_rx;
struct judge_plugin;

/* A step, with its events asked. */
struct judge_moment {
	const struct value *values;
	uint64_t events, written;
	uint32_t thread;
};

struct judge {
	const struct spec *spec;
	const struct spec_property *property;	       /* or NULL: a plug-in's */
	uint64_t step_events, step_writes, step_reads; /* any of these is a step */
	enum judge_verdict verdict;
	const char *trouble;
	/* ptltl: by subformula, in the order of reading; enum value_truth */
	bool begun;
	uint8_t *now, *before;
	/* fsm: by state, whether it is in it */
	bool *in, *next;
	struct judge_rx *rx;
	struct judge_plugin *plugin;
};

/* m->values is set; NULL: nothing has happened yet. */
enum judge_verdict judge_form(struct judge *j, const struct judge_moment *m);
uint32_t judge_form_size(const struct spec_form *f);

/* No event of any run fits both patterns, whatever their conditions. */
bool judge_events_exclude(const struct spec *s, const struct spec_event *x,
			  const struct spec_event *y);

struct judge_rx *judge_rx_new(const struct spec *s, const struct spec_property *p);
void judge_rx_free(struct judge_rx *r);
/* letter: the property's events that one event is; 0: the beginning. */
enum judge_verdict judge_rx(struct judge_rx *r, uint64_t letter);

/* *events, *variables: the sets of the spec's that it names. */
struct judge_plugin *judge_plugin_new(const struct spec *s, const struct foresee_monitor *m,
				      uint64_t *events, uint64_t *variables);
void judge_plugin_free(struct judge_plugin *p);
enum judge_verdict judge_plugin(struct judge_plugin *p, const struct judge_moment *m, bool first,
				const char **why);

#endif /* WITNESS_JUDGE_PRIV_H */
