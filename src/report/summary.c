#include "report/summary.h"

#include <inttypes.h>
#include <string.h>

#include "finding/suppress.h"
#include "report/kept.h"
#include "report/report.h"
#include "report/words.h"
#include "trace/trace.h"

static void add_count(struct strbuf *out, const char **comma, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	strbuf_addf(out, "%s%" PRIu64 " %s", *comma, n, what);
	*comma = ", ";
}

/* What an analysis looks for. */
enum aim { AIM_RACES, AIM_WAITS, AIM_PROPERTIES };

static enum aim aim_of(const char *analysis)
{
	static const struct {
		const char *name;
		enum aim aim;
	} aims[] = { { "goodlock", AIM_WAITS },
		     { "patterns", AIM_WAITS },
		     { "patterns-mhb", AIM_WAITS },
		     { "patterns-all", AIM_WAITS },
		     { "spd", AIM_WAITS },
		     { "deadlocks", AIM_WAITS },
		     { "waits", AIM_WAITS },
		     { "lattice-mvc", AIM_PROPERTIES },
		     { "lattice-weak", AIM_PROPERTIES },
		     { "property", AIM_PROPERTIES } };

	for (size_t i = 0; i < sizeof(aims) / sizeof(aims[0]); i++)
		if (strcmp(aims[i].name, analysis) == 0)
			return aims[i].aim;
	return AIM_RACES;
}

bool summary_is_shared(const struct report *r, const char *analysis)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nanalyses; i++)
		n += aim_of(r->analyses[i].name) == aim_of(analysis);
	return n > 1;
}

/* partial: what the engines predict is no more than a warning. */
static void counts_format(const struct engine_counts *c, bool waits, bool partial,
			  struct strbuf *out)
{
	const char *comma = ": ";

	if (waits)
		strbuf_addf(out, "%" PRIu64 " candidate deadlock%s", c->candidates,
			    WORDS_PLURAL(c->candidates));
	else
		strbuf_addf(out, "%" PRIu64 " candidate pair%s of places", c->candidates,
			    WORDS_PLURAL(c->candidates));
	add_count(out, &comma, c->predicted, partial ? "possible" : "predicted");
	add_count(out, &comma, c->refuted, "refuted exactly");
	add_count(out, &comma, c->searched, "looked for and not found");
	add_count(out, &comma, c->undecided, "not decided");
}

/* Every analysis that counts, by name where several look for the same.  Of several, those that met
 * no candidate have nothing to say. */
static void analyses_format(const struct report *r, struct strbuf *out)
{
	struct trace_info info;

	trace_info(r->trace, &info);
	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		if (!a->counted || (r->nanalyses > 1 && a->counts.candidates == 0))
			continue;
		strbuf_adds(out, " ");
		if (summary_is_shared(r, a->name))
			strbuf_addf(out, "%s: ", a->name);
		counts_format(&a->counts, aim_of(a->name) == AIM_WAITS, info.partial, out);
		strbuf_adds(out, ".");
	}
}

/* What the analyses look for, and how far they got with it. */
struct scope {
	bool races, waits, properties;	 /* looked for */
	bool decided;			 /* of each, some analysis has decided every candidate */
	uint64_t open_races, open_waits; /* looked for and not found, by the best analysis */
};

static bool has_decided(const struct report_analysis *a)
{
	return a->counted && a->complete && a->counts.searched == 0 && a->counts.undecided == 0;
}

static void scope_add(const struct report_analysis *a, bool *any, bool *decided, uint64_t *open)
{
	*any = true;
	*decided |= has_decided(a);
	if (a->counted && a->counts.searched < *open)
		*open = a->counts.searched;
}

static void scope_get(const struct report *r, struct scope *out)
{
	bool races = false, waits = false;
	struct trace_info info;

	trace_info(r->trace, &info);
	*out = (struct scope){ .open_races = UINT64_MAX, .open_waits = UINT64_MAX };
	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		if (aim_of(a->name) == AIM_WAITS)
			scope_add(a, &out->waits, &waits, &out->open_waits);
		else if (aim_of(a->name) == AIM_PROPERTIES)
			out->properties = true;
		else
			scope_add(a, &out->races, &races, &out->open_races);
	}
	out->decided = r->ntruncated == 0 && (races || !out->races) && (waits || !out->waits);
	if (info.locks_only && out->waits)
		out->races = false; /* there are none to see */
	if (out->open_races == UINT64_MAX)
		out->open_races = 0;
	if (out->open_waits == UINT64_MAX)
		out->open_waits = 0;
}

