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
#include "replay/scratch.h"

#define WORDS (1u << 20)
#define LOOK_NS 50000000 /* between looks whether it still runs */

/* ---- the file ---- */

static uint64_t table(uint64_t *size, uint64_t n, uint64_t each)
{
	uint64_t at = (*size + 63) / 64 * 64;

	*size = at + n * each;
	return at;
}

enum status server_open(struct server *s, const struct judge_wish *w, struct diag *d)
{
	uint64_t size = sizeof(struct baton_head);
	struct baton_head h = { .magic = BATON_MAGIC,
				.nwords = WORDS,
				.nchoices = SERVER_STEPS,
				.limit = SERVER_STEPS };
	int fd, error;

	memset(s, 0, sizeof(*s));
	s->step = SERVER_STEP_SECONDS;
	h.choices = table(&size, SERVER_STEPS, sizeof(struct baton_choice));
	h.steps = table(&size, SERVER_STEPS, sizeof(struct baton_step));
	h.words = table(&size, WORDS, sizeof(struct baton_word));
	h.size = size;
	s->path = scratch_path("plan", 0);
	fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* Room that is not there would be missed in the middle of a run, by SIGBUS. */
	error = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)size);
	if (error == 0) {
		s->runner.head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		error = s->runner.head == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (error != 0) {
		s->runner.head = NULL;
		return diag_fail(d, ST_IO, "cannot make '%s', of %" PRIu64 " MB: %s", s->path,
				 size >> 20, strerror(error));
	}
	*s->runner.head = h;
	return judge_open(&s->judge, w, 0, d);
}

void server_close(struct server *s)
{
	judge_close(&s->judge);
	if (s->runner.head)
		munmap(s->runner.head, s->runner.head->size);
	if (s->path)
		unlink(s->path);
	mem_free(s->path);
	memset(s, 0, sizeof(*s));
}

/* ---- one run ---- */

/* It is no child of ours, there is a keeper between. */
static bool has_ended(struct server *s)
{
	char text[HANG_FILE];
	const char *state = hang_proc_read(s->pid, NULL, "stat", text) ? strrchr(text, ')') : NULL;

	s->gone |= state == NULL || state[1] == '\0' || state[2] == 'Z' || state[2] == 'X';
	return s->gone;
}

/* Waits for the answer.  A step that takes too long ends the run: the program waits for something that
 * is not seen. */
static bool wait_for_answer(struct server *s, uint32_t before)
{
	struct baton_head *h = s->runner.head;
	const struct timespec pause = { 0, LOOK_NS };
	double since = talk_clock();
	uint32_t steps = UINT32_MAX;
	bool killed = false;

	while (__atomic_load_n(&h->answered, __ATOMIC_ACQUIRE) == before) {
		syscall(SYS_futex, &h->answered, FUTEX_WAIT, before, &pause, NULL, 0);
		if (__atomic_load_n(&h->answered, __ATOMIC_ACQUIRE) != before)
			break;
		if (has_ended(s))
			return false;
		if (h->nsteps != steps) {
			steps = h->nsteps;
			since = talk_clock();
		} else if (!killed && talk_clock() - since > s->step && h->child > 0) {
			killed = true;
			kill((pid_t)h->child, SIGKILL);
		}
	}
	if (killed)
		h->outcome = BATON_OUTSIDE;
	return true;
}

static bool run(struct explore_runner *r, struct diag *d)
{
	struct server *s = (struct server *)r;
	struct baton_head *h = r->head;
	uint32_t before = h->answered;

	if (judge_before(&s->judge, h, d) != ST_OK)
		return false;
	if (!s->gone) {
		h->child = 0;
		__atomic_fetch_add(&h->asked, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &h->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	if (s->gone || !wait_for_answer(s, before)) {
		diag_set(d, "the program has ended before a run could be made of it");
		return false;
	}
	r->ended = h->outcome == BATON_RAN ? h->ended : 0;
	return judge_after(&s->judge, r, d) == ST_OK;
}

/* For an oracle: is the program still to be run? */
static bool goes_on(void *arg)
{
	return !has_ended(arg);
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
	x->search(x->arg, &x->server->runner);
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
			    .out = s->judge.out ? s->judge.out_fd : nothing,
			    .err = s->judge.err ? s->judge.err_fd : nothing,
			    .steady = true };
	struct launch_end end;
	enum status st;

	if (nothing < 0) {
		return diag_fail(d, ST_IO, "cannot open /dev/null: %s", strerror(errno));
	}
	strbuf_addf(&options, "%scontrol=%s\n", p->options, s->path);
	l.options = strbuf_str(&options);
	s->runner.run = run;
	s->runner.head->served = 1;
	s->gone = false;
	s->judge.keeps = goes_on;
	s->judge.keeps_arg = s;
	st = launch_program(&l, &end, d);
	s->judge.keeps = NULL;
	s->stopped = st == ST_OK && end.asked;
	s->pid = 0;
	strbuf_release(&options);
	close(nothing);
	return st;
}
