/* Every kind of record, written by the test's builder and read back. */
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "tap.h"
#include "trace/trace.h"
#include "trace_builder.h"

static char path[64];
static const struct version INIT;
static struct trace *trace;
static struct event e;
static struct diag d;

static void reopen(struct builder *b)
{
	const uint8_t *bytes;
	size_t n;

	builder_finish(b, 3);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	builder_free(b);
	TAP_OK(trace_open(path, NULL, &trace, &d) == ST_OK, "the recording opens");
}

/* Takes the next event, which must be of this kind. */
static void next(enum event_op op, const char *name)
{
	enum status st = trace_next(trace, &e, &d);

	if (!TAP_OK(st == ST_OK && e.op == op, "%s", name))
		printf("# status %d %s, operation %s\n", st, d.message, event_op_name(e.op));
}

static void finish(void)
{
	struct trace_info info;

	TAP_EQ(trace_next(trace, &e, &d), ST_END, "then the end");
	info = trace_info(trace);
	TAP_OK(info.complete && info.nnotes == 0, "complete, nothing to note");
	for (uint32_t i = 0; i < info.nnotes; i++)
		printf("# %s\n", info.notes[i]);
	TAP_EQ(info.exit_status, 3, "the exit status");
	trace_close(trace);
}

static uint64_t number(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static uint64_t number_of(const struct event *x)
{
	return number(x->value, (unsigned)x->len);
}

static void test_accesses(void)
{
	struct builder *b = builder_new(FORMAT_FULL);
	struct version two[2] = { { 0, 0 }, { 1, 3 } };
	uint64_t feeds[2] = { 2, 4 };

	builder_thread(b, 1, 0, 0);
	builder_read(b, 1, 40000, 0x7fff00001000, 4, &INIT, 0x1234, FORMAT_READ_FREE);
	builder_write(b, 1, 2, 0x1008, 8, &INIT, 0xfedcba9876543210, FORMAT_WRITE_FED1, NULL, 0);
	builder_read(b, 1, 2, 0x1004, 8, two, 0x11, FORMAT_ATOMIC);
	builder_read(b, 1, 2, 0x1008, 8, &two[1], 0, FORMAT_READ_REREAD);
	builder_write(b, 1, 2, 0x1000, 1, &INIT, 0xab, 0, feeds, 2);
	builder_write(b, 1, 2, 0x1018, 8, &INIT, 0x00ffffffffffffff, 0, NULL, 0);
	builder_rmw(b, 1, 3, 0x1010, 2, INIT, 5, 6);
	builder_begin(b, 1);
	builder_put_addr(b, 3, 0x1010);
	builder_put_byte(b, 2);
	builder_put_ref(b, (struct version){ 1, 7 }, 8);
	builder_put(b, 6);
	builder_end(b, FORMAT_K_CASFAIL, 1, 1);
	builder_begin(b, 1); /* a compare-and-swap that won */
	builder_put_addr(b, 3, 0x1010);
	builder_put_byte(b, 5);
	builder_put_byte(b, FORMAT_RMW_CAS);
	builder_put_ref(b, (struct version){ 1, 7 }, 9);
	builder_put(b, 6);
	builder_put(b, 9);
	builder_put(b, 1);
	builder_put(b, 7);
	builder_end(b, FORMAT_K_RMW, 1 | 4 | 8, 1);
	reopen(b);

	next(EVENT_THREAD_BEGIN, "begin");
	next(EVENT_READ, "a free read");
	TAP_OK(e.flags == (EVENT_FREE_READ | EVENT_HAS_VALUE) && e.addr == 0x7fff00001000 &&
		       e.len == 4 && number(e.value, 4) == 0x1234 && e.tseq == 2 && e.pos == 2,
	       "its fields");
	TAP_OK(e.nrefs == 1 && e.refs[0].tid == 0, "names INIT");
	next(EVENT_WRITE, "a write");
	TAP_OK(e.nfeeds == 1 && e.feeds[0] == 2 && number(e.value, 8) == 0xfedcba9876543210,
	       "fed by the event before");
	next(EVENT_READ, "a read of two words");
	TAP_OK(e.nrefs == 2 && e.refs[1].tid == 1 && e.refs[1].tseq == 3 &&
		       !(e.flags & EVENT_RANGE),
	       "two refs, one number");
	TAP_OK((e.flags & EVENT_ATOMIC) && number(e.value, 8) == 0x11 && e.order == 5, "atomic");
	next(EVENT_READ, "a reread");
	TAP_OK((e.flags & EVENT_REREAD) && !(e.flags & EVENT_HAS_VALUE) && e.tseq == 4,
	       "without bytes or a number of its own");
	next(EVENT_WRITE, "a fed write");
	TAP_OK(e.nfeeds == 2 && e.feeds[0] == 2 && e.feeds[1] == 4 && e.len == 1 &&
		       e.value[0] == 0xab,
	       "its feeds");
	next(EVENT_WRITE, "a value of seven bytes");
	TAP_OK(number(e.value, 8) == 0x00ffffffffffffff, "comes whole");
	next(EVENT_RMW, "a read-modify-write");
	TAP_OK(number(e.old, 2) == 5 && number(e.value, 2) == 6 && e.rmw == 1 && e.len == 2,
	       "its values");
	next(EVENT_READ, "a compare-and-swap that failed");
	TAP_OK((e.flags & EVENT_CAS) && e.order == 2 && e.refs[0].tseq == 7, "its fields");
	next(EVENT_RMW, "one that won");
	TAP_OK((e.flags & EVENT_CAS) && (e.flags & EVENT_FREE_READ) && e.nfeeds == 1 &&
		       e.feeds[0] == 2,
	       "its fields");
	finish();
}

static void test_ranges(void)
{
	struct builder *b = builder_new(0);
	struct version none[4] = { { 0, 0 } }, seen[4], mixed[3];

	builder_thread(b, 1, 0, 0);
	builder_block(b, 1, FORMAT_K_ALLOC, FORMAT_ALLOC_ZEROED, 1, 0x2000, 32, none);
	builder_range(b, 1, true, 0, 1, 0x2000, 32, none, "abcdefghijklmnopqrstuvwxyz012345");
	for (unsigned i = 0; i < 4; i++)
		seen[i] = (struct version){ 1, 3 + i };
	builder_range(b, 1, false, FORMAT_RANGE_FREE, 1, 0x2004, 20, seen, "efghijklmnopqrstuvwx");
	builder_range(b, 1, true, FORMAT_RANGE_COPY, 1, 0x3004, 20, none, NULL);
	builder_range(b, 1, true, FORMAT_RANGE_FILL, 1, 0x2008, 8, &seen[1], "z");
	mixed[0] = seen[0];
	mixed[1] = (struct version){ 1, 13 };
	mixed[2] = seen[2];
	builder_range(b, 1, false, FORMAT_RANGE_NOVALUE, 1, 0x2000, 24, mixed, NULL);
	builder_range(b, 1, true, FORMAT_RANGE_ATOMIC, 1, 0x4000, 16, none, "0123456789abcdef");
	builder_block(b, 1, FORMAT_K_FREE, 0, 1, 0x2000, 24, mixed);
	reopen(b);

	next(EVENT_THREAD_BEGIN, "begin");
	next(EVENT_ALLOC, "alloc");
	TAP_OK((e.flags & EVENT_ZEROED) && e.nrefs == 4 && e.len == 32, "its fields");
	TAP_STR(trace_object_name(trace, 0x2010), "heap#1+16", "the block has a name");
	next(EVENT_WRITE, "a ranged write");
	TAP_OK(e.tseq == 3 && (e.flags & EVENT_RANGE) && e.nrefs == 4 &&
		       memcmp(e.value, "abcdef", 6) == 0,
	       "its fields");
	next(EVENT_READ, "a ranged read");
	TAP_OK(e.tseq == 7 && e.nrefs == 3 && e.refs[2].tseq == 5 && (e.flags & EVENT_FREE_READ),
	       "its fields");
	next(EVENT_WRITE, "a copy");
	TAP_OK((e.flags & EVENT_COPY) && memcmp(e.value, "efghij", 6) == 0 && e.nfeeds == 1 &&
		       e.feeds[0] == 7,
	       "has the bytes of its source");
	next(EVENT_WRITE, "a fill");
	TAP_OK(e.tseq == 13 && memcmp(e.value, "zzzzzzzz", 8) == 0, "repeats its byte");
	next(EVENT_READ, "a read without bytes");
	TAP_OK(!(e.flags & EVENT_HAS_VALUE) && !e.value && e.refs[1].tseq == 13, "its fields");
	next(EVENT_WRITE, "a write of 16 bytes at once");
	TAP_OK((e.flags & EVENT_ATOMIC) && e.nrefs == 2 && e.order == 5, "its fields");
	next(EVENT_FREE, "free");
	TAP_EQ(e.tseq, 19, "its number");
	finish();
}

static void test_sync(void)
{
	static const struct {
		unsigned kind, aux, nargs;
		enum event_op op;
		uint32_t flags;
	} kinds[] = {
		{ FORMAT_K_LOCK_INIT, 0, 0, EVENT_LOCK_INIT, 0 },
		{ FORMAT_K_ACQ, FORMAT_LOCK_TRY | FORMAT_LOCK_RWLOCK, 0, EVENT_ACQ,
		  EVENT_TRY | EVENT_WRITE_MODE },
		{ FORMAT_K_REL, FORMAT_LOCK_WAIT, 0, EVENT_REL, EVENT_IN_WAIT },
		{ FORMAT_K_RACQ, FORMAT_LOCK_RWLOCK, 0, EVENT_RACQ, 0 },
		{ FORMAT_K_RREL, FORMAT_LOCK_RWLOCK, 0, EVENT_RREL, 0 },
		{ FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_RECURSIVE, 0, EVENT_LOCK_DESTROY,
		  EVENT_RECURSIVE },
		{ FORMAT_K_LOCK_INIT, FORMAT_LOCK_COND, 0, EVENT_COND_INIT, 0 },
		{ FORMAT_K_PARK, 0, 1, EVENT_PARK, 0 },
		{ FORMAT_K_PARK, FORMAT_WAIT_TIMED, 1, EVENT_PARK, EVENT_TRY },
		{ FORMAT_K_SIGNAL, 0, 1, EVENT_SIGNAL, 0 },
		{ FORMAT_K_BROADCAST, 0, 1, EVENT_BROADCAST, 0 },
		{ FORMAT_K_BAR_INIT, 0, 1, EVENT_BAR_INIT, 0 },
		{ FORMAT_K_BAR_IN, 0, 1, EVENT_BAR_IN, 0 },
		{ FORMAT_K_BAR_OUT, 0, 1, EVENT_BAR_OUT, 0 },
		{ FORMAT_K_SEM_INIT, 0, 1, EVENT_SEM_INIT, 0 },
		{ FORMAT_K_SEM_POST, 0, 0, EVENT_SEM_POST, 0 },
		{ FORMAT_K_SEM_WAIT, 0, 0, EVENT_SEM_WAIT, 0 },
		{ FORMAT_K_ONCE_BEGIN, 0, 0, EVENT_ONCE_BEGIN, 0 },
		{ FORMAT_K_ONCE_END, 0, 0, EVENT_ONCE_END, 0 },
		{ FORMAT_K_ONCE_PASS, 0, 0, EVENT_ONCE_PASS, 0 },
		{ FORMAT_K_SEM_FAIL, 0, 0, EVENT_SEM_FAIL, 0 },
		{ FORMAT_K_REQ, FORMAT_LOCK_RWLOCK, 0, EVENT_REQ, EVENT_WRITE_MODE },
		{ FORMAT_K_RREQ, FORMAT_LOCK_RWLOCK | FORMAT_LOCK_TRY, 0, EVENT_RREQ, EVENT_TRY },
		{ FORMAT_K_REQ, FORMAT_LOCK_SEM, 0, EVENT_SEM_REQ, 0 },
		{ FORMAT_K_REQ, FORMAT_LOCK_COND, 0, EVENT_COND_REQ, 0 },
		{ FORMAT_K_TRYFAIL, 0, 0, EVENT_TRYFAIL, 0 },
		{ FORMAT_K_TRYFAIL, FORMAT_LOCK_REFUSED, 0, EVENT_TRYFAIL, EVENT_REFUSED },
		{ FORMAT_K_SEM_FAIL, FORMAT_SEM_REFUSED, 0, EVENT_SEM_FAIL, EVENT_REFUSED },
		{ FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_COND, 0, EVENT_COND_DESTROY, 0 },
		{ FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_BARRIER, 0, EVENT_BAR_DESTROY, 0 },
		{ FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_SEM, 0, EVENT_SEM_DESTROY, 0 },
	};
	struct builder *b = builder_new(0);
	struct version v = { 0, 0 };

	builder_thread(b, 1, 0, 0);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		uint64_t n = builder_sync(b, 1, kinds[i].kind, kinds[i].aux, 9, 0x5000, v,
					  kinds[i].nargs, 100 + i, 0);

		if (kinds[i].kind != FORMAT_K_SEM_FAIL && kinds[i].kind != FORMAT_K_REQ &&
		    kinds[i].kind != FORMAT_K_RREQ && kinds[i].kind != FORMAT_K_TRYFAIL)
			v = (struct version){ 1, n };
	}
	reopen(b);
	next(EVENT_THREAD_BEGIN, "begin");
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		next(kinds[i].op, event_op_name(kinds[i].op));
		TAP_OK(e.addr == 0x5000 && e.flags == kinds[i].flags && e.nrefs == 1 &&
			       e.arg == (kinds[i].nargs ? 100 + i : 0),
		       "its fields");
	}
	finish();
}

