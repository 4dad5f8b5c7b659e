/*
 * What an event is known by in another run (trace/plan.h): its class, how many solid events its thread
 * had before, which new one of its class and key since then.
 */
#ifndef REPLAY_IDENTITY_H
#define REPLAY_IDENTITY_H

#include "base/common.h"
#include "trace/plan.h"

struct draft;
struct draft_item;

/* By its kind; whether it is new is another matter. */
enum plan_class identity_class(uint8_t op, uint32_t flags, uint64_t addr, uint64_t len);

/* Does it end the epoch of its thread's reads? */
bool identity_ends_epoch(const struct draft_item *it);

/* Of all events. */
void identity_find(struct draft *d);

#endif /* REPLAY_IDENTITY_H */
