/*
 * The control stream, the threads that have an open log, and how far each had come at each cut.
 *
 * Any thread may come here; one lock guards it all.
 */
#include "capture/log_priv.h"

/* Bytes closed between two cuts. */
#define CUT_BYTES (4u << 20)

#define CUT_PAIRS 2000u /* per record */
#define ENDED_MAX 1024u /* threads ended since the last cut */
#define CUT_MOST ((1u << FORMAT_TID_BITS) + ENDED_MAX)

struct pair {
	uint32_t tid;
	uint64_t tseq;
};

static struct {
	struct sys_lock lock; /* guards all below */
	struct thread control;
	bool torn;	       /* the control stream is between two chunks */
	struct thread **table; /* threads with an open log */
	size_t ntable;
	uint64_t closed; /* bytes since the last cut */
	uint64_t cut;	 /* bytes after which there is one */
	uint64_t cuts;
	uint32_t generation; /* of the area begun last, at the last cut */
	struct pair ended[ENDED_MAX];
	unsigned nended;
	struct pair *pairs; /* room for a cut: CUT_MOST of them */
} state;

/* ---- records; state.lock held ---- */

void log_control_lock(void)
{
	sys_lock_take(&state.lock);
}

void log_control_unlock(void)
{
	sys_lock_drop(&state.lock);
}

static bool control_room(struct thread *t, size_t n)
{
	while (t->cursor + n > chunk_end(t) && log_grow(t))
		;
	if (t->cursor + n <= chunk_end(t))
		return true;
	if (!chunk_close(t, 0))
		return false;
	chunk_begin(t);
	return t->cursor + n <= chunk_end(t);
}

void log_control_put(unsigned kind, const void *payload, size_t n)
{
	struct thread *t = &state.control;

	if (t->chunk == NULL || !ASSERT_RECORDING(n <= UINT16_MAX))
		return;
	if (t->cursor + 4 + n + 16 > chunk_end(t)) {
		state.torn = true;
		if (!control_room(t, 4 + n + 16))
			return;
		state.torn = false;
	}
	log_record_end(t, kind, 0, mempcpy(t->cursor + 4, payload, n));
}

void log_control(unsigned kind, const void *payload, size_t n)
{
	log_control_lock();
	log_control_put(kind, payload, n);
	log_control_unlock();
}

void log_note(const char *format, ...)
{
	struct text t = { .n = 0 };
	SYS_KEEPS_ERRNO;
	va_list args;

	va_start(args, format);
	text_add_list(&t, format, args);
	va_end(args);
	log_control(FORMAT_K_C_NOTE, t.at, t.n);
}

void log_control_memory(unsigned kind, uintptr_t addr, uint64_t n)
{
	uint8_t buffer[32], *end = LOG_NUMBERS(buffer, format_kind_more(kind), addr, n);

	log_control(kind, buffer, (size_t)(end - buffer));
}

/* ---- cuts; state.lock held ---- */

static void pairs_sort(struct pair *p, size_t n)
{
	for (size_t gap = n / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < n; i++)
			for (size_t k = i; k >= gap && p[k - gap].tid > p[k].tid; k -= gap) {
				struct pair swap = p[k];

				p[k] = p[k - gap];
				p[k - gap] = swap;
			}
}

static void cut_put(const struct pair *p, size_t n)
{
	static uint8_t buffer[16 + CUT_PAIRS * 12];
	uint8_t *at = LOG_NUMBERS(buffer, state.cuts, n);
	uint32_t before = 0;

	for (size_t i = 0; i < n; i++) {
		ASSERT_RECORDING(p[i].tid > before || i == 0);
		at = LOG_NUMBERS(at, p[i].tid - before, p[i].tseq);
		before = p[i].tid;
	}
	log_control_put(FORMAT_K_C_CUT, buffer, (size_t)(at - buffer));
}

/*
 * States how far every thread has come.  After the barrier each thread's
 * count is visible up to the event it is in the middle of, which the reader
 * allows for (TRACE_FORMAT.md section 5).
 */
