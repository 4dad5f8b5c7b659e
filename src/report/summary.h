/*
 * The last lines of a report: how many findings, and how far the analyses have looked.
 *
 * Nothing here may sound cleaner than it is: "no race" or "no deadlock" is said of the recorded
 * run's reorderings only where every candidate was refuted and no budget ran out.
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "base/strbuf.h"

struct report;

void summary_format(const struct report *r, struct strbuf *out);

#endif /* REPORT_SUMMARY_H */