/*
 * Lean records must say what whole ones say.  The builder makes every record lean that can be, so
 * the expected fields are those that it was given: locks taken and given back in order and out of
 * it, near and far from each other, from places that share a slot, with two kinds of lock, deeper
 * nested than is remembered, and across the end of a chunk.
 */
static void test_lean(void)
{
	enum { ROUNDS = 40, LOCKS = 12 };
	static const uint32_t sites[] = { 5, 32, 37 }; /* 5 and 37 share a slot, and 32 has 0 */
	static const uint64_t base[] = { 0x10000, 0x10000 + (1u << 20), 0x7f0000000000, 0x10004 };
	struct {
		enum event_op op;
		uint64_t addr, ref;
		uint32_t site, flags;
	} want[ROUNDS * LOCKS * 2];
	struct builder *b = builder_new(0);
	unsigned n = 0;

	for (unsigned i = 0; i < 3; i++)
		builder_site(b, sites[i], 0, 0, 0, i + 1);
	builder_thread(b, 1, 0, 0);
	for (unsigned r = 0; r < ROUNDS; r++) {
		unsigned depth = 1 + r % LOCKS;
		unsigned aux = r % 5 == 3 ? FORMAT_LOCK_RECURSIVE : 0;
		uint64_t taken[LOCKS];

		for (unsigned i = 0; i < 2 * depth; i++) {
			bool acquires = i < depth;
			/* Released in the order of the acquires every third round. */
			unsigned k = acquires ? i : r % 3 == 0 ? i - depth : 2 * depth - 1 - i;
			uint64_t addr = base[r / 4 % 4] + 40 * k;
			struct version ref = { acquires ? 0 : 1, acquires ? 0 : taken[k] };
			uint32_t site = sites[r % 7 == 6 ? 2 : !acquires];

			want[n].op = acquires ? EVENT_ACQ : EVENT_REL;
			want[n].addr = addr;
			want[n].ref = ref.tseq;
			want[n].site = site;
			want[n++].flags = aux ? EVENT_RECURSIVE : 0;
			taken[k] = builder_sync(b, 1, acquires ? FORMAT_K_ACQ : FORMAT_K_REL, aux,
						site, addr, ref, 0, 0, 0);
		}
		if (r % 10 == 9)
			builder_close_chunk(b, 1, 0);
	}
	reopen(b);
	next(EVENT_THREAD_BEGIN, "begin");
	for (unsigned i = 0; i < n; i++) {
		bool good = trace_next(trace, &e, &d) == ST_OK && e.op == want[i].op &&
			    e.addr == want[i].addr && e.site == want[i].site &&
			    e.flags == want[i].flags && e.tseq == i + 2 && e.nrefs == 1 &&
			    e.refs[0].tseq == want[i].ref;

		if (!good) {
			TAP_OK(false, "event %u of the locks", i);
			break;
		}
	}
	finish();
}

