/*
 * The two runs of a finding, as the page draws them: which events, in which order.
 *
 * A schedule may have a million events, and a page must open at once.  So what matters is chosen as for
 * text (story.c), with more room; where all of it has room the rest comes along, folded; else the
 * rest is counted.
 *
 *	"predicted": [12, 14, [3, 0, 7], 21]	events by number; between: so many of each lane, of others
 */
#include "monitor/watch.h"
#include "report/html_priv.h"

#define LOOKS 100 /* of a property that are kept in a picture */

struct scene {
	struct html *h;
	const struct finding *f;
	struct check_order predicted, recorded; /* all of them */
	struct story_choice chosen, seen;	/* of these; lanes are those of chosen */
	struct map matters;			/* positions that are shown */
	struct map there;			/* ... and those that come along */
	struct map tainted;
	struct html_variables variables;
	bool two; /* there is a predicted run besides the recorded one */
};

static void scene_release(struct scene *s)
{
	VEC_RELEASE_ALL(&s->predicted.at, &s->recorded.at, &s->chosen.at, &s->seen.at);
	MAP_RELEASE_ALL(&s->matters, &s->there, &s->tainted);
}

static uint32_t lane_of(const struct scene *s, uint32_t tid)
{
	uint32_t i = 0;

	while (i < s->chosen.ntids && s->chosen.tids[i] != tid)
		i++;
	return i;
}

/* ---- what is shown ---- */

static void keep_add(struct check_order *keep, uint64_t pos)
{
	if (pos)
		*VEC_PUSH(&keep->at) = pos;
}

static void keep_looks(const struct scene *s, struct check_order *keep)
{
	const struct states_watch *w = s->h->r->watch;
	int property = w ? states_property(w, s->f->property) : -1;
	struct states states;

	if (property < 0)
		return;
	states_get(w, s->predicted.at.at, s->predicted.at.n, LOOKS, property, &states);
	for (size_t i = 0; i < states.at.n; i++)
		keep_add(keep, states.at.at[i].pos);
	states_release(&states);
}

/* What makes no sense without: targets, the locks that others wait for, looks of the property. */
static void keep_find(const struct scene *s, struct check_order *keep)
{
	const struct finding *f = s->f;
	struct cycle c;

	for (uint32_t i = 0; i < f->nevents; i++)
		keep_add(keep, f->events[i]);
	if (f->property) {
		keep_looks(s, keep);
	} else if (!finding_is_about_memory(f) && !finding_is_end(f)) {
		cycle_find(s->h->x.ev, f, &c);
		for (uint32_t i = 0; i < c.n; i++)
			keep_add(keep, c.at[i].held);
	}
}

static void choose(struct scene *s)
{
	const struct story *story = explain_story(&s->h->x);
	VEC_SCOPED struct check_order keep = { 0 };
	struct story_wish w = { .targets = s->f->events, .ntargets = s->f->nevents };
	const struct check_order *run = s->two ? &s->predicted : &s->recorded;

	keep_find(s, &keep);
	w.keep = keep.at.at;
	w.nkeep = keep.at.n;
	w.lines = keep.at.n + s->h->events / 2;
	story_choose(story, s->f, &w, run->at.at, run->at.n, &s->chosen);
	for (size_t i = 0; i < s->chosen.at.n; i++)
		keep_add(&keep, run->at.at[s->chosen.at.at[i]]);
	for (size_t i = 0; i < keep.at.n; i++)
		map_put(&s->matters, keep.at.at[i], NULL);
	if (!s->two)
		return;
	w.keep = keep.at.at;
	w.nkeep = keep.at.n;
	w.lines = keep.at.n + s->h->events / 4;
	story_choose(story, s->f, &w, s->recorded.at.at, s->recorded.at.n, &s->seen);
	for (size_t i = 0; i < s->seen.at.n; i++)
		map_put(&s->matters, s->recorded.at.at[s->seen.at.at[i]], NULL);
}

