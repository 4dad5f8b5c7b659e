/* Blocks, user events and names, written by the test's builder and read back. */
#include <unistd.h>

#include "base/diag.h"
#include "tap.h"
#include "trace/trace.h"
#include "trace_builder.h"

static char path[64];
static struct trace *trace;
static struct event e;
static struct diag d;

static void put(struct builder *b, unsigned kind, unsigned aux, const char *name, unsigned n,
		const int64_t *args)
{
	builder_begin(b, 1);
	builder_put(b, 0);
	builder_put_bytes(b, name, strlen(name) + 1);
	for (unsigned i = 0; i < n; i++)
		builder_put(b, (uint64_t)args[i]);
	builder_end(b, kind, aux, 1);
}

static void name_memory(struct builder *b, unsigned aux, uint64_t addr, uint64_t len,
			const char *name)
{
	put(b, FORMAT_K_USER, aux, name, 2, (int64_t[]){ (int64_t)addr, (int64_t)len });
}

static struct builder *start(void)
{
	struct builder *b = builder_new(0);

	builder_thread(b, 1, 0, 0);
	return b;
}

static void reopen(struct builder *b)
{
	const uint8_t *bytes;
	size_t n;

	builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	builder_free(b);
	TAP_OK(trace_open(path, NULL, &trace, &d) == ST_OK, "the recording opens");
	TAP_OK(trace_next(trace, &e, &d) == ST_OK && e.op == EVENT_THREAD_BEGIN, "begin");
}

static void next(enum event_op op, const char *name)
{
	enum status st = trace_next(trace, &e, &d);

	if (!TAP_OK(st == ST_OK && e.op == op, "%s", name))
		printf("# status %d %s, operation %s\n", st, d.message, event_op_name(e.op));
}

static void argument_is(uint32_t *at, int64_t want)
{
	int64_t got = 0;

	TAP_OK(event_argument(&e, at, &got) && got == want, "argument %lld", (long long)want);
}

static void test_events(void)
{
	struct builder *b = start();
	uint32_t at = 0;
	int64_t more;

	put(b, FORMAT_K_BLOCK, FORMAT_BLOCK_BEGIN, "transfer", 0, NULL);
	put(b, FORMAT_K_BLOCK, FORMAT_BLOCK_BEGIN, "", 0, NULL);
	put(b, FORMAT_K_BLOCK, FORMAT_BLOCK_END, "", 0, NULL);
	put(b, FORMAT_K_USER, FORMAT_USER_EVENT, "x", 4,
	    (int64_t[]){ 0, -1, INT64_MAX, INT64_MIN });
	put(b, FORMAT_K_USER, FORMAT_USER_INTERNAL, "phase", 1, (int64_t[]){ 7 });
	reopen(b);
	next(EVENT_BEGIN, "a block begins");
	TAP_STR(e.name, "transfer", "its name");
	next(EVENT_BEGIN, "one in it");
	TAP_OK(e.name == NULL, "has no name");
	next(EVENT_END, "and ends");
	next(EVENT_USER, "an event");
	TAP_OK(e.lock_kind == FORMAT_USER_EVENT && strcmp(e.name, "x") == 0, "its fields");
	argument_is(&at, 0);
	argument_is(&at, -1);
	argument_is(&at, INT64_MAX);
	argument_is(&at, INT64_MIN);
	TAP_OK(!event_argument(&e, &at, &more), "no more");
	next(EVENT_USER, "a value");
	at = 0;
	TAP_EQ(e.lock_kind, FORMAT_USER_INTERNAL, "its kind");
	argument_is(&at, 7);
	trace_close(trace);
}

/* What lies at addr: given name, own name. */
static void name_is(uint64_t addr, const char *given, const char *own)
{
	TAP_STR(trace_object_name(trace, addr), given, "by the program: %s", given);
	TAP_STR(trace_object_own(trace, addr), own, "its own name: %s", own);
}