static void test_threads(void)
{
	struct builder *b = builder_new(0);
	uint64_t fork, signal;
	const uint32_t *sites;

	builder_string(b, 5, "main.c");
	builder_string(b, 6, "work");
	builder_string(b, 7, "total");
	builder_site(b, 12, 5, 6, 7, 33);
	builder_global(b, 0x6000, 16, 7, 0);
	builder_begin(b, 0);
	builder_put(b, 99);
	builder_put_bytes(b, "/bin/prog\0-x\0", 13);
	builder_end(b, FORMAT_K_C_PROCESS, 0, 0);

	builder_thread(b, 1, 0, 0);
	fork = builder_fork(b, 1, 2);
	builder_begin(b, 2);
	builder_put(b, 1);
	builder_put(b, fork);
	builder_put(b, 0x9000);
	builder_put(b, 0xa000);
	builder_put(b, 0);
	builder_put(b, 0);
	builder_end(b, FORMAT_K_BEGIN, 0, 1);
	builder_begin(b, 2);
	builder_put_bytes(b, "worker", 6);
	builder_end(b, FORMAT_K_NAME, 0, 0);
	builder_begin(b, 2);
	builder_put(b, 0);
	builder_put(b, 3);
	for (uint32_t i = 10; i < 13; i++)
		builder_put(b, i);
	builder_end(b, FORMAT_K_STACK, 0, 0);
	builder_begin(b, 2);
	builder_put(b, 12);
	builder_put(b, 5);
	builder_end(b, FORMAT_K_FENCE, 0, 1);
	builder_begin(b, 2);
	builder_put(b, 1);
	builder_put(b, 1);
	builder_put(b, 77);
	builder_end(b, FORMAT_K_STACK, 0, 0);
	builder_begin(b, 2);
	builder_put(b, 12);
	builder_put_bytes(b, "note\0\7", 6);
	builder_end(b, FORMAT_K_USER, 0, 1);
	builder_begin(b, 2);
	builder_put(b, 12);
	builder_put(b, 1);
	builder_put(b, 2);
	builder_end(b, FORMAT_K_USE, 0, 1);
	builder_begin(b, 2);
	builder_put(b, 12);
	builder_end(b, FORMAT_K_NESTED, 0, 0);
	builder_begin(b, 2);
	builder_put_bytes(b, "??", 2);
	builder_end(b, FORMAT_NKINDS + 200, 0, 0); /* a kind of the future */
	signal = builder_sync(b, 2, FORMAT_K_SIGNAL, 0, 12, 0x6008, INIT, 1, 1, 0);
	builder_sync(b, 1, FORMAT_K_WAKE, FORMAT_WAKE_TIMEOUT, 12, 0x6008,
		     (struct version){ 2, signal }, 2, 2, signal);
	builder_begin(b, 1);
	builder_put(b, 12);
	builder_put(b, 2);
	builder_end(b, FORMAT_K_DETACH, 0, 1);
	builder_begin(b, 1);
	builder_put(b, 12);
	builder_put(b, 2);
	builder_end(b, FORMAT_K_JOINING, FORMAT_WAIT_TIMED, 1);
	builder_begin(b, 2);
	builder_end(b, FORMAT_K_END, FORMAT_END_EXIT, 1);
	builder_join(b, 1, 2, builder_tseq(b, 2));
	reopen(b);

	next(EVENT_THREAD_BEGIN, "begin of T1");
	next(EVENT_FORK, "fork");
	TAP_EQ(e.peer, 2, "of T2");
	next(EVENT_THREAD_BEGIN, "begin of T2");
	TAP_OK(e.peer == 1 && e.peer_tseq == fork && e.addr == 0x9000 && e.len == 0x1000,
	       "its fields");
	TAP_STR(trace_object_name(trace, 0x9040), "stack of T2+64", "its stack has a name");
	next(EVENT_FENCE, "fence");
	TAP_STR(trace_thread_label(trace, 2), "worker", "the thread's label");
	TAP_OK(e.order == 5 && trace_stack(trace, e.stack, &sites) == 3 && sites[0] == 12 &&
		       sites[2] == 10,
	       "its call stack");
	next(EVENT_USER, "user");
	TAP_OK(strcmp(e.name, "note") == 0 && e.ndata == 1 && e.data[0] == 7, "its fields");
	TAP_OK(trace_stack(trace, e.stack, &sites) == 2 && sites[0] == 77 && sites[1] == 10,
	       "its call stack");
	next(EVENT_USE, "use");
	TAP_OK(e.nfeeds == 1 && e.feeds[0] == 2, "its feed");
	next(EVENT_OPAQUE, "a signal handler");
	TAP_EQ(e.tseq, 4, "takes no number");
	next(EVENT_SIGNAL, "signal");
	TAP_STR(trace_object_name(trace, 0x6008), "total+8", "a global has a name");
	next(EVENT_THREAD_END, "end");
	TAP_EQ(e.arg, FORMAT_END_EXIT, "how");
	TAP_STR(trace_object_name(trace, 0x9040), "stack of T2+64",
		"the stack is there to the end");
	next(EVENT_WAKE, "wake");
	TAP_OK(e.peer == 2 && e.peer_tseq == signal && (e.flags & EVENT_TIMEOUT), "its fields");
	TAP_STR(trace_object_name(trace, 0x9040), "0x9040", "and gone after it");
	next(EVENT_DETACH, "detach");
	next(EVENT_JOINING, "a join that waits");
	TAP_OK(e.peer == 2 && e.peer_tseq == 0 && e.flags == EVENT_TRY, "not for ever");
	next(EVENT_JOIN, "join");
	{
		struct trace_site place;
		struct trace_info info;

		TAP_OK(trace_site(trace, 12, &place) && strcmp(place.file, "main.c") == 0 &&
			       strcmp(place.function, "work") == 0 &&
			       strcmp(place.variable, "total") == 0 && place.line == 33,
		       "a place");
		TAP_EQ(trace_site_count(trace), 13, "the number of places");
		info = trace_info(trace);
		TAP_STR(info.program, "/bin/prog", "the program");
		TAP_STR(trace_thread_name(trace, 2), "T2", "a thread's name");
		TAP_EQ(trace_thread_count(trace), 2, "the number of threads");
	}
	finish();
}

