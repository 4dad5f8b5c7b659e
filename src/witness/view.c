/*
 * Event by event: each variable is asked whether the event touches it, each pattern whether it fits.
 */
#include "witness/view.h"

#include "capture/hooks.h"
#include "trace/format.h"
#include "witness/view_priv.h"

void view_bind(struct view *v, const struct spec *s, struct trace *t)
{
	*v = (struct view){ .spec = s };
	v->sight = mem_zalloc(sizeof(*v->sight));
	v->sight->strings = intern_new();
	v->sight->text = trace_info(t).form != TRACE_BINARY;
	for (uint32_t i = 0; i < s->nevents; i++)
		v->sight->broad |= s->events[i].op == SPEC_ANY ||
				   (s->events[i].op <= SPEC_WRITE && s->events[i].nargs == 0);
	for (uint32_t i = 0; i < s->nthreads && !v->sight->text; i++)
		v->sight->names |= !s->threads[i].is_number;
	(void)view_bind_all(v, t);
}

void view_release(struct view *v)
{
	struct view_sight *s = v->sight;

	if (s) {
		for (size_t i = 0; i < s->threads.n; i++)
			VEC_RELEASE(&s->threads.at[i].blocks);
		VEC_RELEASE(&s->threads);
		intern_free(s->strings);
		mem_free(s);
	}
	VEC_RELEASE_ALL(&v->at, &v->writes);
	*v = (struct view){ 0 };
}

/* ---- one event ---- */

static bool meets(const struct view_span *p, uint64_t addr, uint64_t len)
{
	return addr < p->to && (addr >= p->from || p->from - addr < len);
}

static bool touches(const struct view_object *o, uint64_t addr, uint64_t len)
{
	return meets(&o->at, addr, len) || meets(&o->again, addr, len);
}

static void value_set(struct value *v, const struct view_write *w)
{
	for (unsigned k = 0; k < 8; k++) {
		if (!(w->mask >> k & 1))
			continue;
		v->byte[k] = w->known ? w->byte[k] : 0;
		v->known = (uint8_t)(w->known ? v->known | 1u << k : v->known & ~(1u << k));
	}
}

static void write_add(struct view_look *l, const struct view_write *w)
{
	if (w->mask == 0)
		return;
	*VEC_PUSH(&l->v->writes) = *w;
	l->is.nwrites++;
	value_set(&l->s->variable[w->variable].now, w);
}

static uint8_t all_bytes(const struct view_look *l, uint32_t variable)
{
	return (uint8_t)((1u << l->v->spec->variables[variable].type.size) - 1);
}

/* ---- memory ---- */

/* The bytes of the event that lie in p, from `bytes'; NULL: unknown. */
static struct view_write part_of(const struct view_look *l, uint32_t variable,
				 const struct view_span *p, const uint8_t *bytes)
{
	struct view_write w = { .variable = variable, .known = bytes != NULL };
	const struct event *e = l->e;

	for (unsigned k = 0; k < 8 && p->from + k < p->to; k++) {
		uint64_t at = p->from + k;

		if (at < e->addr || at - e->addr >= e->len)
			continue;
		w.mask |= (uint8_t)(1u << k);
		w.byte[k] = bytes ? bytes[at - e->addr] : 0;
	}
	return w;
}

/* What was read is not what the variable had: something wrote there that was not recorded. */
static void surprise(struct view_look *l, uint32_t variable, struct view_write seen)
{
	const struct value *now = &l->s->variable[variable].now;

	for (unsigned k = 0; k < 8; k++)
		if (!(now->known >> k & 1) || now->byte[k] == seen.byte[k])
			seen.mask &= (uint8_t) ~(1u << k);
	seen.known = false;
	write_add(l, &seen);
}

