/*
 * What events of a trace are to a spec: its variables found in the program, and for each event that
 * matters an item: which variables it reads, what it writes to them, which of the spec's events it
 * may be.
 *
 * Names are C names: globals, `struct.field', `array[3]', `file.c:static_name'; in text
 * traces the names there.  Addresses come from the trace's own tables and the program's debug
 * information, initial values from the program file, else from the spec, else from the first read
 * that shows them.
 *
 * A watch belongs to one reading of one trace: who reads it again binds anew.
 *
 * Ownership: spec and trace are borrowed (the trace for watch_bind and watch_see alone).
 * Threads:   read-only but for watch_see.
 */
#ifndef MONITOR_WATCH_H
#define MONITOR_WATCH_H

#include "monitor/monitor.h"

struct event;
struct trace;

/* The bytes of a variable under mask become these (little-endian numbers); mask bytes are 0 or 255. */
struct watch_write {
	uint32_t variable;
	uint64_t raw, mask;
	bool known; /* else the bytes under mask become unknown */
};

struct watch_item {
	uint64_t pos;
	uint32_t thread;	  /* creation index, for `tid' */
	uint64_t events;	  /* whose pattern fits; `when' is still to be asked */
	uint64_t reads, written;  /* variables */
	uint32_t writes, nwrites; /* into the list's writes */
};

struct watch_items {
	VEC(struct watch_item) at; /* ascending by pos */
	VEC(struct watch_write) writes;
};

void watch_items_release(struct watch_items *items);

/* The item at pos; NULL: the spec does not see that event. */
const struct watch_item *watch_items_find(const struct watch_items *items, uint64_t pos);

struct watch;

/* Finds the spec's variables in the program of the trace.  A name that is not there: ST_BAD_INPUT,
 * and the diag has the spot in the spec and names that are near.  A type whose size or kind is not
 * the program's: likewise. */
enum status watch_bind(const struct spec *s, struct trace *t, struct watch **out,
		       struct diag *d) ST_CHECKED;
void watch_free(struct watch *w);

/* Adds an item if the event matters to the spec.  Call for every event of the trace, in order. */
void watch_see(struct watch *w, struct trace *t, const struct event *e, struct watch_items *out);

/* Initial values, by variable: known from the program or the spec. */
const struct monitor_value *watch_initial(const struct watch *w);

/* What was bound, for people: address, size, where the initial value is from.  False: no such i. */
struct watch_variable {
	uint64_t addr;
	uint32_t size;
	const char *type;   /* by debug information; NULL not known */
	const char *origin; /* of its first value: "program", "spec", "first read"; NULL unknown */
};
bool watch_variable(const struct watch *w, uint32_t i, struct watch_variable *out);
/* Memory that events are looked for in, one after the other: of variables, or of locks. */
struct watch_place {
	uint64_t from, to;
	bool lock;
	int32_t variable; /* of the spec; -1: only patterns name it */
	bool read;	  /* an event of the spec is a read of it */
	uint64_t events;  /* of the spec that are about it, whatever they do */
};
bool watch_place(const struct watch *w, size_t i, struct watch_place *out);
/* Another run of the same program is to be seen, which begins with these values. */
void watch_rewind(struct watch *w, const struct monitor_value *initial);
/* Is thread tid of the run the declared one, as far as is known by now? */
bool watch_thread_is(struct watch *w, struct trace *t, uint32_t declared, uint32_t tid);
/* Of an event that makes a thread: the name of the function that it runs; NULL: not known. */
const char *watch_routine(struct trace *t, const struct event *e);

/* Notes for the user: "repeated reads of x may be missing: record with --full".  Asked after the
 * last event, also what the spec names and nothing was seen of. */
size_t watch_notes(const struct watch *w, const char *const **out);

/* The functions that `call' events name, "open,close": for foresee-cc --foresee-calls. */
void watch_calls(const struct spec *s, struct strbuf *out);

#endif /* MONITOR_WATCH_H */
