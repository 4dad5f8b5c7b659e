/*
 * The reference model: for each event, walk through all variables and all events of the spec and
 * ask of each whether it fits.  It is not that, because ten million events go by and few fit.
 */
#include "monitor/watch.h"

#include "monitor/eval.h"
#include "monitor/watch_priv.h"
#include "trace/event.h"
#include "trace/format.h"

void watch_items_release(struct watch_items *items)
{
	VEC_RELEASE_ALL(&items->at, &items->writes);
}

const struct watch_item *watch_items_find(const struct watch_items *items, uint64_t pos)
{
	const struct watch_item *at = items->at.at;
	size_t found = SEARCH_PAST(i, 0, items->at.n, at[i].pos < pos);

	return found < items->at.n && at[found].pos == pos ? &at[found] : NULL;
}

/* ---- ranges ---- */

static void range_mark(struct watch_ranges *r, const struct watch_range *n)
{
	uint64_t first = n->from >> 3, last = (n->to - 1) >> 3;

	if (last - first >= WATCH_WORDS)
		last = first + WATCH_WORDS - 1;
	for (uint64_t word = first; word <= last; word++)
		r->words[word % WATCH_WORDS / 64] |= 1ull << word % 64;
	r->low = r->high == 0 || n->from < r->low ? n->from : r->low;
	r->high = n->to > r->high ? n->to : r->high;
}

void watch_range_add(struct watch_ranges *r, struct watch_range new)
{
	for (size_t i = 0; i < r->at.n; i++) {
		struct watch_range *o = &r->at.at[i];

		if (o->from != new.from || o->to != new.to ||
		    (o->variable >= 0 && new.variable >= 0 && o->variable != new.variable))
			continue;
		o->variable = new.variable >= 0 ? new.variable : o->variable;
		o->reads |= new.reads;
		o->writes |= new.writes;
		o->acquires |= new.acquires;
		o->releases |= new.releases;
		return;
	}
	*VEC_PUSH(&r->at) = new;
	range_mark(r, &new);
}

/* Bounds and words stay as they are: they may let through too much, never too little. */
static void range_drop(struct watch_ranges *r, const struct watch_range *is)
{
	size_t n = 0;

	for (size_t i = 0; i < r->at.n; i++)
		if (r->at.at[i].from != is->from || r->at.at[i].to != is->to ||
		    r->at.at[i].variable != is->variable)
			r->at.at[n++] = r->at.at[i];
	r->at.n = n;
}

static inline bool word_may(const struct watch_ranges *r, uint64_t word)
{
	return r->words[word % WATCH_WORDS / 64] >> word % 64 & 1;
}

/* len is not 0. */
static inline bool range_may(const struct watch_ranges *r, uint64_t addr, uint64_t len)
{
	uint64_t first = addr >> 3, last = (addr + len - 1) >> 3;

	if (addr >= r->high || addr + len <= r->low)
		return false;
	return last - first > 1 || word_may(r, first) || word_may(r, last);
}

static inline bool overlaps(const struct watch_range *r, uint64_t addr, uint64_t len)
{
	return addr < r->to && addr + len > r->from;
}

/* ---- what an event becomes ---- */

struct seen {
	struct watch *w;
	struct trace *t;
	const struct event *e;
	struct watch_item item;
	struct watch_items *out;
};

static uint64_t bit(int32_t variable)
{
	return variable >= 0 ? 1ull << variable : 0;
}

static void write_add(struct seen *s, const struct watch_write *w)
{
	struct watch_bound *b = &s->w->bound[w->variable];

	*VEC_PUSH(&s->out->writes) = *w;
	s->item.nwrites++;
	b->seen = true;
	b->now.raw = (b->now.raw & ~w->mask) | w->raw;
	for (unsigned byte = 0; byte < 8; byte++) {
		if (w->mask >> 8 * byte & 1)
			b->now.known &= (uint8_t) ~(1u << byte);
		if ((w->mask >> 8 * byte & 1) && w->known)
			b->now.known |= (uint8_t)(1u << byte);
	}
}

