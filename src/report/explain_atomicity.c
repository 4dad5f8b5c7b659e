/*
 * A block that another thread came into, or can: what, by whom, under which locks, in which order,
 * and which lock would keep it out.
 */

#include "report/explain_priv.h"

static const char *label(const struct finding_split *s)
{
	if (s->a_feeds_c)
		return "lost update";
	switch (s->pattern[0] + s->pattern[1]) {
	case 'R' + 'W':
		return s->a_decides ? "stale check" : "the value was read before, and is old";
	case 'W' + 'W':
		return "own value overwritten";
	default:
		return "mixed state";
	}
}

/* "T3's write at a.c:20 comes between: lost update" */
static void between_format(struct explain *x, const struct finding_split *s)
{
	struct evidence_event b = evidence_get(x->ev, s->b);
	bool seen = strcmp(s->pattern, "WRW") == 0;

	strbuf_adds(&x->out, "   ");
	words_thread(x->t, b.tid, &x->out);
	if (s->b == s->d)
		strbuf_addf(&x->out, "'s %s comes between: %s\n", words_op(&b),
			    seen ? "intermediate value seen" : label(s));
	else
		strbuf_addf(&x->out, "'s accesses come between: %s\n", label(s));
}

static void object_format(const struct explain *x, uint64_t pos, struct strbuf *out)
{
	STRBUF_SCOPED name = { 0 };

	words_object(x->ev, pos, &name);
	frames_name(strbuf_str(&name), out);
}

/* Why it is taken for a block, where nothing marks it. */
static void guess_format(struct explain *x, const struct finding *f, const struct finding_split *s)
{
	static const char *const why[FINDING_NBLOCKS] = {
		[FINDING_BLOCK_SPLIT] = "is read under a lock, which is given back and taken again "
					"to write it",
		[FINDING_BLOCK_CHECK] = "is read without a lock, and then written under one",
		[FINDING_BLOCK_REREAD] = "is written under a lock, which is given back and taken "
					 "again to read it",
		[FINDING_BLOCK_SECTIONS] = "is used under a lock, which is given back and taken "
					   "again for the next use",
		[FINDING_BLOCK_PAIR] = "and what comes next are used together by others",
	};
	STRBUF_SCOPED name = { 0 };

	if (!why[f->block])
		return;
	object_format(x, s->a, &name);
	strbuf_addf(&x->out, "   taken for a block, since %s %s\n",
		    name.n ? strbuf_str(&name) : "the variable", why[f->block]);
}

/* ---- what would prevent it ---- */

#define HELD 16

/* Where the thread of pos took that lock, which it holds there; 0: it does not. */
static uint64_t held_since(const struct explain *x, uint64_t pos, uint32_t lock)
{
	uint64_t acquires[HELD];
	size_t n = evidence_held(x->ev, pos, acquires, HELD);

	for (size_t i = 0; i < n && i < HELD; i++)
		if (evidence_get(x->ev, acquires[i]).object == lock)
			return acquires[i];
	return 0;
}

static bool is_shared(const struct explain *x, uint64_t acquire)
{
	return evidence_get(x->ev, acquire).op == EVENT_RACQ;
}

/* How a read-write lock has to be held from a to c: readers do not keep one another out, and who holds it for
 * reading cannot take it for writing. */
static const char *mode_word(const struct explain *x, const uint64_t at[4])
{
	bool block = is_shared(x, at[0]), other = is_shared(x, at[1]) || is_shared(x, at[2]);

	if (other || block != is_shared(x, at[3]))
		return " for writing";
	return block ? " for reading" : "";
}

/* A lock that all of them hold, but the block not all the way. */
static void remedy_add(struct explain *x, const struct finding_split *s)
{
	uint64_t acquires[HELD];
	size_t n = evidence_held(x->ev, s->a, acquires, HELD);

	for (size_t i = 0; i < n && i < HELD; i++) {
		struct evidence_event lock = evidence_get(x->ev, acquires[i]);
		struct evidence_event c = evidence_get(x->ev, s->c);
		uint64_t at[] = { acquires[i], held_since(x, s->b, lock.object),
				  held_since(x, s->d, lock.object),
				  held_since(x, s->c, lock.object) };
		STRBUF_SCOPED from = { 0 }, to = { 0 };

		if (!at[1] || !at[2] || !at[3] || !lock.name)
			continue;
		frames_brief(x->t, lock.site, lock.stack, NULL, &from);
		frames_brief(x->t, c.site, c.stack, NULL, &to);
		strbuf_addf(&x->out, "   to prevent it: hold %s%s", words_brief(lock.name),
			    mode_word(x, at));
		if (from.n && to.n)
			strbuf_addf(&x->out, " from %s to %s", from.at, to.at);
		strbuf_adds(&x->out, " without a break\n");
		return;
	}
}

/* ---- the run that shows it ---- */

static void schedule_format(struct explain *x, const struct finding *f,
			    const struct check_order *order)
{
	struct story_wait w = { .ntargets = f->nevents, .nkeep = f->nevents };
	struct columns c = { 0 };

	memcpy(w.targets, f->events, f->nevents * sizeof(*f->events));
	memcpy(w.keep, f->events, f->nevents * sizeof(*f->events));
	strbuf_adds(&x->out, "\n   The run that shows it:\n\n");
	story_waits(explain_story(x), f, &w, order->at.at, order->at.n, &c);
	explain_picture(x, f, &c);
}

void explain_atomicity_title(const struct explain *x, const struct finding *f, const char *subject,
			     struct strbuf *out)
{
	struct finding_split s = f->split;

	strbuf_adds(out, "atomicity of ");
	if (!s.pattern) {
		if (evidence_get(x->ev, f->events[0]).op == EVENT_BEGIN)
			words_block(x->ev, f->events[0], out);
		else
			strbuf_addf(out, "a block on %s", subject);
		return;
	}
	if (f->block == FINDING_BLOCK_MARKED)
		words_block(x->ev, s.block, out);
	else
		words_guess(x->ev, s.a, s.c, out);
	strbuf_adds(out, " on ");
	if (s.pattern[1] != '\0') {
		strbuf_adds(out, subject);
		return;
	}
	object_format(x, s.a, out);
	strbuf_adds(out, " and ");
	object_format(x, s.c, out);
}

/* Two events: the begin of a block, and where the recorded run came back to it. */
static void circle_explain(struct explain *x, const struct finding *f)
{
	explain_accesses(x, f->events, f->nevents);
	strbuf_adds(&x->out,
		    "   in the recorded run others came after some of the block and before "
		    "the rest of it\n");
}

void explain_atomicity(struct explain *x, const struct finding *f, const char *subject)
{
	VEC_SCOPED struct check_order order = { 0 };
	size_t start = x->out.n;
	struct finding_split s = f->split;
	uint64_t events[4];

	strbuf_addf(&x->out, "%" PRIu32 "  ", f->id);
	explain_atomicity_title(x, f, subject, &x->out);
	explain_sure(x, f, start);
	if (!s.pattern) {
		circle_explain(x, f);
		return;
	}
	memcpy(events, (uint64_t[]){ s.a, s.b, s.d, s.c }, sizeof(events));
	if (s.b == s.d)
		events[2] = s.c;
	explain_accesses(x, events, f->nevents);
	between_format(x, &s);
	guess_format(x, f, &s);
	explain_origins(x, f->events, 1);
	remedy_add(x, &s);
	if (f->status != FINDING_WARNING && check_expand(x->ev, &f->schedule, &order))
		schedule_format(x, f, &order);
}