/* A call site that is no number: all cursors over the chunk must end there. */
static void test_bad_stack(void)
{
	struct builder *b = builder_new(0);
	struct trace_info info;

	builder_thread(b, 1, 0, 0);
	builder_begin(b, 1);
	builder_put(b, 0);
	builder_put(b, 1);
	builder_put(b, UINT64_MAX);
	builder_end(b, FORMAT_K_STACK, 0, 0);
	builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, 0x5000, INIT, 0, 0, 0);
	reopen(b);
	next(EVENT_THREAD_BEGIN, "begin");
	TAP_EQ(trace_next(trace, &e, &d), ST_END, "nothing after a damaged stack");
	info = trace_info(trace);
	TAP_OK(!info.complete && info.nnotes == 1 && strstr(info.notes[0], "damaged record of T1"),
	       "and that is said");
	trace_close(trace);
}

#define UPDATE (FORMAT_UPDATE | 2 << FORMAT_SIZE_SHIFT | FORMAT_UPDATE_FED)

/* x of four bytes was `value', and gets `added'. */
static void put_update(struct builder *b, unsigned what, struct version was, uint64_t value,
		       int64_t added)
{
	builder_begin(b, 1);
	builder_put(b, 5);
	builder_put(b, 0x1000);
	builder_put_ref(b, was, builder_tseq(b, 1) + 1);
	builder_put(b, value);
	builder_put(b, 6);
	builder_put(b, format_zigzag(added));
	builder_end(b, FORMAT_K_ACCESS, what, 2);
}

