#include "explore/property.h"

#include "monitor/config.h"
#include "monitor/eval.h"
#include "trace/baton_watch.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/trace.h"

#define CONFIGS_MOST 100000u /* kept of what monitors were in */

struct property {
	struct spec *spec;
	struct monitors monitors;
	struct trace *trace; /* of the program; NULL: not known yet */
	struct watch *watch;
	struct configs *configs;
	VEC(struct monitor_value)
	first;			  /* values that a run begins with, of these configurations */
	struct watch_items items; /* of one event */
	uint64_t key;		  /* of items, for the configurations */

	/* The last run. */
	uint32_t config;
	uint32_t bad; /* property */
	bool is_error;
	uint32_t thread, site, step;
	struct strbuf unknown; /* of any run */
};

/* ---- the spec ---- */

static enum status refuse(const struct property *p, const struct spec_event *e, struct diag *d)
{
	if (e->op == SPEC_ANY)
		return spec_complain(p->spec, e->spot, d, "explore has no event 'any'");
	return spec_complain(p->spec, e->spot, d, "explore wants to know of which variable");
}

static bool is_unbound(const struct spec_event *e)
{
	return e->op == SPEC_ANY ||
	       ((e->op == SPEC_READ || e->op == SPEC_WRITE) && e->nargs == 0 && e->variable < 0);
}

enum status property_new(const char *path, struct property **out, struct diag *d)
{
	struct property *p = mem_zalloc(sizeof(*p));
	enum status st = monitors_read(path, NULL, 0, &p->spec, &p->monitors, d);

	for (uint32_t i = 0; st == ST_OK && i < p->spec->nevents; i++)
		if (is_unbound(&p->spec->events[i]))
			st = refuse(p, &p->spec->events[i], d);
	if (st == ST_OK && p->monitors.n == 0)
		st = diag_fail(d, ST_BAD_INPUT, "'%s' has no property that can be judged in a run",
			       path);
	*out = p;
	if (st != ST_OK) {
		property_free(p);
		*out = NULL;
	}
	return st;
}

void property_free(struct property *p)
{
	if (!p)
		return;
	configs_free(p->configs);
	watch_free(p->watch);
	watch_items_release(&p->items);
	trace_close(p->trace);
	monitors_release(&p->monitors);
	spec_free(p->spec);
	VEC_RELEASE(&p->first);
	strbuf_release(&p->unknown);
	mem_free(p);
}

const struct spec *property_spec(const struct property *p)
{
	return p->spec;
}

/* ---- the program ---- */

static uint64_t declared_by(const struct spec *s, const char *routine)
{
	uint64_t set = 0;

	for (uint32_t i = 0; routine && i < s->nthreads; i++)
		if (!s->threads[i].is_number && strcmp(s->threads[i].routine, routine) == 0)
			set |= 1ull << i;
	return set;
}

/* Reads it to its end, for its tables.  Threads are known by their number, or by the function that they
 * run: a name that the program gives one as it runs is not seen. */
static enum status read_trace(struct property *p, struct diag *d)
{
	uint64_t seen = 0;
	struct event e;

	while (trace_next(p->trace, &e, d) == ST_OK)
		if (e.op == EVENT_FORK)
			seen |= declared_by(p->spec, watch_routine(p->trace, &e));
	for (uint32_t i = 0; i < p->spec->nthreads; i++) {
		const struct spec_thread *t = &p->spec->threads[i];

		if (!t->is_number && !(seen >> i & 1))
			return spec_complain(p->spec, t->spot, d,
					     "the first run makes no thread by a function '%s'; "
					     "explore knows threads by that, or by their number",
					     t->routine);
	}
	return ST_OK;
}

enum status property_bind(struct property *p, const char *trace, struct diag *d)
{
	struct trace_options how = { 0 };
	enum status st = trace_open(trace, &how, &p->trace, d);

