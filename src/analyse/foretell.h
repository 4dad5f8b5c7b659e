/*
 * Properties about knowledge (mttl) in runs that did not happen.  What threads know in another order is another thing
 * than in the recorded one, and no lattice tells it.  So orders are tried: those that lead to other findings, and those
 * in which of two sections of one lock the later one comes first.  In each the checker (witness/knowledge.h) looks where
 * a property is false, and certifies the order up to there.
 *
 * What comes of it is right, and not all there is.
 */
#ifndef ANALYSE_FORETELL_H
#define ANALYSE_FORETELL_H

#include "analyse/certify.h"

struct model;

/* Who finds violations of mttl properties: not in the table of engines. */
extern const struct engine foretell_engine;

/* For properties that are not violated in the recorded run, after all findings have been checked.  m: of the whole
 * run; or NULL.  False: not all that was to be tried was. */
bool foretell(struct certify *c, const struct model *m, struct findings *f);

#endif /* ANALYSE_FORETELL_H */
