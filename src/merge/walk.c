#include "merge/walk.h"

void walk_begin(struct walk *w, struct blocks *b, const struct blocks_thread *src, uint32_t number,
		struct stacks *stacks)
{
	memset(w, 0, sizeof(*w));
	w->blocks = b;
	w->src = src;
	w->number = number;
	w->cursor.tid = src->tid;
	w->cursor.stacks = stacks;
}

void walk_end(struct walk *w)
{
	decode_chunk_free(w->cursor.chunk);
	w->cursor.chunk = NULL;
	decode_cursor_release(&w->cursor);
	decode_item_release(&w->item);
}

/* Without notes: the merger will make them when it reads the chunk. */
static struct decode_chunk *chunk_load(struct walk *w)
{
	struct texts quiet = { 0 }, *notes = w->blocks->notes;
	bool damaged = w->blocks->damaged;
	struct decode_chunk *c = NULL;
	struct blocks_chunk head;
	uint8_t *bytes;
	uint32_t n;

	w->blocks->notes = &quiet;
	if (blocks_load(w->blocks, w->src, w->number, &head, &bytes, &n))
		c = decode_chunk_new(w->src->tid, &head, bytes, n, false, &quiet);
	w->blocks->notes = notes;
	w->blocks->damaged = damaged;
	texts_release(&quiet);
	return c;
}

static bool chunk_enter(struct walk *w)
{
	struct decode_chunk *old = w->cursor.chunk, *c;
	uint64_t next = w->cursor.tseq + 1;

	if ((old && old->broken) || w->number >= w->src->count || !(c = chunk_load(w)))
		return false;
	w->number++;
	decode_chunk_free(old);
	decode_cursor_begin(&w->cursor, c);
	return !old || c->head.first_tseq == next;
}

bool walk_next(struct walk *w)
{
	for (;;) {
		while (w->cursor.chunk && decode_next(&w->cursor, &w->item, NULL))
			if (w->item.numbers != 0)
				return true;
		if (!chunk_enter(w))
			return false;
	}
}

/* A thread that begins in unseen code says so right after THREAD_BEGIN, by an OPAQUE without a site. */
static void root_note(struct walk_root *r, const struct walk *w)
{
	const struct event *e = &w->item.e;

	if (e->op == EVENT_THREAD_BEGIN) {
		r->low = e->addr;
		r->len = e->len;
		r->rooted = true;
	} else if (e->op == EVENT_OPAQUE && e->site == 0) {
		r->rooted = false;
	}
}

bool walk_root(struct blocks *b, const struct blocks_thread *src, struct walk_root *r)
{
	struct walk w;

	memset(r, 0, sizeof(*r));
	if (src->count == src->first)
		return false;
	walk_begin(&w, b, src, src->first, NULL);
	while (walk_next(&w) && w.number == src->first + 1) {
		if (w.cursor.stack_len != 0) {
			r->low = w.cursor.stack_low;
			r->len = w.cursor.stack_len;
			r->rooted = w.cursor.root == FORMAT_ROOT_SEEN;
		}
		root_note(r, &w);
		if (w.cursor.name) {
			mem_free(r->name);
			r->name = mem_text(w.cursor.name, w.cursor.nname);
			w.cursor.name = NULL;
		}
	}
	walk_end(&w);
	return true;
}