/* The bytes of a variable that the event covers; bytes: what they become, NULL not known. */
static void write_bytes(struct seen *s, const struct watch_range *r, const uint8_t *bytes)
{
	const struct event *e = s->e;
	uint64_t from = e->addr > r->from ? e->addr : r->from;
	uint64_t end = e->addr + e->len < r->to ? e->addr + e->len : r->to;
	struct watch_write w = { .variable = (uint32_t)r->variable, .known = bytes != NULL };

	for (uint64_t at = from; at < end; at++) {
		unsigned shift = 8 * (unsigned)(at - r->from);

		w.mask |= 0xffull << shift;
		w.raw |= bytes ? (uint64_t)bytes[at - e->addr] << shift : 0;
	}
	write_add(s, &w);
}

/* A read that saw what nobody had written there: code that is not recorded did (assembly, a library
 * that was not built for it), at some time.  What the variable holds is not known from here on.
 * In text values are whatever somebody wrote there. */
static void read_bytes(struct seen *s, const struct watch_range *r, const uint8_t *bytes)
{
	const struct monitor_value *now = &s->w->bound[r->variable].now;
	struct watch_write w = { .variable = (uint32_t)r->variable };
	const struct event *e = s->e;

	for (uint64_t at = r->from; at < r->to; at++) {
		unsigned byte = (unsigned)(at - r->from);

		if (at >= e->addr && at - e->addr < e->len && (now->known >> byte & 1) &&
		    (uint8_t)(now->raw >> 8 * byte) != bytes[at - e->addr])
			w.mask |= 0xffull << 8 * byte;
	}
	if (w.mask)
		write_add(s, &w);
}

/* ---- memory ---- */

static void see_range(struct seen *s, const struct watch_range *r, bool reads, bool writes)
{
	const struct event *e = s->e;
	const uint8_t *saw = e->op == EVENT_READ ? e->value : e->old;

	if (reads) {
		s->item.reads |= bit(r->variable);
		s->item.events |= r->reads;
	}
	if (writes) {
		s->item.written |= bit(r->variable);
		s->item.events |= r->writes;
	}
	if (r->variable < 0)
		return;
	s->w->bound[r->variable].seen = true;
	if (reads && saw && (e->flags & EVENT_HAS_VALUE) && !(e->flags & EVENT_REREAD) &&
	    !s->w->text)
		read_bytes(s, r, saw);
	if (writes)
		write_bytes(s, r, e->flags & EVENT_HAS_VALUE ? e->value : NULL);
}

static void see_access(struct seen *s)
{
	const struct watch_ranges *r = &s->w->memory;
	const struct event *e = s->e;
	bool reads = e->op == EVENT_READ || e->op == EVENT_RMW;
	bool writes = e->op == EVENT_WRITE || e->op == EVENT_RMW;

	s->item.events |= reads ? s->w->any[SPEC_READ] : 0;
	s->item.events |= writes ? s->w->any[SPEC_WRITE] : 0;
	if (!range_may(r, e->addr, e->len))
		return;
	for (size_t i = 0; i < r->at.n; i++)
		if (overlaps(&r->at.at[i], e->addr, e->len))
			see_range(s, &r->at.at[i], reads, writes);
}

static uint64_t whole(uint64_t size)
{
	return size >= 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
}

/* What the program has named ends with its memory. */
static void named_end(struct watch *w, const struct event *e)
{
	for (size_t i = 0; i < w->named.n; i++) {
		struct watch_named *l = &w->named.at[i];

		if (l->is.to == 0 || !overlaps(&l->is, e->addr, e->len))
			continue;
		range_drop(l->lock ? &w->locks : &w->memory, &l->is);
		l->is.from = l->is.to = 0;
	}
}

void watch_rewind(struct watch *w, const struct monitor_value *initial)
{
	for (uint32_t i = 0; i < w->spec->nvariables; i++)
		w->bound[i].now = w->initial[i] = initial[i];
	for (size_t i = 0; i < w->named.n; i++) {
		struct watch_named *l = &w->named.at[i];

		if (l->is.to == 0)
			continue;
		range_drop(l->lock ? &w->locks : &w->memory, &l->is);
		l->is.from = l->is.to = 0;
		if (l->is.variable >= 0)
			w->bound[l->is.variable].found = false;
	}
	for (size_t i = 0; i < w->threads.n; i++) {
		VEC_CLEAR(&w->threads.at[i].blocks);
		w->threads.at[i].routine = NULL;
		w->threads.at[i].looked = false;
	}
}

