/*
 * What watch.c (events), watch_thread.c (threads by name) and bind*.c (names) share.
 *
 * Memory that somebody is interested in is a list of ranges; most events touch none, which the
 * bounds and a small table of words tell at once.
 */
#ifndef MONITOR_WATCH_PRIV_H
#define MONITOR_WATCH_PRIV_H

#include "monitor/watch.h"
#include "spec/spec.h"
#include "trace/trace.h"

struct program_global;

/* Memory of a declared variable, of a variable that only patterns name, or of a lock. */
struct watch_range {
	uint64_t from, to;
	int32_t variable;	/* -1: none that is declared */
	uint64_t reads, writes; /* events of the spec */
	uint64_t acquires, releases;
};

/* Most words are nobody's: a bit for each, by its number modulo this. */
#define WATCH_WORDS 4096u

struct watch_ranges {
	VEC(struct watch_range) at;
	uint64_t low, high; /* around them all */
	uint64_t words[WATCH_WORDS / 64];
};

/* A declared variable. */
struct watch_bound {
	uint64_t addr;
	uint32_t size;
	const char *type;
	const char *origin;
	bool found;		  /* addr is known */
	bool seen;		  /* something was done to it */
	struct monitor_value now; /* in the recorded run */
};

/* A name that the program itself gives as it runs (FORESEE_VARIABLE, FORESEE_INTERNAL). */
struct watch_named {
	const char *name;
	bool lock;
	struct watch_range is; /* from and to: at present */
};

struct watch_thread {
	const char *routine;	  /* NULL not known */
	bool looked;		  /* and will not be */
	VEC(const char *) blocks; /* BEGIN without END; NULL: of no name */
};

struct watch {
	const struct spec *spec;
	struct watch_bound *bound;     /* by variable */
	struct monitor_value *initial; /* by variable */
	struct watch_ranges memory, locks;
	uint64_t of_op[SPEC_NOPS]; /* events of the spec by what they are */
	uint64_t any[SPEC_NOPS];   /* READ ... REL: those of any object */
	VEC(struct watch_named) named;
	bool text;			  /* the trace is */
	bool names;			  /* a thread is declared by a name */
	uint64_t threads_seen;		  /* declarations that a thread has fitted */
	uint64_t events_seen;		  /* likewise, of events; by whom is not asked */
	VEC(struct watch_thread) threads; /* by tid */
	struct intern *strings;
	bool begun;    /* an event was seen */
	size_t nbound; /* notes from watch_bind; the rest come and go */
	struct texts notes;
};

/* ---- watch.c ---- */

/* Adds a range, or more to one that is the same. */
void watch_range_add(struct watch_ranges *r, struct watch_range new);

/* ---- watch_thread.c ---- */

/* Looks at an event for names of start routines; only where w->names. */
void watch_thread_learn(struct watch *w, struct trace *t, const struct event *e);
/* Creation index. */
uint32_t watch_thread_number(const struct watch *w, struct trace *t, uint32_t tid);
/* The name of the block that a BEGIN or END is of; NULL none.  Call for each. */
const char *watch_thread_block(struct watch *w, const struct event *e);

/* ---- bind.c, bind_first.c, bind_name.c, bind_notes.c, bind_type.c ---- */

void bind_notes(struct watch *w, const struct trace_info *info);
/* First values that nothing else tells, by the first reads of the trace. */
void bind_first(struct watch *w, struct trace *t, const struct trace_info *info);
const char *bind_keep(struct watch *w, const char *s);

/* Memory that a name of the spec means. */
struct bind_found {
	uint64_t addr, size;
	const char *type; /* or NULL */
	bool named_later; /* the program will say where it is */
	bool has_layout;  /* by debug information: */
	uint8_t kind;	  /* enum layout_kind */
	bool is_signed, is_loose;
	/* First bytes, as in names/variables.h, but from its own beginning. */
	const uint8_t *initial;
	uint32_t ninitial, nseen;
};
enum status bind_name(struct watch *w, struct trace *t, const char *name, struct spec_spot at,
		      struct bind_found *out, struct diag *d) ST_CHECKED;
/* The declared type against the program's. */
enum status bind_type(const struct watch *w, const struct spec_variable *v,
		      const struct bind_found *f, struct diag *d) ST_CHECKED;

#endif /* MONITOR_WATCH_PRIV_H */
