#include "capture/filter.h"
#include "capture/guard.h"
#include "capture/log_priv.h"

#define STACK_FRAMES 255u /* frames that are stated; deeper ones are not logged */
/* Bytes of a chunk, when tests ask for small ones. */
#define CHUNK_MOST (64u << 10)

struct log_state log_state;

bool log_is_on(void)
{
	return __atomic_load_n(&log_state.on, __ATOMIC_RELAXED);
}

/* ---- a thread's log ---- */

bool log_open(struct thread *t)
{
	SYS_KEEPS_ERRNO;

	t->size = 0;
	memset(t->outgrown, 0, sizeof(t->outgrown));
	if (!log_is_on() || (t->chunk = file_slot_take(t->size)) == NULL) {
		if (log_is_on())
			log_trouble("cannot get room for another thread", errno);
		return false;
	}
	t->nchunks = 0;
	chunk_begin(t);
	log_table_add(t);
	return true;
}

void log_close(struct thread *t)
{
	SYS_KEEPS_ERRNO;
	uint64_t bytes;

	if (t->chunk == NULL)
		return;
	if (log_is_on()) {
		if (!chunk_close(t, FORMAT_CHUNK_LAST))
			log_trouble("cannot write to the trace", errno);
		bytes = t->chunk->used;
		file_slot_give(t->chunk, t->size);
		log_account(t, bytes, true);
	}
	t->chunk = NULL;
}

/* Out of room: begins the next chunk.  If the file cannot be written, the record that is being
 * made goes to a scrap page, and the thread does not record any more. */
static void chunk_switch(struct thread *t)
{
	SYS_KEEPS_ERRNO;
	uint64_t bytes;

	filter_settle(t);
	if ((t->tseq + (1u << 24)) >> FORMAT_TSEQ_BITS != 0)
		log_trouble("more events of a thread than can be numbered", 0);
	if (!log_is_on() || !chunk_close(t, 0)) {
		if (log_is_on())
			log_trouble("cannot write to the trace", errno);
		log_mute(t);
		return;
	}
	bytes = t->chunk->used;
	chunk_begin(t);
	log_account(t, bytes, false);
	filter_trim(t);
	t->review = true;
}

/* The chunk has come to its limit. */
static void chunk_full(struct thread *t)
{
	bool is_slot = t->cursor >= chunk_room(t); /* that is full, and not what tests asked for */

	if (!log_is_on() || !is_slot || !log_grow(t))
		chunk_switch(t);
}

/*
 * This thread stops recording.  It may be in the middle of a hook that goes on
 * to write a record, so the cursor is left where that does no harm:
 * the slot's records end (head 0) where the last whole one ended.
 */
void log_mute(struct thread *t)
{
	static uint8_t scrap[FORMAT_SLOT_SIZE]; /* written by many, read by none */

	t->muted = true;
	if (!CONTROL_BARE(t))
		foresee_self = &thread_gone.view;
	t->cursor = scrap;
	t->limit = scrap + sizeof(scrap) - STACK_ROOM - TRAILING_ROOM;
	/* The filter's tables stay mapped: the caller may be using them. */
	t->npending = 0;
	t->resting = NULL;
	filter_none(t);
}

void log_leave(struct thread *t)
{
	log_control_leave();
	log_mute(t);
}

static void state_frames(struct thread *t, unsigned aux, uint32_t keep, uint32_t depth)
{
	uint8_t *p = LOG_NUMBERS(t->cursor + 4, keep, depth - keep);

	for (uint32_t i = keep; i < depth; i++)
		p = log_varint(p, t->view.frames[i]);
	ASSERT_RECORDING(p <= t->cursor + STACK_ROOM);
	log_record_end(t, FORMAT_K_STACK, aux, p);
}

/* In a new chunk: frames that the chunk before has stated, and that nobody has left since. */
static void restate_stack(struct thread *t)
{
	uint32_t n = t->stayed < t->view.low ? t->stayed : t->view.low;

	if (n > t->view.depth)
		n = t->view.depth;
	if (n > STACK_FRAMES)
		n = STACK_FRAMES;
	if (n != 0)
		state_frames(t, FORMAT_STACK_STAYED, 0, n);
	t->logged_depth = n;
	t->stayed = 0;
}

static void state_stack(struct thread *t)
{
	uint32_t logged, depth = t->view.depth, keep = t->view.low;

	if (t->stayed != 0)
		restate_stack(t);
	logged = t->logged_depth;
	if (logged > STACK_FRAMES)
		logged = STACK_FRAMES;
	if (keep > logged)
		keep = logged;
	if (depth > STACK_FRAMES)
		depth = STACK_FRAMES;
	if (keep > depth) /* a handler came while the two were being set */
		keep = depth;
	if (keep != logged || depth != keep)
		state_frames(t, 0, keep, depth);
	t->view.low = t->view.depth;
	t->logged_depth = t->view.depth;
}

/* Closes the runs, unless a synchronisation has done so since the last time. */
static void runs_settle(struct thread *t)
{
	t->unsettled += SETTLE_BYTES;
	if (t->epoch != t->settled) {
		t->unsettled = 0;
	} else if (t->unsettled / SETTLE_COST >= t->npending) {
		t->unsettled = 0;
		t->settling = true;
		chunk_limit_set(t);
		filter_sweep_pending(t);
		t->settling = false;
		if (t->muted)
			return;
		log_record_end(t, FORMAT_K_PAD, FORMAT_PAD_SETTLED, t->cursor + 4);
	}
	t->settled = t->epoch;
	chunk_limit_set(t);
}

