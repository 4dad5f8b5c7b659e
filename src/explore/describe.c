#include "explore/describe.h"

#include "report/columns.h"
#include "report/frames.h"
#include "report/words.h"

#define WIDTH 100
#define ROWS_MOST 60u /* of a schedule that are shown: its end */

static const char *const names[BATON_KINDS] = {
	[BATON_NONE] = "nothing",
	[BATON_READ] = "read",
	[BATON_WRITE] = "write",
	[BATON_UPDATE] = "update",
	[BATON_LOCK] = "lock",
	[BATON_TRY_LOCK] = "try lock",
	[BATON_READ_LOCK] = "read lock",
	[BATON_TRY_READ_LOCK] = "try read lock",
	[BATON_UNLOCK] = "unlock",
	[BATON_READ_UNLOCK] = "read unlock",
	[BATON_WAIT] = "wait",
	[BATON_WAKE] = "wake",
	[BATON_SIGNAL] = "signal",
	[BATON_BROADCAST] = "broadcast",
	[BATON_SEM_WAIT] = "semaphore wait",
	[BATON_SEM_TRY] = "semaphore try",
	[BATON_SEM_POST] = "semaphore post",
	[BATON_BARRIER_IN] = "barrier in",
	[BATON_BARRIER_OUT] = "barrier out",
	[BATON_ONCE] = "once",
	[BATON_JOIN] = "join",
	[BATON_END] = "end",
	[BATON_YIELD] = "yield",
	[BATON_CHOOSE] = "choose",
	[BATON_OBJECT] = "init or destroy",
	[BATON_EVENT] = "event",
	[BATON_OUTPUT] = "output",
	[BATON_TAKE] = "take from",
	[BATON_GIVE] = "give to",
	[BATON_KILL] = "send",
	[BATON_SIGNAL_IN] = "begin to wait for",
	[BATON_SIGNAL_WAIT] = "wait for",
	[BATON_EXIT] = "exit",
};

const char *describe_op(const struct baton_op *op)
{
	if (op->flags & BATON_FREES)
		return "free";
	return op->kind < BATON_KINDS ? names[op->kind] : "step";
}

/* Threads are numbered in the order of their creation, here as there. */
void describe_thread(const struct explore_failure *f, uint32_t thread, struct strbuf *out)
{
	if (f->trace)
		words_thread(f->trace, thread + 1, out);
	else
		strbuf_addf(out, "T%u", thread + 1);
}

void describe_object(const struct explore_failure *f, const struct baton_op *op, struct strbuf *out)
{
	const char *name = f->trace && op->object ? trace_object_name(f->trace, op->object) : NULL;

	if (op->kind == BATON_OUTPUT) /* a channel has no name */
		return;
	if ((op->kind == BATON_JOIN || op->kind == BATON_END) && op->second < BATON_THREADS)
		describe_thread(f, (uint32_t)op->second, out);
	else if (op->kind == BATON_TAKE || op->kind == BATON_GIVE)
		strbuf_addf(out, "descriptor %" PRIu32, op->size);
	else if (op->kind == BATON_KILL)
		strbuf_addf(out, "signal %" PRIu32, op->size);
	else if (op->kind == BATON_SIGNAL_IN || op->kind == BATON_SIGNAL_WAIT)
		strbuf_adds(out, "a signal");
	else if (name)
		strbuf_adds(out, words_brief(name));
	else if (op->object)
		strbuf_addf(out, "0x%" PRIx64, op->object);
}

/* Most steps are in one file, whose name is left out then. */
static const char *file_of(const struct explore_failure *f)
{
	struct trace_site p;

	for (size_t i = 0; f->trace && i < f->steps.n; i++)
		if (f->steps.at[i].op.site && frames_own(f->trace, f->steps.at[i].op.site, 0, &p) &&
		    p.file)
			return p.file;
	return NULL;
}