static uint32_t line_of(const struct event *x)
{
	struct trace_site site;

	return trace_site(trace, x->site, &site) ? site.line : 0;
}

/* The next two events: a free read at site 5 of the event that is named, and a write of the sum at site 6. */
static void next_update(uint64_t number, uint32_t was, uint32_t becomes)
{
	struct version seen = { number == 2 ? 0 : 1, number == 2 ? 0 : number - 1 };

	next(EVENT_READ, "an update reads");
	TAP_OK(e.tseq == number && line_of(&e) == 50 && e.addr == 0x1000 && e.len == 4 &&
		       (e.flags & EVENT_FREE_READ) && e.refs[0].tid == seen.tid &&
		       e.refs[0].tseq == seen.tseq,
	       "at its site, what was written last");
	TAP_EQ(number_of(&e), was, "this value");
	next(EVENT_WRITE, "and writes");
	TAP_OK(e.tseq == number + 1 && line_of(&e) == 60 && e.addr == 0x1000 && e.len == 4 &&
		       e.nfeeds == 1 && e.feeds[0] == number && e.refs[0].tid == seen.tid &&
		       e.refs[0].tseq == seen.tseq,
	       "at another, fed by the read, in the place of what that saw");
	TAP_EQ(number_of(&e), becomes, "the sum");
}