/* Kept events may be of threads that the choice gave no lane. */
static void lanes_fill(struct scene *s)
{
	struct map_item item;
	size_t at = 0;

	while (map_next(&s->matters, &at, &item)) {
		uint32_t tid = evidence_get(s->h->x.ev, item.key).tid;

		if (lane_of(s, tid) == s->chosen.ntids && s->chosen.ntids < COLUMNS_MAX)
			s->chosen.tids[s->chosen.ntids++] = tid;
	}
	/* By number, whatever was met first: the same in every picture of one program. */
	for (uint32_t i = 1; i < s->chosen.ntids; i++)
		for (uint32_t k = i; k > 0 && s->chosen.tids[k - 1] > s->chosen.tids[k]; k--) {
			uint32_t tid = s->chosen.tids[k];

			s->chosen.tids[k] = s->chosen.tids[k - 1];
			s->chosen.tids[k - 1] = tid;
		}
}

/* All of the lanes' events, when they are few; else those that matter. */
static void fill(struct scene *s)
{
	bool all = s->predicted.at.n + s->recorded.at.n <= 2 * s->h->events;
	struct map_item item;
	size_t at = 0;

	lanes_fill(s);
	while (map_next(&s->matters, &at, &item))
		if (lane_of(s, evidence_get(s->h->x.ev, item.key).tid) < s->chosen.ntids)
			map_put(&s->there, item.key, NULL);
	for (size_t i = 0; all && i < s->predicted.at.n; i++)
		if (lane_of(s, evidence_get(s->h->x.ev, s->predicted.at.at[i]).tid) <
		    s->chosen.ntids)
			map_put(&s->there, s->predicted.at.at[i], NULL);
	for (size_t i = 0; all && i < s->recorded.at.n; i++)
		if (lane_of(s, evidence_get(s->h->x.ev, s->recorded.at.at[i]).tid) <
		    s->chosen.ntids)
			map_put(&s->there, s->recorded.at.at[i], NULL);
}

/* ---- the orders ---- */

/* A signal that is lost lies in its order; other targets of a wait or a race are next at its end. */
static bool is_next(const struct scene *s, uint64_t pos)
{
	struct evidence_event e = evidence_get(s->h->x.ev, pos);

	if (finding_is_whole(s->f) || !s->two)
		return false;
	return s->f->kind != FINDING_LOST_WAKEUP || cycle_is_wait(&e);
}

/* The recorded run, up to the last event that matters to the other one. */
static void recorded_find(struct scene *s)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < s->f->nevents; i++)
		last = s->f->events[i] > last ? s->f->events[i] : last;
	for (size_t i = 0; i < s->predicted.at.n; i++)
		last = s->predicted.at.at[i] > last ? s->predicted.at.at[i] : last;
	if (last > evidence_count(s->h->x.ev))
		last = evidence_count(s->h->x.ev);
	for (uint64_t pos = 1; pos <= last; pos++)
		*VEC_PUSH(&s->recorded.at) = pos;
}

static void gap_json(struct html *h, const struct scene *s, const uint64_t *counts)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i <= s->chosen.ntids; i++)
		n += counts[i];
	if (n == 0)
		return;
	json_open(&h->j, NULL, '[');
	for (uint32_t i = 0; i <= s->chosen.ntids; i++)
		json_number(&h->j, NULL, counts[i]);
	json_close(&h->j, ']');
}

static void run_json(const struct scene *s, const char *key, const struct check_order *run)
{
	uint64_t counts[COLUMNS_MAX + 1] = { 0 }; /* since the last event that is there */
	struct html *h = s->h;

	json_open(&h->j, key, '[');
	for (size_t i = 0; i < run->at.n; i++) {
		uint64_t pos = run->at.at[i];

		if (!map_get(&s->there, pos)) {
			counts[lane_of(s, evidence_get(h->x.ev, pos).tid)]++;
			continue;
		}
		gap_json(h, s, counts);
		memset(counts, 0, sizeof(counts));
		json_number(&h->j, NULL, pos);
	}
	gap_json(h, s, counts);
	json_close(&h->j, ']');
}

/* ---- the events ---- */