static const char *looked_for(const struct scope *s, bool properties)
{
	if (properties && (s->races || s->waits))
		return s->races && s->waits ? "race, deadlock or violated property"
		       : s->waits	    ? "deadlock or violated property"
					    : "race or violated property";
	return s->races && s->waits ? "race or deadlock"
	       : s->waits	    ? "deadlock"
	       : s->races	    ? "race"
				    : "violated property";
}

/* Beside races and deadlocks, which were told of, or alone.  A lattice has many of the runs that are
 * possible, not all. */
static void none_violated(const struct report *r, const struct scope *s, struct strbuf *out)
{
	const char *blank = s->races || s->waits ? " " : "";

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
	const char *what = looked_for(s, r->properties && r->ntruncated);
	struct trace_info info;

	trace_info(r->trace, &info);
	if (r->suppressed)
		strbuf_adds(out, "no finding but those suppressed.");
	else if (r->benign)
		strbuf_adds(out, "no finding but those declared benign.");
	else if (r->ntruncated)
		strbuf_addf(out, "no %s found, but not everything was looked at.", what);
	else if (r->events == 0)
		strbuf_adds(out, "nothing to look at: the trace has no events.");
	else if (!s->races && !s->waits)
		none_violated(r, s, out);
	else if (s->decided && !info.partial && !r->stuck)
		strbuf_addf(out, "no %s in any run that the recording proves possible.", what);
	else
		strbuf_addf(out, "no %s found.", what);
	if (r->events && r->ntruncated == 0 && (s->races || s->waits))
		none_violated(r, s, out);
}

static void open_format(uint64_t n, const char *one, const char *what, struct strbuf *out)
{
	if (n)
		strbuf_addf(out,
			    "  %" PRIu64 " %s%s may still be %s: a larger --window looks"
			    " further, and so does a shorter run.\n",
			    n, one, WORDS_PLURAL(n), what);
}

/* Locks in opposite order that do no harm here are worth a look all the same. */
static void refuted_format(const struct report *r, struct strbuf *out)
{
	uint64_t refuted = 0;

	for (size_t i = 0; i < r->nanalyses; i++)
		if (aim_of(r->analyses[i].name) == AIM_WAITS)
			refuted += r->analyses[i].counts.refuted;
	if (refuted)
		strbuf_adds(out, "  -a patterns shows the deadlocks that were refuted.\n");
}

/* What "none" does not say. */
static void limits_format(const struct report *r, const struct scope *s, struct strbuf *out)
{
	struct trace_info info;

	trace_info(r->trace, &info);
	if (info.locks_only)
		strbuf_adds(out,
			    "  No accesses were recorded (--locks-only): races and lost wakeups do"
			    " not show.\n");
	else if (info.partial)
		strbuf_adds(out, "  Accesses are missing by request (--only, --ignore).\n");
	if (info.late && r->ntruncated == 0) /* else there may have been more parts */
		strbuf_adds(out, "  The trace begins in the middle of the run; this is about what"
				 " is left of it.\n");
	if (!info.complete)
		strbuf_adds(out, "  The recording does not hold the whole run; what is missing was"
				 " not looked at.\n");
	if (r->stuck)
		strbuf_adds(out, r->stuck);
	if (r->events == 0)
		return;
	if (r->threads < 2)
		strbuf_adds(out, "  Only one thread was recorded.\n");
	if (s->decided && (s->races || s->waits))
		strbuf_addf(out,
			    "  Every order of the %" PRIu64 " recorded events was considered; other"
			    " input, other values, or\n  code that did not run may still %s.\n",
			    r->events, s->waits ? "go wrong" : "race");
	else if (s->open_races || s->open_waits) {
		open_format(s->open_races, "pair", "races", out);
		open_format(s->open_waits, "candidate", "deadlocks", out);
	} else if (r->ntruncated == 0 && (s->races || s->waits))
		strbuf_addf(out,
			    "  That is no proof: these analyses see some %s only; -a %s decides"
			    " more.\n",
			    s->races ? "races" : "deadlocks", s->races ? "races" : "deadlocks");
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
			    k == FINDING_PROPERTY ? "property violation" : finding_kind_name(k),
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

/* Which option would have helped.  The words are those of engines and of cli/. */
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
	for (size_t i = 0; i < r->ntruncated; i++) {
		const char *help = remedy(r->truncated[i]);

		strbuf_addf(out, "not complete: %s\n", r->truncated[i]);
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
			    r->analyses[i].name, c->cuts, WORDS_PLURAL(c->cuts), c->edges,
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
	if (none) {
		limits_format(r, &s, out);
		refuted_format(r, out);
	}
	lattices_format(r, out);
	suppressed_format(r, out);
	truncated_format(r, out);
}