static void add_step(const struct explore_failure *f, const struct baton_step *s, const char *file,
		     struct strbuf *out)
{
	strbuf_addf(out, "%s ", describe_op(&s->op));
	describe_object(f, &s->op, out);
	if (s->op.flags & BATON_VAIN)
		strbuf_adds(out, ", in vain");
	if (s->op.kind == BATON_CHOOSE)
		strbuf_addf(out, "%u of %u", s->choice.branch, s->op.branches);
	if (f->trace && s->op.site) {
		strbuf_adds(out, "  ");
		frames_brief(f->trace, s->op.site, 0, file, out);
	}
}

/* ---- the schedule ---- */

/* Columns of threads that have steps to show; others share the last one. */
static uint32_t column_of(const struct columns *c, const uint32_t *threads, uint32_t thread)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (threads[i] == thread)
			return i;
	return c->n;
}

static void add_heads(const struct explore_failure *f, size_t first, struct columns *c,
		      uint32_t threads[COLUMNS_MAX])
{
	STRBUF_SCOPED head = { 0 };

	for (size_t i = first; i < f->ntold; i++) {
		uint32_t thread = f->steps.at[i].choice.thread;

		if (column_of(c, threads, thread) < c->n || c->n == COLUMNS_MAX)
			continue;
		strbuf_clear(&head);
		describe_thread(f, thread, &head);
		threads[c->n] = thread;
		columns_head(c, strbuf_str(&head));
	}
}

static void print_steps(const struct explore_failure *f, FILE *to)
{
	size_t first = f->ntold > ROWS_MOST ? f->ntold - ROWS_MOST : 0;
	const char *file = file_of(f);
	uint32_t threads[COLUMNS_MAX];
	struct columns c = { 0 };
	STRBUF_SCOPED text = { 0 };

	add_heads(f, first, &c, threads);
	if (first)
		columns_gap(&c, (uint64_t[COLUMNS_MAX]){ 0 }, first);
	for (size_t i = first; i < f->ntold; i++) {
		uint32_t at = column_of(&c, threads, f->steps.at[i].choice.thread);

		strbuf_clear(&text);
		add_step(f, &f->steps.at[i], file, &text);
		if (at < c.n)
			columns_event(&c, i + 1, at, strbuf_str(&text));
	}
	strbuf_clear(&text);
	columns_format(&c, 2, WIDTH, &text);
	fputs(strbuf_str(&text), to);
	columns_release(&c);
	if (f->ntold < f->steps.n)
		fprintf(to, "  then each thread runs on while it can: %zu more steps\n",
			f->steps.n - f->ntold);
}

/* ---- its end ---- */

void describe_outcome(const struct explore_failure *f, struct strbuf *out)
{
	if (f->is_race) {
		strbuf_adds(out, "data race on ");
		describe_object(f, &f->steps.at[f->race[0]].op, out);
		return;
	}
	if (f->verdict.fault == EXPLORE_ORACLE) {
		strbuf_adds(out, "the oracle finds fault");
		return;
	}
	if (f->verdict.fault == EXPLORE_PROPERTY) {
		strbuf_addf(out, "property '%s' %s", f->property.name,
			    f->property.is_error ? "has no value" : "is violated");
		return;
	}
	if (f->verdict.fault == EXPLORE_FREED) {
		strbuf_adds(out, describe_fault(&f->fault));
		return;
	}
	switch (f->outcome) {
	case BATON_DEADLOCK:
		strbuf_adds(out, "deadlock");
		break;
	case BATON_STILL:
		strbuf_adds(out, "a wait for a signal");
		break;
	case BATON_STRAYED:
		strbuf_adds(out, "another way than the schedule's");
		break;
	case BATON_OUTSIDE:
		strbuf_adds(out, "a step that does not end");
		break;
	case BATON_TOO_LONG:
		strbuf_adds(out, "no end");
		break;
	case BATON_TROUBLE:
		strbuf_adds(out, "it could not be recorded any more");
		break;
	default:
		if (f->end.signal)
			strbuf_addf(out, "killed by signal %d (%s)", f->end.signal,
				    strsignal(f->end.signal));
		else
			strbuf_addf(out, "status %d", f->end.status);
		break;
	}
}

