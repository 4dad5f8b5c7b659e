/*
 * Events into points.
 *
 * The reference model is a relation over all events: program order, hard edges, and what
 * causes_cells.c says of memory and locks, closed; a point needs the points that it
 * relates to it.  Here each lane knows how many points of each lane came before its present
 * moment, and so do cells, locks and channels; a join of both is the closure.
 *
 * Waits.  A wake counts only if its park came before its signal.  That cannot be asked of a signal
 * that is gone, so a signal comes after everybody who waited when it was sent.  Likewise a release
 * comes after tries that failed because of it.  That is more order than there must be, so it loses
 * some runs and makes none up.
 */
#include "lattice/causes_priv.h"
#include "monitor/watch.h"
#include "spec/spec.h"

struct causes *causes_new(const struct causes_options *opt, const struct point_sink *sink)
{
	struct causes *c = mem_zalloc(sizeof(*c));

	assert(sink || opt->path);
	assert(opt->path || opt->npath == 0);
	c->opt = *opt;
	c->sends = sink && !opt->path;
	if (c->sends)
		c->sink = *sink;
	knowns_init(&c->knowns);
	for (size_t i = 0; i < opt->npath; i++)
		*map_put(&c->path, opt->path[i], NULL) = i + 1;
	return c;
}

void causes_free(struct causes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->lanes.n; i++)
		VEC_RELEASE(&c->lanes.at[i].past);
	for (size_t i = 0; i < c->locks.n; i++)
		VEC_RELEASE(&c->locks.at[i].readers);
	for (size_t i = 0; i < c->conds.n; i++)
		VEC_RELEASE(&c->conds.at[i].parked);
	VEC_RELEASE_ALL(&c->lanes, &c->cells, &c->weaks, &c->unused_weaks, &c->opens,
			&c->unused_opens, &c->locks, &c->channels, &c->conds, &c->needs, &c->starts,
			&c->joins, &c->closes, &c->ranks, &c->tids);
	map_release(&c->path);
	knowns_release(&c->knowns);
	mem_free(c);
}

uint64_t causes_points(const struct causes *c)
{
	return c->points;
}

/* ---- sets ---- */

uint32_t causes_start(struct causes *c, uint32_t resource, unsigned flags)
{
	uint32_t at = (uint32_t)VEC_TAKE(&c->opens, &c->unused_opens);

	c->opens.at[at] = (struct causes_open){ .set = c->nsets, .refs = 1, .sent = c->sent };
	if (c->sent) {
		c->sink.set(c->sink.arg, c->nsets, resource, flags);
		*VEC_PUSH(&c->starts) = c->nsets++;
	}
	return at + 1;
}

void causes_join(struct causes *c, uint32_t open)
{
	struct causes_open *o = &c->opens.at[open - 1];

	if (!c->sent)
		o->spoilt = true;
	else if (o->sent)
		*VEC_PUSH(&c->joins) = o->set;
}

/* Told after the point in hand, which may be its last member. */
void causes_leave(struct causes *c, uint32_t open)
{
	struct causes_open *o = &c->opens.at[open - 1];

	if (--o->refs)
		return;
	if (o->sent && !o->spoilt)
		*VEC_PUSH(&c->closes) = o->set;
	*VEC_PUSH(&c->unused_opens) = open - 1;
}

static void closes_send(struct causes *c)
{
	for (size_t i = 0; c->sends && i < c->closes.n; i++)
		c->sink.close(c->sink.arg, c->closes.at[i]);
	VEC_CLEAR(&c->closes);
}

/* ---- before ---- */

/* The step as an access, if it is one or touches the life of an object. */
static void step_access(struct causes *c, const struct step_batch *b, const struct step *s,
			void (*access)(struct causes *, const struct step_batch *,
				       const struct step *))
{
	struct step life;

	if (step_is_life(s)) {
		life = step_life(s);
		access(c, b, &life);
	} else if (step_is_access(s)) {
		access(c, b, s);
	}
}

static void step_before(struct causes *c, const struct step_batch *b, const struct step *s)
{
	step_access(c, b, s, causes_access_before);
	switch (s->op) {
	case STEP_ACQ:
	case STEP_REL:
	case STEP_RACQ:
	case STEP_RREL:
		causes_lock_before(c, s);
		break;
	case STEP_JOIN:
		causes_lane_meet(c, s->obj);
		known_join(&c->knowns, causes_now(c), c->lanes.at[s->obj].now);
		break;
	case STEP_GET:
		if (s->obj < c->channels.n)
			known_join(&c->knowns, causes_now(c), c->channels.at[s->obj]);
		break;
	case STEP_AFTER:
		causes_past_join(c, s->obj, s->from, false);
		break;
	case STEP_GUARD:
		if (s->to == s->pos)
			causes_past_join(c, s->obj, s->from, true);
		break;
	case STEP_NOTIFY:
		VEC_REACH(&c->conds, s->obj);
		for (size_t i = 0; i < c->conds.at[s->obj].parked.n; i++)
			known_join(&c->knowns, causes_now(c),
				   c->conds.at[s->obj].parked.at[i].known);
		break;
	default:
		break;
	}
	if (s->flags & (STEP_STOP | STEP_TAINTED))
		known_set(&c->knowns, causes_now(c), c->knowns.never);
}

