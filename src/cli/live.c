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
#include "cli/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/mem.h"
#include "cli/analyse.h"
#include "cli/notify.h"
#include "cli/pass.h"
#include "cli/side.h"
#include "cli/talk.h"
#include "report/explain.h"
#include "trace/snapshot.h"
#include "trace/trace.h"
#include "trace/windows.h"

#define FIRST_MS 300  /* programs that end before see nothing of us */
#define LOOK 0.1      /* seconds between looks at the file */
#define LOOK_SHARE 20 /* and so many times what a look takes, which grows with the file */
#define SHORT 0.1     /* seconds: after such a round the next need not wait for more data */
#define END_MS 1000   /* to end in good order */
#define NICE 10

struct live {
	const struct analyse *a;
	const char *trace;
	struct live_options opt;
	double begun;
	struct book book;
	struct side side;
};

/* The process beside; all that it knows. */
struct follower {
	struct live *l;
	struct analyse a; /* its own copy */
	struct map known; /* keys of what was told */
	uint32_t told;
	uint32_t window;   /* events that it should hold */
	uint64_t from;	   /* cut at which the window begins */
	uint64_t seen_cut; /* all before was looked at */
	uint64_t seen;	   /* bytes of the recording, when it was looked at last */
	double took;	   /* the last round, seconds */
	pid_t target;
};

static volatile sig_atomic_t over; /* the round need not be finished */

static void on_over(int number)
{
	(void)number;
	over = 1;
}

/* In one go, since we may be ended at any moment; if it does not work, nothing is lost by it. */
static void write_all(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
}

/* ---- what was found ---- */

static void say_line(const struct follower *f, const struct kept *k)
{
	size_t n = strlen(k->summary);
	struct strbuf line = { 0 };

	if (n > 0 && k->summary[n - 1] == ')')
		n--;
	strbuf_addf(&line, "foresee: live: %.*s, after %.1f s)\n", (int)n, k->summary,
		    talk_clock() - f->l->begun);
	write_all(STDERR_FILENO, strbuf_str(&line));
	strbuf_release(&line);
}

static void tell(struct follower *f, struct kept *k)
{
	bool lives = f->target > 0 && kill(f->target, 0) == 0;

	k->told = true;
	map_put(&f->known, k->key, NULL);
	book_add(&f->l->book, k);
	if (f->l->opt.tell)
		f->l->opt.tell(f->l->opt.arg, k);
	else if (!f->l->a->quiet)
		say_line(f, k);
	notify_send(f->a.notify, k, ++f->told, f->l->trace, lives ? f->target : 0);
}

/* done: the window is; then its warnings are worth keeping, too. */
static void take_findings(struct follower *f, const struct pass *p, bool done)
{
	struct explain_options how;

	analyse_style(&f->a, &how);
	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *x = &p->findings.at.at[i];
		bool sure = x->certified && !map_get(&f->known, kept_key(&p->report, x));
		struct kept k;

		if (!pass_is_lasting(x->kind) || !(sure || done))
			continue;
		kept_make(&p->report, &how, x, &k);
		if (sure)
			tell(f, &k);
		else
			book_add(&f->l->book, &k);
		kept_release(&k);
	}
}

/* ---- rounds ---- */

/* --keep may have dropped what we have not seen. */
static void note_missed(struct follower *f, const struct pass *p, const uint64_t *upto)
{
	uint64_t begin = f->from > f->seen_cut ? f->from : f->seen_cut;
	struct trace_info info;

	trace_info(p->trace, &info);
	if (!info.late || info.from_cut <= begin)
		return;
	book_add_missed(&f->l->book, upto[info.from_cut] - upto[begin]);
	f->seen_cut = info.from_cut;
}