/* Nobody could go on. */
static bool is_standstill(const struct explore_failure *f)
{
	return f->outcome == BATON_DEADLOCK || f->outcome == BATON_STILL;
}

static void print_standing(const struct explore_failure *f, FILE *to)
{
	for (uint32_t i = 0; i < f->pending.n; i++) {
		const struct baton_op *op = &f->pending.at[i];
		STRBUF_SCOPED line = { 0 };

		if (op->kind == BATON_NONE || (is_standstill(f) && !baton_waits(op)))
			continue;
		describe_thread(f, i, &line);
		if (!baton_waits(op))
			strbuf_addf(&line, " stands before: %s ", describe_op(op));
		else if (op->kind == BATON_WAKE)
			strbuf_adds(&line, " waits for a signal of ");
		else if (op->kind == BATON_JOIN)
			strbuf_adds(&line, " waits for the end of ");
		else
			strbuf_adds(&line, " waits for ");
		describe_object(f, op, &line);
		if (f->trace && op->site) {
			strbuf_adds(&line, " at ");
			frames_location(f->trace, op->site, 0, &line);
		}
		fprintf(to, "  %s\n", strbuf_str(&line));
	}
}

/* Two lines: how both threads came there is of no matter. */
static void print_race(const struct explore_failure *f, FILE *to)
{
	fputs(", which nothing orders\n", to);
	for (int i = 0; i < 2; i++) {
		const struct baton_step *s = &f->steps.at[f->race[i]];
		STRBUF_SCOPED line = { 0 };

		describe_thread(f, s->choice.thread, &line);
		strbuf_addf(&line, "  %s at ", describe_op(&s->op));
		if (f->trace)
			frames_location(f->trace, s->op.site, 0, &line);
		fprintf(to, "   %s\n", strbuf_str(&line));
	}
}

static void print_schedule(const struct explore_failure *f, FILE *to)
{
	const char *file = file_of(f);
	STRBUF_SCOPED path = { 0 };

	fprintf(to, ", in a schedule of %zu steps with %u preemption%s\n", f->steps.n,
		f->preemptions, WORDS_PLURAL(f->preemptions));
	if (file) {
		frames_path(file, &path);
		fprintf(to, "   in %s\n", strbuf_str(&path));
	}
	fputs("\n", to);
	print_steps(f, to);
	fputs("\n", to);
	if (f->outcome == BATON_DEADLOCK)
		print_standing(f, to);
}

void describe_failure(const struct explore_failure *f, FILE *to)
{
	STRBUF_SCOPED outcome = { 0 };

	describe_outcome(f, &outcome);
	fputs(strbuf_str(&outcome), to);
	if (f->is_race)
		print_race(f, to);
	else
		print_schedule(f, to);
	describe_fault_print(f, to);
	if (!f->again)
		fputs("  it did not come so when it was run again: something else than the order of "
		      "the steps decides it\n",
		      to);
	if (f->schedule)
		fprintf(to, "  again: foresee replay %s%s\n", f->schedule,
			f->passing ? " -- PROG, built by foresee-cc -g -O1 -pthread" : "");
}

/* What is known of all schedules. */
static void describe_known(const struct explore_result *r, FILE *to)
{
	if (r->complete && r->traces)
		fprintf(to, "; these are all that make a difference, %" PRIu64 " order%s",
			r->traces, WORDS_PLURAL(r->traces));
	else if (r->complete)
		fputs("; these are all", to);
	else if (r->bound)
		fprintf(to, "; all with fewer than %u preemption%s, others are left", r->bound,
			WORDS_PLURAL(r->bound));
	else
		fputs("; others are left", to);
	if (r->late)
		fputs(": time ran out", to);
	if (r->complete && r->awaited)
		fputs(", if loops that read the same again and again wait for a change", to);
	if (!r->complete && r->depth)
		fprintf(to, ".  A bug of depth %u was missed with probability %.2g at most",
			r->depth, r->missed);
	fputs("\n", to);
}