/* ---- after ---- */

static void park_after(struct causes *c, const struct step *s)
{
	struct causes_parked *p;

	VEC_REACH(&c->conds, s->obj);
	c->lanes.at[c->lane].parked = s->obj + 1;
	if (!c->absent) {
		p = VEC_PUSH(&c->conds.at[s->obj].parked);
		*p = (struct causes_parked){ .lane = c->lane };
		known_set(&c->knowns, &p->known, *causes_now(c));
	}
	if (!(s->flags & STEP_TRY))
		causes_lane_wait(c, c->lane, CAUSES_WAIT_COND, s->obj);
}

/* The lane's next event: it waits no longer. */
static void unpark(struct causes *c, struct causes_lane *l)
{
	struct causes_cond *k = &c->conds.at[l->parked - 1];

	for (size_t i = 0; i < k->parked.n; i++)
		if (k->parked.at[i].lane == c->lane) {
			known_set(&c->knowns, &k->parked.at[i].known, NULL);
			k->parked.at[i] = k->parked.at[--k->parked.n];
			break;
		}
	l->parked = 0;
}

static void note_after(struct causes *c, const struct step *s)
{
	if (s->op == STEP_SPLIT)
		causes_split(c, s->obj, s->other);
	else if (s->op == STEP_DROP)
		causes_drop(c, s->obj);
	else if (s->op == STEP_FORGET && s->obj < c->channels.n)
		known_set(&c->knowns, &c->channels.at[s->obj], NULL);
}

static void wait_after(struct causes *c, const struct step *s)
{
	bool lock = s->op == STEP_REQ || s->op == STEP_RREQ;

	if (!(s->flags & STEP_TRY) && (!lock || c->opt.kind == CAUSES_MVC))
		causes_lane_wait(c, c->lane, lock ? CAUSES_WAIT_LOCK : CAUSES_WAIT_LANE, s->obj);
}

static void step_after(struct causes *c, const struct step_batch *b, const struct step *s)
{
	step_access(c, b, s, causes_access_after);
	switch (s->op) {
	case STEP_ACQ:
	case STEP_REL:
	case STEP_RACQ:
	case STEP_RREL:
		causes_lock_after(c, s);
		if (s->op == STEP_REL || s->op == STEP_RREL)
			causes_lanes_wake(c, CAUSES_WAIT_LOCK, s->obj);
		break;
	case STEP_FORK:
		causes_lane_meet(c, s->obj);
		known_join(&c->knowns, &c->lanes.at[s->obj].now, *causes_now(c));
		break;
	case STEP_JOIN:
		causes_lane_wait(c, s->obj, CAUSES_WAIT_FORK, 0);
		break;
	case STEP_PUT:
		VEC_REACH(&c->channels, s->obj);
		known_join(&c->knowns, &c->channels.at[s->obj], *causes_now(c));
		break;
	case STEP_PARK:
		park_after(c, s);
		break;
	case STEP_REQ:
	case STEP_RREQ:
	case STEP_JOINING:
		wait_after(c, s);
		break;
	case STEP_NONE:
		if (s->flags & STEP_LAST) {
			causes_lanes_wake(c, CAUSES_WAIT_LANE, c->lane);
			causes_lane_wait(c, c->lane, CAUSES_WAIT_FORK, 0);
		}
		break;
	case STEP_NOTIFY:
		causes_lanes_wake(c, CAUSES_WAIT_COND, s->obj);
		break;
	default:
		note_after(c, s);
		break;
	}
}

/* ---- points ---- */

static void needs_find(struct causes *c, const struct causes_lane *l)
{
	VEC_CLEAR(&c->needs);
	if (l->now == l->told || !l->now)
		return;
	for (uint32_t i = 0; i < l->now->n; i++)
		if (i != c->lane && l->now->at[i] > known_at(l->told, i))
			*VEC_PUSH(&c->needs) = (struct point_need){ i, l->now->at[i] };
}

