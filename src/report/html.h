/*
 * A report as a page for a browser: one file that needs nothing else, not even a network.
 *
 * The page is hand-written (src/report/html/) and the same for every report; what was found lies in it as
 * JSON, which is no script: names that a program has made up are data, whatever they look like.  A policy in its head
 * allows this one script and this one style, by their digests, and nothing else.
 *
 * doc/HTML.md says what a reader sees and what the JSON holds.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/common.h"

struct report;

/* The page; sources: lines of the program's source go into it. */
void html_print(const struct report *r, bool sources, FILE *to);

#endif /* REPORT_HTML_H */
