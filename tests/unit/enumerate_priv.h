/* What the walk over states (enumerate.c) and the test of one order (enumerate_whole.c) share. */
#ifndef TESTS_ENUMERATE_PRIV_H
#define TESTS_ENUMERATE_PRIV_H

#include "enumerate.h"

/* In place of a write: its content is not the observed one.  All such contents are alike. */
#define ENUMERATE_TAINTED (-2)

/* Whether the read gets the observed value from this content of one of its cells. */
bool enumerate_sees(const struct tiny *t, struct enumerate_mode mode, int read, int cell,
		    int content);

#endif /* TESTS_ENUMERATE_PRIV_H */
