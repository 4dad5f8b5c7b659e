/*
 * A violated property in words: which, at what event, and the run that leads there, with what the
 * spec's variables hold after each look.
 *
 * Rows are the looks of the property: its events, and writes of its variables; and the locks and signals
 * between them that several threads use.  Of a long run the last ROWS looks are shown, for what lies
 * nearest to the end explains it best.
 */

#include "monitor/watch.h"
#include "report/explain_priv.h"
#include "report/show.h"

#define ROWS 30
#define EQUAL 2 /* locks and signals shown of those that are equal, unless all are wanted */

void explain_property_title(const struct finding *f, struct strbuf *out)
{
	strbuf_addf(out, "property %s %s", f->property,
		    f->kind == FINDING_PROPERTY ? "violated" : "without a value");
}

/* ---- what ---- */

/* Each line of it indented. */
static void lines_add(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		strbuf_addf(out, "   %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void formula_format(struct explain *x, const struct monitor *m)
{
	const struct spec *spec = x->r->watch->monitors->spec;
	STRBUF_SCOPED text = { 0 };

	if (!m->property)
		return; /* a plug-in knows what it means */
	spec_print_property(spec, m->property, &text);
	lines_add(&x->out, strbuf_str(&text));
	strbuf_adds(&x->out, "   at ");
	frames_path(spec->path, &x->out);
	strbuf_addf(&x->out, ":%" PRIu32 "\n", m->property->spot.line);
}

/* " put, big": what the spec calls it. */
static void events_add(struct explain *x, uint64_t pos)
{
	const struct states_watch *w = x->r->watch;
	const struct watch_item *item = w ? watch_items_find(w->items, pos) : NULL;
	const char *comma = "";

	for (uint32_t i = 0; item && w->monitors->spec && i < w->monitors->spec->nevents; i++) {
		if (!(item->events >> i & 1))
			continue;
		strbuf_addf(&x->out, "%s %s", comma, w->monitors->spec->events[i].name);
		comma = ",";
	}
}

static void event_format(struct explain *x, const struct finding *f)
{
	size_t start = x->out.n;
	struct evidence_event e;

	if (f->nevents == 0) {
		strbuf_adds(&x->out, "   in the initial state, before any event\n");
		return;
	}
	e = evidence_get(x->ev, f->events[0]);
	strbuf_adds(&x->out, "   ");
	words_thread(x->t, e.tid, &x->out);
	strbuf_addf(&x->out, "  %s", words_op(&e));
	if (event_op_family(e.op) == 'O') {
		events_add(x, e.pos);
	} else if (event_op_family(e.op) == 'A') {
		strbuf_adds(&x->out, " ");
		words_object(x->ev, e.pos, &x->out);
	} else if (e.name) {
		strbuf_addf(&x->out, " %s", words_brief(e.name));
	} else if (e.peer) {
		strbuf_addf(&x->out, " %s", trace_thread_name(x->t, e.peer));
	}
	strbuf_adds(&x->out, "  ");
	explain_stack(x, &e, x->out.n - start, &x->out);
}

/* ---- rows ---- */

struct told_row {
	uint64_t pos;
	size_t state; /* 0: no look */
};

/* How much of a look its row says: all, all but the values, which stand in the table, or that in
 * short names. */
enum names { NAMES_FULL, NAMES_ALONE, NAMES_SHORT };

/* One finding's run. */
struct told_run {
	struct explain *x;
	const struct finding *f;
	const struct check_order *order;
	int property;
	struct states states;
	struct explain_states table;
	uint32_t tids[COLUMNS_MAX]; /* ascending */
	uint32_t ntids;
	const char *file; /* of the last event; NULL not known */
	enum names names;
	struct map equal;	   /* hash of thread, operation, object: times shown */
	VEC(struct told_row) rows; /* the last first */
	size_t first;		   /* state before the first row */
};

static bool take_column(struct told_run *r, uint32_t tid)
{
	uint32_t at = r->ntids;

	for (uint32_t i = 0; i < r->ntids; i++)
		if (r->tids[i] == tid)
			return true;
	if (r->ntids == COLUMNS_MAX)
		return false;
	for (; at > 0 && r->tids[at - 1] > tid; at--)
		r->tids[at] = r->tids[at - 1];
	r->tids[at] = tid;
	r->ntids++;
	return true;
}

static uint32_t column(const struct told_run *r, uint32_t tid)
{
	uint32_t i = 0;

	while (r->tids[i] != tid)
		i++;
	return i;
}

/* It orders the threads. */
static bool is_interesting(struct told_run *r, const struct evidence_event *e)
{
	uint64_t key = hash_pair(e->addr, (uint64_t)e->tid << 8 | e->op);
	char family = event_op_family(e->op);

	if ((family != 'L' && family != 'S') || e->op == EVENT_REQ || e->op == EVENT_RREQ ||
	    !story_is_shared(explain_story(r->x), e->addr))
		return false;
	return r->x->opt->all || (*map_put(&r->equal, key, NULL))++ < EQUAL;
}

/* From the end, as far as there are states and columns. */
static void choose(struct told_run *r)
{
	size_t state = r->states.at.n - 1, others = 0;
	struct evidence_event e;

	for (size_t i = r->order->at.n; i-- > 0 && state > 0;) {
		uint64_t pos = r->order->at.at[i];
		bool is_state = pos == r->states.at.at[state].pos;

		e = evidence_get(r->x->ev, pos);
		if (is_state || (others < ROWS && is_interesting(r, &e))) {
			if (!take_column(r, e.tid))
				break;
			others += !is_state;
			*VEC_PUSH(&r->rows) = (struct told_row){ pos, is_state ? state : 0 };
		}
		state -= is_state;
	}
	r->first = state;
	while (r->rows.n && r->rows.at[r->rows.n - 1].state == 0 && !r->x->opt->all)
		r->rows.n--; /* what comes before the first look orders nothing */
}

/* "write landing = 1", "lock m", "open" */
static void step_format(const struct told_run *r, const struct told_row *row, struct strbuf *out)
{
	const struct explain *x = r->x;
	struct evidence_event e = evidence_get(x->ev, row->pos);
	char family = event_op_family(e.op);

	if (family == 'O' && row->state && r->states.at.at[row->state].events) {
		explain_states_events(&r->table, row->state, out);
		return;
	}
	strbuf_adds(out, family == 'A' ? show_op(e.op) : words_op(&e));
	if (r->names == NAMES_FULL && row->state &&
	    explain_states_written(&r->table, row->state, out))
		;
	else if (family == 'A')
		explain_states_read(&r->table, row->pos, out);
	else if (e.name)
		strbuf_addf(out, " %s", words_brief(e.name));
	else if (e.peer)
		strbuf_addf(out, " %s", trace_thread_name(x->t, e.peer));
	if (row->state && r->states.at.at[row->state].events) {
		strbuf_adds(out, " (");
		explain_states_events(&r->table, row->state, out);
		strbuf_adds(out, ")");
	}
}

static void location_format(const struct told_run *r, uint64_t pos, const char *before,
			    const char *after, struct strbuf *out)
{
	STRBUF_SCOPED location = { 0 };
	struct evidence_event e = evidence_get(r->x->ev, pos);

	frames_brief(r->x->t, e.site, e.stack, r->file, &location);
	if (location.n)
		strbuf_addf(out, "%s%s%s", before, strbuf_str(&location), after);
}

static void rows_format(struct told_run *r, struct columns *c)
{
	STRBUF_SCOPED text = { 0 };

	for (uint32_t i = 0; i < r->ntids; i++) {
		strbuf_clear(&text);
		words_thread(r->x->t, r->tids[i], &text);
		columns_head(c, strbuf_str(&text));
	}
	explain_states_head(&r->table, c);
	if (r->table.shown) {
		columns_blank(c);
		explain_states_note(&r->table, r->first, r->first, c);
	}
	for (size_t i = r->rows.n; i-- > 0;) {
		const struct told_row *row = &r->rows.at[i];

		strbuf_clear(&text);
		step_format(r, row, &text);
		location_format(r, row->pos, "  ", "", &text);
		columns_event(c, row->pos, column(r, evidence_get(r->x->ev, row->pos).tid),
			      strbuf_str(&text));
		if (row->state)
			explain_states_note(&r->table, row->state - 1, row->state, c);
	}
}

/* ---- what hid it ---- */

/* "T1's write of landing (:31)" */
static void whose(const struct told_run *r, const struct told_row *row, struct strbuf *out)
{
	const struct watch_item *item = watch_items_find(r->x->r->watch->items, row->pos);
	struct evidence_event e = evidence_get(r->x->ev, row->pos);

	strbuf_addf(out, "%s's ", trace_thread_name(r->x->t, e.tid));
	if (item && item->reads | item->written && event_op_family(e.op) == 'A') {
		strbuf_addf(out, "%s of", show_op(e.op));
		explain_states_read(&r->table, row->pos, out);
	} else {
		step_format(r, row, out);
	}
	location_format(r, row->pos, " (", ")", out);
}

/* Two looks that came the other way round, as near to the end as can be. */
static bool swapped_find(const struct told_run *r, size_t *after, size_t *before)
{
	for (*after = 0; *after < r->rows.n; ++*after)
		for (*before = *after + 1; *before < r->rows.n; ++*before)
			if (r->rows.at[*after].state && r->rows.at[*before].state &&
			    r->rows.at[*after].pos < r->rows.at[*before].pos)
				return true;
	return false;
}

/* A look that came before the last one, and that this run does without. */
static bool missing_find(const struct told_run *r, struct told_row *out)
{
	const struct states_watch *w = r->x->r->watch;
	uint64_t last = r->order->at.at[r->order->at.n - 1];
	MAP_SCOPED there = { 0 };
	bool found = false;

	for (size_t i = 0; i < r->order->at.n; i++)
		map_put(&there, r->order->at.at[i], NULL);
	for (size_t i = w->items->at.n; i-- > 0 && !found;) {
		const struct watch_item *item = &w->items->at.at[i];

		found = item->pos < last && states_is_look(w, r->property, item) &&
			!map_get(&there, item->pos);
		*out = (struct told_row){ .pos = item->pos };
	}
	return found;
}

/* "in the recorded run T1's write of x (:10) came before T2's write of y (:20)"; or nothing. */
static void hidden_format(const struct told_run *r, struct strbuf *out)
{
	struct told_row missing;
	size_t after, before;

	if (swapped_find(r, &after, &before)) {
		strbuf_adds(out, "in the recorded run ");
		whose(r, &r->rows.at[after], out);
		strbuf_adds(out, " came before ");
		whose(r, &r->rows.at[before], out);
	} else if (missing_find(r, &missing)) {
		strbuf_adds(out, "in the recorded run ");
		whose(r, &missing, out);
		strbuf_adds(out, " came before that");
	}
}

/* In lines of the picture's width, indented. */
static void wrapped(struct explain *x, const char *text)
{
	int width = x->opt->width < 100 ? x->opt->width : 100, at = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at > 0 && at + 1 + n > width) {
			strbuf_adds(&x->out, "\n");
			at = 0;
		}
		strbuf_addf(&x->out, "%s%.*s", at ? " " : "   ", n, text);
		at += n + (at ? 1 : 3);
		text += n + (text[n] == ' ');
	}
}

