#include "explore/server.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "launch/hang.h"
#include "launch/launch.h"
#include "trace/baton_watch.h"

#define WORDS (1u << 20)
#define LOOK_NS 50000000 /* between looks whether it still runs */

/* ---- the file ---- */

static uint64_t table(uint64_t *size, uint64_t n, uint64_t each)
{
	uint64_t at = (*size + 63) / 64 * 64;

	*size = at + n * each;
	return at;
}

static struct baton_head *part(const struct server *s, uint32_t i)
{
	return (struct baton_head *)((char *)s->file + BATON_PAGE + i * s->file->size);
}

/* Its pages come to be when somebody writes to them. */
static bool make_file(struct server *s)
{
	void *at;

	s->fd = memfd_create("foresee-baton", MFD_CLOEXEC);
	if (s->fd < 0 || ftruncate(s->fd, (off_t)s->size) != 0)
		return false;
	at = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (at == MAP_FAILED)
		return false;
	s->file = at;
	return true;
}

/* Every lane has files of its own for the output, if somebody reads it. */
static enum status open_judges(struct server *s, const struct judge_wish *w, struct diag *d)
{
	enum status st = judge_open(&s->judge, w, 0, d);

	for (uint32_t i = 0; i < s->pool.nlanes && st == ST_OK; i++) {
		struct judge *j = &s->watches[i].judge;
		struct baton_head *h = s->lanes[i].head;

		st = judge_open(j, w, (int)i + 1, d);
		if (st != ST_OK || !j->out)
			continue;
		if (strlen(j->out) >= sizeof(h->out) || strlen(j->err) >= sizeof(h->err))
			return diag_fail(d, ST_IO, "the name is too long: '%s'", j->out);
		strcpy(h->out, j->out);
		strcpy(h->err, j->err);
	}
	return st;
}

enum status server_open(struct server *s, const struct judge_wish *w, uint32_t jobs, struct diag *d)
{
	uint64_t size = sizeof(struct baton_head);
	struct baton_head h = { .nwords = WORDS, .nchoices = SERVER_STEPS, .limit = SERVER_STEPS };
	struct strbuf path = { 0 };

	memset(s, 0, sizeof(*s));
	s->step = SERVER_STEP_SECONDS;
	h.choices = table(&size, SERVER_STEPS, sizeof(struct baton_choice));
	h.steps = table(&size, SERVER_STEPS, sizeof(struct baton_step));
	h.words = table(&size, WORDS, sizeof(struct baton_word));
	h.news = table(&size, WORDS, sizeof(uint32_t));
	h.watch = table(&size, 1, sizeof(struct baton_watch));
	size = (size + BATON_PAGE - 1) / BATON_PAGE * BATON_PAGE;
	s->size = BATON_PAGE + size * (1 + (size_t)jobs);
	if (!make_file(s))
		return diag_fail(d, ST_IO, "cannot make a file in memory, of %zu MB: %s",
				 s->size >> 20, strerror(errno));
	*s->file = (struct baton_file){ .magic = BATON_MAGIC, .jobs = jobs, .size = size };
	for (uint32_t i = 0; i <= jobs; i++)
		*part(s, i) = h;
	s->pool.runner.head = part(s, 0);
	for (uint32_t i = 0; i < jobs; i++)
		s->lanes[i].head = part(s, i + 1);
	strbuf_addf(&path, "/proc/%ld/fd/%d", (long)getpid(), s->fd);
	s->path = path.at;
	s->pool.lanes = s->lanes;
	s->pool.nlanes = jobs;
	s->pool.outside = BATON_OUTSIDE_SOCKETS | (w->sandbox ? 0 : BATON_OUTSIDE_FILES);
	return open_judges(s, w, d);
}