static void variable_access(struct view_look *l, uint32_t i, const struct view_span *p, bool reads,
			    bool writes)
{
	const struct event *e = l->e;
	const uint8_t *saw = e->op == EVENT_READ ? e->value : e->old;
	bool has = e->flags & EVENT_HAS_VALUE;

	if (!meets(p, e->addr, e->len))
		return;
	l->is.reads |= reads ? 1ull << i : 0;
	l->is.written |= writes ? 1ull << i : 0;
	/* In text a value is what somebody wrote there. */
	if (reads && has && saw && !(e->flags & EVENT_REREAD) && !l->s->text)
		surprise(l, i, part_of(l, i, p, saw));
	if (writes) {
		struct view_write w = part_of(l, i, p, has ? e->value : NULL);

		write_add(l, &w);
	}
}

static void access_look(struct view_look *l)
{
	const struct event *e = l->e;
	bool reads = e->op != EVENT_WRITE, writes = e->op != EVENT_READ;

	for (uint32_t i = 0; i < l->v->spec->nvariables; i++) {
		const struct view_object *o = &l->s->variable[i];

		variable_access(l, i, &o->at, reads, writes);
		variable_access(l, i, &o->again, reads, writes);
	}
	for (uint32_t i = 0; i < l->v->spec->nevents; i++) {
		const struct spec_event *p = &l->v->spec->events[i];
		const struct view_object *o =
			p->variable >= 0 ? &l->s->variable[p->variable] : &l->s->object[i];

		if (!(p->op == SPEC_READ && reads) && !(p->op == SPEC_WRITE && writes))
			continue;
		if ((p->nargs == 0 && p->variable < 0) || touches(o, e->addr, e->len))
			l->is.events |= 1ull << i;
	}
}

/* Memory comes or goes: what variables in it held they hold no longer.  What the program gave a name
 * has none when it is freed. */
static void block_look(struct view_look *l)
{
	const struct event *e = l->e;
	struct view_object *o;

	for (uint32_t i = 0; e->len && i < l->v->spec->nvariables; i++) {
		const struct view_span *p[] = { &l->s->variable[i].at, &l->s->variable[i].again };

		for (unsigned k = 0; k < 2; k++) {
			struct view_write w = part_of(l, i, p[k], NULL);

			w.known = e->op == EVENT_ALLOC && (e->flags & EVENT_ZEROED) &&
				  w.mask == all_bytes(l, i);
			write_add(l, &w);
		}
	}
	for (uint32_t i = 0; e->len && e->op == EVENT_FREE && i < SPEC_VARIABLES + SPEC_EVENTS;
	     i++) {
		o = i < SPEC_VARIABLES ? &l->s->variable[i] : &l->s->object[i - SPEC_VARIABLES];
		if (o->said && meets(&o->at, e->addr, e->len))
			o->at = (struct view_span){ 0 };
	}
}

static void lock_look(struct view_look *l)
{
	bool takes = l->e->op == EVENT_ACQ || l->e->op == EVENT_RACQ;

	for (uint32_t i = 0; i < l->v->spec->nevents; i++) {
		const struct spec_event *p = &l->v->spec->events[i];

		if (p->op == (takes ? SPEC_ACQ : SPEC_REL) &&
		    ((p->nargs == 0 && p->variable < 0) ||
		     meets(&l->s->object[i].at, l->e->addr, 1)))
			l->is.events |= 1ull << i;
	}
}

/* ---- other patterns ---- */

static bool number_is(const struct spec_number *n, int64_t is)
{
	return n->is_float ? n->f == (double)is : n->i == is;
}

static bool words_fit(const struct view_look *l, const struct spec_event *p)
{
	uint32_t at = 0;
	int64_t given;

	if (p->nargs > 0 &&
	    (!l->e->name || !p->args[0].name || strcmp(l->e->name, p->args[0].name) != 0))
		return false;
	for (uint32_t i = 1; i < p->nargs; i++)
		if (!event_argument(l->e, &at, &given) || !number_is(&p->args[i].number, given))
			return false;
	return true;
}

static bool peer_fits(const struct view_look *l, const struct spec_event *p)
{
	const struct spec_arg *a = p->args;

	if (p->nargs == 0)
		return true;
	if (a->is_number)
		return number_is(&a->number, (int64_t)view_thread_number(l, l->e->peer));
	return a->thread >= 0 && view_thread_is(l, &l->v->spec->threads[a->thread], l->e->peer);
}

