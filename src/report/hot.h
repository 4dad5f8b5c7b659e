/*
 * Which functions, variables and files have how many of a trace's accesses: what recording them costs, and what
 * `record --ignore' would bring.
 *
 *	struct hot h = { 0 };
 *	hot_event(&h, &e)	for each event
 *	hot_print(&h, t, to)
 *	hot_release(&h)
 */
#ifndef REPORT_HOT_H
#define REPORT_HOT_H

#include "trace/event.h"

struct json;
struct trace;

struct hot {
	VEC(uint64_t) by_site;
	uint64_t accesses, events;
};

void hot_release(struct hot *h);
void hot_event(struct hot *h, const struct event *e);
/* The first HOT_LINES of each. */
#define HOT_LINES 10
void hot_print(const struct hot *h, const struct trace *t, FILE *to);
/* "hot": {"functions": [{"name": ..., "events": ...}], "variables": [...], "files": [...]} */
void hot_json(const struct hot *h, const struct trace *t, struct json *j);

#endif /* REPORT_HOT_H */
