/*
 * Which events are shown.  Those that could matter to the targets' threads:
 *
 *	synchronisation on an object that a target's thread uses here, and in the observed run
 *	another thread too;
 *	a target's thread that forks the other one's, or joins any;
 *	accesses to bytes of the targets; reads that see another value than observed;
 *	the acquires of the locks that others wait for.
 *
 * What other threads did before those of the targets began is not shown.  Of equal ones of a thread (same
 * operation, same object) the last two stay, and of all the last LINES: what lies nearest to the
 * end explains it best.  Long stretches of the rest are counted.
 */

#include "report/explain_priv.h"

#define LINES STORY_STEPS
#define MOST_COLUMNS 4 /* unless there are more targets */
#define PAGE_COLUMNS 8 /* where there is a page for them, likewise */
_Static_assert(COLUMNS_MAX >= FINDING_EVENTS, "each target has its column");
#define EQUAL_LINES 2
#define LONG_GAP 4   /* events left out without a word are fewer */
#define LOOK 1000000 /* events looked at to say what hid it */

struct story {
	const struct evidence *ev;
	struct map users; /* synchronisation object: the thread that uses it, or SEVERAL */
};

#define SEVERAL 0 /* no thread has this number */

/* One finding's. */
struct picture {
	const struct story *s;
	const struct evidence *ev;
	const struct finding *f;
	uint32_t tids[COLUMNS_MAX];
	uint32_t ntids;
	uint32_t ntargets;		/* of tids, from the first: threads of the finding */
	const char *files[COLUMNS_MAX]; /* of the targets; NULL not known */
	struct map ours;		/* objects that the targets' threads use in the order */
	struct map equal;		/* hash of thread, operation, object: times shown */
	struct map odd;			/* positions of reads that see another value */
	struct map keep;		/* positions that are shown in any case */
	size_t begin;			/* position in the order where a target's thread begins */
	size_t lines;			/* shown at most, besides those kept */
	uint32_t columns;		/* at most, unless there are more targets */
};

static bool is_sync(const struct evidence_event *e)
{
	char family = event_op_family(e->op);

	return family == 'L' || family == 'S';
}

struct story *story_new(const struct evidence *ev)
{
	struct story *s = mem_zalloc(sizeof(*s));
	struct evidence_event e;
	uint64_t *user;
	bool fresh;

	s->ev = ev;
	for (uint64_t pos = 1; pos <= evidence_count(ev); pos++) {
		e = evidence_get(ev, pos);
		if (!is_sync(&e))
			continue;
		user = map_put(&s->users, e.addr, &fresh);
		if (fresh)
			*user = e.tid;
		else if (*user != e.tid)
			*user = SEVERAL;
	}
	return s;
}

void story_free(struct story *s)
{
	map_release(&s->users);
	mem_free(s);
}

bool story_is_shared(const struct story *s, uint64_t addr)
{
	const uint64_t *user = map_get(&s->users, addr);

	return user && *user == SEVERAL;
}

/* The index of a thread in tids, the targets' first; ntids: none. */
static uint32_t index_of(const struct picture *p, uint32_t tid)
{
	uint32_t i = 0;

	while (i < p->ntids && p->tids[i] != tid)
		i++;
	return i;
}

/* Others stand to the left, so that the targets are neighbours. */
static uint32_t column(const struct picture *p, uint32_t at)
{
	return at < p->ntargets ? p->ntids - p->ntargets + at : at - p->ntargets;
}

/* Shares bytes with a target, or is one. */
static bool is_on_targets(const struct picture *p, const struct evidence_event *e)
{
	if (!finding_is_about_memory(p->f) || event_op_family(e->op) != 'A')
		return false;
	for (uint32_t i = 0; i < p->f->nevents; i++)
		if (evidence_overlap(p->ev, e->pos, p->f->events[i]))
			return true;
	return false;
}

static bool is_interesting(const struct picture *p, const struct evidence_event *e)
{
	if (e->op == EVENT_FORK || e->op == EVENT_JOIN)
		return index_of(p, e->tid) < p->ntargets &&
		       (e->op == EVENT_JOIN || index_of(p, e->peer) < p->ntargets);
	if (e->op == EVENT_REQ || e->op == EVENT_RREQ)
		return false; /* in this order it may not have to wait, and what it gets follows */
	if (is_sync(e))
		return story_is_shared(p->s, e->addr) && map_get(&p->ours, e->addr);
	return is_on_targets(p, e) || map_get(&p->odd, e->pos);
}