/* The name of the block that begins or ends. */
static const char *block_name(struct view_look *l)
{
	struct view_thread *of = view_thread_of(l->s, l->e->tid);
	const char *name = view_keep(l->s, l->e->name);

	if (l->e->op == EVENT_BEGIN)
		*VEC_PUSH(&of->blocks) = name;
	else if (of->blocks.n)
		name = of->blocks.at[--of->blocks.n];
	return name;
}

static void pattern_look(struct view_look *l, enum spec_op op)
{
	bool block = op == SPEC_BEGIN || op == SPEC_FINISH;
	const char *name = block ? block_name(l) : NULL;

	for (uint32_t i = 0; i < l->v->spec->nevents; i++) {
		const struct spec_event *p = &l->v->spec->events[i];
		bool fits;

		if (p->op != op)
			continue;
		if (block)
			fits = p->nargs == 0 ||
			       (name && p->args[0].name && strcmp(name, p->args[0].name) == 0);
		else if (op == SPEC_FORK || op == SPEC_JOIN)
			fits = peer_fits(l, p);
		else
			fits = words_fit(l, p);
		l->is.events |= (uint64_t)fits << i;
	}
}

/* ---- what the program says of the spec's names ---- */

/* FORESEE_INTERNAL: a variable that is nowhere else gets a value. */
static void internal_look(struct view_look *l)
{
	const struct spec *s = l->v->spec;
	struct spec_number n = { 0 };
	uint32_t at = 0;

	if (!l->e->name || !event_argument(l->e, &at, &n.i))
		return;
	for (uint32_t i = 0; i < s->nvariables; i++) {
		struct view_write w = { .variable = i, .mask = all_bytes(l, i) };
		struct value value;

		if (!l->s->variable[i].said || strcmp(l->s->variable[i].name, l->e->name) != 0)
			continue;
		w.known = value_of(&s->variables[i].type, &n, &value);
		memcpy(w.byte, value.byte, sizeof(w.byte));
		write_add(l, &w);
		l->is.written |= 1ull << i;
		for (uint32_t k = 0; k < s->nevents; k++)
			if (s->events[k].op == SPEC_WRITE && s->events[k].variable == (int32_t)i)
				l->is.events |= 1ull << k;
	}
}

/* FORESEE_VARIABLE: from here on it is there.  False: it was, or does not fit. */
static bool object_move(struct view_look *l, struct view_object *o, uint64_t size)
{
	const struct event *e = l->e;

	if (!o->said || strcmp(o->name, e->name) != 0 || e->len < size ||
	    (o->at.from == e->addr && o->at.to == e->addr + size))
		return false;
	view_span_set(l->s, &o->at, e->addr, size);
	return true;
}

static void names_look(struct view_look *l)
{
	const struct spec *s = l->v->spec;

	if (!l->e->name || l->e->len == 0)
		return;
	for (uint32_t i = 0; i < s->nvariables; i++) {
		struct view_object *o = &l->s->variable[i];

		if (!object_move(l, o, s->variables[i].type.size))
			continue;
		/* What the spec says of its first value is about where it lay first: here it holds
		 * something that nobody knows. */
		if (o->located || l->v->initial[i].known == 0)
			write_add(l,
				  &(struct view_write){ .variable = i, .mask = all_bytes(l, i) });
		o->located = true;
	}
	for (uint32_t i = 0; i < s->nevents; i++)
		if (l->s->object[i].name)
			(void)object_move(l, &l->s->object[i], l->e->len);
}

static void user_look(struct view_look *l)
{
	switch (l->e->lock_kind) {
	case FORMAT_USER_EVENT:
		pattern_look(l, SPEC_USER);
		break;
	case FORMAT_USER_CALL:
		pattern_look(l, SPEC_CALL);
		break;
	case FORMAT_USER_INTERNAL:
		internal_look(l);
		break;
	case FORMAT_USER_NAMES:
		names_look(l);
		break;
	default:
		break;
	}
}

