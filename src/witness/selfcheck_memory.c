/*
 * Memory on paper: per 8-byte word the latest write, and those bytes that are
 * known from writes or from earlier reads.
 *
 * Blocks that are made and freed need no walk over their words: a word whose
 * object (trace_object_id) is another than at its last touch has forgotten its
 * bytes.  Its version is then the old one, or INIT, for the recorder forgets
 * versions of large blocks and stacks by whole pages.
 */

#include "trace/format.h"
#include "witness/selfcheck_priv.h"

/* The word's state, after what happened to its object; *renewed: another object than before. */
static struct selfcheck_word *word_touch(struct selfcheck *s, uint64_t word, bool *renewed)
{
	struct selfcheck_memory *m = &s->memory;
	uint64_t *index = map_put(&m->at, word, renewed), id;
	struct selfcheck_word *w;

	if (*renewed) {
		*index = m->words.n;
		*VEC_PUSH(&m->words) = (struct selfcheck_word){ .opaque = m->opaque };
	}
	w = &m->words.at[*index];
	id = trace_object_id(s->trace, word << 3);
	if (*renewed || w->object != id) {
		*renewed = true;
		w->object = id;
		w->known = map_get(&m->zeroed, id) ? 0xff : 0;
		w->foreign = map_get(&m->shared, id) != NULL;
		memset(w->byte, 0, 8);
	}
	return w;
}

static void version_check(struct selfcheck *s, const struct event *e, uint32_t i,
			  struct selfcheck_word *w, bool renewed)
{
	struct version v = e->refs[i];
	uint64_t addr = i == 0 ? e->addr : ((e->addr >> 3) + i) << 3;

	/* A repeated read that nobody recorded, if it was made at all: it claims nothing. */
	if ((e->flags & (EVENT_REREAD | EVENT_UNKNOWN)) == (EVENT_REREAD | EVENT_UNKNOWN))
		return;
	if (v.tid == w->v.tid && v.tseq == w->v.tseq)
		return;
	if (renewed && v.tid == 0) {
		w->v = v;
		return;
	}
	selfcheck_fail(s,
		       "it names event %llu of T%u as the latest write to %s; "
		       "that is event %llu of T%u",
		       (unsigned long long)v.tseq, v.tid, trace_object_name(s->trace, addr),
		       (unsigned long long)w->v.tseq, w->v.tid);
}

/* Bytes [from, to) of the event lie in w. */
static bool bytes_check(struct selfcheck *s, const struct event *e, struct selfcheck_word *w,
			const uint8_t *value, uint64_t from, uint64_t to)
{
	bool good = true;

	for (uint64_t k = from; k < to; k++) {
		unsigned at = (e->addr + k) & 7;

		if ((w->known >> at & 1) && w->byte[at] != value[k])
			good = false;
	}
	if (!good && !w->foreign && w->opaque == s->memory.opaque && s->nunseen == 0 &&
	    !s->memory.lenient && !(e->flags & EVENT_UNKNOWN))
		selfcheck_doubt(s, SELFCHECK_STRANGER,
				"it reads other bytes from %s than were last written",
				trace_object_name(s->trace, e->addr + from));
	return good;
}

static void bytes_learn(const struct event *e, struct selfcheck_word *w, const uint8_t *value,
			uint64_t from, uint64_t to)
{
	for (uint64_t k = from; k < to; k++) {
		unsigned at = (e->addr + k) & 7;

		if (value) {
			w->byte[at] = value[k];
			w->known |= (uint8_t)(1u << at);
		} else {
			w->known &= (uint8_t) ~(1u << at);
		}
	}
}

/* Unseen code has run since the last access: it may have changed the bytes not looked at now. */
static void bytes_forget(const struct selfcheck *s, struct selfcheck_word *w)
{
	if (w->opaque != s->memory.opaque)
		w->known = 0;
}

/* In a trace that begins in the middle, a read that is unknown may have seen what the past has
 * replaced. */
static bool may_be_replaced(const struct selfcheck *s, const struct event *e)
{
	return s->late && (e->flags & EVENT_UNKNOWN);
}