/* Logs no event: the number of the caller's event may have been given to others already. */
void log_catch_up(struct thread *t, uint32_t site)
{
	if (t->nested != 0) { /* a handler set limit to get us here */
		t->nested = 0;
		if (!t->muted)
			chunk_limit_set(t);
		log_record_end(t, FORMAT_K_NESTED, 0, log_varint(t->cursor + 4, site));
		t->nextra++;
		if (t->hiding)
			log_control_memory(FORMAT_K_C_HIDDEN, 0, UINT64_MAX);
		t->hiding = false;
	}
	if (assert_broken() != NULL || !(t->muted || chunk_is_sound(t)))
		log_trouble(assert_broken(), 0);
	if (t->cursor >= t->limit) {
		if (t->muted)
			log_mute(t);
		else if (t->cursor >= chunk_limit(t) || !log_is_on())
			chunk_full(t);
		else
			runs_settle(t);
	}
	if (t->view.depth != t->logged_depth || t->view.low != t->logged_depth)
		state_stack(t);
}

void log_peer(struct thread *t, uint32_t tid)
{
	uint32_t seat = tid & (FORMAT_PEERS - 1);

	t->peers[seat] = (struct peer){ tid, 0 };
	log_record_end(t, FORMAT_K_PEER, 0, LOG_NUMBERS(t->cursor + 4, seat, tid));
	ASSERT_RECORDING(tid != 0 && tid != t->tid && tid < 1u << FORMAT_TID_BITS);
}

uint8_t *log_other_begin(struct thread *t, uint32_t site)
{
	log_ready(t, site);
	return t->cursor + 4;
}

uint8_t *log_other_room(struct thread *t, uint32_t site, size_t need)
{
	uint8_t *p;

	do {
		while (!t->muted && t->cursor + need >= chunk_room(t) && log_grow(t))
			;
		if (!t->muted && t->cursor + need >= chunk_room(t))
			chunk_switch(t);
		if (!t->muted && t->cursor + need >= chunk_room(t)) {
			log_trouble("cannot get room for a large record", ENOSPC);
			log_mute(t);
		}
		if (t->muted) /* need is at most 16 KiB: there is room in the scrap */
			log_mute(t);
		p = log_other_begin(t, site); /* may close runs, each by a record */
	} while (!t->muted && t->cursor + need + LOG_SLACK > chunk_end(t));
	return p;
}

void log_other_end(struct thread *t, unsigned kind, unsigned aux, uint8_t *end, uint64_t events)
{
	size_t n = (size_t)(end - t->cursor) - 4;

	log_record_end(t, kind, aux, end);
	if (events > 1)
		t->nextra -= (int64_t)events - 1;
	log_count(t, events);
	ASSERT_RECORDING(n <= UINT16_MAX); /* last: so it costs a compare */
}

/* ---- start and end ---- */

bool log_start(const char *path, const struct log_options *opt)
{
	uint32_t flags = (opt->full ? FORMAT_FULL : 0) | (opt->partial ? FORMAT_PARTIAL : 0) |
			 (opt->locks ? FORMAT_LOCKS : 0);

	if (!file_create(path, flags, opt->keep))
		return false;
	log_state.full = opt->full;
	log_state.drops = !opt->full && !opt->locks;
	log_state.keep = opt->keep != 0;
	log_state.chunk = opt->cut > 2 * CHUNK_MOST ? 0 : (uint32_t)(opt->cut / 2);
	if (!log_control_start(opt))
		return false;
	sys_barrier_register();
	__atomic_store_n(&log_state.on, true, __ATOMIC_RELEASE);
	return true;
}

void log_silent(void)
{
	__atomic_store_n(&log_state.on, true, __ATOMIC_RELEASE);
}

bool log_is_full(void)
{
	return log_state.full;
}

/*
 * What a thread does after it has stopped recording (it gives back a lock, it writes) must not be
 * seen by threads that still record.  So log_table_stop clears the limits of all threads, which
 * makes each of them look at its next record, and only then recording is off.  True: this call was
 * the first.
 */
static bool log_stop(void)
{
	bool first = !__atomic_exchange_n(&log_state.stopping, true, __ATOMIC_SEQ_CST);

	log_table_stop();
	return first;
}

void log_finish(int status)
{
	uint8_t buffer[16], *end = log_varint(buffer, (uint32_t)status);

	if (assert_broken() != NULL)
		log_trouble(assert_broken(), 0);
	if (!log_is_on())
		return;
	log_control(FORMAT_K_C_END, buffer, (size_t)(end - buffer));
	log_stop();
}

void log_abandon(void)
{
	__atomic_store_n(&log_state.on, false, __ATOMIC_RELEASE);
	log_control_end();
	file_close();
}

/* Records that end runs take no numbers, so it does not matter which event was on its way. */
void log_settle(struct thread *t)
{
	uint8_t *p;

	if (!log_state.drops || t->chunk == NULL || t->muted)
		return;
	filter_sweep_pending(t);
	p = log_other_begin(t, 0);
	if (!t->muted)
		log_other_end(t, FORMAT_K_PAD, FORMAT_PAD_SETTLED, p, 0);
}

void log_trouble(const char *what, int error)
{
	const char *why = strerrordesc_np(error), *broken = assert_broken();
	struct text t = { .n = 0 };

	if (!log_is_on() || !log_stop())
		return;
	text_add(&t, "%s", broken != NULL ? broken : what);
	if (broken == NULL && error != 0 && why != NULL)
		text_add(&t, ": %s", why);
	if (control_on)
		control_trouble(t.at, t.n);
	if (guard_on)
		guard_trouble(t.at, t.n);
	log_control(FORMAT_K_C_TROUBLE, t.at, t.n);
}
