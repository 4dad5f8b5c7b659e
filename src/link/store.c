#include "link/store.h"

#include "link/store_priv.h"
#include "recording/blocks.h"

const struct store_limits store_limits_default = {
	.bytes = (uint64_t)4 << 30,
	.threads = 1u << FORMAT_TID_BITS,
	.open = 16384,
};

struct thread {
	uint32_t next; /* number of the chunk that is due */
	uint32_t slot; /* it has grown here; NO_SLOT: nothing of it has come */
	uint32_t n;    /* bytes of it */
	bool last;     /* the thread has ended */
};
#define NO_SLOT UINT32_MAX

struct store {
	struct store_file file;
	struct store_limits limits;
	struct store_info info;
	VEC(struct thread) threads;
	struct map by_tid; /* to index in threads + 1 */
	uint32_t open;
	uint8_t *chunk; /* head and records */
};

enum status store_open(const char *path, const struct message_hello *hello,
		       const struct store_limits *limits, struct store **out, struct diag *d)
{
	struct store *s = mem_zalloc(sizeof(*s));
	enum status st;

	s->limits = *limits;
	if (s->limits.bytes < STORE_LEAST_BYTES)
		s->limits.bytes = STORE_LEAST_BYTES;
	s->info.pid = hello->pid;
	s->chunk = mem_alloc(sizeof(struct format_chunk) + MESSAGE_BYTES);
	st = store_file_begin(&s->file, path, hello, s->limits.bytes, d);
	if (st == ST_OK)
		*out = s;
	else
		store_close(s);
	return st;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_file_end(&s->file);
	VEC_RELEASE(&s->threads);
	map_release(&s->by_tid);
	mem_free(s->chunk);
	mem_free(s);
}

/* The thread, made when it is new.  NULL: it cannot be. */
static struct thread *thread_get(struct store *s, uint32_t tid, struct diag *d, enum status *st)
{
	uint64_t *index = map_get(&s->by_tid, tid);

	*st = ST_OK;
	if (index)
		return &s->threads.at[*index - 1];
	if (tid >= 1u << FORMAT_TID_BITS) {
		diag_set(d, "bad thread number %u", tid);
		*st = ST_BAD_INPUT;
		return NULL;
	}
	if (s->threads.n >= s->limits.threads) {
		diag_set(d, "more than %u threads", s->limits.threads);
		*st = ST_LIMIT;
		return NULL;
	}
	*VEC_PUSH(&s->threads) = (struct thread){ .slot = NO_SLOT };
	*map_put(&s->by_tid, tid, NULL) = s->threads.n;
	return &s->threads.at[s->threads.n - 1];
}

static bool number_is_due(const struct thread *t, uint32_t tid, uint32_t number, struct diag *d)
{
	if (t->last)
		diag_set(d, "more of T%u after its end", tid);
	else if (number != t->next)
		diag_set(d, "chunk %u of T%u came, chunk %u was due", number, tid, t->next);
	return !t->last && number == t->next;
}

/* ---- chunks that grow ---- */

static enum status slot_get(struct store *s, struct thread *t, struct diag *d)
{
	enum status st;

	if (s->open >= s->limits.open)
		return diag_fail(d, ST_LIMIT, "more than %u chunks grow at a time", s->limits.open);
	st = store_file_take(&s->file, &t->slot, d);
	s->open += st == ST_OK;
	return st;
}

static void slot_drop(struct store *s, struct thread *t)
{
	if (t->slot == NO_SLOT)
		return;
	store_file_give(&s->file, t->slot);
	s->open--;
	t->slot = NO_SLOT;
	t->n = 0;
}

static enum status take_open(struct store *s, const struct message *m, struct diag *d)
{
	const struct message_records *more = &m->open.more;
	struct format_chunk head = { .magic = FORMAT_CHUNK,
				     .tid = m->open.tid,
				     .number = m->open.number,
				     .first_tseq = m->open.first_tseq,
				     .start_ns = m->open.start_ns };
	enum status st;
	struct thread *t = thread_get(s, head.tid, d, &st);

	if (!t)
		return st;
	if (!number_is_due(t, head.tid, head.number, d))
		return ST_BAD_INPUT;
	if (more->from != t->n || more->n > FORMAT_SLOT_SIZE - sizeof(head) - t->n ||
	    !blocks_tseq_is_sane(head.tid, head.first_tseq))
		return diag_fail(d, ST_BAD_INPUT,
				 "bytes %u to %llu of an open chunk of T%u that has %u", more->from,
				 (unsigned long long)more->from + more->n, head.tid, t->n);
	if (t->slot == NO_SLOT)
		st = slot_get(s, t, d);
	if (st == ST_OK)
		st = store_file_grow(&s->file, t->slot, &head, more, d);
	t->n += more->n;
	s->info.received += more->n;
	return st;
}

/* ---- closed chunks ---- */

static bool head_is_sane(const struct format_chunk *c)
{
	return c->magic == FORMAT_CHUNK && (c->flags & FORMAT_CHUNK_CLOSED) &&
	       c->head_sum == format_head_sum(c) && c->used <= MESSAGE_BYTES &&
	       blocks_tseq_is_sane(c->tid, c->first_tseq);
}

