#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyse/notify.h"
#include "analyse/pass.h"
#include "live/live_priv.h"
#include "report/report.h"

#define NICE 10

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
