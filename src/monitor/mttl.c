/*
 * The recorded run, event by event: which cells each takes from and leaves to.
 *
 * What is a step of a thread?  In text, each of its events.  Of a recording, those that carry knowledge, and what
 * the program says of itself: how many of the others are recorded is the recorder's affair.
 */
#include "monitor/mttl.h"

#include "know/know.h"
#include "monitor/eval.h"
#include "monitor/reading.h"
#include "trace/format.h"
#include "trace/trace.h"

/* Kinds of cells, in the upper bits of their keys; addresses have 48. */
enum { CELL_PLACE, CELL_WORD, CELL_LOCK, CELL_CHANNEL, CELL_ATOMIC, CELL_ROUND, CELL_OTHER };

struct mover {
	struct know_thread k;
	uint64_t was; /* properties that were false in its last state */
};

/* What an event takes from, and then leaves to. */
struct touch {
	size_t cell;
	enum know_how takes, leaves;
	bool does_take, does_leave;
};

struct judge {
	const struct spec *s;
	struct know_program *p;
	struct know_world world;
	struct reading reading;
	bool text;
	VEC(struct mover *) movers; /* by tid */
	VEC(struct know_cell) cells;
	struct map names;   /* of cells: key, to number + 1 */
	struct map signals; /* tid and tseq, to vectors */
	struct map forked;  /* tid, to the vector that it begins with */
	VEC(bool) is_forked;
	VEC(struct touch) touches; /* of the event in hand */
	uint64_t used;		   /* classes that a plain @ names */
	mttl_tell *tell;
	void *arg;
};

static void *memory_get(size_t n)
{
	return mem_zalloc(n);
}

static void memory_put(void *p, size_t n)
{
	(void)n;
	mem_free(p);
}

/* ---- cells ---- */

static size_t cell_of(struct judge *j, unsigned kind, uint64_t addr)
{
	bool fresh;
	uint64_t *at = map_put(&j->names, addr * 8 + kind, &fresh);

	if (fresh) {
		*VEC_PUSH(&j->cells) = (struct know_cell){ 0 };
		*at = j->cells.n;
	}
	return (size_t)*at - 1;
}

/* One of many of the same object. */
static size_t round_of(struct judge *j, uint64_t addr, uint64_t number)
{
	return cell_of(j, CELL_ROUND,
		       (uint64_t)cell_of(j, CELL_OTHER, addr) << 32 | (uint32_t)number);
}

static void touch_add(struct judge *j, size_t cell, bool takes, enum know_how as, bool leaves,
		      enum know_how to)
{
	*VEC_PUSH(&j->touches) = (struct touch){
		.cell = cell, .does_take = takes, .takes = as, .does_leave = leaves, .leaves = to
	};
}

/* ---- threads ---- */

static uint64_t classes_of(struct judge *j, struct trace *t, uint32_t tid)
{
	uint64_t of = 1;

	for (uint32_t i = 0; i < j->s->nthreads; i++)
		if (watch_thread_is(j->reading.watch, t, i, tid))
			of |= UINT64_C(2) << i;
	return of;
}

/* False: a name that is to be one thread is two. */
static bool classes_set(struct judge *j, struct trace *t, uint32_t tid, struct diag *d)
{
	uint64_t of = classes_of(j, t, tid);

	if (of == j->world.classes[tid])
		return true;
	know_name(&j->world, tid, of);
	for (uint32_t i = 1; i < j->p->nclasses; i++) {
		uint32_t *one = &j->world.single[i];

		if (!(of >> i & 1) || *one == tid)
			continue;
		if (*one && (j->used >> i & 1)) {
			spec_complain(
				j->s, j->s->threads[i - 1].spot, d,
				"'%s' is several threads of this run, and '@%s' can mean one only: "
				"write some(o : %s, ...) or all(o : %s, ...)",
				j->s->threads[i - 1].name, j->s->threads[i - 1].name,
				j->s->threads[i - 1].name, j->s->threads[i - 1].name);
			return false;
		}
		*one = tid;
	}
	return true;
}

static struct mover *mover_of(struct judge *j, uint32_t tid)
{
	uint64_t *from;
	struct mover *m;

	VEC_REACH(&j->movers, tid);
	if (j->movers.at[tid])
		return j->movers.at[tid];
	m = j->movers.at[tid] = mem_zalloc(sizeof(*m));
	from = map_get(&j->forked, tid);
	if (!know_thread_begin(&m->k, &j->world, tid,
			       from ? (struct know_vector *)(uintptr_t)*from : NULL))
		BUG("memory ran out, and nobody said so");
	return m;
}

