/*
 * Steps of recordings: what a text cannot say, on built files, and what must hold of any stream of
 * steps, on random ones (unit/sim.h).
 */
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "order/step.h"
#include "trace/trace.h"
#include "unit/sim.h"
#include "unit/steps_text.h"
#include "unit/trace_builder.h"

static const struct version INIT;

/* Takes b, which is finished. */
static struct trace *built(struct builder *b)
{
	char path[] = "/tmp/foresee-test-step-XXXXXX";
	int fd = mkstemp(path);
	struct trace *t = NULL;
	struct diag d = { 0 };
	const uint8_t *bytes;
	size_t n;

	bytes = builder_bytes(b, &n);
	if (fd >= 0)
		close(fd);
	builder_save(path, bytes, n);
	if (trace_open(path, NULL, &t, &d) != ST_OK)
		printf("# cannot open: %s\n", d.message);
	unlink(path);
	builder_free(b);
	return t;
}

static void steps_are(const char *name, struct builder *b, const char *want)
{
	struct strbuf got = { 0 };
	struct trace *t;

	builder_finish(b, 0);
	t = built(b);
	steps_text(t, &got);
	TAP_STR(strbuf_str(&got), want, "%s", name);
	trace_close(t);
	strbuf_release(&got);
}

static void write8(struct builder *b, uint32_t tid, uint64_t addr, struct version before)
{
	builder_write(b, tid, 1, addr, 8, &before, 1, 0, NULL, 0);
}

/* A join that does not say which event was the last orders nothing. */
static void test_lost(void)
{
	struct builder *b = builder_new(0);
	uint64_t fork = builder_fork(b, 1, 2);

	builder_join(b, 1, 2, 0);
	builder_thread(b, 2, 1, fork);
	write8(b, 2, 0x1000, INIT);
	steps_are("a thread that goes on after its join", b, "fork:1 join:1 none! write:0");
}

static void test_stack(void)
{
	struct builder *b = builder_new(0);
	uint64_t fork;

	write8(b, 1, 0x1008, INIT);
	write8(b, 1, 0x2000, INIT);
	fork = builder_fork(b, 1, 2);
	builder_begin(b, 2);
	builder_put(b, 1);
	builder_put(b, fork);
	builder_put(b, 0x1000); /* stack */
	builder_put(b, 0x1800);
	builder_put(b, 0);
	builder_put(b, 0);
	builder_end(b, FORMAT_K_BEGIN, 0, 1);
	write8(b, 2, 0x1008, INIT);
	steps_are("a new stack is fresh memory", b, "write:0 write:1 fork:1 none+drop:0 write:2");
}

/* The condition's memory is given back between the broadcast and the wake. */
static void test_cond_freed(void)
{
	struct version v = { 2, 0 }, word;
	struct builder *b = builder_new(0);

	v.tseq = builder_sync(b, 2, FORMAT_K_PARK, 0, 1, 0x1000, INIT, 1, 0x3000, 0);
	v = (struct version){ 1, builder_sync(b, 1, FORMAT_K_BROADCAST, 0, 1, 0x1000, v, 1, 1, 0) };
	word = (struct version){ 1, builder_block(b, 1, FORMAT_K_FREE, 0, 1, 0x1000, 8, &v) };
	builder_sync(b, 2, FORMAT_K_WAKE, 0, 1, 0x1000, word, 2, v.tid, v.tseq);
	steps_are("a condition lives while somebody waits", b,
		  "park:0 notify:0+put:0 free:0,1 get:0+guard:4:1<2+forget:0");
}

static void test_lock_freed(void)
{
	struct version v = { 1, 0 };
	struct builder *b = builder_new(0);

	v.tseq = builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, 0x1000, INIT, 0, 0, 0);
	v.tseq = builder_sync(b, 1, FORMAT_K_REL, 0, 1, 0x1000, v, 0, 0, 0);
	v.tseq = builder_block(b, 1, FORMAT_K_FREE, 0, 1, 0x1000, 8, &v);
	v.tseq = builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, 0x1000, v, 0, 0, 0);
	builder_sync(b, 1, FORMAT_K_REL, 0, 1, 0x1008, INIT, 0, 0, 0);
	steps_are("a lock ends with its memory", b, "acquire:0 release:0 free:0,1 acquire:1 none!");
}

/* T2 reads two words as one range, copies them, and makes two writes of one word or both. */
static struct builder *copy_run(struct builder *b, const struct version *refs)
{
	const uint64_t feeds[2] = { 1, 2 };
	const struct version fresh[2] = { { 0 } };
	const uint8_t bytes[16] = { [0] = 1, [8] = 1 }; /* what was written there */

