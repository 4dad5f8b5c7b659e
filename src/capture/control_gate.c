/*
 * Gates: which event of the plan is this, and may it happen?
 *
 * A solid event is compared with the recorded one when it is logged, not at its gate: a call that
 * fails has a gate and no event.
 */
#include "capture/baton.h"

#include <string.h>

#include "capture/guard.h"
#include "capture/sync.h"

/* ---- which one ---- */

void control_stamp(struct control_table *table, uint64_t to)
{
	table->stamp = to;
	table->used = 0;
}

uint32_t control_count(struct control *c, enum plan_class class, uint32_t key)
{
	struct control_entry *e;
	bool fresh;

	if (c->counts.stamp != c->solids + 1)
		control_stamp(&c->counts, c->solids + 1);
	e = control_find(&c->counts, (uint64_t) class << 32 | key, &fresh);
	return e != NULL ? ++e->n : 0;
}

void control_uncount(struct control *c, enum plan_class class, uint32_t key)
{
	struct control_entry *e;
	bool fresh;

	e = control_find(&c->counts, (uint64_t) class << 32 | key, &fresh);
	if (e != NULL && e->n > 0)
		e->n--;
}

bool control_is_step(const struct control *c, enum plan_class class, uint32_t key, uint32_t nth)
{
	const struct plan_step *s = control_step(c);

	return s != NULL && s->solids == c->solids && s->class == class && s->key == key &&
	       (s->nth == 0 || s->nth == nth ||
		(s->flags & (PLAN_ANY | PLAN_TARGET)) == (PLAN_ANY | PLAN_TARGET));
}

/* ---- passing ---- */

void control_over(struct control *c, bool due)
{
	c->next++;
	c->matched = false;
	control_signal_look(c);
	if (due)
		c->due = true;
	else
		control_progress(c, 2 * c->next - 1);
}

static void flush(struct control *c)
{
	if (c->calling) {
		c->calling = false;
		control_signal_look(c);
	}
	if (!c->due)
		return;
	c->due = false;
	if (c->targeted && !c->done)
		control_target_done(c);
	if (c->next > 0)
		control_progress(c, 2 * c->next - 1);
}

/* Steps that did not come: nothing depends on them but their order. */
static void skip(struct control *c, bool all)
{
	const struct plan_step *s;

	while ((s = control_step(c)) != NULL && s->class == PLAN_PASS &&
	       (all || s->solids < c->solids))
		control_over(c, false);
}

bool control_arrive(struct control *c)
{
	flush(c);
	if (control_is_free()) {
		control_signal_look(c);
		return false;
	}
	skip(c, false);
	if (!c->targeted)
		return true;
	/* It was let go: it does what it stood before, and nothing after.  A release at which a
	 * wait begins goes into the wait. */
	if (c->done && c->op.kind != FORMAT_K_PARK)
		control_stop(c);
	return false;
}

static void pass(struct control *c, const struct thread *t)
{
	const struct plan_step *s = control_step(c);

	c->matched = true;
	control_show(c, t, &c->op);
	control_progress(c, 2 * c->next);
	if (s->flags & PLAN_TARGET)
		control_stand(c, s);
	else
		control_await(c, s);
}

/* Its part is over: either this is its target, or it goes no further. */
static void finish(struct control *c, const struct thread *t, uint32_t key, bool solid)
{
	const struct plan_step *s;

	skip(c, true);
	s = control_step(c);
	control_show(c, t, &c->op);
	if (s == NULL) {
		control_stop(c);
	} else if (solid && s->class == PLAN_SOLID && s->key == key) {
		pass(c, t);
	} else if (c->op.kind == FORMAT_K_FORK && s->class == PLAN_RANGE &&
		   s->solids == c->solids && s->key == key) {
		return; /* The handle is written first, and that has a gate. */
	} else {
		control_diverge(c, PLAN_WHY_TARGET, c->op.site, s->key);
	}
}

