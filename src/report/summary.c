#include "report/summary.h"

#include <inttypes.h>
#include <string.h>

#include "finding/suppress.h"
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

static void counts_format(const struct engine_counts *c, struct strbuf *out)
{
	const char *comma = ": ";

	strbuf_addf(out, "%" PRIu64 " candidate pair%s of places", c->candidates,
		    WORDS_PLURAL(c->candidates));
	add_count(out, &comma, c->predicted, "predicted");
	add_count(out, &comma, c->refuted, "refuted exactly");
	add_count(out, &comma, c->searched, "looked for and not found");
	add_count(out, &comma, c->undecided, "not decided");
}

/* Every analysis that counts, by name where there are several. */
static void analyses_format(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		if (!a->counted)
			continue;
		strbuf_adds(out, " ");
		if (r->nanalyses > 1)
			strbuf_addf(out, "%s: ", a->name);
		counts_format(&a->counts, out);
		strbuf_adds(out, ".");
	}
}

/* Some analysis has decided every candidate. */
static bool is_decided(const struct report *r)
{
	bool decided = false;

	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		decided |= a->counted && a->complete && a->counts.searched == 0 &&
			   a->counts.undecided == 0;
	}
	return decided && r->ntruncated == 0;
}

static void none_format(const struct report *r, struct strbuf *out)
{
	struct trace_info info;

	trace_info(r->trace, &info);
	if (r->suppressed)
		strbuf_adds(out, "no finding but those suppressed.");
	else if (r->ntruncated)
		strbuf_adds(out, "no race found, but not everything was looked at.");
	else if (r->events == 0)
		strbuf_adds(out, "nothing to look at: the trace has no events.");
	else if (is_decided(r) && !info.partial)
		strbuf_adds(out, "no race in any run that the recording proves possible.");
	else
		strbuf_adds(out, "no race found.");
}

static uint64_t count_open(const struct report *r)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < r->nanalyses; i++)
		if (r->analyses[i].counted && r->analyses[i].counts.searched < least)
			least = r->analyses[i].counts.searched;
	return least == UINT64_MAX ? 0 : least;
}

/* What "none" does not say. */
static void limits_format(const struct report *r, struct strbuf *out)
{
	struct trace_info info;
	uint64_t open = count_open(r);

	trace_info(r->trace, &info);
	if (info.partial)
		strbuf_adds(out, "  Accesses are missing by request (--only, --ignore).\n");
	if (!info.complete)
		strbuf_adds(out, "  The recording does not hold the whole run; what is missing was"
				 " not looked at.\n");
	if (r->events == 0)
		return;
	if (r->threads < 2)
		strbuf_adds(out, "  Only one thread was recorded.\n");
	if (is_decided(r))
		strbuf_addf(out,
			    "  Every order of the %" PRIu64 " recorded events was considered; other"
			    " input, or code that\n  did not run, may still race.\n",
			    r->events);
	else if (open)
		strbuf_addf(out,
			    "  %" PRIu64 " pair%s may still be races: a larger --window looks"
			    " further, and so does a shorter run.\n",
			    open, WORDS_PLURAL(open));
	else if (r->ntruncated == 0)
		strbuf_adds(out, "  That is no proof: these analyses see some races only; -a races"
				 " decides more.\n");
}

static void found_format(const struct report *r, struct strbuf *out)
{
	size_t n = r->findings->at.n, warnings = 0;
	size_t kinds[FINDING_NKINDS] = { 0 };
	const char *comma = "";

	for (size_t i = 0; i < n; i++) {
		kinds[r->findings->at.at[i].kind]++;
		warnings += r->findings->at.at[i].status == FINDING_WARNING;
	}
	strbuf_addf(out, "%zu finding%s (", n, WORDS_PLURAL(n));
	for (int k = 0; k < FINDING_NKINDS; k++) {
		if (kinds[k] == 0)
			continue;
		strbuf_addf(out, "%s%zu %s%s", comma, kinds[k], finding_kind_name(k),
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

void summary_format(const struct report *r, struct strbuf *out)
{
	bool none = r->findings->at.n == 0;

	if (none)
		none_format(r, out);
	else
		found_format(r, out);
	analyses_format(r, out);
	strbuf_adds(out, "\n");
	if (none)
		limits_format(r, out);
	suppressed_format(r, out);
	truncated_format(r, out);
}
