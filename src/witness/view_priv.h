/*
 * While the trace is read: what view_bind.c finds and view.c looks at.
 */
#ifndef WITNESS_VIEW_PRIV_H
#define WITNESS_VIEW_PRIV_H

#include "trace/trace.h"
#include "witness/view.h"

/* Memory; to == 0: nowhere. */
struct view_span {
	uint64_t from, to;
};

/* A declared variable, or what a pattern names that is none (a lock, other memory). */
struct view_object {
	struct view_span at;
	struct view_span again; /* text: an element has two names */
	const char *name;	/* ... */
	bool said;		/* the program itself says where it is, as it runs */
	bool located;		/* at is, or was once, somewhere */
	struct value now;	/* variables: in the recorded run */
	uint8_t open;		/* variables: bytes that a first read may tell */
};

struct view_thread {
	const char *routine;	  /* NULL: not known */
	VEC(const char *) blocks; /* begun and not ended; NULL: of no name */
};

struct view_sight {
	struct view_object variable[SPEC_VARIABLES];
	struct view_object object[SPEC_EVENTS]; /* READ .. REL of what is no variable */
	VEC(struct view_thread) threads;	/* by tid */
	struct intern *strings;
	bool text;	    /* the trace is */
	bool broad;	    /* a pattern fits every event, or every access */
	bool names;	    /* a thread is known by its start routine, perhaps */
	uint64_t low, high; /* around all that lies somewhere */
};

/* Places, and what the program and the spec say of first values.  False: v->trouble says why. */
bool view_bind_all(struct view *v, struct trace *t);

/* Sets it, and takes it into low and high. */
void view_span_set(struct view_sight *s, struct view_span *p, uint64_t addr, uint64_t size);

/* One event that is looked at. */
struct view_look {
	struct view *v;
	struct view_sight *s;
	struct trace *t;
	const struct event *e;
	struct view_event is;
};

struct view_thread *view_thread_of(struct view_sight *s, uint32_t tid);
/* The text, for as long as the view is; NULL of NULL. */
const char *view_keep(struct view_sight *s, const char *text);
/* A start routine: as the call that made the thread names it, else where its first event is. */
void view_routine_learn(struct view_look *l);
/* By creation; in text T3 is the third, whoever comes first. */
uint64_t view_thread_number(const struct view_look *l, uint32_t tid);
bool view_thread_is(const struct view_look *l, const struct spec_thread *d, uint32_t tid);

#endif /* WITNESS_VIEW_PRIV_H */
