#include "capture/log.h"

#include <time.h>

#include "capture/file.h"
#include "capture/filter.h"
#include "capture/sys.h"

/*
 * A slot, from its start:
 *
 *	head | records ...            | reserve for LATE | LOG_SLACK and stack
 *	     ^first                   ^limit                                 ^end
 *
 * Past `limit' the chunk is closed before the next record.  Closing may add
 * LATE records; catching up with a stack may take STACK_ROOM.
 *
 * A thread begins in a slot of the smallest size.  When that is full the chunk is not closed but goes
 * on in a larger one, and so smaller slots have no reserve for LATE.  What is in the smaller one
 * stays there until the chunk is closed: whoever reads the file meanwhile may have looked at the
 * larger one before the chunk came there, and finds its beginning.
 */
#define STACK_FRAMES 255u /* frames that are stated; deeper ones are not logged */
#define STACK_ROOM 2048u
#define LATE_ROOM 16384u

/* Bytes closed between two cuts. */
#define CUT_BYTES (4u << 20)
/* Of a chunk, when tests ask for small ones. */
#define CHUNK_MOST (64u << 10)

#define CUT_PAIRS 2000u /* per record */
#define ENDED_MAX 1024u /* threads ended since the last cut */
#define CUT_MOST ((1u << FORMAT_TID_BITS) + ENDED_MAX)

struct pair {
	uint32_t tid;
	uint64_t tseq;
};

static struct {
	bool on;       /* atomic: threads look at it on their slow paths */
	bool stopping; /* atomic: no limit is set any more; `on' goes when all are cleared */
	bool full;
	bool drops;	      /* reads may be dropped: runs are closed from time to time */
	bool keep;	      /* old chunks go */
	struct sys_lock lock; /* guards all below */
	struct thread control;
	bool torn;	       /* the control stream is between two chunks */
	struct thread **table; /* threads with an open log */
	size_t ntable;
	uint64_t closed; /* bytes since the last cut */
	uint64_t cut;	 /* bytes after which there is one */
	uint32_t chunk;	 /* bytes of a chunk; 0: as many as there is room for */
	uint64_t cuts;
	uint32_t generation; /* of the area begun last, at the last cut */
	struct pair ended[ENDED_MAX];
	unsigned nended;
	struct pair *pairs; /* room for a cut: CUT_MOST of them */
} state;

bool log_is_on(void)
{
	return __atomic_load_n(&state.on, __ATOMIC_RELAXED);
}

static uint8_t *chunk_end(const struct thread *t)
{
	return (uint8_t *)t->chunk + file_slot_bytes(t->size);
}

/* ---- chunks ---- */

/*
 * While a run of dropped reads is open the reads it stands for are nowhere: should the program be
 * killed, or somebody look at the file as it is, nothing after its first read can be relied on.
 * Threads that never synchronise would leave nothing but such reads.  So runs are closed after
 * SETTLE_BYTES of records, later if there are many: each takes a record.  The reads that they
 * began with still stand for what comes.
 */
#define SETTLE_BYTES 2048u
#define SETTLE_COST 256u /* bytes of records for each run that is closed */

static uint8_t *chunk_room(const struct thread *t)
{
	return chunk_end(t) - STACK_ROOM - (t->size == FILE_SIZES - 1 ? LATE_ROOM : 0);
}

static uint8_t *chunk_limit(const struct thread *t)
{
	uint8_t *room = chunk_room(t), *asked = (uint8_t *)(t->chunk + 1) + state.chunk;

	return state.chunk != 0 && asked < room ? asked : room;
}

/*
 * Sets the limit, unless recording stops: pairs with stop_all, which says so
 * before it clears all limits.  A signal handler that ran inside a hook clears it too
 * (hook_enter_slow), maybe just before it is set here: the next record must say so.
 */
static void limit_set(struct thread *t)
{
	uint8_t *limit = chunk_limit(t);

	if (state.drops && !t->settling && t->cursor + SETTLE_BYTES < limit)
		limit = t->cursor + SETTLE_BYTES;
	__atomic_store_n(&t->limit, limit, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&state.stopping, __ATOMIC_SEQ_CST) ||
	    __atomic_load_n(&t->nested, __ATOMIC_RELAXED) != 0)
		t->limit = NULL;
}