static void cut_make(void)
{
	size_t n = 0;

	if (!ASSERT_RECORDING(state.nended <= ENDED_MAX && state.nended + state.ntable <= CUT_MOST))
		return;
	sys_barrier_all();
	for (unsigned i = 0; i < state.nended; i++)
		state.pairs[n++] = state.ended[i];
	for (size_t i = 0; i < state.ntable; i++) {
		state.pairs[n].tid = state.table[i]->tid;
		state.pairs[n++].tseq = __atomic_load_n(&state.table[i]->tseq, __ATOMIC_RELAXED);
	}
	pairs_sort(state.pairs, n);
	state.cuts++;
	for (size_t i = 0; i < n; i += CUT_PAIRS)
		cut_put(state.pairs + i, n - i < CUT_PAIRS ? n - i : CUT_PAIRS);
	state.nended = 0;
	state.closed = 0;
}

void log_account(const struct thread *t, uint64_t bytes, bool ended)
{
	static const char no_room[] = "no room for all that --keep asks for: less is kept";
	SYS_HOLD(&state.lock);

	state.closed += bytes;
	if (ended && ASSERT_RECORDING(state.nended < ENDED_MAX && t->index < state.ntable &&
				      state.table[t->index] == t)) {
		struct thread *last = state.table[--state.ntable];

		ASSERT_RECORDING(last->index == state.ntable);
		state.ended[state.nended++] = (struct pair){ t->tid, t->tseq };
		state.table[t->index] = last;
		last->index = t->index;
	}
	/* With areas, a cut at the beginning of each: a reader of what is left begins at a cut. */
	if (state.closed >= state.cut || state.nended == ENDED_MAX ||
	    state.generation != file_generation()) {
		state.generation = file_generation();
		cut_make();
	}
	if (file_is_short())
		log_control_put(FORMAT_K_C_NOTE, no_room, sizeof(no_room) - 1);
}

/* ---- the table ---- */

void log_table_add(struct thread *t)
{
	SYS_HOLD(&state.lock);

	ASSERT_RECORDING(t->tid != 0 && state.ntable < 1u << FORMAT_TID_BITS);
	t->index = (uint32_t)state.ntable;
	state.table[state.ntable++] = t;
	chunk_limit_set(t); /* log_table_stop may have been here before it was in the table */
}

void log_table_stop(void)
{
	SYS_HOLD(&state.lock);

	for (size_t i = 0; i < state.ntable; i++)
		__atomic_store_n(&state.table[i]->limit, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&log_state.on, false, __ATOMIC_RELEASE);
}

uint64_t log_events(void)
{
	SYS_HOLD(&state.lock);
	uint64_t n = 0;

	for (size_t i = 0; i < state.ntable; i++)
		n += __atomic_load_n(&state.table[i]->tseq, __ATOMIC_RELAXED);
	return n;
}

void log_each(void (*f)(struct thread *t))
{
	SYS_HOLD(&state.lock);

	for (size_t i = 0; i < state.ntable; i++)
		f(state.table[i]);
}

bool log_is_alone(const struct thread *t)
{
	return state.ntable == 1 && state.table[0] == t;
}

static void slots_share(const struct thread *t, int advice)
{
	madvise(t->chunk, file_slot_bytes(t->size), advice);
	for (unsigned i = 0; i < FILE_SIZES - 1; i++)
		if (t->outgrown[i] != NULL)
			madvise(t->outgrown[i], file_slot_bytes(i), advice);
}

void log_share(struct thread *t, int advice)
{
	slots_share(t, advice);
	slots_share(&state.control, advice);
}

/* ---- start and end ---- */

bool log_control_start(const struct log_options *opt)
{
	state.control.chunk = file_slot_take(state.control.size);
	state.table = sys_pages(sizeof(*state.table) << FORMAT_TID_BITS);
	/* All that can ever be needed: later there may be no memory, and cuts must not fail. */
	state.pairs = sys_pages(CUT_MOST * sizeof(*state.pairs));
	if (state.control.chunk == NULL || state.table == NULL || state.pairs == NULL)
		return false;
	state.cut = opt->cut != 0 ? opt->cut : CUT_BYTES;
	chunk_begin(&state.control);
	state.control.limit = chunk_end(&state.control);
	return true;
}

void log_control_end(void)
{
	state.control.chunk = NULL;
}

void log_control_leave(void)
{
	if (sys_locks_leave(&state.lock) && state.torn)
		log_control_end();
}
