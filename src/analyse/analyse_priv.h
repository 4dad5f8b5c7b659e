/* What the parts of analyse/analyse.h share. */
#ifndef ANALYSE_ANALYSE_PRIV_H
#define ANALYSE_ANALYSE_PRIV_H

#include "base/common.h"

struct analyse;
struct kept_list;
struct pass;
struct spool;

/* ---- analyse.c ---- */

/* Prints the findings of p and those kept, and what else there is to do with them.  The status to
 * leave with. */
int analyse_report(struct pass *p, const struct kept_list *kept);
/* Says why there is no report.  The status to leave with. */
int analyse_failed(const struct spool *file, struct diag *d);

/* ---- analyse_windows.c ---- */

/* False: it fits in memory, or is no recording.  Else *status is the status to leave with. */
bool analyse_in_windows(struct analyse *a, const struct spool *file, int *status);

#endif /* ANALYSE_ANALYSE_PRIV_H */