/* Would it have been seen in a run that has it? */
static bool is_seen(const struct aim *a)
{
	return a->kind == FINDING_RACE || a->kind == FINDING_DEADLOCK ||
	       a->kind == FINDING_JOIN_HOLDING || finding_kind_is_wait(a->kind);
}

/* What came of a warning of the first run. */
static void describe_aim(const struct explore_result *r, const struct aim *a, FILE *to)
{
	static const char *const ends[] = {
		[SEARCH_WHOLE] = "complete",
		[SEARCH_PARTLY] = "but for runs that had no end",
		[SEARCH_FOUND] = "stopped at a failure",
		[SEARCH_BUDGET] = "the budget ran out",
		[SEARCH_TROUBLE] = "given up",
	};

	fprintf(to, "  %s\n    ", a->title);
	if (a->run)
		fprintf(to, "confirmed by schedule %" PRIu64 "\n", a->run);
	else if (a->status == FINDING_OBSERVED)
		fputs("it has happened there\n", to);
	else if (r->complete && is_seen(a))
		fputs("refuted: all schedules were run, and none shows it\n", to);
	else if (!a->is_tried)
		fputs(a->is_forced ? "not seen in the schedule that the analysis gives\n"
				   : "not looked for\n",
		      to);
	else
		fprintf(to,
			"not found in its window of %" PRIu32 " of %" PRIu32
			" threads (%s, %" PRIu64 " run%s)\n",
			a->size, r->aims.nthreads, ends[a->end], a->runs, WORDS_PLURAL(a->runs));
}

static void describe_aims(const struct explore_result *r, FILE *to)
{
	const struct aims *all = &r->aims;

	if (all->at.n == 0)
		return;
	fputs(r->is_given ? "the recording warned of:\n"
			  : "the first run, without preemptions, warned of:\n",
	      to);
	for (size_t i = 0; i < all->at.n; i++)
		describe_aim(r, &all->at.at[i], to);
	fputs("\n", to);
}

/* What one run may have left for the next. */
static void describe_outside(const struct explore_result *r, FILE *to)
{
	if (r->outside & BATON_OUTSIDE_FILES)
		fprintf(to, "the program writes files: %s\n",
			r->sandbox ? "those that it names by where it stands are each run's own, "
				     "all others are shared by all runs"
				   : "all runs share them; --sandbox gives each a directory of its "
				     "own");
	if (r->outside & BATON_OUTSIDE_SOCKETS)
		fputs("the program uses sockets: all runs share what is at their other end\n", to);
	if (r->outside & BATON_OUTSIDE_INPUT)
		fputs("the program reads its input, in which there is nothing: what it needs must "
		      "come by arguments or files\n",
		      to);
}

/* Where a step did not end: in code that is not seen, in a wait for others, or since the step before. */
static void describe_hung(const struct explore_failure *f, FILE *to)
{
	const struct baton_op *op = &f->pending.at[f->running];
	STRBUF_SCOPED line = { 0 };

	if (f->unseen == 0 && (op->kind == BATON_TAKE || op->kind == BATON_GIVE)) {
		print_standing(f, to);
		return;
	}
	describe_thread(f, f->running, &line);
	strbuf_adds(&line, f->unseen ? " in what it calls" : " behind a step");
	if (f->trace && (f->unseen || op->site)) {
		strbuf_adds(&line, " at ");
		frames_location(f->trace, f->unseen ? f->unseen : op->site, 0, &line);
	}
	fprintf(to, "  %s\n", strbuf_str(&line));
}

