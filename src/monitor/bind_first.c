/*
 * First values by first reads: what a thread reads before anybody in the trace has written there
 * was there at the start.  Events come in an order in which every read follows the write that it
 * saw, so it is enough to look at each byte until something is done to it.
 *
 * That takes a reading of its own, up to where the last byte is settled; so only variables are
 * looked for that neither the program nor the spec gives a value.
 */

#include "monitor/watch_priv.h"
#include "names/variables.h"

#define EVENTS_MOST 1000000u

struct looking {
	struct watch *w;
	struct {
		uint64_t addr;
		uint32_t variable;
		uint8_t open; /* bytes that nothing was done to */
	} at[SPEC_VARIABLES];
	uint32_t n;
	uint64_t low, high;
};

static void byte_settle(struct looking *l, uint32_t i, unsigned byte, const struct event *e)
{
	const uint8_t *seen = e->op == EVENT_READ ? e->value : e->op == EVENT_RMW ? e->old : NULL;
	struct monitor_value *v = &l->w->initial[l->at[i].variable];
	uint64_t at = l->at[i].addr + byte;

	if (at < e->addr || at - e->addr >= e->len || !(l->at[i].open >> byte & 1))
		return;
	l->at[i].open &= (uint8_t) ~(1u << byte);
	if (!seen || !(e->flags & EVENT_HAS_VALUE) || (e->flags & EVENT_UNKNOWN))
		return;
	v->raw |= (uint64_t)seen[at - e->addr] << 8 * byte;
	v->known |= (uint8_t)(1u << byte);
}

/* False: every byte is settled. */
static bool look(struct looking *l, const struct event *e)
{
	bool open = false;

	if (e->op > EVENT_ALLOC || e->addr >= l->high || e->addr + e->len <= l->low)
		return true;
	for (uint32_t i = 0; i < l->n; i++) {
		for (unsigned byte = 0; byte < 8; byte++)
			byte_settle(l, i, byte, e);
		open = open || l->at[i].open;
	}
	return open;
}

static void looking_add(struct looking *l, uint32_t variable, uint64_t addr)
{
	uint32_t size = l->w->bound[variable].size;

	l->at[l->n].addr = addr;
	l->at[l->n].variable = variable;
	l->at[l->n].open = (uint8_t)((1u << size) - 1);
	l->low = l->n == 0 || addr < l->low ? addr : l->low;
	l->high = addr + size > l->high ? addr + size : l->high;
	l->n++;
}

/* Addresses of text are made as names come: in the same order as when this trace was bound. */
static bool address_again(struct watch *w, struct trace *again, uint32_t variable, uint64_t *addr)
{
	*addr = w->bound[variable].addr;
	return !w->text || variables_address(again, w->spec->variables[variable].name, false, addr);
}

void bind_first(struct watch *w, struct trace *t, const struct trace_info *info)
{
	struct looking l = { .w = w };
	struct diag d = { 0 };
	struct trace *again;
	struct event e;

	for (uint32_t i = 0; i < w->spec->nvariables; i++)
		l.n += w->initial[i].known == 0 && w->bound[i].found;
	if (l.n == 0 || info->locks_only || trace_again(t, &again, &d) != ST_OK)
		return;
	l.n = 0;
	for (uint32_t i = 0; i < w->spec->nvariables; i++) {
		uint64_t addr;

		if (w->initial[i].known == 0 && w->bound[i].found &&
		    address_again(w, again, i, &addr))
			looking_add(&l, i, addr);
	}
	for (uint32_t n = 0; n < EVENTS_MOST && trace_next(again, &e, &d) == ST_OK; n++)
		if (!look(&l, &e))
			break;
	for (uint32_t i = 0; i < l.n; i++)
		if (w->initial[l.at[i].variable].known)
			w->bound[l.at[i].variable].origin = "first read";
	trace_close(again);
}
