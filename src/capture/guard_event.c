/*
 * Events of guarded threads: which cells they take from and leave to, and which events of the spec they are.
 * doc/MONITORS.md has the table; monitor/mttl.c does the same to recordings, and must.
 */
#include "capture/guard_priv.h"

#include "capture/control.h"
#include "capture/module.h"
#include "capture/sync.h"
#include "capture/text.h"

/* Without those that only other threads can be. */
uint64_t guard_by(uint64_t events, uint32_t tid)
{
	uint64_t of = guard_world.classes[tid], kept = events;

	for (uint64_t left = events; left != 0; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		if (!(of >> know_events(guard_world.program)[i].by & 1))
			kept &= ~(UINT64_C(1) << i);
	}
	return kept;
}

void guard_step(struct thread *t, struct guard *g, uint64_t events, uint32_t site)
{
	uint64_t now;

	g->settled = GUARD_UNSETTLED;
	now = know_step(&g->k, events != 0 ? guard_by(events, t->tid) : 0);
	if (UNLIKELY(g->k.broken)) {
		guard_quit("there is no memory left");
		return;
	}
	if (UNLIKELY((now & ~g->was) != 0)) {
		g->due |= now & ~g->was;
		g->site = site;
		t->view.live |= THREAD_SIGNALLED; /* the end of the hook comes to guard_leave */
	}
	g->was = now;
}

/* ---- accesses ---- */

static void access_find(struct guard *g, uintptr_t from, uintptr_t to)
{
	const struct know_program *p = guard_world.program;

	for (uint32_t i = 0; i < p->nplaces; i++)
		if (!know_variables(p)[i].is_lock && from < guard_places[i].to &&
		    to > guard_places[i].from)
			g->access.places[g->access.nplaces++] = (uint8_t)i;
}

/* Locks are taken in the order of places, one cell at most. */
static void access_lock(struct guard *g, const void *p, size_t n, unsigned how)
{
	for (uint32_t i = 0; i < g->access.nplaces; i++)
		guard_spin(&guard_places[g->access.places[i]].lock);
	if (g->access.nplaces == 0)
		g->access.cell =
			how & CONTROL_ORDERS && !guard_world.program->flow_all
				? guard_cell_lock(p, GUARD_CELL_ATOMIC, 0)
				: guard_cell_lock((void *)((uintptr_t)p >> 3), GUARD_CELL_WORD, 0);
	(void)n;
}

void guard_access(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how)
{
	struct guard *g = guard_judged(t);

	if (g == NULL || n == 0)
		return;
	if (g->access.under_way) /* an earlier one of the same hook */
		guard_leave(t);
	g->access.nplaces = 0;
	g->access.cell = NULL;
	if (guard_may(p, n))
		access_find(g, (uintptr_t)p, (uintptr_t)p + n);
	if (g->access.nplaces == 0 && !(how & CONTROL_ORDERS) && !guard_world.program->flow_all)
		return;
	g->access.under_way = true;
	g->access.changed = !(how & CONTROL_EITHER);
	g->access.at = p;
	g->access.n = n;
	g->access.how = how;
	g->site = site;
	access_lock(g, p, n, how);
	t->view.live |= THREAD_SIGNALLED;
}

void guard_changed(struct thread *t)
{
	guard_of(t)->access.changed = true;
}

/* ---- what no hook sees ---- */

static void unseen_tell(struct guard_place *at, const char *name, const char *how, uint32_t site)
{
	const struct foresee_site *s;

	if (__atomic_exchange_n(&at->is_told, true, __ATOMIC_RELAXED))
		return;
	module_lock();
	s = module_site(site, NULL);
	guard_say("guard: '%s' %s, at %s:%lu in %s: of what is done there nothing is known", name,
		  how, s != NULL && s->file != NULL ? text_behind(s->file, '/') : "?",
		  s != NULL ? (unsigned long)s->line : 0,
		  s != NULL && s->function != NULL ? s->function : "?");
	module_unlock();
}

void guard_unseen(uint32_t site, const void *const *given, unsigned n)
{
	const struct know_program *p = guard_world.program;

	if (!guard_ready || guard_is_gone)
		return;
	for (unsigned k = 0; k < n; k++)
		for (uint32_t i = 0; i < p->nplaces; i++)
			if (!know_variables(p)[i].is_lock &&
			    (uintptr_t)given[k] >= guard_places[i].from &&
			    (uintptr_t)given[k] < guard_places[i].to)
				unseen_tell(&guard_places[i],
					    know_string(p, know_variables(p)[i].name),
					    "is given to code without hooks", site);
}