/* ---- all ---- */

/* Bytes that nothing was done to, and that nothing else tells of: the first read shows them. */
static void first_look(struct view_look *l)
{
	const struct event *e = l->e;
	const uint8_t *saw = e->op == EVENT_READ ? e->value : e->op == EVENT_RMW ? e->old : NULL;
	bool shows = saw && (e->flags & EVENT_HAS_VALUE) && !(e->flags & EVENT_UNKNOWN);

	for (uint32_t i = 0; i < l->v->spec->nvariables; i++) {
		struct view_object *o = &l->s->variable[i];
		struct view_write w;

		if (!o->open)
			continue;
		w = part_of(l, i, &o->at, saw);
		w.mask &= o->open;
		w.known = true;
		o->open &= (uint8_t)~w.mask;
		if (shows) {
			value_set(&l->v->initial[i], &w);
			value_set(&o->now, &w);
		}
	}
}

static void event_look(struct view_look *l)
{
	switch (l->e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		access_look(l);
		break;
	case EVENT_FREE:
	case EVENT_ALLOC:
		block_look(l);
		break;
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
		lock_look(l);
		break;
	case EVENT_FORK:
		pattern_look(l, SPEC_FORK);
		break;
	case EVENT_JOIN:
		pattern_look(l, SPEC_JOIN);
		break;
	case EVENT_BEGIN:
		pattern_look(l, SPEC_BEGIN);
		break;
	case EVENT_END:
		pattern_look(l, SPEC_FINISH);
		break;
	case EVENT_USER:
		user_look(l);
		break;
	default:
		break;
	}
}

/* Memory that nothing of the spec lies in: nearly all there is. */
static bool is_aside(const struct view *v, const struct event *e)
{
	return (e->op == EVENT_READ || e->op == EVENT_WRITE || e->op == EVENT_RMW) &&
	       (e->addr >= v->sight->high || e->addr + e->len <= v->sight->low) && !v->sight->broad;
}

void view_see(struct view *v, struct trace *t, const struct event *e)
{
	struct view_look l = { .v = v, .s = v->sight, .t = t, .e = e };

	if (v->trouble[0])
		return;
	view_routine_learn(&l);
	if (is_aside(v, e))
		return;
	if (e->op <= EVENT_ALLOC)
		first_look(&l);
	if (e->tseq == 0) /* put there for what was before the trace */
		return;
	l.is.pos = e->pos;
	l.is.thread = (uint32_t)view_thread_number(&l, e->tid);
	l.is.writes = (uint32_t)v->writes.n;
	event_look(&l);
	for (uint32_t i = 0; i < v->spec->nevents; i++) {
		const struct spec_event *p = &v->spec->events[i];

		if (p->op == SPEC_ANY)
			l.is.events |= 1ull << i;
		if (p->by >= 0 && (l.is.events >> i & 1) &&
		    !view_thread_is(&l, &v->spec->threads[p->by], e->tid))
			l.is.events &= ~(1ull << i);
	}
	if (l.is.events || l.is.reads || l.is.written || l.is.nwrites)
		*VEC_PUSH(&v->at) = l.is;
}

/* ---- questions ---- */

const struct view_event *view_at(const struct view *v, uint64_t pos)
{
	size_t found = SEARCH_PAST(i, 0, v->at.n, v->at.at[i].pos < pos);

	return found < v->at.n && v->at.at[found].pos == pos ? &v->at.at[found] : NULL;
}

bool view_is_of(const struct view *v, struct trace *t, uint32_t declared, uint32_t tid)
{
	struct view_look l = { .s = v->sight, .t = t };

	return view_thread_is(&l, &v->spec->threads[declared], tid);
}

void view_apply(const struct view *v, const struct view_event *e, struct value *values)
{
	for (uint32_t i = 0; i < e->nwrites; i++) {
		const struct view_write *w = &v->writes.at[e->writes + i];

		value_set(&values[w->variable], w);
	}
}