static void put_name(struct thread *t, unsigned what, const void *payload, size_t n)
{
	memcpy(t->cursor + 4, payload, n);
	log_commit(t->cursor, FORMAT_OTHER | FORMAT_K_NAME << FORMAT_KIND_SHIFT |
				      what << FORMAT_AUX_SHIFT | (uint32_t)n << FORMAT_LEN_SHIFT);
	t->cursor += 4 + n;
}

/* What the thread's first chunk has told, and may be dropped with it. */
static void chunk_introduce(struct thread *t)
{
	uint8_t stack[32], *end;

	if (t->nname != 0)
		put_name(t, FORMAT_NAME_THREAD, t->name, t->nname);
	if (t->stack_high == 0)
		return;
	end = log_varint(log_varint(stack, t->stack_low), t->stack_high - t->stack_low);
	end = log_varint(end, t->unseen_root ? FORMAT_ROOT_UNSEEN : FORMAT_ROOT_SEEN);
	put_name(t, FORMAT_NAME_STACK, stack, (size_t)(end - stack));
}

static void chunk_begin(struct thread *t)
{
	struct format_chunk *c = t->chunk;
	struct timespec now;

	/* A killed program must not leave a head that does not fit its records. */
	__atomic_store_n(&c->magic, 0, __ATOMIC_RELEASE);
	memset(c + 1, 0, file_slot_bytes(t->size) - sizeof(*c));
	clock_gettime(CLOCK_MONOTONIC, &now);
	*c = (struct format_chunk){
		.tid = t->tid,
		.number = t->nchunks,
		.first_tseq = t->tseq + 1,
		.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
	};
	__atomic_store_n(&c->magic, FORMAT_CHUNK, __ATOMIC_RELEASE);
	t->cursor = (uint8_t *)(c + 1);
	if (state.keep && t->nchunks != 0)
		chunk_introduce(t);
	limit_set(t);
	memset(t->peers, 0, sizeof(t->peers));
	memset(t->shapes, 0, sizeof(t->shapes));
	memset(t->taken, 0, sizeof(t->taken));
	t->ntaken = 0;
	t->last_taken = 0;
	memset(t->predict, 0, sizeof(t->predict));
	memset(t->places, 0, sizeof(t->places));
	memset(t->last_read, 0, sizeof(t->last_read));
	t->last_version = 0;
	t->nlate = 0;
	t->nextra = 0;
	t->logged_depth = 0; /* restate it: keep 0, then all */
	t->view.low = 0;
}

/* The chunk is in the file: where it was begun it is no more. */
static void outgrown_give(struct thread *t)
{
	for (unsigned i = 0; i < FILE_SIZES - 1; i++) {
		if (t->outgrown[i] == NULL)
			continue;
		__atomic_store_n(&t->outgrown[i]->magic, 0, __ATOMIC_RELEASE);
		file_slot_give(t->outgrown[i], i);
		t->outgrown[i] = NULL;
	}
}

/* Copies the chunk to the end of the file. */
static bool chunk_close(struct thread *t, uint32_t flags)
{
	struct format_chunk *c = t->chunk;

	c->used = (uint32_t)(t->cursor - (uint8_t *)(c + 1));
	c->nlate = t->nlate;
	c->nevents = t->tseq + 1 - c->first_tseq;
	c->nitems = (uint32_t)((int64_t)c->nevents + t->nextra);
	c->sum = format_sum(c + 1, c->used, c->number);
	c->flags = FORMAT_CHUNK_CLOSED | flags;
	c->head_sum = format_head_sum(c);
	t->nchunks++;
	if (!(t == &state.control ? file_append(c, sizeof(*c) + c->used) : file_append_chunk(c)))
		return false;
	outgrown_give(t);
	return true;
}

bool log_grow(struct thread *t)
{
	struct format_chunk *from = t->chunk, *to;
	size_t used = (size_t)(t->cursor - (uint8_t *)(from + 1));
	int saved = errno;

	if (t->muted || t->size == FILE_SIZES - 1)
		return false;
	to = file_slot_take(t->size + 1);
	errno = saved;
	if (to == NULL)
		return false;
	/* Whoever reads takes the slot for empty until all is there. */
	__atomic_store_n(&to->magic, 0, __ATOMIC_RELEASE);
	memcpy((char *)to + sizeof(to->magic), (char *)from + sizeof(from->magic),
	       sizeof(*from) - sizeof(from->magic));
	memcpy(to + 1, from + 1, used);
	memset((uint8_t *)(to + 1) + used, 0, file_slot_bytes(t->size + 1) - sizeof(*to) - used);
	__atomic_store_n(&to->magic, FORMAT_CHUNK, __ATOMIC_RELEASE);
	t->outgrown[t->size++] = from;
	t->chunk = to;
	t->cursor = (uint8_t *)(to + 1) + used;
	limit_set(t);
	return true;
}