static void access_compare(struct selfcheck *s, const struct event *e)
{
	bool reads = e->op == EVENT_READ || e->op == EVENT_RMW, writes = e->op != EVENT_READ;
	const uint8_t *saw = e->op == EVENT_RMW ? e->old : e->value;
	uint64_t words = format_words(e->addr, e->len);
	bool good = true;

	if (!(e->flags & EVENT_HAS_VALUE) || e->op == EVENT_FREE || may_be_replaced(s, e))
		saw = NULL;
	for (uint64_t i = 0; i < words; i++) {
		uint64_t word = (e->addr >> 3) + i;
		uint64_t from = i == 0 ? 0 : (word << 3) - e->addr;
		uint64_t to = i + 1 == words ? e->len : ((word + 1) << 3) - e->addr;
		bool renewed;
		struct selfcheck_word *w = word_touch(s, word, &renewed);

		if (e->refs && i < e->nrefs && (renewed || !may_be_replaced(s, e)))
			version_check(s, e, (uint32_t)i, w, renewed);
		if (reads && saw) {
			good &= bytes_check(s, e, w, saw, from, to);
			bytes_forget(s, w);
			bytes_learn(e, w, saw, from, to);
		}
		if (writes) {
			bool known = (e->flags & EVENT_HAS_VALUE) && e->op != EVENT_FREE;

			bytes_forget(s, w);
			bytes_learn(e, w, known ? e->value : NULL, from, to);
			w->v = (struct version){ e->tid,
						 e->tseq + (e->flags & EVENT_RANGE ? i : 0) };
		}
		w->opaque = s->memory.opaque;
	}
	if (reads) {
		s->out->reads++;
		s->out->unknown += !good || (e->flags & EVENT_UNKNOWN);
	}
}

/* A local variable comes to life: its words are this event's, their bytes nobody's. */
static void frame_event(struct selfcheck *s, const struct event *e)
{
	for (uint32_t i = 0; i < e->nrefs; i++) {
		bool renewed;
		struct selfcheck_word *w = word_touch(s, (e->addr >> 3) + i, &renewed);

		version_check(s, e, i, w, renewed);
		w->v = (struct version){ e->tid, e->tseq };
		w->known = 0;
		w->foreign = false;
	}
}

/*
 * Libraries keep their own bytes in a synchronisation object, and change them at times that no
 * event tells: a thread that waits in it does.  So they stay theirs for as long as there is the
 * object, even when the program copies it or sets it anew.
 */
static void object_event(struct selfcheck *s, const struct event *e)
{
	uint64_t last = (e->addr + event_object_size(e) - 1) >> 3;
	struct selfcheck_word *w;
	bool renewed;

	for (uint64_t word = last; word > e->addr >> 3; word--)
		word_touch(s, word, &renewed)->foreign = true;
	w = word_touch(s, e->addr >> 3, &renewed);
	w->foreign = true;
	version_check(s, e, 0, w, renewed);
	if (!(event_op_life(e->op) & EVENT_LIFE_KEEPS))
		w->v = (struct version){ e->tid, e->tseq };
	w->known = 0;
}

void selfcheck_memory_event(struct selfcheck *s, const struct event *e)
{
	switch (e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		access_compare(s, e);
		break;
	case EVENT_FREE:
		if (e->nrefs != 0 || !s->binary)
			access_compare(s, e);
		break;
	case EVENT_ALLOC:
		if (e->arg == FORMAT_ALLOC_FRAME && s->binary)
			frame_event(s, e);
		if (e->flags & EVENT_ZEROED)
			*map_put(&s->memory.zeroed, trace_object_id(s->trace, e->addr), NULL) = 1;
		if (e->flags & EVENT_SHARED)
			*map_put(&s->memory.shared, trace_object_id(s->trace, e->addr), NULL) = 1;
		break;
	default:
		if (e->refs && e->nrefs == 1)
			object_event(s, e);
		break;
	}
}

void selfcheck_memory_release(struct selfcheck_memory *m)
{
	MAP_RELEASE_ALL(&m->at, &m->zeroed, &m->shared);
	VEC_RELEASE(&m->words);
}