/* ---- what an event touches ---- */

static bool carries_order(const struct judge *j, const struct event *e)
{
	return (e->flags & EVENT_ATOMIC || (j->text && e->op == EVENT_RMW)) &&
	       !(e->order == __ATOMIC_RELAXED && !j->text);
}

static void touch_access(struct judge *j, const struct event *e)
{
	enum know_how how = e->op == EVENT_READ ? KNOW_READS : KNOW_WRITES;
	struct watch_place place;
	size_t had = j->touches.n;

	for (size_t i = 0; watch_place(j->reading.watch, i, &place); i++)
		if (!place.lock && e->addr < place.to && e->addr + e->len > place.from)
			touch_add(j, cell_of(j, CELL_PLACE, place.from), true, how, true, how);
	if (j->touches.n > had)
		return;
	if (j->s->flow_all)
		for (uint64_t word = e->addr >> 3; word <= (e->addr + e->len - 1) >> 3; word++)
			touch_add(j, cell_of(j, CELL_WORD, word), true, how, true, how);
	else if (carries_order(j, e))
		touch_add(j, cell_of(j, CELL_ATOMIC, e->addr), true, how, true, how);
}

static void touch_lock(struct judge *j, const struct event *e)
{
	bool takes = e->op == EVENT_ACQ || e->op == EVENT_RACQ;
	bool reads = e->op == EVENT_RACQ || e->op == EVENT_RREL;
	enum know_how how = reads ? KNOW_READS : KNOW_WRITES;

	touch_add(j, cell_of(j, CELL_LOCK, e->addr), takes, how, !takes, how);
}

static void touch_channel(struct judge *j, size_t cell, bool gives)
{
	touch_add(j, cell, !gives, KNOW_READS, gives, KNOW_ADDS);
}

static bool is_access(const struct event *e)
{
	return e->op == EVENT_READ || e->op == EVENT_WRITE || e->op == EVENT_RMW;
}

/* True: it is a step of its thread, whatever it touches. */
static bool touch(struct judge *j, const struct event *e)
{
	switch (e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		if (e->len)
			touch_access(j, e);
		return j->touches.n > 0;
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
		touch_lock(j, e);
		return true;
	case EVENT_BAR_IN:
	case EVENT_BAR_OUT:
		touch_channel(j, round_of(j, e->addr, e->arg), e->op == EVENT_BAR_IN);
		return true;
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_ONCE_END:
	case EVENT_ONCE_PASS:
	case EVENT_GIVE:
	case EVENT_TAKE:
		touch_channel(j,
			      cell_of(j,
				      e->op == EVENT_GIVE || e->op == EVENT_TAKE ? CELL_CHANNEL
										 : CELL_OTHER,
				      e->addr),
			      e->op == EVENT_SEM_POST || e->op == EVENT_ONCE_END ||
				      e->op == EVENT_GIVE);
		return true;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
	case EVENT_WAKE:
	case EVENT_FORK:
	case EVENT_JOIN:
	case EVENT_THREAD_END:
	case EVENT_BEGIN:
	case EVENT_END:
		return true;
	case EVENT_USER:
		return e->lock_kind == FORMAT_USER_EVENT || e->lock_kind == FORMAT_USER_CALL ||
		       e->lock_kind == FORMAT_USER_INTERNAL;
	default:
		return false;
	}
}

/* ---- what it changes ---- */

static void apply_internal(struct judge *j, struct mover *m, const struct event *e)
{
	uint32_t at = 0;
	int64_t value;

	if (!e->name || !event_argument(e, &at, &value))
		return;
	for (uint32_t i = 0; i < j->p->nlocals; i++)
		if (strcmp(know_string(j->p, know_locals(j->p)[i].name), e->name) == 0)
			know_internal(&m->k, i, value);
}

/* Numbers of shared variables: those of the spec without the local ones. */
static uint32_t shared_number(const struct spec *s, uint32_t variable)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < variable; i++)
		n += !s->variables[i].local;
	return n;
}

static void apply_writes(struct judge *j, struct mover *m, const struct watch_item *item)
{
	for (uint32_t i = 0; i < item->nwrites; i++) {
		const struct watch_write *w = &j->reading.items.writes.at[item->writes + i];

		if (!j->s->variables[w->variable].local && (item->written >> w->variable & 1))
			know_write(&m->k, shared_number(j->s, w->variable), w->raw, w->mask);
	}
}

