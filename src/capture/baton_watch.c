/*
 * What a property is about (trace/baton_watch.h): noted as it happens.
 *
 * An access is noted at the end of its hook, when memory holds what it has left there; nobody else has run
 * since it was chosen.  All else is announced as a step of its own, which is always enabled, and noted
 * when it is done.
 */
#include "capture/baton.h"
#include "capture/thread.h"
#include "trace/baton_watch.h"
#include "trace/format.h"

#define NAMED 64u

static struct baton_range named[NAMED]; /* memory that the program itself has given a name */
static uint32_t nnamed;

static struct doing {
	struct baton_op op; /* an access that is under way; BATON_NONE: none */
	uint64_t from, to;  /* what counts of it */
	uint8_t old[BATON_NOTE_VALUE];
} doing[BATON_THREADS];

static struct baton_watch *watch(void)
{
	return (struct baton_watch *)((char *)baton_head + baton_head->watch);
}

static struct baton_note *note_new(uint32_t thread, enum baton_note_kind kind, uint32_t site)
{
	struct baton_watch *w = watch();
	struct baton_note *n;

	if (w->nnotes == BATON_NOTES) {
		w->is_lost = 1;
		return NULL;
	}
	n = &w->notes[w->nnotes++];
	n->kind = kind;
	n->aux = 0;
	n->thread = thread;
	n->peer = 0;
	n->site = site;
	n->step = baton_head->nsteps;
	n->size = 0;
	return n;
}

/* ---- memory ---- */

static bool is_touched(const struct baton_range *r, const struct baton_op *op)
{
	uint32_t what = op->kind == BATON_READ	  ? BATON_RANGE_READS
			: op->kind == BATON_WRITE ? BATON_RANGE_WRITES
						  : BATON_RANGE_READS | BATON_RANGE_WRITES;

	return (r->what & what) && op->object < r->to && op->object + op->size > r->from;
}

/* All that counts of these ranges becomes part of d. */
static void gather(struct doing *d, const struct baton_range *all, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t from = all[i].from, to = all[i].to;

		if (!is_touched(&all[i], &d->op))
			continue;
		if (from < d->op.object)
			from = d->op.object;
		if (to > d->op.object + d->op.size)
			to = d->op.object + d->op.size;
		if (d->to == 0 || from < d->from)
			d->from = from;
		if (to > d->to)
			d->to = to;
	}
}

bool baton_watch_touches(uint32_t thread, const struct baton_op *op)
{
	struct doing *d = &doing[thread];

	if (!watch()->is_on)
		return false;
	baton_watch_end(thread, true); /* one before it, of the same hook */
	*d = (struct doing){ .op = *op };
	gather(d, watch()->ranges, watch()->nranges);
	gather(d, named, nnamed);
	if (d->to == 0)
		d->op.kind = BATON_NONE;
	return d->to != 0;
}

static void free_named(const struct doing *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nnamed; i++)
		if (!is_touched(&named[i], &d->op))
			named[n++] = named[i];
	nnamed = n;
}

static size_t bytes_of(const struct doing *d)
{
	if (d->to - d->from <= BATON_NOTE_VALUE)
		return (size_t)(d->to - d->from);
	watch()->is_lost = 1;
	return 0;
}

void baton_watch_begin(struct thread *t, uint32_t thread)
{
	struct doing *d = &doing[thread];
	struct baton_note *n;

	if (d->op.flags & BATON_FREES) {
		n = note_new(thread, BATON_NOTE_FREE, d->op.site);
		if (n != NULL) {
			n->at = d->op.object;
			n->size = d->op.size;
		}
		free_named(d);
		d->op.kind = BATON_NONE;
		return;
	}
	memcpy(d->old, (const void *)d->from, bytes_of(d));
	t->view.live |= THREAD_SIGNALLED; /* so that its end comes to us */
}

void baton_watch_end(uint32_t thread, bool changed)
{
	struct doing *d = &doing[thread];
	enum baton_note_kind kind = d->op.kind == BATON_READ	? BATON_NOTE_READ
				    : d->op.kind == BATON_WRITE ? BATON_NOTE_WRITE
				    : changed			? BATON_NOTE_UPDATE
								: BATON_NOTE_READ;
	size_t size;
	struct baton_note *n;

	if (d->op.kind == BATON_NONE)
		return;
	size = bytes_of(d);
	n = note_new(thread, kind, d->op.site);
	if (n != NULL) {
		n->at = d->from;
		n->size = (uint32_t)size;
		memcpy(n->value.now, (const void *)d->from, size);
		memcpy(n->value.old, d->old, size);
	}
	d->op.kind = BATON_NONE;
}

