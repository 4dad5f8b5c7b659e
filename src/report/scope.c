#include "report/explain_priv.h"

#include "report/ending.h"
#include "report/report.h"
#include "report/words.h"
#include "trace/trace.h"

bool scope_is_shared(const struct report *r, const struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nanalyses; i++)
		n += r->analyses[i].engine->aim == e->aim;
	return n > 1;
}

/* ---- how far ---- */

static void scope_add(const struct report_analysis *a, bool *any, bool *decided, uint64_t *open)
{
	*any = true;
	*decided |= a->counted && a->engine->proof == ENGINE_PROVES && a->complete &&
		    a->counts.searched == 0 && a->counts.undecided == 0;
	if (a->counted && a->counts.searched < *open)
		*open = a->counts.searched;
}

/* ---- why not ---- */

/* What the trace does not hold. */
static void missing_get(const struct report *r, struct texts *because)
{
	struct trace_info info = trace_info(r->trace);

	if (info.locks_only)
		texts_add(because, "no accesses were recorded (--locks-only)");
	else if (info.partial)
		texts_add(because, "accesses are missing by request (--only, --ignore)");
	if (info.late)
		texts_add(because,
			  "the trace begins in the middle of the run; this is about what is left");
	if (info.end.hung)
		texts_add(because, "the program hung");
	else if (info.end.signal)
		texts_add(because, "the program was killed");
	else if (!info.complete)
		texts_add(because, "the recording does not hold the whole run");
}

/* What the program had not done yet.  In text, threads need neither begin nor end. */
static void threads_get(const struct report *r, struct texts *because)
{
	struct ending_counts n = ending_counts(r->ending);

	if (trace_info(r->trace).form != TRACE_BINARY)
		return;
	if (n.unstarted)
		texts_add(because, "%" PRIu32 " thread%s had not begun at the end of the recording",
			  n.unstarted, WORDS_PLURAL(n.unstarted));
	if (n.running)
		texts_add(because, "%" PRIu32 " thread%s still ran at the end of the recording",
			  n.running, WORDS_PLURAL(n.running));
}

/* What was done by code that is not seen, and what cannot be told to come out the same. */
static void unseen_get(const struct report *r, struct texts *because)
{
	uint64_t unknown = r->ending->unknown, unseen = r->ending->unseen;
	uint64_t refused = r->ending->refused;

	if (r->given)
		texts_add(because, "code that is not instrumented was given what threads share");
	if (unseen)
		texts_add(because,
			  "code that is not instrumented was called and may order or use anything");
	if (refused)
		texts_add(because, "%" PRIu64 " call%s failed, and why is not recorded", refused,
			  WORDS_PLURAL(refused));
	if (unknown)
		texts_add(because, "%" PRIu64 " read%s saw what unseen code wrote", unknown,
			  WORDS_PLURAL(unknown));
	if (!unknown && !refused && r->stopped)
		texts_add(because, "what %" PRIu32 " thread%s did could not be followed to the end",
			  r->stopped, WORDS_PLURAL(r->stopped));
}

/* What another run may pair otherwise. */
static void pairing_get(const struct pairing_counts *n, struct texts *because)
{
	if (n->waits)
		texts_add(because,
			  "%" PRIu64
			  " wait%s for a condition could have been woken by another signal",
			  n->waits, WORDS_PLURAL(n->waits));
	if (n->rounds)
		texts_add(because,
			  "other threads could have met in %" PRIu64 " round%s of a barrier",
			  n->rounds, WORDS_PLURAL(n->rounds));
	if (n->handed)
		texts_add(
			because,
			"data of pipes and sockets, or signals, could have come otherwise (%" PRIu64
			" time%s)",
			n->handed, WORDS_PLURAL(n->handed));
}

/* Those of pairing_get, as a condition: "waits ..., and barriers ...". */
static char *given_words(const struct pairing_counts *n)
{
	const char *words[] = { n->waits ? "waits are woken by the signals that woke them" : NULL,
				n->rounds ? "barriers are met by the threads that met" : NULL,
				n->handed ? "what comes through the kernel comes as it came"
					  : NULL };
	struct strbuf all = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i])
			strbuf_addf(&all, "%s%s", all.n ? ", and " : "", words[i]);
	return all.at;
}

/* What was not searched. */
static void search_get(const struct report *r, struct scope *s)
{
	for (size_t i = 0; i < r->truncated.n; i++)
		texts_add(&s->because, "%s", r->truncated.at[i]);
	if (s->open_races)
		texts_add(&s->because, "%" PRIu64 " pair%s of places may still race", s->open_races,
			  WORDS_PLURAL(s->open_races));
	if (s->open_waits)
		texts_add(&s->because, "%" PRIu64 " candidate%s may still be deadlocks",
			  s->open_waits, WORDS_PLURAL(s->open_waits));
	if (s->open_blocks)
		texts_add(&s->because, "%" PRIu64 " pattern%s of places may still split a block",
			  s->open_blocks, WORDS_PLURAL(s->open_blocks));
	if (r->guesses)
		texts_add(&s->because,
			  "%" PRIu64 " guessed block%s may be split, in runs that are in doubt",
			  r->guesses, WORDS_PLURAL(r->guesses));
	if (!s->decided && s->because.n == 0)
		texts_add(&s->because, "these analyses see some %s only",
			  s->races   ? "races"
			  : s->waits ? "deadlocks"
				     : "split blocks");
}

static int compare(const void *p, const void *q)
{
	const char *a = *(char *const *)p, *b = *(char *const *)q;
	size_t n = strlen(a), m = strlen(b);

	return SORT_ORDER(n, m) ?: strcmp(a, b);
}

static void reasons_get(const struct report *r, struct scope *s)
{
	struct pairing_counts n = pairing_count(&r->ending->pairing);

	missing_get(r, &s->because);
	threads_get(r, &s->because);
	unseen_get(r, &s->because);
	search_get(r, s);
	if (s->because.n == 0)
		s->given = given_words(&n);
	pairing_get(&n, &s->because);
	SORT_VEC(&s->because, compare);
}

void scope_get(const struct report *r, struct scope *out)
{
	bool races = false, waits = false, blocks = false;

	*out = (struct scope){ .open_races = UINT64_MAX,
			       .open_waits = UINT64_MAX,
			       .open_blocks = UINT64_MAX };
	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		if (a->idle)
			continue;
		if (a->engine->aim == ENGINE_WAITS)
			scope_add(a, &out->waits, &waits, &out->open_waits);
		else if (a->engine->aim == ENGINE_BLOCKS)
			scope_add(a, &out->blocks, &blocks, &out->open_blocks);
		else if (a->engine->aim == ENGINE_PROPERTIES)
			out->properties = true;
		else
			scope_add(a, &out->races, &races, &out->open_races);
	}
	out->decided = r->truncated.n == 0 && (races || !out->races) && (waits || !out->waits) &&
		       (blocks || !out->blocks);
	if (trace_info(r->trace).locks_only && out->waits)
		out->races = false; /* there are none to see */
	if (out->open_races == UINT64_MAX)
		out->open_races = 0;
	if (out->open_waits == UINT64_MAX)
		out->open_waits = 0;
	if (out->open_blocks == UINT64_MAX)
		out->open_blocks = 0;
	reasons_get(r, out);
}

void scope_release(struct scope *s)
{
	texts_release(&s->because);
	mem_free(s->given);
}
