/*
 * Vector clocks as in FastTrack's simplest ancestor: a row for every thread, and one for every object with
 * what was handed to it.  An access is compared with the last that every other thread has made to its word,
 * from each site: if an older one races, so does the last.
 */
#include "explore/shares.h"

/* The last access of its thread to these bytes of a word, in this way, from its site. */
struct access {
	uint32_t step, when; /* when: the thread's own count */
	uint32_t next;	     /* of the same word, 0: none */
	uint16_t thread;
	uint8_t bytes; /* bits */
	bool writes, is_atomic;
	bool frees; /* the memory is given back */
};

struct finder {
	struct shares *out;
	const struct baton_step *steps;
	uint32_t nthreads, made;
	uint32_t fault;		     /* the step that touches what is free; UINT32_MAX: none does */
	VEC(uint32_t) clocks;	     /* a row for every thread */
	VEC(uint32_t) given;	     /* a row for every object */
	struct map objects;	     /* row of given, from 1 */
	struct map runners;	     /* of a once: the thread that runs the routine, and 1 */
	struct map held;	     /* of a lock: its holder, and 1; above that how often */
	VEC(struct access) accesses; /* the first is none */
	struct map words;	     /* the newest access of each */
	struct map pairs;	     /* of sites that are reported */
};

/* Readers hand on to writers only: what they give lies apart. */
#define BY_WRITER 0u
#define BY_READER 1u
#define BY_ATOMIC 2u
#define BY_OTHER 3u /* object: enum baton_channel */

static uint32_t *clock_of(struct finder *f, uint32_t thread)
{
	return f->clocks.at + (size_t)thread * f->nthreads;
}

static uint32_t *given_to(struct finder *f, uint64_t object, unsigned by)
{
	uint64_t *row = map_put(&f->objects, object * 4 + by, NULL);

	if (*row == 0) {
		*row = f->given.n / f->nthreads + 1;
		VEC_REACH(&f->given, f->given.n + f->nthreads - 1);
	}
	return f->given.at + (*row - 1) * f->nthreads;
}

static void join(const struct finder *f, uint32_t *into, const uint32_t *from)
{
	for (uint32_t t = 0; t < f->nthreads; t++)
		if (into[t] < from[t])
			into[t] = from[t];
}

static void give(struct finder *f, uint32_t thread, uint64_t object, unsigned by)
{
	join(f, given_to(f, object, by), clock_of(f, thread));
}

static void take(struct finder *f, uint32_t thread, uint64_t object, unsigned by)
{
	join(f, clock_of(f, thread), given_to(f, object, by));
}

/* Whoever comes later comes behind the end of the routine; and who runs it behind those who tried before. */
static void run_once(struct finder *f, uint32_t thread, uint64_t object, bool done)
{
	uint64_t *runner = map_put(&f->runners, object, NULL);

	if (*runner != 0)
		join(f, clock_of(f, thread), clock_of(f, (uint32_t)*runner - 1));
	if (!done)
		*runner = thread + 1;
}

/* A robust mutex is taken from a holder that has ended: behind all that it did.  Held: how often, and by whom. */
static void hold(struct finder *f, uint32_t thread, uint64_t object)
{
	uint64_t *held = map_put(&f->held, object, NULL);

	if (*held != 0 && (uint32_t)*held - 1 != thread) {
		join(f, clock_of(f, thread), clock_of(f, (uint32_t)*held - 1));
		*held = 0;
	}
	*held = (*held == 0 ? thread + 1 : *held) + (1ull << 32);
}

static void let_go(struct finder *f, uint64_t object, bool all)
{
	uint64_t *held = map_put(&f->held, object, NULL);

	*held = *held >> 32 <= 1 || all ? 0 : *held - (1ull << 32);
}

/* It came back in vain.  A wait has its mutex all the same; something may have been given, where there was
 * room for less than poll asks for. */
static bool has_nothing(const struct baton_op *op)
{
	return (op->flags & BATON_VAIN) && op->kind != BATON_WAKE && op->kind != BATON_GIVE;
}