void server_close(struct server *s)
{
	judge_close(&s->judge);
	for (uint32_t i = 0; i < s->pool.nlanes; i++)
		judge_close(&s->watches[i].judge);
	pool_release(&s->pool);
	if (s->file)
		munmap(s->file, s->size);
	if (s->fd >= 0)
		close(s->fd);
	mem_free(s->path);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

/* ---- runs ---- */

/* It is no child of ours. */
static bool has_ended(pid_t pid)
{
	char text[HANG_FILE];
	const char *state = hang_proc_read(pid, NULL, "stat", text) ? strrchr(text, ')') : NULL;

	return state == NULL || state[1] == '\0' || state[2] == 'Z' || state[2] == 'X';
}

/* A run that cannot be judged is none. */
static void lose(struct server *s, struct pool_lane *l, enum status st, const struct diag *why)
{
	if (st == ST_OK)
		return;
	l->is_lost = true;
	s->pool.why = *why;
}

static void start_run(struct pool *p, struct pool_lane *l)
{
	struct server *s = (struct server *)p;
	struct server_watch *w = &s->watches[l - s->lanes];
	struct diag d = { 0 };

	w->before = l->head->answered;
	w->steps = UINT32_MAX;
	l->since = talk_clock();
	w->killed = false;
	lose(s, l, judge_before(&w->judge, l->head, &d), &d);
	if (l->is_lost)
		return;
	l->head->child = 0;
	l->head->given_up = 0;
	l->head->grown = 0; /* of this one, however often it is begun */
	__atomic_fetch_add(&l->head->asked, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &l->head->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take_answer(struct server *s, struct pool_lane *l, struct server_watch *w)
{
	struct explore_runner r = { .head = l->head };
	struct diag d = { 0 };

	if (w->killed)
		r.head->outcome = BATON_OUTSIDE;
	r.ended = r.head->outcome == BATON_RAN ? r.head->ended : 0;
	lose(s, l, judge_after(&w->judge, &r, &d), &d);
	l->ended = r.ended;
	l->verdict = r.verdict;
	l->is_busy = l->is_lost;
}

/* True: some run has come to its end. */
static bool take_answers(struct server *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->pool.nlanes; i++) {
		struct pool_lane *l = &s->lanes[i];
		struct server_watch *w = &s->watches[i];

		if (!l->is_busy)
			continue;
		if (!l->is_lost &&
		    __atomic_load_n(&l->head->answered, __ATOMIC_ACQUIRE) != w->before)
			take_answer(s, l, w);
		any |= !l->is_busy || l->is_lost;
	}
	return any;
}

/* A step that takes too long ends the run: the program waits for something that is not seen. */
static void look_at(struct server *s, uint32_t i, double now)
{
	struct pool_lane *l = &s->lanes[i];
	struct server_watch *w = &s->watches[i];
	const struct baton_head *h = l->head;

	if (s->gone || (h->server != 0 && has_ended((pid_t)h->server)))
		l->is_lost = true;
	if (h->nsteps != w->steps || h->server == 0) { /* it is not there yet: no step of a run */
		w->steps = h->nsteps;
		l->since = now;
	} else if (!w->killed && now - l->since > s->step && h->child > 0) {
		w->killed = true;
		l->head->given_up = 1;
		kill((pid_t)h->child, SIGKILL);
	}
}

static void wait_for_runs(struct pool *p)
{
	struct server *s = (struct server *)p;
	const struct timespec pause = { 0, LOOK_NS };
	uint32_t bell = __atomic_load_n(&s->file->bell, __ATOMIC_ACQUIRE);
	double now;

	if (take_answers(s))
		return;
	syscall(SYS_futex, &s->file->bell, FUTEX_WAIT, bell, &pause, NULL, 0);
	if (take_answers(s))
		return;
	now = talk_clock();
	if (now - s->looked < LOOK_NS / 1e9)
		return;
	s->looked = now;
	s->gone |= has_ended(s->pid);
	for (uint32_t i = 0; i < p->nlanes; i++)
		if (s->lanes[i].is_busy)
			look_at(s, i, now);
}

/* For an oracle: is the program still to be run? */
static bool goes_on(void *arg)
{
	struct server *s = arg;

	s->gone |= has_ended(s->pid);
	return !s->gone;
}

/* What a run by fibers writes nobody sees; and that it fails has to be known when it ends. */
static bool is_judged(const struct judge *j)
{
	return j->out || j->directory || j->wish->property;
}

/* ---- the program ---- */

struct searching {
	struct server *server;
	void (*search)(void *arg, struct explore_runner *r);
	void *arg;
};

static bool look(void *arg, pid_t pid)
{
	struct searching *x = arg;

	x->server->pid = pid;
	x->search(x->arg, &x->server->pool.runner);
	return false;
}

enum status server_search(struct server *s, const struct server_program *p,
			  void (*search)(void *arg, struct explore_runner *r), void *arg,
			  struct diag *d)
{
	struct searching x = { s, search, arg };
	struct strbuf options = { 0 };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct launch l = { .path = p->path,
			    .argv = p->argv,
			    .trace = "",
			    .quiet = true,
			    .look = look,
			    .look_arg = &x,
			    .directory = p->directory,
			    .in = nothing,
			    .out = nothing,
			    .err = nothing,
			    .steady = true };
	struct launch_end end;
	enum status st;

	if (nothing < 0) {
		return diag_fail(d, ST_IO, "cannot open /dev/null: %s", strerror(errno));
	}
	strbuf_addf(&options, "%scontrol=%s\n", p->options, s->path);
	l.options = strbuf_str(&options);
	s->pool.start = start_run;
	s->pool.wait = wait_for_runs;
	pool_init(&s->pool);
	s->pool.runner.head->served = 1;
	s->gone = false;
	for (uint32_t i = 0; i < s->pool.nlanes; i++) {
		s->lanes[i].head->fibers.wanted = s->fibers && !is_judged(&s->judge);
		s->watches[i].judge.keeps = goes_on;
		s->watches[i].judge.keeps_arg = s;
	}
	st = launch_program(&l, &end, d);
	s->pool.runner.head->served = 0;
	s->stopped = st == ST_OK && end.asked;
	s->pid = 0;
	strbuf_release(&options);
	close(nothing);
	return st;
}

/* ---- fibers ---- */

static void add_why(uint32_t why, struct strbuf *out)
{
	static const char *const words[BATON_IRREGULAR_CALL] = {
		[BATON_IRREGULAR_FAULT] = "a signal",
		[BATON_IRREGULAR_THREAD] = "a thread or lock that is not of the plain kind",
		[BATON_IRREGULAR_THREADS] = "more threads than before",
		[BATON_IRREGULAR_MEMORY] = "much memory written to",
	};

	if (why == BATON_REGULAR)
		return;
	if (why < BATON_IRREGULAR_CALL)
		strbuf_addf(out, "; not by fibers: %s", words[why]);
	else
		strbuf_addf(out, "; not by fibers: system call %u", why - BATON_IRREGULAR_CALL);
}

bool server_fibers(const struct server *s, struct strbuf *out)
{
	uint64_t regular = 0, handed = 0;
	uint32_t why = BATON_REGULAR;

	for (uint32_t i = 0; i < s->pool.nlanes; i++) {
		const struct baton_fibers *f = &s->lanes[i].head->fibers;

		regular += f->regular;
		handed += f->handed;
		why = f->why != BATON_REGULAR ? f->why : why;
	}
	strbuf_addf(out,
		    "fibers did %" PRIu64 " runs; %" PRIu64
		    " were done, or done again, by a process",
		    regular, handed);
	add_why(why, out);
	return regular + handed > 0;
}