static uint64_t name_of(uint32_t tid, uint64_t tseq)
{
	return (uint64_t)tid << 44 | tseq;
}

static void learn_signal(struct judge *j, struct mover *m, const struct event *e)
{
	uint64_t *v = e->peer ? map_get(&j->signals, name_of(e->peer, e->peer_tseq)) : NULL;

	if (v)
		know_learn(&m->k, (struct know_vector *)(uintptr_t)*v);
}

static void keep(struct judge *j, struct map *in, uint64_t key, struct mover *m)
{
	uint64_t *at = map_put(in, key, NULL);

	know_drop(&j->world, (struct know_vector *)(uintptr_t)*at);
	*at = (uintptr_t)know_publish(&m->k);
}

static void arrive(struct judge *j, struct mover *m, const struct event *e,
		   const struct watch_item *item)
{
	struct know_vector *v;

	for (size_t i = 0; i < j->touches.n; i++)
		if (j->touches.at[i].does_take)
			know_take(&m->k, &j->cells.at[j->touches.at[i].cell],
				  j->touches.at[i].takes);
	if (e->op == EVENT_WAKE)
		learn_signal(j, m, e);
	if (e->op == EVENT_JOIN && e->peer < j->movers.n && j->movers.at[e->peer]) {
		v = know_publish(&j->movers.at[e->peer]->k);
		know_learn(&m->k, v);
		know_drop(&j->world, v);
	}
	if (e->op == EVENT_USER && e->lock_kind == FORMAT_USER_INTERNAL)
		apply_internal(j, m, e);
	else if (item)
		apply_writes(j, m, item);
	if (e->op == EVENT_BEGIN || e->op == EVENT_END)
		know_block(&m->k, e->op == EVENT_BEGIN);
	if (e->op == EVENT_FORK)
		know_meet(&m->k, e->peer);
}

static void depart(struct judge *j, struct mover *m, const struct event *e)
{
	for (size_t i = 0; i < j->touches.n; i++)
		if (j->touches.at[i].does_leave)
			know_leave(&m->k, &j->cells.at[j->touches.at[i].cell],
				   j->touches.at[i].leaves);
	if (e->op == EVENT_SIGNAL || e->op == EVENT_BROADCAST)
		keep(j, &j->signals, name_of(e->tid, e->tseq), m);
	if (e->op == EVENT_FORK)
		keep(j, &j->forked, e->peer, m);
}

static void tell(struct judge *j, struct mover *m, const struct event *e, uint64_t violated)
{
	for (uint64_t left = violated; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		struct mttl_violation v = { .property = mttl_property(j->s, i),
					    .number = i,
					    .pos = e->pos,
					    .tid = e->tid,
					    .site = e->site,
					    .begins = !(m->was >> i & 1) };

		j->tell(j->arg, &v);
	}
	m->was = violated;
}

static bool one(struct judge *j, const struct event *e, struct diag *d)
{
	const struct watch_item *item = watch_items_find(&j->reading.items, e->pos);
	struct mover *m;

	if (e->tseq == 0 && !j->text)
		return true;
	if (e->tid > j->world.most || (e->op == EVENT_FORK && e->peer > j->world.most)) {
		diag_set(d, "more than %u threads, which is all that mttl properties can follow",
			 j->world.most);
		return false;
	}
	VEC_CLEAR(&j->touches);
	if (!classes_set(j, j->reading.trace, e->tid, d))
		return false;
	/* What the spec names is looked at even where nothing is carried: call and user events. */
	if (!touch(j, e) && !j->text && !(item && item->events && !is_access(e)))
		return true;
	m = mover_of(j, e->tid);
	arrive(j, m, e, item);
	tell(j, m, e, know_step(&m->k, item ? item->events : 0));
	depart(j, m, e);
	return true;
}

/* ---- first states ---- */

/* Who is there from the start: of text, those that nobody makes. */
static enum status scan(struct judge *j, const char *path, const struct trace_options *how,
			struct diag *d)
{
	struct trace *t = NULL;
	struct event e;
	enum status st = trace_open(path, how, &t, d);

	while (st == ST_OK && (st = trace_next(t, &e, d)) == ST_OK) {
		uint32_t most = e.op == EVENT_FORK && e.peer > e.tid ? e.peer : e.tid;

		VEC_REACH(&j->is_forked, most);
		if (e.op == EVENT_FORK)
			j->is_forked.at[e.peer] = true;
		if (most <= j->world.most && most > j->world.nroots)
			j->world.nroots = most;
	}
	for (uint32_t i = 1; st == ST_END && i <= j->world.nroots; i++)
		if (!classes_set(j, t, i, d))
			st = ST_BAD_INPUT;
	while (j->world.nroots > 1 && j->is_forked.at[j->world.nroots])
		j->world.nroots--;
	if (t)
		trace_close(t);
	return st == ST_END ? ST_OK : st;
}

