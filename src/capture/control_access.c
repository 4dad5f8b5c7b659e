/*
 * Gates of accesses.  One lasts to the end of its hook: hook_leave finds THREAD_SIGNALLED and goes to
 * control_leave.
 */
#include <string.h>

#include "capture/baton.h"
#include "capture/guard.h"

/* ---- new reads ---- */

/* What lies at its bytes, in their places in the word. */
static uint64_t value_at(const struct control *c)
{
	uint64_t value = 0;

	memcpy((char *)&value + (c->op.addr & 7), (const void *)c->op.addr, c->op.len);
	return value;
}

/* The bits of the word that a mask of its bytes stands for. */
static uint64_t bits_of(uint32_t mask)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			bits |= 0xffull << 8 * i;
	return bits;
}

/* What the thread has read of the word in this epoch; NULL: no memory. */
static struct control_entry *seen_of(struct control *c)
{
	bool fresh;

	if (c->seen.stamp != c->epoch)
		control_stamp(&c->seen, c->epoch);
	return control_find(&c->seen, c->word, &fresh);
}

/* Has the thread not read all of these bytes in this epoch, not here, or with other values?  Now it has. */
static bool is_new(struct control *c, uint64_t value)
{
	uint32_t mask = ((1u << c->op.len) - 1) << (c->op.addr & 7);
	uint16_t place = control_plan->places ? format_place_bit(c->op.site) : 1;
	uint64_t bits = bits_of(mask);
	struct control_entry *e = seen_of(c);
	bool differs;

	if (e == NULL)
		return true;
	differs = ((e->value ^ value) & bits_of(mask & e->n)) != 0;
	if (!differs && (mask & ~e->n) == 0 && (e->places & place))
		return false;
	e->value = (e->value & ~bits) | value;
	e->n |= mask;
	e->places = differs ? place : e->places | place;
	return true;
}

/* The same of the step behind the one that is under way, if one is. */
static bool is_step_after(struct control *c, enum plan_class class, uint32_t key, uint32_t nth)
{
	bool is;

	c->next += c->matched;
	is = control_is_step(c, class, key, nth);
	c->next -= c->matched;
	return is;
}

/* ---- gates ---- */

/* From here to the end of the hook: hook_leave goes to control_leave. */
static void begin(struct control *c, struct thread *t, const void *p, size_t n, uint32_t site,
		  unsigned how)
{
	if (c->pending) /* an earlier one of the same hook */
		control_leave(t);
	c->pending = true;
	c->gated = c->matched = c->solid = c->ends = c->counted = false;
	c->op = (struct plan_op){ .addr = (uintptr_t)p,
				  .len = n,
				  .site = site,
				  .writes = how & CONTROL_WRITES,
				  .atomic = how & CONTROL_ATOMIC };
	t->view.live |= THREAD_SIGNALLED;
}

static void peek(struct control *c)
{
	memcpy(c->op.bytes, (const void *)c->op.addr, c->op.len < 8 ? c->op.len : 8);
}

/* A step that sees a change is nothing new before that is there: at its gate nobody can tell that it is the one.
 * True: it may be, by its place, and now all that the step waits for is over. */
static bool has_waited(struct control *c, const struct thread *t)
{
	const struct plan_step *s = control_step(c);
	uint32_t key = control_key(c->op.site);

	bool is;

	if (s == NULL || (s->flags & (PLAN_ANY | PLAN_TARGET)) != PLAN_ANY)
		return false;
	is = control_is_step(c, PLAN_READ, key, control_count(c, PLAN_READ, key));
	control_uncount(c, PLAN_READ, key);
	if (!is)
		return false;
	control_show(c, t, &c->op);
	control_progress(c, 2 * c->next);
	control_await(c, s);
	return true;
}

static void gate_read(struct control *c, const struct thread *t)
{
	const struct control_entry *seen = seen_of(c);
	uint32_t nth = 0;

	c->looked = value_at(c);
	c->counted = true;
	c->before = seen != NULL ? *seen : (struct control_entry){ 0 };
	c->fresh = is_new(c, c->looked);
	if (!c->fresh && has_waited(c, t)) {
		c->looked = value_at(c);
		c->fresh = is_new(c, c->looked);
	}
	if (c->fresh)
		nth = control_count(c, PLAN_READ, control_key(c->op.site));
	control_gate_counted(c, t, PLAN_READ, nth);
}

/* Will it only read?  The plan knows, if it is one of its steps; else what lies there tells. */
static bool is_to_fail(const struct control *c, unsigned how)
{
	const struct plan_step *s = control_step(c);

	if (s != NULL && s->solids == c->solids && s->key == control_key(c->op.site))
		return s->class == PLAN_READ;
	return how & CONTROL_FAILS;
}

void control_access(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how,
		    uint64_t value)
{
	struct control *c = t->control;
	bool cross = ((uintptr_t)p & 7) + n > 8, solid;

	if (guard_on) {
		guard_access(t, p, n, site, how);
		return;
	}
	if (baton_is_on()) {
		baton_access(c, p, n, site, how);
		return;
	}
	solid = cross || (how & (CONTROL_WRITES | CONTROL_FREE_READ));
	if (c->pending) /* an earlier one of the same hook */
		control_leave(t);
	control_signal_await(t, solid ? 0 : site);
	begin(c, t, p, n, site, how);
	c->op.value = value;
	c->op.has_value = how & CONTROL_WRITES;
	c->solid = solid && !(how & CONTROL_EITHER);
	c->ends = how & CONTROL_RELEASES;
	c->op.class = c->solid ? PLAN_SOLID : PLAN_READ;
	c->word = (c->op.addr & ~7ull) | (how & (CONTROL_ATOMIC | CONTROL_ORDERS)) >> 1;
	if (!control_arrive(c))
		return;
	peek(c);
	if (c->solid || ((how & CONTROL_EITHER) && !is_to_fail(c, how)))
		control_gate_solid(c, t, 0);
	else
		gate_read(c, t);
}

