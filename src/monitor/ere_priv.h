/*
 * Terms of extended regular expressions, each kept once, and their derivatives.
 *
 * A letter is a set of events, not empty: what one event of the run is to the property.  The term
 * `e' takes every letter that has e in it, `.' takes every letter.
 *
 * Equal numbers are equal terms.  Not all equal languages are equal terms, but each term has
 * finitely many derivatives (Brzozowski): alternatives and intersections are kept as sorted sets,
 * which takes care of associativity, commutativity and idempotence.
 *
 * All is bounded: past that everything new is ERE_FULL.
 */
#ifndef MONITOR_ERE_PRIV_H
#define MONITOR_ERE_PRIV_H

#include "spec/spec.h"

#define ERE_NOTHING 0u /* matches no word */
#define ERE_EMPTY 1u   /* the empty word alone */
#define ERE_ANY 2u     /* any one letter */
#define ERE_ALL 3u     /* every word */
#define ERE_FULL UINT32_MAX

enum ere_op { ERE_LEAF, ERE_EVENT, ERE_CAT, ERE_OR, ERE_AND, ERE_NOT, ERE_STAR };

struct ere_term {
	uint8_t op; /* enum ere_op */
	bool nullable;
	uint32_t kids, nkids; /* EVENT: kids is its number */
	uint32_t same;	      /* an older term with the same hash, or ERE_FULL */
};

struct ere_terms {
	VEC(struct ere_term) at;
	VEC(uint32_t) kids;
	VEC(uint32_t) stack; /* operands of terms in the making */
	struct map newest;   /* by hash */
	struct map letters;  /* set of events -> its number */
	uint32_t nletters;
	struct map derived; /* term and letter -> term */
};

void ere_terms_init(struct ere_terms *t);
void ere_terms_release(struct ere_terms *t);

/* The term of a tree. */
uint32_t ere_term(struct ere_terms *t, const struct spec_rx *r);
/* What may follow the letter.  ERE_FULL: too many terms. */
uint32_t ere_derive(struct ere_terms *t, uint32_t term, uint64_t letter);
bool ere_is_nullable(const struct ere_terms *t, uint32_t term);

#endif /* MONITOR_ERE_PRIV_H */