/* Puts it together in s->chunk: what came while it grew, and the rest. */
static enum status chunk_join(struct store *s, const struct thread *t, const struct message *m,
			      struct diag *d)
{
	const struct format_chunk *c = &m->chunk.head;
	const struct message_records *rest = &m->chunk.rest;
	uint8_t *records = s->chunk + sizeof(*c);
	enum status st = ST_OK;

	if ((rest->from != 0 && rest->from != t->n) || rest->from > c->used ||
	    rest->n != c->used - rest->from)
		return diag_fail(
			d, ST_BAD_INPUT,
			"bytes %u to %llu of a chunk of T%u with %u, of which %u have come",
			rest->from, (unsigned long long)rest->from + rest->n, c->tid, c->used,
			t->n);
	if (rest->from != 0)
		st = store_file_read(&s->file, t->slot, records, rest->from, d);
	if (st != ST_OK)
		return st;
	memcpy(s->chunk, c, sizeof(*c));
	memcpy(records + rest->from, rest->bytes, rest->n);
	if (format_sum(records, c->used, c->number) == c->sum)
		return ST_OK;
	return diag_fail(d, ST_BAD_INPUT, "chunk %u of T%u does not agree with its sum", c->number,
			 c->tid);
}

static enum status take_chunk(struct store *s, const struct message *m, struct diag *d)
{
	const struct format_chunk *c = &m->chunk.head;
	struct thread *t;
	enum status st;

	if (!head_is_sane(c))
		return diag_fail(d, ST_BAD_INPUT, "a chunk with a bad head");
	t = thread_get(s, c->tid, d, &st);
	if (!t)
		return st;
	if (!number_is_due(t, c->tid, c->number, d))
		return ST_BAD_INPUT;
	st = chunk_join(s, t, m, d);
	if (st == ST_OK)
		st = store_file_append(&s->file, (const struct format_chunk *)s->chunk, d);
	/* What is in the slot is not all of the chunk, and would outlive it in a ring. */
	if (st == ST_OK && t->slot != NO_SLOT)
		st = store_file_wipe(&s->file, t->slot, d);
	if (st != ST_OK)
		return st;
	slot_drop(s, t);
	t->next++;
	t->last = c->flags & FORMAT_CHUNK_LAST;
	s->info.received += m->chunk.rest.n;
	return ST_OK;
}

/* ---- the rest ---- */

/*
 * Some chunks were overwritten before they could be sent.  Those of threads that had ended by then
 * are nowhere named, so of what came before nobody knows what is missing behind it: it goes too.  Then
 * of each thread there is its end, or nothing, as in the recorder's own ring.
 */
static enum status take_dropped(struct store *s, const struct message *m, struct diag *d)
{
	uint32_t from = m->dropped.from, to = m->dropped.to;
	enum status st = store_file_forget(&s->file, d);
	struct thread *t;

	if (st != ST_OK || (m->dropped.tid == FORMAT_CONTROL_TID && from == 0 && to == 0))
		return st;
	t = thread_get(s, m->dropped.tid, d, &st);
	if (!t)
		return st;
	if (!number_is_due(t, m->dropped.tid, from, d))
		return ST_BAD_INPUT;
	if (to <= from || m->dropped.tid == FORMAT_CONTROL_TID)
		return diag_fail(d, ST_BAD_INPUT, "chunks %u to %u of T%u cannot be dropped", from,
				 to, m->dropped.tid);
	if (t->slot != NO_SLOT)
		st = store_file_wipe(&s->file, t->slot, d);
	slot_drop(s, t);
	t->next = to;
	s->info.dropped += to - from;
	return st;
}

static enum status take_end(struct store *s, const struct message *m, struct diag *d)
{
	if (m->end.bytes != s->info.received)
		return diag_fail(d, ST_BAD_INPUT, "%llu bytes were sent and %llu have come",
				 (unsigned long long)m->end.bytes,
				 (unsigned long long)s->info.received);
	s->info.ended = true;
	s->info.status = m->end.status;
	s->info.signal = m->end.signal & MESSAGE_SIGNAL;
	s->info.hung = m->end.signal & MESSAGE_HUNG;
	s->info.asked = m->end.signal & MESSAGE_ASKED;
	s->info.fault_tid = m->end.signal >> MESSAGE_FAULT_SHIFT;
	return ST_OK;
}

enum status store_take(struct store *s, const struct message *m, struct diag *d)
{
	if (s->info.ended && m->type != MESSAGE_PING)
		return diag_fail(d, ST_BAD_INPUT, "a %s message after the end",
				 message_name(m->type));
	switch (m->type) {
	case MESSAGE_OPEN:
		return take_open(s, m, d);
	case MESSAGE_CHUNK:
		return take_chunk(s, m, d);
	case MESSAGE_DROPPED:
		return take_dropped(s, m, d);
	case MESSAGE_END:
		return take_end(s, m, d);
	case MESSAGE_PING:
		return ST_OK;
	default:
		return diag_fail(d, ST_BAD_INPUT, "a %s message where records were due",
				 message_name(m->type));
	}
}

void store_info(const struct store *s, struct store_info *out)
{
	*out = s->info;
	out->emptied = s->file.emptied;
}
