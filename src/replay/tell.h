/*
 * What came of a replay, for a person (text) and for programs (JSON, doc/REPLAY.md).
 */
#ifndef REPLAY_TELL_H
#define REPLAY_TELL_H

#include "base/common.h"

struct plan_op;
struct replay;
struct replay_result;
struct replay_run;

void tell_print(const struct replay *o, const struct replay_result *r, FILE *to);
void tell_json_print(const struct replay *o, const struct replay_result *r, FILE *to);

/* In a sentence: how the two orders of a race differ, that it came so, or why not. */
void tell_brief(const struct replay *o, const struct replay_result *r, struct strbuf *out);

/* ---- what both say ---- */

/* The order of the two accesses of a race, "write, read", or by threads where they are alike. */
void tell_order(const struct replay_result *r, int first, struct strbuf *out);
/* Lock number i of those that the thread holds at the point. */
void tell_held(const struct replay *o, const struct replay_result *r, const struct replay_run *run,
	       uint32_t thread, uint32_t i, struct strbuf *out);
/* What lies at an address of the run, as far as that is known; else the address. */
void tell_object(const struct replay_run *run, uint64_t addr, struct strbuf *out);
/* How many threads the order has events of. */
uint32_t tell_reach(const struct replay_result *r);
/* The operation of a thread that is about: "write", "lock", "wait". */
const char *tell_op(const struct replay_result *r, uint32_t thread);

#endif /* REPLAY_TELL_H */