/* One look at a copy of the window.  False: there was no room for the copy. */
static bool round_run(struct follower *f, struct windows *w, uint64_t to)
{
	struct snapshot s;
	struct diag d = { 0 };
	struct pass p;

	if (!snapshot_make(&s, w, f->from, to))
		return false;
	pass_init(&p, &f->a, s.path, f->l->trace);
	p.certify.how.from_cut = f->from;
	p.certify.how.to_cut = to;
	p.limit = to ? windows_room(w, f->from, to) : f->window * 2;
	/* Trouble with the trace, if it lasts, is for the report to tell. */
	if (pass_run(&p, &d) == ST_OK && !over) {
		note_missed(f, &p, w->upto.at);
		take_findings(f, &p, to != 0);
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

static void slide(struct follower *f, const struct windows *w, uint64_t to)
{
	f->seen_cut = to;
	f->from = windows_next(w, f->from, to);
	book_add_window(&f->l->book, f->from);
}

/* Looks at the file, and at what it holds if it is time to.  How long to wait then, in seconds. */
static double look(struct follower *f)
{
	double then = talk_clock(), wait;
	struct windows w;
	uint64_t to;

	if (!windows_open(&w, f->l->trace))
		return LOOK;
	wait = LOOK + (talk_clock() - then) * LOOK_SHARE;
	if (!f->l->opt.remote)
		f->target = (pid_t)w.blocks.head.pid;
	to = windows_end(&w, f->from, f->window);
	if (to || is_due(f, &w)) {
		f->seen = w.bytes;
		then = talk_clock();
		if (round_run(f, &w, to) && to && !over)
			slide(f, &w, to);
		f->took = talk_clock() - then;
		wait = f->took > wait ? f->took : wait;
		if (to && w.blocks.head.flags & FORMAT_KEEP)
			wait = 0; /* --keep drops what was not seen */
	}
	windows_close(&w);
	return wait;
}

/* Others come first: for the processor, and to live when memory runs out. */
static void step_back(void)
{
	struct sigaction action = { .sa_handler = on_over };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		write_all(fd, "800");
		close(fd);
	}
	setpriority(PRIO_PROCESS, 0, NICE);
	sigaction(SIGUSR1, &action, NULL);
}

static int follow(void *arg, int stop, int say)
{
	struct follower f = { .l = arg };

	step_back();
	close(say);
	f.a = *f.l->a;
	f.a.quiet = true; /* no progress */
	f.a.witness_dir = NULL;
	f.a.engine.jobs = 1;
	f.a.engine.stop = &over;
	map_init(&f.known);
	if (side_is_over(stop, FIRST_MS))
		return 0;
	f.window = pass_window();
	while (!over && !side_is_over(stop, (int)(look(&f) * 1000)))
		;
	return 0;
}

/* ---- its life ---- */

struct live *live_start(const struct analyse *a, const char *trace, const struct live_options *opt)
{
	struct live *l = mem_zalloc(sizeof(*l));

	l->a = a;
	l->trace = trace;
	l->opt = *opt;
	l->begun = talk_clock();
	book_open(&l->book);
	if (side_start(&l->side, follow, l))
		return l;
	if (!a->quiet)
		talk_note("no live analysis: cannot start a process for it: %s", strerror(errno));
	book_close(&l->book);
	mem_free(l);
	return NULL;
}

/* It has ended before it was told to. */
static bool has_failed(const struct live *l)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)l->side.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

void live_end(struct live *l, struct analyse *a)
{
	bool failed;
	int status;

	if (!l)
		return;
	failed = has_failed(l);
	side_tell(&l->side);
	if (!failed)
		kill(l->side.pid, SIGUSR1);
	status = side_end(&l->side, END_MS);
	if (failed && !a->quiet)
		talk_note(
			"the live analysis has failed (%s %d); it told what it had found, and the "
			"report is not harmed",
			status > 128 ? "signal" : "status", status > 128 ? status - 128 : status);
	book_read(&l->book, &a->earlier);
	book_close(&l->book);
	mem_free(l);
}
