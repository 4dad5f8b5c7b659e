/*
 * The reference model is a table from (lifetime, byte address) to what is there.  A byte is
 *
 *	known		by the recorded write to it, or by how its memory began: the first bytes of
 *			a variable, zeros of calloc and mmap
 *	not known	malloc, a local variable, a write whose value is not in the trace
 *	strange		unseen code has written it since, or may have
 *
 * A read of other bytes than the known ones makes them strange.  So does a first read of unknown
 * ones, if unseen code has run since their memory began: in a right program somebody has written
 * what is read, and no recorded write did.  A strange byte is
 * good for those threads alone whose reads come after all unseen code that can have written it, in
 * every reordering (order/unseen.h): `until' is the last position of such code, `owner' the thread
 * whose own code it was.  For all others the read is a surprise, and so it stays until somebody
 * writes the byte.
 *
 * What lies in a freed block is strange to everybody: the allocator keeps its lists there, and what it
 * writes depends on what others allocate and free.
 *
 * What lies in a thread's own stack and is no variable that others can reach (those say so, by ALLOC)
 * is for the compiler to write: arguments of f(...), copies of structs.
 *
 * What may change without a record at any time (trace_unsteady) is a surprise to every reader.
 *
 * While a recorded call is writing (EVENT_BEGUN: write(2), to a file that is mapped) its bytes may change
 * under a reader.  One thread may see both; another one's read could be moved between
 * those two, or before both, and is a surprise.
 *
 * `since' is a position from which on nobody recorded has changed what is known of the word: unseen
 * code that ended before it has changed nothing.  A write of part of a word leaves it as it is, which
 * blames more than necessary.
 */
#include "order/bytes.h"

#include "trace/format.h"
#include "trace/trace.h"

#define PAGE_SHIFT 5
#define PAGE_WORDS (1u << PAGE_SHIFT)
#define ACCESS_MAX (16u << 20) /* bytes looked at of one access; see step.c */
#define MANY UINT32_MAX	       /* as a writer: more than one thread */

#define FRAME_MAX 4096u /* longer variables on the stack are kept as blocks */

enum block_kind { BLOCK_UNKNOWN, BLOCK_ZERO, BLOCK_STEADY, BLOCK_STACK, BLOCK_FRAME, BLOCK_FREED };

struct word {
	uint8_t byte[8];
	uint8_t known, strange; /* masks; strange bytes are known too */
	uint8_t steady;		/* mask: what is seen was there */
	uint8_t framed;		/* mask: of a variable on a stack that others can reach */
	bool made;
	uint32_t writer; /* thread of the recorded writes; 0 none */
	uint32_t reader; /* who has read it since it was written as a whole; 0 nobody */
	uint32_t owner;	 /* of the strange bytes; 0 none */
	uint32_t given;	 /* the thread that has given unseen code a pointer to it; 0 none */
	uint64_t until, since;
};

struct bytes_page {
	struct word word[PAGE_WORDS];
};

void bytes_init(struct bytes *b, struct trace *t)
{
	struct trace_info info;

	memset(b, 0, sizeof(*b));
	info = trace_info(t);
	b->trace = t;
	b->on = info.form == TRACE_BINARY && !info.partial && !info.locks_only;
	spans_init(&b->blocks);
}

void bytes_release(struct bytes *b)
{
	struct map_item item;
	size_t at = 0;

	while (map_next(&b->index, &at, &item))
		mem_free((struct bytes_page *)(uintptr_t)item.value);
	map_release(&b->index);
	keyset_release(&b->pages);
	spans_release(&b->blocks);
	unseen_release(&b->unseen);
}

/* ---- words ---- */

/* NULL: there is none, and none is to be made. */
static struct bytes_page *page_find(struct bytes *b, uint64_t number, bool make)
{
	unsigned line = number & (BYTES_CACHE - 1);
	struct bytes_page *p = b->cache[line].page;
	uint64_t *at;

	if (p && b->cache[line].number == number)
		return p;
	at = map_get(&b->index, number);
	if (at) {
		p = (struct bytes_page *)(uintptr_t)*at;
	} else if (make) {
		p = mem_zalloc(sizeof(*p));
		*map_put(&b->index, number, NULL) = (uintptr_t)p;
		keyset_add(&b->pages, number);
	} else {
		return NULL;
	}
	b->cache[line].number = number;
	b->cache[line].page = p;
	return p;
}