static void lead_format(const struct told_run *r)
{
	STRBUF_SCOPED text = { 0 }, hidden = { 0 };

	if (r->f->observed) {
		strbuf_adds(&text, r->order->at.n ? "The recorded run up to there:"
						  : "What holds at the start of every run:");
	} else {
		hidden_format(r, &hidden);
		strbuf_addf(&text, "The run that shows it%s%s%s:", hidden.n ? " (" : "",
			    strbuf_str(&hidden), hidden.n ? ")" : "");
	}
	strbuf_adds(&r->x->out, "\n");
	wrapped(r->x, strbuf_str(&text));
	strbuf_adds(&r->x->out, "\n\n");
}

/* ---- the run that shows it ---- */

/* The longest with which the table has room. */
static void choose_names(struct told_run *r)
{
	enum columns_room best = COLUMNS_NONE, room;
	enum names chosen = NAMES_FULL;
	struct explain_states full = r->table;

	for (r->names = NAMES_FULL; r->names <= NAMES_SHORT; r->names++) {
		struct columns c = { 0 };

		if (r->names == NAMES_SHORT)
			explain_states_shorten(&r->table);
		rows_format(r, &c);
		room = columns_room(&c, EXPLAIN_INDENT, r->x->opt->width);
		columns_release(&c);
		if (room > best) {
			best = room;
			chosen = r->names;
		}
	}
	r->names = chosen;
	if (chosen != NAMES_SHORT)
		r->table = full;
}