/* False: enough of this kind are shown already. */
static bool take_equal(struct picture *p, const struct evidence_event *e)
{
	uint64_t key = hash_pair(e->addr, (uint64_t)e->tid << 8 | e->op);
	uint64_t *times = map_put(&p->equal, key, NULL);

	return (*times)++ < EQUAL_LINES;
}

/* Room for one more thread; the targets' have theirs. */
static bool take_column(struct picture *p, uint32_t tid)
{
	if (index_of(p, tid) < p->ntids)
		return true;
	if (p->ntids == COLUMNS_MAX || (p->ntids >= p->columns && p->ntids >= p->ntargets))
		return false;
	p->tids[p->ntids++] = tid;
	return true;
}

/* A column for the thread of a target. */
static void add_target(struct picture *p, uint64_t pos)
{
	struct trace_site at;
	struct evidence_event e = evidence_get(p->ev, pos);

	if (index_of(p, e.tid) < p->ntids)
		return;
	if (frames_own(evidence_trace(p->ev), e.site, e.stack, &at))
		p->files[p->ntids] = at.file;
	p->tids[p->ntids++] = e.tid;
	p->ntargets = p->ntids;
}

static void picture_init(struct picture *p, const struct story *s, const struct finding *f)
{
	memset(p, 0, sizeof(*p));
	p->s = s;
	p->ev = s->ev;
	p->f = f;
	p->lines = LINES;
	p->columns = MOST_COLUMNS;
	for (size_t i = 0; i < f->tainted.n; i++)
		map_put(&p->odd, f->tainted.at[i], NULL);
}

/* After the targets: what their threads use, and where they begin. */
static void look_through(struct picture *p, const uint64_t *order, size_t n)
{
	struct evidence_event e;

	p->begin = n;
	for (size_t i = 0; i < n; i++) {
		e = evidence_get(p->ev, order[i]);
		if (index_of(p, e.tid) >= p->ntargets)
			continue;
		p->begin = p->begin < i ? p->begin : i;
		if (is_sync(&e))
			map_put(&p->ours, e.addr, NULL);
	}
}

static void picture_release(struct picture *p)
{
	MAP_RELEASE_ALL(&p->ours, &p->equal, &p->odd, &p->keep);
}

/* Places in order of what is shown, the last first. */
struct chosen {
	VEC(size_t) at;
};

static void choose(struct picture *p, const uint64_t *order, size_t n, struct chosen *out)
{
	size_t room = p->lines > p->keep.n ? p->lines - p->keep.n : 0; /* for others */
	struct evidence_event e;

	for (size_t i = n; i-- > p->begin && out->at.n < p->lines;) {
		bool kept = map_get(&p->keep, order[i]) != NULL;

		if (!kept && room == 0)
			continue;
		e = evidence_get(p->ev, order[i]);
		if (kept || (is_interesting(p, &e) && take_equal(p, &e) && take_column(p, e.tid))) {
			*VEC_PUSH(&out->at) = i;
			room -= !kept;
		}
	}
}

/* ---- lines ---- */

/* Two blanks and the location, or nothing. */
static void add_place(const struct picture *p, const struct evidence_event *e, struct strbuf *out)
{
	uint32_t at = index_of(p, e->tid);

	strbuf_adds(out, "  ");
	frames_brief(evidence_trace(p->ev), e->site, e->stack,
		     at < p->ntargets ? p->files[at] : NULL, out);
	while (out->n > 0 && out->at[out->n - 1] == ' ')
		out->at[--out->n] = '\0';
}

/* About two variables: neither is the subject of all accesses. */
static bool is_of_two(const struct finding *f)
{
	return f->kind == FINDING_ATOMICITY && f->split.pattern && f->split.pattern[1] == '\0';
}

