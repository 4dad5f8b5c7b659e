#include "replay/confirm.h"

#include <signal.h>

#include "analyse/pass.h"
#include "replay/replay.h"
#include "replay/tell.h"

/* Somebody wants the report of what there is, now; who asks again wants us to leave. */
static volatile sig_atomic_t asked;

static void ask(int number)
{
	asked = 1;
	signal(number, SIG_DFL);
}

/* From here on, and no more. */
static void heed_requests(bool begin)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	static struct sigaction old[2];
	struct sigaction action = { .sa_handler = ask, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < 2; i++) {
		if (begin)
			sigaction(numbers[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], begin ? &action : &old[i], NULL);
	}
}

/* One finding: `words' says what came of it.  True: the program has done it. */
static bool try_one(const struct pass *p, const struct finding *f, struct strbuf *words)
{
	struct claim claim = { 0 };
	struct replay how = { .trace = p->report.path,
			      .claim = &claim,
			      .patience = SUPERVISE_PATIENCE,
			      .time = CONFIRM_TIME,
			      .first = REPLAY_BOTH,
			      .quiet = true };
	struct replay_result result = { 0 };
	struct diag d = { 0 };
	bool good = false;

	claim_take(p, f, &claim);
	if (claim_open(&claim, how.trace, &d) == ST_OK && replay_try(&how, &result, &d) == ST_OK) {
		good = replay_succeeded(&result);
		for (int i = 0; i < result.nruns; i++)
			asked |= result.runs[i].result.process.asked;
		tell_brief(&how, &result, words);
	} else {
		strbuf_adds(words, d.message);
	}
	replay_result_release(&result);
	claim_release(&claim);
	return good;
}

/* Why nothing of this trace can be tried; false: it can. */
static bool is_refused(const struct pass *p, struct diag *d)
{
	if (p->report.from_cut || p->report.to_cut)
		diag_set(d, "only a run from its beginning can be forced");
	else
		return plan_suits(p->reading.trace, d) != ST_OK;
	return true;
}

void confirm_findings(void *arg, struct pass *p)
{
	struct findings *all = &p->findings;
	struct diag refused = { 0 }, d = { 0 };
	bool none = all->at.n > 0 && is_refused(p, &refused);

	(void)arg;
	asked = 0;
	heed_requests(true);
	for (size_t i = 0; i < all->at.n; i++) {
		struct finding *f = &all->at.at[i];
		struct strbuf words = { 0 };

		if (!claim_is_fit(f, f->id, &d))
			continue;
		if (!p->a->quiet && !none && !asked)
			talk_note("replaying finding %" PRIu32 " of %zu", f->id, all->at.n);
		if (none)
			strbuf_adds(&words, refused.message);
		else if (asked)
			strbuf_adds(&words, "stopped on request");
		else if (try_one(p, f, &words))
			f->status = FINDING_REPLAYED;
		f->replay = texts_add(&all->words, "%s", strbuf_str(&words));
		strbuf_release(&words);
	}
	heed_requests(false);
}