	if (st == ST_OK)
		st = watch_bind(p->spec, p->trace, &p->watch, d);
	return st == ST_OK ? read_trace(p, d) : st;
}

/* ---- what the runtime is asked for ---- */

/* Variables whose reads are looks of some property. */
static uint64_t reads_of(const struct property *p)
{
	uint64_t reads = 0;

	for (uint32_t i = 0; i < p->monitors.n; i++)
		reads |= p->monitors.at[i].reads;
	return reads;
}

/* Threads by the function that they run are known by who makes them. */
static uint32_t events_of(const struct property *p)
{
	static const uint32_t kinds[SPEC_NOPS] = {
		[SPEC_FORK] = BATON_WATCH_FORKS,   [SPEC_JOIN] = BATON_WATCH_JOINS,
		[SPEC_BEGIN] = BATON_WATCH_WORDS,  [SPEC_CALL] = BATON_WATCH_WORDS,
		[SPEC_FINISH] = BATON_WATCH_WORDS, [SPEC_USER] = BATON_WATCH_WORDS,
	};
	const struct spec *s = p->spec;
	struct watch_variable v;
	uint32_t events = 0;

	for (uint32_t i = 0; i < s->nevents; i++) {
		events |= kinds[s->events[i].op];
		if ((s->events[i].op == SPEC_ACQ || s->events[i].op == SPEC_REL) &&
		    s->events[i].nargs == 0)
			events |= BATON_WATCH_LOCKS;
	}
	for (uint32_t i = 0; i < s->nthreads; i++)
		if (!s->threads[i].is_number)
			events |= BATON_WATCH_FORKS;
	/* One that lies nowhere yet: the program will say where, or what it holds. */
	for (uint32_t i = 0; watch_variable(p->watch, i, &v); i++)
		if (v.addr == 0)
			events |= BATON_WATCH_WORDS;
	return events;
}

void property_ask(const struct property *p, struct baton_head *h)
{
	struct baton_watch *w = (struct baton_watch *)((char *)h + h->watch);
	uint64_t reads = reads_of(p);
	struct watch_place at;

	w->is_on = p->watch != NULL;
	w->nranges = 0;
	if (!p->watch)
		return;
	w->events = events_of(p);
	for (size_t i = 0; watch_place(p->watch, i, &at) && w->nranges < BATON_RANGES; i++) {
		bool read = at.read || (at.variable >= 0 && (reads >> at.variable & 1));

		w->ranges[w->nranges++] = (struct baton_range){
			.from = at.from,
			.to = at.to,
			.what = at.lock ? BATON_RANGE_LOCK
				: read	? BATON_RANGE_WRITES | BATON_RANGE_READS
					: BATON_RANGE_WRITES,
		};
	}
}

/* ---- a run ---- */

#define WORD_BYTES 10u /* of a varint */

static uint32_t put_word(uint8_t *to, uint64_t word)
{
	uint32_t n = 0;

	for (; word >= 128; word >>= 7)
		to[n++] = (uint8_t)(word | 128);
	to[n++] = (uint8_t)word;
	return n;
}

