/* The outer layer: headers, damage, copies, gaps. */
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "tap.h"
#include "recording/blocks.h"
#include "trace/trace.h"
#include "trace_builder.h"

static char path[64];
static struct diag d;

/* Three chunks of T1, one of T2. */
static struct builder *sample(void)
{
	struct builder *b = builder_new(FORMAT_PARTIAL);
	struct version v = { 0, 0 };

	builder_thread(b, 1, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		v.tseq = builder_write(b, 1, 1, 0x1000, 8, &v, i, 0, NULL, 0);
		v.tid = 1;
		builder_close_chunk(b, 1, i == 2 ? FORMAT_CHUNK_LAST : 0);
	}
	builder_thread(b, 2, 0, 0);
	builder_close_chunk(b, 2, FORMAT_CHUNK_LAST);
	return b;
}

struct count {
	uint64_t events;
	struct trace_info info;
	char notes[2000];
};

static enum status count(const void *bytes, size_t n, struct count *c)
{
	struct trace *t;
	struct event e;
	enum status st;

	memset(c, 0, sizeof(*c));
	diag_clear(&d);
	builder_save(path, bytes, n);
	st = trace_open(path, NULL, &t, &d);
	if (st != ST_OK)
		return st;
	while ((st = trace_next(t, &e, &d)) == ST_OK)
		c->events++;
	c->info = trace_info(t);
	for (uint32_t i = 0; i < c->info.nnotes; i++) {
		strncat(c->notes, c->info.notes[i], sizeof(c->notes) - strlen(c->notes) - 2);
		strcat(c->notes, "\n");
	}
	trace_close(t);
	return st;
}

static void test_header(void)
{
	struct builder *b = sample();
	const uint8_t *bytes;
	uint8_t *copy;
	struct count c;
	char want[80];
	size_t n;

	bytes = builder_bytes(b, &n);
	copy = mem_alloc(n);
	memcpy(copy, bytes, n);
	TAP_EQ(count(copy, 0, &c), ST_BAD_INPUT, "an empty file");
	TAP_OK(strstr(d.message, "is empty") != NULL, "is no trace");
	TAP_EQ(count(copy, 1, &c), ST_END, "one byte of a header");
	TAP_OK(c.events == 0 && !c.info.complete && c.info.nnotes == 1, "is cut and has no events");
	TAP_EQ(count(copy, 64, &c), ST_END, "a header alone");
	TAP_OK(c.events == 0 && !c.info.complete, "is cut and has no events");
	copy[8] = 99;
	TAP_EQ(count(copy, n, &c), ST_BAD_INPUT, "a newer version");
	snprintf(want, sizeof(want),
		 "has version 99, this foresee reads up to %d; use a newer foresee",
		 FORMAT_VERSION);
	TAP_OK(strstr(d.message, want) != NULL, "is refused with advice");
	TAP_EQ(count("\177ELF\0\0\0\0", 8, &c), ST_BAD_INPUT, "a program");
	TAP_OK(strstr(d.message, "not a trace") != NULL, "is not a trace");
	unlink(path);
	{
		struct trace *t;

		TAP_EQ(trace_open(path, NULL, &t, &d), ST_IO, "a missing file");
	}
	mem_free(copy);
	builder_free(b);
}

static void test_damage(void)
{
	struct builder *b = sample();
	const uint8_t *bytes;
	uint8_t *copy;
	struct count c;
	size_t n, at;

	/* The place of T1's second chunk. */
	bytes = builder_bytes(b, &n);
	for (at = 64; !(bytes[at] == 'F' && bytes[at + 4] == 1 && bytes[at + 8] == 1); at += 64)
		;
	copy = mem_alloc(n + 256);
	memcpy(copy, bytes, n);
	TAP_EQ(count(copy, n, &c), ST_END, "without an end of the run");
	TAP_OK(c.events == 5 && !c.info.complete && c.info.partial && !c.info.full,
	       "all events, incomplete");

	copy[at + 66] ^= 1; /* in its records */
	TAP_EQ(count(copy, n, &c), ST_END, "a damaged chunk");
	TAP_EQ(c.events, 3, "costs the thread's rest, not other threads");
	TAP_OK(strstr(c.notes, "damaged chunk 1 of T1 at offset") != NULL, "and is named");

	memcpy(copy, bytes, n);
	copy[at + 20] ^= 1; /* in its head */
	TAP_EQ(count(copy, n, &c), ST_END, "a damaged head");
	TAP_EQ(c.events, 3, "costs the thread's rest, not other threads");
	TAP_OK(strstr(c.notes, "damaged or cut block at offset") && strstr(c.notes, "is missing"),
	       "and is named with the gap");

	/* Garbage between blocks. */
	memcpy(copy, bytes, at);
	memset(copy + at, 0x5a, 128);
	memcpy(copy + at + 128, bytes + at, n - at);
	TAP_EQ(count(copy, n + 128, &c), ST_END, "garbage between blocks");
	TAP_EQ(c.events, 5, "costs nothing");
	TAP_OK(strstr(c.notes, "128 bytes skipped") != NULL, "and is named");
	mem_free(copy);
	builder_free(b);
}

/* A chunk both closed and in a slot. */
static void test_copies(void)
{
	struct builder *b = builder_new(0);
	struct version v = { 0, 0 };
	const uint8_t *bytes;
	uint8_t *copy;
	struct count c;
	size_t n, closed;

	builder_thread(b, 1, 0, 0);
	builder_write(b, 1, 1, 0x1000, 8, &v, 1, 0, NULL, 0);
	builder_slots(b, 4096);
	builder_bytes(b, &closed);
	builder_close_chunk(b, 1, FORMAT_CHUNK_LAST);
	bytes = builder_bytes(b, &n);
	copy = mem_alloc(n);
	memcpy(copy, bytes, n);
	TAP_EQ(count(copy, n, &c), ST_END, "two copies of one chunk");
	TAP_OK(c.events == 2 && c.info.nnotes == 0, "count once");
	copy[closed + 70] ^= 1;
	TAP_EQ(count(copy, n, &c), ST_END, "the closed copy damaged");
	TAP_EQ(c.events, 2, "the slot serves");
	mem_free(copy);
	builder_free(b);
}

static void test_index(void)
{
	struct builder *b = sample();
	struct texts notes = { 0 };
	struct blocks_chunk which;
	struct blocks blocks;
	const uint8_t *bytes;
	uint8_t *records;
	uint32_t used;
	size_t n;

	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	TAP_OK(blocks_open(&blocks, path, &notes, &d) == ST_OK, "the index");
	TAP_OK(blocks.threads.n == 2 && blocks_thread(&blocks, 1)->count == 3 &&
		       blocks_thread(&blocks, 2)->count == 1 && !blocks_thread(&blocks, 3),
	       "has the chunks of each thread");
	TAP_OK(blocks_load(&blocks, blocks_thread(&blocks, 1), 2, &which, &records, &used) &&
		       which.first_tseq == 4 && which.last && used == which.room,
	       "a chunk by number");
	mem_free(records);
	blocks_close(&blocks);
	texts_release(&notes);
	builder_free(b);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/foresee-blocks-%d", (int)getpid());
	test_header();
	test_damage();
	test_copies();
	test_index();
	unlink(path);
	return tap_done();
}
