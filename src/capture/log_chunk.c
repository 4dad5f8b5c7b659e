/*
 * A slot, from its start:
 *
 *	head | records ...            | reserve for TRAILING | LOG_SLACK and stack
 *	     ^first                   ^limit                                 ^end
 *
 * Past `limit' the chunk is closed before the next record.  Closing may add
 * TRAILING records; catching up with a stack may take STACK_ROOM.
 *
 * A thread begins in a slot of the smallest size.  When that is full the chunk is not closed but
 * goes on in a larger one, and so smaller slots have no reserve for TRAILING.  What is in the smaller
 * one stays there until the chunk is closed: whoever reads the file meanwhile may have looked at
 * the larger one before the chunk came there, and finds its beginning.
 */
#include "capture/habit.h"
#include "capture/log_priv.h"

uint8_t *chunk_limit(const struct thread *t)
{
	uint8_t *room = chunk_room(t), *asked = (uint8_t *)(t->chunk + 1) + log_state.chunk;

	return log_state.chunk != 0 && asked < room ? asked : room;
}

void chunk_limit_set(struct thread *t)
{
	uint8_t *limit = chunk_limit(t);

	if (log_state.drops && !t->settling && t->cursor + SETTLE_BYTES < limit)
		limit = t->cursor + SETTLE_BYTES;
	__atomic_store_n(&t->limit, limit, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&log_state.stopping, __ATOMIC_SEQ_CST) || assert_broken() != NULL ||
	    __atomic_load_n(&t->nested, __ATOMIC_RELAXED) != 0)
		t->limit = NULL;
}

static void put_name(struct thread *t, unsigned what, const void *payload, size_t n)
{
	log_record_end(t, FORMAT_K_NAME, what, mempcpy(t->cursor + 4, payload, n));
}

/* Repeats what the thread's first chunk says of the thread, for --keep may drop that chunk. */
static void chunk_introduce(struct thread *t)
{
	uint8_t stack[32], *end;

	if (t->nname != 0)
		put_name(t, FORMAT_NAME_THREAD, t->name, t->nname);
	if (t->stack_high == 0)
		return;
	end = LOG_NUMBERS(stack, t->stack_low, t->stack_high - t->stack_low,
			  t->unseen_root ? FORMAT_ROOT_UNSEEN : FORMAT_ROOT_SEEN);
	put_name(t, FORMAT_NAME_STACK, stack, (size_t)(end - stack));
}

void chunk_begin(struct thread *t)
{
	struct format_chunk *c = t->chunk;
	struct timespec now;

	ASSERT_RECORDING(t->size < FILE_SIZES);
	/* A killed program must not leave a head that does not fit its records. */
	__atomic_store_n(&c->magic, 0, __ATOMIC_RELEASE);
	memset(c + 1, 0, file_slot_bytes(t->size) - sizeof(*c));
	sys_clock(CLOCK_MONOTONIC, &now);
	*c = (struct format_chunk){
		.tid = t->tid,
		.number = t->nchunks,
		.first_tseq = t->tseq + 1,
		.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
	};
	__atomic_store_n(&c->magic, FORMAT_CHUNK, __ATOMIC_RELEASE);
	t->cursor = (uint8_t *)(c + 1);
	if (log_state.keep && t->nchunks != 0)
		chunk_introduce(t);
	chunk_limit_set(t);
	memset(t->peers, 0, sizeof(t->peers));
	memset(t->shapes, 0, sizeof(t->shapes));
	memset(t->taken, 0, sizeof(t->taken));
	t->ntaken = 0;
	t->last_taken = 0;
	memset(t->predict, 0, sizeof(t->predict));
	habit_forget(t);
	memset(t->last_read, 0, sizeof(t->last_read));
	t->last_version = 0;
	t->last_addr = 0;
	t->ntrailing = 0;
	t->nextra = 0;
	/* Restate it: those that have stayed, then the others. */
	t->stayed = t->view.low < t->logged_depth ? t->view.low : t->logged_depth;
	t->logged_depth = 0;
}

/* The chunk is at the end of the file now: frees the slots in which it began. */
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

bool chunk_is_sound(const struct thread *t)
{
	const struct format_chunk *c = t->chunk;

	return ASSERT_RECORDING(c != NULL && t->size < FILE_SIZES) &&
	       ASSERT_RECORDING(t->cursor >= (const uint8_t *)(c + 1) &&
				t->cursor <= chunk_end(t)) &&
	       ASSERT_RECORDING(c->magic == FORMAT_CHUNK && c->tid == t->tid) &&
	       ASSERT_RECORDING(c->number == t->nchunks && c->first_tseq <= t->tseq + 1);
}

bool chunk_close(struct thread *t, uint32_t flags)
{
	struct format_chunk *c = t->chunk;

	if (!chunk_is_sound(t))
		return false;
	c->used = (uint32_t)(t->cursor - (uint8_t *)(c + 1));
	c->ntrailing = t->ntrailing;
	c->nevents = t->tseq + 1 - c->first_tseq;
	c->nitems = (uint32_t)((int64_t)c->nevents + t->nextra);
	c->sum = format_sum(c + 1, c->used, c->number);
	c->flags = FORMAT_CHUNK_CLOSED | flags;
	c->head_sum = format_head_sum(c);
	t->nchunks++;
	if (!(t->tid == FORMAT_CONTROL_TID ? file_append(c, sizeof(*c) + c->used)
					   : file_append_chunk(c)))
		return false;
	outgrown_give(t);
	return true;
}

bool log_grow(struct thread *t)
{
	struct format_chunk *from = t->chunk, *to;
	size_t used = (size_t)(t->cursor - (uint8_t *)(from + 1));
	SYS_KEEPS_ERRNO;

	if (t->muted || t->size == FILE_SIZES - 1 || !chunk_is_sound(t))
		return false;
	ASSERT_RECORDING(t->outgrown[t->size] == NULL);
	to = file_slot_take(t->size + 1);
	if (to == NULL)
		return false;
	/* A reader takes the slot for empty until all is there. */
	__atomic_store_n(&to->magic, 0, __ATOMIC_RELEASE);
	memcpy((char *)to + sizeof(to->magic), (char *)from + sizeof(from->magic),
	       sizeof(*from) - sizeof(from->magic));
	memcpy(to + 1, from + 1, used);
	memset((uint8_t *)(to + 1) + used, 0, file_slot_bytes(t->size + 1) - sizeof(*to) - used);
	__atomic_store_n(&to->magic, FORMAT_CHUNK, __ATOMIC_RELEASE);
	t->outgrown[t->size++] = from;
	t->chunk = to;
	t->cursor = (uint8_t *)(to + 1) + used;
	chunk_limit_set(t);
	return true;
}

bool log_trailing_room(struct thread *t)
{
	while (t->cursor + 128 > chunk_end(t))
		if (!log_grow(t))
			return false;
	return true;
}
