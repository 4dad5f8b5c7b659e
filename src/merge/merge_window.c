/*
 * How far the merger looks ahead, and what becomes of threads that cannot go on.
 *
 * INIT comes back.  The recorder forgets the words of large blocks and of
 * stacks when they are reused, so a word may be INIT several times in a run,
 * and a later INIT read must not hold up an earlier replacement of INIT.
 * Three rules keep them apart: a thread's own later reads do not block it;
 * reads of a thread's own stack block only while that thread owns the stack;
 * and whoever is still blocked by a read of INIT at the end, or INIT_PATIENCE cuts
 * later, when what really came before has long been yielded, goes on.
 */

#include "merge/merge_priv.h"
#include "merge/portion.h"
#include "recording/control.h"

#define INIT_PATIENCE 16

/* ---- scanning ahead ---- */

static void reads_add(struct merge *m, struct merge_thread *t, const struct decode_item *item)
{
	for (uint32_t w = 0; item->reads && w < item->e.nrefs; w++)
		merge_reads_add(&m->reads, &t->stream, item->e.refs[w], (item->e.addr >> 3) + w);
}

static enum status threads_scan(struct merge *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];

		while (t->state != MERGE_DONE && merge_stream_is_short(&t->stream) &&
		       merge_stream_scan(&t->stream, &m->scanned)) {
			reads_add(m, t, &m->scanned);
			if (m->mode->scanned)
				m->mode->scanned(m, t, &m->scanned);
		}
		m->damaged = m->damaged || t->stream.damaged;
		if (merge_reads_count(&m->reads) > MERGE_READS_MAX)
			return diag_fail(
				&m->why, ST_LIMIT,
				"more than %u reads between two cuts near event %llu of T%u: "
				"the recording has too few cuts to be read in bounded memory",
				MERGE_READS_MAX, (unsigned long long)t->stream.scan.tseq,
				t->stream.src->tid);
	}
	return ST_OK;
}

void merge_load(struct merge *m, bool to_end)
{
	const struct control *c = m->control;
	uint64_t k;

	for (uint32_t i = 0; to_end && i < m->n; i++)
		merge_stream_load(&m->threads[i]->stream, UINT64_MAX);
	if (to_end)
		return;
	for (k = c->cuts.at[m->next_cut++]; k < control_cut_end(c, m->next_cut); k++) {
		uint32_t i = merge_find(m, c->pairs.at[k].tid);

		if (i != MERGE_NOBODY)
			merge_stream_load(&m->threads[i]->stream, c->pairs.at[k].tseq);
	}
}

void merge_load_cut(struct merge *m)
{
	m->all_scanned = m->next_cut == m->control->cuts.n;
	merge_load(m, m->all_scanned);
}

void merge_limit(struct merge *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->threads[i]->stream.limit = m->threads[i]->stream.load;
}

/* So many there are on the list, which is of threads in that state. */
static uint32_t list_check(const struct merge *m, uint32_t first, enum merge_state state)
{
	uint32_t n = 0;

	for (uint32_t i = first; i != MERGE_NOBODY; i = m->threads[i]->next, n++)
		assert(i < m->n && n < m->n && m->threads[i]->state == state);
	return n;
}

void merge_check(const struct merge *m)
{
	uint32_t in[MERGE_DONE + 1] = { 0 }, listed[MERGE_DONE + 1] = { 0 };
	struct map_item item;

	for (uint32_t i = 0; i < m->n; i++) {
		assert(m->threads[i]->stream.nfetched <= m->threads[i]->stream.nscanned);
		in[m->threads[i]->state]++;
		listed[MERGE_EVENT] += list_check(m, m->threads[i]->waiters, MERGE_EVENT);
	}
	for (size_t i = 0; map_next(&m->read_waiters, &i, &item);)
		listed[MERGE_READS] += list_check(m, (uint32_t)item.value - 1, MERGE_READS);
	listed[MERGE_READY] =
		list_check(m, m->ready_first, MERGE_READY) + (m->running != MERGE_NOBODY);
	assert(in[MERGE_READY] == listed[MERGE_READY] && in[MERGE_EVENT] == listed[MERGE_EVENT]);
	assert(in[MERGE_READS] == listed[MERGE_READS] && in[MERGE_DONE] == m->ndone);
}

void merge_advance(struct merge *m)
{
	merge_check(m);
	m->window++;
	m->mode->load(m);
	m->error = threads_scan(m);
	if (m->mode->reached)
		m->mode->reached(m);
	for (uint32_t i = 0; i < m->n; i++)
		if (m->threads[i]->state == MERGE_LIMIT)
			merge_ready(m, i);
}

/* ---- threads that cannot go on ---- */