static void line_format(const struct picture *p, const struct evidence_event *e, struct strbuf *out)
{
	const struct trace *t = evidence_trace(p->ev);

	strbuf_clear(out);
	strbuf_addf(out, "%-6s ", words_op(e));
	if (e->op == EVENT_FORK || e->op == EVENT_JOIN)
		strbuf_adds(out, trace_thread_name(t, e->peer));
	else if (e->addr == EVENT_GATE) /* of a trace that begins in the middle */
		strbuf_adds(out, "(start)");
	else if (e->name)
		strbuf_adds(out, words_brief(e->name));
	else if (e->op != EVENT_FREE && !is_of_two(p->f) && is_on_targets(p, e))
		words_subject(p->ev, p->f, out);
	else if (event_op_family(e->op) == 'A')
		words_object(p->ev, e->pos, out);
	add_place(p, e, out);
}

/* What lies between two lines, counted by column. */
static void add_gap(const struct picture *p, const uint64_t *order, size_t from, size_t to,
		    struct columns *out)
{
	uint64_t counts[COLUMNS_MAX] = { 0 }, others = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t c = index_of(p, evidence_get(p->ev, order[i]).tid);

		if (c < p->ntids)
			counts[column(p, c)]++;
		else
			others++;
	}
	if (to - from >= LONG_GAP)
		columns_gap(out, counts, others);
}

static void add_targets(const struct picture *p, struct columns *out)
{
	STRBUF_SCOPED first = { 0 }, second = { 0 };
	const uint32_t columns[2] = { column(p, 0), column(p, 1) };
	struct evidence_event e = evidence_get(p->ev, p->f->events[0]);

	line_format(p, &e, &first);
	e = evidence_get(p->ev, p->f->events[1]);
	line_format(p, &e, &second);
	columns_pair(out, p->f->events, columns, (const char *const[]){ first.at, second.at },
		     "nothing orders these two");
}

/* Heads and lines, but for the end. */
static void add_lines(struct picture *p, const uint64_t *order, size_t n, struct columns *out)
{
	STRBUF_SCOPED text = { 0 };
	VEC_SCOPED struct chosen chosen = { 0 };
	struct evidence_event e;
	size_t from = 0;

	look_through(p, order, n);
	choose(p, order, n, &chosen);
	for (uint32_t i = 0; i < p->ntids; i++) {
		strbuf_clear(&text);
		/* The inverse of column(). */
		words_thread(evidence_trace(p->ev), p->tids[(i + p->ntargets) % p->ntids], &text);
		columns_head(out, strbuf_str(&text));
	}
	for (size_t i = chosen.at.n; i-- > 0; from = chosen.at.at[i] + 1) {
		add_gap(p, order, from, chosen.at.at[i], out);
		e = evidence_get(p->ev, order[chosen.at.at[i]]);
		line_format(p, &e, &text);
		columns_event(out, e.pos, column(p, index_of(p, e.tid)), strbuf_str(&text));
	}
	add_gap(p, order, from, n, out);
}

void story_columns(const struct story *s, const struct finding *f, const uint64_t *order, size_t n,
		   struct columns *out)
{
	struct picture p;

	assert(f->kind == FINDING_RACE && f->nevents == 2);
	picture_init(&p, s, f);
	for (uint32_t i = 0; i < f->nevents; i++)
		add_target(&p, f->events[i]);
	add_lines(&p, order, n, out);
	add_targets(&p, out);
	picture_release(&p);
}

void story_waits(const struct story *s, const struct finding *f, const struct story_wait *w,
		 const uint64_t *order, size_t n, struct columns *out)
{
	struct evidence_event e;
	STRBUF_SCOPED text = { 0 };
	struct picture p;

	picture_init(&p, s, f);
	p.lines = w->nkeep < LINES ? LINES : w->nkeep;
	for (uint32_t i = 0; i < w->ntargets; i++)
		add_target(&p, w->targets[i]);
	for (uint32_t i = 0; i < w->nkeep; i++)
		map_put(&p.keep, w->keep[i], NULL);
	add_lines(&p, order, n, out);
	for (uint32_t i = 0; i < w->nends; i++) {
		const struct story_end *end = &w->ends[i];

		e = evidence_get(s->ev, end->pos);
		strbuf_clear(&text);
		strbuf_adds(&text, end->text);
		add_place(&p, &e, &text);
		columns_stuck(out, e.pos, column(&p, index_of(&p, e.tid)), text.at, end->note);
	}
	picture_release(&p);
}

