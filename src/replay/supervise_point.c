/* From the point on: a race in one order or the other, threads that go into their waits. */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "replay/plan.h"
#include "replay/supervise_priv.h"
#include "trace/event.h"
#include "trace/format.h"

#define ASLEEP \
	0.03	  /* a thread that sleeps for so long waits for good, for all others stand still */
#define SPINS 0.3 /* one that does not sleep for so long, and is not through, spins */
#define LIMITED " waits with a time limit, and goes on when that is over"
#define QUIET 0.5 /* when nothing moves for so long the wakeup is lost */

/* Others may wait for the word in another process: no private futex. */
void supervise_set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- letting go ---- */

static void let_go(struct supervise_watch *w, uint32_t thread)
{
	supervise_set(&plan_seats(w->h)[thread].go, 1);
}

static void let_all_go(struct supervise_watch *w)
{
	for (uint32_t k = 0; k < w->r->point.n; k++)
		let_go(w, w->r->point.at[k]);
}

/* Gates wait for the progress of others. */
static void set_free(struct supervise_watch *w)
{
	struct plan_seat *seats = plan_seats(w->h);

	supervise_set(&w->shared->freed, 1);
	supervise_set(&w->shared->paced, UINT32_MAX);
	for (uint32_t i = 0; i < w->h->nthreads; i++) {
		supervise_set(&seats[i].go, 1);
		__atomic_fetch_add(&seats[i].bell, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &seats[i].bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		__atomic_fetch_or(&seats[i].signalled, PLAN_BY_FREEING, __ATOMIC_ACQ_REL);
		syscall(SYS_futex, &seats[i].signalled, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

/* ---- a race, behind the point ---- */

/* The bytes that both touch; up to 8 of them. */
static void read_bytes(struct supervise_watch *w)
{
	const struct plan_seat *seats = plan_seats(w->r->seen);
	const struct plan_op *a = &seats[w->r->point.at[0]].op, *b = &seats[w->r->point.at[1]].op;
	uint64_t from = a->addr > b->addr ? a->addr : b->addr;
	uint64_t end_a = a->addr + a->len, end_b = b->addr + b->len;
	uint64_t end = end_a < end_b ? end_a : end_b;
	struct supervise_after *after = &w->r->after;
	struct iovec here, there;

	if (a->kind || b->kind || end <= from || a->class == PLAN_FREE || b->class == PLAN_FREE)
		return;
	there = (struct iovec){ (void *)(uintptr_t)from, end - from < 8 ? end - from : 8 };
	here = (struct iovec){ after->bytes, there.iov_len };
	if (process_vm_readv(w->pid, &here, 1, &there, 1, 0) == (ssize_t)there.iov_len)
		after->nbytes = (uint32_t)there.iov_len;
}

/* Its event is done; or it waits in it, for a lock say, and will not be done before others go on. */
static bool is_through(struct supervise_watch *w, uint32_t thread)
{
	const struct plan_seat *s = &plan_seats(w->h)[thread];
	double now = talk_clock();
	struct task t;

	if (supervise_load(&s->over) || supervise_load(&s->state) == PLAN_GONE)
		return true;
	task_look(w->pid, supervise_load(&s->kernel), &t);
	if (!task_is_asleep(&t) || supervise_load(&s->state) != PLAN_LET_GO)
		w->asleep = 0;
	else if (w->asleep == 0)
		w->asleep = now;
	return (w->asleep != 0 && now - w->asleep > 5 * ASLEEP) || now - w->entered > w->s->time;
}

static bool look_first(struct supervise_watch *w)
{
	if (!is_through(w, w->r->point.at[w->s->first]))
		return true;
	let_go(w, w->r->point.at[!w->s->first]);
	supervise_enter(w, SUPERVISE_PHASE_SECOND);
	return true;
}

static bool look_second(struct supervise_watch *w)
{
	if (!is_through(w, w->r->point.at[!w->s->first]))
		return true;
	read_bytes(w);
	set_free(w);
	supervise_enter(w, SUPERVISE_PHASE_AWAY);
	return true;
}

/* It runs on by itself, up to its end. */
static bool look_away(struct supervise_watch *w)
{
	struct supervise_after *after = &w->r->after;

	after->hung = supervise_is_stuck(w);
	after->late = !after->hung && talk_clock() - w->entered >= w->s->time;
	if (!after->hung && !after->late)
		return true;
	return supervise_finish(w, SUPERVISE_REPLAYED);
}

/* ---- threads that wait ---- */

/* Its target is a wait on a condition, not a lock. */
static bool is_waiter(const struct supervise_watch *w, uint32_t thread)
{
	const struct plan_step *s = point_target(w->h, thread);

	return s && s->op == EVENT_REL;
}

/* It wants to read what others only read: whether it waits only the kernel can tell. */
static bool is_reader(const struct supervise_watch *w, uint32_t thread)
{
	uint8_t kind = plan_seats(w->h)[thread].op.kind;

	return kind == FORMAT_K_RACQ || kind == FORMAT_K_RREQ;
}

/* All that were let go wait in the kernel; or for a while they do not come on: they spin.
 * limited: one that waits for a time to be over as well. */
static bool is_settled(struct supervise_watch *w, int *limited)
{
	double now = talk_clock();
	bool asleep = true, readers = false;

	for (uint32_t k = 0; k < w->r->point.n; k++) {
		uint32_t i = w->r->point.at[k];
		const struct plan_seat *s = &plan_seats(w->h)[i];
		struct task t;

		readers |= is_reader(w, i);
		if (supervise_load(&s->state) != (is_waiter(w, i) ? PLAN_WAITS : PLAN_LET_GO)) {
			supervise_enter(w, SUPERVISE_PHASE_SETTLE);
			return false;
		}
		task_look(w->pid, supervise_load(&s->kernel), &t);
		asleep &= task_is_asleep(&t);
		if (task_is_timed(&t) && !is_waiter(w, i))
			*limited = (int)i;
	}
	if (!asleep)
		w->asleep = 0;
	else if (w->asleep == 0)
		w->asleep = now;
	return (w->asleep != 0 && now - w->asleep >= ASLEEP) ||
	       (!readers && now - w->entered >= SPINS);
}

static const char *does_not_wait(const struct plan_seat *s)
{
	if (point_is_join(&s->op))
		return " does not wait: its thread has ended";
	return point_holds(s, s->op.addr) ? " does not wait: it got the lock"
					  : " does not wait: its call came back without the lock";
}

static bool look_settle(struct supervise_watch *w)
{
	struct point_words words = { w->s->name, w->s->name_arg, &w->r->why };
	const struct point_seats *p = &w->r->point;
	int limited = -1;

	for (uint32_t k = 0; k < p->n; k++) {
		const struct plan_seat *s = &plan_seats(w->h)[p->at[k]];

		if (supervise_load(&s->state) == PLAN_WAITS && supervise_load(&s->limited))
			return supervise_refuted(w, p->at[k], LIMITED);
		if (supervise_load(&s->over) && !is_waiter(w, p->at[k]))
			return supervise_refuted(w, p->at[k], does_not_wait(s));
	}
	if (!is_settled(w, &limited)) {
		if (!supervise_is_stuck(w) && talk_clock() - w->reached < w->s->time)
			return true;
		return supervise_refuted(w, p->at[0], " does not come to wait");
	}
	if (limited >= 0)
		return supervise_refuted(w, (uint32_t)limited, LIMITED);
	if (w->s->kind == FINDING_WAIT_HOLDING ? !point_is_wait_holding(w->h, p, &words)
					       : !point_is_circle(w->h, p, &words))
		return supervise_finish(w, SUPERVISE_REFUTED);
	return supervise_finish(w, SUPERVISE_REPLAYED);
}

/* A signal that is to come, or has come just now, may run a handler. */
static bool rings_later(const struct supervise_watch *w)
{
	return (double)__atomic_load_n(&w->h->alarm, __ATOMIC_ACQUIRE) / 1e9 > talk_clock() - QUIET;
}

/* The wait has begun, everybody else is free: does anybody wake it? */
static bool look_lost(struct supervise_watch *w)
{
	uint32_t waiter = w->r->point.at[0];
	const struct plan_seat *s = &plan_seats(w->h)[waiter];
	double still;

	if (!supervise_load(&w->h->freed)) {
		if (supervise_load(&s->state) == PLAN_WAITS)
			set_free(w);
		else if (talk_clock() - w->entered >= w->s->time)
			return supervise_refuted(w, waiter, " does not come to wait");
		return true;
	}
	if (supervise_load(&s->state) == PLAN_WAITS && supervise_load(&s->limited))
		return supervise_refuted(w, waiter, LIMITED);
	if ((supervise_load(&s->signalled) & PLAN_BY_SIGNAL) ||
	    supervise_load(&s->state) != PLAN_WAITS)
		return supervise_refuted(w, waiter, " is woken: somebody signals after all");
	w->still.all = true;
	still = supervise_still_for(w);
	w->r->open = w->still.open;
	if (still >= (w->still.open ? w->s->patience : QUIET) && !w->still.timed && !rings_later(w))
		return supervise_finish(w, SUPERVISE_REPLAYED);
	if (talk_clock() - w->entered < w->s->time)
		return true;
	return supervise_refuted(
		w, waiter,
		" waits, but others go on, or a timer runs, and may still signal (--time)");
}

/* ---- the point ---- */

static bool at_race(struct supervise_watch *w)
{
	struct point_words words = { w->s->name, w->s->name_arg, &w->r->why };

	if (!point_is_race(w->h, &w->r->point, &words))
		return supervise_finish(w, SUPERVISE_REFUTED);
	if (w->s->first == SUPERVISE_STOP)
		return supervise_finish(w, SUPERVISE_REPLAYED);
	w->r->end = SUPERVISE_REPLAYED;
	w->r->seconds = talk_clock() - w->begun;
	w->r->after.known = true;
	supervise_take_picture(w);
	let_go(w, w->r->point.at[w->s->first]);
	supervise_enter(w, SUPERVISE_PHASE_FIRST);
	return true;
}

bool supervise_at_point(struct supervise_watch *w)
{
	w->reached = talk_clock();
	point_find(w->h, w->s->targets, w->s->ntargets, &w->r->point);
	if (supervise_is_overwritten(w))
		return supervise_finish(w, SUPERVISE_SPOILED);
	switch (w->s->kind) {
	case FINDING_RACE:
		return at_race(w);
	case FINDING_DEADLOCK:
	case FINDING_JOIN_HOLDING:
	case FINDING_WAIT_HOLDING:
		let_all_go(w);
		supervise_enter(w, SUPERVISE_PHASE_SETTLE);
		return true;
	case FINDING_LOST_WAKEUP:
		if (w->r->point.n != 1) {
			strbuf_adds(&w->r->why, "no thread stands before its wait");
			return supervise_finish(w, SUPERVISE_REFUTED);
		}
		let_all_go(w);
		supervise_enter(w, SUPERVISE_PHASE_LOST);
		return true;
	default: /* the whole order has run, and each look was as recorded: so is what they make */
		if (w->s->check && !w->s->check(w->s->check_arg, w->pid, w->h, &w->r->why))
			return supervise_finish(w, SUPERVISE_REFUTED);
		return supervise_finish(w, SUPERVISE_REPLAYED);
	}
}

bool supervise_look_behind(struct supervise_watch *w)
{
	switch (w->phase) {
	case SUPERVISE_PHASE_FIRST:
		return look_first(w);
	case SUPERVISE_PHASE_SECOND:
		return look_second(w);
	case SUPERVISE_PHASE_SETTLE:
		return look_settle(w);
	case SUPERVISE_PHASE_LOST:
		return look_lost(w);
	default:
		return look_away(w);
	}
}