/* It was noted at its gate as a read, and is none. */
static void forget_read(struct control *c)
{
	struct control_entry *seen = c->counted ? seen_of(c) : NULL;

	if (seen == NULL)
		return;
	seen->n = c->before.n;
	seen->value = c->before.value;
	seen->places = c->before.places;
	c->counted = false;
}

void control_changed(struct thread *t)
{
	if (guard_on) {
		guard_changed(t);
		return;
	}
	t->control->solid = true;
	forget_read(t->control);
}

void control_range(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how)
{
	struct control *c = t->control;
	uint32_t nth;

	if (guard_on) {
		guard_access(t, p, n, site, how);
		return;
	}
	if (baton_is_on()) {
		baton_access(c, p, n, site, how);
		return;
	}
	if (how & CONTROL_ALSO) {
		/* The two are done together: the first is not over before, unless the second must wait. */
		nth = control_is_free() ? 0 : control_count(c, PLAN_RANGE, control_key(site));
		if (c->targeted || !is_step_after(c, PLAN_RANGE, control_key(site), nth))
			return;
		begin(c, t, p, n, site, how);
	} else {
		begin(c, t, p, n, site, how);
		nth = control_is_free() ? 0 : control_count(c, PLAN_RANGE, control_key(site));
	}
	c->op.class = PLAN_RANGE;
	if (control_arrive(c))
		control_gate_counted(c, t, PLAN_RANGE, nth);
}

void control_free(struct thread *t, const void *p, size_t n, uint32_t site)
{
	struct control *c = t->control;

	if (guard_on)
		return;
	if (baton_is_on()) {
		if (!c->loading)
			baton_access(c, p, n, site, CONTROL_WRITES | CONTROL_GIVES_BACK);
		return;
	}
	/* Who has done its part stops elsewhere, without that lock. */
	if (c->loading && control_step(c) == NULL) {
		c->tail += control_is_beyond(c);
		return;
	}
	begin(c, t, p, n, site, CONTROL_WRITES);
	c->op.class = PLAN_FREE;
	if (!control_arrive(c))
		return;
	control_gate_counted(c, t, PLAN_FREE, control_count(c, PLAN_FREE, control_key(site)));
}

void control_born_slow(const void *p, size_t n)
{
	if (baton_is_on())
		baton_freed_born((uintptr_t)p, n);
}

void control_freeing(const struct thread *t, const void *p, const void *caller)
{
	t->control->loading = control_is_loader(caller);
	if (baton_is_on())
		baton_freed_look(t->control, (uintptr_t)p, 1, t->view.call_site, BATON_DOUBLE_FREE);
}

void control_freed(const struct thread *t, const void *p, size_t n)
{
	if (!baton_is_on())
		return;
	/* Others may have been there before us. */
	baton_freed_look(t->control, (uintptr_t)p, 1, t->view.call_site, BATON_DOUBLE_FREE);
	baton_freed_add(t->control, (uintptr_t)p, n, t->view.call_site);
	if (!t->control->loading)
		baton_freed_steps(t->control, (uintptr_t)p, n, t->view.call_site);
}

/*
 * A read that is over.  It has been counted at its gate by the value that was there, and may have seen
 * another one, which somebody has written since, for whom it may just have waited.  What it has seen is what
 * counts.  True: it is new, and has not been counted.
 */
static bool is_new_after_all(struct control *c)
{
	uint64_t now = value_at(c);
	bool was, fresh;

	if (c->counted && now == c->looked)
		return false;
	was = c->counted && c->fresh;
	forget_read(c);
	fresh = is_new(c, now);
	if (was && !fresh)
		control_uncount(c, PLAN_READ, control_key(c->op.site));
	return fresh && !was;
}

static void read_over(struct control *c)
{
	uint32_t key = control_key(c->op.site);

	if (!is_new_after_all(c) ||
	    !control_is_step(c, PLAN_READ, key, control_count(c, PLAN_READ, key)) ||
	    (control_step(c)->flags & PLAN_TARGET))
		return;
	control_progress(c, 2 * c->next);
	control_await(c, control_step(c));
	control_over(c, false);
}

void control_leave(struct thread *t)
{
	struct control *c = t->control;
	const struct plan_step *s;
	bool matched;

	if (guard_on) {
		guard_leave(t);
		return;
	}
	s = control_step(c);
	matched = c->matched;
	if (baton_is_on())
		baton_watch_end(c->index, c->solid);
	if (!c->pending)
		return;
	c->pending = false;
	if (matched && c->targeted && !c->done)
		control_target_done(c);
	if (c->solid) {
		control_solid(c, c->op.site, c->ends, false);
		return;
	}
	c->matched = false;
	if (c->targeted || control_is_free())
		return;
	if (matched && c->op.class == PLAN_READ && is_new_after_all(c))
		(void)control_count(c, PLAN_READ, control_key(c->op.site));
	if (matched && s->class == c->op.class)
		control_over(c, false);
	else if (c->op.class == PLAN_READ)
		read_over(c);
}
