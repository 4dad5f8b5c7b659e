/*
 * Rounds.
 *
 * A round costs time in proportion to what the window holds, so a new one waits until there is a
 * quarter more: all rounds together then cost a few times the last one.  It also waits for as long
 * as the last one took: at most half a processor is used, at low priority.
 *
 * When the window is full it is looked at once more, from cut to cut as `check' would do it, and
 * its findings go to the book, warnings too; then it slides on.
 */
#include <unistd.h>

#include "analyse/pass.h"
#include "live/live_priv.h"
#include "recording/snapshot.h"
#include "recording/windows.h"
#include "trace/trace.h"

#define FIRST_MS 300  /* programs that end before see nothing of us */
#define LOOK 0.1      /* seconds between looks at the file */
#define LOOK_SHARE 20 /* and so many times what a look takes, which grows with the file */
#define SHORT 0.1     /* seconds: after such a round the next need not wait for more data */

/* The process beside; all that it knows. */
struct follower {
	struct live_teller teller;
	uint32_t window;   /* events that it should hold */
	uint64_t from;	   /* cut at which the window begins */
	uint64_t seen_cut; /* all before was looked at */
	uint64_t seen;	   /* bytes of the recording, when it was looked at last */
	double took;	   /* the last round, seconds */
};

/* --keep may have dropped what we have not seen.  The pass read the file later than w was made, and
 * may begin at a cut that w does not know; what lies before that is counted in the next round. */
static void note_missed(struct follower *f, const struct pass *p, const struct windows *w)
{
	uint64_t begin = f->from > f->seen_cut ? f->from : f->seen_cut, end;
	struct trace_info info = trace_info(p->reading.trace);

	end = info.from_cut < windows_last(w) ? info.from_cut : windows_last(w);
	if (!info.late || end <= begin)
		return;
	book_add_number(&f->teller.p->book, BOOK_MISSED, w->upto.at[end] - w->upto.at[begin]);
	f->seen_cut = end;
}

/* One look at a copy of the window.  False: there was no room for the copy. */
static bool round_run(struct follower *f, struct windows *w, uint64_t to)
{
	struct snapshot s;
	struct diag d = { 0 };
	struct pass p;

	if (!snapshot_make(&s, w, f->from, to))
		return false;
	pass_init(&p, &f->teller.a, s.path, f->teller.p->l->trace);
	p.certify.how.from_cut = f->from;
	p.certify.how.to_cut = to;
	p.limit = to ? windows_room(w, f->from, to) : f->window * 2;
	/* Trouble with the trace, if it lasts, is for the report to tell. */
	if (pass_run(&p, &d) == ST_OK && !live_over) {
		note_missed(f, &p, w);
		live_tell_findings(&f->teller, &p, to != 0);
	}
	pass_release(&p);
	snapshot_close(&s);
	return true;
}

static bool is_due(const struct follower *f, const struct windows *w)
{
	uint64_t last = windows_last(w);
	double before = last ? (double)w->upto.at[f->from] / (double)(w->upto.at[last] + 1) : 0;
	double held = (double)w->bytes * (1 - before);

	if (w->bytes <= f->seen)
		return false;
	return f->took < SHORT || (double)(w->bytes - f->seen) * 4 >= held;
}

/* Looks at the file, and at what it holds if it is time to.  How long to wait then, in seconds. */
static double look(struct follower *f)
{
	const struct live *l = f->teller.p->l;
	double then = talk_clock(), wait;
	struct windows w;
	uint64_t to;

	if (!windows_open(&w, l->trace))
		return LOOK;
	wait = LOOK + (talk_clock() - then) * LOOK_SHARE;
	if (!l->opt.remote)
		f->teller.target = (pid_t)w.blocks.head.pid;
	to = windows_end(&w, f->from, f->window);
	if (to || is_due(f, &w)) {
		f->seen = w.bytes;
		then = talk_clock();
		if (round_run(f, &w, to) && to && !live_over) {
			f->seen_cut = to;
			f->from = windows_next(&w, f->from, to);
			book_add_number(&f->teller.p->book, BOOK_WINDOW, f->from);
		}
		f->took = talk_clock() - then;
		wait = f->took > wait ? f->took : wait;
		if (to && w.blocks.head.flags & FORMAT_KEEP)
			wait = 0; /* --keep drops what was not seen */
	}
	windows_close(&w);
	return wait;
}

int live_rounds_work(void *arg, int stop, int say)
{
	struct follower f = { 0 };

	close(say);
	live_tell_begin(&f.teller, arg);
	if (side_is_over(stop, FIRST_MS))
		return 0;
	f.window = analyse_window();
	while (!live_over && !side_is_over(stop, (int)(look(&f) * 1000)))
		;
	return 0;
}
