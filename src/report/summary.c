#include "finding/suppress.h"
#include "report/baseline.h"
#include "report/ending.h"
#include "report/explain_priv.h"
#include "report/kept.h"

static void add_count(struct strbuf *out, const char **comma, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	strbuf_addf(out, "%s%" PRIu64 " %s", *comma, n, what);
	*comma = ", ";
}

/* What an engine's predictions are worth once the checker has spoken. */
enum worth {
	WORTH_ALL,  /* certified */
	WORTH_SOME, /* some of them are only warnings */
	WORTH_NONE, /* all of them */
};

/* stopped: what some thread did was not followed to its end, so more may be possible than they know. */
static void counts_format(const struct engine_counts *c, enum engine_aim aim, enum worth worth,
			  bool stopped, struct strbuf *out)
{
	static const char *const predicted[] = { "predicted", "predicted (warnings among them)",
						 "possible" };
	const char *comma = ": ";

	if (aim == ENGINE_WAITS)
		strbuf_addf(out, "%" PRIu64 " candidate deadlock%s", c->candidates,
			    WORDS_PLURAL(c->candidates));
	else
		strbuf_addf(out, "%" PRIu64 " candidate %s%s of places", c->candidates,
			    aim == ENGINE_BLOCKS ? "pattern" : "pair", WORDS_PLURAL(c->candidates));
	add_count(out, &comma, c->predicted, predicted[worth]);
	add_count(out, &comma, c->refuted,
		  stopped ? "refuted in what could be followed" : "refuted exactly");
	add_count(out, &comma, c->searched, "looked for and not found");
	add_count(out, &comma, c->undecided, "not decided");
}

/* Of an engine that only tries: what it has found, and what the checker says to that. */
static void tries_format(const struct engine_counts *c, bool partial, struct strbuf *out)
{
	const char *comma = ": ";

	strbuf_addf(out, "%" PRIu64 " check%s, %" PRIu64 " violated", c->checks,
		    WORDS_PLURAL(c->checks), c->candidates);
	add_count(out, &comma, c->predicted, partial ? "possible" : "certified");
	add_count(out, &comma, c->refuted, "refuted");
	add_count(out, &comma, c->undecided, "neither");
}

static bool is_doubted(const struct finding *f)
{
	return f->doubted;
}

/* Every analysis that counts, by name where several look for the same.  Of several, those that met
 * no candidate have nothing to say. */
static void analyses_format(const struct report *r, struct strbuf *out)
{
	struct trace_info info = trace_info(r->trace);
	bool doubts = findings_any(r->findings, is_doubted);
	bool partial = info.partial || info.blind || (info.code && doubts);
	enum worth worth = partial ? WORTH_NONE : doubts ? WORTH_SOME : WORTH_ALL;

	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		if (!a->counted || (r->nanalyses > 1 && a->counts.candidates == 0))
			continue;
		strbuf_adds(out, " ");
		if (scope_is_shared(r, a->engine))
			strbuf_addf(out, "%s: ", a->engine->name);
		if (a->engine->proof == ENGINE_TRIES)
			tries_format(&a->counts, partial, out);
		else
			counts_format(&a->counts, a->engine->aim, worth, r->stopped != 0, out);
		strbuf_adds(out, ".");
	}
}

/* Not properties alone. */
static bool is_about_events(const struct scope *s)
{
	return s->races || s->waits || s->blocks;
}

/* "race, deadlock or violated property" */
static void looked_for(const struct scope *s, bool properties, struct strbuf *out)
{
	const char *words[] = { s->races ? "race" : NULL, s->waits ? "deadlock" : NULL,
				s->blocks ? "split block" : NULL,
				properties || !is_about_events(s) ? "violated property" : NULL };
	size_t left = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		left += words[i] != NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!words[i])
			continue;
		strbuf_adds(out, out->n == 0 ? "" : left == 1 ? " or " : ", ");
		strbuf_adds(out, words[i]);
		left--;
	}
}

/* Beside races and deadlocks, which were told of, or alone.  A lattice has many of the runs that are
 * possible, not all. */