static void run_format(struct explain *x, const struct finding *f, int property,
		       const struct check_order *order)
{
	struct told_run r = { .x = x, .f = f, .order = order, .property = property };
	struct columns c = { 0 };
	struct evidence_event e;
	struct trace_site at;
	uint64_t left;

	states_get(x->r->watch, order->at.at, order->at.n, ROWS, property, &r.states);
	explain_states_init(&r.table, x->r->watch, &r.states, f);
	if (order->at.n) {
		e = evidence_get(x->ev, order->at.at[order->at.n - 1]);
		if (frames_own(x->t, e.site, e.stack, &at))
			r.file = at.file;
		choose(&r);
	}
	if (r.states.trouble)
		strbuf_addf(&x->out, "   %s\n", r.states.trouble);
	if (order->at.n || r.table.shown) {
		lead_format(&r);
		left = r.states.before + r.first;
		if (left)
			strbuf_addf(&x->out, "    %" PRIu64 " step%s before; then:\n", left,
				    WORDS_PLURAL(left));
		choose_names(&r);
		rows_format(&r, &c);
		explain_picture(x, f, &c);
	}
	states_release(&r.states);
	map_release(&r.equal);
	VEC_RELEASE(&r.rows);
}

/* What threads know has no columns: their events are told, and of them what came last elsewhere. */
static void knowledge_format(struct explain *x, const struct finding *f,
			     const struct check_order *order)
{
	uint32_t tid = evidence_get(x->ev, f->events[0]).tid;
	struct story_wait w = { .targets = { f->events[0] }, .ntargets = 1 };
	struct columns c = { 0 };
	size_t i = order->at.n;

	while (i > 0 && evidence_get(x->ev, order->at.at[i - 1]).tid == tid)
		i--;
	if (i > 0)
		w.targets[w.ntargets++] = order->at.at[i - 1];
	memcpy(w.keep, w.targets, sizeof(w.keep));
	w.nkeep = w.ntargets;
	strbuf_adds(&x->out, "\n   The run that shows it:\n\n");
	story_waits(explain_story(x), f, &w, order->at.at, order->at.n, &c);
	explain_picture(x, f, &c);
}

void explain_property(struct explain *x, const struct finding *f)
{
	const struct states_watch *w = x->r->watch;
	int number = w ? states_property(w, f->property) : -1;
	VEC_SCOPED struct check_order order = { 0 };
	size_t start = x->out.n;

	strbuf_addf(&x->out, "%" PRIu32 "  ", f->id);
	explain_property_title(f, &x->out);
	explain_sure(x, f, start);
	if (f->judged)
		lines_add(&x->out, f->subject);
	else if (number >= 0)
		formula_format(x, &w->monitors->at[number]);
	event_format(x, f);
	if (number >= 0 && f->status != FINDING_WARNING &&
	    check_expand(x->ev, &f->schedule, &order))
		run_format(x, f, number, &order);
	else if (f->judged && f->certified && check_expand(x->ev, &f->schedule, &order))
		knowledge_format(x, f, &order);
}