void control_gate_solid(struct control *c, const struct thread *t, uint32_t ahead)
{
	uint32_t key = control_key(c->op.site);
	const struct plan_step *s;

	c->solids += ahead;
	c->next += ahead;
	s = control_step(c);
	if (s != NULL && s->solids < c->solids)
		control_diverge(c, PLAN_WHY_MISSED, c->op.site, s->key);
	else if (control_is_beyond(c))
		finish(c, t, key, true);
	else if (c->keys[c->solids] == key && s != NULL && s->solids == c->solids &&
		 s->class == PLAN_SOLID)
		pass(c, t);
	c->solids -= ahead;
	c->next -= ahead;
}

void control_gate_counted(struct control *c, const struct thread *t, enum plan_class class,
			  uint32_t nth)
{
	uint32_t key = control_key(c->op.site);
	bool tail = class == PLAN_RANGE || class == PLAN_FREE;

	/* The library frees memory in whichever thread comes first (dlopen): no reason to give up a target
	 * that is to come. */
	if (control_is_step(c, class, key, nth))
		pass(c, t);
	else if (tail && control_is_beyond(c) && c->tail >= c->part->tail &&
		 (class == PLAN_RANGE || control_step(c) == NULL))
		finish(c, t, key, false);
	if (tail && control_is_beyond(c))
		c->tail++;
}

void control_solid(struct control *c, uint32_t site, bool ends, bool due)
{
	const struct plan_step *s = control_step(c);
	bool free = control_is_free();

	if (!free && !c->targeted && !control_is_beyond(c) &&
	    c->keys[c->solids] != control_key(site))
		control_diverge(c, PLAN_WHY_OPERATION, site, c->keys[c->solids]);
	if (!free && c->matched && s != NULL && !(s->flags & PLAN_TARGET)) {
		if (s->flags & PLAN_VALUE)
			control_touched(c, s);
		if ((s->flags & PLAN_VALUE) && s->value != c->op.value)
			control_diverge(c, PLAN_WHY_VALUE, site, s->key);
		control_over(c, due);
	}
	if (due && c->targeted && !c->done)
		c->due = true;
	c->solids++;
	c->seat->solids = c->solids;
	if (ends)
		c->epoch++;
	c->gated = c->matched = false;
	control_signal_look(c);
}

void control_target_done(struct control *c)
{
	c->done = true;
	c->seat->over = 1;
	control_ring();
}

/* ---- calls ---- */

static enum plan_class class_of(unsigned kind, unsigned aux)
{
	switch (kind) {
	case FORMAT_K_REQ:
	case FORMAT_K_RREQ:
	case FORMAT_K_GIVE:
	case FORMAT_K_TAKE:
		return PLAN_NONE;
	case FORMAT_K_TRYFAIL:
	case FORMAT_K_SEM_FAIL:
		return PLAN_VAIN;
	case FORMAT_K_JOINING:
		return aux & (FORMAT_JOIN_UNENDED | FORMAT_JOIN_REFUSED) ? PLAN_VAIN : PLAN_NONE;
	default:
		return PLAN_SOLID;
	}
}

/* A call in vain is counted unless it is the one that was counted last. */
static uint32_t count_vain(struct control *c, uint32_t key)
{
	uint64_t at = c->solids + 1, what = (uint64_t)key << 32 ^ c->op.addr;

	if (c->vain_at == at && c->vain_key == what)
		return 0;
	c->vain_at = at;
	c->vain_key = what;
	return control_count(c, PLAN_VAIN, key);
}

static bool is_tail_of_vain(const struct control *c, uint32_t key)
{
	const struct plan_step *s = control_step(c);

	return s != NULL && s->class == PLAN_VAIN && s->solids == c->solids && s->key == key;
}

static void call_begin(struct control *c, unsigned kind, const void *obj, uint32_t site)
{
	c->matched = false;
	c->op = (struct plan_op){ .addr = (uintptr_t)obj,
				  .len = 1,
				  .site = site,
				  .kind = (uint8_t)kind,
				  .class = PLAN_SOLID,
				  .writes = true };
}