static void none_violated(const struct report *r, const struct scope *s, struct strbuf *out)
{
	const char *blank = is_about_events(s) ? " " : "";

	if (!s->properties)
		return;
	if (r->properties == 0)
		strbuf_addf(out, "%sno spec, so the lattice was only counted (-s FILE gives one).",
			    blank);
	else
		strbuf_addf(out, "%sno property violated in any run of the lattice.", blank);
}

static void none_format(const struct report *r, const struct scope *s, struct strbuf *out)
{
	STRBUF_SCOPED words = { 0 };
	const char *what;

	looked_for(s, r->properties && r->truncated.n, &words);
	what = strbuf_str(&words);
	if (r->suppressed)
		strbuf_adds(out, "no finding but those suppressed.");
	else if (r->benign)
		strbuf_adds(out, "no finding but those declared benign.");
	else if (r->truncated.n)
		strbuf_addf(out, "no %s found, but not everything was looked at.", what);
	else if (r->events == 0)
		strbuf_adds(out, "nothing to look at: the trace has no events.");
	else if (!is_about_events(s))
		none_violated(r, s, out);
	else if (s->because.n == 0)
		strbuf_addf(out, "no %s in any run that the recording proves possible.", what);
	else if (s->given)
		strbuf_addf(out, "no %s in any run that the recording proves possible, where %s.",
			    what, s->given);
	else
		strbuf_addf(out, "no %s found.", what);
	if (r->events && r->truncated.n == 0 && is_about_events(s))
		none_violated(r, s, out);
}

/* Locks in opposite order that do no harm here are worth a look all the same. */
static void refuted_format(const struct report *r, struct strbuf *out)
{
	uint64_t refuted = 0;

	for (size_t i = 0; i < r->nanalyses; i++)
		if (r->analyses[i].engine->aim == ENGINE_WAITS)
			refuted += r->analyses[i].counts.refuted;
	if (refuted)
		strbuf_adds(out, "  -a patterns shows the deadlocks that were refuted.\n");
}

/* Why it is not, and what would look further. */
static void because_format(const struct report *r, const struct scope *s, struct strbuf *out)
{
	size_t told = 0;

	/* Those of a search that was cut short have lines of their own, with a remedy. */
	for (size_t i = 0; i < s->because.n; i++) {
		bool apart = false;

		for (size_t k = 0; k < r->truncated.n; k++)
			apart |= strcmp(s->because.at[i], r->truncated.at[k]) == 0;
		if (!apart && told++ == 0)
			strbuf_adds(out, "  That is no proof:\n");
		if (!apart)
			strbuf_addf(out, "    %s\n", s->because.at[i]);
	}
	if (s->open_races || s->open_waits || s->open_blocks)
		strbuf_adds(out, "  A larger --window looks further, and so does a shorter run.\n");
	else if (!s->decided && r->truncated.n == 0)
		strbuf_addf(out, "  -a %s decides more.\n",
			    (s->races	? &engine_races
			     : s->waits ? &engine_deadlocks
					: &engine_atomicity)
				    ->name);
}

/* What "none" does not say. */
static void limits_format(const struct report *r, const struct scope *s, struct strbuf *out)
{
	if (r->events && r->threads < 2)
		strbuf_adds(out, "  Only one thread was recorded.\n");
	if (r->events == 0 || !is_about_events(s))
		return;
	if (s->because.n && !s->given) {
		because_format(r, s, out);
		return;
	}
	strbuf_addf(
		out,
		"  Every %sorder of the %" PRIu64 " recorded events was considered; other input, "
		"other values, or\n  code that did not run may still %s.\n",
		s->given ? "such " : "", r->events, s->waits || s->blocks ? "go wrong" : "race");
	if (s->given)
		strbuf_adds(out, "  There may be other orders:\n");
	for (size_t i = 0; s->given && i < s->because.n; i++)
		strbuf_addf(out, "    %s\n", s->because.at[i]);
}

static size_t count(const struct report *r)
{
	return r->findings->at.n + (r->kept ? r->kept->at.n : 0);
}