static void test_names(void)
{
	static const struct version refs[8];
	struct builder *b = start();

	builder_block(b, 1, FORMAT_K_ALLOC, FORMAT_ALLOC_HEAP, 0, 0x5000, 64, refs);
	name_memory(b, FORMAT_USER_NAMES, 0x5000, 64, "cache");
	name_memory(b, FORMAT_USER_NAMES, 0x5010, 8, "a hit\33");
	name_memory(b, FORMAT_USER_BENIGN, 0x5020, 4, "rough count");
	name_memory(b, FORMAT_USER_NAMES, 0x9000, 0, "nothing");
	builder_block(b, 1, FORMAT_K_FREE, FORMAT_ALLOC_HEAP, 0, 0x5000, 64, refs);
	builder_block(b, 1, FORMAT_K_ALLOC, FORMAT_ALLOC_HEAP, 0, 0x5000, 64, refs);
	reopen(b);
	next(EVENT_ALLOC, "a block");
	name_is(0x5008, "heap#1+8", "heap#1+8");
	next(EVENT_USER, "is named");
	TAP_OK(e.addr == 0x5000 && e.len == 64 && e.ndata == 1 && e.data[0] == 64, "its fields");
	name_is(0x5000, "cache", "heap#1");
	name_is(0x5010, "cache+16", "heap#1+16");
	next(EVENT_USER, "a part of it is");
	name_is(0x500f, "cache+15", "heap#1+15");
	name_is(0x5010, "a_hit?", "heap#1+16");
	name_is(0x5012, "a_hit?+2", "heap#1+18");
	name_is(0x5018, "cache+24", "heap#1+24");
	TAP_STR(trace_object_range(trace, 0x5010), "heap#1+16", "ranges go by the whole");
	TAP_OK(!trace_object_benign(trace, 0x5020), "nothing is benign");
	next(EVENT_USER, "declared benign");
	TAP_STR(trace_object_benign(trace, 0x5023), "rough count", "why");
	TAP_OK(!trace_object_benign(trace, 0x5024), "so far and no further");
	next(EVENT_USER, "no bytes");
	name_is(0x9000, "0x9000", "0x9000");
	next(EVENT_FREE, "the block is freed");
	name_is(0x5010, "a_hit?", "heap#1+16");
	next(EVENT_ALLOC, "and given out again");
	name_is(0x5010, "heap#2+16", "heap#2+16");
	TAP_OK(!trace_object_benign(trace, 0x5020), "nothing is benign");
	trace_close(trace);
}

/* Each ends the thread there, with a note. */
static void damaged(const char *what, unsigned kind, unsigned aux, const void *bytes, size_t n)
{
	struct builder *b = start();
	struct trace_info info;

	builder_begin(b, 1);
	builder_put(b, 0);
	builder_put_bytes(b, bytes, n);
	builder_end(b, kind, aux, 1);
	reopen(b);
	TAP_EQ(trace_next(trace, &e, &d), ST_END, "%s", what);
	info = trace_info(trace);
	TAP_OK(!info.complete && info.nnotes != 0, "is noted");
	trace_close(trace);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/foresee-annotations-%d", (int)getpid());
	test_events();
	test_names();
	damaged("a name without an end", FORMAT_K_USER, FORMAT_USER_EVENT, "abc", 3);
	damaged("a block's name without an end", FORMAT_K_BLOCK, FORMAT_BLOCK_BEGIN, "abc", 3);
	damaged("a block that neither begins nor ends", FORMAT_K_BLOCK, 2, "abc", 4);
	damaged("a name for no address", FORMAT_K_USER, FORMAT_USER_NAMES, "abc", 4);
	damaged("a name for no length", FORMAT_K_USER, FORMAT_USER_NAMES, "abc\0\7", 5);
	damaged("memory that goes round", FORMAT_K_USER, FORMAT_USER_BENIGN,
		"a\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2", 13);
	unlink(path);
	return tap_done();
}
