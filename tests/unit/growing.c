#include "growing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sim.h"
#include "recording/decode.h"
#include "trace_builder.h"

#define SLOT 8192u /* chunks of the tests are small */
#define NSLOTS 3u  /* per extent */
#define NAREAS 4u
#define NO_SLOT UINT32_MAX

struct source {
	const struct format_chunk *head; /* in the original */
};

struct writer { /* one thread */
	uint32_t tid;
	VEC(struct source) chunks;
	size_t next;
	uint32_t slot, grown; /* NO_SLOT: between two chunks */
	bool closed;	      /* in its slot; its place is reserved, and not written yet */
	uint64_t place;
};

struct growing {
	struct growing_how how;
	uint8_t *bytes;
	int fd;
	uint64_t seed, end;
	size_t moment; /* of how.history */
	VEC(struct writer) writers;
	VEC(uint64_t) slots;
	VEC(uint32_t) free;
	struct {
		uint64_t at[NAREAS], size, used;
		unsigned n, now;
		uint32_t generation;
	} area;
};

static void put(const struct growing *g, uint64_t at, const void *data, size_t n)
{
	if (pwrite(g->fd, data, n, (off_t)at) != (ssize_t)n)
		abort();
}

static uint64_t random_below(struct growing *g, uint64_t n)
{
	return sim_random(&g->seed) % n;
}

static struct writer *writer_of(struct growing *g, uint32_t tid)
{
	for (size_t i = 0; i < g->writers.n; i++)
		if (g->writers.at[i].tid == tid)
			return &g->writers.at[i];
	*VEC_PUSH(&g->writers) = (struct writer){ .tid = tid, .slot = NO_SLOT };
	return &g->writers.at[g->writers.n - 1];
}

struct growing *growing_new(const char *path, const void *bytes, size_t n, uint64_t seed,
			    const struct growing_how *how)
{
	struct growing *g = mem_zalloc(sizeof(*g));
	struct format_file head;

	g->how = *how;
	g->seed = seed;
	g->bytes = mem_alloc(n);
	memcpy(g->bytes, bytes, n);
	g->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	memcpy(&head, bytes, sizeof(head));
	head.flags |= how->keep ? FORMAT_KEEP : 0;
	put(g, 0, &head, sizeof(head));
	g->end = sizeof(head);
	for (uint64_t at = sizeof(head); at + sizeof(struct format_chunk) <= n;) {
		const struct format_chunk *c = (const void *)(g->bytes + at);

		if (c->magic != FORMAT_CHUNK || !(c->flags & FORMAT_CHUNK_CLOSED) ||
		    sizeof(*c) + c->used > SLOT)
			abort();
		VEC_PUSH(&writer_of(g, c->tid)->chunks)->head = c;
		at += sizeof(*c) + (c->used + 63u) / 64 * 64;
	}
	return g;
}

void growing_free(struct growing *g)
{
	for (size_t i = 0; i < g->writers.n; i++)
		VEC_RELEASE(&g->writers.at[i].chunks);
	VEC_RELEASE(&g->writers);
	VEC_RELEASE(&g->slots);
	VEC_RELEASE(&g->free);
	close(g->fd);
	mem_free(g->bytes);
	mem_free(g);
}

static uint64_t reserve(struct growing *g, uint64_t n)
{
	uint64_t at = g->end;

	g->end += (n + 63) / 64 * 64;
	return at;
}

static void extent_add(struct growing *g)
{
	struct format_slots head = { .magic = FORMAT_SLOTS,
				     .count = NSLOTS,
				     .size = SLOT,
				     .first = 64,
				     .length = 64 + NSLOTS * SLOT };
	uint64_t at = reserve(g, head.length);

	if (ftruncate(g->fd, (off_t)g->end) != 0)
		abort();
	put(g, at, &head, sizeof(head));
	for (uint32_t i = 0; i < NSLOTS; i++) {
		*VEC_PUSH(&g->free) = (uint32_t)g->slots.n;
		*VEC_PUSH(&g->slots) = at + 64 + (uint64_t)i * SLOT;
	}
}

static void begin(struct growing *g, struct writer *w)
{
	static const uint8_t zeros[SLOT];
	const struct format_chunk *c = w->chunks.at[w->next].head;
	struct format_chunk open = { .tid = c->tid,
				     .number = c->number,
				     .first_tseq = c->first_tseq,
				     .start_ns = c->start_ns };

	if (g->free.n == 0)
		extent_add(g);
	w->slot = g->free.at[--g->free.n];
	w->grown = 0;
	w->closed = false;
	put(g, g->slots.at[w->slot], zeros, 4);
	put(g, g->slots.at[w->slot] + sizeof(open), zeros, SLOT - sizeof(open));
	put(g, g->slots.at[w->slot], &open, sizeof(open));
	open.magic = FORMAT_CHUNK;
	put(g, g->slots.at[w->slot], &open, 4);
}