/* Unseen code has written these, up to `until'; of thread `owner', if it is not 0. */
static void strange_add(struct word *w, unsigned mask, uint32_t owner, uint64_t until)
{
	w->owner = w->strange && w->owner != owner ? 0 : owner;
	if (!w->strange || until > w->until)
		w->until = until;
	w->strange |= (uint8_t)mask;
}

static void byte_begin(struct bytes *b, struct word *w, uint64_t addr, const struct span *block)
{
	unsigned k = addr & 7, bit = 1u << k;

	if (block && (block->id < w->since || w->since == 0))
		w->since = block->id;
	if (block && block->kind != BLOCK_STACK) {
		w->known |= block->kind == BLOCK_ZERO ? (uint8_t)bit : 0;
		w->steady |= block->kind == BLOCK_STEADY ? (uint8_t)bit : 0;
		w->framed |= block->kind == BLOCK_FRAME ? (uint8_t)bit : 0;
		if (block->kind == BLOCK_FREED)
			strange_add(w, bit, 0, UINT64_MAX);
		return;
	}
	switch (trace_first(b->trace, addr, &w->byte[k])) {
	case TRACE_FIRST_BYTE:
		w->known |= (uint8_t)bit;
		break;
	case TRACE_FIRST_STEADY:
		w->steady |= (uint8_t)bit;
		break;
	case TRACE_FIRST_UNKNOWN:
		break;
	}
}

/* How a word begins that nobody has touched. */
static void word_begin(struct bytes *b, struct word *w, uint64_t number)
{
	const struct span *block = spans_find(&b->blocks, number << 3);
	bool whole = block && span_end(block) - (number << 3) >= 8;

	w->made = true;
	for (unsigned k = 0; k < 8; k++) {
		if (k != 0 && !whole)
			block = spans_find(&b->blocks, (number << 3) + k);
		byte_begin(b, w, (number << 3) + k, block);
	}
}

static struct word *word_get(struct bytes *b, uint64_t number)
{
	struct bytes_page *p = page_find(b, number >> PAGE_SHIFT, true);
	struct word *w = &p->word[number & (PAGE_WORDS - 1)];

	if (!w->made)
		word_begin(b, w, number);
	return w;
}

/* Bytes of a word that lie in [addr, last]. */
static unsigned mask_in(uint64_t number, uint64_t addr, uint64_t last)
{
	unsigned mask = 0xff;

	if (number == addr >> 3)
		mask &= 0xffu << (addr & 7);
	if (number == last >> 3)
		mask &= 0xffu >> (7 - (last & 7));
	return mask;
}

/* The bytes are anew from pos on, and not known. */
static void word_renew(struct word *w, unsigned mask, uint64_t pos)
{
	w->known &= (uint8_t)~mask;
	w->strange &= (uint8_t)~mask;
	w->steady &= (uint8_t)~mask;
	if (mask != 0xff)
		return;
	w->since = pos;
	w->writer = 0;
}

/* What is there of [addr, addr + len): made or not, it begins anew. */
static void range_renew(struct bytes *b, uint64_t addr, uint64_t len, uint64_t pos, bool forget)
{
	uint64_t last = addr + len - 1, number = addr >> (3 + PAGE_SHIFT);

	while (keyset_next(&b->pages, number, last >> (3 + PAGE_SHIFT), &number)) {
		struct bytes_page *p = page_find(b, number, false);
		uint64_t first = number << PAGE_SHIFT;

		for (unsigned i = 0; i < PAGE_WORDS; i++) {
			struct word *w = &p->word[i];
			unsigned mask;

			if (!w->made || first + i < addr >> 3 || first + i > last >> 3)
				continue;
			mask = mask_in(first + i, addr, last);
			if (forget && mask == 0xff)
				memset(w, 0, sizeof(*w));
			else
				word_renew(w, mask, pos);
		}
		number++;
	}
}

/* ---- reads ---- */

static unsigned differs(const struct word *w, unsigned mask, const uint8_t saw[8])
{
	unsigned off = 0;

	for (unsigned k = 0; k < 8; k++)
		off |= (unsigned)(w->byte[k] != saw[k]) << k;
	return off & mask;
}

