#include "live/live.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyse/notify.h"
#include "analyse/pass.h"
#include "live/live_priv.h"
#include "report/report.h"

#define END_MS 1000 /* to end in good order */
#define NICE 10

static bool process_start(struct live_process *p, struct live *l, bool lattice)
{
	struct analyse part;

	p->l = l;
	p->lattice = lattice;
	p->book.fd = -1;
	/* Without a spec a lattice has nothing to tell. */
	if (analyse_select(l->a, lattice, &part) == 0 || (lattice && !l->a->engine.monitors))
		return true;
	book_open(&p->book);
	return side_start(&p->side, lattice ? live_property_work : live_rounds_work, p);
}

/* It has ended before it was told to. */
static bool has_failed(const struct live_process *p)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)p->side.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

static void process_end(struct live_process *p, struct analyse *a)
{
	bool failed;
	int status;

	if (p->side.pid <= 0)
		return;
	failed = has_failed(p);
	side_tell(&p->side);
	if (!failed)
		kill(p->side.pid, SIGUSR1);
	status = side_end(&p->side, END_MS);
	if (failed && !a->quiet)
		talk_note(
			"the live analysis has failed (%s %d); it told what it had found, and the "
			"report is not harmed",
			status > 128 ? "signal" : "status", status > 128 ? status - 128 : status);
	book_read(&p->book, &a->earlier);
}

struct live *live_start(const struct analyse *a, const char *trace, const struct live_options *opt)
{
	struct live *l = mem_zalloc(sizeof(*l));

	l->a = a;
	l->trace = trace;
	l->opt = *opt;
	l->begun = talk_clock();
	l->told = mmap(NULL, sizeof(*l->told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (l->told == MAP_FAILED)
		l->told = NULL;
	if ((!process_start(&l->rounds, l, false) || !process_start(&l->property, l, true)) &&
	    !a->quiet)
		talk_note("no live analysis: cannot start a process for it: %s", strerror(errno));
	return l;
}

void live_end(struct live *l, struct analyse *a)
{
	if (!l)
		return;
	process_end(&l->rounds, a);
	process_end(&l->property, a);
	book_close(&l->rounds.book);
	book_close(&l->property.book);
	if (l->told)
		munmap(l->told, sizeof(*l->told));
	mem_free(l);
}

/* ---- in the process beside ---- */

volatile sig_atomic_t live_over;

static void on_over(int number)
{
	(void)number;
	live_over = 1;
}

/* In one go, since we may be ended at any moment; if it does not work, nothing is lost by it. */
static void write_all(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
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

void live_tell_begin(struct live_teller *t, struct live_process *p)
{
	step_back();
	memset(t, 0, sizeof(*t));
	t->p = p;
	analyse_select(p->l->a, p->lattice, &t->a);
	t->a.quiet = true; /* no progress */
	t->a.witness_dir = NULL;
	t->a.engine.jobs = 1;
	t->a.engine.stop = &live_over;
}

static void say_line(const struct live_teller *t, const char *words, size_t n, const char *end)
{
	STRBUF_SCOPED line = { 0 };

	strbuf_addf(&line, "foresee: live: %.*s, after %.1f s%s\n", (int)n, words,
		    talk_clock() - t->p->l->begun, end);
	write_all(STDERR_FILENO, strbuf_str(&line));
}

void live_tell_words(const struct live_teller *t, const char *words)
{
	if (!t->p->l->a->quiet)
		say_line(t, words, strlen(words), "");
}

/* "... (predicted, certified)" */
static void say_finding(const struct live_teller *t, const struct kept *k)
{
	size_t n = strlen(k->summary);
	bool more = n > 0 && k->summary[n - 1] == ')';

	say_line(t, k->summary, n - more, more ? ")" : "");
}

static void tell(struct live_teller *t, struct kept *k)
{
	struct live *l = t->p->l;
	bool lives = t->target > 0 && kill(t->target, 0) == 0;
	uint32_t id = l->told ? __atomic_add_fetch(l->told, 1, __ATOMIC_RELAXED) : 1;

	k->told = true;
	map_put(&t->known, k->key, NULL);
	book_add(&t->p->book, k);
	if (l->opt.tell)
		l->opt.tell(l->opt.arg, k);
	else if (!l->a->quiet)
		say_finding(t, k);
	notify_send(t->a.notify, k, id, l->trace, lives ? t->target : 0);
}

void live_tell_findings(struct live_teller *t, const struct pass *p, bool done)
{
	struct explain_options how = analyse_style(&t->a);

	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *x = &p->findings.at.at[i];
		bool sure = x->certified && !map_get(&t->known, kept_key(&p->report, x));
		struct kept k;

		if (!pass_is_lasting(NULL, x) || !(sure || done))
			continue;
		kept_make(&p->report, &how, x, &k);
		if (sure)
			tell(t, &k);
		else
			book_add(&t->p->book, &k);
		kept_release(&k);
	}
}
