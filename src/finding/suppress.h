/*
 * Suppressions: findings that somebody has looked at and does not want to see again.
 *
 *	# one rule a line: KIND:PART:GLOB
 *	race:variable:stats.*
 *	race:function:log_*
 *	deadlock:lock:*pool*
 *	*:file:inflate.c
 *	property:property:land*
 *
 * KIND is that of a finding, or *.  A variable rule looks at the name of what is raced on, or of
 * any lock or condition that threads wait for (`lock' means the same), a function or file rule at
 * every frame of every access or request, a property
 * rule at the name of the property that is violated.  In GLOB * and ? and [...] stand for
 * any characters, slashes too; a file rule may name the last part of a path alone.  Blanks around a
 * line do not count, blanks within GLOB do.
 *
 * Ownership: the caller frees it.
 */
#ifndef FINDING_SUPPRESS_H
#define FINDING_SUPPRESS_H

#include "finding/finding.h"

struct suppress;

enum status suppress_read(const char *path, struct suppress **out, struct diag *d) ST_CHECKED;
/* The same from memory; name is for messages, which give line and column. */
enum status suppress_parse(const char *text, size_t n, const char *name, struct suppress **out,
			   struct diag *d) ST_CHECKED;
void suppress_free(struct suppress *s);
/* Takes `more': its rules come behind those of *into, which may be NULL. */
void suppress_join(struct suppress **into, struct suppress *more);

/* The names of a finding; strings are borrowed. */
struct suppress_names {
	VEC(const char *) variables, functions, files;
	const char *property; /* or NULL */
};

/* Counting starts anew, for another trace. */
void suppress_begin(struct suppress *s);

/* Some rule matches; the first one is counted. */
bool suppress_match(struct suppress *s, enum finding_kind kind, const struct suppress_names *names);

struct suppress_rule {
	uint32_t line;
	char *text;    /* as written */
	uint64_t hits; /* findings it has matched since suppress_begin */
	bool used;     /* it has ever matched */
};
size_t suppress_count(const struct suppress *s);
struct suppress_rule suppress_rule(const struct suppress *s, size_t i);

#endif /* FINDING_SUPPRESS_H */