static void gate_call(struct control *c, const struct thread *t)
{
	uint32_t key = control_key(c->op.site);

	c->gated = true;
	if (!control_arrive(c))
		return;
	/* A try: the plan says whether it fails. */
	if (is_tail_of_vain(c, key)) {
		if (control_is_step(c, PLAN_VAIN, key, count_vain(c, key)))
			pass(c, t);
		return;
	}
	control_gate_solid(c, t, 0);
}

void control_call_slow(unsigned kind, unsigned aux, const void *obj)
{
	HOOK(t)
		if (CONTROLLED(t) && baton_is_on()) {
			baton_call(t->control, kind, aux, obj, t->view.call_site);
		} else if (CONTROLLED(t)) {
			control_signal_await(t, 0);
			call_begin(t->control, kind, obj, t->view.call_site);
			gate_call(t->control, t);
		}
}

void control_pass(struct thread *t, unsigned kind, const void *obj)
{
	struct control *c = t->control;
	const struct plan_step *s = control_step(c);

	if (baton_is_on()) {
		if (kind == FORMAT_K_GIVE)
			baton_output(c, obj, t->view.call_site);
		return;
	}
	control_leave(t); /* of an access of the same hook */
	if (c->matched && s->class == PLAN_PASS && c->op.kind == kind)
		return;
	call_begin(c, kind, obj, t->view.call_site);
	c->op.class = PLAN_PASS;
	if (!control_arrive(c) ||
	    !control_is_step(c, PLAN_PASS, control_key(c->op.site), kind == FORMAT_K_GIVE ? 1 : 2))
		return;
	pass(c, t);
	if (kind == FORMAT_K_GIVE)
		control_over(c, true);
}

bool control_calls(const struct thread *t)
{
	return baton_is_on() && baton_calls(t->control->index);
}

void control_orders(unsigned kind, unsigned channel_kind)
{
	enum baton_channel by = channel_kind == FORMAT_CHANNEL_UNSEEN	? BATON_UNSEEN
				: channel_kind == FORMAT_CHANNEL_SIGNAL ? BATON_SIGNALS
									: BATON_FILES;

	if (baton_is_on())
		baton_passes(kind == FORMAT_K_GIVE ? BATON_GAVE(by) : BATON_TOOK(by));
}

/* Mostly an atomic operation on an operand; the same one comes twice where it is read and written. */
void control_assembler(struct thread *t, const void *const given[], uint32_t operands,
		       uint32_t site)
{
	const unsigned how =
		CONTROL_EITHER | CONTROL_WRITES | CONTROL_ATOMIC | CONTROL_FAILS | CONTROL_UNSEEN;
	const void *last = NULL;

	if (!baton_is_on())
		return;
	for (uint32_t i = 0; operands >> 4 * i != 0; i++) {
		uint32_t told = operands >> 4 * i & 15;
		size_t n = told > 0 ? (size_t)1 << (told - 1) : 0;

		if (n != 0 && given[i] != last && baton_word_is_there((uintptr_t)given[i], n))
			baton_access(t->control, given[i], n, site, how);
		last = given[i];
	}
	baton_passes(BATON_GAVE(BATON_ASSEMBLER) | BATON_TOOK(BATON_ASSEMBLER));
}

void control_passed(struct thread *t)
{
	struct control *c = t->control;

	control_pass(t, FORMAT_K_TAKE, NULL);
	if (c->matched && control_step(c)->class == PLAN_PASS)
		control_over(c, false);
	c->matched = false;
}

void control_done_slow(void)
{
	HOOK(t)
		if (CONTROLLED(t))
			flush(t->control);
}

bool control_fails_slow(void)
{
	const struct thread *t = thread_self();
	const struct control *c = t->control;

	if (c != NULL && baton_is_on())
		return baton_fails(c);
	return c != NULL && c->matched && !control_is_free() && control_step(c) != NULL &&
	       (control_step(c)->flags & PLAN_FAILS);
}