/* Memory comes or goes: no write of the program's, but nothing is as it was. */
static void see_block(struct seen *s)
{
	const struct watch_ranges *r = &s->w->memory;
	const struct event *e = s->e;

	if (e->len == 0)
		return;
	for (size_t i = 0; range_may(r, e->addr, e->len) && i < r->at.n; i++) {
		const struct watch_range *is = &r->at.at[i];
		struct watch_write w = { .variable = (uint32_t)is->variable, .known = true };

		if (is->variable < 0 || !overlaps(is, e->addr, e->len))
			continue;
		w.mask = whole(is->to - is->from);
		if (e->op == EVENT_ALLOC && (e->flags & EVENT_ZEROED) && e->addr <= is->from &&
		    e->addr + e->len >= is->to)
			write_add(s, &w);
		else
			write_bytes(s, is, NULL);
	}
	if (e->op == EVENT_FREE && s->w->named.n)
		named_end(s->w, e);
}

/* ---- locks ---- */

static void see_lock(struct seen *s)
{
	const struct watch_ranges *r = &s->w->locks;
	const struct event *e = s->e;
	bool takes = e->op == EVENT_ACQ || e->op == EVENT_RACQ;

	s->item.events |= s->w->any[takes ? SPEC_ACQ : SPEC_REL];
	if (!range_may(r, e->addr, 1))
		return;
	for (size_t i = 0; i < r->at.n; i++)
		if (overlaps(&r->at.at[i], e->addr, 1))
			s->item.events |= takes ? r->at.at[i].acquires : r->at.at[i].releases;
}

/* ---- threads, blocks, words of the program ---- */

static bool number_is(const struct spec_number *n, int64_t v)
{
	if (n->is_float)
		return n->f == (double)v;
	return n->i == v; /* a big one has the bits of a pointer */
}

/* call(f, 1), user(name, 1, 2): the name, and as many numbers as the pattern has. */
static bool words_fit(const struct spec_event *p, const struct event *e)
{
	uint32_t at = 0;
	int64_t v;

	if (p->nargs == 0)
		return true;
	if (!e->name || !p->args[0].name || strcmp(p->args[0].name, e->name) != 0)
		return false;
	for (uint32_t i = 1; i < p->nargs; i++)
		if (!event_argument(e, &at, &v) || !number_is(&p->args[i].number, v))
			return false;
	return true;
}

static bool peer_fits(struct seen *s, const struct spec_event *p)
{
	uint32_t peer = s->e->peer;

	if (p->nargs == 0)
		return true;
	if (p->args[0].is_number)
		return number_is(&p->args[0].number, watch_thread_number(s->w, s->t, peer));
	return p->args[0].thread >= 0 &&
	       watch_thread_is(s->w, s->t, (uint32_t)p->args[0].thread, peer);
}

static bool block_fits(const struct spec_event *p, const char *name)
{
	return p->nargs == 0 || (name && p->args[0].name && strcmp(name, p->args[0].name) == 0);
}

static void see_others(struct seen *s, enum spec_op op)
{
	const struct spec *spec = s->w->spec;
	const char *block = NULL;

	if (op == SPEC_BEGIN || op == SPEC_FINISH)
		block = watch_thread_block(s->w, s->e);
	for (uint64_t left = s->w->of_op[op]; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		const struct spec_event *p = &spec->events[i];
		bool fits = op == SPEC_BEGIN || op == SPEC_FINISH ? block_fits(p, block)
			    : op == SPEC_FORK || op == SPEC_JOIN  ? peer_fits(s, p)
								  : words_fit(p, s->e);

		if (fits)
			s->item.events |= 1ull << i;
	}
}

/* FORESEE_INTERNAL: a variable that only the spec has. */
static void see_internal(struct seen *s)
{
	const struct spec *spec = s->w->spec;
	struct spec_number n = { 0 };
	uint32_t at = 0;

	if (!s->e->name || !event_argument(s->e, &at, &n.i))
		return;
	for (size_t i = 0; i < s->w->named.n; i++) {
		const struct watch_named *l = &s->w->named.at[i];
		struct watch_write w = { .variable = (uint32_t)l->is.variable };
		const struct spec_variable *v;

		if (l->is.variable < 0 || strcmp(l->name, s->e->name) != 0)
			continue;
		v = &spec->variables[l->is.variable];
		w.known = eval_raw(&v->type, &n, &w.raw);
		w.mask = whole(v->type.size);
		write_add(s, &w);
		s->item.written |= bit(l->is.variable);
		s->item.events |= l->is.writes;
	}
}