/* A reader finds there what the last write that was seen has left.  The place is locked. */
static void compare(const struct guard *g, uint32_t place)
{
	const struct know_variable *v = &know_variables(guard_world.program)[place];
	struct guard_place *at = &guard_places[place];
	uint64_t raw = 0;

	if (place >= guard_world.program->nvariables)
		return;
	memcpy(&raw, (void *)at->from, v->size);
	if (UNLIKELY(raw != at->last))
		unseen_tell(at, know_string(guard_world.program, v->name),
			    "was written by code without hooks before it is read here", g->site);
}

/* What it has stored lies there now: the place is locked. */
static uint64_t written(struct guard *g, uint32_t place)
{
	const struct know_program *p = guard_world.program;
	const struct guard_place *at = &guard_places[place];
	uintptr_t from = (uintptr_t)g->access.at, to = from + g->access.n;
	uint64_t raw = 0, mask = 0;

	if (place < p->nvariables) {
		memcpy(&raw, (void *)at->from, know_variables(p)[place].size);
		guard_places[place].last = raw;
		for (uintptr_t b = at->from; b < at->to; b++)
			if (b >= from && b < to)
				mask |= UINT64_C(0xff) << 8 * (b - at->from);
		know_write(&g->k, place, raw, mask);
	}
	return know_variables(p)[place].writes;
}

static void access_end(struct thread *t, struct guard *g)
{
	const struct know_program *p = guard_world.program;
	bool writes = (g->access.how & CONTROL_WRITES) && g->access.changed;
	bool reads = !(g->access.how & CONTROL_WRITES) || (g->access.how & CONTROL_EITHER);
	enum know_how as = writes ? KNOW_WRITES : KNOW_READS;
	uint64_t events =
		(reads ? p->any[GUARD_OP_READ] : 0) | (writes ? p->any[GUARD_OP_WRITE] : 0);

	for (uint32_t i = 0; i < g->access.nplaces; i++)
		know_take(&g->k, &guard_places[g->access.places[i]].cell, as);
	if (g->access.cell != NULL)
		know_take(&g->k, &g->access.cell->cell, as);
	for (uint32_t i = 0; i < g->access.nplaces; i++) {
		if (!writes)
			compare(g, g->access.places[i]);
		events |= reads ? know_variables(p)[g->access.places[i]].reads : 0;
		events |= writes ? written(g, g->access.places[i]) : 0;
	}
	guard_step(t, g, events, g->site);
	for (uint32_t i = 0; i < g->access.nplaces; i++) {
		know_leave(&g->k, &guard_places[g->access.places[i]].cell, as);
		guard_unspin(&guard_places[g->access.places[i]].lock);
	}
	if (g->access.cell != NULL) {
		know_leave(&g->k, &g->access.cell->cell, as);
		guard_unspin(&g->access.cell->lock);
	}
	g->access.under_way = false;
}

void guard_leave(struct thread *t)
{
	struct guard *g = guard_of(t);

	if (g->access.under_way)
		access_end(t, g);
	if (UNLIKELY(g->due != 0))
		guard_recover(t, g);
}

/* ---- locks, channels and the like ---- */

static uint64_t lock_events(const void *obj, bool takes)
{
	const struct know_program *p = guard_world.program;
	uint64_t events = p->any[takes ? GUARD_OP_ACQ : GUARD_OP_REL];

	for (uint32_t i = p->nvariables; i < p->nplaces; i++)
		if (know_variables(p)[i].is_lock &&
		    (uintptr_t)obj - guard_places[i].from < know_variables(p)[i].size)
			events |= takes ? know_variables(p)[i].acquires
					: know_variables(p)[i].releases;
	return events;
}

static void through_lock(struct thread *t, struct guard *g, unsigned kind, const void *obj)
{
	bool takes = kind == FORMAT_K_ACQ || kind == FORMAT_K_RACQ;
	bool reads = kind == FORMAT_K_RACQ || kind == FORMAT_K_RREL;
	enum know_how as = reads ? KNOW_READS : KNOW_WRITES;
	struct guard_cell *c = guard_cell_lock(obj, GUARD_CELL_LOCK, 0);

	if (c == NULL)
		return;
	if (takes)
		know_take(&g->k, &c->cell, as);
	g->held += takes ? 1 : g->held != 0 ? -1u : 0;
	guard_step(t, g, lock_events(obj, takes), t->view.call_site);
	if (!takes)
		know_leave(&g->k, &c->cell, as);
	guard_unspin(&c->lock);
}