static void note_sync(struct finder *f, uint32_t thread, const struct baton_op *op)
{
	switch (op->kind) {
	case BATON_LOCK:
	case BATON_TRY_LOCK:
		take(f, thread, op->object, BY_WRITER);
		take(f, thread, op->object, BY_READER);
		hold(f, thread, op->object);
		break;
	case BATON_READ_LOCK:
	case BATON_TRY_READ_LOCK:
	case BATON_SEM_WAIT:
	case BATON_SEM_TRY:
	case BATON_BARRIER_OUT:
	case BATON_SIGNAL_WAIT:
		take(f, thread, op->object, BY_WRITER);
		break;
	case BATON_TAKE:
		take(f, thread, op->object, BY_WRITER);
		take(f, thread, op->second, BY_WRITER);
		break;
	case BATON_READ_UNLOCK:
		give(f, thread, op->object, BY_READER);
		break;
	case BATON_UNLOCK:
		let_go(f, op->object, false);
		give(f, thread, op->object, BY_WRITER);
		break;
	case BATON_SIGNAL:
	case BATON_BROADCAST:
	case BATON_SEM_POST:
	case BATON_BARRIER_IN:
	case BATON_GIVE:
	case BATON_KILL:
		give(f, thread, op->object, BY_WRITER);
		break;
	case BATON_WAIT:
		let_go(f, op->second, true);
		give(f, thread, op->second, BY_WRITER);
		break;
	case BATON_WAKE:
		if (!(op->flags & BATON_VAIN))
			take(f, thread, op->object, BY_WRITER);
		take(f, thread, op->second, BY_WRITER);
		if (op->second != 0)
			hold(f, thread, op->second);
		break;
	case BATON_OBJECT:
		let_go(f, op->object, true);
		take(f, thread, op->object, BY_WRITER);
		give(f, thread, op->object, BY_WRITER);
		break;
	case BATON_ONCE:
		run_once(f, thread, op->object, op->flags & BATON_DONE);
		break;
	case BATON_END:
		give(f, thread, op->object, BY_WRITER);
		break;
	case BATON_JOIN:
		if (op->flags & BATON_TIMED)
			take(f, thread, op->object, BY_WRITER);
		else if (op->second < f->nthreads)
			join(f, clock_of(f, thread), clock_of(f, (uint32_t)op->second));
		break;
	default:
		break;
	}
}

/* What is read was handed on by the last who wrote; who adds to it keeps what was there.  Byte by byte:
 * who writes one flag takes nothing away from the next. */
static void note_atomic(struct finder *f, uint32_t thread, const struct baton_op *op)
{
	if (op->kind != BATON_WRITE)
		take(f, thread, BATON_ASSEMBLER, BY_OTHER);
	for (uint64_t at = op->object; at < op->object + op->size; at++) {
		if (op->kind != BATON_WRITE)
			take(f, thread, at, BY_ATOMIC);
		else
			memset(given_to(f, at, BY_ATOMIC), 0, f->nthreads * sizeof(uint32_t));
	}
	for (uint64_t at = op->object; op->kind != BATON_READ && at < op->object + op->size; at++)
		give(f, thread, at, BY_ATOMIC);
}

/* Takes come first: who gives in the same breath hands on what it got. */
static void note_passed(struct finder *f, const struct baton_step *s)
{
	for (unsigned c = 0; s->passed != 0 && c < BATON_CHANNELS; c++)
		if (s->passed & BATON_TOOK(c))
			take(f, s->choice.thread, c, BY_OTHER);
	for (unsigned c = 0; s->passed != 0 && c < BATON_CHANNELS; c++)
		if (s->passed & BATON_GAVE(c))
			give(f, s->choice.thread, c, BY_OTHER);
}

static void report(struct finder *f, uint32_t first, uint32_t second)
{
	uint32_t a = f->steps[first].op.site, b = f->steps[second].op.site;
	uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
	bool fresh;

	map_put(&f->pairs, key, &fresh);
	if (fresh)
		*VEC_PUSH(&f->out->races) =
			(struct shares_race){ .first = first, .second = second };
}

/* The bytes of a word that an access touches. */
static uint8_t bytes_of(const struct baton_op *op, uint64_t word)
{
	uint64_t low = op->object > word * 8 ? op->object - word * 8 : 0;
	uint64_t high = op->object + op->size - word * 8;

	return (uint8_t)((high >= 8 ? 0xff : (1u << high) - 1) & ~((1u << low) - 1));
}