/* FORESEE_VARIABLE: from now on it lies there.  What it holds is not known, but for what the spec
 * says of its first address. */
static void named_settle(struct seen *s, struct watch_named *l)
{
	struct watch_ranges *r = l->lock ? &s->w->locks : &s->w->memory;
	const struct event *e = s->e;
	struct watch_bound *b = l->is.variable >= 0 ? &s->w->bound[l->is.variable] : NULL;
	uint64_t size = b ? b->size : e->len;

	if (e->len < size || (l->is.from == e->addr && l->is.to == e->addr + size))
		return;
	if (l->is.to != 0)
		range_drop(r, &l->is);
	if (b && (b->found || !s->w->initial[l->is.variable].known)) {
		struct watch_write w = { .variable = (uint32_t)l->is.variable };

		w.mask = whole(size);
		write_add(s, &w);
	}
	l->is.from = e->addr;
	l->is.to = e->addr + size;
	watch_range_add(r, l->is);
	if (b) {
		b->found = b->seen = true;
		b->addr = e->addr;
	}
}

static void see_user(struct seen *s)
{
	switch (s->e->lock_kind) {
	case FORMAT_USER_EVENT:
		see_others(s, SPEC_USER);
		break;
	case FORMAT_USER_CALL:
		see_others(s, SPEC_CALL);
		break;
	case FORMAT_USER_INTERNAL:
		see_internal(s);
		break;
	case FORMAT_USER_NAMES:
		for (size_t i = 0; s->e->name && s->e->len && i < s->w->named.n; i++)
			if (strcmp(s->w->named.at[i].name, s->e->name) == 0)
				named_settle(s, &s->w->named.at[i]);
		break;
	default:
		break;
	}
}

/* ---- all ---- */

static uint64_t filter_threads(struct seen *s)
{
	uint64_t kept = s->item.events;

	for (uint64_t left = kept; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		int32_t by = s->w->spec->events[i].by;

		if (by >= 0 && !watch_thread_is(s->w, s->t, (uint32_t)by, s->e->tid))
			kept &= ~(1ull << i);
	}
	return kept;
}

static void see_any(struct seen *s)
{
	static const enum spec_op others[EVENT_NOPS] = {
		[EVENT_FORK] = SPEC_FORK,
		[EVENT_JOIN] = SPEC_JOIN,
		[EVENT_BEGIN] = SPEC_BEGIN,
		[EVENT_END] = SPEC_FINISH,
	};

	switch (s->e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		see_access(s);
		break;
	case EVENT_FREE:
	case EVENT_ALLOC:
		see_block(s);
		break;
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
		see_lock(s);
		break;
	case EVENT_FORK:
	case EVENT_JOIN:
	case EVENT_BEGIN:
	case EVENT_END:
		see_others(s, others[s->e->op]);
		break;
	case EVENT_USER:
		see_user(s);
		break;
	default:
		break;
	}
}

/* Accesses of memory that nobody has asked for: nearly all there are. */
static inline bool is_nothing(const struct watch *w, const struct event *e)
{
	if (e->tseq == 0) /* it stands for the past, and did not happen now */
		return true;
	if (w->of_op[SPEC_ANY])
		return false;
	if (e->op == EVENT_READ)
		return !w->any[SPEC_READ] && !range_may(&w->memory, e->addr, e->len);
	if (e->op == EVENT_WRITE)
		return !w->any[SPEC_WRITE] && !range_may(&w->memory, e->addr, e->len);
	return false;
}

void watch_see(struct watch *w, struct trace *t, const struct event *e, struct watch_items *out)
{
	struct seen s;

	w->begun = true;
	if (w->names)
		watch_thread_learn(w, t, e);
	if (is_nothing(w, e))
		return;
	s = (struct seen){ .w = w, .t = t, .e = e, .out = out };
	s.item.writes = (uint32_t)out->writes.n;
	s.item.events = w->of_op[SPEC_ANY];
	see_any(&s);
	w->events_seen |= s.item.events;
	if (s.item.events)
		s.item.events = filter_threads(&s);
	if (!s.item.events && !s.item.reads && !s.item.written && !s.item.nwrites)
		return;
	s.item.pos = e->pos;
	s.item.thread = watch_thread_number(w, t, e->tid);
	*VEC_PUSH(&out->at) = s.item;
}