static void found_format(const struct report *r, struct strbuf *out)
{
	size_t n = count(r), warnings = 0;
	size_t kinds[FINDING_NKINDS] = { 0 };
	const char *comma = "";

	for (size_t i = 0; i < r->findings->at.n; i++) {
		kinds[r->findings->at.at[i].kind]++;
		warnings += r->findings->at.at[i].status == FINDING_WARNING;
	}
	for (size_t i = 0; r->kept && i < r->kept->at.n; i++) {
		kinds[r->kept->at.at[i].kind]++;
		warnings += r->kept->at.at[i].status == FINDING_WARNING;
	}
	strbuf_addf(out, "%zu finding%s (", n, WORDS_PLURAL(n));
	for (int k = 0; k < FINDING_NKINDS; k++) {
		if (kinds[k] == 0)
			continue;
		strbuf_addf(out, "%s%zu %s%s", comma, kinds[k],
			    k == FINDING_PROPERTY    ? "property violation"
			    : k == FINDING_ATOMICITY ? "split block"
						     : finding_kind_name(k),
			    WORDS_PLURAL(kinds[k]));
		comma = ", ";
	}
	if (warnings == n)
		strbuf_addf(out, "; warning%s only", WORDS_PLURAL(n));
	else if (warnings)
		strbuf_addf(out, "; %zu of them warning%s", warnings, WORDS_PLURAL(warnings));
	strbuf_adds(out, ").");
}

static void suppressed_format(const struct report *r, struct strbuf *out)
{
	if (r->benign)
		strbuf_addf(out, "%" PRIu64 " race%s declared benign by the program, not shown.\n",
			    r->benign, WORDS_PLURAL(r->benign));
	if (r->suppressed == 0)
		return;
	strbuf_addf(out, "%" PRIu64 " suppressed:\n", r->suppressed);
	for (size_t i = 0; i < suppress_count(r->suppress); i++) {
		struct suppress_rule rule = suppress_rule(r->suppress, i);

		if (rule.hits)
			strbuf_addf(out, "  %" PRIu64 " by %s (line %" PRIu32 ")\n", rule.hits,
				    rule.text, rule.line);
	}
}

/* Which option would have helped.  The words are those of engines and of analyse/. */
static const char *remedy(const char *truncated)
{
	if (strstr(truncated, "the checker"))
		return NULL;
	if (strstr(truncated, "budget"))
		return "a larger --budget N looks longer at each";
	if (strstr(truncated, "fit in memory"))
		return "a shorter run, or -a hb, which needs no model of the run";
	return NULL;
}

static void truncated_format(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->truncated.n; i++) {
		const char *help = remedy(r->truncated.at[i]);

		strbuf_addf(out, "not complete: %s\n", r->truncated.at[i]);
		if (help)
			strbuf_addf(out, "  %s\n", help);
	}
}

/* Runs that the lattices hold, one line each. */
static void lattices_format(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct lattice_counts *c = r->analyses[i].lattice;
		uint64_t runs;

		if (!c)
			continue;
		strbuf_addf(out,
			    "%s: %" PRIu64 " cut%s, %" PRIu64 " edge%s, %" PRIu64 " level%s, the"
			    " widest of %" PRIu64 ", %" PRIu64 " dead end%s",
			    r->analyses[i].engine->name, c->cuts, WORDS_PLURAL(c->cuts), c->edges,
			    WORDS_PLURAL(c->edges), c->levels, WORDS_PLURAL(c->levels), c->widest,
			    c->dead_ends, WORDS_PLURAL(c->dead_ends));
		if (c->counted) {
			strbuf_adds(out, "; ");
			big_print(&c->runs, out);
			strbuf_adds(out, big_fits(&c->runs, &runs) && runs == 1 ? " run" : " runs");
			if (r->properties) {
				strbuf_adds(out, ", ");
				big_print(&c->violating_runs, out);
				strbuf_adds(out, " violating");
			}
		}
		strbuf_addf(out, "%s\n", c->truncated ? " (not all)" : "");
	}
}

void summary_format(const struct report *r, struct strbuf *out)
{
	bool none = count(r) == 0;
	struct scope s;

	scope_get(r, &s);
	if (none)
		none_format(r, &s, out);
	else
		found_format(r, out);
	analyses_format(r, out);
	strbuf_adds(out, "\n");
	ending_words(r->trace, out);
	if (none) {
		ending_waits(r->ending, r->trace, out);
		limits_format(r, &s, out);
		refuted_format(r, out);
	}
	lattices_format(r, out);
	suppressed_format(r, out);
	if (r->baseline)
		baseline_format(r->baseline, out);
	truncated_format(r, out);
	scope_release(&s);
}
