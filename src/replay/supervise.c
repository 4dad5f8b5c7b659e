/*
 *	        program                          we, a thousand times a second; at first more often
 *
 *	approach   threads run up to their gates    reached?  diverged?  does anything move?
 *	point      the targets stand                is it what was predicted?
 *	race       one access, then the other       let one go, then the other, then all
 *	others     targets go into their waits      do they sleep there, and for whom?
 */
#include "replay/supervise.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/plan.h"
#include "replay/supervise_priv.h"

#define STILL_EVERY 0.1	 /* seconds between looks into /proc */
#define STILL_FIRST 0.05 /* seconds without progress before the first */

void supervise_enter(struct supervise_watch *w, enum supervise_phase phase)
{
	w->phase = phase;
	w->entered = talk_clock();
	w->asleep = 0;
}

/* ---- what the program writes ---- */

#define LIVE offsetof(struct plan_head, taken) /* from here on, up to the end of the head */

void supervise_sync(struct supervise_watch *w)
{
	uint32_t why = supervise_load(&w->shared->diverged);

	memcpy((char *)w->h + LIVE, (const char *)w->shared + LIVE, sizeof(*w->h) - LIVE);
	w->h->diverged = why; /* not one that came before the words that go with it */
}

/* A stray pointer of the program's: what its gates held it to was not this plan. */
bool supervise_is_overwritten(const struct supervise_watch *w)
{
	const struct plan_head *plan = w->s->plan->head;

	return memcmp(w->shared, plan, LIVE) != 0 ||
	       memcmp(w->shared + 1, plan + 1, plan->seats - sizeof(*plan)) != 0;
}

/* ---- the end of it ---- */

/*
 * What the threads are doing now, for the report.  The kernel is only asked of those whose seat says
 * nothing better: what has been looked up in /proc costs its process a millisecond when it ends.
 */
void supervise_take_picture(struct supervise_watch *w)
{
	struct supervise_result *r = w->r;

	if (!r->seen)
		r->seen = mem_alloc(w->s->plan->size);
	r->size = w->s->plan->size;
	memcpy(r->seen, w->h, r->size);
	VEC_CLEAR(&r->tasks);
	for (uint32_t i = 0; i < w->h->nthreads; i++) {
		struct task *t = VEC_PUSH(&r->tasks);
		const struct plan_seat *seat = &plan_seats(r->seen)[i];
		uint32_t kernel = supervise_load(&seat->kernel);

		*t = (struct task){ .call = -1 };
		if (kernel && supervise_load(&seat->state) == PLAN_RUNS)
			task_look(w->pid, kernel, t);
	}
}

/* Always false: the program is not needed any more. */
bool supervise_finish(struct supervise_watch *w, enum supervise_end end)
{
	w->r->end = w->phase != SUPERVISE_PHASE_AWAY && supervise_is_overwritten(w)
			    ? SUPERVISE_SPOILED
			    : end;
	w->r->killed = true;
	if (w->phase != SUPERVISE_PHASE_AWAY) {
		w->r->seconds = talk_clock() - w->begun;
		supervise_take_picture(w);
		if (w->r->end == SUPERVISE_REPLAYED && w->s->visit)
			w->s->visit(w->s->visit_arg, w->pid, w->r);
	}
	supervise_enter(w, SUPERVISE_PHASE_AWAY);
	return false;
}

bool supervise_refuted(struct supervise_watch *w, uint32_t thread, const char *words)
{
	w->s->name(w->s->name_arg, thread, &w->r->why);
	strbuf_adds(&w->r->why, words);
	return supervise_finish(w, SUPERVISE_REFUTED);
}

/* ---- does it move? ---- */

static uint64_t progress_sum(const struct plan_head *h)
{
	const struct plan_seat *s = plan_seats(h);
	uint64_t sum = supervise_load(&h->doorbell);

	for (uint32_t i = 0; i < h->nthreads; i++)
		sum += supervise_load(&s[i].progress) +
		       __atomic_load_n(&s[i].solids, __ATOMIC_RELAXED) * 3 +
		       supervise_load(&s[i].state) * 5 + supervise_load(&s[i].over) +
		       supervise_load(&s[i].step);
	return sum;
}

/* Seconds for which nothing has moved, neither in the seats nor in the kernel. */
double supervise_still_for(struct supervise_watch *w)
{
	double now = talk_clock();
	uint64_t sum = progress_sum(w->h);

	if (sum != w->sum) {
		w->sum = sum;
		w->moved = now;
		w->still_for = 0;
	}
	if (now - w->moved < STILL_FIRST)
		return 0;
	if (now - w->looked >= STILL_EVERY) {
		w->looked = now;
		w->still_for = still_look(&w->still);
	}
	return w->still_for < now - w->moved ? w->still_for : now - w->moved;
}

/* For good, unless a debugger holds it.  Who sleeps for a while will go on. */
bool supervise_is_stuck(struct supervise_watch *w)
{
	return supervise_still_for(w) >= w->s->patience && !w->still.traced && !w->still.timed;
}

/* The reason comes last; until then the word says that one is being written. */
static bool has_diverged(const struct supervise_watch *w)
{
	uint32_t why = supervise_load(&w->h->diverged);

	return why != PLAN_WHY_NOT && why != UINT32_MAX;
}

/* Somebody stands before the first step. */
static bool is_paused(const struct supervise_watch *w)
{
	for (uint32_t i = 0; i < w->h->nthreads; i++)
		if (supervise_load(&plan_seats(w->h)[i].state) == PLAN_PAUSED)
			return true;
	return false;
}

