/*
 * Monitors: automata that watch one run, step by step.
 *
 * A state is a few bytes, copied and compared as such, so that a lattice can hold many of them; a
 * step is a function of the state before and the input, and nothing else.  Built-in monitors (past
 * time LTL, regular expressions, state machines) and plug-ins (include/foresee_monitor.h) are the
 * same to everybody else.
 *
 * Ownership: a set owns its monitors.  The spec is borrowed and must outlive it.
 * Threads:   initial and step are called by one thread at a time (monitor/config.h sees to it);
 *            the rest is read-only.
 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include "spec/spec.h"

struct foresee_monitor;

/* What the spec's variables hold: bytes in memory order as a little-endian number, and which of
 * them are known (bit i: byte i). */
struct monitor_value {
	uint64_t raw;
	uint8_t known;
};

/* BAD, ERROR and UNKNOWN last: the property is not looked at any further. */
enum monitor_verdict {
	MONITOR_GOOD,
	MONITOR_BAD,
	MONITOR_ERROR,	 /* division by zero, overflow: the expression has no value */
	MONITOR_UNKNOWN, /* a value is not known, a limit was reached: nothing can be said */
};

struct monitor_input {
	const struct monitor_value *values; /* by variable of the spec, after the event */
	uint64_t events;  /* events of the spec that it is; `when' holds for all */
	uint64_t written; /* variables of the spec that it writes */
	uint32_t thread;  /* creation index, for `tid' */
};

struct monitor {
	const char *name; /* of the property */
	uint32_t size;	  /* bytes of a state, at most MONITOR_STATE */
	/* It looks when the input is one of these events, writes one of these variables, or reads
	 * one of these (which are declared relevant). */
	uint64_t events, writes, reads;
	const struct spec_property *property; /* NULL: a plug-in */
	void *self;
	enum monitor_verdict (*initial)(void *self, const struct monitor_value *values,
					uint8_t *state);
	/* before and after do not overlap. */
	enum monitor_verdict (*step)(void *self, const uint8_t *before,
				     const struct monitor_input *in, uint8_t *after);
	void (*free)(void *self);
	/* For people: how big it is ("3 bits", "7 states"), and why a step gave ERROR or UNKNOWN; the
	 * latter may be NULL. */
	void (*describe)(const void *self, struct strbuf *out);
	const struct strbuf *trouble;
};

#define MONITOR_STATE 4096u	 /* bytes */
#define MONITOR_ERE_STATES 10000 /* default cap */

struct monitors {
	const struct spec *spec; /* NULL: plug-ins alone */
	struct monitor *at;
	uint32_t n; /* at most 64 */
};

/* Monitors of all properties of the spec (not mttl: those are left out).  Errors: a formula too
 * large. */
enum status monitors_new(const struct spec *spec, struct monitors *out, struct diag *d) ST_CHECKED;
/* Where no spec file is given: the declarations of the plug-ins themselves, as a spec, which the
 * caller frees; what several of them say in the same words is there once. */
enum status monitors_declared(const char *const *paths, size_t n, struct spec **out,
			      struct diag *d) ST_CHECKED;
/* Loads a plug-in and adds its monitors.  Its variables and events are looked up by name in the
 * spec.  The shared object stays loaded until monitors_release. */
enum status monitors_load(struct monitors *m, const char *path, struct diag *d) ST_CHECKED;
/* All that a user gives: *spec, or if that is NULL the spec at path, or if that is NULL what the plug-ins
 * declare; then its monitors and those of the plug-ins.  *spec is the caller's to free. */
enum status monitors_read(const char *path, const char *const *plugins, size_t n,
			  struct spec **spec, struct monitors *out, struct diag *d) ST_CHECKED;
void monitors_release(struct monitors *m);
/* A plug-in's own functions, for the checker, which calls them itself; NULL: it is none. */
const struct foresee_monitor *monitor_plugin(const struct monitor *m);

/* True if the monitor looks at the input; reads: variables that it reads. */
static inline bool monitor_is_look(const struct monitor *m, uint64_t events, uint64_t written,
				   uint64_t reads)
{
	return ((events & m->events) | (written & m->writes) | (reads & m->reads)) != 0;
}

/* One of each kind; the property's body says which. */
enum status monitor_ptltl_new(const struct spec *s, const struct spec_property *p,
			      struct monitor *out, struct diag *d);
enum status monitor_ere_new(const struct spec *s, const struct spec_property *p,
			    struct monitor *out, struct diag *d);
enum status monitor_fsm_new(const struct spec *s, const struct spec_property *p,
			    struct monitor *out, struct diag *d);

#endif /* MONITOR_MONITOR_H */
