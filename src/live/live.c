#include "live/live.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "live/live_priv.h"

#define END_MS 1000 /* to end in good order */

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

static uint32_t *counter_new(void)
{
	void *p = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct live *live_start(const struct analyse *a, const char *trace, const struct live_options *opt)
{
	struct live *l = mem_zalloc(sizeof(*l));

	l->a = a;
	l->trace = trace;
	l->opt = *opt;
	l->begun = talk_clock();
	l->told = counter_new();
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
