/*
 * Why a replay did not come to its point, and what the threads were doing then, in words: what was
 * expected, what came, and where.
 */
#ifndef REPLAY_WHY_H
#define REPLAY_WHY_H

#include "base/common.h"

struct replay_result;
struct replay_run;

/* "T2 "worker"": as the recording calls it. */
void why_thread(const struct replay_result *r, uint32_t thread, struct strbuf *out);

/* "T2 after 36 events of its own: expected ...", in one line. */
void why_words(const struct replay_result *r, const struct replay_run *run, struct strbuf *out);
/* What usually brings that about; "": nothing in particular. */
const char *why_cause(const struct replay_run *run);

/* What a thread of the plan is doing: "waits for T3 to come to ..., event 12". */
void why_state(const struct replay_result *r, const struct replay_run *run, uint32_t thread,
	       struct strbuf *out);
/* The same in a word. */
const char *why_state_name(uint32_t state);

#endif /* REPLAY_WHY_H */