void merge_thread_end(struct merge *m, struct merge_thread *t)
{
	t->state = MERGE_DONE;
	m->ndone++;
	if (m->mode->done)
		m->mode->done(m, t);
	merge_stream_release(&t->stream);
	decode_item_release(&t->item);
	t->has_item = false;
	merge_event_wake(m, t);
}

/* Drops all that t has left.  Returns how many events. */
static uint64_t thread_drain(struct merge *m, struct merge_thread *t)
{
	uint64_t n = 0;

	if (t->has_item) {
		n = t->item.numbers - t->word;
		merge_reads_placed(m, t, t->word, t->item.e.nrefs);
	}
	while (merge_stream_is_scanned(&t->stream)) {
		merge_stream_fetch(&t->stream, &t->item);
		merge_reads_placed(m, t, 0, t->item.e.nrefs);
		n += t->item.numbers;
	}
	while (merge_stream_scan(&t->stream, &m->scanned))
		n += m->scanned.numbers;
	return n;
}

void merge_thread_cut(struct merge *m, struct merge_thread *t)
{
	thread_drain(m, t);
	merge_thread_end(m, t);
}

/* An observer's copy may lack events that were not sent.  A thread without any chunk was dropped
 * before the first cut (--keep), or its chunks lay behind the end of a file that was cut short. */
static bool may_be_lost(const struct merge *m, struct version v)
{
	return (m->blocks->head.flags & FORMAT_COPY) || merge_find(m, v.tid) == MERGE_NOBODY;
}

void merge_thread_stop(struct merge *m, struct merge_thread *t, struct version v)
{
	unsigned long long at = t->item.e.tseq + t->word;
	uint32_t tid = t->stream.src->tid;
	uint64_t dropped;

	if (m->portion->ends) { /* by request: what is named came after the end */
		merge_thread_cut(m, t);
		return;
	}
	if (!m->damaged && !may_be_lost(m, v)) {
		diag_set(&m->why,
			 "contradiction: event %llu of T%u names event %llu of T%u, "
			 "which is not in the recording",
			 at, tid, (unsigned long long)v.tseq, v.tid);
		m->error = ST_BAD_INPUT;
		return;
	}
	m->damaged = true;
	dropped = thread_drain(m, t);
	texts_note(m->notes,
		   "T%u ends before its event %llu, which needs the lost event %llu of T%u; "
		   "%llu of its events are not used",
		   tid, at, (unsigned long long)v.tseq, v.tid, (unsigned long long)dropped);
	merge_thread_end(m, t);
}

/* Nobody can go on and nothing is left to load. */
static void threads_stuck(struct merge *m)
{
	const struct merge_thread *t = NULL;
	unsigned long long at;

	for (uint32_t i = 0; i < m->n && !t; i++)
		if (m->threads[i]->state != MERGE_DONE)
			t = m->threads[i];
	assert(t);
	at = t->item.e.tseq + t->word;
	m->stopped = true;
	if (m->damaged) {
		texts_note(m->notes,
			   "event %llu of T%u and others wait for one another; "
			   "nothing after them is used",
			   at, t->stream.src->tid);
		return;
	}
	diag_set(&m->why, "contradiction: event %llu of T%u comes after itself (%s)", at,
		 t->stream.src->tid,
		 t->state == MERGE_EVENT ? "by the events it names"
					 : "by reads of what it replaces");
	m->error = ST_BAD_INPUT;
}

/* The one that has waited longest, for it is the likeliest to be first. */
bool merge_relax(struct merge *m)
{
	struct merge_thread *best = NULL;

	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];

		if (t->state == MERGE_READS && merge_reads_is_init(t->wait_key) &&
		    (!best || t->wait_since < best->wait_since) && m->mode->overrules(m, t))
			best = t;
	}
	if (!best)
		return false;
	best->force = true;
	map_put(&m->forced, best->wait_key, NULL);
	merge_wake(m, best->wait_key);
	return true;
}

/* ---- a recording that is all there ---- */

bool merge_whole_overrules(const struct merge *m, const struct merge_thread *t)
{
	return m->last_window || t->wait_since + INIT_PATIENCE <= m->window;
}

void merge_whole_load(struct merge *m)
{
	merge_limit(m);
	m->last_window = m->all_scanned;
	merge_load_cut(m);
}

enum status merge_whole_advance(struct merge *m)
{
	if (m->ndone == m->n)
		return ST_END;
	if (merge_relax(m))
		return ST_OK;
	if (m->last_window)
		threads_stuck(m);
	else
		merge_advance(m);
	return ST_OK;
}

const struct merge_mode merge_mode_whole = {
	.yields = true,
	.overrules = merge_whole_overrules,
	.load = merge_whole_load,
	.advance = merge_whole_advance,
};