/* An event as a reader of a trace would give it. */
static struct event event_of(const struct baton_note *n, uint64_t pos,
			     uint8_t data[BATON_NOTE_WORDS * WORD_BYTES])
{
	static const enum event_op ops[BATON_NOTE_KINDS] = {
		[BATON_NOTE_READ] = EVENT_READ,	  [BATON_NOTE_WRITE] = EVENT_WRITE,
		[BATON_NOTE_UPDATE] = EVENT_RMW,  [BATON_NOTE_FREE] = EVENT_FREE,
		[BATON_NOTE_ACQ] = EVENT_ACQ,	  [BATON_NOTE_REL] = EVENT_REL,
		[BATON_NOTE_FORK] = EVENT_FORK,	  [BATON_NOTE_JOIN] = EVENT_JOIN,
		[BATON_NOTE_BLOCK] = EVENT_BEGIN, [BATON_NOTE_USER] = EVENT_USER,
	};
	struct event e = { .pos = pos,
			   .tseq = pos,
			   .tid = n->thread + 1,
			   .op = (uint8_t)ops[n->kind],
			   .addr = n->at,
			   .len = n->size,
			   .peer = n->peer };

	/* Which function a thread runs is told by who makes it; one event of its own does not. */
	e.site = n->kind == BATON_NOTE_FORK ? n->site : 0;
	if (n->kind <= BATON_NOTE_UPDATE) {
		e.flags = EVENT_HAS_VALUE;
		e.value = n->value.now;
		e.old = n->kind == BATON_NOTE_UPDATE ? n->value.old : NULL;
	}
	if (n->kind == BATON_NOTE_BLOCK && n->aux == FORMAT_BLOCK_END)
		e.op = EVENT_END;
	if (n->kind == BATON_NOTE_BLOCK || n->kind == BATON_NOTE_USER) {
		uint32_t from = n->kind == BATON_NOTE_USER && n->aux == FORMAT_USER_NAMES ? 1 : 0;

		e.lock_kind = (uint8_t)n->aux;
		e.name = n->name[0] ? n->name : NULL;
		e.addr = from ? n->words[0] : 0;
		e.len = from ? n->words[1] : 0;
		e.data = data;
		for (uint32_t i = from; i < n->size; i++)
			e.ndata += put_word(data + e.ndata, n->words[i]);
	}
	return e;
}

/* Notes come from memory that the program could write to. */
static bool is_good(const struct baton_note *n)
{
	bool words = n->kind == BATON_NOTE_BLOCK || n->kind == BATON_NOTE_USER;

	return n->kind < BATON_NOTE_KINDS && n->thread < BATON_THREADS &&
	       n->peer <= BATON_THREADS &&
	       (!words || (n->size <= BATON_NOTE_WORDS && memchr(n->name, 0, sizeof(n->name)) &&
			   (n->aux != FORMAT_USER_NAMES || n->size == 2))) &&
	       (n->kind > BATON_NOTE_UPDATE || n->size <= BATON_NOTE_VALUE);
}

/* What the variables hold when a run begins. */
static uint32_t take_first(struct property *p, const struct baton_watch *w, uint32_t nnotes,
			   struct monitor_value *out)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < p->spec->nvariables; i++)
		out[i] = watch_initial(p->watch)[i];
	for (; k < nnotes && w->notes[k].kind == BATON_NOTE_FIRST && is_good(&w->notes[k]); k++) {
		struct watch_place at;

		for (size_t i = 0; watch_place(p->watch, i, &at); i++) {
			if (at.variable < 0 || at.from != w->notes[k].at ||
			    at.to - at.from != w->notes[k].size || w->notes[k].size > 8)
				continue;
			out[at.variable] = (struct monitor_value){
				.known = (uint8_t)((1u << w->notes[k].size) - 1)
			};
			memcpy(&out[at.variable].raw, w->notes[k].value.now, w->notes[k].size);
		}
	}
	return k;
}

/* Configurations begin with what the variables hold; mostly that is the same in all runs. */
static void begin(struct property *p, const struct monitor_value *first)
{
	size_t n = p->spec->nvariables * sizeof(*first);
	bool same = p->configs && (n == 0 || memcmp(p->first.at, first, n) == 0);

	if (!same || configs_count(p->configs) > CONFIGS_MOST) {
		configs_free(p->configs);
		p->configs = configs_new(&p->monitors, first);
		VEC_CLEAR(&p->first);
		VEC_APPEND(&p->first, first, p->spec->nvariables);
	}
	watch_rewind(p->watch, first);
	p->config = config_initial(p->configs);
}