static bool is_root(void *arg, uint32_t tid)
{
	const struct judge *j = arg;

	return j->text ? tid < j->is_forked.n && !j->is_forked.at[tid] : tid == 1;
}

static enum status initial_values(struct judge *j, struct diag *d)
{
	const struct monitor_value *first = watch_initial(j->reading.watch);

	for (uint32_t i = 0; i < j->s->nvariables; i++) {
		const struct spec_variable *v = &j->s->variables[i];

		if (v->local)
			continue;
		if (!eval_is_known(&v->type, &first[i]) && !j->text)
			return spec_complain(
				j->s, v->spot, d,
				"what '%s' holds at first is not known: say so here, as in "
				"'%s = 0'",
				v->name, v->name);
		j->world.initial[shared_number(j->s, i)] =
			eval_is_known(&v->type, &first[i]) ? first[i].raw : 0;
	}
	return ST_OK;
}

/* Classes that must be one thread. */
static uint64_t plain_names(const struct know_program *p)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < p->nnodes; i++)
		if (know_nodes(p)[i].op == KNOW_REMOTE && know_nodes(p)[i].who >= KNOW_CLASS)
			used |= UINT64_C(1) << (know_nodes(p)[i].who - KNOW_CLASS);
	return used;
}

static enum status begin(struct judge *j, const char *path, const struct trace_options *how,
			 struct diag *d)
{
	enum status st = mttl_compile(j->s, &j->p, d);

	if (st == ST_OK)
		st = reading_open(&j->reading, path, how, j->s, d);
	if (st != ST_OK)
		return st;
	j->text = trace_info(j->reading.trace).form != TRACE_BINARY;
	j->used = plain_names(j->p);
	j->world = (struct know_world){ .program = j->p,
					.alloc = memory_get,
					.free = memory_put,
					.most = know_most(j->p),
					.nroots = 1 };
	j->world.classes = mem_zalloc((j->world.most + 1) * sizeof(*j->world.classes));
	j->world.single = mem_zalloc((j->p->nclasses + 1) * sizeof(*j->world.single));
	j->world.initial = mem_zalloc((j->p->nvariables + 1) * sizeof(*j->world.initial));
	st = initial_values(j, d);
	if (st == ST_OK && j->text)
		st = scan(j, path, how, d);
	if (st == ST_OK && !j->text && !classes_set(j, j->reading.trace, 1, d))
		st = ST_BAD_INPUT;
	if (st == ST_OK && !know_begin(&j->world, is_root, j))
		BUG("memory ran out, and nobody said so");
	return st;
}

static void vectors_drop(struct judge *j, struct map *m)
{
	struct map_item item;

	for (size_t i = 0; map_next(m, &i, &item);)
		know_drop(&j->world, (struct know_vector *)(uintptr_t)item.value);
	map_release(m);
}

static void release(struct judge *j)
{
	for (size_t i = 0; i < j->movers.n; i++)
		if (j->movers.at[i]) {
			know_thread_end(&j->movers.at[i]->k);
			mem_free(j->movers.at[i]);
		}
	for (size_t i = 0; i < j->cells.n; i++)
		know_cell_clear(&j->world, &j->cells.at[i]);
	vectors_drop(j, &j->signals);
	vectors_drop(j, &j->forked);
	if (j->world.first)
		know_end(&j->world);
	map_release(&j->names);
	VEC_RELEASE_ALL(&j->movers, &j->cells, &j->is_forked, &j->touches);
	reading_close(&j->reading);
	MEM_FREE_ALL(j->world.classes, j->world.single, j->world.initial, j->p);
}

enum status mttl_judge(const struct spec *s, const char *path, const struct trace_options *how,
		       mttl_tell *tell_of, void *arg, struct diag *d)
{
	struct judge j = { .s = s, .tell = tell_of, .arg = arg };
	enum status st = begin(&j, path, how, d);
	struct event e;

	while (st == ST_OK && (st = reading_event(&j.reading, &e, d)) == ST_OK)
		if (!one(&j, &e, d))
			st = ST_BAD_INPUT;
	release(&j);
	return st == ST_END ? ST_OK : st;
}