static void test_updates(void)
{
	/* The habit's last event, its address, the value that it wrote. */
	static const uint8_t again[] = { 2 | FORMAT_R_OWN << FORMAT_R_SHIFT, 5 << 1 };
	/* The same of one that says what it adds, and has a value of a byte: 200, and less 300. */
	static const uint8_t by[] = { 2 | FORMAT_R_OWN << FORMAT_R_SHIFT |
					      (FORMAT_V_1 << FORMAT_V_SHIFT & 255),
				      37 << 1 | FORMAT_V_1 >> 2, 200, 0xd4, 0xfe };
	struct builder *b = builder_new(FORMAT_FULL);

	builder_thread(b, 1, 0, 0);
	builder_site(b, 5, 0, 0, 0, 50);
	builder_site(b, 6, 0, 0, 0, 60);
	put_update(b, UPDATE, INIT, 7, -3);
	builder_short(b, 1, again, sizeof(again), 2);
	put_update(b, UPDATE | FORMAT_UPDATE_BY, (struct version){ 1, 5 }, 1, 100);
	builder_short(b, 1, by, sizeof(by), 2);
	reopen(b);
	next(EVENT_THREAD_BEGIN, "begin");
	next_update(2, 7, 4);
	next_update(4, 4, 1);
	next_update(6, 1, 101);
	next_update(8, 200, UINT32_MAX - 99);
	finish();
}

