/*
 * Witness files: a finding's proof, for `foresee verify' and for replay.  doc/WITNESS.md.
 *
 * Ownership: witness_release frees what a witness holds.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "finding/finding.h"

struct check_claim;
struct evidence;

struct witness {
	char digest[65]; /* of the trace; "" when the file gives none */
	enum finding_kind kind;
	enum finding_block block; /* line `block split' */
	struct texts atomic;	  /* lines `atomic NAME': functions that are meant to be */
	bool dep;		  /* line `model dep' */
	bool values;
	VEC(uint64_t) targets, stray;
	bool has_stray;
	VEC(uint64_t) order; /* without the targets; of a property with it */
	/* Of properties: its name, and the spec that says what it is; NULL, "": not given. */
	char *property;
	struct strbuf spec;
};

void witness_release(struct witness *w);

/* Reads a file into text and takes what needs no trace out of it: kind, property, spec and targets, which
 * the trace need not have.  It is read with these in hand; witness_parse takes the rest. */
enum status witness_head(const char *path, struct strbuf *text, struct witness *out,
			 struct diag *d) ST_CHECKED;

/* Needs the evidence for ranges by thread; name is for messages, which say line and column. */
enum status witness_parse(const char *text, size_t n, const char *name, const struct evidence *ev,
			  struct witness *out, struct diag *d) ST_CHECKED;
void witness_format(const struct witness *w, const struct evidence *ev, struct strbuf *out);

/* What the checker is asked; strict and values may still be set, and of a property the view. */
struct check_claim witness_claim(const struct witness *w);

#endif /* WITNESS_WITNESS_H */