static void note_word(struct finder *f, const struct access *now, uint64_t word)
{
	uint64_t *head = map_put(&f->words, word, NULL);
	const uint32_t *clock = clock_of(f, now->thread);
	struct access *same = NULL;

	/* Whoever touches what was freed, and is not at fault, has got it since, from the allocator: what
	 * was there before is over. */
	if (*head != 0 && f->accesses.at[*head].frees && now->step != f->fault)
		*head = 0;
	for (uint32_t i = (uint32_t)*head; i != 0; i = f->accesses.at[i].next) {
		struct access *a = &f->accesses.at[i];

		if (a->thread == now->thread) {
			if (a->bytes == now->bytes && a->writes == now->writes && !now->frees &&
			    a->is_atomic == now->is_atomic &&
			    f->steps[a->step].op.site == f->steps[now->step].op.site)
				same = a;
		} else if ((a->bytes & now->bytes) != 0 && (a->writes || now->writes) &&
			   !(a->is_atomic && now->is_atomic) && clock[a->thread] < a->when) {
			report(f, a->step, now->step);
		}
	}
	if (same != NULL) {
		same->step = now->step;
		same->when = now->when;
		return;
	}
	*VEC_PUSH(&f->accesses) = *now;
	f->accesses.at[f->accesses.n - 1].next = (uint32_t)*head;
	*head = f->accesses.n - 1;
}

static void note_access(struct finder *f, uint32_t step)
{
	const struct baton_op *op = &f->steps[step].op;
	uint32_t thread = f->steps[step].choice.thread;
	struct access now = { .step = step,
			      .when = clock_of(f, thread)[thread],
			      .thread = (uint16_t)thread,
			      .writes = op->kind != BATON_READ,
			      .is_atomic = op->flags & BATON_ATOMIC,
			      .frees = op->flags & BATON_FREES };

	if (op->size == 0)
		return;
	for (uint64_t w = op->object / 8; w <= (op->object + op->size - 1) / 8; w++) {
		now.bytes = bytes_of(op, w);
		note_word(f, &now, w);
	}
}

static void note_step(struct finder *f, uint32_t step)
{
	const struct baton_op *op = &f->steps[step].op;
	uint32_t thread = f->steps[step].choice.thread;

	if (!BATON_IS_ACCESS(op->kind)) {
		if (!has_nothing(op))
			note_sync(f, thread, op);
		return;
	}
	if (op->kind == BATON_UPDATE && (op->flags & BATON_KERNEL))
		return;
	if (op->flags & BATON_ATOMIC)
		note_atomic(f, thread, op);
	note_access(f, step);
}

/* Threads that are new before a step were made behind the one before it. */
static void note_made(struct finder *f, uint32_t step)
{
	uint32_t n = f->steps[step].nthreads;

	if (n > f->nthreads)
		n = f->nthreads;
	for (uint32_t t = f->made; t < n && step > 0; t++)
		join(f, clock_of(f, t), clock_of(f, f->steps[step - 1].choice.thread));
	if (f->made < n)
		f->made = n;
}

void shares_find(struct shares *s, const struct explore_runner *r)
{
	struct finder f = { .out = s,
			    .steps = explore_steps(r),
			    .nthreads = r->head->nthreads,
			    .fault = UINT32_MAX };

	if (r->verdict.fault == EXPLORE_FREED && r->head->nsteps > 0)
		f.fault = r->head->nsteps - 1;
	VEC_CLEAR(&s->races);
	if (f.nthreads == 0)
		return;
	VEC_REACH(&f.clocks, (size_t)f.nthreads * f.nthreads - 1);
	VEC_REACH(&f.accesses, 0);
	for (uint32_t i = 0; i < r->head->nsteps; i++) {
		uint32_t thread = f.steps[i].choice.thread;

		note_made(&f, i);
		clock_of(&f, thread)[thread]++;
		note_step(&f, i);
		note_passed(&f, &f.steps[i]);
	}
	VEC_RELEASE_ALL(&f.clocks, &f.given, &f.accesses);
	MAP_RELEASE_ALL(&f.objects, &f.runners, &f.held, &f.words, &f.pairs);
}

void shares_release(struct shares *s)
{
	VEC_RELEASE(&s->races);
}