/* From step to step; then on to the point. */
static bool let_pace(struct supervise_watch *w)
{
	bool wanted = w->s->pace(w->s->visit_arg, w->pid, w->h);

	w->unpaced = true;
	supervise_set(&w->shared->paced, UINT32_MAX);
	w->moved = talk_clock();
	return wanted || supervise_finish(w, SUPERVISE_ENDED);
}

static bool look_approach(struct supervise_watch *w)
{
	if (w->s->pace && !w->unpaced && is_paused(w))
		return let_pace(w);
	if (has_diverged(w))
		return supervise_finish(w, SUPERVISE_DIVERGED);
	if (supervise_load(&w->h->taken) && point_is_reached(w->h))
		return supervise_at_point(w);
	if (supervise_is_stuck(w))
		return supervise_finish(w, SUPERVISE_STUCK);
	if (talk_clock() - w->moved >= w->s->time && !w->still.traced)
		return supervise_finish(w, SUPERVISE_ENDLESS);
	return true;
}

static bool look(void *arg, pid_t pid)
{
	struct supervise_watch *w = arg;

	supervise_sync(w);
	if (w->pid == 0) {
		w->pid = pid;
		w->begun = w->moved = talk_clock();
		still_init(&w->still, pid);
	}
	return w->phase == SUPERVISE_PHASE_APPROACH ? look_approach(w) : supervise_look_behind(w);
}

/* ---- start and end ---- */

/* The shared file with the plan in it, and the plan with the seats of that file in it. */
static enum status share(struct supervise_watch *w, struct diag *d)
{
	const struct plan *p = w->s->plan;
	size_t seats = p->head->seats;
	int fd = open(w->s->control, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *at = MAP_FAILED, *own = MAP_FAILED, *live = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)p->size) == 0)
		at = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		own = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	if (own != MAP_FAILED)
		live = mmap((char *)own + seats, p->size - seats, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, fd, (off_t)seats);
	w->shared = at != MAP_FAILED ? at : NULL;
	w->h = own != MAP_FAILED ? own : NULL;
	if (live == MAP_FAILED) {
		diag_set(d, "cannot write the plan '%s': %s", w->s->control, strerror(errno));
	} else {
		memcpy(at, p->head, p->size);
		memcpy(own, p->head, seats);
	}
	if (fd >= 0)
		close(fd);
	return live == MAP_FAILED ? ST_IO : ST_OK;
}

static void unshare(struct supervise_watch *w)
{
	if (w->shared)
		munmap(w->shared, w->s->plan->size);
	if (w->h)
		munmap(w->h, w->s->plan->size);
}

/* It ended by itself. */
static void ended(struct supervise_watch *w)
{
	struct supervise_result *r = w->r;

	supervise_sync(w);
	if (r->process.asked && r->after.known) {
		r->after.known = false; /* it was there; how it would have ended nobody knows */
		return;
	} else if (r->process.asked) {
		r->end = SUPERVISE_ASKED;
	} else if (r->killed || r->after.known) {
		return;
	} else if (supervise_is_overwritten(w)) {
		r->end = SUPERVISE_SPOILED;
	} else if (w->phase == SUPERVISE_PHASE_LOST && supervise_load(&w->h->freed) &&
		   r->process.signal == 0) {
		/* Whoever waited at the end was not woken.  If it crashed nobody knows. */
		const struct plan_seat *s = &plan_seats(w->h)[r->point.at[0]];

		r->open = false;
		r->end = supervise_load(&s->state) == PLAN_WAITS &&
					 !(supervise_load(&s->signalled) & PLAN_BY_SIGNAL)
				 ? SUPERVISE_REPLAYED
				 : SUPERVISE_REFUTED;
		if (r->end == SUPERVISE_REFUTED) {
			w->s->name(w->s->name_arg, r->point.at[0], &r->why);
			strbuf_adds(&r->why, " is woken: somebody signals after all");
		}
	} else {
		/* The last words may have come between two looks. */
		r->end = has_diverged(w)		? SUPERVISE_DIVERGED
			 : supervise_load(&w->h->taken) ? SUPERVISE_ENDED
							: SUPERVISE_DEAF;
	}
	r->seconds = r->process.seconds;
	if (!r->seen)
		supervise_take_picture(w);
}

enum status supervise_run(const struct supervise *s, struct supervise_result *out, struct diag *d)
{
	struct supervise_watch w = { .s = s, .r = out };
	struct strbuf options = { 0 };
	struct launch l = { .path = s->path,
			    .argv = s->argv,
			    .trace = s->trace,
			    .quiet = true,
			    .beside = s->beside,
			    .look = look,
			    .look_arg = &w,
			    .directory = s->directory,
			    .in = s->in,
			    .out = s->out,
			    .err = s->err,
			    .steady = true };
	enum status st;

	memset(out, 0, sizeof(*out));
	strbuf_addf(&options, "%scontrol=%s\n", s->options ? s->options : "", s->control);
	l.options = strbuf_str(&options);
	st = share(&w, d);
	if (st == ST_OK)
		st = launch_program(&l, &out->process, d);
	if (st == ST_OK)
		ended(&w);
	unshare(&w);
	strbuf_release(&options);
	return st;
}

void supervise_result_release(struct supervise_result *r)
{
	strbuf_release(&r->why);
	mem_free(r->seen);
	VEC_RELEASE(&r->tasks);
	memset(r, 0, sizeof(*r));
}
