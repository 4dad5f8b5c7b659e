#include "step_builder.h"

#include <assert.h>
#include <string.h>

void step_builder_release(struct step_builder *b)
{
	VEC_RELEASE(&b->steps);
	VEC_RELEASE(&b->cells);
	VEC_RELEASE(&b->feeds);
	VEC_RELEASE(&b->bytes);
	memset(b, 0, sizeof(*b));
}

struct step *step_build_last(struct step_builder *b)
{
	return &b->steps.at[b->steps.n - 1];
}

uint32_t step_build(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t obj)
{
	assert(tid > 0 && tid < STEP_BUILDER_THREADS);
	*VEC_PUSH(&b->steps) = (struct step){
		.pos = ++b->pos,
		.tseq = ++b->tseq[tid],
		.tid = tid,
		.chain = tid - 1,
		.op = (uint8_t)op,
		.obj = obj,
		.site = tid * 100 + op,
	};
	return b->pos;
}

uint32_t step_build_access(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t cell)
{
	uint32_t id = step_build(b, tid, op, cell);
	struct step *s = step_build_last(b);

	s->ncells = 1;
	s->addr = 0x1000 + cell * 8;
	s->len = 8;
	return id;
}

void step_build_cell(struct step_builder *b, uint32_t cell)
{
	struct step *s = step_build_last(b);

	if (s->ncells == 1) {
		s->cells = (uint32_t)b->cells.n;
		*VEC_PUSH(&b->cells) = s->obj;
	}
	*VEC_PUSH(&b->cells) = cell;
	s->ncells++;
}

void step_build_range(struct step_builder *b, uint64_t addr, uint32_t len)
{
	struct step *s = step_build_last(b);

	s->addr = addr;
	s->len = len;
	b->tseq[s->tid] = s->tseq + ((addr & 7) + len + 7) / 8 - 1;
}

void step_build_feed(struct step_builder *b, uint64_t tseq)
{
	struct step *s = step_build_last(b);

	if (s->nfeeds++ == 0)
		s->feeds = (uint32_t)b->feeds.n;
	*VEC_PUSH(&b->feeds) = tseq;
}

void step_build_bytes(struct step_builder *b, const void *bytes, uint32_t n)
{
	step_build_last(b)->value = (uint32_t)b->bytes.n + 1;
	VEC_RESERVE(&b->bytes, b->bytes.n + n);
	memcpy(b->bytes.at + b->bytes.n, bytes, n);
	b->bytes.n += n;
}

struct step *step_build_more(struct step_builder *b, enum step_op op, uint32_t obj)
{
	struct step s = { .pos = b->pos, .op = (uint8_t)op, .obj = obj, .flags = STEP_MORE };

	if (b->steps.n != 0) {
		s.tid = step_build_last(b)->tid;
		s.chain = step_build_last(b)->chain;
	}
	*VEC_PUSH(&b->steps) = s;
	return step_build_last(b);
}

void step_build_split(struct step_builder *b, uint32_t cell, uint32_t other)
{
	struct step *s = step_build_more(b, STEP_SPLIT, cell);

	s->flags = 0;
	s->other = other;
}

struct step_batch step_build_batch(const struct step_builder *b)
{
	return (struct step_batch){ .at = b->steps.at,
				    .n = b->steps.n,
				    .cells = b->cells.at,
				    .feeds = b->feeds.at,
				    .bytes = b->bytes.at };
}

struct model *step_build_model(const struct step_builder *b, const struct model_options *opt)
{
	struct model *m = model_new(opt);
	struct step_batch all = step_build_batch(b), part = all;
	size_t done = 0, size = 1;

	while (done < all.n) {
		part.at = all.at + done;
		part.n = size < all.n - done ? size : all.n - done;
		if (!model_take(m, &part))
			break;
		done += part.n;
		size = size % 7 + 1;
	}
	model_finish(m);
	model_check(m);
	return m;
}