/* The end of the first whole record past n. */
static uint32_t whole(const struct format_chunk *c, uint32_t n)
{
	struct blocks_chunk head = { .first_tseq = c->first_tseq ? c->first_tseq : 1,
				     .nevents = c->nevents,
				     .number = c->number,
				     .version = FORMAT_VERSION,
				     .room = c->used,
				     .ntrailing = c->ntrailing,
				     .closed = true };
	struct decode_cursor *cursor = mem_zalloc(sizeof(*cursor));
	struct decode_item item = { 0 };
	struct texts notes = { 0 };
	uint8_t *copy = mem_alloc(c->used + 1);
	struct decode_chunk *k;
	uint32_t end;

	memcpy(copy, c + 1, c->used);
	k = decode_chunk_new(c->tid, &head, copy, c->used, false, &notes);
	cursor->tid = c->tid;
	decode_cursor_begin(cursor, k);
	while (cursor->at < n && decode_next(cursor, &item, &notes))
		;
	end = cursor->at >= n ? cursor->at : c->used;
	decode_chunk_free(k);
	decode_item_release(&item);
	texts_release(&notes);
	decode_cursor_release(cursor);
	mem_free(cursor);
	return end;
}

static void grow_to(struct growing *g, struct writer *w, uint32_t to)
{
	const struct format_chunk *c = w->chunks.at[w->next].head;

	if (to <= w->grown)
		return;
	put(g, g->slots.at[w->slot] + sizeof(*c) + w->grown, (const uint8_t *)(c + 1) + w->grown,
	    to - w->grown);
	w->grown = to;
}

static void grow(struct growing *g, struct writer *w)
{
	const struct format_chunk *c = w->chunks.at[w->next].head;
	uint32_t to = w->grown + (uint32_t)random_below(g, 60) + 1;

	if (to > c->used)
		to = c->used;
	if (!g->how.torn)
		to = whole(c, to);
	grow_to(g, w, to);
}

/* A place in an area; the head is written at once. */
static uint64_t area_place(struct growing *g, const struct format_chunk *c)
{
	uint64_t n = (sizeof(*c) + c->used + 63) / 64 * 64, at;

	g->area.size = g->how.keep / NAREAS / 64 * 64;
	if (g->area.n == 0 || g->area.used + n > g->area.size) {
		struct format_area head = { .magic = FORMAT_AREA, .length = g->area.size };
		void *zeros = mem_zalloc(g->area.size);

		g->area.now = g->area.n < NAREAS ? g->area.n : (g->area.now + 1) % NAREAS;
		if (g->area.n < NAREAS)
			g->area.at[g->area.n++] = reserve(g, g->area.size);
		at = g->area.at[g->area.now];
		put(g, at, &head, sizeof(head));
		put(g, at + sizeof(head), zeros, g->area.size - sizeof(head));
		head.generation = ++g->area.generation;
		put(g, at, &head, sizeof(head));
		g->area.used = sizeof(head);
		mem_free(zeros);
	}
	at = g->area.at[g->area.now] + g->area.used;
	g->area.used += n;
	put(g, at, c, sizeof(*c));
	return at;
}

static void finish(struct growing *g, struct writer *w)
{
	const struct format_chunk *c = w->chunks.at[w->next].head;
	bool ring = g->how.keep && c->tid != FORMAT_CONTROL_TID;

	put(g, g->slots.at[w->slot], c, sizeof(*c));
	w->place = ring ? area_place(g, c) : reserve(g, sizeof(*c) + c->used);
	w->closed = true;
}

static void append(struct growing *g, struct writer *w)
{
	const struct format_chunk *c = w->chunks.at[w->next].head;

	put(g, w->place, c, sizeof(*c) + c->used);
	*VEC_PUSH(&g->free) = w->slot;
	w->slot = NO_SLOT;
	w->next++;
}

/* The next thing that the thread does. */
static void writer_step(struct growing *g, struct writer *w)
{
	if (w->slot == NO_SLOT)
		begin(g, w);
	else if (w->closed)
		append(g, w);
	else if (w->grown < w->chunks.at[w->next].head->used)
		grow(g, w);
	else
		finish(g, w);
}

/* Up to the next moment that it was really done. */
static void history_step(struct growing *g)
{
	const struct builder_moment *at = &g->how.history[g->moment++];
	struct writer *w = writer_of(g, at->tid);

	while (w->next < at->number)
		writer_step(g, w);
	if (at->used == 0)
		return;
	if (w->slot == NO_SLOT)
		begin(g, w);
	grow_to(g, w, at->used);
}

bool growing_step(struct growing *g)
{
	size_t first = random_below(g, g->writers.n);

	if (g->moment < g->how.nhistory) {
		history_step(g);
		return true;
	}

	for (size_t i = 0; i < g->writers.n; i++) {
		struct writer *w = &g->writers.at[(first + i) % g->writers.n];

		if (w->next == w->chunks.n)
			continue;
		writer_step(g, w);
		return true;
	}
	return false;
}