int control_result_slow(int r)
{
	const struct thread *t = thread_self();
	const struct control *c = t->control;
	const struct plan_step *s = c != NULL && !control_is_free() ? control_step(c) : NULL;

	return s != NULL && s->solids == c->solids && (s->flags & PLAN_RESULT) ? (int)s->value : r;
}

/* Logged before the real call, which has no gate of its own. */
static bool is_release(unsigned kind)
{
	return kind == FORMAT_K_REL || kind == FORMAT_K_RREL || kind == FORMAT_K_SEM_POST;
}

void control_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t tid, uint32_t site)
{
	if (baton_is_on())
		baton_watch_thread(t->control, kind, tid, site);
	if (guard_on)
		return;
	control_before(t, kind, aux, NULL, site);
}

void control_words(struct thread *t, const struct control_words *said)
{
	if (baton_is_on())
		baton_watch_words(t->control, said);
	else
		control_before(t, said->kind, said->aux, NULL, said->site);
}

void control_before(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint32_t site)
{
	struct control *c = t->control;

	if (guard_on)
		return;
	if (baton_is_on()) {
		baton_before(c, kind, aux, obj, site);
		return;
	}
	if ((c->gated && c->op.kind == kind) || class_of(kind, aux) != PLAN_SOLID)
		return;
	/* What the same hook did before is over: a thread's handle is written before its FORK. */
	control_leave(t);
	if (is_release(kind)) /* others are logged with locks held that the handler may need */
		control_signal_await(t, 0);
	call_begin(c, kind, obj, site);
	gate_call(c, t);
}

void control_unseen(struct thread *t, uint32_t site)
{
	if (guard_on)
		return;
	t->control->epoch++;
	if (baton_is_on())
		baton_unseen(t->control, site);
}

/* ---- locks held ---- */

static void hold(struct plan_seat *s, uint64_t addr, uint32_t site, bool shared)
{
	for (uint32_t i = 0; i < s->nheld; i++)
		if (s->held[i].addr == addr) {
			s->held[i].count++;
			return;
		}
	if (s->nheld < PLAN_HELD)
		s->held[s->nheld++] = (struct plan_lock){
			.addr = addr, .site = site, .count = 1, .shared = shared
		};
}

static void drop(struct plan_seat *s, uint64_t addr)
{
	for (uint32_t i = 0; i < s->nheld; i++)
		if (s->held[i].addr == addr && --s->held[i].count == 0) {
			memmove(&s->held[i], &s->held[i + 1],
				(s->nheld - i - 1) * sizeof(s->held[i]));
			s->nheld--;
			return;
		}
}

void control_logged(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint32_t site)
{
	struct control *c = t->control;
	enum plan_class class = class_of(kind, aux);
	uint64_t addr = (uintptr_t)obj;
	bool due = is_release(kind);

	if (guard_on)
		return;
	if (kind == FORMAT_K_ACQ || kind == FORMAT_K_RACQ)
		hold(c->seat, addr, site, kind == FORMAT_K_RACQ);
	else if (kind == FORMAT_K_REL || kind == FORMAT_K_RREL)
		drop(c->seat, addr);
	if (class == PLAN_SOLID) {
		c->calling = due || kind == FORMAT_K_FORK || kind == FORMAT_K_PARK;
		if (c->targeted && !c->done && !due)
			control_target_done(c);
		control_solid(c, site, kind != FORMAT_K_USER, due);
	} else if (class == PLAN_VAIN) {
		c->gated = false;
		if (c->targeted && !c->done) /* it stood before a call that does not wait */
			control_target_done(c);
		if (c->matched && !c->targeted && control_step(c) != NULL &&
		    control_step(c)->class == PLAN_VAIN)
			control_over(c, false);
		c->matched = false;
	}
}
