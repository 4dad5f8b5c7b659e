/*
 * From a file that grows, through messages in any order across threads and in any pieces, to the
 * observer's copy: what is read from both is the same.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"
#include "growing.h"
#include "link/relay.h"
#include "link/store.h"
#include "sim.h"
#include "tap.h"
#include "recording/blocks.h"
#include "trace/digest.h"
#include "trace/trace.h"
#include "trace_builder.h"

static char from[64], to[64], whole[64];
static struct diag d;

/* ---- reading ---- */

struct reading {
	uint64_t events;
	bool complete;
	char digest[DIGEST_HEX];
};

static bool read_trace(const char *path, struct reading *r)
{
	struct digest sum;
	struct trace_info info;
	struct trace *t;
	struct event e;
	enum status st;

	memset(r, 0, sizeof(*r));
	if (trace_open(path, NULL, &t, &d) != ST_OK)
		return false;
	digest_init(&sum);
	while ((st = trace_next(t, &e, &d)) == ST_OK) {
		digest_event(&sum, &e);
		r->events++;
	}
	digest_end(&sum, r->digest);
	info = trace_info(t);
	r->complete = info.complete;
	trace_close(t);
	return st == ST_END;
}

static bool same(const struct reading *a, const struct reading *b)
{
	return a->events == b->events && a->complete == b->complete &&
	       strcmp(a->digest, b->digest) == 0;
}

/* ---- the way ---- */

struct frame {
	uint8_t *bytes;
	size_t n;
};

#define LANES 64 /* by thread */

/* Messages on their way: each thread's in order, threads in none. */
struct way {
	VEC(struct frame) lane[LANES];
	size_t done[LANES];
	uint64_t seed;
	struct message_buffer in;
	struct store *store;
	unsigned refused, opened, chunks, again, dropped;
};

static uint32_t lane_of(const struct message *m)
{
	return (m->type == MESSAGE_OPEN	   ? m->open.tid
		: m->type == MESSAGE_CHUNK ? m->chunk.head.tid
					   : m->dropped.tid) %
	       LANES;
}

static void way_put(struct way *w, const struct message *m)
{
	struct message_buffer b;
	struct frame *f = VEC_PUSH(&w->lane[lane_of(m)]);

	w->opened += m->type == MESSAGE_OPEN;
	w->chunks += m->type == MESSAGE_CHUNK;
	w->dropped += m->type == MESSAGE_DROPPED;
	message_buffer_init(&b);
	if (!message_put(&b, m))
		abort();
	f->n = b.end;
	f->bytes = mem_alloc(f->n);
	memcpy(f->bytes, b.at, f->n);
	message_buffer_release(&b);
}

/* In random pieces. */
static void deliver(struct way *w, const struct frame *f)
{
	struct message m;

	for (size_t at = 0; at < f->n;) {
		size_t piece = sim_random(&w->seed) % f->n + 1, room;
		uint8_t *into = message_buffer_free(&w->in, &room);
		enum status st;

		if (piece > f->n - at)
			piece = f->n - at;
		memcpy(into, f->bytes + at, piece);
		message_buffer_filled(&w->in, piece);
		at += piece;
		st = message_take(&w->in, &m, &d);
		if (st == ST_OK)
			st = store_take(w->store, &m, &d);
		w->refused += st != ST_OK && st != ST_END;
	}
}

/* Some of what is on its way; all: until there is nothing. */
static void way_move(struct way *w, bool all)
{
	unsigned n = (unsigned)(sim_random(&w->seed) % 8);
	bool more = true;

	for (unsigned i = 0; more && (all || i < n); i++) {
		size_t first = sim_random(&w->seed) % LANES;

		more = false;
		for (size_t k = 0; k < LANES && !more; k++) {
			size_t lane = (first + k) % LANES;

			if (w->done[lane] == w->lane[lane].n)
				continue;
			deliver(w, &w->lane[lane].at[w->done[lane]++]);
			more = true;
		}
	}
}

static void way_release(struct way *w)
{
	for (size_t i = 0; i < LANES; i++) {
		for (size_t k = 0; k < w->lane[i].n; k++)
			mem_free(w->lane[i].at[k].bytes);
		VEC_RELEASE(&w->lane[i]);
	}
	message_buffer_release(&w->in);
	store_close(w->store);
}