static bool strange_is_good(const struct bytes *b, const struct word *w, uint32_t tid)
{
	return w->owner == tid || w->until <= unseen_thread(&b->unseen, tid)->calm;
}

/* Bytes are seen that no recorded event has left: who can have written them?  False: somebody whose
 * code need not come before this read. */
static bool strange_explain(struct bytes *b, struct word *w, unsigned mask, uint32_t tid)
{
	uint64_t others = unseen_others(&b->unseen, tid), own = unseen_own(&b->unseen, tid);
	uint64_t from = unseen_thread(&b->unseen, tid)->calm;

	from = w->since > from ? w->since : from;
	if (others > from) {
		strange_add(w, mask, 0, UINT64_MAX);
		return false;
	}
	if (own > w->since || others > w->since)
		strange_add(w, mask, own > w->since ? tid : 0, own > others ? own : others);
	return true;
}

/* Is a recorded call writing the word? */
static bool word_is_open(const struct bytes *b, const struct word *w)
{
	uint64_t begun = w->writer == MANY ? 0 : unseen_thread(&b->unseen, w->writer)->begun;

	return begun != 0 && w->since >= begun;
}

/* Known bytes have changed. */
static bool change_explain(struct bytes *b, struct word *w, unsigned off, uint32_t tid)
{
	if (word_is_open(b, w) && w->reader == tid) {
		if (!strange_explain(b, w, off, tid)) /* it may have been unseen code as well */
			return false;
		strange_add(w, off, tid, UINT64_MAX);
		return strange_is_good(b, w, tid);
	}
	/* Before a write of another thread's the unseen code may come as well as after it. */
	if (unseen_own(&b->unseen, tid) > w->since && (w->writer == 0 || w->writer == tid))
		return strange_explain(b, w, off, tid);
	strange_add(w, off, 0, UINT64_MAX);
	return false;
}

static bool word_read(struct bytes *b, struct word *w, uint64_t addr, unsigned mask,
		      const uint8_t saw[8], uint32_t tid)
{
	unsigned off = differs(w, mask & w->known, saw), fresh = mask & ~w->known, asked;
	bool good = !(w->strange & mask) || strange_is_good(b, w, tid);
	const struct unseen_thread *t = unseen_thread(&b->unseen, tid);

	asked = addr - t->stack < t->stack_len ? w->framed : 0xff; /* its own stack */
	if (fresh & asked & ~w->steady)
		good &= strange_explain(b, w, fresh & asked & ~w->steady, tid);
	if (off & asked)
		good &= change_explain(b, w, off & asked, tid);
	for (unsigned k = 0; k < 8; k++)
		if ((fresh | off) >> k & 1)
			w->byte[k] = saw[k];
	w->known |= (uint8_t)fresh;
	return good;
}

/* ---- events ---- */

/* value NULL: it is not in the trace. */
static void word_write(struct word *w, unsigned mask, const uint8_t *value, uint32_t tid,
		       uint64_t pos)
{
	bool all = !((w->known | w->strange) & ~mask);

	word_renew(w, mask, pos);
	if (value) {
		for (unsigned k = 0; k < 8; k++)
			if (mask >> k & 1)
				w->byte[k] = value[k];
		w->known |= (uint8_t)mask;
	}
	w->since = all ? pos : w->since;
	w->reader = all ? 0 : w->reader;
	w->writer = all || w->writer == 0 || w->writer == tid ? tid : MANY;
}

/* The event's bytes in the word, each where it lies. */
static void bytes_take(const struct event *e, const uint8_t *from, uint64_t number, unsigned mask,
		       uint8_t out[8])
{
	for (unsigned k = 0; k < 8; k++)
		out[k] = mask >> k & 1 ? from[(number << 3) + k - e->addr] : 0;
}

/* A thread accesses the word: if another has given it to unseen code, that accesses it too. */
static void given_note(struct bytes *b, struct word *w, uint32_t tid)
{
	if (w->given == 0 || w->given == tid)
		return;
	b->ngiven++;
	w->given = 0;
}

static void given_event(struct bytes *b, const struct event *e)
{
	struct word *w;

	if (e->addr == 0)
		return;
	w = word_get(b, e->addr >> 3);
	w->given = e->tid;
	given_note(b, w, w->writer != 0 ? w->writer : e->tid);
	given_note(b, w, w->reader != 0 ? w->reader : e->tid);
}

