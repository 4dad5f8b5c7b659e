#include "unit/steps_text.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "order/step.h"

static void object_show(struct strbuf *b, const struct step_batch *batch, const struct step *s)
{
	switch (s->op) {
	case STEP_READ:
	case STEP_WRITE:
	case STEP_RMW:
	case STEP_FREE:
		for (uint32_t i = 0; i < s->ncells; i++)
			strbuf_addf(b, "%c%u", i ? ',' : ':', step_cells(batch, s)[i]);
		break;
	case STEP_SPLIT:
		strbuf_addf(b, ":%u>%u", s->obj, s->other);
		break;
	case STEP_AFTER:
		strbuf_addf(b, ":%" PRIu64, s->from);
		break;
	case STEP_GUARD:
		strbuf_addf(b, ":%" PRIu64 ":%" PRIu64 "<%" PRIu64, s->when, s->from, s->to);
		break;
	case STEP_NONE:
	case STEP_USE:
	case STEP_FENCE:
	case STEP_OPAQUE:
	case STEP_BEGIN:
	case STEP_END:
		break;
	default:
		strbuf_addf(b, ":%u", s->obj);
		break;
	}
}

static void step_show(struct strbuf *b, const struct step_batch *batch, const struct step *s)
{
	static const struct {
		unsigned flag;
		char show;
	} flags[] = {
		{ STEP_FREE_READ, '~' }, { STEP_ATOMIC, 'a' }, { STEP_ACQUIRE, 'A' },
		{ STEP_RELEASE, 'R' },	 { STEP_STOP, '!' },   { STEP_TAINTED, 't' },
		{ STEP_SHADOW, 's' },	 { STEP_TRY, 'y' },    { STEP_PAIRED, 'p' },
		{ STEP_READERS, 'r' },
	};

	if (b->n)
		strbuf_adds(b, s->flags & STEP_MORE ? "+" : " ");
	strbuf_adds(b, step_op_name(s->op));
	object_show(b, batch, s);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if ((s->flags & flags[i].flag) &&
		    (flags[i].flag != STEP_READERS || s->op == STEP_BUSY))
			strbuf_add(b, &flags[i].show, 1);
	for (uint32_t i = 0; i < s->nfeeds; i++)
		strbuf_addf(b, "%c%" PRIu64, i ? ',' : '<', batch->feeds[s->feeds + i]);
}

void steps_text(struct trace *t, struct strbuf *out)
{
	struct steps *s = steps_new(t, NULL);
	struct step_batch batch;
	struct diag d = { 0 };

	while (steps_next(s, &batch, &d) == ST_OK)
		for (size_t i = 0; i < batch.n; i++)
			step_show(out, &batch, &batch.at[i]);
	strbuf_adds(out, d.message);
	steps_free(s);
}