/* ---- one run ---- */

struct plan {
	struct growing_how how;
	unsigned lazy; /* one step in so many is followed by a look */
	unsigned kill; /* the writer stops after so many steps; 0: it does not */
	bool late;     /* the relay starts when everything is written */
};

struct result {
	unsigned refused, opened, chunks, dropped, emptied;
	bool ended;
};

static void look(struct relay *r, struct way *w, bool last)
{
	uint64_t most = sim_random(&w->seed) % 10;
	struct message m;

	relay_look(r, last);
	for (uint64_t i = 0; (last || i < most) && relay_next(r, &m); i++)
		way_put(w, &m);
}

static struct relay *start(struct way *w)
{
	struct message_hello hello = { .token = "", .program = "sim" };
	struct relay *r;

	if (relay_open(from, &r, &d) != ST_OK)
		abort();
	relay_describe(r, &hello);
	if (store_open(to, &hello, &store_limits_default, &w->store, &d) != ST_OK)
		abort();
	return r;
}

static void run(const struct builder *b, uint64_t seed, const struct plan *p, struct result *out)
{
	struct way *w = mem_zalloc(sizeof(*w));
	struct message end = { .type = MESSAGE_END };
	struct store_info info;
	struct growing *g;
	struct relay *r;
	const uint8_t *bytes;
	unsigned steps = 0;
	size_t n;

	unlink(from); /* writing over an old file is slow on some file systems */
	unlink(to);
	bytes = builder_bytes(b, &n);
	w->seed = seed ^ 0x5555;
	message_buffer_init(&w->in);
	g = growing_new(from, bytes, n, seed, &p->how);
	r = start(w);
	while (growing_step(g) && (p->kill == 0 || ++steps < p->kill)) {
		if (p->late || sim_random(&w->seed) % p->lazy != 0)
			continue;
		look(r, w, false);
		way_move(w, false);
	}
	look(r, w, true);
	way_move(w, true);
	end.end.bytes = relay_sent(r);
	w->refused += store_take(w->store, &end, &d) != ST_OK;
	store_info(w->store, &info);
	*out = (struct result){
		w->refused, w->opened, w->chunks, w->dropped, (unsigned)info.emptied, info.ended
	};
	if (w->refused)
		printf("# seed %llu: %s\n", (unsigned long long)seed, d.message);
	relay_close(r);
	growing_free(g);
	way_release(w);
	mem_free(w);
}

/* ---- tests ---- */

static struct builder *random_recording(uint64_t seed, unsigned steps)
{
	struct builder *b = builder_new(FORMAT_FULL);
	struct sim_result result;

	sim_run(b, seed, steps, &result);
	return b;
}

/* The copy reads as the original. */
static void test_whole(const char *name, struct plan p, unsigned runs)
{
	unsigned opened = 0, refused = 0, differ = 0, open = 0;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct builder *b = random_recording(seed, 300);
		struct reading original, copy;
		struct result result;
		const uint8_t *bytes;
		size_t n;

		bytes = builder_bytes(b, &n);
		unlink(whole);
		builder_save(whole, bytes, n);
		run(b, seed, &p, &result);
		refused += result.refused + result.dropped + !result.ended;
		opened += result.opened;
		if (!read_trace(whole, &original) || !read_trace(to, &copy) ||
		    !same(&original, &copy)) {
			printf("# seed %llu: %llu events, copy %llu\n", (unsigned long long)seed,
			       (unsigned long long)original.events,
			       (unsigned long long)copy.events);
			differ++;
		}
		open += original.events == 0;
		builder_free(b);
	}
	TAP_EQ(refused, 0, "%s: nothing is refused or dropped", name);
	TAP_EQ(differ, 0, "%s: %u copies read as their originals", name, runs);
	TAP_EQ(open, 0, "%s: which have events", name);
	if (!p.late)
		TAP_OK(opened > 10 * runs, "%s: chunks were sent while they grew", name);
}