static bool access_event(struct bytes *b, const struct event *e)
{
	uint64_t len = e->len < ACCESS_MAX ? e->len : ACCESS_MAX, last = e->addr + len - 1;
	bool has = e->flags & EVENT_HAS_VALUE, good = true;
	const uint8_t *saw = !has || (e->flags & EVENT_UNKNOWN) ? NULL
			     : e->op == EVENT_READ		? e->value
			     : e->op == EVENT_RMW		? e->old
								: NULL;
	const uint8_t *left = has && e->op != EVENT_READ ? e->value : NULL;
	uint8_t value[8];

	for (uint64_t number = e->addr >> 3; number <= last >> 3; number++) {
		unsigned mask = mask_in(number, e->addr, last);
		struct word *w = word_get(b, number);

		given_note(b, w, e->tid);
		if (e->op != EVENT_WRITE)
			w->reader = w->reader == 0 || w->reader == e->tid ? e->tid : MANY;
		if (saw) {
			bytes_take(e, saw, number, mask, value);
			good &= word_read(b, w, number << 3, mask, value, e->tid);
		}
		if (e->op == EVENT_READ)
			continue;
		if (left)
			bytes_take(e, left, number, mask, value);
		word_write(w, mask, left ? value : NULL, e->tid, e->pos);
	}
	return !good;
}

static struct span block_of(const struct event *e, enum block_kind kind)
{
	return (struct span){
		.addr = e->addr, .len = e->len, .base = e->addr, .id = e->pos, .kind = kind
	};
}

/* A variable on a stack, which others can reach from now on. */
static void frame_event(struct bytes *b, const struct event *e)
{
	uint64_t last = e->addr + e->len - 1;

	range_renew(b, e->addr, e->len, e->pos, e->len > FRAME_MAX);
	if (e->len > FRAME_MAX) {
		spans_lay(&b->blocks, block_of(e, BLOCK_FRAME));
		return;
	}
	for (uint64_t number = e->addr >> 3; number <= last >> 3; number++) {
		unsigned mask = mask_in(number, e->addr, last);
		struct word *w = word_get(b, number);

		word_renew(w, mask, e->pos);
		w->framed |= (uint8_t)mask;
	}
}

static void alloc_event(struct bytes *b, const struct event *e)
{
	if (e->arg == FORMAT_ALLOC_FRAME) {
		frame_event(b, e);
		return;
	}
	range_renew(b, e->addr, e->len, e->pos, true);
	spans_put(&b->blocks, block_of(e, e->flags & EVENT_ZEROED   ? BLOCK_ZERO
					  : e->flags & EVENT_STEADY ? BLOCK_STEADY
								    : BLOCK_UNKNOWN));
}

static void free_event(struct bytes *b, const struct event *e)
{
	if (e->flags & EVENT_SCOPE) {
		frame_event(b, e); /* the stack goes on, and what it holds there is nobody's */
		return;
	}
	range_renew(b, e->addr, e->len, e->pos, true);
	if (e->arg == FORMAT_ALLOC_HEAP)
		spans_lay(&b->blocks, block_of(e, BLOCK_FREED));
	else
		spans_clear(&b->blocks, e->addr, e->len);
}

bool bytes_event(struct bytes *b, const struct event *e)
{
	bool sized = e->len != 0 && e->len - 1 <= UINT64_MAX - e->addr;

	if (!b->on)
		return false;
	unseen_event(&b->unseen, b->trace, e);
	if (e->op == EVENT_OPAQUE)
		given_event(b, e);
	if (!sized)
		return false;
	switch (e->op) {
	case EVENT_READ:
		if (e->flags & EVENT_REREAD)
			return false;
		return access_event(b, e) || trace_unsteady(b->trace, e->addr, e->len);
	case EVENT_RMW:
		return access_event(b, e) || trace_unsteady(b->trace, e->addr, e->len);
	case EVENT_WRITE:
		return access_event(b, e);
	case EVENT_FREE:
		free_event(b, e);
		return false;
	case EVENT_ALLOC:
		alloc_event(b, e);
		return false;
	case EVENT_THREAD_BEGIN:
		range_renew(b, e->addr, e->len, e->pos, true);
		spans_put(&b->blocks, block_of(e, BLOCK_STACK));
		return false;
	default:
		return false;
	}
}
