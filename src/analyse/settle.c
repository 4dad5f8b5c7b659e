/*
 * What of the findings the report shows: of several that tell the same story the one that tells most, and
 * none that the user has said not to want.
 */
#include "analyse/pass.h"

#include "finding/suppress.h"
#include "report/words.h"
#include "witness/evidence.h"

/* The program has said of what they race on that it does not matter. */
static bool is_benign(const struct pass *p, const struct finding *f)
{
	struct evidence_object o;

	for (uint32_t i = 0; f->kind == FINDING_RACE && i < f->nevents; i++)
		if (evidence_object(p->report.evidence, f->events[i], &o) && o.benign)
			return true;
	return false;
}

static bool is_wanted(void *arg, const struct finding *f)
{
	struct pass *p = arg;
	struct suppress_names names = { 0 };
	STRBUF_SCOPED subject = { 0 };
	bool hidden;

	if (is_benign(p, f)) {
		p->report.benign++;
		return false;
	}
	if (!p->a->suppress)
		return true;
	words_subject(p->report.evidence, f, &subject);
	words_names(p->report.evidence, f, strbuf_str(&subject), &names);
	hidden = suppress_match(p->a->suppress, f->kind, &names);
	words_names_release(&names);
	p->report.suppressed += hidden;
	return !hidden;
}

/* Does the race say that the free came first? */
static bool is_told_by(const struct evidence *ev, const struct finding *f,
		       const struct finding *race)
{
	struct evidence_event a, b;

	if (race->kind != FINDING_RACE || race->status == FINDING_WARNING)
		return false;
	a = evidence_get(ev, race->events[0]);
	b = evidence_get(ev, f->events[0]);
	if (a.op != EVENT_FREE || a.site != b.site)
		return false;
	a = evidence_get(ev, race->events[1]);
	b = evidence_get(ev, f->events[1]);
	return a.op == b.op && a.site == b.site;
}

static bool has_site(const struct finding *f, uint32_t site)
{
	for (uint32_t i = 0; i < f->nevents; i++)
		if (f->sites[i] == site)
			return true;
	return false;
}

/* A race of two of the places that split a block, which are then of two threads. */
static struct finding *race_of(struct pass *p, const struct finding *split)
{
	for (size_t i = 0; split->certified && i < p->findings.at.n; i++) {
		struct finding *f = &p->findings.at.at[i];

		if (f->kind == FINDING_RACE && f->certified && has_site(split, f->sites[0]) &&
		    has_site(split, f->sites[1]))
			return f;
	}
	return NULL;
}

/* Races that split blocks say so. */
static void tell_splits(struct pass *p)
{
	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *f = &p->findings.at.at[i];
		struct finding *race = f->kind == FINDING_ATOMICITY ? race_of(p, f) : NULL;
		STRBUF_SCOPED block = { 0 };

		if (!race || race->also || !f->split.pattern)
			continue;
		if (f->block == FINDING_BLOCK_MARKED)
			words_block(p->report.evidence, f->split.block, &block);
		else
			words_guess(p->report.evidence, f->split.a, f->split.c, &block);
		race->also = texts_add(&p->findings.words,
				       f->block == FINDING_BLOCK_MARKED
					       ? "and it splits %s, which is meant to be atomic"
					       : "and it splits %s, which seems meant to be atomic",
				       strbuf_str(&block));
	}
}

/* A block that nobody has marked, and no run that splits it beyond doubt. */
static bool is_idle_guess(const struct finding *f)
{
	return f->kind == FINDING_ATOMICITY && f->block != FINDING_BLOCK_MARKED &&
	       f->status == FINDING_WARNING;
}

/* With all pairs everything is told. */
static bool is_news(void *arg, const struct finding *f)
{
	struct pass *p = arg;

	if (is_idle_guess(f) && !p->a->engine.all_pairs) {
		p->report.guesses++;
		return false;
	}
	if (f->kind == FINDING_ATOMICITY && !p->a->engine.all_pairs && race_of(p, f))
		return false;
	if (f->refuted && !p->a->verbose)
		return false; /* counted all the same */
	for (size_t i = 0; finding_is_stale(f) && i < p->findings.at.n; i++)
		if (is_told_by(p->report.evidence, f, &p->findings.at.at[i]))
			return false;
	return true;
}

void settle_findings(struct pass *p)
{
	bool all = p->a->engine.all_pairs;

	findings_settle(&p->findings, all);
	if (!all)
		tell_splits(p);
	findings_keep(&p->findings, is_news, p);
	if (p->a->suppress)
		suppress_begin(p->a->suppress);
	findings_keep(&p->findings, is_wanted, p);
	findings_settle(&p->findings, all);
}