/* "open, use": what the spec calls it. */
static void label_format(const struct scene *s, uint64_t pos, struct strbuf *out)
{
	const struct states_watch *w = s->f->property ? s->h->r->watch : NULL;
	const struct watch_item *item = w ? watch_items_find(w->items, pos) : NULL;

	for (uint32_t i = 0; item && w->monitors->spec && i < w->monitors->spec->nevents; i++)
		if (item->events >> i & 1)
			strbuf_addf(out, "%s%s", out->n ? ", " : "",
				    w->monitors->spec->events[i].name);
}

static void events_json(const struct scene *s)
{
	struct html *h = s->h;
	struct check_order all = { 0 };
	struct map_item item;
	size_t at = 0;

	while (map_next(&s->there, &at, &item))
		*VEC_PUSH(&all.at) = item.key;
	SORT_VEC(&all.at, sort_order_u64);
	json_open(&h->j, "events", '[');
	for (size_t i = 0; i < all.at.n; i++) {
		STRBUF_SCOPED label = { 0 };
		uint64_t pos = all.at.at[i];

		label_format(s, pos, &label);
		html_event(h, &(struct html_event){
				      .pos = pos,
				      .matters = map_get(&s->matters, pos) != NULL,
				      .tainted = map_get(&s->tainted, pos) != NULL,
				      .variable = html_variable_of(h->x.ev, &s->variables, pos),
				      .label = label.at });
	}
	json_close(&h->j, ']');
	VEC_RELEASE(&all.at);
}

/* "split": [a, b, d, c], of a block and what comes between. */
static void split_json(const struct scene *s)
{
	struct json *j = &s->h->j;
	const struct finding_split *split = &s->f->split;

	if (s->f->kind != FINDING_ATOMICITY || !s->two || !split->pattern)
		return;
	json_open(j, "split", '[');
	json_number(j, NULL, split->a);
	json_number(j, NULL, split->b);
	json_number(j, NULL, split->d);
	json_number(j, NULL, split->c);
	json_close(j, ']');
}

static void scene_json(struct scene *s)
{
	struct html *h = s->h;

	json_open(&h->j, "scene", '{');
	json_open(&h->j, "lanes", '[');
	for (uint32_t i = 0; i < s->chosen.ntids; i++) {
		html_thread(h, s->chosen.tids[i]);
		json_number(&h->j, NULL, s->chosen.tids[i]);
	}
	json_close(&h->j, ']');
	html_variables(h, s->f, &s->variables);
	run_json(s, "recorded", &s->recorded);
	html_values(h, s->f, &s->variables, "recorded_values", &s->recorded, &s->there, false);
	if (s->two) {
		run_json(s, "predicted", &s->predicted);
		html_values(h, s->f, &s->variables, "predicted_values", &s->predicted, &s->there,
			    true);
	}
	json_open(&h->j, "next", '[');
	for (uint32_t i = 0; i < s->f->nevents; i++)
		if (is_next(s, s->f->events[i]))
			json_number(&h->j, NULL, s->f->events[i]);
	json_close(&h->j, ']');
	split_json(s);
	events_json(s);
	json_close(&h->j, '}');
}

/* Why there is no picture; NULL: there is one. */
static const char *refusal(struct scene *s)
{
	uint64_t cost;

	if (!s->h->x.ev || evidence_count(s->h->x.ev) == 0 || s->f->nevents == 0)
		return "there is no run to show";
	s->two = s->f->claimed && !s->f->observed &&
		 check_expand(s->h->x.ev, &s->f->schedule, &s->predicted);
	recorded_find(s);
	cost = 4 * (s->predicted.at.n + s->recorded.at.n);
	if (cost > s->h->steps)
		return "there are too many long runs to show them all in one page";
	s->h->steps -= cost;
	return NULL;
}

void html_scene(struct html *h, const struct finding *f)
{
	struct scene s = { .h = h, .f = f };
	const char *why = refusal(&s);

	if (why) {
		json_string(&h->j, "no_scene", why);
	} else {
		for (size_t i = 0; i < f->tainted.n; i++)
			map_put(&s.tainted, f->tainted.at[i], NULL);
		html_variables_find(h->x.ev, f, &s.variables);
		choose(&s);
		fill(&s);
		scene_json(&s);
	}
	scene_release(&s);
}