/* The event in hand is a point.  With a path it may turn out that the run does not have it. */
static void point_make(struct causes *c)
{
	struct causes_lane *l = &c->lanes.at[c->lane];
	const uint64_t *number;

	if (c->opt.path) {
		number = map_get(&c->path, c->pos);
		if (number)
			known_raise(&c->knowns, &l->now, 0, (uint32_t)*number);
		else
			known_set(&c->knowns, &l->now, c->knowns.never);
		c->absent = !number;
		return;
	}
	needs_find(c, l);
	assert(l->count < UINT32_MAX - 1);
	l->count++;
	known_raise(&c->knowns, &l->now, c->lane, l->count);
	known_set(&c->knowns, &l->told, l->now);
	c->sent = !c->opt.box || (c->lane < c->opt.nbox && l->count <= c->opt.box[c->lane]);
}

/* Steps of properties; other points are there for the order alone. */
static bool is_relevant(const struct causes *c, const struct watch_item *item)
{
	return item &&
	       (item->events || item->nwrites || (item->reads & c->opt.spec->relevant_variables));
}

static void point_send(struct causes *c, const struct watch_item *item,
		       const struct watch_items *items)
{
	struct point m = { .pos = c->pos,
			   .lane = c->lane,
			   .nneeds = (uint32_t)c->needs.n,
			   .nstarts = (uint32_t)c->starts.n,
			   .njoins = (uint32_t)c->joins.n,
			   .needs = c->needs.at,
			   .starts = c->starts.at,
			   .joins = c->joins.at };

	if (is_relevant(c, item)) {
		m.item = item;
		m.writes = items->writes.at;
	}
	c->points++;
	c->sink.point(c->sink.arg, &m);
}

/* ---- events ---- */

static bool is_point(const struct causes *c, const struct step_batch *b, const struct step *s,
		     const struct watch_item *item)
{
	if (!c->opt.spec)
		return true;
	if (c->opt.kind == CAUSES_MVC)
		return is_relevant(c, item);
	return item || (s->op >= STEP_ACQ && s->op <= STEP_RREL) ||
	       (step_is_access(s) && causes_touches(c, b, s));
}

static void event_begin(struct causes *c, const struct step_batch *b, const struct step *s,
			const struct watch_item *item)
{
	struct causes_lane *l;

	causes_lane_meet(c, s->chain);
	c->pos = s->pos;
	c->lane = s->chain;
	l = &c->lanes.at[c->lane];
	if (l->parked)
		unpark(c, l);
	c->point = is_point(c, b, s, item);
	c->sent = false;
	if (c->point && c->opt.kind == CAUSES_WEAK && step_is_access(s))
		causes_weaken(c, b, s);
}

static void event_end(struct causes *c, const struct step *s, const struct watch_item *item,
		      const struct watch_items *items)
{
	if (c->sent && c->sends)
		point_send(c, item, items);
	closes_send(c);
	VEC_CLEAR(&c->starts);
	VEC_CLEAR(&c->joins);
	causes_past_note(c);
	if (c->absent)
		causes_lane_end(c, c->lane);
	if (c->opt.path)
		causes_rank(c, s->tid);
}

/* The n steps from s on are of one event, but for notes among them. */
static void event_take(struct causes *c, const struct step_batch *b, const struct step *s, size_t n,
		       const struct watch_item *item, const struct watch_items *items)
{
	event_begin(c, b, s, item);
	for (size_t i = 0; i < n; i++)
		step_before(c, b, &s[i]);
	c->absent = causes_is_never(c, *causes_now(c));
	if (c->point && !c->absent)
		point_make(c);
	for (size_t i = 0; i < n; i++)
		step_after(c, b, &s[i]);
	event_end(c, s, item, items);
}

static size_t event_length(const struct step_batch *b, size_t i)
{
	size_t n = 1;

	while (i + n < b->n && (b->at[i + n].flags & STEP_MORE))
		n++;
	return n;
}

void causes_take(struct causes *c, const struct step_batch *b, const struct watch_items *items)
{
	size_t at = 0, nitems = items ? items->at.n : 0;

	for (size_t i = 0, n; i < b->n; i += n) {
		const struct step *s = &b->at[i];
		const struct watch_item *item = NULL;

		n = 1;
		if (s->op >= STEP_SPLIT) {
			note_after(c, s);
			closes_send(c);
			continue;
		}
		while (at < nitems && items->at.at[at].pos < s->pos)
			at++;
		if (at < nitems && items->at.at[at].pos == s->pos)
			item = &items->at.at[at];
		n = event_length(b, i);
		event_take(c, b, s, n, item, items);
	}
}

void causes_finish(struct causes *c)
{
	for (size_t i = 0; i < c->weaks.n; i++) {
		struct causes_weak *w = &c->weaks.at[i];

		if (w->open)
			causes_leave(c, w->open);
		w->open = 0;
	}
	closes_send(c);
	for (uint32_t i = 0; i < c->lanes.n; i++)
		causes_lane_end(c, i);
}
