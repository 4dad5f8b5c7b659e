/*
 * What a correct reordering is, as SMT-LIB 2: for each event whether it is in, and when; then for each race
 * or deadlock that there could be the question whether a reordering leads there.  (check-sat) answers sat
 * exactly where `exact' and `deadlocks' predict.
 *
 * The model is an independent statement of doc/SEMANTICS.md, over orders and not, as the Promela model, over
 * states.
 */
#ifndef EXPORT_SMT2_H
#define EXPORT_SMT2_H

#include "export/promela.h"

/* Of all conditions together: solvers are lost long before. */
#define SMT2_BYTES (64u << 20)

/* The options are those of promela_write, and so are the limits on events and pairs. */
enum status smt2_write(const struct model *m, const struct promela_options *opt, struct strbuf *out,
		       struct diag *d) ST_CHECKED;

#endif /* EXPORT_SMT2_H */