size_t story_steps(const struct story *s, const struct finding *f, const uint64_t *order, size_t n,
		   uint64_t out[STORY_STEPS])
{
	VEC_SCOPED struct chosen chosen = { 0 };
	struct picture p;

	picture_init(&p, s, f);
	for (uint32_t i = 0; i < f->nevents; i++) {
		add_target(&p, f->events[i]);
		map_put(&p.keep, f->events[i], NULL);
	}
	look_through(&p, order, n);
	choose(&p, order, n, &chosen);
	picture_release(&p);
	for (size_t i = 0; i < chosen.at.n; i++)
		out[i] = order[chosen.at.at[chosen.at.n - 1 - i]];
	return chosen.at.n;
}

void story_wait_release(struct story_wait *w)
{
	for (uint32_t i = 0; i < w->nends; i++)
		MEM_FREE_ALL(w->ends[i].text, w->ends[i].note);
	w->nends = 0;
}

void story_choose(const struct story *s, const struct finding *f, const struct story_wish *w,
		  const uint64_t *order, size_t n, struct story_choice *out)
{
	VEC_SCOPED struct chosen chosen = { 0 };
	struct picture p;

	picture_init(&p, s, f);
	p.lines = w->lines;
	p.columns = PAGE_COLUMNS;
	for (uint32_t i = 0; i < w->ntargets; i++)
		add_target(&p, w->targets[i]);
	for (size_t i = 0; i < w->nkeep; i++)
		map_put(&p.keep, w->keep[i], NULL);
	look_through(&p, order, n);
	if (w->nkeep)
		p.begin = 0;
	choose(&p, order, n, &chosen);
	for (size_t i = chosen.at.n; i-- > 0;)
		*VEC_PUSH(&out->at) = chosen.at.at[i];
	memcpy(out->tids, p.tids, sizeof(out->tids));
	out->ntids = p.ntids;
	picture_release(&p);
}

/* ---- what hid it ---- */

/*
 * The first release by the first target's thread, after its access, of a lock that the second
 * target's thread takes later and before its own access.
 *
 *	A: e1 ... release m            B: acquire m ... e2
 */
static bool find_edge(const struct evidence *ev, const struct evidence_event *e1,
		      const struct evidence_event *e2, struct evidence_event *release,
		      struct evidence_event *acquire)
{
	MAP_SCOPED last = { 0 }; /* lock, to the position of B's last acquire before e2 */
	uint64_t pos, *taken;
	bool found = false;

	for (uint32_t i = e2->index, k = 0; i-- > 0 && k < LOOK; k++) {
		bool fresh;

		pos = evidence_find(ev, e2->tid, i);
		if (pos < e1->pos)
			break;
		*acquire = evidence_get(ev, pos);
		if (acquire->op != EVENT_ACQ && acquire->op != EVENT_RACQ)
			continue;
		taken = map_put(&last, acquire->addr, &fresh);
		if (fresh)
			*taken = pos;
	}
	for (uint32_t i = e1->index + 1, k = 0; last.n && !found && k < LOOK; i++, k++) {
		pos = evidence_find(ev, e1->tid, i);
		if (pos == 0 || pos > e2->pos)
			break;
		*release = evidence_get(ev, pos);
		if (release->op != EVENT_REL && release->op != EVENT_RREL)
			continue;
		taken = map_get(&last, release->addr);
		found = taken && *taken > pos;
	}
	if (found)
		*acquire = evidence_get(ev, *taken);
	return found;
}

void story_hidden(const struct evidence *ev, const struct finding *f, struct strbuf *out)
{
	const struct trace *t = evidence_trace(ev);
	struct evidence_event e1 = evidence_get(ev, f->events[0]), release, acquire;
	struct evidence_event e2 = evidence_get(ev, f->events[1]);
	const char *name;

	assert(f->nevents == 2);
	if (!find_edge(ev, &e1, &e2, &release, &acquire)) {
		uint64_t apart = e2.pos - e1.pos;

		if (apart == 1)
			strbuf_adds(out, "in the observed run the two came one after the other");
		else
			strbuf_addf(out,
				    "in the observed run the second came %" PRIu64
				    " events after the first",
				    apart);
		return;
	}
	name = release.name ? words_brief(release.name) : "a lock";
	strbuf_addf(out, "in the observed run %s's unlock of %s came before %s's lock of %s",
		    trace_thread_name(t, e1.tid), name, trace_thread_name(t, e2.tid), name);
}
