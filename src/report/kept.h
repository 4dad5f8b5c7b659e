/*
 * Findings that outlive the trace they were found in: rendered at once, printed later, by another
 * process or beside findings of other parts of the same recording.
 *
 * In text and JSON they have no number yet; who prints them gives them one.
 */
#ifndef REPORT_KEPT_H
#define REPORT_KEPT_H

#include "report/fingerprint.h"

struct explain_options;
struct report;

/* Strings are owned, and never NULL. */
#define KEPT_STRINGS 5
struct kept {
	uint64_t key; /* kept_key */
	enum finding_kind kind;
	enum finding_status status;
	bool certified;
	bool told;    /* somebody has been told of it already */
	bool known;   /* it is in the baseline */
	uint32_t run; /* of several (analyse/repeat.h), from 1 */
	char fingerprint[FINGERPRINT];
	/* The part of the recording it was found in: from this cut up to that one, 0 the end. */
	uint64_t from_cut, to_cut;
	union {
		struct {
			char *object;  /* what it is about */
			char *summary; /* one line, for people in a hurry */
			char *text;    /* as explain.h tells it in full */
			char *line;    /* the same in one line */
			char *json;    /* its members, behind the number */
		};
		char *strings[KEPT_STRINGS];
	};
};

/* Its signature (finding.h), by names: the same in every reading of a recording, also of parts of it,
 * which numbers of sites are not. */
uint64_t kept_key(const struct report *r, const struct finding *f);

/* Renders one finding of the report, whose evidence is there. */
void kept_make(const struct report *r, const struct explain_options *how, const struct finding *f,
	       struct kept *out);
void kept_release(struct kept *k);

struct kept_list {
	VEC(struct kept) at;
};
void kept_list_release(struct kept_list *l);
struct kept *kept_list_find(const struct kept_list *l, uint64_t key);
/* Takes k.  Of two with one key the surer stays, then the one that was there. */
void kept_list_add(struct kept_list *l, struct kept *k);
/* Surest first, then by kind, then as they came. */
void kept_list_sort(struct kept_list *l);

#endif /* REPORT_KEPT_H */