bool log_late_room(struct thread *t)
{
	while (t->cursor + 128 > chunk_end(t))
		if (!log_grow(t))
			return false;
	return true;
}

/* ---- the control stream; state.lock held ---- */

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
	uint8_t *head;

	if (t->chunk == NULL || n > 0xffff)
		return;
	if (t->cursor + 4 + n + 16 > chunk_end(t)) {
		state.torn = true;
		if (!control_room(t, 4 + n + 16))
			return;
		state.torn = false;
	}
	head = t->cursor;
	memcpy(head + 4, payload, n);
	log_commit(head, format_kind_head(kind) | (uint32_t)n << FORMAT_LEN_SHIFT);
	t->cursor = head + 4 + n;
}

void log_control(unsigned kind, const void *payload, size_t n)
{
	log_control_lock();
	log_control_put(kind, payload, n);
	log_control_unlock();
}

void log_control_memory(unsigned kind, uintptr_t addr, uint64_t n)
{
	uint8_t buffer[32], *p = log_varint(buffer, format_kind_more(kind));

	p = log_varint(p, addr);
	p = log_varint(p, n);
	log_control(kind, buffer, (size_t)(p - buffer));
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
	uint8_t *at = log_varint(log_varint(buffer, state.cuts), n);
	uint32_t before = 0;

	for (size_t i = 0; i < n; i++) {
		at = log_varint(at, p[i].tid - before);
		at = log_varint(at, p[i].tseq);
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

static void cut_account(const struct thread *t, uint64_t bytes, bool ended)
{
	static const char no_room[] = "no room for all that --keep asks for: less is kept";

	sys_lock_take(&state.lock);
	state.closed += bytes;
	if (ended) {
		state.ended[state.nended++] = (struct pair){ t->tid, t->tseq };
		state.table[t->index] = state.table[--state.ntable];
		state.table[t->index]->index = t->index;
	}
	/* With areas, one for each: whoever reads what is left begins at a cut. */
	if (state.closed >= state.cut || state.nended == ENDED_MAX ||
	    state.generation != file_generation()) {
		state.generation = file_generation();
		cut_make();
	}
	if (file_is_short())
		log_control_put(FORMAT_K_C_NOTE, no_room, sizeof(no_room) - 1);
	sys_lock_drop(&state.lock);
}

/* ---- a thread's log ---- */

bool log_open(struct thread *t)
{
	int saved = errno;

	t->size = 0;
	memset(t->outgrown, 0, sizeof(t->outgrown));
	if (!log_is_on() || (t->chunk = file_slot_take(t->size)) == NULL) {
		if (log_is_on())
			log_trouble("cannot get room for another thread", errno);
		errno = saved;
		return false;
	}
	t->nchunks = 0;
	chunk_begin(t);
	sys_lock_take(&state.lock);
	t->index = (uint32_t)state.ntable;
	state.table[state.ntable++] = t;
	limit_set(t); /* stop_all may have been here before it was in the table */
	sys_lock_drop(&state.lock);
	errno = saved;
	return true;
}

void log_close(struct thread *t)
{
	int saved = errno;
	uint64_t bytes;

	if (t->chunk == NULL)
		return;
	if (log_is_on()) {
		if (!chunk_close(t, FORMAT_CHUNK_LAST))
			log_trouble("cannot write to the trace", errno);
		bytes = t->chunk->used;
		file_slot_give(t->chunk, t->size);
		cut_account(t, bytes, true);
	}
	t->chunk = NULL;
	errno = saved;
}

/* Out of room: on to the next chunk.  When the file takes no more, the record
 * that is being made goes to a scrap page, and the thread records no more. */
static void chunk_switch(struct thread *t)
{
	int saved = errno;
	uint64_t bytes;

	filter_settle(t);
	if ((t->tseq + (1u << 24)) >> FORMAT_TSEQ_BITS != 0)
		log_trouble("more events of a thread than can be numbered", 0);
	if (!log_is_on() || !chunk_close(t, 0)) {
		if (log_is_on())
			log_trouble("cannot write to the trace", errno);
		log_mute(t);
		errno = saved;
		return;
	}
	bytes = t->chunk->used;
	chunk_begin(t);
	cut_account(t, bytes, false);
	filter_trim(t);
	t->review = true;
	errno = saved;
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
 * to write a record, so the cursor is left at a place where that does no harm:
 * the slot's records end (head 0) where the last whole one ended.
 */
void log_mute(struct thread *t)
{
	static uint8_t scrap[FORMAT_SLOT_SIZE]; /* written by many, read by none */

	t->muted = true;
	foresee_self = &thread_gone.view;
	t->cursor = scrap;
	t->limit = scrap + sizeof(scrap) - STACK_ROOM - LATE_ROOM;
	/* The tables stay mapped: whoever called may be at work in them. */
	t->npending = 0;
	t->resting = NULL;
	filter_none(t);
}

void log_leave(struct thread *t)
{
	if (sys_locks_leave(&state.lock) && state.torn)
		state.control.chunk = NULL; /* nothing can be added to it */
	log_mute(t);
}

static void state_stack(struct thread *t)
{
	uint32_t logged = t->logged_depth, depth = t->view.depth, keep = t->view.low;
	uint8_t *head = t->cursor, *p = head + 4;

	if (logged > STACK_FRAMES)
		logged = STACK_FRAMES;
	if (keep > logged)
		keep = logged;
	if (depth > STACK_FRAMES)
		depth = STACK_FRAMES;
	if (keep > depth) /* a handler came while the two were being set */
		keep = depth;
	if (keep != logged || depth != keep) {
		p = log_varint(p, keep);
		p = log_varint(p, depth - keep);
		for (uint32_t i = keep; i < depth; i++)
			p = log_varint(p, t->view.frames[i]);
		log_commit(head, FORMAT_OTHER | FORMAT_K_STACK << FORMAT_KIND_SHIFT |
					 (uint32_t)(p - head - 4) << FORMAT_LEN_SHIFT);
		t->cursor = p;
	}
	t->view.low = t->view.depth;
	t->logged_depth = t->view.depth;
}

static void put_small(struct thread *t, unsigned kind, uint64_t a, uint64_t b, unsigned n)
{
	uint8_t *head = t->cursor, *p = log_varint(head + 4, a);

	if (n > 1)
		p = log_varint(p, b);
	log_commit(head, FORMAT_OTHER | kind << FORMAT_KIND_SHIFT |
				 (uint32_t)(p - head - 4) << FORMAT_LEN_SHIFT);
	t->cursor = p;
}

/* A synchronisation has done it lately, or it is done now. */
static void runs_settle(struct thread *t)
{
	t->unsettled += SETTLE_BYTES;
	if (t->epoch != t->settled) {
		t->unsettled = 0;
	} else if (t->unsettled / SETTLE_COST >= t->npending) {
		t->unsettled = 0;
		t->settling = true;
		limit_set(t);
		filter_sweep_pending(t);
		t->settling = false;
		if (t->muted)
			return;
		log_commit(t->cursor, FORMAT_OTHER | FORMAT_K_PAD << FORMAT_KIND_SHIFT |
					      FORMAT_PAD_SETTLED << FORMAT_AUX_SHIFT);
		t->cursor += 4;
	}
	t->settled = t->epoch;
	limit_set(t);
}

/* Logs no event: the hook that calls may have given its event's number away already. */
void log_catch_up(struct thread *t, uint32_t site)
{
	if (t->nested != 0) { /* a handler set limit to get us here */
		t->nested = 0;
		if (!t->muted)
			limit_set(t);
		put_small(t, FORMAT_K_NESTED, site, 0, 1);
		t->nextra++;
		if (t->hiding)
			log_control_memory(FORMAT_K_C_HIDDEN, 0, UINT64_MAX);
		t->hiding = false;
	}
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
	uint32_t slot = tid & (FORMAT_PEERS - 1);

	t->peers[slot] = (struct peer){ tid, 0 };
	put_small(t, FORMAT_K_PEER, slot, tid, 2);
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
	uint8_t *head = t->cursor;

	log_commit(head, format_kind_head(kind) | aux << FORMAT_AUX_SHIFT |
				 (uint32_t)(end - head - 4) << FORMAT_LEN_SHIFT);
	t->cursor = end;
	if (events > 1)
		t->nextra -= (int64_t)events - 1;
	log_count(t, events);
}

/* ---- start and end ---- */

bool log_start(const char *path, const struct log_options *opt)
{
	uint32_t flags = (opt->full ? FORMAT_FULL : 0) | (opt->partial ? FORMAT_PARTIAL : 0) |
			 (opt->locks ? FORMAT_LOCKS : 0);

	if (!file_create(path, flags, opt->keep))
		return false;
	state.control.chunk = file_slot_take(state.control.size);
	state.table = sys_pages(sizeof(*state.table) << FORMAT_TID_BITS);
	/* All that can ever be needed: later there may be no memory, and cuts must not fail. */
	state.pairs = sys_pages(CUT_MOST * sizeof(*state.pairs));
	if (state.control.chunk == NULL || state.table == NULL || state.pairs == NULL)
		return false;
	sys_barrier_register();
	state.full = opt->full;
	state.drops = !opt->full && !opt->locks;
	state.keep = opt->keep != 0;
	state.cut = opt->cut != 0 ? opt->cut : CUT_BYTES;
	state.chunk = opt->cut > 2 * CHUNK_MOST ? 0 : (uint32_t)(opt->cut / 2);
	chunk_begin(&state.control);
	state.control.limit = chunk_end(&state.control);
	__atomic_store_n(&state.on, true, __ATOMIC_RELEASE);
	return true;
}

bool log_is_full(void)
{
	return state.full;
}

/*
 * Whoever records no more does things that others must not see and record: a lock given back, a
 * write.  So nobody finds that recording is off before all are bound to find it at their next
 * record.  True: this call did it first.
 */
static bool stop_all(void)
{
	bool first = !__atomic_exchange_n(&state.stopping, true, __ATOMIC_SEQ_CST);

	sys_lock_take(&state.lock);
	for (size_t i = 0; i < state.ntable; i++)
		__atomic_store_n(&state.table[i]->limit, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&state.on, false, __ATOMIC_RELEASE);
	sys_lock_drop(&state.lock);
	return first;
}

void log_finish(int status)
{
	uint8_t buffer[16], *end = log_varint(buffer, (uint32_t)status);

	if (!log_is_on())
		return;
	log_control(FORMAT_K_C_END, buffer, (size_t)(end - buffer));
	stop_all();
}

void log_abandon(void)
{
	__atomic_store_n(&state.on, false, __ATOMIC_RELEASE);
	state.control.chunk = NULL;
	file_close();
}

uint64_t log_events(void)
{
	uint64_t n = 0;

	sys_lock_take(&state.lock);
	for (size_t i = 0; i < state.ntable; i++)
		n += __atomic_load_n(&state.table[i]->tseq, __ATOMIC_RELAXED);
	sys_lock_drop(&state.lock);
	return n;
}

void log_each(void (*f)(struct thread *t))
{
	sys_lock_take(&state.lock);
	for (size_t i = 0; i < state.ntable; i++)
		f(state.table[i]);
	sys_lock_drop(&state.lock);
}

/* Records that end runs take no numbers, so it does not matter which event was on its way. */
void log_settle(struct thread *t)
{
	uint8_t *p;

	if (!state.drops || t->chunk == NULL || t->muted)
		return;
	filter_sweep_pending(t);
	p = log_other_begin(t, 0);
	if (!t->muted)
		log_other_end(t, FORMAT_K_PAD, FORMAT_PAD_SETTLED, p, 0);
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

void log_trouble(const char *what, int error)
{
	char text[160];
	const char *why = strerrordesc_np(error);
	size_t n = 0;

	if (!log_is_on() || !stop_all())
		return;
	for (; *what != '\0' && n < 80; n++)
		text[n] = *what++;
	if (error != 0 && why != NULL) {
		text[n++] = ':';
		text[n++] = ' ';
		for (; *why != '\0' && n < sizeof(text); n++)
			text[n] = *why++;
	}
	log_control(FORMAT_K_C_TROUBLE, text, n);
}