/* True: one of the properties has its verdict, and it is a fault. */
static bool is_faulty(struct property *p)
{
	uint64_t bad = config_bad(p->configs, p->config);
	uint64_t all = bad | config_error(p->configs, p->config);

	if (all == 0)
		return false;
	p->bad = (uint32_t)__builtin_ctzll(all);
	p->is_error = !(bad >> p->bad & 1);
	return true;
}

static void take_unknown(struct property *p, struct explore_verdict *v, const char *why)
{
	v->is_unknown = true;
	if (p->unknown.n == 0)
		strbuf_adds(&p->unknown, why ? why : "a value is not known");
}

/* True: at this note. */
static bool step(struct property *p, const struct baton_note *n, uint32_t i)
{
	uint8_t data[BATON_NOTE_WORDS * WORD_BYTES];
	struct event e = event_of(n, i + 1, data);

	VEC_CLEAR(&p->items.at);
	VEC_CLEAR(&p->items.writes);
	watch_see(p->watch, p->trace, &e, &p->items);
	if (p->items.at.n == 0)
		return false;
	p->config = config_step(p->configs, p->config, &p->items.at.at[0], p->items.writes.at,
				++p->key, 0);
	p->thread = n->thread;
	p->site = n->site;
	p->step = n->step;
	return is_faulty(p);
}

void property_judge(struct property *p, const struct baton_head *h, struct explore_verdict *v)
{
	const struct baton_watch *w = (const struct baton_watch *)((const char *)h + h->watch);
	uint32_t nnotes = w->nnotes <= BATON_NOTES ? w->nnotes : BATON_NOTES;
	struct monitor_value first[SPEC_VARIABLES];
	uint32_t i;
	uint64_t unknown;
	bool faulty;

	if (!w->is_on || !p->watch)
		return;
	i = take_first(p, w, nnotes, first);
	begin(p, first);
	p->thread = UINT32_MAX;
	p->site = p->step = 0;
	faulty = is_faulty(p);
	for (; !faulty && i < nnotes && is_good(&w->notes[i]); i++)
		faulty = step(p, &w->notes[i], i);
	unknown = config_unknown(p->configs, p->config);
	if (faulty)
		*v = (struct explore_verdict){ .fault = EXPLORE_PROPERTY,
					       .mark = p->bad * 2 + p->is_error };
	else if (i < nnotes || w->is_lost)
		take_unknown(p, v, "it did more that counts than there is room for");
	else if (unknown)
		take_unknown(p, v, configs_trouble(p->configs, (uint32_t)__builtin_ctzll(unknown)));
	/* What this run has named is nothing that the next is asked for. */
	watch_rewind(p->watch, first);
}

/* ---- in words ---- */

void property_tell(const struct property *p, struct property_fault *out)
{
	const struct monitor *m = &p->monitors.at[p->bad];
	uint64_t named = m->property ? m->property->variables : 0;
	struct strbuf text = { 0 };

	*out = (struct property_fault){ .name = mem_strdup(m->name),
					.is_error = p->is_error,
					.thread = p->thread,
					.site = p->site,
					.step = p->step };
	if (p->is_error && configs_trouble(p->configs, p->bad))
		strbuf_adds(&text, configs_trouble(p->configs, p->bad));
	for (uint32_t i = 0; !p->is_error && i < p->spec->nvariables; i++) {
		const struct spec_variable *v = &p->spec->variables[i];

		if (!(named >> i & 1))
			continue;
		strbuf_addf(&text, "%s%s = ", text.n ? ", " : "", v->name);
		eval_print(&v->type, &config_values(p->configs, p->config)[i], &text);
	}
	strbuf_adds(&text, "");
	out->values = text.at;
}

void property_fault_release(struct property_fault *f)
{
	MEM_FREE_ALL(f->name, f->values);
	*f = (struct property_fault){ 0 };
}

const char *property_unknown(const struct property *p)
{
	return p->unknown.n ? strbuf_str(&p->unknown) : NULL;
}