static void through_channel(struct thread *t, struct guard *g, struct guard_cell *c, bool gives)
{
	if (c == NULL)
		return;
	if (!gives)
		know_take(&g->k, &c->cell, KNOW_READS);
	guard_step(t, g, 0, t->view.call_site);
	if (gives)
		know_leave(&g->k, &c->cell, KNOW_ADDS);
	guard_unspin(&c->lock);
}

/* Nobody enters the round after the next one before all have left this one: two cells do. */
static struct guard_cell *round_lock(const void *obj, uint64_t number)
{
	struct guard_cell *c = guard_cell_lock(obj, GUARD_CELL_ROUND, (uint32_t)number & 1);

	if (c != NULL && c->nsignals != (uint32_t)number) {
		know_cell_clear(&guard_world, &c->cell);
		c->nsignals = (uint32_t)number;
	}
	return c;
}

#define SIGNALS 64u /* of one condition whose vectors are kept; of older ones, all together */

static void signal_keep(struct guard *g, struct guard_cell *c, const struct thread *t)
{
	struct guard_signal *s;

	if (c->signals == NULL)
		c->signals = guard_alloc(SIGNALS * sizeof(*c->signals));
	if (c->signals == NULL)
		return;
	s = &c->signals[c->nsignals++ % SIGNALS];
	if (s->v != NULL)
		know_leave(&g->k, &c->cell, KNOW_ADDS);
	know_drop(&guard_world, s->v);
	*s = (struct guard_signal){ t->tid, t->tseq, know_publish(&g->k) };
}

static void signal_learn(struct guard *g, struct guard_cell *c, const uint64_t *by)
{
	for (uint32_t i = 0; by[0] != 0 && c->signals != NULL && i < SIGNALS; i++)
		if (c->signals[i].tid == by[0] && c->signals[i].tseq == by[1]) {
			know_learn(&g->k, c->signals[i].v);
			return;
		}
	if (by[0] != 0)
		know_take(&g->k, &c->cell, KNOW_READS);
}

static void through_condition(struct thread *t, struct guard *g, unsigned kind, const void *obj,
			      const uint64_t *args)
{
	struct guard_cell *c = guard_cell_lock(obj, GUARD_CELL_CONDITION, 0);

	if (c == NULL)
		return;
	if (kind == FORMAT_K_WAKE)
		signal_learn(g, c, args);
	guard_step(t, g, 0, t->view.call_site);
	if (kind != FORMAT_K_WAKE && args[0] != 0)
		signal_keep(g, c, t);
	guard_unspin(&c->lock);
}

uint64_t guard_sync(struct thread *t, unsigned kind, unsigned aux, const void *obj,
		    const uint64_t *args, unsigned n)
{
	struct guard *g = guard_judged(t);

	(void)aux;
	(void)n;
	log_count(t, 1);
	if (g == NULL)
		return t->tseq;
	if (g->access.under_way)
		access_end(t, g);
	switch (kind) {
	case FORMAT_K_ACQ:
	case FORMAT_K_RACQ:
	case FORMAT_K_REL:
	case FORMAT_K_RREL:
		through_lock(t, g, kind, obj);
		break;
	case FORMAT_K_SIGNAL:
	case FORMAT_K_BROADCAST:
	case FORMAT_K_WAKE:
		through_condition(t, g, kind, obj, args);
		break;
	case FORMAT_K_BAR_IN:
	case FORMAT_K_BAR_OUT:
		through_channel(t, g, round_lock(obj, args[0]), kind == FORMAT_K_BAR_IN);
		break;
	case FORMAT_K_SEM_POST:
	case FORMAT_K_SEM_WAIT:
	case FORMAT_K_ONCE_END:
	case FORMAT_K_ONCE_PASS:
		through_channel(t, g, guard_cell_lock(obj, GUARD_CELL_OTHER, 0),
				kind == FORMAT_K_SEM_POST || kind == FORMAT_K_ONCE_END);
		break;
	case FORMAT_K_GIVE:
	case FORMAT_K_TAKE:
		through_channel(t, g, guard_cell_lock(obj, GUARD_CELL_CHANNEL, 0),
				kind == FORMAT_K_GIVE);
		break;
	default:
		break;
	}
	return t->tseq;
}

/* ---- threads ---- */

static uint64_t thread_events(unsigned op, uint32_t other)
{
	const struct know_program *p = guard_world.program;
	uint64_t events = 0;

	for (uint32_t i = 0; i < p->nevents; i++) {
		const struct know_event *e = &know_events(p)[i];

		if (e->op == op && (e->nargs == 0 || e->args[0] == other) &&
		    (other > guard_world.most || (guard_world.classes[other] >> e->other & 1) ||
		     e->other == 0))
			events |= UINT64_C(1) << i;
	}
	return events;
}