	builder_range(b, 2, false, FORMAT_RANGE_FREE, 1, 0x1000, 16, refs, bytes);
	builder_range(b, 2, true, FORMAT_RANGE_COPY, 1, 0x2000, 16, fresh, NULL);
	builder_write(b, 2, 1, 0x3000, 8, fresh, 1, 0, feeds, 2);
	builder_write(b, 2, 1, 0x3008, 8, fresh, 1, 0, feeds + 1, 1);
	return b;
}

static void test_feeds(void)
{
	const struct version refs[2] = { { 0, 0 }, { 1, 2 } };
	struct builder *b = builder_new(0);

	steps_are("feeds name the read, not its words", copy_run(b, (struct version[2]){ { 0 } }),
		  "read:0,1~ write:2,3<1 write:4<1 write:5<1");
	/* T1 writes between the two words, so that the read comes in two pieces. */
	b = builder_new(0);
	write8(b, 1, 0x1000, INIT);
	write8(b, 1, 0x1008, INIT);
	steps_are("or its pieces", copy_run(b, refs),
		  "read:0~ write:0 write:1 read:1~ write:2,3<1,2 write:4<1,2 write:5<2");
}

/* ---- any stream of steps ---- */

struct list {
	VEC(uint32_t) v;
};

struct stream {
	uint64_t events;
	const char *wrong;
	struct list dropped; /* [cell]: yes or no */
	struct list holder;  /* [lock]: tid */
};

/* Item i, zero when new. */
static uint32_t *place(struct list *l, uint32_t i)
{
	while (l->v.n <= i)
		*VEC_PUSH(&l->v) = 0;
	return &l->v.at[i];
}

static void cells_check(struct stream *x, const struct step_batch *b, const struct step *s,
			bool recycle)
{
	for (uint32_t i = 0; step_is_access(s) && i < s->ncells; i++) {
		uint32_t *dropped = place(&x->dropped, step_cells(b, s)[i]);

		if (*dropped && !recycle)
			x->wrong = "a dropped cell is named";
		*dropped = false;
	}
	if (s->op == STEP_SPLIT && *place(&x->dropped, s->obj))
		x->wrong = "a dropped cell is split";
	if (s->op == STEP_SPLIT)
		*place(&x->dropped, s->other) = false;
	if (s->op == STEP_DROP && *place(&x->dropped, s->obj))
		x->wrong = "a cell is dropped twice";
	if (s->op == STEP_DROP)
		*place(&x->dropped, s->obj) = true;
}

static void locks_check(struct stream *x, const struct step *s)
{
	if (s->op != STEP_ACQ && s->op != STEP_REL)
		return;
	if (*place(&x->holder, s->obj) != (s->op == STEP_ACQ ? 0 : s->tid))
		x->wrong = "a lock is held by somebody else";
	*place(&x->holder, s->obj) = s->op == STEP_ACQ ? s->tid : 0;
}

static const char *stream_check(struct trace *t, bool recycle, uint64_t *events)
{
	struct step_options opt = { .recycle = recycle, .values = true };
	struct steps *s = steps_new(t, &opt);
	struct stream x = { 0 };
	struct step_batch b;
	struct diag d = { 0 };

	while (steps_next(s, &b, &d) == ST_OK) {
		for (size_t i = 0; i < b.n; i++) {
			x.events += !(b.at[i].flags & STEP_MORE);
			if (!(b.at[i].flags & STEP_MORE) && b.at[i].pos != x.events)
				x.wrong = "an event has no step, or two";
			cells_check(&x, &b, &b.at[i], recycle);
			locks_check(&x, &b.at[i]);
		}
	}
	if (d.message[0])
		x.wrong = "the trace is bad";
	steps_free(s);
	VEC_RELEASE(&x.dropped.v);
	VEC_RELEASE(&x.holder.v);
	*events = x.events;
	return x.wrong;
}

static uint64_t events_count(struct trace *t)
{
	struct diag d = { 0 };
	struct event e;
	uint64_t n = 0;

	while (trace_next(t, &e, &d) == ST_OK)
		n++;
	return n;
}

static void test_random(void)
{
	const char *wrong = NULL;
	uint64_t seed = 1;

	for (; seed <= 60 && !wrong; seed++) {
		uint64_t got[3];

		for (int i = 0; i < 3 && !wrong; i++) {
			struct builder *b = builder_new(0);
			struct sim_result r;
			struct trace *t;

			sim_run(b, seed, 600, &r);
			t = built(b);
			if (i < 2)
				wrong = stream_check(t, i == 1, &got[i]);
			else
				got[i] = events_count(t);
			trace_close(t);
		}
		if (!wrong && (got[2] == 0 || got[0] != got[2] || got[1] != got[2]))
			wrong = "events are missing";
	}
	TAP_STR(wrong, NULL, "streams of steps are well formed");
}

int main(void)
{
	test_lost();
	test_stack();
	test_cond_freed();
	test_lock_freed();
	test_feeds();
	test_random();
	return tap_done();
}