/* Damage: atomic ones, those of two words, and any in a file of a version that has none. */
static void test_bad_updates(void)
{
	static const unsigned bits[] = { FORMAT_ATOMIC, FORMAT_CROSS, 0 };

	for (size_t i = 0; i < 3; i++) {
		struct builder *b = builder_new(FORMAT_FULL);
		uint8_t *old;
		const uint8_t *bytes;
		size_t n;

		builder_thread(b, 1, 0, 0);
		put_update(b, UPDATE | bits[i], INIT, 7, 1);
		builder_finish(b, 3);
		bytes = builder_bytes(b, &n);
		old = mem_alloc(n);
		memcpy(old, bytes, n);
		old[8] = bits[i] != 0 ? FORMAT_VERSION : 7;
		builder_save(path, old, n);
		builder_free(b);
		mem_free(old);
		TAP_OK(trace_open(path, NULL, &trace, &d) == ST_OK, "the recording opens");
		next(EVENT_THREAD_BEGIN, "begin");
		TAP_EQ(trace_next(trace, &e, &d), ST_END, "no update with bits %u", bits[i]);
		TAP_OK(!trace_info(trace).complete, "and that is said");
		trace_close(trace);
	}
}

/* Elements of global arrays have names of their own; the whole object has one too. */
static void test_arrays(void)
{
	static const struct {
		const char *type;
		uint64_t size, offset;
		const char *name;
	} rows[] = {
		{ "pthread_mutex_t[5]", 200, 40, "total[1]" },
		{ "pthread_mutex_t[5]", 200, 0, "total[0]" },
		{ "struct row[4]", 192, 160, "total[3]+16" },
		{ "int[3][4]", 48, 28, "total[1][3]" },
		{ "char *[10]", 80, 79, "total[9]+7" },
		{ "int[]", 40, 8, "total+8" },
		{ "int[7]", 40, 8, "total+8" }, /* does not divide: not believed */
		{ "int[0]", 40, 8, "total+8" },
		{ "int[99999999999999999999]", 40, 8, "total+8" },
		{ "int[1][1][1][1][2]", 40, 8, "total+8" },
		{ "[2]", 40, 28, "total[1]+8" },
		{ "2]", 40, 8, "total+8" },
		{ "]", 40, 8, "total+8" },
		{ "int[3] *", 8, 4, "total+4" },
		{ "", 40, 8, "total+8" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct builder *b = builder_new(0);
		char whole[32] = "total";

		builder_string(b, 7, "total");
		builder_string(b, 8, rows[i].type);
		builder_global(b, 0x6000, rows[i].size, 7, 8);
		builder_thread(b, 1, 0, 0);
		reopen(b);
		next(EVENT_THREAD_BEGIN, "begin");
		TAP_STR(trace_object_name(trace, 0x6000 + rows[i].offset), rows[i].name, "%s at %u",
			rows[i].type, (unsigned)rows[i].offset);
		TAP_EQ(trace_object_whole(rows[i].name), 5, "of which \"total\" is the variable");
		if (rows[i].offset)
			snprintf(whole, sizeof(whole), "total+%u", (unsigned)rows[i].offset);
		TAP_STR(trace_object_range(trace, 0x6000 + rows[i].offset), whole,
			"the same by the whole");
		finish();
	}
	TAP_EQ(trace_object_whole("lib.so+0x12"), 11, "no offset in an object");
	TAP_EQ(trace_object_whole("t<int[3]>"), 9, "no element");
	TAP_EQ(trace_object_whole("heap#7+16"), 6, "a part of a block");
	TAP_EQ(trace_object_whole("[3]"), 3, "nothing would be left");
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/foresee-decode-%d", (int)getpid());
	test_accesses();
	test_ranges();
	test_sync();
	test_lean();
	test_threads();
	test_bad_stack();
	test_updates();
	test_bad_updates();
	test_arrays();
	unlink(path);
	return tap_done();
}
