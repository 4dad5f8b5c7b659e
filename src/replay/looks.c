#include "replay/looks.h"

#include <sys/uio.h>

#include "base/sort.h"
#include "replay/replay.h"
#include "replay/scratch.h"
#include "trace/trace.h"

/* ---- which variables ---- */

bool looks_same(const char *was, struct trace *now, uint64_t addr, struct strbuf *why)
{
	const char *is;
	size_t n;

	if (!was)
		return true;
	scratch_learn(now, addr);
	is = trace_object_own(now, addr);
	n = trace_object_whole(is);
	if (strncmp(is, "0x", 2) == 0 || (n == trace_object_whole(was) && memcmp(was, is, n) == 0))
		return true;
	strbuf_addf(why, "what is touched there is %s, not %s", is, was);
	return false;
}

bool looks_same_all(const struct replay_result *r, struct trace *now, const struct plan_head *h,
		    struct strbuf *why)
{
	bool same = true;

	for (size_t i = 0; same && i < r->plan.looks.n; i++) {
		const struct plan_look *l = &r->plan.looks.at[i];
		const char *was = trace_object_own(r->recorded, l->addr);

		same = trace_object_is_anonymous(was) ||
		       looks_same(was, now, plan_touched(h)[l->step], why);
	}
	return same;
}

/* ---- what they hold ---- */

struct held {
	uint64_t addr; /* now */
	const struct plan_look *look;
};

static int held_order(const void *x, const void *y, void *none)
{
	const struct held *a = x, *b = y;

	(void)none;
	return a->addr != b->addr ? SORT_ORDER(a->addr, b->addr)
				  : SORT_ORDER(a->look->rank, b->look->rank);
}

/* The bytes of one write, which was the last there. */
static bool is_held(const struct replay_result *r, pid_t pid, const struct held *at,
		    struct strbuf *why)
{
	const struct plan_step *s = &plan_steps(r->plan.head)[at->look->step];
	uint8_t bytes[8] = { 0 };
	struct iovec here = { bytes, at->look->len };
	struct iovec there = { (void *)(uintptr_t)at->addr, at->look->len };

	if (at->look->len > 8 ||
	    process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)at->look->len ||
	    memcmp(bytes, &s->value, at->look->len) == 0)
		return true;
	strbuf_addf(why, "%s holds ", trace_object_own(r->recorded, at->look->addr));
	strbuf_add_number(why, bytes, at->look->len);
	strbuf_adds(why, ", not ");
	strbuf_add_number(why, &s->value, at->look->len);
	strbuf_adds(why, ": code that is not seen has changed it");
	return false;
}

bool looks_hold(void *arg, pid_t pid, const struct plan_head *h, struct strbuf *why)
{
	const struct replay_result *r = arg;
	VEC(struct held) all = { 0 };
	uint64_t end = 0; /* of those before, at other addresses */
	uint32_t last = 0;
	bool good = true;

	for (size_t i = 0; r->plan.looks_whole && i < r->plan.looks.n; i++) {
		const struct plan_look *l = &r->plan.looks.at[i];

		*VEC_PUSH(&all) = (struct held){ plan_touched(h)[l->step], l };
		last = l->rank > last ? l->rank : last;
	}
	if (all.n > 0)
		qsort_r(all.at, all.n, sizeof(*all.at), held_order, NULL);
	for (size_t i = 0; good && i < all.n; i++) {
		const struct held *at = &all.at[i], *next = i + 1 < all.n ? at + 1 : NULL;

		if (i > 0 && at[-1].addr != at->addr)
			end = at[-1].addr + at[-1].look->len > end ? at[-1].addr + at[-1].look->len
								   : end;
		/* With the last one the property fails, whatever comes then.  Of writes that overlap
		 * otherwise than in all bytes nothing is said. */
		if (at->look->rank != last && at->addr >= end &&
		    (!next || next->addr >= at->addr + at->look->len))
			good = is_held(r, pid, at, why);
	}
	VEC_RELEASE(&all);
	return good;
}