/* The program is killed at some moment: the copy reads as what it left. */
static void test_killed(unsigned runs)
{
	unsigned refused = 0, differ = 0, some = 0;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct builder *b = random_recording(seed, 300);
		struct plan p = { .lazy = 5, .kill = 1 + (unsigned)(seed * 37 % 700) };
		struct reading original, copy;
		struct result result;

		run(b, seed, &p, &result);
		refused += result.refused;
		if (!read_trace(from, &original) || !read_trace(to, &copy) ||
		    original.events != copy.events || strcmp(original.digest, copy.digest) != 0) {
			printf("# seed %llu: %llu events, copy %llu\n", (unsigned long long)seed,
			       (unsigned long long)original.events,
			       (unsigned long long)copy.events);
			differ++;
		}
		some += original.events != 0;
		builder_free(b);
	}
	TAP_EQ(refused, 0, "killed: nothing is refused");
	TAP_EQ(differ, 0, "killed: copies read as what was left");
	TAP_OK(some > runs / 2, "killed: most left something");
}

static bool is_as_written(struct blocks *b, const struct blocks_thread *t, uint32_t number,
			  struct blocks *original)
{
	const struct blocks_thread *o = blocks_thread(original, t->tid);
	struct blocks_chunk k;
	uint8_t *bytes = NULL, *wanted = NULL;
	uint32_t n = 0, m = 0;
	bool good = o && blocks_load(original, o, number, &k, &wanted, &m) &&
		    blocks_load(b, t, number, &k, &bytes, &n) && n == m &&
		    memcmp(bytes, wanted, n) == 0;

	mem_free(bytes);
	mem_free(wanted);
	return good;
}

/* Whatever chunks the copy has are the original's; how many are wrong. */
static unsigned wrong_chunks(unsigned *there)
{
	struct texts notes = { 0 };
	struct blocks a, b;
	unsigned wrong = 0;

	if (blocks_open(&a, whole, &notes, &d) != ST_OK || blocks_open(&b, to, &notes, &d) != ST_OK)
		abort();
	for (size_t i = 0; i < b.threads.n; i++) {
		const struct blocks_thread *t = &b.threads.at[i];

		for (size_t k = 0; k < t->chunks.n; k++) {
			if (!t->chunks.at[k].closed)
				continue;
			wrong += !is_as_written(&b, t, t->chunks.at[k].number, &a);
			++*there;
		}
	}
	blocks_close(&a);
	blocks_close(&b);
	texts_release(&notes);
	return wrong;
}

/* A ring that is faster than the relay. */
static void test_ring(unsigned runs)
{
	unsigned refused = 0, dropped = 0, wrong = 0, there = 0;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct builder *b = random_recording(seed, 2000);
		struct plan p = { .how.keep = 4 * 4096, .lazy = 40, .late = seed % 5 == 0 };
		struct result result;
		const uint8_t *bytes;
		size_t n;

		bytes = builder_bytes(b, &n);
		unlink(whole);
		builder_save(whole, bytes, n);
		run(b, seed, &p, &result);
		refused += result.refused;
		dropped += result.dropped;
		wrong += wrong_chunks(&there);
		builder_free(b);
	}
	TAP_EQ(refused, 0, "ring: nothing is refused");
	TAP_OK(dropped > runs, "ring: some was dropped");
	TAP_OK(there > 2 * runs, "ring: some was not");
	TAP_EQ(wrong, 0, "ring: what came is as it was written");
}

int main(void)
{
	unsigned runs = getenv("LONG") ? 2000 : 60;

	snprintf(from, sizeof(from), "/tmp/foresee-relay-from.%d", getpid());
	snprintf(to, sizeof(to), "/tmp/foresee-relay-to.%d", getpid());
	snprintf(whole, sizeof(whole), "/tmp/foresee-relay-whole.%d", getpid());
	test_whole("grows", (struct plan){ .lazy = 5 }, runs);
	test_whole("often looked at", (struct plan){ .lazy = 1 }, runs);
	test_whole("torn", (struct plan){ .lazy = 3, .how.torn = true }, runs);
	test_whole("afterwards", (struct plan){ .late = true, .lazy = 1 }, runs);
	test_killed(runs);
	test_ring(runs);
	unlink(from);
	unlink(to);
	unlink(whole);
	return tap_done();
}