/* The pass has noted at the call which function the thread runs. */
static void routine_note(const struct thread *t, struct guard *child)
{
	const struct foresee_site *s;
	size_t n;

	module_lock();
	s = module_site(t->view.call_site, NULL);
	if (s != NULL && (s->flags & FORESEE_SITE_ROUTINE) && s->variable != NULL) {
		n = strnlen(s->variable, GUARD_NAME - 1);
		memcpy(child->routine, s->variable, n);
		child->routine[n] = '\0';
	}
	module_unlock();
}

static void fork_note(struct thread *t, struct guard *g, uint32_t tid)
{
	struct guard *child = g->newborn;

	if (child != NULL && child->k.world == NULL && tid <= guard_world.most) {
		routine_note(t, child);
		guard_classify(child, tid);
	}
	know_meet(&g->k, tid <= guard_world.most ? tid : 0);
	guard_step(t, g, thread_events(GUARD_OP_FORK, tid), t->view.call_site);
	if (child != NULL && child->from == NULL)
		child->from = know_publish(&g->k);
	g->newborn = NULL;
}

uint64_t guard_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t tid)
{
	struct guard *g = guard_judged(t);
	struct know_vector *v;

	(void)aux;
	log_count(t, 1);
	if (g == NULL)
		return t->tseq;
	if (kind == FORMAT_K_FORK)
		fork_note(t, g, (uint32_t)tid);
	if (kind == FORMAT_K_JOIN) {
		v = guard_final_take((uint32_t)tid);
		know_learn(&g->k, v);
		know_drop(&guard_world, v);
		guard_step(t, g, thread_events(GUARD_OP_JOIN, (uint32_t)tid), t->view.call_site);
	}
	return t->tseq;
}

/* ---- what the program says ---- */

static bool words_fit(const struct know_event *e, const char *name, const uint64_t *words,
		      unsigned n)
{
	const char *want = know_string(guard_world.program, e->name);

	if (*want != '\0' && (name == NULL || strcmp(want, name) != 0))
		return false;
	for (uint32_t i = 0; i < e->nargs; i++)
		if (i >= n || (int64_t)words[i] != e->args[i])
			return false;
	return true;
}

static uint64_t word_events(unsigned op, const char *name, const uint64_t *words, unsigned n)
{
	const struct know_program *p = guard_world.program;
	uint64_t events = 0;

	for (uint32_t i = 0; i < p->nevents; i++)
		if (know_events(p)[i].op == op && words_fit(&know_events(p)[i], name, words, n))
			events |= UINT64_C(1) << i;
	return events;
}

static uint64_t block(struct guard *g, bool begin, const char *name)
{
	uint64_t events;

	know_block(&g->k, begin);
	if (begin) {
		if (g->nblocks++ < GUARD_BLOCKS)
			g->blocks[g->nblocks - 1] = word_events(GUARD_OP_END, name, NULL, 0);
		return word_events(GUARD_OP_BEGIN, name, NULL, 0);
	}
	events = g->nblocks != 0 && g->nblocks <= GUARD_BLOCKS ? g->blocks[g->nblocks - 1] : 0;
	g->nblocks -= g->nblocks != 0;
	return events;
}

static void internal(struct guard *g, const char *name, uint64_t value)
{
	const struct know_program *p = guard_world.program;

	for (uint32_t i = 0; i < p->nlocals; i++)
		if (strcmp(know_string(p, know_locals(p)[i].name), name) == 0)
			know_internal(&g->k, i, (int64_t)value);
}

void guard_words(struct thread *t, unsigned kind, unsigned aux, const char *name,
		 const uint64_t *words, unsigned n)
{
	struct guard *g = guard_judged(t);
	uint64_t events = 0;

	log_count(t, 1);
	if (g == NULL)
		return;
	if (kind == FORMAT_K_BLOCK)
		events = block(g, aux == FORMAT_BLOCK_BEGIN, name);
	else if (aux == FORMAT_USER_INTERNAL && name != NULL && n > 0)
		internal(g, name, words[0]);
	else if (aux == FORMAT_USER_EVENT || aux == FORMAT_USER_CALL)
		events = word_events(aux == FORMAT_USER_EVENT ? GUARD_OP_USER : GUARD_OP_CALL, name,
				     words, n);
	else
		return;
	guard_step(t, g, events, t->view.call_site);
}