void baton_watch_run(void)
{
	struct baton_watch *w = watch();

	nnamed = 0;
	if (w->is_on) /* else nobody has written to it, and memory that is not touched costs nothing */
		memset(doing, 0, sizeof(doing));
	w->nnotes = w->is_lost = 0;
	for (uint32_t i = 0; w->is_on && i < w->nranges; i++) {
		const struct baton_range *r = &w->ranges[i];
		struct baton_note *n;

		if ((r->what & BATON_RANGE_LOCK) || r->to - r->from > BATON_NOTE_VALUE)
			continue;
		n = note_new(0, BATON_NOTE_FIRST, 0);
		n->at = r->from;
		n->size = (uint32_t)(r->to - r->from);
		memcpy(n->value.now, (const void *)r->from, n->size);
	}
}

/* ---- all else ---- */

static void announce(const struct control *c, uint32_t site)
{
	baton_announce(c, &(struct baton_op){ .site = site,
					      .kind = BATON_EVENT,
					      .flags = BATON_WATCHED,
					      .branches = 1 });
}

static bool is_lock_watched(uint64_t at)
{
	const struct baton_watch *w = watch();

	if (w->events & BATON_WATCH_LOCKS)
		return true;
	for (uint32_t i = 0; i < w->nranges; i++)
		if ((w->ranges[i].what & BATON_RANGE_LOCK) && at >= w->ranges[i].from &&
		    at < w->ranges[i].to)
			return true;
	for (uint32_t i = 0; i < nnamed; i++)
		if (at >= named[i].from && at < named[i].to)
			return true;
	return false;
}

void baton_watch_lock(const struct control *c, const void *obj, bool takes, uint32_t site)
{
	struct baton_note *n;

	if (!watch()->is_on || !is_lock_watched((uintptr_t)obj))
		return;
	announce(c, site);
	n = note_new(c->index, takes ? BATON_NOTE_ACQ : BATON_NOTE_REL, site);
	if (n != NULL)
		n->at = (uintptr_t)obj;
}

void baton_watch_fork(const struct control *c, uint32_t site)
{
	if (watch()->is_on && (watch()->events & BATON_WATCH_FORKS))
		announce(c, site);
}

void baton_watch_thread(const struct control *c, unsigned kind, uint64_t tid, uint32_t site)
{
	bool forks = kind == FORMAT_K_FORK;
	struct baton_note *n;

	if ((!forks && kind != FORMAT_K_JOIN) || !watch()->is_on ||
	    !(watch()->events & (forks ? BATON_WATCH_FORKS : BATON_WATCH_JOINS)))
		return;
	if (!forks) /* the making of a thread was announced before it was made */
		announce(c, site);
	n = note_new(c->index, forks ? BATON_NOTE_FORK : BATON_NOTE_JOIN, site);
	if (n != NULL)
		n->peer = (uint32_t)tid;
}

/* What is there belongs to a variable from now on; whether a property has one of that name, the explorer
 * finds out. */
static void give_name(uint64_t from, uint64_t size)
{
	if (nnamed == NAMED)
		watch()->is_lost = 1;
	else
		named[nnamed++] = (struct baton_range){ from, from + size,
							BATON_RANGE_READS | BATON_RANGE_WRITES };
}

void baton_watch_words(const struct control *c, const struct control_words *said)
{
	size_t length = said->name != NULL ? strlen(said->name) : 0;
	struct baton_note *n;

	if (!watch()->is_on || !(watch()->events & BATON_WATCH_WORDS))
		return;
	announce(c, said->site);
	n = note_new(c->index, said->kind == FORMAT_K_BLOCK ? BATON_NOTE_BLOCK : BATON_NOTE_USER,
		     said->site);
	if (n == NULL)
		return;
	if (length >= sizeof(n->name) || said->n > BATON_NOTE_WORDS) {
		watch()->is_lost = 1;
		watch()->nnotes--;
		return;
	}
	n->aux = said->aux;
	n->size = said->n;
	memcpy(n->name, said->name != NULL ? said->name : "", length + 1);
	for (unsigned i = 0; i < said->n; i++)
		n->words[i] = said->words[i];
	if (said->kind == FORMAT_K_USER && said->aux == FORMAT_USER_NAMES && said->n == 2)
		give_name(said->words[0], said->words[1]);
}