/* Runs that came to nothing: what could not be looked at is said. */
static void describe_lost(const struct explore_result *r, FILE *to)
{
	const struct search *s = &r->search;

	if (r->stopped)
		fputs("it was stopped before its end\n", to);
	if (r->unnamed)
		fprintf(to,
			"%" PRIu64
			" more data race%s found on the way, and not run again to be shown: "
			"time ran out\n",
			r->unnamed, r->unnamed == 1 ? " was" : "s were");
	if (r->forked)
		fputs("the program has made other processes: what they do is not explored\n", to);
	describe_outside(r, to);
	if (r->unjudged)
		fprintf(to, "of some it is not known whether the properties hold: %s\n",
			r->why_unjudged);
	if (r->unlike)
		fputs("runs in one process went another way than in processes of their own: "
		      "nothing is called complete (--fibers never)\n",
		      to);
	if (s->outcomes[BATON_OUTSIDE])
		fprintf(to,
			"%" PRIu64
			" of them were ended: a step took more than %.0f s, in code that "
			"waits for what is not seen (another process, a library) or has no end\n",
			s->outcomes[BATON_OUTSIDE], SERVER_STEP_SECONDS);
	if (s->outcomes[BATON_OUTSIDE] && r->hung.outcome == BATON_OUTSIDE &&
	    r->hung_at.pending.n > r->hung_at.running)
		describe_hung(&r->hung_at, to);
	if (s->outcomes[BATON_STILL])
		fprintf(to,
			"%" PRIu64
			" of them were ended: nobody could go on unless a signal comes, of a timer "
			"or of another process: that is not explored\n",
			s->outcomes[BATON_STILL]);
	if (s->outcomes[BATON_STILL] && r->hung.outcome == BATON_STILL)
		print_standing(&r->hung_at, to);
	if (s->outcomes[BATON_TOO_LONG])
		fprintf(to,
			"%" PRIu64 " of them had no end: threads read the same again and again, or "
			"there were more than %u steps\n",
			s->outcomes[BATON_TOO_LONG], SERVER_STEPS);
	if (s->outcomes[BATON_TOO_LONG] && r->hung.outcome == BATON_TOO_LONG)
		print_standing(&r->hung_at, to);
	if (s->outcomes[BATON_TOO_MANY])
		fprintf(to,
			"%" PRIu64 " of them were ended: more than %u threads, or more than 64 "
			"barriers\n",
			s->outcomes[BATON_TOO_MANY], BATON_THREADS);
	if (s->outcomes[BATON_TROUBLE])
		fprintf(to, "%" PRIu64 " of them were ended: %s\n", s->outcomes[BATON_TROUBLE],
			r->trouble);
	if (s->outcomes[BATON_STRAYED])
		fprintf(to,
			"%" PRIu64 " of them went another way than the run before, with the same "
			"schedule: something else than the order of the steps decides it (time, "
			"random numbers, files, other processes)\n",
			s->outcomes[BATON_STRAYED]);
}

void describe_print(const struct explore_result *r, FILE *to)
{
	const struct search *s = &r->search;

	for (size_t i = 0; i < r->failures.n; i++) {
		fprintf(to, "%zu  ", i + 1);
		describe_failure(&r->failures.at[i], to);
		fputs("\n", to);
	}
	describe_aims(r, to);
	fprintf(to, "explored %" PRIu64 " schedules in %.1f s, %.0f a second: ", s->runs,
		r->seconds, r->seconds > 0 ? (double)s->runs / r->seconds : 0);
	if (r->failures.n)
		fprintf(to, "%zu failure%s", r->failures.n, WORDS_PLURAL(r->failures.n));
	else
		fputs("no failure", to);
	describe_known(r, to);
	if (r->absent)
		fprintf(to, "no run had the thread T%u of the window\n", r->absent);
	if (s->threads == 1 && s->longest == 0)
		fputs("the program has made no thread: there is one schedule, and nothing to choose "
		      "from\n",
		      to);
	describe_lost(r, to);
}
